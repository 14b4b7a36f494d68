//! The picture of a run that has ended, for every technique: its results, its execution flow if it was short, and where its
//! warps' time went.
//!
//! The execution flow is the picture of TBC's figure 7: time to the right, a row for each lane, every issued instruction a column
//! in the colours of its threads, grey where a lane was idle. A run that is compared with another stands under it, on one axis of
//! time, so that the shorter one is seen to be shorter.

use super::PanelView;
use super::parts::{BASE, SMALL, fitting, hue, reason};
use crate::plot::grouped;
use crate::scene::{Align, Rect, Scene, Tone};
use crate::view::Selection;
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::Report;
use warpscope_machine::record::{Issue, MOST_CYCLES};

/// The height of a line, where there is room, and the least.
const LINE: f32 = 22.0;
const LEAST_LINE: f32 = 15.0;
const BARS: f32 = 170.0;
/// The height of a bar that stands for a whole run.
const BAR: f32 = 14.0;
/// The narrowest and the widest column of the flow, and the highest row.
const NARROWEST: f32 = 1.5;
const WIDEST: f32 = 24.0;
const HIGHEST: f32 = 16.0;

pub fn draw(view: PanelView) -> Scene<Selection> {
    let mut scene = Scene::new(view.width, view.height);
    let report = Report::new(&view.tally.metrics, &view.sim.machine.config, view.picture.cycle);
    scene.bold(0, Tone::Text, 0.0, 15.0, 15.0, Align::Left, "The run has ended");
    scene.label(0, Tone::Soft, 176.0, 15.0, BASE, Align::Left, fitting("← steps back into it", view.width - 176.0));
    // Where threads execute on other lanes than their own, a flow of lanes would not be what happened.
    let gating = view.sim.state.sms.first().and_then(|sm| sm.gating.as_ref());
    let shifts = gating.is_some_and(|gating| gating.shifts || gating.folding.is_some());
    let own: Vec<&Issue> = view.issues.iter().filter(|issue| issue.sm == view.sm() && !shifts).collect();
    let config = &view.sim.machine.config;
    let mut y = 20.0;
    match view.baseline {
        Some(baseline) => {
            y = compared(&mut scene, &view, baseline, own, report.cycles);
            y = numbers(&mut scene, &view, &report, true, y);
        }
        None => {
            let flow = Flow::new(own, (config.warp_width, config.slices), report.cycles, (view.width, view.height * 0.36));
            y = numbers(&mut scene, &view, &report, flow.is_some(), y);
            if let Some(flow) = &flow {
                scene.bold(0, Tone::Text, 0.0, y + 22.0, BASE, Align::Left, "Execution flow");
                let legend = fitting(LEGEND, view.width - 116.0);
                scene.label(0, Tone::Soft, 116.0, y + 22.0, SMALL, Align::Left, legend);
                y = flow.draw(&mut scene, &view, y + 30.0);
            }
        }
    }
    y = time(&mut scene, &view, y + 8.0);
    scene.height = scene.height.max(y + 8.0);
    scene.words = format!(
        "The run has ended after {} cycles: {} warp instructions, {:.1} % of the lanes used.",
        report.cycles,
        report.warp_instructions,
        report.lane_efficiency * 100.0
    );
    scene
}

/// What the columns and rows of a flow are.
const LEGEND: &str = "a column for each cycle, a row for each lane · grey: nothing to do";

/// A run that another one is compared with: what issued in its first cycles, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// Its technique, and that of the run which is compared with it.
    pub names: [String; 2],
    /// How many cycles it took.
    pub cycles: u64,
    /// What issued.
    pub issues: Vec<Issue>,
    /// Lanes of a warp, and slices.
    pub shape: (u32, u32),
}

/// Draws two runs under each other on one axis: their flows, or a bar for each where they are too long for that. Returns the lower
/// end.
fn compared(scene: &mut Scene<Selection>, view: &PanelView, baseline: &Baseline, own: Vec<&Issue>, cycles: u64) -> f32 {
    let config = &view.sim.machine.config;
    let scale = cycles.max(baseline.cycles).max(1);
    let room = (view.width, view.height * 0.18);
    let first = baseline.issues.iter().filter(|issue| issue.sm == view.sm()).collect();
    let flows = [Flow::new(first, baseline.shape, scale, room), Flow::new(own, (config.warp_width, config.slices), scale, room)];
    let change = 100.0 * (cycles as f64 / baseline.cycles.max(1) as f64 - 1.0);
    let word = if change < 0.0 { "fewer" } else { "more" };
    let gain = if cycles == baseline.cycles { ": as many".to_string() } else { format!(": {:.1}% {word}", change.abs()) };
    let words = [(baseline.cycles, String::new()), (cycles, gain)];
    let is_flow = flows.iter().all(Option::is_some);
    let per_cycle = (view.width / scale as f32).min(if is_flow { WIDEST } else { f32::INFINITY });
    let mut y = 26.0;
    for ((flow, name), (cycles, gain)) in flows.iter().zip(&baseline.names).zip(words) {
        scene.bold(0, Tone::Text, 0.0, y + 14.0, BASE, Align::Left, format!("{name}: {} cycles{gain}", grouped(cycles)));
        y += 20.0;
        match flow {
            Some(flow) if is_flow => y = flow.draw(scene, view, y) + 8.0,
            _ => {
                scene.fill(0, Tone::Accent, Rect::new(0.0, y, (cycles as f32 * per_cycle).max(1.0), BAR));
                y += BAR + 8.0;
            }
        }
    }
    axis(scene, scale, per_cycle, y)
}

