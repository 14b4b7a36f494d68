//! A pipeline's lanes over time: large what they do now, below it the last cycles, newest first.

use super::view::{LaneCell, LaneSpan, LanesView, PipeView, REMEMBERED};
use super::{GAP, grid, meters, tone};
use crate::mechanism::parts::{self, LaneGrid, SMALL, kind};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, Tone, key};
use crate::view::Selection;

/// The height of a pipeline's name.
const HEAD: f32 = 18.0;
/// The height of the lanes' current state.
const NOW: f32 = 16.0;
/// The width of the frame around it.
const FRAME: f32 = 2.0;
/// The greatest height of a past cycle.
const HIGHEST: f32 = 6.0;
/// The width of the axis of time, left of the rolls.
const AXIS: f32 = 34.0;
/// The least height of the rolls with their names and meters.
pub const LEAST: f32 = HEAD + NOW + 2.0 + REMEMBERED as f32 + meters::LEAKAGE;

/// The positions of the rolls.
pub struct RollPlan {
    area: Rect,
    /// The width of a roll, and the height of a cycle in it.
    wide: f32,
    row: f32,
}

impl RollPlan {
    pub fn new(view: &LanesView, area: Rect) -> RollPlan {
        let count = view.pipes.len().max(1) as f32;
        let area = Rect { x: area.x + AXIS, w: area.w - AXIS, ..area };
        let wide = (area.w - GAP * (count - 1.0)) / count;
        let free = area.h - HEAD - NOW - 2.0 - meters::LEAKAGE;
        RollPlan { area, wide, row: (free / REMEMBERED as f32).clamp(1.0, HIGHEST) }
    }

    fn grid(&self, view: &LanesView, at: usize) -> LaneGrid {
        grid(self.area.x + at as f32 * (self.wide + GAP) + FRAME, self.wide - FRAME, view.lanes, 96.0)
    }
}

/// Draws a pipeline and its meter; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, plan: &RollPlan, at: usize) -> f32 {
    let grid = plan.grid(view, at);
    let mut y = plan.area.y;
    let is_large = view.moves && at == view.large;
    scene.bold(0, if is_large { Tone::Accent } else { Tone::Text }, grid.x, y + 12.0, SMALL, Align::Left, pipe.name());
    let off = pipe.now.iter().filter(|cell| matches!(cell, LaneCell::Dark | LaneCell::Earning)).count();
    let busy = pipe.now.iter().filter(|cell| matches!(cell, LaneCell::Busy(_))).count();
    let told = match view.gates {
        _ if plan.wide < 100.0 => String::new(),
        true if plan.wide < 170.0 => format!("{off} off"),
        true => format!("{busy} busy, {off} off"),
        false => format!("{busy} busy"),
    };
    scene.label(0, Tone::Soft, grid.x + grid.width(view.lanes), y + 12.0, SMALL, Align::Right, told);
    y += HEAD;
    if at == 0 {
        axis(scene, plan, y);
    }
    edge(scene, view, pipe, &grid, y);
    y += NOW + 2.0;
    past(scene, view, pipe, &grid, plan.row, y);
    y += plan.row * REMEMBERED as f32;
    meters::leakage(scene, view, pipe, Rect::new(grid.x, y, grid.width(view.lanes), meters::LEAKAGE))
}

/// Writes the cycles before now beside the rolls.
fn axis(scene: &mut Scene<Selection>, plan: &RollPlan, y: f32) {
    let (x, top) = (plan.area.x - 6.0, y + NOW + 2.0);
    scene.label(0, Tone::Soft, x, y + NOW - 4.0, SMALL, Align::Right, "now");
    let parts = if plan.row >= 3.0 { 4 } else { 2 };
    for part in 1..=parts {
        let age = REMEMBERED * part / parts;
        let line = top + age as f32 * plan.row;
        scene.mono(0, Tone::Soft, x, line - 1.0, SMALL - 1.0, Align::Right, format!("−{age}"));
        scene.fill(0, Tone::Line, Rect::new(x + 2.0, line - 1.0, 4.0, 1.0));
    }
}

/// Draws the front edge: what each lane does now.
fn edge(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, grid: &LaneGrid, y: f32) {
    scene.beat = Beat::Settle;
    for (lane, (cell, left)) in (0..).zip(pipe.now.iter().zip(&pipe.left)) {
        let rect = grid.cell(lane, y, NOW);
        let name = |part: u8| key(kind::LANE_NOW, u32::from(view.sm) << 8 | u32::from(pipe.pipe), lane as u16, part);
        scene.fill(name(0), tone(*cell), rect);
        // The rest of idle-detect sinks in the cell.
        if let Some(left) = left {
            let high = (NOW * left).round();
            scene.fill(name(1), Tone::LaneCounting, Rect::new(rect.x, y + NOW - high, rect.w, high));
        }
        if let LaneCell::Busy(warp) = cell {
            scene.spot(rect, Selection::Warp { sm: view.sm, warp: *warp });
        }
    }
    scene.beat = Beat::default();
    let whole = Rect::new(grid.x - FRAME, y - FRAME, grid.width(view.lanes) + FRAME, NOW + 2.0 * FRAME);
    scene.push(0, Tone::Text, Geometry::Outline(whole));
}

/// Draws the last cycles. Neighbours in a group of four that did the same at the same time are drawn as one.
fn past(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, grid: &LaneGrid, row: f32, y: f32) {
    let height = row * REMEMBERED as f32;
    scene.fill(0, Tone::Sunken, Rect::new(grid.x, y, grid.width(view.lanes), height));
    let is_next = |one: &LaneSpan, other: &LaneSpan| {
        other.lane == one.lane + 1
            && !other.lane.is_multiple_of(view.cluster)
            && (one.from, one.to, one.cell) == (other.from, other.to, other.cell)
    };
    let mut spans = pipe.past.clone();
    spans.sort_by_key(|span| (span.from, span.to, span.lane));
    for run in spans.chunk_by(is_next) {
        let (first, last) = (run[0], run[run.len() - 1]);
        let left = grid.cell(first.lane, 0.0, 0.0).x;
        let right = grid.cell(last.lane, 0.0, 0.0);
        let top = y + first.to as f32 * row;
        let rect = Rect::new(left, top, right.x + right.w - left, (first.from - first.to + 1) as f32 * row);
        scene.fill(0, tone(first.cell), rect);
        if let LaneCell::Busy(warp) = first.cell {
            scene.spot(rect, Selection::Warp { sm: view.sm, warp });
        }
    }
}

fn entries(view: &LanesView) -> Vec<(&'static str, Tone)> {
    let mut entries = vec![("busy", Tone::Accent), ("empty", Tone::LaneIdle)];
    if view.gates {
        entries.extend([
            ("off soon", Tone::LaneCounting),
            ("off", Tone::LaneDark),
            ("saving", Tone::LaneEarning),
            ("waking", Tone::LaneWaking),
            ("woke: saved", Tone::Good),
            ("woke: lost", Tone::Bad),
        ]);
    }
    entries
}

/// Returns the height of the legend below the rolls.
pub fn legend_height(view: &LanesView, width: f32) -> f32 {
    parts::legend(&mut Scene::new(width, 0.0), entries(view), width, 0.0)
}

/// Draws what the colours mean; returns the lower end.
pub fn legend(scene: &mut Scene<Selection>, view: &LanesView, width: f32, y: f32) -> f32 {
    parts::legend(scene, entries(view), width, y)
}
