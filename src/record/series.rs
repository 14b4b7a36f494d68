//! Counts over stretches of cycles, for plots: never more than a fixed number of stretches, which grow as the run does.

use crate::event::{CacheOutcome, Event, Reason, SlotUse};

/// The most stretches that are kept.
const MOST: usize = 1024;

/// How issue slots are told apart: active threads in eighths of the width, then stall, memory, idle (TBC figure 13).
pub const SLOT_CLASSES: usize = 11;

/// What happened in one stretch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// SM-cycles that were simulated.
    pub cycles: u64,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    /// Warp-cycles in the order of [`Reason::ALL`].
    pub reasons: [u64; Reason::ALL.len()],
    pub slots: [u64; SLOT_CLASSES],
    pub divergent_branches: u64,
    pub l1_hits: u64,
    pub l1_misses: u64,
    pub l1_merges: u64,
    pub l2_hits: u64,
    pub l2_misses: u64,
    pub transactions: u64,
    /// Warp-cycles by the size of the warp's gang, singletons first (VWS figure 18).
    pub gangs: [u64; 8],
}

impl Bucket {
    pub fn add(&mut self, other: &Bucket) {
        self.cycles += other.cycles;
        self.warp_instructions += other.warp_instructions;
        self.thread_instructions += other.thread_instructions;
        self.reasons.iter_mut().zip(other.reasons).for_each(|(a, b)| *a += b);
        self.slots.iter_mut().zip(other.slots).for_each(|(a, b)| *a += b);
        self.divergent_branches += other.divergent_branches;
        self.l1_hits += other.l1_hits;
        self.l1_misses += other.l1_misses;
        self.l1_merges += other.l1_merges;
        self.l2_hits += other.l2_hits;
        self.l2_misses += other.l2_misses;
        self.transactions += other.transactions;
        self.gangs.iter_mut().zip(other.gangs).for_each(|(a, b)| *a += b);
    }
}

#[derive(Clone, Debug)]
pub struct Series {
    buckets: Vec<Bucket>,
    /// Cycles of a bucket, as a power of two.
    log_span: u32,
    sms: usize,
    /// How large the gangs of each SM are now; empty where there are none.
    gangs: Vec<[u16; 8]>,
}

impl Series {
    pub fn new(sms: usize) -> Series {
        Series { buckets: Vec::new(), log_span: 0, sms, gangs: Vec::new() }
    }

    /// Cycles of a bucket; the last bucket may be shorter.
    pub fn span(&self) -> u64 {
        1 << self.log_span
    }

    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// SMs whose counts are added up here.
    pub fn sms(&self) -> usize {
        self.sms
    }

    #[inline]
    pub fn event(&mut self, cycle: u64, event: &Event) {
        match *event {
            Event::Cycle { sm, counts, repeat } => {
                let sizes = self.gangs.get(usize::from(sm)).copied().unwrap_or_default();
                self.spread(cycle, repeat, |bucket, cycles| {
                    bucket.cycles += cycles;
                    bucket.reasons.iter_mut().zip(counts).for_each(|(sum, count)| *sum += u64::from(count) * cycles);
                    bucket.gangs.iter_mut().zip(sizes).for_each(|(sum, size)| *sum += u64::from(size) * cycles);
                });
            }
            Event::GangSizes { sm, sizes } => {
                if self.gangs.is_empty() {
                    self.gangs = vec![[0; 8]; self.sms];
                }
                if let Some(known) = self.gangs.get_mut(usize::from(sm)) {
                    *known = sizes;
                }
            }
            Event::Slot { slot, repeat, .. } => {
                let class = match slot {
                    SlotUse::Threads(threads) => usize::from(threads.clamp(1, 32) - 1) / 4,
                    SlotUse::Stall => 8,
                    SlotUse::Memory => 9,
                    SlotUse::Idle => 10,
                };
                self.spread(cycle, repeat, |bucket, cycles| bucket.slots[class] += cycles);
            }
            Event::Issued { mask, .. } => {
                let bucket = self.at(cycle);
                bucket.warp_instructions += 1;
                bucket.thread_instructions += u64::from(mask.count_ones());
            }
            Event::Branch { diverged: true, .. } => self.at(cycle).divergent_branches += 1,
            Event::L1 { outcome, .. } => {
                let bucket = self.at(cycle);
                *match outcome {
                    CacheOutcome::Hit => &mut bucket.l1_hits,
                    CacheOutcome::Miss => &mut bucket.l1_misses,
                    CacheOutcome::Merged => &mut bucket.l1_merges,
                } += 1;
            }
            Event::L2 { outcome, .. } => {
                let bucket = self.at(cycle);
                *if outcome == CacheOutcome::Hit { &mut bucket.l2_hits } else { &mut bucket.l2_misses } += 1;
            }
            Event::Memory { transactions, .. } => self.at(cycle).transactions += u64::from(transactions),
            _ => {}
        }
    }

    /// Books `repeat` equal cycles from `cycle` on to the buckets that they fall into.
    #[inline]
    fn spread(&mut self, mut cycle: u64, mut repeat: u64, mut book: impl FnMut(&mut Bucket, u64)) {
        // Making room first keeps the span the same throughout.
        self.at(cycle + repeat.max(1) - 1);
        while repeat > 0 {
            let span = self.span();
            let here = (span - (cycle & (span - 1))).min(repeat);
            book(self.at(cycle), here);
            (cycle, repeat) = (cycle + here, repeat - here);
        }
    }

    #[inline]
    fn at(&mut self, cycle: u64) -> &mut Bucket {
        let mut at = (cycle >> self.log_span) as usize;
        while at >= MOST {
            self.halve();
            at = (cycle >> self.log_span) as usize;
        }
        if self.buckets.len() <= at {
            self.buckets.resize(at + 1, Bucket::default());
        }
        &mut self.buckets[at]
    }

    fn halve(&mut self) {
        let halves = self.buckets.chunks(2).map(|pair| {
            let mut sum = pair[0];
            pair[1..].iter().for_each(|other| sum.add(other));
            sum
        });
        self.buckets = halves.collect();
        self.log_span += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_grow_and_nothing_is_lost() {
        let mut series = Series::new(1);
        let counts = [1, 0, 2, 0, 0, 0, 0, 0, 0];
        let mut cycle = 0;
        for repeat in [1, 1, 700, 1, 4000, 3, 20_000] {
            series.event(cycle, &Event::Cycle { sm: 0, counts, repeat });
            series.event(cycle, &Event::Slot { sm: 0, port: 0, slot: SlotUse::Threads(32), repeat });
            cycle += repeat;
        }
        let mut all = Bucket::default();
        series.buckets().iter().for_each(|bucket| all.add(bucket));
        assert_eq!((all.cycles, all.reasons[0], all.reasons[2], all.slots[7]), (cycle, cycle, 2 * cycle, cycle));
        assert!(series.buckets().len() <= MOST);
        assert!(series.buckets()[..100].iter().all(|bucket| bucket.cycles == series.span()));
    }
}
