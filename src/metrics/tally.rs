//! All that is counted while a run is stepped: the numbers of the whole run, and what each instruction cost.

use super::Metrics;
use crate::event::{Event, Sink};
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

/// Numbers and costs up to a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    pub metrics: Metrics,
    /// By PC.
    pub costs: Vec<Cost>,
    width: u32,
}

impl Tally {
    /// For a kernel of so many instructions on warps of `width` lanes.
    pub fn new(instructions: usize, width: u32) -> Tally {
        Tally { metrics: Metrics::default(), costs: vec![Cost::default(); instructions], width }
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
            Event::Issued { pc, mask, .. } => {
                let lost = u64::from(self.width.saturating_sub(mask.count_ones()));
                if let Some(cost) = self.cost(pc) {
                    cost.issues += 1;
                    cost.lost += lost;
                }
            }
            Event::Branch { pc, diverged: true, .. } => {
                if let Some(cost) = self.cost(pc) {
                    cost.splits += 1;
                }
            }
            _ => {}
        }
    }
}
