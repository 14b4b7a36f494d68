//! The picture of the barrier board.
//!
//! Each warp has a row: its lane of the track, with its token at its progress, then the gate, then the place for warps that have
//! ended. Beside it is the warp's I-buffer, with arrows for the last cycle's fetch and issue. The rows of a block lie together.
//! If the rows of all blocks do not fit, the selected block is large, and the others are lines of an overview.

use super::super::parts::{BASE, SMALL, hue, ink, kind, round_up};
use super::view::{BarrierView, BlockTrack, Runner, RunnerState};
use crate::event::Reason;
use crate::scene::{Align, Beat, Geometry, Key, Rect, Scene, Tone, key};
use crate::view::Selection;
use crate::view::words::counted;

/// The room for the board, and the selection.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pub width: f32,
    pub height: f32,
    pub sm: u16,
    /// The block that is large where not all fit.
    pub slot: Option<u16>,
    pub warp: Option<u16>,
}

/// The least and the greatest height of a token.
const TOKEN: std::ops::RangeInclusive<f32> = 12.0..=40.0;
/// The space between two rows, and the greatest height of a row.
const ROW_GAP: f32 = 3.0;
const HIGHEST_ROW: f32 = 64.0;
/// Room above the first row for the headings; the space between two blocks.
const HEAD: f32 = 24.0;
const BLOCK_GAP: f32 = 10.0;
/// The height of the line below the tracks.
const FOOT: f32 = 18.0;
/// The width of a block's name.
const LABEL: f32 = 66.0;
/// The widths of the gate with its count, of the place for ended warps, and of an I-buffer, at least those of their headings.
const GATE: f32 = 50.0;
const ENDED: f32 = 44.0;
const BUFFER: f32 = 52.0;
const BAR: f32 = 6.0;
/// The width of an arrow with the space around it.
const ARROW: f32 = 34.0;
/// A narrower board has no I-buffers and smaller tokens, so that the tracks keep a useful length.
const NARROW: f32 = 430.0;
const SMALL_TOKEN: f32 = 22.0;
/// The height of a line of the overview, and its least width.
const LINE: f32 = 18.0;
const LINE_WIDTH: f32 = 250.0;

pub fn draw(view: &BarrierView, room: &Room) -> Scene<Selection> {
    let mut scene = Scene::new(room.width, room.height);
    scene.words = words(view);
    if view.blocks.is_empty() {
        scene.label(0, Tone::Soft, 0.0, 16.0, BASE, Align::Left, "No block is resident on this SM.");
        return scene;
    }
    let plan = BoardPlan::new(view, room);
    headings(&mut scene, &plan);
    let mut y = HEAD - BLOCK_GAP;
    for block in view.blocks.iter().filter(|block| plan.is_large(block)) {
        let area = Rect::new(0.0, y + BLOCK_GAP, room.width, block.warps.len() as f32 * plan.pitch);
        track(&mut scene, &plan, room, block, area);
        y = area.y + area.h;
    }
    let others: Vec<&BlockTrack> = view.blocks.iter().filter(|block| !plan.is_large(block)).collect();
    if !others.is_empty() {
        y = overview(&mut scene, &plan, room, &others, y + BLOCK_GAP);
    }
    if has_foot(view, room) {
        foot(&mut scene, view, (y + FOOT).max(room.height) - 4.0);
        y += FOOT;
    }
    scene.height = scene.height.max(y);
    scene
}

/// Returns whether a line below the tracks fits and has something to say.
fn has_foot(view: &BarrierView, room: &Room) -> bool {
    room.height >= 200.0 && view.fetches > 0
}

