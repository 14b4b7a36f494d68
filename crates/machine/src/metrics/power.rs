//! What the lanes of the INT and FP pipelines did, and what power gating saved (Origami sections 2.3 and 4.2).
//!
//! Every cycle of every lane is in exactly one class. A lane leaks in all classes but *gated*. Switching it off and on costs
//! as much as it leaks in `break_even` cycles.

use crate::config::{Config, GatingKind};
use crate::event::Event;
use serde::{Deserialize, Serialize};

/// Gaps between two instructions of a pipeline that are shorter than this are bubbles (figure 2).
const BUBBLE: u64 = 10;

/// Lane-cycles by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneCycles {
    /// An instruction is in it.
    pub busy: u64,
    /// On, empty, and never switched off.
    pub idle: u64,
    /// On, empty, and counting the cycles until it is switched off.
    pub idle_detect: u64,
    /// Switched off.
    pub gated: u64,
    /// On its way to be usable again.
    pub wakeup: u64,
}

impl LaneCycles {
    /// Returns the sum of all classes.
    pub fn total(&self) -> u64 {
        self.busy + self.idle + self.idle_detect + self.gated + self.wakeup
    }
}

/// Counts of one pipeline, or of all pipelines of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct PipeCounts {
    cycles: LaneCycles,
    events: u64,
    /// Gating events after which the lane woke before break-even.
    lost: u64,
    instructions: u64,
    folded: u64,
    bubbles: u64,
}

/// The state of a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pipe {
    /// The cycle from which its lanes do what they do now.
    since: u64,
    busy: u32,
    dark: u32,
    earning: u32,
    waking: u32,
    /// The cycle in which each lane was last gated.
    off_at: [u64; 32],
    /// The first cycle in which its last instruction has entered completely.
    entered: Option<u64>,
    counts: PipeCounts,
}

/// Counts over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerCounts {
    gating: Option<GatingKind>,
    lanes: u32,
    break_even: u32,
    /// Pipelines of an SM: INT and FP of each SP in turn.
    per_sm: usize,
    pipes: Vec<Pipe>,
}

impl PowerCounts {
    pub fn new(config: &Config) -> PowerCounts {
        if config.gating == GatingKind::Off {
            return PowerCounts::default();
        }
        let per_sm = 2 * config.sp_units as usize;
        PowerCounts {
            gating: Some(config.gating),
            lanes: config.simd_width.min(config.warp_width),
            break_even: config.break_even,
            per_sm,
            pipes: vec![Pipe::default(); per_sm * config.sms as usize],
        }
    }

    fn at(&self, sm: u16, pipe: u8) -> usize {
        usize::from(sm) * self.per_sm + usize::from(pipe)
    }

    pub fn event(&mut self, cycle: u64, event: Event) {
        match event {
            Event::Lanes { sm, pipe, busy, dark, earning, waking } => {
                let (at, lanes, gating) = (self.at(sm, pipe), self.lanes, self.gating);
                let break_even = u64::from(self.break_even);
                let Some(pipe) = self.pipes.get_mut(at) else { return };
                pipe.pass(cycle, lanes, gating);
                // A lane that is requested in the very cycle in which it is gated wakes at once, which costs as much.
                let goes_off = (dark | earning | waking) & !(pipe.dark | pipe.earning | pipe.waking);
                let wakes = waking & !pipe.waking;
                if goes_off | wakes != 0 {
                    let each = |mask: u32| (0..32).filter(move |lane| mask >> lane & 1 != 0);
                    each(goes_off).for_each(|lane| pipe.off_at[lane] = cycle);
                    pipe.counts.lost += each(wakes).filter(|&lane| cycle - pipe.off_at[lane] < break_even).count() as u64;
                }
                pipe.counts.events += u64::from(goes_off.count_ones());
                (pipe.busy, pipe.dark, pipe.earning, pipe.waking) = (busy, dark, earning, waking);
            }
            Event::Placed { sm, pipe, then, interval, .. } => {
                let at = self.at(sm, pipe);
                let Some(pipe) = self.pipes.get_mut(at) else { return };
                let counts = &mut pipe.counts;
                let gap = pipe.entered.map_or(0, |entered| cycle.saturating_sub(entered));
                counts.bubbles += if gap < BUBBLE { gap } else { 0 };
                pipe.entered = Some(cycle + u64::from(interval) * if then == 0 { 1 } else { 2 });
                counts.instructions += 1;
                counts.folded += u64::from(then != 0);
            }
            _ => {}
        }
    }

