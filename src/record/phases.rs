//! The warp-phases of a run, for figures: the first ones in full, the rest as a sum.

use crate::event::Event;
use crate::metrics::phases::{Part, Phase, PhaseTracker};

/// What the kept phases may take together: 3 MB, counted in parts of 24 bytes.
const MOST_PARTS: usize = (3 << 20) / size_of::<Part>();
/// What a phase takes beside its parts.
const OWN_PARTS: usize = size_of::<Phase>().div_ceil(size_of::<Part>());

/// Warp-phases that have ended, in the order in which they did.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    tracker: PhaseTracker,
    kept: Vec<Phase>,
    /// Room that the kept ones take, in parts.
    used: usize,
    ended: u64,
    rtru_millionths: u64,
}

impl Phases {
    /// Listens to starts and ends of blocks and warps, and to barriers; anything else changes nothing.
    pub fn event(&mut self, cycle: u64, event: Event) {
        let Some(phase) = self.tracker.event(cycle, event) else { return };
        self.rtru_millionths += phase.rtru_millionths();
        self.used = self.used.saturating_add(OWN_PARTS + phase.parts.len());
        // Once one is left out, all later ones are: those that are kept are the first.
        if self.used <= MOST_PARTS {
            self.kept.push(phase);
        }
        self.ended += 1;
    }

    /// The first phases that ended.
    pub fn kept(&self) -> &[Phase] {
        &self.kept
    }

    /// How many phases ended later than those.
    pub fn left_out(&self) -> u64 {
        self.ended - self.kept.len() as u64
    }

    /// The phases that resident blocks are in, as they stand at `now`; none where earlier phases have been left out.
    pub fn open(&self, now: u64) -> impl Iterator<Item = Phase> {
        self.tracker.open(now).filter(|_| self.left_out() == 0)
    }

    /// The average RTRU over all phases, from 0 to 1; `None` where none has ended.
    pub fn rtru(&self) -> Option<f64> {
        (self.ended > 0).then(|| self.rtru_millionths as f64 / 1e6 / self.ended as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_phases_are_kept_and_the_others_are_counted() {
        let mut phases = Phases::default();
        let warps = 1000;
        let (sm, slot, first_warp) = (0, 0, 0);
        let rounds = 2 * MOST_PARTS as u64 / u64::from(warps);
        for block in 0..rounds {
            phases.event(block, Event::BlockStart { sm, slot, block, first_warp, warps });
            (0..warps).for_each(|warp| phases.event(block + u64::from(warp % 2), Event::WarpExit { sm, warp }));
            phases.event(block + 1, Event::BlockEnd { sm, slot, block });
        }
        assert_eq!(phases.kept().len() as u64 + phases.left_out(), rounds);
        assert!(phases.left_out() > rounds / 3 && phases.kept().len() as u64 > rounds / 3);
        assert!(phases.kept().iter().zip(0..).all(|(phase, block)| phase.block == block), "the first ones");
        let parts: usize = phases.kept().iter().map(|phase| phase.parts.len()).sum();
        assert!(parts * size_of::<Part>() <= 3 << 20);
        // Half of the warps take one cycle, the others none: those of later phases count too.
        assert_eq!(phases.rtru(), Some(0.5));
        phases.event(9, Event::BlockStart { sm, slot, block: rounds, first_warp, warps: 1 });
        assert_eq!(phases.open(20).count(), 0, "its earlier phases may be among those left out");
    }

    #[test]
    fn a_run_without_phases_has_no_average() {
        assert_eq!(Phases::default().rtru(), None);
    }
}