/// Writes how many fetches so far served another warp than the one that issued next.
fn foot(scene: &mut Scene<Selection>, view: &BarrierView, y: f32) {
    let missed = view.fetches - view.used_next;
    let share = 100.0 * missed as f32 / view.fetches as f32;
    let text = format!("Fetches for another warp than the one that issued next: {missed} of {} ({share:.0}%)", view.fetches);
    let text = if scene.width < NARROW { format!("Fetches for the wrong warp: {missed} of {}", view.fetches) } else { text };
    scene.label(0, Tone::Soft, 0.0, y, SMALL, Align::Left, text);
}

/// The positions of everything on the board.
struct BoardPlan {
    /// The block that is large, if not all are.
    only: Option<u16>,
    /// The distance from row to row.
    pitch: f32,
    /// The height and the width of a token.
    token: f32,
    wide: f32,
    /// The left edges of tokens at the start, of the gate, and of tokens of ended warps.
    start: f32,
    gate: f32,
    ended: f32,
    /// The left edges of the fetch arrow, the I-buffer's cells and the issue arrow; the number of cells, zero without I-buffers.
    fetch: f32,
    cells: f32,
    issue: f32,
    ibuffer: u32,
    /// Whether a scheduler wants a warp that has no instruction, so that the last fetch went to the wrong one.
    mismatch: bool,
    /// The progress at the end of the track, in instructions.
    scale: u64,
}

impl BoardPlan {
    fn new(view: &BarrierView, room: &Room) -> BoardPlan {
        let rows: usize = view.blocks.iter().map(|block| block.warps.len()).sum();
        let least = TOKEN.start() + ROW_GAP;
        let foot = if has_foot(view, room) { FOOT } else { 0.0 };
        let free = |blocks: usize| room.height - HEAD - foot - BLOCK_GAP * blocks.saturating_sub(1) as f32;
        let mut pitch = free(view.blocks.len()) / rows.max(1) as f32;
        let mut only = None;
        if pitch < least && view.blocks.len() > 1 {
            let chosen = view.blocks.iter().find(|block| Some(block.slot) == room.slot).unwrap_or(&view.blocks[0]);
            only = Some(chosen.slot);
            let lines = overview_lines(view.blocks.len() - 1, room.width);
            pitch = (free(2) - LINE - lines as f32 * LINE) / chosen.warps.len().max(1) as f32;
        }
        let pitch = pitch.clamp(least, HIGHEST_ROW).floor();
        let largest = if room.width < NARROW { SMALL_TOKEN } else { *TOKEN.end() };
        let token = (pitch - ROW_GAP).clamp(*TOKEN.start(), largest);
        let letters = view.blocks.iter().flat_map(|block| &block.warps).map(|runner| name(runner.warp).len()).max().unwrap_or(2);
        let wide = (token * 1.25).max(letters as f32 * text_size(token) * 0.62 + 8.0).ceil();
        let ibuffer = if room.width < NARROW { 0 } else { view.ibuffer };
        let cells = ibuffer as f32 * (cell_size(token) + 2.0);
        let buffer = if ibuffer == 0 { 0.0 } else { cells.max(BUFFER) };
        let issue = room.width - ARROW;
        let fetch = if ibuffer == 0 { issue } else { issue - buffer - ARROW };
        let ended = fetch - wide.max(ENDED) - 14.0;
        BoardPlan {
            only,
            pitch,
            token,
            wide,
            start: LABEL + badge_size(token) + 4.0,
            gate: ended - GATE,
            ended: ended + (wide.max(ENDED) - wide) / 2.0,
            fetch,
            cells: issue - buffer / 2.0 - cells / 2.0,
            issue,
            ibuffer,
            mismatch: view.blocks.iter().flat_map(|block| &block.warps).any(|runner| runner.starved),
            scale: round_up(view.longest),
        }
    }

    fn is_large(&self, block: &BlockTrack) -> bool {
        self.only.is_none_or(|only| only == block.slot)
    }

    /// Returns the left edge of a runner's token.
    fn x(&self, runner: &Runner) -> f32 {
        match runner.state {
            RunnerState::Running => self.x_at(runner.progress),
            RunnerState::Waiting => self.gate - self.wide - 2.0,
            RunnerState::Exited => self.ended,
        }
    }