    /// Returns the numbers after so many cycles; `None` where lanes are not tracked.
    pub fn report(&self, cycles: u64) -> Option<PowerReport> {
        self.gating?;
        let of_type = |second: usize| self.sum(self.pipes.iter().skip(second).step_by(2), cycles);
        Some(PowerReport { int: of_type(0), fp: of_type(1) })
    }

    /// Returns the numbers of one pipeline of an SM.
    pub fn of_pipe(&self, sm: u16, pipe: u8, cycles: u64) -> Option<PipelinePower> {
        let pipe = self.pipes.get(self.at(sm, pipe))?;
        Some(self.sum([pipe].into_iter(), cycles))
    }

    fn sum<'p>(&self, pipes: impl Iterator<Item = &'p Pipe>, cycles: u64) -> PipelinePower {
        let (mut all, mut count) = (PipeCounts::default(), 0);
        for pipe in pipes {
            let mut pipe = *pipe;
            pipe.pass(cycles, self.lanes, self.gating);
            all.add(&pipe.counts);
            count += 1;
        }
        all.report(self.break_even, cycles * count)
    }
}

impl Pipe {
    /// Books the cycles since its last event.
    fn pass(&mut self, cycle: u64, lanes: u32, gating: Option<GatingKind>) {
        let span = cycle.saturating_sub(self.since);
        let of = |mask: u32| u64::from(mask.count_ones()) * span;
        let off = of(self.dark) + of(self.earning);
        let idle = u64::from(lanes) * span - of(self.busy) - off - of(self.waking);
        let cycles = &mut self.counts.cycles;
        cycles.busy += of(self.busy);
        cycles.gated += off;
        cycles.wakeup += of(self.waking);
        *(if gating == Some(GatingKind::On) { &mut cycles.idle_detect } else { &mut cycles.idle }) += idle;
        self.since = self.since.max(cycle);
    }
}

impl PipeCounts {
    fn add(&mut self, other: &PipeCounts) {
        let (cycles, more) = (&mut self.cycles, &other.cycles);
        cycles.busy += more.busy;
        cycles.idle += more.idle;
        cycles.idle_detect += more.idle_detect;
        cycles.gated += more.gated;
        cycles.wakeup += more.wakeup;
        self.events += other.events;
        self.lost += other.lost;
        self.instructions += other.instructions;
        self.folded += other.folded;
        self.bubbles += other.bubbles;
    }

    fn report(&self, break_even: u32, pipeline_cycles: u64) -> PipelinePower {
        let share = |part: f64, whole: u64| if whole == 0 { 0.0 } else { part / whole as f64 };
        let all = self.cycles.total();
        let overhead = (self.events * u64::from(break_even)) as f64;
        PipelinePower {
            lane_cycles: self.cycles,
            gating_events: self.events,
            lost_events: self.lost,
            overhead: share(overhead, all),
            leakage_saved: share(self.cycles.gated as f64 - overhead, all),
            instructions: self.instructions,
            folded: share(self.folded as f64, self.instructions),
            bubbles: share(self.bubbles as f64, pipeline_cycles),
        }
    }
}

/// The numbers of the pipelines of both types.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerReport {
    /// The INT pipelines.
    pub int: PipelinePower,
    /// The FP pipelines.
    pub fp: PipelinePower,
}

impl PowerReport {
    /// Returns the share over both types together.
    pub fn leakage_saved(&self) -> f64 {
        let [int, fp] = [&self.int, &self.fp].map(|power| (power.leakage_saved, power.lane_cycles.total() as f64));
        if int.1 + fp.1 == 0.0 { 0.0 } else { (int.0 * int.1 + fp.0 * fp.1) / (int.1 + fp.1) }
    }
}

