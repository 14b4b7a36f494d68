//! One pipeline large: threads on their way into its lanes and back, through the shift network (Origami figures 8 and 9).
//!
//! Three rows of lanes: the *register* in front of the pipeline, where the second half of a folded warp waits on its own lanes;
//! the *lanes*, with the threads that entered each last; the *results*, where threads are back on their own lanes. Between the
//! rows are the paths that threads take in this cycle. Every thread keeps its key, so that it slides in the film of a step.

use super::view::{LaneCell, LanesView, PipeView};
use super::{grid, tone};
use crate::mechanism::parts::{LaneGrid, SMALL, hue, ink, kind};
use crate::scene::{Align, Beat, Geometry, Rect, Scene, ShapeKey, Tone, key};
use crate::view::Selection;
use warpscope_machine::policy::gating::fold::FoldPass;
use warpscope_machine::sim::pipeline::LaneUse;

/// The width of the names of the rows.
const NAMES: f32 = 70.0;
const HEAD: f32 = 18.0;

/// Returns the height of the large pipeline in a picture of height `room`.
pub fn height(room: f32) -> f32 {
    (room * 0.3).clamp(104.0, 150.0)
}

/// The positions of the rows.
struct Rows {
    grid: LaneGrid,
    token: f32,
    register: f32,
    lanes: f32,
    results: f32,
}

impl Rows {
    fn new(view: &LanesView, area: Rect) -> Rows {
        let token = ((area.h - HEAD) / 5.0).round();
        let paths = (area.h - HEAD - 3.0 * token) / 2.0;
        let register = area.y + HEAD;
        let lanes = register + token + paths;
        Rows { grid: grid(area.x + NAMES, area.w - NAMES, view.lanes), token, register, lanes, results: lanes + token + paths }
    }
}

/// Where a thread of an instruction is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ThreadStage {
    /// In front of the pipeline.
    Register,
    /// In its lane, as the last thread that entered it or covered by others.
    Lane {
        last: bool,
    },
    Result,
}

/// Draws the large pipeline; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &LanesView, area: Rect) -> f32 {
    let Some(pipe) = view.pipes.get(view.large) else { return area.y };
    let rows = Rows::new(view, area);
    headline(scene, view, pipe, &rows, area);
    ground(scene, view, pipe, &rows);
    for taken in &pipe.uses {
        paths(scene, view, taken, &rows);
    }
    for (at, taken) in pipe.uses.iter().enumerate() {
        threads(scene, view, pipe, at, taken, &rows);
    }
    area.y + area.h
}

/// Writes what happens to the last instruction that enters the pipeline.
fn headline(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, rows: &Rows, area: Rect) {
    scene.bold(0, Tone::Accent, area.x, area.y + 12.0, SMALL + 1.0, Align::Left, pipe.name());
    let told = match entering(pipe, view.now) {
        Some(taken) if taken.placement.is_folded() => {
            let [first, second] = taken.placement.passes.map(|pass| pass.threads.count_ones());
            let wait = taken.spans[1].0 - taken.spans[0].0;
            let later = if wait == 1 { "a cycle later".to_string() } else { format!("{wait} cycles later") };
            format!("Warp {} is folded: {first} threads go first, {second} follow {later} on the same lanes.", taken.warp)
        }
        Some(taken) if taken.placement.lanes() != taken.mask => {
            let moved = (0..32).filter(|lane| taken.mask >> lane & 1 != 0 && taken.placement.lane_of(*lane) != *lane).count();
            format!("Warp {}: {moved} of {} threads move to the left of their clusters.", taken.warp, taken.mask.count_ones())
        }
        Some(taken) => format!("Warp {} executes on its own lanes.", taken.warp),
        None => "Nothing enters in this cycle.".to_string(),
    };
    scene.label(0, Tone::Text, rows.grid.x, area.y + 12.0, SMALL + 1.0, Align::Left, told);
}

/// Returns the last instruction that enters in this cycle, whole or with its second half.
fn entering(pipe: &PipeView, now: u64) -> Option<&LaneUse> {
    let enters = |taken: &&LaneUse| taken.spans[0].0 == now || (taken.placement.is_folded() && taken.spans[1].0 == now);
    pipe.uses.iter().rev().find(enters)
}