    /// Returns the left edge of a running token, which never reaches those that wait.
    fn x_at(&self, progress: u64) -> f32 {
        let room = (self.gate - 1.6 * self.wide - self.start).max(0.0);
        self.start + room * (progress as f32 / self.scale as f32).min(1.0)
    }
}

fn text_size(token: f32) -> f32 {
    (token * 0.62).clamp(9.0, 20.0).round()
}

fn badge_size(token: f32) -> f32 {
    (token * 0.75).clamp(12.0, 22.0)
}

fn cell_size(token: f32) -> f32 {
    (token * 0.7).clamp(9.0, 20.0).round()
}

fn name(warp: u16) -> String {
    format!("w{warp}")
}

/// Returns the key of a part of a warp. It contains the block, so another block in the same slot has other keys.
fn key_of(kind: u8, room: &Room, block: &BlockTrack, warp: u16, part: u8) -> Key {
    key(kind, u32::from(room.sm) << 16 | u32::from(warp), block.index as u16, part)
}

fn headings(scene: &mut Scene<Selection>, plan: &BoardPlan) {
    let mut say = |x: f32, align: Align, text: &str| scene.label(0, Tone::Soft, x, 12.0, SMALL, align, text);
    say(0.0, Align::Left, "block");
    say(plan.gate, Align::Left, "waiting");
    say(plan.ended + plan.wide / 2.0, Align::Middle, "ended");
    if plan.ibuffer > 0 {
        say(plan.fetch + ARROW / 2.0 - 1.0, Align::Middle, "fetch");
        let cells = plan.ibuffer as f32 * (cell_size(plan.token) + 2.0);
        say(plan.cells + cells / 2.0, Align::Middle, "I-buffer");
    }
    say(plan.issue + ARROW / 2.0 + 1.0, Align::Middle, "issue");
    // What the track counts: in its first half, or in place of the number in its middle, in the longest form that fits.
    let middle = |progress: u64| plan.x_at(progress) + plan.wide / 2.0;
    let (start, half, end) = (middle(0), middle(plan.scale / 2), middle(plan.scale));
    let titles = [("instructions since the last barrier", 196.0), ("since the last barrier", 122.0), ("since the barrier", 96.0)];
    let fitting = |room: f32| titles.into_iter().find(|(_, wide)| wide + 44.0 <= room).map(|(title, _)| title);
    let full = fitting(half - start).filter(|title| *title == titles[0].0);
    if let Some(title) = full {
        say((start + half) / 2.0, Align::Middle, title);
    } else if let Some(title) = fitting(end - start) {
        say((start + end) / 2.0, Align::Middle, title);
    }
    let has_half = full.is_some() || (fitting(end - start).is_none() && end - start > 70.0);
    for (number, x) in [(0, start), (plan.scale, end)].into_iter().chain(has_half.then_some((plan.scale / 2, half))) {
        scene.mono(0, Tone::Soft, x, 12.0, SMALL, Align::Middle, number.to_string());
    }
}

