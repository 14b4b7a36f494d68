//! The track of one block: the gate, and for each warp its token, its I-buffer and the arrows of fetch and issue.

use super::super::parts::{BASE, SMALL, hue, ink, kind};
use super::plan::{ARROW, BoardPlan, GATE, LABEL, Room, badge_size, cell_size, name, text_size};
use super::view::{BarrierView, BlockTrack, Runner, RunnerState};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, ShapeKey, Tone, key};
use crate::view::Selection;
use warpscope_machine::event::Reason;

/// The thickness of the gate.
const BAR: f32 = 6.0;

/// The parts of a token, which go together.
pub const TOKEN_KINDS: [u8; 7] =
    [kind::RUNNER, kind::RUNNER_TEXT, kind::RUNNER_RING, kind::BADGE, kind::BADGE_TEXT, kind::CRITICAL, kind::CRITICAL_TEXT];

/// Draws a block's track with all of its warps.
pub fn draw(scene: &mut Scene<Selection>, view: &BarrierView, plan: &BoardPlan, room: &Room, block: &BlockTrack, area: Rect) {
    scene.fill(0, Tone::Sunken, Rect::new(LABEL - 4.0, area.y, plan.fetch - LABEL - 4.0, area.h));
    scene.outline(0, Tone::Line, Rect::new(LABEL - 4.0, area.y, plan.fetch - LABEL - 4.0, area.h));
    let middle = area.y + area.h / 2.0;
    let label = Rect::new(0.0, area.y, LABEL - 8.0, area.h);
    let lift = if block.priority.is_some() && area.h >= 36.0 { 5.0 } else { -4.0 };
    scene.bold(0, Tone::Text, 0.0, middle - lift, BASE, Align::Left, format!("Block {}", block.index));
    if let Some(priority) = block.priority.filter(|_| area.h >= 36.0) {
        let name = key_of(kind::PRIORITY, room, block, block.slot, 0);
        scene.label(name, Tone::Text, 0.0, middle + 13.0, SMALL, Align::Left, format!("priority {priority}"));
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
        front_end(scene, view, plan, room, block, runner, y);
        let all = Rect::new(LABEL - 4.0, y, room.width - LABEL + 4.0, plan.pitch);
        scene.spot(all, Selection::Warp { sm: room.sm, warp: runner.warp });
    }
}

/// Draws the barrier's gate, closed, or open in the cycle of a release, with the count of waiting warps on it.
fn gate(scene: &mut Scene<Selection>, plan: &BoardPlan, room: &Room, block: &BlockTrack, area: Rect) {
    let name = |kind: u8, part: u8| key_of(kind, room, block, block.slot, part);
    scene.beat = Beat::Settle;
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
        scene.fill(name_of(kind::TRAIL), hue(runner.warp), trail);
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
        scene.way_together(&TOKEN_KINDS.map(name_of), (x, top), &[(through, top), (back, top - above)]);
    }
}

/// Draws a small round mark with a sign on it.
fn marked(scene: &mut Scene<Selection>, keys: [ShapeKey; 2], (ground, ink): (Tone, Tone), place: Rect, sign: String) {
    let size = (place.h * 0.7).round();
    scene.round(keys[0], ground, place);
    scene.bold(keys[1], ink, place.x + place.w / 2.0, place.y + place.h / 2.0 + size * 0.36, size, Align::Middle, sign);
}

/// Draws a warp's I-buffer, and arrows for what fetch and issue did for it in the last cycle.
fn front_end(
    scene: &mut Scene<Selection>,
    view: &BarrierView,
    plan: &BoardPlan,
    room: &Room,
    block: &BlockTrack,
    runner: &Runner,
    y: f32,
) {
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
        let tone = if view.starves() { Tone::Bad } else { Tone::Accent };
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

/// Returns the key of a part of a warp. It contains the block, so another block in the same slot has other keys.
pub fn key_of(kind: u8, room: &Room, block: &BlockTrack, warp: u16, part: u8) -> ShapeKey {
    key(kind, u32::from(room.sm) << 16 | u32::from(warp), block.index as u16, part)
}
