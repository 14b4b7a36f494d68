//! The first visit: the kernel and the cycle that it opens with, and what there is to try.
//!
//! The first kernel opens at a cycle where a branch has just masked about half of a warp's lanes, so that lanes, warps and
//! masks are in view. The user may follow the hints in any order, each once; after the last one they disappear. The hint on
//! thread block compaction runs the kernel to its end under both techniques and says what the compaction gains; a second kernel
//! then shows where it loses.

use super::{Lab, MachineSpec, Notice, Origin, Stage, grouped};
use warpscope_catalogue::Size;
use warpscope_machine::event::{Event, EventKind, Reason};
use warpscope_machine::metrics::{Metrics, Report};
use warpscope_machine::sim::Sim;
use warpscope_pictures::session::SearchTarget;
use warpscope_pictures::view::{LaneActivity, Selection};

/// The first kernel and its machine, that of TBC's paper: two blocks of four warps, whose threads loop for as many turns as their
/// cells have pairs of balls. Compaction fills the lanes of those that are done.
const FIRST: (&str, &str) = ("collide", "tbc");
/// A kernel and a machine on which compaction loses: at every step of the loop the threads of a block take both sides, so that warps
/// wait for each other at every branch.
const COUNTER: (&str, &str) = ("collatz", "gtx480");
/// Most cycles to search for a divergence; the page waits for the search.
const FAR: u64 = 5_000;
/// Most cycles of the runs that are compared; the page waits for both.
const WHOLE: u64 = 50_000;

/// The hints of a first visit: which of them the user has followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// A cycle was stepped.
    pub stepped: bool,
    /// The inspector was asked about an idle lane.
    pub asked: bool,
    /// The kernel was run under another technique.
    pub compared: bool,
}

impl Lab {
    /// Creates the lab of a first visit: a small kernel, at a cycle where about half of a warp's lanes are masked.
    pub fn first_visit() -> Lab {
        let mut lab = Lab::new();
        lab.load_with(FIRST);
        lab.go_to_something_interesting();
        lab.hints = Some(Hints::default());
        lab
    }

    /// Loads a catalogue kernel on a machine with a stack for each warp.
    fn load_with(&mut self, (kernel, preset): (&str, &str)) {
        self.setup = MachineSpec::new(preset, "PDOM", []);
        self.choose(Origin::find(kernel, Size::Small));
    }

    /// Seeks to the most even divergence within the next `FAR` cycles, and selects its warp.
    pub(super) fn go_to_something_interesting(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let mut best: Option<(u32, u64, Option<Selection>)> = None;
        let half = stage.session.sim().machine.config.warp_width / 2;
        let end = stage.session.cycle() + FAR;
        // No split is more even than one into halves.
        while best.is_none_or(|(most, ..)| most < half) {
            let left = end.saturating_sub(stage.session.cycle());
            if left == 0 || !stage.session.search(SearchTarget::Event(EventKind::Divergence), left) {
                break;
            }
            let (smaller, warp) = parted(stage);
            if best.is_none_or(|(most, ..)| smaller > most) {
                best = Some((smaller, stage.session.cycle(), warp));
            }
        }
        let (_, cycle, warp) = best.unwrap_or_default();
        stage.session.seek(cycle);
        self.selection = warp;
        self.notice = None;
    }

    /// Selects a masked lane, of the selected warp if it has one; the inspector says why the lane is idle.
    pub fn try_asking(&mut self) {
        let Some(stage) = &self.stage else { return };
        let picture = stage.picture();
        let own = self.selection.and_then(Selection::warp).and_then(|(sm, warp)| picture.warp(sm, warp));
        let masked = own.into_iter().chain(&picture.warps).find_map(|warp| {
            let lane = (0..warp.width).find(|&lane| warp.lane(lane) == LaneActivity::Masked)?;
            Some(Selection::Lane { sm: warp.sm, warp: warp.warp, lane: lane as u8 })
        });
        self.selection = masked.or(self.selection);
        self.tried(|hints| hints.asked = true);
    }

    /// Runs the same kernel under thread block compaction, seeks to a compaction, and says what the whole run gains.
    pub fn try_compaction(&mut self) {
        self.decide("divergence", Some("TBC"));
        self.go_to_a_compaction();
        self.notice = self.gain().map(|text| Notice { has_counterexample: true, ..Notice::good(text) });
        self.tried(|hints| hints.compared = true);
    }

