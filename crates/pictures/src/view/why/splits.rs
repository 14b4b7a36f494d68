//! Why lanes wait where a warp is a list of splits: for the split that runs, at a convergence barrier, or after they have yielded
//! (ITS).

use super::Explainer;
use crate::view::WarpPicture;
use crate::view::words::the_lanes;
use warpscope_machine::policy::divergence::its::{Split, SplitState, WarpSplits};

impl Explainer<'_> {
    /// Returns the splits of a warp, where it has some.
    pub(super) fn splits(&self, warp: &WarpPicture) -> Option<&WarpSplits> {
        self.sim.state.sms.get(usize::from(warp.sm))?.divergence.its()?.warp(warp.warp)
    }

    /// Says what a split that does not run waits for.
    pub(super) fn of_split(&self, who: &str, splits: &WarpSplits, split: &Split) -> String {
        let here = self.at(split.pc);
        let runs = splits.splits.iter().find(|other| other.state == SplitState::Running);
        let running =
            runs.map_or("another split".to_string(), |other| format!("{}, {}", the_lanes(other.mask), self.at(other.pc)));
        match split.state {
            SplitState::Running => format!("{who} runs, at {here}."),
            SplitState::Ready { .. } => {
                format!("{who} can go on at {here}, but its warp runs {running}, until that split waits or ends.")
            }
            SplitState::Yielded => {
                format!(
                    "{who} has yielded at {here}: the other splits of its warp go first, and no barrier waits for it meanwhile."
                )
            }
            SplitState::Blocked(barrier) => {
                let missing = splits.missing(barrier);
                let others = splits.splits.iter().filter(|other| other.mask & missing != 0);
                let places: Vec<String> = others
                    .map(|other| format!("{}, which {} {}", the_lanes(other.mask & missing), activity(other), self.at(other.pc)))
                    .collect();
                let whom = if places.is_empty() { "nobody any more".to_string() } else { places.join(" and for ") };
                format!("{who} waits at B{}, {here}, for {whom}.", barrier.register)
            }
            SplitState::Parked => {
                format!("{who} waits at {here} for other threads: at a barrier of its block, or of its PTX warp.")
            }
        }
    }

    /// Explains a warp of which no split can run.
    pub(super) fn no_split_runs(&self, name: &str, splits: &WarpSplits) -> Vec<String> {
        let each = splits.splits.iter().take(4).map(|split| {
            let who = format!("{name}'s split of {}", the_lanes(split.mask));
            self.of_split(&who, splits, split)
        });
        each.collect()
    }
}

/// What a split does, for a clause about lanes that others wait for.
fn activity(split: &Split) -> &'static str {
    match split.state {
        SplitState::Running => "run",
        SplitState::Ready { .. } => "come next, at",
        SplitState::Yielded => "have yielded at",
        SplitState::Blocked(_) => "wait at",
        SplitState::Parked => "wait for other threads at",
    }
}
