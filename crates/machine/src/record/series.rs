//! Counts over stretches of cycles, for plots. The number of stretches is bounded, so their length grows with the run.
//!
//! The series keeps the run's totals at the end of each stretch; the counts of a stretch are the difference of two totals.

use crate::event::Reason;
use crate::metrics::{Additive, Metrics, Totals};

/// The most stretches that are kept.
const MOST: usize = 1024;

/// Counts of one stretch, or of a run up to one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StretchCounts {
    /// SM-cycles that were simulated.
    pub cycles: u64,
    /// What adds up over stretches.
    pub totals: Totals,
    /// Warp-cycles by the size of the warp's gang, singletons first (VWS figure 18).
    pub gangs: [u64; 8],
}

impl StretchCounts {
    /// Returns the totals of a run so far.
    fn of(metrics: &Metrics, cycles: u64) -> StretchCounts {
        StretchCounts { cycles, totals: metrics.totals, gangs: metrics.gangs.warp_cycles }
    }

    /// Adds the counts of another stretch.
    pub fn add(&mut self, other: &StretchCounts) {
        *self = self.with(other, |one, two| one + two);
    }

    /// Combines this and another, number by number.
    fn with(&self, other: &StretchCounts, join: impl Fn(u64, u64) -> u64 + Copy) -> StretchCounts {
        StretchCounts {
            cycles: join(self.cycles, other.cycles),
            totals: self.totals.join(&other.totals, join),
            gangs: self.gangs.join(&other.gangs, join),
        }
    }
}

/// The run's numbers over time, in stretches that grow longer with the run.
#[derive(Clone, Debug)]
pub struct Series {
    /// The run's numbers at the end of each stretch.
    totals: Vec<StretchCounts>,
    /// Length of a stretch in cycles, as an exponent of two.
    log_span: u32,
    sms: usize,
}

impl Series {
    /// Returns a series without stretches.
    pub fn new(sms: usize) -> Series {
        Series { totals: Vec::new(), log_span: 0, sms }
    }

    /// Returns the length of a stretch in cycles; the last one may be shorter.
    pub fn span(&self) -> u64 {
        1 << self.log_span
    }

    /// Returns how many stretches there are.
    pub fn len(&self) -> usize {
        self.totals.len()
    }

    /// Whether no cycle has been counted.
    pub fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// Returns how many cycles are counted.
    pub fn end(&self) -> u64 {
        self.totals.last().map_or(0, |total| total.cycles / self.sms.max(1) as u64)
    }

    /// Returns the first cycle after which `work` thread instructions were done; `None` if the run has not come so far. Within a
    /// stretch the instructions are taken as spread evenly.
    pub fn cycle_of(&self, work: u64) -> Option<u64> {
        if work == 0 {
            return Some(0);
        }
        let at = self.totals.partition_point(|total| total.totals.thread_instructions < work);
        let end = self.totals.get(at)?;
        let before = at.checked_sub(1).map_or_else(StretchCounts::default, |at| self.totals[at]);
        let sms = self.sms.max(1) as u64;
        let before_them = before.totals.thread_instructions;
        let (cycles, done) = ((end.cycles - before.cycles) / sms, end.totals.thread_instructions - before_them);
        Some(before.cycles / sms + (cycles * (work - before_them)).div_ceil(done.max(1)))
    }

    /// Returns the counts of every `group` stretches together; the last group may have fewer.
    pub fn buckets(&self, group: usize) -> Vec<StretchCounts> {
        let ends = self.totals.chunks(group.max(1)).filter_map(<[StretchCounts]>::last);
        let mut before = StretchCounts::default();
        ends.map(|end| end.with(&std::mem::replace(&mut before, *end), |now, before| now - before)).collect()
    }

    /// Returns the reasons that lists of this run show.
    pub fn reasons(&self) -> Vec<Reason> {
        Reason::listed(|reason| self.totals.last().map_or(0, |total| total.totals.warp_cycles[reason as usize]))
    }

    /// Returns the number of SMs whose counts are added up.
    pub fn sms(&self) -> usize {
        self.sms
    }

    /// Returns the end of the stretch that contains `cycle`.
    pub fn next_edge(&self, cycle: u64) -> u64 {
        ((cycle >> self.log_span) + 1) << self.log_span
    }

    /// Takes the run's totals of all cycles before `cycle`. Stretches are exact if this is called at every edge.
    pub fn count(&mut self, cycle: u64, metrics: &Metrics) {
        let Some(last) = cycle.checked_sub(1) else { return };
        while (last >> self.log_span) as usize >= MOST {
            self.halve();
        }
        let at = (last >> self.log_span) as usize;
        let total = StretchCounts::of(metrics, cycle * self.sms as u64);
        self.totals.truncate(at);
        self.totals.resize(at + 1, total);
    }

    fn halve(&mut self) {
        self.totals = self.totals.chunks(2).filter_map(|pair| pair.last().copied()).collect();
        self.log_span += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Event, ReasonCounts, Sink, SlotUse};

    #[test]
    fn stretches_grow_and_nothing_is_lost() {
        let mut series = Series::new(1);
        let mut metrics = Metrics::default();
        let counts = ReasonCounts([1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let (mut cycle, end) = (0, 24_706);
        while cycle < end {
            let stop = series.next_edge(cycle).min(end);
            let repeat = stop - cycle;
            metrics.event(cycle, Event::Cycle { sm: 0, counts, repeat });
            metrics.event(cycle, Event::Slot { sm: 0, port: 0, slot: SlotUse::Threads(32), repeat });
            series.count(stop, &metrics);
            cycle = stop;
        }
        let all = series.buckets(series.len());
        let [all] = &all[..] else { panic!("one group has all") };
        let Totals { warp_cycles, slots_by_threads, .. } = all.totals;
        assert_eq!((all.cycles, warp_cycles[0], warp_cycles[2], slots_by_threads[31]), (end, end, 2 * end, end));
        assert!(series.len() <= MOST);
        let buckets = series.buckets(1);
        let (last, whole) = buckets.split_last().expect("stretches");
        assert!(whole.iter().all(|bucket| [bucket.cycles, bucket.totals.slots_by_threads[31]] == [series.span(); 2]));
        assert_eq!(last.cycles, end - whole.len() as u64 * series.span());
        assert_eq!(series.buckets(2).len(), series.len().div_ceil(2));
    }
}
