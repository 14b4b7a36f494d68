//! The chosen original gang: a line for each entry of its set of the gang table, and one for singletons.

use super::super::PanelView;
use super::super::parts::{BASE, SMALL, Stand, Thread, fitting, hue, kind};
use super::columns::Columns;
use super::rows::Row;
use crate::scene::{Align, Geometry, Rect, Scene, Tone, key};
use crate::view::words::gang_name;
use crate::view::{LaneActivity, Selection, WarpPicture};
use warpscope_machine::event::Reason;
use warpscope_machine::policy::gang::ENTRIES;
use warpscope_machine::sim::state::Sm;

/// The height that the gang table leaves to the rest of the picture, and the least height of a line of the table.
const REST: f32 = 236.0;
const LEAST_LINE: f32 = 30.0;
/// The least height of a line with threads in two rows.
const LEAST_DOUBLE: f32 = 42.0;
/// The width of a token below which two rows of threads are better than one.
const ROOMY: f32 = 14.0;
/// The greatest height of a line of the table.
const MOST_LINE: f32 = 72.0;

/// Draws the chosen original gang; returns the lower end. `asked` is the original gang of the selected warp.
pub fn draw(
    scene: &mut Scene<Selection>,
    view: &PanelView,
    sm: &Sm,
    row: &Row,
    asked: Option<u32>,
    columns: Columns,
    y: f32,
) -> f32 {
    let config = &view.sim.machine.config;
    let slices = config.slices;
    title(scene, view, row, asked, y);
    let mut y = y + 44.0;
    let lines = if config.gangs { ENTRIES.min(slices as usize / 2) } else { 0 };
    let line = line_height(view, row, columns, lines);
    for entry in 0..lines {
        let mask = row.set.gangs[entry];
        scene.fill(0, Tone::Line, Rect::new(0.0, y - 2.0, view.width, 1.0));
        let tone = if mask == 0 { Tone::Mark } else { Tone::Text };
        scene.bold(
            0,
            tone,
            0.0,
            y + line / 2.0 + 2.0,
            if columns.is_narrow() { SMALL } else { 15.0 },
            Align::Left,
            gang_name(row.number, entry),
        );
        if mask != 0 {
            entry_state(scene, view, sm, row, (mask, columns), y + line / 2.0);
        }
        y += line;
    }
    scene.fill(0, Tone::Line, Rect::new(0.0, y - 2.0, view.width, 1.0));
    let title = match (config.gangs, columns.is_narrow()) {
        (true, false) => "singletons",
        (true, true) => "alone",
        (false, _) => "warps",
    };
    let none = config.gangs && row.set.singles == 0;
    let (tone, title) = if none { (Tone::Soft, format!("{title} –")) } else { (Tone::Text, title.to_string()) };
    scene.label(0, tone, 0.0, y + line / 2.0 + 3.0, BASE, Align::Left, title);
    let first = y - lines as f32 * line;
    for slice in 0..slices {
        let Some(warp) = row.warps[slice as usize] else { continue };
        let entry = row.entry(slice);
        let cell = columns.cell(slice, first + entry.unwrap_or(lines) as f32 * line + 1.0, line - 7.0);
        member(scene, view, warp, entry, cell);
    }
    y + line
}

/// Writes which original gang this is, and what happened to it in the last cycle.
fn title(scene: &mut Scene<Selection>, view: &PanelView, row: &Row, asked: Option<u32>, y: f32) {
    let config = &view.sim.machine.config;
    let slices = config.slices;
    scene.fill(0, Tone::Line, Rect::new(0.0, y, view.width, 1.0));
    let block = row.warps.iter().flatten().next().map_or(0, |warp| warp.block);
    let first = row.number * slices;
    let title =
        if config.gangs { format!("Original gang {}", row.number) } else { format!("Warps {first} to {}", first + slices - 1) };
    scene.bold(0, Tone::Text, 0.0, y + 20.0, 15.0, Align::Left, title);
    let instead = match asked.filter(|&asked| asked != row.number) {
        Some(_) if row.changed(view.last) => " · it has just changed".to_string(),
        Some(asked) => format!(" · the selected warp's ({asked}) has ended"),
        None => String::new(),
    };
    let about = format!("block {block}{instead}");
    scene.label(0, Tone::Soft, 168.0, y + 20.0, BASE, Align::Left, fitting(&about, (view.width - 168.0) * SMALL / BASE));
    // Its room is always kept, so that nothing jumps when something happens.
    if let Some(text) = row.happened(view.last) {
        scene.bold(0, Tone::Accent, 0.0, y + 37.0, SMALL, Align::Left, text);
    }
}

