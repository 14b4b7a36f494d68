//! The warp-phases of a run, for figures: the first ones in full, the rest as a sum.

use crate::event::Event;
use crate::metrics::phases::{Phase, PhasePart, PhaseTracker};

/// The most memory that the kept phases take: 3 MB, counted in parts of 24 bytes.
const MOST_PARTS: usize = (3 << 20) / size_of::<PhasePart>();
/// The size of a phase without its parts, in parts.
const OWN_PARTS: usize = size_of::<Phase>().div_ceil(size_of::<PhasePart>());

/// Warp-phases that have ended, in the order of their ends.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    tracker: PhaseTracker,
    kept: Vec<Phase>,
    /// Memory that the kept phases take, in parts.
    used: usize,
    ended: u64,
    rtru_millionths: u64,
}

impl Phases {
    /// Listens to starts and ends of blocks and warps, and to barriers; other events change nothing.
    pub fn event(&mut self, cycle: u64, event: Event) {
        let Some(phase) = self.tracker.event(cycle, event) else { return };
        self.rtru_millionths += phase.rtru_millionths();
        self.used = self.used.saturating_add(OWN_PARTS + phase.parts.len());
        // `used` never shrinks: once a phase is left out, all later ones are, so the kept ones are the first.
        if self.used <= MOST_PARTS {
            self.kept.push(phase);
        }
        self.ended += 1;
    }

    /// Returns the first phases that ended.
    pub fn kept(&self) -> &[Phase] {
        &self.kept
    }

    /// Returns how many later phases are not kept.
    pub fn left_out(&self) -> u64 {
        self.ended - self.kept.len() as u64
    }

    /// Returns the phases that resident blocks are in at cycle `now`; none where earlier phases have been left out.
    pub fn open(&self, now: u64) -> impl Iterator<Item = Phase> {
        self.tracker.open(now).filter(|_| self.left_out() == 0)
    }

    /// Returns the average RTRU over all phases, from 0 to 1; `None` where none has ended.
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
        assert!(parts * size_of::<PhasePart>() <= 3 << 20);
        // Half of the warps take one cycle, the others none. The average includes phases that are left out.
        assert_eq!(phases.rtru(), Some(0.5));
        phases.event(9, Event::BlockStart { sm, slot, block: rounds, first_warp, warps: 1 });
        assert_eq!(phases.open(20).count(), 0, "its earlier phases may be among those left out");
    }

    #[test]
    fn a_run_without_phases_has_no_average() {
        assert_eq!(Phases::default().rtru(), None);
    }
}
