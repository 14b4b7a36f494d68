//! Building blocks of the panels: lanes, threads, warp chips, reason letters, and the overview of all warps.

use super::PanelView;
use crate::scene::{Align, Geometry, Rect, Scene, ShapeKey, Tone, key};
use crate::view::words::counted;
use crate::view::{LaneActivity, Selection, WarpPicture};
use warpscope_machine::event::Reason;

/// Kinds of keys, so that no two things share a key.
pub mod kind {
    pub const OVERVIEW_LANE: u8 = 1;
    pub const ENTRY_ROW: u8 = 4;
    pub const ENTRY_TEXT: u8 = 5;
    pub const OVERVIEW_ROW: u8 = 6;
    pub const THREAD: u8 = 7;
    pub const THREAD_TEXT: u8 = 8;
    pub const ENCODER: u8 = 9;
    pub const BLOCK: u8 = 10;
    pub const OCCUPANT: u8 = 11;
    pub const OCCUPANT_EDGE: u8 = 12;
    pub const OCCUPANT_TEXT: u8 = 13;
    pub const RUNNER: u8 = 14;
    pub const RUNNER_TEXT: u8 = 15;
    pub const RUNNER_RING: u8 = 16;
    pub const TRAIL: u8 = 17;
    pub const GATE: u8 = 18;
    pub const GATE_COUNT: u8 = 19;
    pub const BADGE: u8 = 20;
    pub const BADGE_TEXT: u8 = 21;
    pub const CRITICAL: u8 = 22;
    pub const CRITICAL_TEXT: u8 = 23;
    pub const BUFFER_CELL: u8 = 24;
    pub const FETCH_ARROW: u8 = 25;
    pub const ISSUE_ARROW: u8 = 26;
    pub const STARVED: u8 = 27;
    pub const LANE_NOW: u8 = 28;
    pub const SHIFT_LANE: u8 = 29;
    pub const SHIFT_THREAD: u8 = 30;
    pub const SHIFT_TEXT: u8 = 31;
    pub const PHASE_NOW: u8 = 32;
    pub const LEAKAGE: u8 = 33;
    pub const TOKEN: u8 = 34;
    pub const TOKEN_TEXT: u8 = 35;
    pub const STINT: u8 = 36;
    pub const HELD: u8 = 37;
    pub const HELD_EDGE: u8 = 38;
    pub const RANKED: u8 = 39;
    pub const RANKED_TEXT: u8 = 40;
    pub const BLOCKS_NOW: u8 = 41;
    pub const TOKEN_EDGE: u8 = 42;
    pub const THREAD_STRIPE: u8 = 43;
    pub const NOW: u8 = 44;
    pub const MASK: u8 = 45;
    pub const FRAME: u8 = 46;
    pub const WAY: u8 = 47;
    pub const MASK_PLACE: u8 = 48;
    pub const THREAD_EDGE: u8 = 49;
    pub const DOCK: u8 = 50;
    pub const HOME_PLACE: u8 = 51;
    pub const FORMED: u8 = 52;
    pub const ROW_TEXT: u8 = 53;
    pub const WCNT: u8 = 54;
    pub const CARD: u8 = 55;
    pub const TO_GO: u8 = 56;
    pub const PRIORITY: u8 = 57;
    pub const SHIFT_EDGE: u8 = 58;
    pub const PHASE_RUN: u8 = 59;
    pub const PHASE_WAIT: u8 = 60;
    pub const PHASE_CURSOR: u8 = 61;
}

/// The space after every fourth lane, as a share of the pitch.
const GROUP_GAP: f32 = 0.4;
pub const SMALL: f32 = 11.0;
pub const BASE: f32 = 13.0;

/// Returns the end of a scale that must reach `furthest`: a round number that rarely changes from step to step.
pub fn round_up(furthest: u64) -> u64 {
    let fits = |scale: &u64| *scale >= furthest;
    (0..60).flat_map(|power| [8u64 << power, 12 << power]).find(fits).unwrap_or(u64::MAX)
}