/// Draws the names of the rows, the lanes with their states, and the empty places of the other rows.
fn ground(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, rows: &Rows) {
    let middle = rows.token / 2.0 + 4.0;
    for (text, y) in [("register", rows.register), ("lanes", rows.lanes), ("results", rows.results)] {
        scene.label(0, Tone::Soft, 0.0, y + middle, SMALL, Align::Left, text);
    }
    scene.beat = Beat::Settle;
    for (lane, (cell, left)) in (0..view.lanes).zip(pipe.now.iter().zip(&pipe.left)) {
        for y in [rows.register, rows.results] {
            scene.outline(0, Tone::Line, rows.grid.cell(lane, y, rows.token));
        }
        let rect = rows.grid.cell(lane, rows.lanes, rows.token);
        let name = |part: u8| key(kind::SHIFT_LANE, u32::from(view.sm) << 8 | u32::from(pipe.pipe), lane as u16, part);
        // Busy lanes are covered by their threads.
        let colour = if matches!(cell, LaneCell::Busy(_)) { Tone::LaneIdle } else { tone(*cell) };
        scene.fill(name(0), colour, rect);
        if let Some(left) = left {
            let high = (rows.token * left).round();
            scene.fill(name(1), Tone::LaneCounting, Rect::new(rect.x, rect.y + rows.token - high, rect.w, high));
        }
        scene.outline(0, Tone::Edge, rect);
    }
    scene.beat = Beat::default();
}

/// Draws the paths that are in use in this cycle, into the lanes and back from them.
fn paths(scene: &mut Scene<Selection>, view: &LanesView, taken: &LaneUse, rows: &Rows) {
    let middle = |lane: u32| {
        let cell = rows.grid.cell(lane, 0.0, 0.0);
        cell.x + cell.w / 2.0
    };
    for (pass, (from, to)) in taken.placement.passes.into_iter().zip(taken.spans) {
        for lane in lanes_of(pass.threads) {
            let at = taken.placement.lane_of(lane) % view.lanes;
            let (home, way) = (middle(lane % view.lanes), middle(at));
            let (top, low) = match view.now {
                now if now == from => ((home, rows.register + rows.token), (way, rows.lanes)),
                now if now == to => ((way, rows.lanes + rows.token), (home, rows.results)),
                _ => continue,
            };
            let tone = if home == way { Tone::Edge } else { hue(taken.warp) };
            scene.push(0, tone, Geometry::Line(Rect::new(top.0, top.1, low.0 - top.0, low.1 - top.1)));
        }
    }
}

fn lanes_of(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// Draws the threads of an instruction where they are. A covered thread is drawn invisibly, so that it can slide back.
fn threads(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, at: usize, taken: &LaneUse, rows: &Rows) {
    let ends = taken.spans[0].1.max(taken.spans[1].1);
    for (pass, (from, to)) in taken.placement.passes.into_iter().zip(taken.spans) {
        for thread in lanes_of(pass.threads) {
            let lane = taken.placement.lane_of(thread) % view.lanes;
            let stage = match view.now {
                now if now < from => ThreadStage::Register,
                now if now < to => ThreadStage::Lane { last: !is_covered(pipe, at, pass, from, lane, view.now) },
                now if now <= ends => ThreadStage::Result,
                _ => continue,
            };
            token(scene, view, taken, (thread, lane), stage, rows);
        }
    }
}

/// Returns whether other threads have entered the lane after this pass of the instruction.
fn is_covered(pipe: &PipeView, at: usize, pass: FoldPass, from: u64, lane: u32, now: u64) -> bool {
    let later = pipe.uses[at..].iter().enumerate().flat_map(|(further, taken)| {
        let passes = taken.placement.passes.into_iter().zip(taken.spans);
        passes.map(move |(other, (begins, _))| (further > 0 || other != pass, other, begins))
    });
    later.into_iter().any(|(is_other, other, begins)| is_other && begins > from && begins <= now && other.lanes >> lane & 1 != 0)
}

fn token(
    scene: &mut Scene<Selection>,
    view: &LanesView,
    taken: &LaneUse,
    (thread, lane): (u32, u32),
    stage: ThreadStage,
    rows: &Rows,
) {
    let home = thread % view.lanes;
    let (column, y) = match stage {
        ThreadStage::Register => (home, rows.register),
        ThreadStage::Lane { .. } => (lane, rows.lanes),
        ThreadStage::Result => (home, rows.results),
    };
    let seen = stage != ThreadStage::Lane { last: false };
    let rect = rows.grid.cell(column, y, rows.token);
    let name = |kind: u8| -> ShapeKey { key(kind, u32::from(taken.warp), taken.cycle as u16, thread as u8) };
    scene.mark(name(kind::SHIFT_THREAD), hue(taken.warp), seen, Geometry::Round(rect));
    if rect.w >= 12.0 {
        let size = (rect.w * 0.6).clamp(8.0, 11.0);
        let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0 + size * 0.35);
        let (text, align) = (thread.to_string(), Align::Middle);
        let geometry = Geometry::Text { x, y, size, align, mono: true, bold: false, text };
        scene.mark(name(kind::SHIFT_TEXT), ink(taken.warp), seen, geometry);
    }
    if seen {
        scene.spot(rect, Selection::Warp { sm: view.sm, warp: taken.warp });
    }
}
