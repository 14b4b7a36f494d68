//! Gang scheduling: which gang issues first (VWS section 6.3).
//!
//! In every cycle the issue stage asks for one gang after another, among those that are ready and whose slices are free, up to
//! `gangs_per_cycle` per scheduler. Singletons fill the remaining slices.

use crate::config::GangScheduleKind;
use crate::program::Pc;
use std::cmp::Reverse;

/// A gang that can issue in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyGang {
    /// Position in the gang table: original gang times [`ENTRIES`](super::ENTRIES) plus entry.
    pub gang: u32,
    /// Members, a bit per slice.
    pub mask: u8,
    pub pc: Pc,
    /// Dispatch order of its first member: lower is older.
    pub age: u64,
    /// Whether a member is late, so that the gang goes first.
    pub late: bool,
}

/// A gang-scheduling policy with its state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GangSchedule {
    kind: GangScheduleKind,
    /// The gang that issued last; under the greedy policies, the first one of its cycle.
    last: Option<u32>,
}

impl GangSchedule {
    pub fn new(kind: GangScheduleKind) -> GangSchedule {
        GangSchedule { kind, last: None }
    }

    /// Returns the gang to issue, as the first of this cycle or a further one. Without candidates the state does not change.
    pub fn pick(&mut self, candidates: &[ReadyGang], is_first: bool) -> Option<ReadyGang> {
        let greedy = |c: &ReadyGang| (Some(c.gang) != self.last, c.age, c.gang);
        let size = |c: &ReadyGang| c.mask.count_ones();
        let chosen = match self.kind {
            GangScheduleKind::Bgto => candidates.iter().min_by_key(|c| (!c.late, Reverse(size(c)), greedy(c))),
            GangScheduleKind::Gto => candidates.iter().min_by_key(|c| (!c.late, greedy(c))),
            GangScheduleKind::Lrr => {
                let behind = |c: &ReadyGang| self.last.is_some_and(|last| c.gang <= last);
                candidates.iter().min_by_key(|c| (!c.late, behind(c), c.gang))
            }
            GangScheduleKind::Lpc => candidates.iter().min_by_key(|c| (!c.late, c.pc, c.age, c.gang)),
            GangScheduleKind::Lgto => candidates.iter().min_by_key(|c| (!c.late, size(c), greedy(c))),
        }?;
        // Round robin continues behind the last gang issued; the greedy policies follow the first gang of a cycle.
        if is_first || self.kind == GangScheduleKind::Lrr {
            self.last = Some(chosen.gang);
        }
        Some(*chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gangs of sizes 8, 2, 4 and 4, from original gangs with ages 3, 0, 2 and 1.
    const GANGS: [ReadyGang; 4] = [
        ReadyGang { gang: 0, mask: 0xff, pc: 9, age: 3, late: false },
        ReadyGang { gang: 4, mask: 0x03, pc: 7, age: 0, late: false },
        ReadyGang { gang: 8, mask: 0x0f, pc: 7, age: 2, late: false },
        ReadyGang { gang: 12, mask: 0xf0, pc: 2, age: 1, late: false },
    ];

    fn order(kind: GangScheduleKind) -> Vec<u32> {
        let mut schedule = GangSchedule::new(kind);
        let mut rest = GANGS.to_vec();
        std::iter::from_fn(|| {
            let chosen = schedule.pick(&rest, true)?;
            rest.retain(|c| c.gang != chosen.gang);
            Some(chosen.gang)
        })
        .collect()
    }

    #[test]
    fn each_order_by_hand() {
        assert_eq!(order(GangScheduleKind::Bgto), [0, 12, 8, 4]);
        assert_eq!(order(GangScheduleKind::Gto), [4, 12, 8, 0]);
        assert_eq!(order(GangScheduleKind::Lrr), [0, 4, 8, 12]);
        assert_eq!(order(GangScheduleKind::Lpc), [12, 4, 8, 0]);
        assert_eq!(order(GangScheduleKind::Lgto), [4, 12, 8, 0]);
    }

    /// With two gangs in a cycle, greed stays with the first.
    #[test]
    fn greed_follows_the_first_pick_of_a_cycle() {
        let mut gto = GangSchedule::new(GangScheduleKind::Gto);
        let [young, _, middle, _] = GANGS;
        assert_eq!(gto.pick(&[young], true), Some(young));
        assert_eq!(gto.pick(&[middle], false), Some(middle));
        assert_eq!(gto.pick(&[young, middle], true), Some(young), "though the other is older and issued behind it");
    }

    #[test]
    fn the_last_gang_goes_on_among_its_equals() {
        let mut bgto = GangSchedule::new(GangScheduleKind::Bgto);
        assert_eq!(bgto.pick(&[GANGS[2]], true).map(|c| c.gang), Some(8));
        assert_eq!(
            bgto.pick(&GANGS[1..], true).map(|c| c.gang),
            Some(8),
            "gang 12 is as big, and older, but has not just issued"
        );
        assert_eq!(bgto.pick(&GANGS, true).map(|c| c.gang), Some(0), "a bigger one comes first all the same");
        let mut lrr = GangSchedule::new(GangScheduleKind::Lrr);
        assert_eq!([0; 5].map(|_| lrr.pick(&GANGS, true).map_or(99, |c| c.gang)), [0, 4, 8, 12, 0]);
        assert_eq!(lrr.pick(&[], true), None);
    }

    #[test]
    fn a_late_gang_comes_first_in_every_order() {
        for kind in GangScheduleKind::ALL {
            let mut gangs = GANGS;
            gangs[2].late = true;
            assert_eq!(GangSchedule::new(kind).pick(&gangs, true).map(|c| c.gang), Some(8), "{}", kind.name());
        }
    }
}