/// The positions of lanes side by side, in groups of four.
#[derive(Clone, Copy, Debug)]
pub struct LaneGrid {
    pub x: f32,
    /// The width of a cell including its gap.
    pub pitch: f32,
    pub gap: f32,
}

impl LaneGrid {
    /// Returns a grid that is as wide as fits into `width`, with a pitch of at most `most`.
    pub fn fit(x: f32, width: f32, lanes: u32, most: f32) -> LaneGrid {
        let units = lanes as f32 + (lanes.saturating_sub(1) / 4) as f32 * GROUP_GAP;
        let pitch = (width / units).min(most).max(2.0);
        // On whole pixels, a partial repaint looks like a full one.
        let (x, pitch) = if pitch > 3.0 { (x.floor(), pitch.floor()) } else { (x, pitch) };
        let gap = match pitch {
            ..3.0 => 0.5,
            ..16.0 => 1.0,
            _ => 2.0,
        };
        LaneGrid { x, pitch, gap }
    }

    pub fn cell(&self, lane: u32, y: f32, height: f32) -> Rect {
        Rect::new(self.x + lane as f32 * self.pitch + (lane / 4) as f32 * self.between(), y, self.pitch - self.gap, height)
    }

    pub fn width(&self, lanes: u32) -> f32 {
        lanes as f32 * self.pitch + (lanes.saturating_sub(1) / 4) as f32 * self.between()
    }

    /// Returns the space between two groups.
    fn between(&self) -> f32 {
        let between = self.pitch * GROUP_GAP;
        if self.pitch < 3.0 { between } else { between.floor() }
    }
}

/// Returns a static warp's own hue.
pub fn hue(warp: u16) -> Tone {
    Tone::Warp((warp % 8) as u8)
}

/// Returns the text colour on a static warp's hue.
pub fn ink(warp: u16) -> Tone {
    Tone::OnWarp((warp % 8) as u8)
}

/// A thread. In every place it has its static warp's hue, its number in its block, and its key.
#[derive(Clone, Copy, Debug)]
pub struct Thread {
    pub sm: u16,
    pub warp: u16,
    pub lane: u32,
    /// Its number in its block.
    pub number: u32,
    /// The digits of the highest number in its warp, so that all threads of a warp show their numbers, or none.
    digits: u32,
}

/// How a thread is drawn in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// As a filled token: the thread is active.
    Token,
    /// As a pale token with an edge: the thread waits for others.
    Waits,
    /// An outline with a faint number: the thread is elsewhere, or waits for others.
    Faint,
    /// A bar at a barrier's line.
    Parked,
    Ended,
}

/// The opacity of what would be filled if its thread were active.
pub const PALE: f32 = 0.22;
/// The least width of a token that shows its number.
const NUMBERED: f32 = 12.0;

impl Thread {
    pub fn of(warp: &WarpPicture, lane: u32) -> Thread {
        let first = warp.first_thread.0;
        let digits = (first + warp.width - 1).max(1).ilog10() + 1;
        Thread { sm: warp.sm, warp: warp.warp, lane, number: first + lane, digits }
    }

    pub fn key(&self, kind: u8) -> ShapeKey {
        key(kind, u32::from(self.sm) << 16 | u32::from(self.warp), self.lane as u16, 0)
    }

    pub fn selection(&self) -> Selection {
        Selection::Lane { sm: self.sm, warp: self.warp, lane: self.lane as u8 }
    }