/// Draws a block's track with all of its warps.
fn track(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, block: &BlockTrack, area: Rect) {
    scene.fill(0, Tone::Sunken, Rect::new(LABEL - 4.0, area.y, plan.fetch - LABEL - 4.0, area.h));
    scene.outline(0, Tone::Line, Rect::new(LABEL - 4.0, area.y, plan.fetch - LABEL - 4.0, area.h));
    let middle = area.y + area.h / 2.0;
    let label = Rect::new(0.0, area.y, LABEL - 8.0, area.h);
    let lift = if block.priority.is_some() && area.h >= 36.0 { 5.0 } else { -4.0 };
    scene.bold(0, Tone::Text, 0.0, middle - lift, BASE, Align::Left, format!("Block {}", block.index));
    if let Some(priority) = block.priority.filter(|_| area.h >= 36.0) {
        scene.label(0, Tone::Text, 0.0, middle + 13.0, SMALL, Align::Left, format!("priority {priority}"));
    }
    scene.spot(label, Selection::Block { sm: room.sm, slot: block.slot });
    // The line at which each phase begins.
    scene.fill(0, Tone::Mark, Rect::new(plan.start - 2.0, area.y, 1.0, area.h));
    for (row, runner) in block.warps.iter().enumerate() {
        let y = area.y + row as f32 * plan.pitch;
        if room.warp == Some(runner.warp) {
            scene.fill(0, Tone::Picked, Rect::new(LABEL - 3.0, y + 0.5, room.width - LABEL + 3.0, plan.pitch - 1.0));
        }
        scene.fill(0, Tone::Line, Rect::new(plan.start, (y + plan.pitch / 2.0).floor(), plan.gate - plan.start, 1.0));
    }
    gate(scene, plan, room, block, area);
    for (row, runner) in block.warps.iter().enumerate() {
        let y = area.y + row as f32 * plan.pitch;
        token(scene, plan, room, block, runner, y);
        front_end(scene, plan, room, block, runner, y);
        let all = Rect::new(LABEL - 4.0, y, room.width - LABEL + 4.0, plan.pitch);
        scene.spot(all, Selection::Warp { sm: room.sm, warp: runner.warp });
    }
}

/// Draws the barrier's gate, closed, or open in the cycle of a release, with the count of waiting warps on it.
fn gate(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, block: &BlockTrack, area: Rect) {
    let name = |kind: u8, part: u8| key_of(kind, room, block, block.slot, part);
    scene.beat = if block.released { Beat::Flash } else { Beat::Settle };
    let tone = match (block.released, block.waiting) {
        (true, _) => Tone::Good,
        (false, 0) => Tone::Mark,
        (false, _) => Tone::Reason(Reason::Barrier),
    };
    // Each half of the open gate withdraws to its end.
    let half = if block.released { (area.h * 0.12).min(8.0) } else { area.h / 2.0 };
    scene.fill(name(kind::GATE, 0), tone, Rect::new(plan.gate, area.y, BAR, half));
    scene.fill(name(kind::GATE, 1), tone, Rect::new(plan.gate, area.y + area.h - half, BAR, half));
    scene.beat = Beat::Settle;
    let size = (area.h * 0.3).clamp(14.0, 24.0).round();
    let (x, y) = (plan.gate + BAR + (GATE - BAR) / 2.0 - 4.0, area.y + area.h / 2.0);
    let tone = if block.waiting == 0 { Tone::Soft } else { Tone::Text };
    let lift = if area.h >= 60.0 { 0.0 } else { size * 0.35 };
    scene.bold(name(kind::GATE_COUNT, 0), tone, x, y + lift, size, Align::Middle, block.waiting.to_string());
    if area.h >= 60.0 {
        scene.label(0, Tone::Soft, x, y + 16.0, SMALL, Align::Middle, format!("of {}", block.warps.len()));
    }
    scene.beat = Beat::default();
}