/// Returns the height of a line of the table, which has `lines` lines for gangs and one for singletons.
fn line_height(view: &PanelView, row: &Row, columns: Columns, lines: usize) -> f32 {
    let rows = view.warps().count() as f32 / view.sim.machine.config.slices as f32;
    // If the numbers of a row of threads do not fit, there are two rows.
    let threads = row.warps.iter().flatten().map(|warp| warp.width).max().unwrap_or(1);
    let double = columns.cell(0, 0.0, 0.0).w - 6.0 < ROOMY * threads as f32;
    let least = if double { LEAST_DOUBLE } else { LEAST_LINE };
    ((view.height - REST - rows * 17.0) / (lines + 1) as f32).clamp(least, MOST_LINE)
}

/// Writes a gang's state: its PC, whether its instruction is fetched, and how many members are ready.
fn entry_state(scene: &mut Scene<Selection>, view: &PanelView, sm: &Sm, row: &Row, (mask, columns): (u8, Columns), middle: f32) {
    let config = &view.sim.machine.config;
    let first = row.number * config.slices;
    let lead = first + mask.trailing_zeros();
    let pc = sm.warps[lead as usize].place.pc;
    let members = || (0..config.slices).filter(|slice| mask >> slice & 1 != 0).map(|slice| first + slice);
    let sets = &sm.sets;
    let ready = members().filter(|&warp| sets.hold_of(warp).is_none()).count();
    let valid = members().all(|warp| !sets.unfetched.contains(warp));
    let x = if columns.is_narrow() { 30.0 } else { 46.0 };
    scene.bold(
        0,
        Tone::Text,
        x,
        middle - 1.0,
        if columns.is_narrow() { SMALL } else { BASE },
        Align::Left,
        view.listing.place(pc),
    );
    let members = mask.count_ones();
    let said = match columns.is_narrow() {
        true => format!("{ready}/{members}{}", if valid { "" } else { " no I" }),
        false => format!("PC {pc} · {ready}/{members}{}", if valid { " ready" } else { " · no I" }),
    };
    scene.mono(0, Tone::Soft, x, middle + 10.0, if columns.is_narrow() { 9.0 } else { 10.0 }, Align::Left, said);
}

/// Draws a warp in its slice's column: a frame around its threads, strong when it has just issued.
fn member(scene: &mut Scene<Selection>, view: &PanelView, warp: &WarpPicture, entry: Option<usize>, cell: Rect) {
    let tone = hue(warp.warp);
    let who = u32::from(warp.sm) << 16 | u32::from(warp.warp);
    let selected = view.selection.and_then(Selection::warp) == Some((warp.sm, warp.warp));
    let ended = warp.alive == 0;
    let edge = if selected {
        Tone::Text
    } else if entry.is_some() {
        tone
    } else {
        Tone::Mark
    };
    scene.outline(key(kind::ENTRY_ROW, who, 0, 0), if ended { Tone::Line } else { edge }, cell);
    scene.mark(key(kind::NOW, who, 0, 0), Tone::Accent, warp.reason == Some(Reason::Issued), Geometry::Ring(cell));
    scene.spot(cell, Selection::Warp { sm: warp.sm, warp: warp.warp });
    threads(scene, warp, cell);
}

/// Draws the threads of a warp in its frame.
fn threads(scene: &mut Scene<Selection>, warp: &WarpPicture, cell: Rect) {
    // Two rows, if that makes the tokens larger and leaves room for their numbers.
    let margin = if cell.w < 40.0 { 2.0 } else { 3.0 };
    let (wide, high) = (cell.w - 2.0 * margin, cell.h - 6.0);
    let rows = if wide / (warp.width as f32) < high / 2.0 && high / 2.0 >= ROOMY { 2 } else { 1 };
    let in_row = warp.width.div_ceil(rows);
    let (width, height) = (wide / in_row as f32, high / rows as f32);
    let size = height.min(width * 1.25);
    for at in 0..warp.width {
        let gap = if width > 5.0 { 2.0 } else { 0.5 };
        let top = cell.y + 3.0 + (at / in_row) as f32 * height + (height - size) / 2.0;
        let small =
            Rect::new(cell.x + margin + (at % in_row) as f32 * width + gap / 2.0, top, width - gap, size - (rows - 1) as f32);
        let thread = Thread::of(warp, at);
        match warp.lane(at) {
            LaneActivity::Active => thread.draw(scene, Stand::Token, small),
            LaneActivity::Masked => thread.draw(scene, Stand::Faint, small),
            LaneActivity::Barrier => thread.draw(scene, Stand::Parked, small),
            LaneActivity::Exited => thread.draw(scene, Stand::Ended, small),
            LaneActivity::Empty => {}
        }
    }
}
