//! One pipeline large: threads on their way into its lanes and back, through the shift network (Origami figures 8 and 9).
//!
//! A row for each place in the pipeline, so that no row ever holds two instructions: the *register* in front of it, where the
//! second half of a folded warp waits, lifted; the *stages*, with the half or the warp that entered so many cycles ago; the
//! *results*, where threads are back on their own lanes. A thread is filled while it is in a stage, and pale in the rows around
//! them. Behind the stages stand the lanes: a shutter covers one that is off. Every thread keeps its key; [`film`](super::film)
//! says in which order things move.

use super::film::Acts;
use super::grid;
use super::view::{LaneCell, LanesView, PipeView};
use crate::mechanism::parts::{LaneGrid, PALE, SMALL, hue, ink, kind};
use crate::scene::{Align, Geometry, Rect, Scene, Shape, ShapeKey, Tone, key};
use crate::view::Selection;
use warpscope_machine::sim::pipeline::LaneUse;

/// The width of the names of the rows.
const NAMES: f32 = 70.0;
const HEAD: f32 = 20.0;
/// The space between two rows, as a share of a token's height.
const APART: f32 = 0.4;
/// How far a waiting half is lifted, as a share of a token's height.
const LIFT: f32 = 0.25;
/// The greatest width and height of a token.
const MOST: (f32, f32) = (96.0, 48.0);

/// The positions of the rows.
pub struct Rows {
    pub grid: LaneGrid,
    token: f32,
    register: f32,
    /// The top of the first stage, and from row to row.
    first: f32,
    pitch: f32,
    stages: u32,
    results: f32,
}

impl Rows {
    pub fn new(view: &LanesView, area: Rect) -> Rows {
        let rows = view.stages as f32 + 2.0;
        let token = ((area.h - HEAD) / (rows + (rows - 1.0) * APART + LIFT)).clamp(8.0, MOST.1).floor();
        let pitch = (token * (1.0 + APART)).floor();
        let register = area.y + HEAD + (token * LIFT).ceil();
        let grid = LaneGrid { gap: 2.0, ..grid(area.x + NAMES, area.w - NAMES, view.lanes, MOST.0) };
        let results = register + pitch * (rows - 1.0);
        Rows { grid, token, register, first: register + pitch, pitch, stages: view.stages, results }
    }

    /// Returns the lower end.
    pub fn end(&self) -> f32 {
        self.results + self.token
    }

    /// Returns a lane's cell in a row.
    pub fn cell(&self, row: Row, lane: u32) -> Rect {
        let y = match row {
            Row::Register => self.register,
            Row::Lifted => self.register - (self.token * LIFT).floor(),
            Row::Stage(at) => self.first + at.min(self.stages - 1) as f32 * self.pitch,
            Row::Results => self.results,
        };
        self.grid.cell(lane, y, self.token)
    }

    /// Returns a lane from its first stage to its last.
    fn lane(&self, lane: u32) -> Rect {
        let end = self.first + (self.stages - 1) as f32 * self.pitch + self.token;
        self.grid.cell(lane, self.first, end - self.first).around(1.0)
    }
}

/// A row of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// In front of the pipeline.
    Register,
    /// In front of it, while the first half goes ahead.
    Lifted,
    /// In the lanes, since so many cycles.
    Stage(u32),
    /// Behind the pipeline.
    Results,
}