    /// Draws the thread itself, which moves from place to place.
    pub fn draw(&self, scene: &mut Scene<Selection>, stand: Stand, cell: Rect) {
        let (own, tone) = (self.key(kind::THREAD), hue(self.warp));
        match stand {
            Stand::Token => scene.round(own, tone, cell),
            Stand::Waits => {
                scene.mark(own, tone, true, Geometry::Round(cell));
                scene.fade(PALE);
                self.edge(scene, cell, true);
            }
            Stand::Faint => scene.outline(own, tone, cell),
            Stand::Parked => scene.push(own, tone, Geometry::Wait(cell)),
            Stand::Ended => scene.push(own, Tone::Soft, Geometry::Dot(cell)),
        }
        scene.spot(cell, self.selection());
        // Warps from 8 on have a stripe, which lies lower for every further eight.
        if self.warp >= 8 && stand == Stand::Token {
            let down = (cell.h * f32::from(self.warp / 8 % 8) / 8.0).round();
            scene.fill(self.key(kind::THREAD_STRIPE), Tone::Panel, Rect::new(cell.x, cell.y + down, cell.w, 1.0));
        }
        let ink = match stand {
            Stand::Token => ink(self.warp),
            Stand::Waits => Tone::Text,
            _ => Tone::Soft,
        };
        // The number stands beside the barrier's line.
        let room = if stand == Stand::Parked { Rect { w: cell.w * 0.72, ..cell } } else { cell };
        if let Some(numeral) = self.numeral(room) {
            scene.mark(self.key(kind::THREAD_TEXT), ink, stand != Stand::Ended, numeral);
        }
    }

    /// Draws the edge of a thread that waits, or leaves it to a film to show it.
    pub fn edge(&self, scene: &mut Scene<Selection>, cell: Rect, lit: bool) {
        let inside = Rect::new(cell.x + 1.0, cell.y + 1.0, cell.w - 2.0, cell.h - 2.0);
        scene.mark(self.key(kind::THREAD_EDGE), hue(self.warp), lit, Geometry::Ring(inside));
    }

    /// Writes the thread's number where it fits.
    pub fn write(&self, scene: &mut Scene<Selection>, key: ShapeKey, tone: Tone, cell: Rect) {
        if let Some(numeral) = self.numeral(cell) {
            scene.push(key, tone, numeral);
        }
    }

    fn numeral(&self, cell: Rect) -> Option<Geometry> {
        let small = (cell.w * 0.65).min(9.0);
        let size = (cell.w.min(cell.h * 1.3) * 0.48).max(small).min(cell.w * 1.5 / self.digits as f32).min(15.0);
        let fits = cell.w >= NUMBERED && cell.h >= 11.0 && size >= 7.5;
        let (x, y) = (cell.x + cell.w / 2.0, cell.y + cell.h / 2.0 + size * 0.35);
        fits.then(|| {
            let text = self.number.to_string();
            Geometry::Text { x, y, size, align: Align::Middle, mono: true, bold: false, text }
        })
    }
}

/// Writes the lane numbers above their columns: all of them, or every fourth where they do not fit.
pub fn lane_numbers(scene: &mut Scene<Selection>, grid: &LaneGrid, lanes: u32, y: f32) {
    for at in (0..lanes).filter(|at| at % 4 == 0 || grid.pitch >= 16.0) {
        let cell = grid.cell(at, y, 0.0);
        scene.mono(0, Tone::Soft, cell.x + cell.w / 2.0, y, 10.0, Align::Middle, at.to_string());
    }
}

/// Writes a place in the code: its name, with its PC small beside it.
pub fn place(scene: &mut Scene<Selection>, key: ShapeKey, tone: Tone, (x, y): (f32, f32), name: &str, pcs: &str) {
    scene.bold(key, tone, x, y, BASE, Align::Left, name);
    let wide = name.chars().count() as f32 * 8.8 + 8.0;
    scene.mono(if key == 0 { 0 } else { key ^ 0x80 }, Tone::Soft, x + wide, y, 10.0, Align::Left, pcs);
}

/// Draws a lane in the look of its state; states differ in shape as well as in tone.
pub fn lane(scene: &mut Scene<Selection>, key: ShapeKey, look: LaneActivity, tone: Tone, cell: Rect) {
    match look {
        LaneActivity::Active => scene.fill(key, tone, cell),
        LaneActivity::Masked => scene.outline(key, Tone::Mark, cell),
        LaneActivity::Exited => scene.push(key, Tone::Soft, Geometry::Dot(cell)),
        LaneActivity::Barrier => scene.push(key, tone, Geometry::Wait(cell)),
        LaneActivity::Empty => {}
    }
}

