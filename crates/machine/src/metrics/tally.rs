//! The counts of a run: its metrics, and what each instruction cost.

use super::Metrics;
use crate::config::Config;
use crate::event::{Event, SCATTERED, Sink};
use warpscope_kernel::program::Pc;

/// What one instruction has cost the run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Times that it issued.
    pub issues: u64,
    /// Lanes of those issues that were not active.
    pub lost: u64,
    /// Times that it made its warp diverge.
    pub splits: u64,
    /// Cycles of its SM from the previous issue up to its own: 1 where something issues in every cycle, more where all warps
    /// waited. Every cycle up to the last issue belongs to exactly one instruction.
    pub cycles: u64,
}

impl Cost {
    /// Returns the threads that have executed it, each time counted, for warps of `width` threads.
    pub fn threads(&self, width: u32) -> u64 {
        self.issues * u64::from(width) - self.lost
    }

    fn with(&self, other: &Cost, each: fn(u64, u64) -> u64) -> Cost {
        Cost {
            issues: each(self.issues, other.issues),
            lost: each(self.lost, other.lost),
            splits: each(self.splits, other.splits),
            cycles: each(self.cycles, other.cycles),
        }
    }
}

impl<'a> std::iter::Sum<&'a Cost> for Cost {
    fn sum<I: Iterator<Item = &'a Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), |sum, cost| sum.with(cost, |a, b| a + b))
    }
}

/// The metrics and costs of a run up to a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// The counts of the whole run.
    pub metrics: Metrics,
    /// By PC.
    pub costs: Vec<Cost>,
    /// Instructions that dynamic warps issued, and the static warps of each added up.
    scattered: u64,
    scattered_parts: u64,
    width: u32,
    /// By SM, the first cycle that no instruction's cost has yet.
    told: Vec<u64>,
}

impl Tally {
    /// Creates the counts for a kernel of so many instructions on a machine.
    pub fn new(instructions: usize, config: &Config) -> Tally {
        let (metrics, costs) = (Metrics::of(config), vec![Cost::default(); instructions]);
        let told = vec![0; config.sms as usize];
        Tally { metrics, costs, scattered: 0, scattered_parts: 0, width: config.warp_width, told }
    }

    /// Returns what these instructions cost together.
    pub fn cost_of(&self, pcs: &[Pc]) -> Cost {
        pcs.iter().filter_map(|&pc| self.costs.get(pc as usize)).sum()
    }

    /// Returns the threads that have executed one of these instructions, each time counted.
    pub fn threads_of(&self, pcs: &[Pc]) -> u64 {
        self.cost_of(pcs).threads(self.width)
    }

    /// Returns what was counted since an earlier cycle of the same run: [costs](Self::costs), and the
    /// metrics that add up.
    pub fn since(&self, earlier: &Tally) -> Tally {
        let costs = self.costs.iter().zip(&earlier.costs).map(|(now, then)| now.with(then, |a, b| a - b)).collect();
        Tally {
            metrics: self.metrics.since(&earlier.metrics),
            costs,
            scattered: self.scattered - earlier.scattered,
            scattered_parts: self.scattered_parts - earlier.scattered_parts,
            width: self.width,
            told: self.told.clone(),
        }
    }

    /// Returns the issue slots that were shared: an instruction for threads of three static warps counts two. Only a run
    /// without regrouping shows what that is worth, as it may need fewer instructions.
    pub fn shared(&self) -> u64 {
        self.scattered_parts - self.scattered
    }

    fn cost(&mut self, pc: Pc) -> Option<&mut Cost> {
        self.costs.get_mut(pc as usize)
    }
}

impl Sink for Tally {
    #[inline(always)]
    fn event(&mut self, cycle: u64, event: Event) {
        self.metrics.event(cycle, event);
        match event {
            Event::Issued { sm, pc, mask, first_thread, .. } => {
                self.scattered += u64::from(first_thread == SCATTERED);
                let lost = u64::from(self.width.saturating_sub(mask.count_ones()));
                let told = self.told.get_mut(usize::from(sm)).map_or(cycle + 1, |told| std::mem::replace(told, cycle + 1));
                if let Some(cost) = self.cost(pc) {
                    cost.issues += 1;
                    cost.lost += lost;
                    cost.cycles += cycle + 1 - told;
                }
            }
            Event::IssuedFor { .. } => self.scattered_parts += 1,
            Event::Branch { pc, diverged: true, .. } => {
                if let Some(cost) = self.cost(pc) {
                    cost.splits += 1;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replay;
    use crate::run::testing::toy;

    #[test]
    fn every_cycle_up_to_the_last_issue_is_one_instructions_and_stretches_add_up() {
        for technique in ["PDOM", "DWF", "TBC"] {
            let mut run = Replay::new(toy("collatz", technique, &[]));
            run.seek(u64::MAX);
            let all = run.tally().clone();
            let cycles: u64 = all.costs.iter().map(|cost| cost.cycles).sum();
            assert!(cycles <= run.cycle() && cycles + 40 > run.cycle(), "{technique}: {cycles} of {}", run.cycle());
            assert_eq!(cycles, all.told[0]);
            let threads: u64 = all.costs.iter().map(|cost| cost.threads(4)).sum();
            assert_eq!(threads, all.metrics.totals.thread_instructions, "{technique}");
            let middle = run.tally_at(run.cycle() / 2);
            let late = all.since(&middle);
            assert!(middle.metrics.totals.warp_instructions > 0 && late.metrics.totals.warp_instructions > 0);
            assert_eq!(
                middle.metrics.totals.warp_instructions + late.metrics.totals.warp_instructions,
                all.metrics.totals.warp_instructions,
                "{technique}"
            );
            for ((first, second), both) in middle.costs.iter().zip(&late.costs).zip(&all.costs) {
                assert_eq!([first, second].into_iter().sum::<Cost>(), *both, "{technique}");
            }
        }
    }
}
