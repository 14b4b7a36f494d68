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
/// The height of the legend below the rolls.
pub const LEGEND: f32 = 22.0;

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
        let wide = (area.w - GAP * (count - 1.0)) / count;
        let free = area.h - HEAD - NOW - 2.0 - meters::LEAKAGE;
        RollPlan { area, wide, row: (free / REMEMBERED as f32).clamp(1.0, HIGHEST) }
    }

    fn grid(&self, view: &LanesView, at: usize) -> LaneGrid {
        grid(self.area.x + at as f32 * (self.wide + GAP) + FRAME, self.wide - FRAME, view.lanes)
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
    edge(scene, view, pipe, &grid, y);
    y += NOW + 2.0;
    past(scene, view, pipe, &grid, plan.row, y);
    y += plan.row * REMEMBERED as f32;
    meters::leakage(scene, view, pipe, Rect::new(grid.x, y, grid.width(view.lanes), meters::LEAKAGE))
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

/// Draws what the colours mean; returns the lower end.
pub fn legend(scene: &mut Scene<Selection>, view: &LanesView, width: f32, y: f32) -> f32 {
    let mut entries = vec![("busy, in its warp's colour", Tone::Warp(0)), ("empty", Tone::LaneIdle)];
    if view.gates {
        entries.extend([
            ("counts down", Tone::LaneCounting),
            ("off, not paid", Tone::LaneDark),
            ("off, saves", Tone::LaneEarning),
            ("wakes", Tone::LaneWaking),
            ("won", Tone::Good),
            ("lost", Tone::Bad),
        ]);
    }
    parts::legend(scene, entries, width, y)
}
