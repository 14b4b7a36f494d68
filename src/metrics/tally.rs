//! All that is counted while a run is stepped: the numbers of the whole run, and what each instruction cost.

use super::Metrics;
use crate::config::Config;
use crate::event::{Event, SCATTERED, Sink};
use crate::program::Pc;

/// What one instruction did to the run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Times that it issued.
    pub issues: u64,
    /// Lanes of those issues that had nothing to do.
    pub lost: u64,
    /// Times that it split its warp.
    pub splits: u64,
}

impl<'a> std::iter::Sum<&'a Cost> for Cost {
    fn sum<I: Iterator<Item = &'a Cost>>(costs: I) -> Cost {
        costs.fold(Cost::default(), |sum, cost| Cost {
            issues: sum.issues + cost.issues,
            lost: sum.lost + cost.lost,
            splits: sum.splits + cost.splits,
        })
    }
}

/// Numbers and costs up to a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    pub metrics: Metrics,
    /// By PC.
    pub costs: Vec<Cost>,
    /// Instructions whose threads are of several static warps, and those warps added up.
    scattered: u64,
    scattered_parts: u64,
    width: u32,
}

impl Tally {
    /// For a kernel of so many instructions on a machine.
    pub fn new(instructions: usize, config: &Config) -> Tally {
        let (metrics, costs) = (Metrics::of(config), vec![Cost::default(); instructions]);
        Tally { metrics, costs, scattered: 0, scattered_parts: 0, width: config.warp_width }
    }

    /// Issue slots that were shared: an instruction for threads of three static warps counts two. What that is worth shows only
    /// beside a run without regrouping, which may need fewer instructions to begin with.
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
            Event::Issued { pc, mask, first_thread, .. } => {
                self.scattered += u64::from(first_thread == SCATTERED);
                let lost = u64::from(self.width.saturating_sub(mask.count_ones()));
                if let Some(cost) = self.cost(pc) {
                    cost.issues += 1;
                    cost.lost += lost;
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