/// Draws a square in the warp's hue, with one stripe for every eight warps before it.
pub fn chip(scene: &mut Scene<Selection>, warp: u16, x: f32, y: f32, size: f32) {
    scene.fill(0, hue(warp), Rect::new(x, y, size, size));
    for stripe in 0..warp / 8 {
        let at = y + size - 2.0 - f32::from(stripe) * 2.0;
        scene.fill(0, Tone::Panel, Rect::new(x, at, size, 1.0));
    }
}

/// Draws what the warp did in the last cycle, as the reason's colour and letter.
pub fn reason(scene: &mut Scene<Selection>, reason: Option<Reason>, x: f32, y: f32, size: f32) {
    let Some(reason) = reason else { return };
    scene.fill(0, Tone::Reason(reason), Rect::new(x, y, (size * 0.36).round(), size));
    scene.mono(0, Tone::Text, x + size * 0.5, y + size * 0.86, size, Align::Left, reason.letter().to_string());
}

/// Writes how many issue slots were shared so far at the right of the first line; returns the width left of it.
pub fn shared(scene: &mut Scene<Selection>, view: &PanelView) -> f32 {
    let said = format!("{} shared so far", counted(view.tally.shared(), "issue slot"));
    let left = view.width - said.len() as f32 * 7.2;
    scene.bold(0, Tone::Soft, view.width, 15.0, BASE, Align::Right, said);
    left
}

/// Returns an overview's title, which names the SM where there are several.
pub fn titled(view: &PanelView, title: &str) -> String {
    let several = view.sim.state.sms.len() > 1;
    if several { format!("{title} of SM {}", view.sm()) } else { title.to_string() }
}

/// Writes an overview's title, and what its marks mean.
pub fn heading(scene: &mut Scene<Selection>, view: &PanelView, y: f32, title: &str, legend: &str) {
    let title = titled(view, title);
    let beside = title.len() as f32 * 8.0 + 10.0;
    scene.bold(0, Tone::Text, 0.0, y, BASE, Align::Left, title);
    scene.label(0, Tone::Soft, beside, y, SMALL, Align::Left, fitting(legend, view.width - beside));
}

/// Returns as many of a text's leading parts as fit in the small size.
pub fn fitting(mut text: &str, room: f32) -> &str {
    const LETTER: f32 = 6.3;
    while !text.is_empty() && text.chars().count() as f32 * LETTER > room {
        text = text.rfind([',', '·']).map_or("", |end| text[..end].trim_end());
    }
    text
}

/// Draws what the colours mean, in as many lines as the entries need; returns the lower end.
pub fn legend<T: Into<String>>(
    scene: &mut Scene<Selection>,
    entries: impl IntoIterator<Item = (T, Tone)>,
    width: f32,
    y: f32,
) -> f32 {
    let (mut x, mut line) = (0.0, y + 14.0);
    for (text, tone) in entries {
        let text: String = text.into();
        let wide = 16.0 + text.len() as f32 * SMALL * 0.52 + 10.0;
        if x > 0.0 && x + wide > width {
            (x, line) = (0.0, line + 16.0);
        }
        scene.fill(0, tone, Rect::new(x, line - 9.0, 10.0, 10.0));
        scene.outline(0, Tone::Edge, Rect::new(x, line - 9.0, 10.0, 10.0));
        scene.label(0, Tone::Soft, x + 14.0, line, SMALL, Align::Left, text);
        x += wide;
    }
    line + 8.0
}

