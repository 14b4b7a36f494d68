//! The warp-phases of the same kernel under LRR, GTO and BAWS, above each other on one axis (BAWS figures 3 and 4).
//!
//! A row for each warp of the first blocks, time to the right. A bar is dark while the warp executes towards the next barrier,
//! and pale while it waits there for the last warp of its block. All three runs grow with the run on the stage, so that what one
//! scheduler has done by a cycle stands above what another has done by the same cycle, and a shorter run is shorter.

use super::PanelView;
use super::parts::{BASE, SMALL, kind, round_up};
use crate::plot::grouped;
use crate::scene::{Align, Beat, Rect, Scene, Tone, key};
use crate::view::Selection;
use warpscope_machine::event::{Reason, Sink};
use warpscope_machine::metrics::phases::{Phase, PhasePart, PhaseTracker};
use warpscope_machine::sim::Sim;

/// The schedulers of figures 3 and 4, from the top.
pub const SCHEDULERS: [&str; 3] = ["LRR", "GTO", "BAWS"];
/// The most cycles of a run that are shown.
pub const MOST_CYCLES: u64 = 20_000;

/// Room at the left for the names, above the tracks, and below them for the axis.
const LABEL: f32 = 118.0;
const TOP: f32 = 22.0;
const AXIS: f32 = 40.0;
/// The space between two tracks, and between two blocks.
const BETWEEN: f32 = 10.0;
const BLOCKS: f32 = 3.0;
/// The most warps that a track shows, and the greatest height of a row.
const MOST_ROWS: usize = 12;
const HIGHEST: f32 = 26.0;
/// The opacity of a wait.
const WAIT: f32 = 0.55;

/// A run of the kernel on the stage under one scheduler.
#[derive(Clone, Debug)]
pub struct Rival {
    /// The scheduler.
    pub name: &'static str,
    /// Whether the stage shows this run.
    pub is_shown: bool,
    /// How many cycles it takes.
    pub cycles: u64,
    /// Its phases on the first SM.
    phases: Vec<Phase>,
}

/// Collects the phases of the first SM.
#[derive(Default)]
struct Collector {
    tracker: PhaseTracker,
    phases: Vec<Phase>,
}

impl Sink for Collector {
    fn event(&mut self, cycle: u64, event: warpscope_machine::event::Event) {
        let ended = self.tracker.event(cycle, event);
        self.phases.extend(ended.filter(|phase| phase.sm == 0));
    }
}

impl Rival {
    /// Runs a machine to its end, or for [`MOST_CYCLES`].
    pub fn run(name: &'static str, is_shown: bool, mut sim: Sim) -> Rival {
        let mut collector = Collector::default();
        sim.run(MOST_CYCLES, &mut collector);
        let cycles = sim.state.cycle;
        collector.phases.extend(collector.tracker.open(cycles).filter(|phase| phase.sm == 0));
        Rival { name, is_shown, cycles, phases: collector.phases }
    }

    /// Returns the warps that are shown, block by block: the number of the block, and of its warp.
    fn rows(&self) -> Vec<(u64, u16)> {
        let mut rows: Vec<(u64, u16)> =
            self.phases.iter().flat_map(|phase| phase.parts.iter().map(|part| (phase.block, part.warp))).collect();
        rows.sort_unstable();
        rows.dedup();
        rows.truncate(MOST_ROWS);
        rows
    }
}

pub(crate) fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let rivals = view.rivals;
    let now = view.picture.cycle;
    let end = rivals.iter().map(|rival| rival.cycles).max().unwrap_or(1).max(1);
    scene.bold(0, Tone::Text, 0.0, 13.0, BASE, Align::Left, "Warp-phases");
    scene.label(0, Tone::Soft, LABEL, 13.0, SMALL, Align::Left, "dark: executes · pale: waits at the barrier · up to this cycle");
    let axis = Rect::new(LABEL, TOP, view.width - LABEL - 8.0, view.height - TOP - AXIS);
    let rows: Vec<Vec<(u64, u16)>> = rivals.iter().map(Rival::rows).collect();
    let blocks = |rows: &[(u64, u16)]| rows.chunk_by(|a, b| a.0 == b.0).count().saturating_sub(1);
    let gaps: f32 = rows.iter().map(|rows| blocks(rows) as f32 * BLOCKS).sum::<f32>() + BETWEEN * rivals.len() as f32;
    let all = rows.iter().map(Vec::len).sum::<usize>().max(1) as f32;
    let pitch = ((axis.h - gaps) / all).min(HIGHEST);
    let x = |cycle: u64| axis.x + axis.w * cycle as f32 / end as f32;
    let mut y = axis.y + BETWEEN / 2.0;
    for (at, (rival, rows)) in rivals.iter().zip(&rows).enumerate() {
        let top = y;
        y = track(&mut scene, rival, at, rows, (y, pitch), now, &x);
        name(&mut scene, rival, now, Rect::new(0.0, top, LABEL, y - top));
        if at + 1 < rivals.len() {
            scene.fill(0, Tone::Line, Rect::new(0.0, y + BETWEEN / 2.0, view.width, 1.0));
        }
        y += BETWEEN;
    }
    scene.fill(0, Tone::Line, Rect::new(axis.x, y, axis.w, 1.0));
    let step = (round_up(end) / 8).max(1);
    for cycle in (0..=end).step_by(step as usize) {
        scene.fill(0, Tone::Line, Rect::new(x(cycle), y, 1.0, 4.0));
        scene.mono(0, Tone::Soft, x(cycle), y + 16.0, SMALL, Align::Middle, grouped(cycle));
    }
    scene.label(0, Tone::Soft, axis.x, y + 31.0, SMALL, Align::Left, "cycle");
    scene.beat = Beat::Travel;
    scene.fill(key(kind::PHASE_CURSOR, 0, 0, 0), Tone::Text, Rect::new(x(now.min(end)) - 0.5, axis.y, 1.5, y - axis.y));
    scene.words = words(rivals, now);
    scene
}

