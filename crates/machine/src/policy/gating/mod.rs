//! Power gating of the INT and FP lanes, and the placement of instructions on lanes (Origami).
//!
//! - **power-gated**: a lane is cut off from its supply. Switching it off and on costs as much as it leaks in `break_even`
//!   cycles; a shorter sleep costs more than it saves.
//! - **idle-detect**: the number of idle cycles after which a lane is switched off.
//! - **fold**: a warp executes in two halves, one after the other, on the lower half of each cluster of lanes.
//! - **phase**: a fixed number of cycles; at its start the policy decides how long each instruction type folds.
//!
//! [`lane`] has the states of one lane, [`fold`] places threads on lanes, [`phase`] decides when warps fold.

pub mod fold;
pub mod lane;
pub(crate) mod phase;

use super::view::Unit;
use crate::config::{Config, GatingKind};
use fold::Placement;
use lane::Rules;
use phase::Folding;

/// The gating and folding policies of an SM, with their state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gating {
    /// When lanes are switched off and on.
    pub rules: Rules,
    /// When warps fold; `None` without folding.
    pub folding: Option<Folding>,
    /// Whether threads execute on the leftmost lanes of their clusters.
    pub shifts: bool,
    /// Lanes of a cluster, within which threads move.
    pub cluster: u32,
}

impl Gating {
    /// Creates the policies; `None` if the machine does not track lanes.
    pub fn new(config: &Config) -> Option<Gating> {
        (config.gating != GatingKind::Off).then(|| Gating {
            rules: Rules::new(config),
            folding: config.fold.then(|| Folding::new(config)),
            shifts: config.lane_shift,
            cluster: config.cluster_lanes,
        })
    }

    /// Returns the lanes on which an instruction for the threads of `mask` executes, if it issues in `cycle`.
    pub fn placement(&self, unit: Unit, mask: u32, cycle: u64) -> Placement {
        let folds = self.folding.as_ref().is_some_and(|folding| folding.folds(unit, cycle));
        Placement::new(mask, self.cluster, self.shifts, folds)
    }

    /// Returns the idle cycles before a lane is switched off. While a type folds, the lanes that folding leaves free wait for one
    /// cycle at most (eager gating, section 3.3), unless all lanes are switched together.
    pub fn idle_detect(&self, unit: Unit, lane: u32, cycle: u64) -> u32 {
        let upper = lane % self.cluster >= self.cluster / 2 && !self.rules.together;
        let eager = upper && self.folding.as_ref().is_some_and(|folding| folding.eager && folding.folds(unit, cycle));
        if eager { 1.min(self.rules.idle_detect) } else { self.rules.idle_detect }
    }
}