/// Draws every resident warp of the SM as a row of lanes; returns the height used.
pub fn overview(scene: &mut Scene<Selection>, view: &PanelView, at: Rect) -> f32 {
    let Rect { x, y, w: wide, h: room } = at;
    let warps: Vec<&WarpPicture> = view.warps().collect();
    if warps.is_empty() {
        let elsewhere = !view.picture.warps.is_empty();
        let text = if elsewhere { "No warp is resident on this SM." } else { "No warp is resident." };
        scene.label(0, Tone::Soft, x, y + 16.0, BASE, Align::Left, text);
        return 24.0;
    }
    let width = warps[0].width;
    // As many columns as keep a lane at three pixels or more, and no more than are needed.
    let wanted = (warps.len() as f32 * 16.0 / room.max(64.0)).ceil().max(1.0);
    let possible = ((wide + 16.0) / (LABEL + width as f32 * 3.4 + DEPTH + 16.0)).floor().max(1.0);
    let columns = wanted.min(possible).min(4.0);
    let rows = (warps.len() as f32 / columns).ceil();
    let column_width = (wide + 16.0) / columns - 16.0;
    // Cells are not taller than they are wide, unless that would make them too low.
    let row_height = (room / rows).floor().clamp(12.0, lanes_of(0.0, column_width, width).pitch.max(14.0) + 4.0);
    for (at, warp) in warps.iter().enumerate() {
        let (column, row) = ((at as f32 / rows).floor(), at as f32 % rows);
        let left = (x + column * (column_width + 16.0)).floor();
        overview_row(scene, view, warp, Rect::new(left, y + row * row_height, column_width, row_height));
    }
    rows * row_height
}

const LABEL: f32 = 58.0;
const DEPTH: f32 = 26.0;

/// Returns the positions of a row's lanes.
fn lanes_of(x: f32, width: f32, lanes: u32) -> LaneGrid {
    LaneGrid::fit(x + LABEL, width - LABEL - DEPTH, lanes, 24.0)
}

fn overview_row(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, row: Rect) {
    let selected = view.selection.and_then(Selection::warp) == Some((warp.sm, warp.warp));
    let in_block = matches!(view.selection, Some(Selection::Block { sm, slot }) if (sm, slot) == (warp.sm, warp.slot));
    if selected || in_block {
        scene.fill(key(kind::OVERVIEW_ROW, 0, 0, u8::from(in_block)), Tone::Picked, row);
    }
    scene.spot(row, Selection::Warp { sm: warp.sm, warp: warp.warp });
    let size = (row.h - 4.0).min(11.0);
    let top = (row.y + (row.h - size) / 2.0).floor();
    chip(scene, warp.warp, row.x + 2.0, top, size);
    scene.mono(0, Tone::Text, row.x + 6.0 + size, top + size * 0.9, size.max(10.0), Align::Left, warp.warp.to_string());
    reason(scene, warp.reason, row.x + 36.0, top, size);
    let grid = lanes_of(row.x, row.w, warp.width);
    let tone = hue(warp.warp);
    for at in 0..warp.width {
        let cell = grid.cell(at, row.y + 2.0, row.h - 4.0);
        let name = key(kind::OVERVIEW_LANE, u32::from(warp.sm) << 16 | u32::from(warp.warp), at as u16, 0);
        lane(scene, name, warp.lane(at), tone, cell);
        scene.spot(cell, Selection::Lane { sm: warp.sm, warp: warp.warp, lane: at as u8 });
    }
    if warp.stack.len() > 1 {
        let x = row.x + LABEL + grid.width(warp.width) + 4.0;
        scene.mono(0, Tone::Soft, x, top + size * 0.9, size.max(9.0), Align::Left, warp.stack.len().to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn parts_without_room_are_left_out_from_the_last_on() {
        let text = "filled: active · outline: masked · dot: ended";
        assert_eq!(fitting(text, 400.0), text);
        assert_eq!(fitting(text, 250.0), "filled: active · outline: masked");
        assert_eq!(fitting(text, 100.0), "filled: active");
        assert_eq!((fitting(text, 20.0), fitting(text, -20.0)), ("", ""));
    }
}