/// Draws a warp's token at its progress.
fn token(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, block: &BlockTrack, runner: &Runner, y: f32) {
    let name_of = |kind: u8| key_of(kind, room, block, runner.warp, 0);
    let (x, top) = (plan.x(runner).round(), (y + (plan.pitch - plan.token) / 2.0).round());
    let rect = Rect::new(x, top, plan.wide, plan.token);
    let exited = runner.state == RunnerState::Exited;
    if !exited {
        let trail = Rect::new(plan.start, top + plan.token / 2.0 - 1.5, x - plan.start, 3.0);
        // On a release, the trail of the phase that has ended goes before the token moves.
        scene.beat = if block.released { Beat::Flash } else { Beat::Travel };
        scene.fill(name_of(kind::TRAIL), hue(runner.warp), trail);
        scene.beat = Beat::default();
        scene.round(name_of(kind::RUNNER), hue(runner.warp), rect);
    } else {
        scene.push(name_of(kind::RUNNER), Tone::Mark, Geometry::Ring(Rect::new(x + 1.0, top + 1.0, rect.w - 2.0, rect.h - 2.0)));
    }
    let size = text_size(plan.token);
    let (text_x, text_y) = (x + plan.wide / 2.0, top + plan.token / 2.0 + size * 0.35);
    let tone = if exited { Tone::Soft } else { ink(runner.warp) };
    scene.mono(name_of(kind::RUNNER_TEXT), tone, text_x, text_y, size, Align::Middle, name(runner.warp));
    // The ring lights up around the token's old place and moves with it.
    let around = Rect::new(x - 2.0, top - 1.0, plan.wide + 4.0, plan.token + 2.0);
    scene.mark(name_of(kind::RUNNER_RING), Tone::Text, runner.issued, Geometry::Ring(around));
    if let Some(badge) = runner.badge {
        let size = badge_size(plan.token);
        let place = Rect::new(x - size - 3.0, top + (plan.token - size) / 2.0, size, size);
        marked(scene, [name_of(kind::BADGE), name_of(kind::BADGE_TEXT)], (Tone::Text, Tone::Panel), place, badge.to_string());
    }
    if runner.critical {
        let size = badge_size(plan.token);
        let place = Rect::new(x + plan.wide + 3.0, top + (plan.token - size) / 2.0, size, size);
        let keys = [name_of(kind::CRITICAL), name_of(kind::CRITICAL_TEXT)];
        marked(scene, keys, (Tone::Bad, Tone::Panel), place, "!".to_string());
    }
    if block.released && runner.state == RunnerState::Running {
        // The token goes into the gate, short of its count, and back to the start above the lane.
        let (through, above) = (plan.gate - plan.wide * 0.7, plan.pitch * 0.3);
        let back = (plan.start + plan.gate) / 2.0;
        let all = [
            kind::RUNNER,
            kind::RUNNER_TEXT,
            kind::RUNNER_RING,
            kind::BADGE,
            kind::BADGE_TEXT,
            kind::CRITICAL,
            kind::CRITICAL_TEXT,
        ];
        scene.way_together(&all.map(name_of), (x, top), &[(through, top), (back, top - above)]);
    }
}

/// Draws a small round mark with a sign on it.
fn marked(scene: &mut Scene<Selection>, keys: [Key; 2], (ground, ink): (Tone, Tone), place: Rect, sign: String) {
    let size = (place.h * 0.7).round();
    scene.round(keys[0], ground, place);
    scene.bold(keys[1], ink, place.x + place.w / 2.0, place.y + place.h / 2.0 + size * 0.36, size, Align::Middle, sign);
}

/// Draws a warp's I-buffer, and arrows for what fetch and issue did for it in the last cycle.
fn front_end(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, block: &BlockTrack, runner: &Runner, y: f32) {
    let name = |kind: u8, part: u32| key_of(kind, room, block, runner.warp, part as u8);
    let cell = cell_size(plan.token);
    let (middle, top) = (y + plan.pitch / 2.0, (y + (plan.pitch - cell) / 2.0).round());
    scene.beat = Beat::Settle;
    for at in 0..plan.ibuffer {
        let place = Rect::new(plan.cells + at as f32 * (cell + 2.0), top, cell, cell);
        scene.outline(0, Tone::Mark, place);
        if at < runner.buffered {
            scene.fill(
                name(kind::BUFFER_CELL, at),
                hue(runner.warp),
                Rect::new(place.x + 2.0, top + 2.0, cell - 4.0, cell - 4.0),
            );
        }
    }
    scene.beat = Beat::Flash;
    if runner.fetched && plan.ibuffer > 0 {
        let arrow = Rect::new(plan.fetch + 4.0, middle, ARROW - 10.0, 0.0);
        let tone = if plan.mismatch { Tone::Bad } else { Tone::Accent };
        scene.push(name(kind::FETCH_ARROW, 0), tone, Geometry::Arrow(arrow));
    }
    if runner.starved {
        let cells = plan.ibuffer as f32 * (cell + 2.0) + 2.0;
        let around = Rect::new(plan.cells - 2.0, top - 2.0, cells, cell + 4.0);
        scene.push(name(kind::STARVED, 0), Tone::Bad, Geometry::Ring(around));
    }
    if runner.issued {
        let arrow = Rect::new(plan.issue + 4.0, middle, ARROW - 8.0, 0.0);
        scene.push(name(kind::ISSUE_ARROW, 0), Tone::Text, Geometry::Arrow(arrow));
    }
    scene.beat = Beat::default();
}