/// Writes the scheduler's name beside its track, and when its run has ended.
fn name(scene: &mut Scene<Selection>, rival: &Rival, now: u64, area: Rect) {
    let middle = area.y + area.h / 2.0;
    let tone = if rival.is_shown { Tone::Accent } else { Tone::Text };
    scene.bold(0, tone, 0.0, middle, 15.0, Align::Left, rival.name);
    let state = match now >= rival.cycles {
        true => format!("{} cycles", grouped(rival.cycles)),
        false if rival.is_shown => "on the stage".to_string(),
        false => "runs".to_string(),
    };
    scene.label(0, Tone::Soft, 0.0, middle + 15.0, SMALL, Align::Left, state);
}

/// Draws the warps of a run up to a cycle; returns the lower end.
fn track(
    scene: &mut Scene<Selection>,
    rival: &Rival,
    at: usize,
    rows: &[(u64, u16)],
    (mut y, pitch): (f32, f32),
    now: u64,
    x: &dyn Fn(u64) -> f32,
) -> f32 {
    let thick = (pitch - 1.0).max(1.0);
    for (row, &(block, warp)) in rows.iter().enumerate() {
        if row > 0 && rows[row - 1].0 != block {
            y += BLOCKS;
        }
        if pitch >= 9.0 {
            let first = rival.phases.iter().find(|phase| phase.block == block).map_or(0, |phase| phase.first_warp);
            let size = (pitch - 1.0).min(SMALL - 1.0);
            scene.mono(0, Tone::Soft, LABEL - 6.0, y + pitch * 0.8, size, Align::Right, format!("w{}", first + warp));
        }
        let parts = rival.phases.iter().filter(|phase| phase.block == block);
        for (phase, part) in parts.flat_map(|phase| phase.parts.iter().map(move |part| (phase, part))) {
            if part.warp == warp && part.start < now {
                let name = |kind: u8| key(kind, (at as u32) << 24 | part.number, row as u16, part.number as u8);
                bars(scene, name, (phase, part), (y, thick), now, x);
            }
        }
        y += pitch;
    }
    y
}

/// Draws a warp-phase up to a cycle: its execution, and its wait.
fn bars(
    scene: &mut Scene<Selection>,
    name: impl Fn(u8) -> u64,
    (phase, part): (&Phase, &PhasePart),
    (y, thick): (f32, f32),
    now: u64,
    x: &dyn Fn(u64) -> f32,
) {
    let [start, arrival, release] = [part.start, part.arrival, phase.release].map(|cycle| x(cycle.min(now)));
    // Neighbouring phases have a line between them.
    scene.fill(name(kind::PHASE_RUN), Tone::Accent, Rect::new(start + 1.0, y, (arrival - start - 1.0).max(0.5), thick));
    if part.arrival < now && !part.exited {
        let waits = Rect::new(arrival, y, (release - arrival).max(0.5), thick);
        scene.fill(name(kind::PHASE_WAIT), Tone::Reason(Reason::Barrier), waits);
        scene.fade(WAIT);
    }
}

fn words(rivals: &[Rival], now: u64) -> String {
    let told = rivals.iter().map(|rival| match now >= rival.cycles {
        true => format!("{} has ended after {} cycles", rival.name, grouped(rival.cycles)),
        false => {
            let waits = rival.phases.iter().filter(|phase| phase.release > now).flat_map(|phase| &phase.parts);
            let waiting = waits.filter(|part| part.arrival <= now && part.start <= now && !part.exited).count();
            format!("under {} {waiting} warps wait at a barrier", rival.name)
        }
    });
    format!("Cycle {now}: {}.", told.collect::<Vec<_>>().join("; "))
}
