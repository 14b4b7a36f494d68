//! Warp slots as rows, time to the right: each stretch has the colour of its logical block.

use super::view::{BlockRows, BlocksView, Piece, WarpRow};
use super::{nothing, token, token_width, tones};
use crate::mechanism::parts::{self, SMALL, kind};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::Selection;
use warpscope_machine::event::Reason;

/// The heights of the cycle numbers above, and of a line of the legend below.
const HEAD: f32 = 22.0;
const LEGEND: f32 = 18.0;
/// The width of the names of the warps.
const NAME: f32 = 30.0;
const BLOCK_GAP: f32 = 8.0;
/// The least and the greatest height of a row.
const ROW: std::ops::RangeInclusive<f32> = 6.0..=64.0;
/// The height of the line that shows how long the slot would have been held.
const HELD: f32 = 3.0;

/// The positions of the rows.
pub struct RowPlan {
    area: Rect,
    pitch: f32,
    rows: f32,
    shown: std::ops::Range<u64>,
}

impl RowPlan {
    pub fn new(view: &BlocksView, area: Rect) -> RowPlan {
        let rows: usize = view.blocks.iter().map(|block| block.warps.len()).sum();
        let gaps = BLOCK_GAP * view.blocks.len().saturating_sub(1) as f32;
        let free = area.h - HEAD - 2.0 * LEGEND - gaps;
        let pitch = (free / rows.max(1) as f32).clamp(*ROW.start(), *ROW.end());
        let pitch = if pitch > 12.0 { pitch.floor() } else { pitch };
        RowPlan { area, pitch, rows: rows as f32 * pitch + gaps, shown: view.shown.clone() }
    }

    pub fn top(&self) -> f32 {
        HEAD
    }

    pub fn bottom(&self) -> f32 {
        HEAD + self.rows.max(120.0)
    }

    fn left(&self) -> f32 {
        self.area.x + NAME
    }

    fn wide(&self) -> f32 {
        self.area.w - NAME - 2.0
    }

    fn x(&self, cycle: u64) -> f32 {
        let part = cycle.clamp(self.shown.start, self.shown.end) - self.shown.start;
        self.left() + self.wide() * part as f32 / (self.shown.end - self.shown.start).max(1) as f32
    }
}

/// Draws all rows; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &BlocksView, plan: &RowPlan, chosen: Option<u16>) -> f32 {
    if view.blocks.is_empty() {
        nothing(scene, plan.area);
        return HEAD;
    }
    axis(scene, plan);
    let mut y = HEAD;
    for block in &view.blocks {
        let area = Rect::new(plan.left(), y, plan.wide(), block.warps.len() as f32 * plan.pitch);
        scene.fill(0, Tone::Sunken, area);
        block_rows(scene, view, plan, block, y, chosen);
        scene.outline(0, Tone::Line, area);
        y += area.h + BLOCK_GAP;
    }
    y -= BLOCK_GAP;
    let now = plan.x(view.cycle);
    scene.fill(key(kind::BLOCKS_NOW, 0, 0, 0), Tone::Text, Rect::new(now - 0.5, HEAD - 4.0, 1.0, y - HEAD + 4.0));
    legend(scene, view, plan, y)
}

fn axis(scene: &mut Scene<Selection>, plan: &RowPlan) {
    let (from, to) = (plan.shown.start, plan.shown.end);
    for (cycle, align) in [(from, Align::Left), (from + (to - from) / 2, Align::Middle), (to, Align::Right)] {
        scene.mono(0, Tone::Soft, plan.x(cycle), 12.0, SMALL, align, cycle.to_string());
        scene.fill(0, Tone::Edge, Rect::new(plan.x(cycle).min(plan.left() + plan.wide() - 1.0), HEAD - 5.0, 1.0, 4.0));
    }
    let quarter = plan.x(from + (to - from) / 4);
    scene.label(0, Tone::Soft, quarter, 12.0, SMALL, Align::Middle, "cycle");
}

fn block_rows(scene: &mut Scene<Selection>, view: &BlocksView, plan: &RowPlan, block: &BlockRows, top: f32, chosen: Option<u16>) {
    for (at, row) in block.warps.iter().enumerate() {
        let y = top + at as f32 * plan.pitch;
        let whole = Rect::new(plan.area.x, y, plan.area.w, plan.pitch);
        if chosen == Some(row.warp) {
            scene.fill(0, Tone::Picked, whole);
        }
        // Every name that fits.
        let every = (11.0 / plan.pitch).ceil() as usize;
        if at.is_multiple_of(every) {
            let (tone, y) = (if row.issued { Tone::Text } else { Tone::Soft }, y + plan.pitch / 2.0 + 4.0);
            scene.mono(0, tone, plan.left() - 6.0, y, SMALL, Align::Right, format!("w{}", row.warp));
        }
        warp_row(scene, view, plan, row, y);
        scene.spot(whole, Selection::Warp { sm: view.sm, warp: row.warp });
    }
}