/// Returns how many lines an overview of `blocks` blocks takes.
fn overview_lines(blocks: usize, width: f32) -> usize {
    blocks.div_ceil(((width / LINE_WIDTH) as usize).max(1))
}

/// Draws the other blocks, a line each: where their warps are, and how many wait. Returns the lower end.
fn overview(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, blocks: &[&BlockTrack], y: f32) -> f32 {
    scene.label(
        0,
        Tone::Soft,
        0.0,
        y + 12.0,
        SMALL,
        Align::Left,
        "Other blocks, each with its warps on one line (click to enlarge)",
    );
    let y = y + LINE;
    let lines = overview_lines(blocks.len(), room.width);
    let columns = blocks.len().div_ceil(lines);
    let wide = room.width / columns as f32;
    for (at, block) in blocks.iter().enumerate() {
        let (left, top) = ((at / lines) as f32 * wide, y + (at % lines) as f32 * LINE);
        scene.label(0, Tone::Text, left, top + 13.0, SMALL, Align::Left, format!("Block {}", block.index));
        let (start, end) = (left + LABEL, left + wide - 58.0);
        scene.fill(0, Tone::Line, Rect::new(start, top + LINE / 2.0, end - start, 1.0));
        for runner in &block.warps {
            let x = match runner.state {
                RunnerState::Running => start + (end - start - 10.0) * (runner.progress as f32 / plan.scale as f32).min(1.0),
                RunnerState::Waiting => end - 5.0,
                RunnerState::Exited => end + 6.0,
            };
            scene.fill(
                key_of(kind::RUNNER, room, block, runner.warp, 1),
                hue(runner.warp),
                Rect::new(x, top + 3.0, 4.0, LINE - 6.0),
            );
        }
        let gate = if block.waiting == 0 { Tone::Mark } else { Tone::Reason(Reason::Barrier) };
        scene.fill(0, gate, Rect::new(end, top + 2.0, 3.0, LINE - 4.0));
        let text = format!("{}/{}", block.waiting, block.warps.len());
        scene.mono(0, Tone::Text, end + 14.0, top + 13.0, SMALL, Align::Left, text);
        scene.spot(Rect::new(left, top, wide, LINE), Selection::Block { sm: room.sm, slot: block.slot });
    }
    y + lines as f32 * LINE
}