/// Draws an axis of cycles; returns its lower end.
fn axis(scene: &mut Scene<Selection>, cycles: u64, per_cycle: f32, y: f32) -> f32 {
    let end = cycles as f32 * per_cycle;
    scene.fill(0, Tone::Line, Rect::new(0.0, y, end, 1.0));
    let step = (0u32..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
    let step = step.into_iter().find(|step| *step as f32 * per_cycle >= 64.0).unwrap_or(cycles);
    for cycle in (0..=cycles).step_by(step as usize) {
        let x = cycle as f32 * per_cycle;
        scene.fill(0, Tone::Line, Rect::new(x.min(end - 1.0), y, 1.0, 4.0));
        let text = if cycle == 0 { "cycle 0".to_string() } else { grouped(cycle) };
        // The last label may reach over the end of the axis.
        let align = if cycle == 0 { Align::Left } else { Align::Right };
        scene.mono(0, Tone::Soft, if cycle == 0 { 0.0 } else { x }, y + 14.0, 10.0, align, text);
    }
    y + 20.0
}

/// Writes the run's results in one or two columns, as the width allows; lines are closer where a flow stands beside them.
fn numbers(scene: &mut Scene<Selection>, view: &PanelView, report: &Report, short: bool, top: f32) -> f32 {
    let figures = [
        ("Cycles", grouped(report.cycles)),
        ("Warp instructions", grouped(report.warp_instructions)),
        ("Lanes used", format!("{:.1} %", report.lane_efficiency * 100.0)),
        ("Divergent branches", format!("{} of {}", grouped(report.divergent_branches), grouped(report.branches))),
        ("IPC (thread instructions/cycle)", format!("{:.3}", report.ipc)),
        ("SIMD efficiency (of the width)", format!("{:.1} %", report.simd_efficiency * 100.0)),
        ("Memory transactions", grouped(report.memory_transactions)),
        ("Fetches", grouped(report.fetches)),
    ];
    let columns = if view.width >= 460.0 { 2 } else { 1 };
    let rows = figures.len() / columns;
    let line = if short { 17.0 } else { LINE };
    let wide = view.width / columns as f32;
    for (at, (name, value)) in figures.into_iter().enumerate() {
        let (x, y) = ((at / rows) as f32 * wide, top + (at % rows + 1) as f32 * line);
        scene.label(0, Tone::Soft, x, y, BASE, Align::Left, name);
        scene.mono(0, Tone::Text, x + wide - if columns > 1 { 20.0 } else { 0.0 }, y, BASE, Align::Right, value);
    }
    top + rows as f32 * line
}

/// The layout of the execution flow.
struct Flow<'a> {
    issues: Vec<&'a Issue>,
    /// Pixels per cycle and per lane.
    cycle: f32,
    lane: f32,
    /// Lanes per warp, and slices.
    width: u32,
    slices: u32,
    /// The most warps that issue in one cycle, each in a band of its own; slices have lanes of their own in one band.
    bands: usize,
}

impl<'a> Flow<'a> {
    /// Lays out a flow in which `cycles` take the whole width; `None` if that is too many.
    fn new(issues: Vec<&'a Issue>, (width, slices): (u32, u32), cycles: u64, (wide, high): (f32, f32)) -> Option<Flow<'a>> {
        let cycle = (wide / cycles.max(1) as f32).min(WIDEST);
        if cycle < NARROWEST || cycles > MOST_CYCLES || issues.is_empty() {
            return None;
        }
        let mut flow = Flow { issues, cycle, lane: 1.0, width, slices, bands: 1 };
        flow.bands = flow.columns().iter().map(|(band, _)| band + 1).max().unwrap_or(1);
        flow.lane = (high / (flow.bands as f32 * flow.lanes() as f32)).clamp(2.0, HIGHEST);
        Some(flow)
    }

    fn lanes(&self) -> u32 {
        self.width * self.slices
    }

    /// Returns every issue, with its warp's band in that cycle.
    fn columns(&self) -> Vec<(usize, &'a Issue)> {
        let mut last: Option<(usize, &Issue)> = None;
        let band = |issue: &&'a Issue| {
            let band = match last {
                _ if self.slices > 1 => 0,
                Some((band, before)) if before.cycle == issue.cycle => band + usize::from(before.warp != issue.warp),
                _ => 0,
            };
            last = Some((band, issue));
            (band, *issue)
        };
        self.issues.iter().map(band).collect()
    }