    /// Loads the kernel on which thread block compaction loses, under it, and says what the whole run loses.
    pub fn try_counterexample(&mut self) {
        self.load_with(COUNTER);
        self.decide("divergence", Some("TBC"));
        self.go_to_a_compaction();
        self.notice = self.gain().map(Notice::good);
    }

    /// Seeks to the cycle, of the next `FAR`, that forms a warp of threads from the most static warps.
    fn go_to_a_compaction(&mut self) {
        let Some(stage) = &mut self.stage else { return };
        let block_warps = stage.session.sim().machine.block_warps;
        let (mut best, mut at) = (0, stage.session.cycle());
        for _ in 0..FAR {
            stage.session.step();
            let origins = origins(stage);
            if origins > best {
                (best, at) = (origins, stage.session.cycle());
            }
            // No warp has threads of more.
            if best >= block_warps {
                break;
            }
        }
        stage.session.seek(at);
        self.selection = Some(Selection::Warp { sm: 0, warp: 0 });
    }

    /// Compares the whole run under thread block compaction with that under a stack for each warp, in a sentence.
    fn gain(&self) -> Option<String> {
        let with = self.whole(&self.setup)?;
        let without = self.whole(&self.setup.with_technique("divergence", Some("PDOM")))?;
        let change = 100.0 * (with.cycles as f64 / without.cycles as f64 - 1.0);
        let (more, less) = (grouped(with.cycles), grouped(without.cycles));
        let used = |report: &Report| format!("{:.1}%", 100.0 * report.lane_efficiency);
        let (before, after) = (used(&without), used(&with));
        if change < 0.0 {
            let fewer = -change;
            return Some(format!(
                "Under TBC the whole run takes {more} cycles instead of {less}, {fewer:.1}% fewer: \
                 its warps use {after} of their lanes instead of {before}."
            ));
        }
        let waits = 100.0 * with.warp_cycles.get(Reason::Sync) as f64 / with.warp_cycles.total().max(1) as f64;
        Some(format!(
            "Under TBC the whole run takes {more} cycles instead of {less}, {change:.1}% more: its warps use {after} of their lanes \
             instead of {before}, but wait for their block at every branch, {waits:.0}% of the time."
        ))
    }

    /// Runs the kernel to its end on a machine; `None` if that takes too long.
    fn whole(&self, setup: &MachineSpec) -> Option<Report> {
        let ready = self.reading.ready.as_ref().ok()?;
        let config = setup.config().ok()?;
        let mut metrics = Metrics::of(&config);
        let mut sim = Sim::of(&ready.job, config.clone()).ok()?;
        sim.run(WHOLE, &mut metrics);
        sim.finished().then(|| Report::new(&metrics, &config, sim.state.cycle))
    }

    /// Marks a hint as done; removes the hints once all are done.
    pub(super) fn tried(&mut self, note: impl FnOnce(&mut Hints)) {
        if let Some(hints) = &mut self.hints {
            note(hints);
            if *hints == (Hints { stepped: true, asked: true, compared: true }) {
                self.hints = None;
            }
        }
    }
}

/// Returns the number of lanes on the smaller side of the last cycle's divergence, and its warp unless warps re-form.
fn parted(stage: &Stage) -> (u32, Option<Selection>) {
    let reforms = stage.session.sim().machine.reforms;
    let branch = stage.session.last().iter().find_map(|event| match *event {
        Event::Branch { sm, warp, diverged: true, taken, not_taken, .. } => {
            Some((taken.count_ones().min(not_taken.count_ones()), Selection::Warp { sm, warp }))
        }
        _ => None,
    });
    branch.map_or((0, None), |(smaller, warp)| (smaller, (!reforms).then_some(warp)))
}

/// Returns from how many static warps the threads of a warp come that the last cycle formed; the most of all such warps.
fn origins(stage: &Stage) -> u32 {
    let (mut most, mut now) = (0, 0);
    for event in stage.session.last() {
        match event {
            Event::Formed { .. } => now = 0,
            Event::Member { .. } => now += 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}