fn warp_row(scene: &mut Scene<Selection>, view: &BlocksView, plan: &RowPlan, row: &WarpRow, y: f32) {
    let gap = if plan.pitch >= 12.0 { 2.0 } else { 1.0 };
    let (top, high) = (y + gap / 2.0, plan.pitch - gap);
    let under = if view.is_virtual { HELD.min(high / 3.0) } else { 0.0 };
    for piece in &row.pieces {
        let name = |kind: u8| key(kind, u32::from(view.sm) << 16 | u32::from(row.warp), piece.block as u16, 0);
        if piece.held > piece.to {
            let (x, right) = (plan.x(piece.to), plan.x(piece.held));
            match view.is_virtual {
                true => scene.fill(name(kind::HELD), Tone::Bad, Rect::new(x, top + high - under, right - x, under)),
                false => {
                    let rect = Rect::new(x, top, right - x, high);
                    scene.fill(name(kind::HELD), Tone::BadTint, rect);
                    scene.outline(name(kind::HELD_EDGE), Tone::Bad, rect);
                }
            }
        }
        stretch(scene, plan, piece, Rect::new(plan.x(piece.from), top, 0.0, high - under), name(kind::STINT));
    }
    for (reason, range) in &row.waits {
        let (x, right) = (plan.x(range.start), plan.x(range.end));
        let band = Rect::new(x, top + (high - under) * 0.25, right - x, (high - under) * 0.5);
        scene.fill(0, Tone::Reason(*reason), band);
        if band.h >= 9.0 && band.w >= 10.0 {
            let (x, y) = (band.x + band.w / 2.0, band.y + band.h / 2.0 + 4.0);
            scene.mono(0, Tone::Panel, x, y, SMALL, Align::Middle, reason.letter().to_string());
        }
    }
    // Tokens of blocks from the dispenser lie on top.
    for piece in row.pieces.iter().filter(|piece| piece.draws && piece.from >= plan.shown.start && plan.pitch >= 12.0) {
        let high = (plan.pitch - 4.0).min(26.0);
        let rect = Rect::new(plan.x(piece.from) + 1.0, y + (plan.pitch - high) / 2.0, token_width(piece.block, high), high);
        token(scene, piece.block, rect);
    }
    if let Some(piece) = row.pieces.last().filter(|piece| piece.lasts && row.issued) {
        scene.beat = Beat::Flash;
        let x = plan.x(piece.to);
        scene.push(0, Tone::Text, Geometry::Fill(Rect::new(x - 3.0, top, 3.0, high - under)));
        scene.beat = Beat::default();
    }
}

/// Draws a piece, with the numbers that fit on it.
fn stretch(scene: &mut Scene<Selection>, plan: &RowPlan, piece: &Piece, at: Rect, name: u64) {
    let rect = Rect::new(at.x, at.y, (plan.x(piece.to) - at.x).max(1.0), at.h);
    let (tone, ink) = tones(piece.block);
    scene.round(name, tone, rect);
    if rect.h < 9.0 {
        return;
    }
    let size = (rect.h * 0.5).clamp(9.0, 16.0);
    let has_token = piece.draws && piece.from >= plan.shown.start && plan.pitch >= 12.0;
    let beside = if has_token { token_width(piece.block, (plan.pitch - 4.0).min(26.0)) + 4.0 } else { 5.0 };
    let own = format!("w{}", piece.number);
    let texts = match has_token {
        true => [own.clone(), String::new()],
        false => [format!("{} {own}", piece.block), piece.block.to_string()],
    };
    let fits = |text: &&String| !text.is_empty() && text.len() as f32 * size * 0.62 + beside + 3.0 <= rect.w;
    if let Some(text) = texts.iter().find(fits) {
        let y = rect.y + rect.h / 2.0 + size * 0.35;
        scene.mono(0, ink, rect.x + beside, y, size, Align::Left, text.clone());
    }
}

/// Draws what the colours mean; returns the lower end.
fn legend(scene: &mut Scene<Selection>, view: &BlocksView, plan: &RowPlan, y: f32) -> f32 {
    let held = match view.is_virtual {
        true => "red: would wait for its siblings",
        false => "red: ended, waits for its siblings",
    };
    let example = view.blocks.iter().flat_map(|block| &block.warps).find_map(|row| row.pieces.last());
    let named = |piece: &Piece| (format!("{0} w{1}: warp {1} of block {0}", piece.block, piece.number), tones(piece.block).0);
    let mut entries: Vec<(String, Tone)> = example.map(named).into_iter().collect();
    entries.push((held.to_string(), Tone::Bad));
    let waited =
        |reason: Reason| view.blocks.iter().flat_map(|block| &block.warps).any(|row| row.waits.iter().any(|it| it.0 == reason));
    for (reason, text) in [
        (Reason::Barrier, "B: at a barrier"),
        (Reason::Siblings, "H: siblings still use shared memory"),
        (Reason::Ahead, "A: would be two blocks ahead"),
    ] {
        entries.extend(waited(reason).then(|| (text.to_string(), Tone::Reason(reason))));
    }
    parts::legend(scene, entries, plan.left() + plan.wide(), y)
}