/// The numbers of the pipelines of one type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PipelinePower {
    /// What the lanes did.
    pub lane_cycles: LaneCycles,
    /// Times that a lane was switched off.
    pub gating_events: u64,
    /// Gating events after which the lane woke before break-even.
    pub lost_events: u64,
    /// What switching costs, as a share of all leakage (figure 11).
    pub overhead: f64,
    /// Share of all leakage that gating saved, net of that cost (figure 10).
    pub leakage_saved: f64,
    /// Instructions that the pipelines accepted.
    pub instructions: u64,
    /// Share of instructions that were folded (figure 12).
    pub folded: f64,
    /// Share of cycles in gaps of fewer than 10 between two instructions (figure 2).
    pub bubbles: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> PowerCounts {
        PowerCounts::new(&Config { gating: GatingKind::On, sp_units: 1, ..Config::default() })
    }

    fn lanes(pipe: u8, busy: u32, dark: u32, earning: u32, waking: u32) -> Event {
        Event::Lanes { sm: 0, pipe, busy, dark, earning, waking }
    }

    #[test]
    fn every_lane_cycle_is_in_one_class_and_sleep_has_its_price() {
        let mut counts = counts();
        counts.event(0, lanes(0, 3, 0, 0, 0));
        counts.event(4, lanes(0, 0, 0, 0, 0));
        counts.event(9, lanes(0, 0, u32::MAX, 0, 0));
        counts.event(23, lanes(0, 0, 0, u32::MAX, 0));
        counts.event(40, lanes(0, 0, 0, !1, 1));
        let report = counts.report(43).expect("lanes are looked at");
        let cycles = LaneCycles { busy: 8, idle: 0, idle_detect: 4 * 30 + 5 * 32, gated: 31 * 32 + 3 * 31, wakeup: 3 };
        assert_eq!(report.int.lane_cycles, cycles);
        assert_eq!(cycles.total(), 32 * 43);
        assert_eq!((report.int.gating_events, report.int.lost_events), (32, 0));
        let saved = (31 * 32 + 3 * 31 - 32 * 14) as f64 / (32 * 43) as f64;
        assert!((report.int.leakage_saved - saved).abs() < 1e-12);
        assert_eq!(report.fp.lane_cycles, LaneCycles { idle_detect: 32 * 43, ..LaneCycles::default() }, "nobody told otherwise");
    }

    #[test]
    fn a_lane_that_wakes_when_it_has_just_paid_is_none() {
        let mut counts = counts();
        counts.event(0, lanes(1, 0, 1, 0, 0));
        counts.event(14, lanes(1, 0, 0, 0, 1));
        let fp = counts.report(17).expect("lanes are looked at").fp;
        assert_eq!((fp.gating_events, fp.lost_events, fp.leakage_saved), (1, 0, 0.0));
    }

    #[test]
    fn a_lane_that_is_wanted_too_early_is_a_loss() {
        let mut counts = counts();
        counts.event(0, lanes(1, 0, 1, 0, 0));
        counts.event(5, lanes(1, 0, 0, 0, 1));
        counts.event(8, lanes(1, 1, 0, 0, 0));
        let fp = counts.report(10).expect("lanes are looked at").fp;
        assert_eq!((fp.gating_events, fp.lost_events), (1, 1));
        assert!(fp.leakage_saved < 0.0 && (fp.leakage_saved - (5.0 - 14.0) / 320.0).abs() < 1e-12);
    }

    #[test]
    fn gaps_of_fewer_than_ten_cycles_are_bubbles() {
        let mut counts = counts();
        let placed = |then| Event::Placed { sm: 0, warp: 0, pipe: 0, first: 1, then, interval: 1 };
        // The input is taken in cycles 0, 2 to 3 (folded), 4, 14 and 25.
        for (cycle, then) in [(0, 0), (2, 1), (4, 0), (14, 0), (25, 0)] {
            counts.event(cycle, placed(then));
        }
        let int = counts.report(100).expect("lanes are looked at").int;
        assert_eq!((int.instructions, int.folded, int.bubbles), (5, 0.2, 0.1), "gaps of 1, 0, 9 and 10 cycles");
    }
}
