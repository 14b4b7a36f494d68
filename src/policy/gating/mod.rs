//! Which lanes of the INT and FP pipelines sleep, and on which lanes an instruction executes (Origami).
//!
//! - **gated**: a lane that is cut off from its supply. Switching it off and on costs as much as it leaks in `break_even`
//!   cycles; a sleep that is shorter is a loss.
//! - **idle-detect**: the idle cycles after which a lane is switched off.
//! - **fold**: a warp executes in two halves, one behind the other, on the lower half of each cluster of lanes.
//! - **phase**: so many cycles, at the start of which it is decided which type folds for how long.
//!
//! [`lane`] is the life of one lane, [`fold`] says on which lanes threads execute, [`phase`] when warps fold.

pub mod fold;
pub mod lane;
pub mod phase;

use super::view::Unit;
use crate::config::{Config, GatingKind};
use fold::Placement;
use lane::Rules;
use phase::Folding;

/// The decisions about the lanes of an SM, with their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gating {
    pub rules: Rules,
    /// When warps fold, if they do.
    pub folding: Option<Folding>,
    /// Threads execute on the leftmost lanes of their clusters.
    pub shifts: bool,
    pub cluster: u32,
}

impl Gating {
    /// Nothing where lanes are not looked at.
    pub fn new(config: &Config) -> Option<Gating> {
        (config.gating != GatingKind::Off).then(|| Gating {
            rules: Rules::new(config),
            folding: config.fold.then(|| Folding::new(config)),
            shifts: config.lane_shift,
            cluster: config.cluster_lanes,
        })
    }

    /// On which lanes an instruction for the threads of `mask` executes, if it issues in this cycle.
    pub fn placement(&self, unit: Unit, mask: u32, cycle: u64) -> Placement {
        let folds = self.folding.as_ref().is_some_and(|folding| folding.folds(unit, cycle));
        Placement::new(mask, self.cluster, self.shifts, folds)
    }

    /// Idle cycles before a lane of a pipeline is switched off. While a type folds, the lanes that folding leaves free do not
    /// wait for more than one (eager gating, section 3.3), unless all lanes go off together.
    pub fn idle_detect(&self, unit: Unit, lane: u32, cycle: u64) -> u32 {
        let upper = lane % self.cluster >= self.cluster / 2 && !self.rules.together;
        let eager = upper && self.folding.as_ref().is_some_and(|folding| folding.eager && folding.folds(unit, cycle));
        if eager { 1.min(self.rules.idle_detect) } else { self.rules.idle_detect }
    }
}
