//! Counts over stretches of cycles, for plots. The number of stretches is bounded, so their length grows with the run.
//!
//! The series keeps the run's totals at the end of each stretch; the counts of a stretch are the difference of two totals.

use crate::event::Reason;
use crate::metrics::{Metrics, slots};

/// The most stretches that are kept.
const MOST: usize = 1024;

/// Classes of issue slots: active threads in eighths of the width, then stall, memory, idle (TBC figure 13).
pub const SLOT_CLASSES: usize = slots::MOST + slots::UNUSED.len();

/// Counts of one stretch, or of a run up to one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StretchCounts {
    /// SM-cycles that were simulated.
    pub cycles: u64,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    /// Lanes that the machine had at its issues, used or not.
    pub lanes_offered: u64,
    /// Warp-cycles in the order of [`Reason::ALL`].
    pub reasons: [u64; Reason::ALL.len()],
    pub slots: [u64; SLOT_CLASSES],
    pub l1_hits: u64,
    pub l1_misses: u64,
    pub l1_merges: u64,
    pub l2_hits: u64,
    pub l2_misses: u64,
    /// Warp-cycles by the size of the warp's gang, singletons first (VWS figure 18).
    pub gangs: [u64; 8],
}

impl StretchCounts {
    /// Returns the totals of a run so far.
    fn of(metrics: &Metrics, cycles: u64) -> StretchCounts {
        let mut classes = [0; SLOT_CLASSES];
        for (threads, count) in (1..).zip(metrics.slots_by_threads) {
            classes[slots::class_of(threads, metrics.width).min(slots::MOST - 1)] += count;
        }
        classes[slots::MOST..].copy_from_slice(&[metrics.slots_stall(), metrics.slots_memory, metrics.slots_idle]);
        StretchCounts {
            cycles,
            warp_instructions: metrics.warp_instructions,
            thread_instructions: metrics.thread_instructions,
            lanes_offered: metrics.lanes.offered,
            reasons: metrics.warp_cycles,
            slots: classes,
            l1_hits: metrics.l1d.hits,
            l1_misses: metrics.l1d.misses,
            l1_merges: metrics.l1d.mshr_merges,
            l2_hits: metrics.l2.hits,
            l2_misses: metrics.l2.accesses - metrics.l2.hits,
            gangs: metrics.gangs.warp_cycles,
        }
    }

    pub fn add(&mut self, other: &StretchCounts) {
        *self = self.with(other, |one, two| one + two);
    }

    /// Combines this and another, number by number.
    fn with(&self, other: &StretchCounts, join: impl Fn(u64, u64) -> u64) -> StretchCounts {
        let reasons = std::array::from_fn(|at| join(self.reasons[at], other.reasons[at]));
        StretchCounts {
            cycles: join(self.cycles, other.cycles),
            warp_instructions: join(self.warp_instructions, other.warp_instructions),
            thread_instructions: join(self.thread_instructions, other.thread_instructions),
            lanes_offered: join(self.lanes_offered, other.lanes_offered),
            reasons,
            slots: std::array::from_fn(|at| join(self.slots[at], other.slots[at])),
            l1_hits: join(self.l1_hits, other.l1_hits),
            l1_misses: join(self.l1_misses, other.l1_misses),
            l1_merges: join(self.l1_merges, other.l1_merges),
            l2_hits: join(self.l2_hits, other.l2_hits),
            l2_misses: join(self.l2_misses, other.l2_misses),
            gangs: std::array::from_fn(|at| join(self.gangs[at], other.gangs[at])),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Series {
    /// The run's numbers at the end of each stretch.
    totals: Vec<StretchCounts>,
    /// Length of a stretch in cycles, as an exponent of two.
    log_span: u32,
    sms: usize,
}

impl Series {
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
        let at = self.totals.partition_point(|total| total.thread_instructions < work);
        let end = self.totals.get(at)?;
        let before = at.checked_sub(1).map_or_else(StretchCounts::default, |at| self.totals[at]);
        let sms = self.sms.max(1) as u64;
        let (cycles, done) = ((end.cycles - before.cycles) / sms, end.thread_instructions - before.thread_instructions);
        Some(before.cycles / sms + (cycles * (work - before.thread_instructions)).div_ceil(done.max(1)))
    }

    /// Returns the counts of every `group` stretches together; the last group may have fewer.
    pub fn buckets(&self, group: usize) -> Vec<StretchCounts> {
        let ends = self.totals.chunks(group.max(1)).filter_map(<[StretchCounts]>::last);
        let mut before = StretchCounts::default();
        ends.map(|end| end.with(&std::mem::replace(&mut before, *end), |now, before| now - before)).collect()
    }

    /// Returns the reasons that lists of this run show.
    pub fn reasons(&self) -> Vec<Reason> {
        Reason::listed(|reason| self.totals.last().map_or(0, |total| total.reasons[reason as usize]))
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
        assert_eq!((all.cycles, all.reasons[0], all.reasons[2], all.slots[7]), (end, end, 2 * end, end));
        assert!(series.len() <= MOST);
        let buckets = series.buckets(1);
        let (last, whole) = buckets.split_last().expect("stretches");
        assert!(whole.iter().all(|bucket| bucket.cycles == series.span() && bucket.slots[7] == series.span()));
        assert_eq!(last.cycles, end - whole.len() as u64 * series.span());
        assert_eq!(series.buckets(2).len(), series.len().div_ceil(2));
    }
}