    /// Draws the flow; returns its lower end.
    fn draw(&self, scene: &mut Scene<Selection>, view: &PanelView, top: f32) -> f32 {
        let gap = if self.cycle > 4.0 { 1.0 } else { 0.0 };
        let band_tall = self.lanes() as f32 * self.lane + 5.0;
        let cell = |cycle: u64, band: usize, lane: u32| {
            let y = top + band as f32 * band_tall + lane as f32 * self.lane;
            Rect::new(cycle as f32 * self.cycle, y, self.cycle - gap, self.lane - if self.lane > 4.0 { 1.0 } else { 0.0 })
        };
        let columns = self.columns();
        let mut grey = None;
        for (band, issue) in &columns {
            let first = if self.slices > 1 { u32::from(issue.warp) % self.slices * self.width } else { 0 };
            // The lanes of the warp, once for all static warps whose threads are in it.
            let of = (issue.cycle, issue.warp);
            if grey.replace(of) != Some(of) {
                let all = cell(issue.cycle, *band, first);
                scene.fill(0, Tone::Line, Rect { h: self.width as f32 * self.lane, ..all });
            }
            for lane in (0..self.width).filter(|lane| issue.mask >> lane & 1 != 0) {
                scene.fill(0, hue(issue.origin), cell(issue.cycle, *band, first + lane));
            }
        }
        let below = top + self.bands as f32 * band_tall;
        self.places(scene, view, &columns, below + 8.0);
        below + 12.0
    }

    /// Writes the names of the places that the first band ran through, where they fit.
    fn places(&self, scene: &mut Scene<Selection>, view: &PanelView, columns: &[(usize, &Issue)], y: f32) {
        let name = |issue: &Issue| view.listing.place(issue.pc).split('+').next().unwrap_or_default().replace("line ", "");
        let named: Vec<(u64, String)> = columns.iter().filter(|(band, _)| *band == 0).map(|(_, i)| (i.cycle, name(i))).collect();
        for part in named.chunk_by(|a, b| a.1 == b.1) {
            let (from, to) = (part[0].0 as f32 * self.cycle, (part[part.len() - 1].0 + 1) as f32 * self.cycle);
            if part[0].1.len() as f32 * 6.6 <= to - from {
                scene.label(0, Tone::Soft, (from + to) / 2.0, y, SMALL, Align::Middle, part[0].1.as_str());
            }
        }
    }
}

/// Draws where the warps' time went; returns the lower end.
fn time(scene: &mut Scene<Selection>, view: &PanelView, mut y: f32) -> f32 {
    y += 14.0;
    scene.bold(0, Tone::Text, 0.0, y, BASE, Align::Left, "What warps did");
    scene.label(0, Tone::Soft, 130.0, y, SMALL, Align::Left, "shares of their cycles");
    y += 4.0;
    let metrics = &view.tally.metrics;
    let all: u64 = metrics.totals.warp_cycles.iter().sum();
    let most = metrics.totals.warp_cycles.iter().copied().max().unwrap_or(0).max(1);
    let count = |reason: Reason| metrics.totals.warp_cycles[reason as usize];
    let reasons: Vec<Reason> = Reason::listed(count).into_iter().filter(|&reason| count(reason) > 0).collect();
    let line = ((view.height - y - 8.0) / reasons.len().max(1) as f32).clamp(LEAST_LINE, LINE);
    for at in reasons {
        let cycles = count(at);
        y += line;
        reason(scene, Some(at), 0.0, y - 10.0, 12.0);
        scene.label(0, Tone::Soft, 24.0, y, BASE, Align::Left, at.label());
        let room = (view.width - BARS - 64.0).max(0.0);
        scene.fill(0, Tone::Reason(at), Rect::new(BARS, y - 10.0, room * cycles as f32 / most as f32, 11.0));
        let share = format!("{:.1} %", cycles as f64 * 100.0 / all.max(1) as f64);
        scene.mono(0, Tone::Text, view.width, y, 12.0, Align::Right, share);
    }
    y
}
