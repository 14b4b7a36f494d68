//! Gang sizes over time, and how often gangs split and re-form (VWS figures 9 and 18).

use crate::event::{Event, SplitCause};
use crate::policy::gang::MAX_SLICES;
use serde::{Deserialize, Serialize};

/// The most spans that a run is cut into; in a longer run, two become one.
const SPANS: usize = 128;

/// Counts over the whole run. Warp-cycles are by the size of the warp's gang, singletons first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GangFolds {
    pub issued: u64,
    pub splits: u64,
    pub memory_splits: u64,
    pub reformations: u64,
    /// Fetches that slices looked up in their L0 caches, and the hits among them.
    pub l0_fetches: u64,
    pub l0_hits: u64,
    /// Over all cycles.
    pub warp_cycles: [u64; MAX_SLICES],
    /// The current sizes, by SM.
    sizes: Vec<[u16; MAX_SLICES]>,
    /// The sizes in the cycle in which an SM got its first warps, by SM.
    first: Vec<[u16; MAX_SLICES]>,
    /// Cycles of a span, and the warp-cycles of each.
    every: u64,
    spans: Vec<[u64; MAX_SLICES]>,
}

impl Default for GangFolds {
    fn default() -> GangFolds {
        GangFolds {
            issued: 0,
            splits: 0,
            memory_splits: 0,
            reformations: 0,
            l0_fetches: 0,
            l0_hits: 0,
            warp_cycles: [0; MAX_SLICES],
            sizes: Vec::new(),
            first: Vec::new(),
            every: 64,
            spans: Vec::new(),
        }
    }
}

/// The gang counts of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GangReport {
    /// Instructions that gangs issued, each for all of its warps.
    pub issued: u64,
    /// Times that a gang split, and how many of those for memory.
    pub splits: u64,
    pub memory_splits: u64,
    /// Times that two parts of an original gang merged.
    pub reformations: u64,
    /// The average gang size, over all warps and cycles.
    pub mean_size: f64,
    /// Warp-cycles in gangs of 1 (singletons) to 8.
    pub warp_cycles: [u64; MAX_SLICES],
    pub over_time: SizesOverTime,
}

/// Warps by the size of their gang: in the first cycle with warps, and on average over each span of `every` cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizesOverTime {
    pub first: [u64; MAX_SLICES],
    pub every: u64,
    pub warps: Vec<[f64; MAX_SLICES]>,
}

impl GangFolds {
    /// Counts gang events; cycles have a method of their own.
    pub fn event(&mut self, event: Event) {
        match event {
            Event::GangIssued { .. } => self.issued += 1,
            Event::GangSplit { cause, .. } => {
                self.splits += 1;
                self.memory_splits += u64::from(cause == SplitCause::Memory);
            }
            Event::GangMerge { .. } => self.reformations += 1,
            Event::SliceFetch { hit, .. } => {
                self.l0_fetches += 1;
                self.l0_hits += u64::from(hit);
            }
            Event::GangSizes { sm, sizes } => {
                let at = usize::from(sm);
                if self.sizes.len() <= at {
                    self.sizes.resize(at + 1, [0; MAX_SLICES]);
                    self.first.resize(at + 1, [0; MAX_SLICES]);
                }
                self.sizes[at] = sizes;
                if self.first[at] == [0; MAX_SLICES] {
                    self.first[at] = sizes;
                }
            }
            _ => {}
        }
    }

    /// Counts `repeat` cycles from `cycle` on in which the gangs of an SM stayed as they are.
    #[inline(always)]
    pub fn cycle(&mut self, sm: u16, cycle: u64, repeat: u64) {
        if !self.sizes.is_empty() {
            self.pass(sm, cycle, repeat);
        }
    }

    fn pass(&mut self, sm: u16, mut cycle: u64, mut repeat: u64) {
        let Some(sizes) = self.sizes.get(usize::from(sm)).copied() else { return };
        self.warp_cycles.iter_mut().zip(sizes).for_each(|(total, size)| *total += u64::from(size) * repeat);
        while repeat > 0 {
            while (cycle / self.every) as usize >= SPANS {
                self.every *= 2;
                self.spans = self.spans.chunks(2).map(|two| std::array::from_fn(|at| two.iter().map(|s| s[at]).sum())).collect();
            }
            let at = (cycle / self.every) as usize;
            let part = repeat.min((at as u64 + 1) * self.every - cycle);
            if self.spans.len() <= at {
                self.spans.resize(at + 1, [0; MAX_SLICES]);
            }
            for (total, size) in self.spans[at].iter_mut().zip(sizes) {
                *total += u64::from(size) * part;
            }
            (cycle, repeat) = (cycle + part, repeat - part);
        }
    }

    /// Returns the numbers of a run of so many cycles; `None` without gangs.
    pub fn report(&self, cycles: u64) -> Option<GangReport> {
        if self.sizes.is_empty() {
            return None;
        }
        let warp_cycles = self.warp_cycles;
        let all: u64 = warp_cycles.iter().sum();
        let weighted: u64 = warp_cycles.iter().enumerate().map(|(at, count)| (at as u64 + 1) * count).sum();
        let average = |(at, span): (usize, &[u64; MAX_SLICES])| {
            let length = cycles.saturating_sub(at as u64 * self.every).min(self.every).max(1);
            span.map(|count| count as f64 / length as f64)
        };
        let first = std::array::from_fn(|size| self.first.iter().map(|sizes| u64::from(sizes[size])).sum());
        Some(GangReport {
            issued: self.issued,
            splits: self.splits,
            memory_splits: self.memory_splits,
            reformations: self.reformations,
            mean_size: if all == 0 { 0.0 } else { weighted as f64 / all as f64 },
            warp_cycles,
            over_time: SizesOverTime { first, every: self.every, warps: self.spans.iter().enumerate().map(average).collect() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up_however_long_the_run_and_its_steps() {
        let mut one = GangFolds::default();
        let mut other = GangFolds::default();
        let sizes = |singles: u16| Event::GangSizes { sm: 0, sizes: [singles, 0, 0, 0, 0, 0, 0, 16] };
        for folds in [&mut one, &mut other] {
            assert_eq!(folds.report(0), None, "no gangs");
            folds.event(sizes(0));
        }
        one.cycle(0, 0, 10_000);
        (0..10_000).for_each(|cycle| other.cycle(0, cycle, 1));
        one.event(sizes(8));
        other.event(sizes(8));
        one.cycle(0, 10_000, 10_000);
        (0..100).for_each(|part| other.cycle(0, 10_000 + part * 100, 100));
        assert_eq!(one, other);
        let report = one.report(20_000).expect("gangs");
        assert_eq!(report.warp_cycles, [80_000, 0, 0, 0, 0, 0, 0, 320_000]);
        assert_eq!(report.mean_size, (80_000.0 + 8.0 * 320_000.0) / 400_000.0);
        assert!(report.over_time.warps.len() <= SPANS);
        assert_eq!(report.over_time.first, [0, 0, 0, 0, 0, 0, 0, 16], "before the first split");
        assert_eq!(report.over_time.warps[0][7], 16.0);
        assert_eq!(report.over_time.warps.last().map(|span| span[0]), Some(8.0), "the last span is shorter");
    }
}