/// Draws the large pipeline; returns the lower end.
pub fn draw(scene: &mut Scene<Selection>, view: &LanesView, area: Rect) -> f32 {
    let Some(pipe) = view.pipes.get(view.large) else { return area.y };
    let rows = Rows::new(view, area);
    let acts = Acts::plan(scene, view, pipe);
    headline(scene, view, pipe, &rows, area);
    ground(scene, view, pipe, &rows, &acts);
    for taken in &pipe.uses {
        for pass in 0..2 {
            threads(scene, view, taken, pass, &rows, &acts);
        }
    }
    rows.end()
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

/// Draws the names of the rows, their places, and the lanes with their shutters.
fn ground(scene: &mut Scene<Selection>, view: &LanesView, pipe: &PipeView, rows: &Rows, acts: &Acts) {
    let mut name = |row: Row, text: String| {
        let y = rows.cell(row, 0).y + rows.token / 2.0 + 4.0;
        scene.label(0, Tone::Soft, 0.0, y, SMALL, Align::Left, text);
    };
    name(Row::Register, "register".into());
    for stage in 0..rows.stages {
        let is_more = view.latency > rows.stages && stage + 1 == rows.stages;
        name(
            Row::Stage(stage),
            match rows.stages {
                1 => "lanes".into(),
                _ if is_more => format!("… {} more", view.latency - rows.stages + 1),
                _ => format!("stage {}", stage + 1),
            },
        );
    }
    name(Row::Results, "results".into());
    for (lane, (cell, left)) in (0..view.lanes).zip(pipe.now.iter().zip(&pipe.left)) {
        for row in [Row::Register, Row::Results] {
            scene.outline(0, Tone::Line, rows.cell(row, lane));
        }
        let rect = rows.lane(lane);
        scene.fill(0, Tone::LaneIdle, rect);
        let name = |part: u8| key(kind::SHIFT_LANE, u32::from(view.sm) << 8 | u32::from(pipe.pipe), lane as u16, part);
        scene.beat = acts.gate;
        if let Some(left) = left {
            let high = (rect.h * left).round();
            scene.fill(name(1), Tone::LaneCounting, Rect::new(rect.x, rect.y + rect.h - high, rect.w, high));
        }
        // The shutter of a lane that is off; it rolls down from above when the gate closes.
        let (tone, closed) = match cell {
            LaneCell::Earning => (Tone::LaneEarning, 1.0),
            LaneCell::Waking | LaneCell::Ends { .. } => (Tone::LaneWaking, 0.5),
            LaneCell::Dark => (Tone::LaneDark, 1.0),
            LaneCell::Busy(_) | LaneCell::Idle => (Tone::LaneDark, 0.0),
        };
        scene.fill(name(0), tone, Rect { h: rect.h * closed, ..rect });
        let cross = Geometry::Line(Rect::new(rect.x + 2.0, rect.y + rect.h - 2.0, rect.w - 4.0, 4.0 - rect.h));
        scene.mark(name(2), Tone::Panel, closed == 1.0, cross);
        scene.beat = Default::default();
        scene.outline(0, Tone::Edge, rect);
    }
}

/// Draws the threads of a pass where they are, with the steps that lead there.
fn threads(scene: &mut Scene<Selection>, view: &LanesView, taken: &LaneUse, pass: usize, rows: &Rows, acts: &Acts) {
    let (from, to) = taken.spans[pass];
    let ends = taken.spans[0].1.max(taken.spans[1].1);
    let now = view.now;
    for thread in (0..32).filter(|thread| taken.placement.passes[pass].threads >> thread & 1 != 0) {
        let (home, lane) = (thread % view.lanes, taken.placement.lane_of(thread) % view.lanes);
        let (row, column) = match now {
            now if now < from => (Row::Lifted, home),
            now if now < to => (Row::Stage((now - from) as u32), lane),
            now if now <= ends => (Row::Results, home),
            _ => continue,
        };
        let token = Token { view, taken, thread, is_seen: !matches!(row, Row::Stage(at) if at >= rows.stages) };
        if acts.tell {
            let mut pose = |beat, row, column| scene.pose(beat, token.looks(rows, row, column));
            if now == taken.spans[0].0 {
                pose(acts.register, Row::Register, home);
            }
            if now == from && home != lane {
                let above = if from == taken.spans[0].0 { Row::Register } else { Row::Lifted };
                pose(acts.slide, above, lane);
            }
            if now == to && home != lane {
                pose(acts.advance, Row::Results, lane);
            }
        }
        scene.beat = match now {
            _ if !acts.tell => Default::default(),
            now if now < from => acts.lift,
            now if now == from => acts.enter,
            now if now == to && home != lane => acts.back,
            _ => acts.advance,
        };
        let beat = scene.beat;
        scene.shapes.extend(token.looks(rows, row, column).into_iter().map(|shape| Shape { beat, ..shape }));
        scene.beat = Default::default();
        if token.is_seen {
            scene.spot(rows.cell(row, column), Selection::Warp { sm: view.sm, warp: taken.warp });
        }
    }
}

/// A thread of an instruction.
struct Token<'a> {
    view: &'a LanesView,
    taken: &'a LaneUse,
    thread: u32,
    /// Whether the stage in which it is has a row.
    is_seen: bool,
}

impl Token<'_> {
    /// Returns the thread's shapes in a row: filled while it is in a lane, else pale with an edge.
    fn looks(&self, rows: &Rows, row: Row, column: u32) -> Vec<Shape> {
        let mut scene: Scene<Selection> = Scene::new(self.view.lanes as f32, 1.0);
        let rect = rows.cell(row, column);
        let Token { taken, thread, is_seen, .. } = *self;
        let name = |kind: u8| -> ShapeKey { key(kind, u32::from(taken.warp), taken.cycle as u16, thread as u8) };
        let is_active = matches!(row, Row::Stage(_));
        scene.mark(name(kind::SHIFT_THREAD), hue(taken.warp), is_seen, Geometry::Round(rect));
        if !is_active {
            scene.fade(PALE);
        }
        let inside = Rect::new(rect.x + 1.0, rect.y + 1.0, rect.w - 2.0, rect.h - 2.0);
        scene.mark(name(kind::SHIFT_EDGE), hue(taken.warp), !is_active, Geometry::Ring(inside));
        if rect.w >= 12.0 && rect.h >= 9.0 {
            let size = (rect.w * 0.6).min(rect.h * 0.7).clamp(8.0, 15.0).round();
            let (x, y) = (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0 + size * 0.35);
            let (text, align) = (thread.to_string(), Align::Middle);
            let geometry = Geometry::Text { x, y, size, align, mono: true, bold: false, text };
            let tone = if is_active { ink(taken.warp) } else { Tone::Text };
            scene.mark(name(kind::SHIFT_TEXT), tone, is_seen, geometry);
        }
        scene.shapes
    }
}