/// Describes the board in words.
fn words(view: &BarrierView) -> String {
    let mut text = format!("Cycle {}: barrier board.", view.cycle);
    if view.blocks.is_empty() {
        text.push_str(" No block is resident.");
    }
    for block in &view.blocks {
        let all = counted(block.warps.len() as u64, "warp");
        text.push_str(&format!(" Block {}: {} of {all} at the barrier", block.index, block.waiting));
        text.push_str(if block.released { ", released in the last cycle;" } else { ";" });
        let tell = |runner: &Runner| match runner.state {
            RunnerState::Running => format!(" w{} at {}", runner.warp, runner.progress),
            RunnerState::Waiting => format!(" w{} waits", runner.warp),
            RunnerState::Exited => format!(" w{} ended", runner.warp),
        };
        text.push_str(&block.warps.iter().map(tell).collect::<Vec<_>>().join(","));
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Film;

    const ROOM: Room = Room { width: 600.0, height: 400.0, sm: 0, slot: Some(0), warp: None };

    fn runner(warp: u16, progress: u64, state: RunnerState) -> Runner {
        Runner { warp, progress, state, badge: None, critical: false, starved: false, buffered: 1, fetched: false, issued: false }
    }

    fn block(slot: u16, warps: Vec<Runner>) -> BlockTrack {
        let waiting = warps.iter().filter(|runner| runner.state == RunnerState::Waiting).count() as u32;
        BlockTrack { slot, index: u64::from(slot) + 10, waiting, priority: None, released: false, warps }
    }

    fn board(blocks: Vec<BlockTrack>) -> BarrierView {
        BarrierView { cycle: 7, blocks, longest: 20, ibuffer: 2, fetches: 0, used_next: 0 }
    }

    fn running(warps: std::ops::Range<u16>, progress: u64) -> Vec<Runner> {
        warps.map(|warp| runner(warp, progress, RunnerState::Running)).collect()
    }

    /// Returns the place of a warp's token.
    fn place(scene: &Scene<Selection>, slot: u16, warp: u16) -> Rect {
        let name = key(kind::RUNNER, u32::from(warp), slot + 10, 0);
        scene.shapes.iter().find(|shape| shape.key == name).expect("the warp has a token").geometry.place()
    }

    #[test]
    fn a_token_goes_from_the_start_to_the_gate_and_behind_it() {
        let at = |runner: Runner| place(&draw(&board(vec![block(0, vec![runner])]), &ROOM), 0, 0).x;
        use RunnerState::{Exited, Running, Waiting};
        let way: Vec<f32> = [(0, Running), (5, Running), (20, Running), (20, Waiting), (20, Exited)]
            .map(|(progress, state)| at(runner(0, progress, state)))
            .to_vec();
        assert!(way.windows(2).all(|pair| pair[0] + 4.0 < pair[1]), "{way:?}");
    }

    #[test]
    fn tokens_fill_the_room_between_12_and_40_pixels_and_overlap_nowhere() {
        for (warps, height) in [(2, 400.0), (8, 180.0), (8, 400.0), (24, 400.0), (48, 800.0)] {
            let room = Room { height, ..ROOM };
            let scene = draw(&board(vec![block(0, running(0..warps, 3))]), &room);
            let places: Vec<Rect> = (0..warps).map(|warp| place(&scene, 0, warp)).collect();
            assert!(places.iter().all(|place| TOKEN.contains(&place.h)), "{warps} in {height}: {places:?}");
            assert!(places.windows(2).all(|pair| !pair[0].meets(&pair[1])), "{warps} in {height}: {places:?}");
            assert!(scene.shapes.iter().all(|shape| shape.geometry.place().x <= room.width), "all is inside");
        }
    }

    #[test]
    fn without_room_for_all_the_selected_block_is_large_and_the_others_are_lines() {
        let blocks = (0..6).map(|slot| block(slot, running(slot * 8..slot * 8 + 8, u64::from(slot)))).collect();
        let room = Room { slot: Some(2), ..ROOM };
        let scene = draw(&board(blocks), &room);
        let large = |warp: u16| scene.shapes.iter().any(|shape| shape.key == key(kind::RUNNER, warp.into(), warp / 8 + 10, 0));
        assert_eq!((0..48).filter(|&warp| large(warp)).collect::<Vec<_>>(), (16..24).collect::<Vec<_>>());
        let small = scene.shapes.iter().filter(|shape| shape.key >> 56 == u64::from(kind::RUNNER) && shape.key & 0xff == 1);
        assert_eq!(small.count(), 40);
        assert!(scene.height <= room.height, "{}", scene.height);
        let line = scene.spots.iter().find(|spot| spot.what == Selection::Block { sm: 0, slot: 5 });
        assert!(line.is_some(), "a click enlarges another block");
    }

    #[test]
    fn a_release_leads_through_the_gate_back_to_the_start_in_the_second_beat() {
        let waits = board(vec![block(0, vec![runner(0, 20, RunnerState::Waiting), runner(1, 19, RunnerState::Running)])]);
        let mut goes = board(vec![block(0, running(0..2, 0))]);
        goes.blocks[0].released = true;
        let (old, new) = (draw(&waits, &ROOM), draw(&goes, &ROOM));
        let film = Film::new(&old, &new, false);
        let x = |time: f32| place(&film.frame(time), 0, 0).x;
        assert_eq!((x(0.0), x(1.0)), (place(&old, 0, 0).x, place(&new, 0, 0).x));
        assert_eq!(x(0.1), x(0.0), "first the gate opens");
        let furthest = (0..=20).map(|step| x(step as f32 / 20.0)).fold(0.0, f32::max);
        assert!(furthest > x(0.0) + 4.0, "it goes through the gate: {furthest}");
        let gate = |scene: &Scene<Selection>| {
            let half = |part: u8| scene.shapes.iter().find(|shape| shape.key == key(kind::GATE, 0, 10, part));
            half(0).zip(half(1)).map(|(a, b)| a.geometry.place().h + b.geometry.place().h).unwrap_or(0.0)
        };
        assert!(gate(&new) < gate(&old) / 3.0, "the gate is open");
        let opened = gate(&film.frame(0.25));
        assert!((opened - gate(&new)).abs() < 0.1, "and was before they go: {opened}");
    }

    #[test]
    fn badges_and_the_critical_mark_go_with_their_token() {
        let mut view = board(vec![block(0, running(0..3, 4))]);
        view.blocks[0].warps[1].badge = Some(2);
        view.blocks[0].warps[2].critical = true;
        let scene = draw(&view, &ROOM);
        let of = |kind: u8, warp: u32| scene.shapes.iter().find(|shape| shape.key == key(kind, warp, 10, 0));
        let said = |kind: u8, warp: u32| match of(kind, warp).map(|shape| &shape.geometry) {
            Some(Geometry::Text { text, .. }) => Some(text.clone()),
            _ => None,
        };
        assert_eq!((said(kind::BADGE_TEXT, 1).as_deref(), said(kind::BADGE_TEXT, 0)), (Some("2"), None));
        assert_eq!((said(kind::CRITICAL_TEXT, 2).as_deref(), said(kind::CRITICAL_TEXT, 1)), (Some("!"), None));
        for (kind, warp) in [(kind::BADGE, 1), (kind::CRITICAL, 2)] {
            let mark = of(kind, warp.into()).expect("a mark").geometry.place();
            assert!(!mark.meets(&place(&scene, 0, warp)), "beside the token");
        }
    }

    #[test]
    fn the_scale_changes_rarely_and_holds_the_longest_phase() {
        let scales: Vec<u64> = (0..200).map(round_up).collect();
        assert!(scales.iter().enumerate().all(|(longest, scale)| *scale >= longest as u64));
        let mut changes = scales.clone();
        changes.dedup();
        assert!(changes.len() <= 11 && changes.is_sorted(), "{changes:?}");
    }

    #[test]
    fn the_words_say_who_waits_and_how_far_the_others_are() {
        let view = board(vec![block(0, vec![runner(0, 9, RunnerState::Waiting), runner(1, 4, RunnerState::Running)])]);
        let said = draw(&view, &ROOM).words;
        assert_eq!(said, "Cycle 7: barrier board. Block 10: 1 of 2 warps at the barrier; w0 waits, w1 at 4.");
        assert!(draw(&board(Vec::new()), &ROOM).words.contains("No block is resident"));
    }
}
