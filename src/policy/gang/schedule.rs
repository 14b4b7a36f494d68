//! Which gang issues first (VWS section 6.3).
//!
//! In every cycle the stage asks for one gang after another, of those that are ready and whose slices are still free, until
//! as many as may have issued. Singletons fill the slices that are left.

use crate::config::GangScheduleKind;
use crate::program::Pc;
use std::cmp::Reverse;

/// A gang that could issue now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its place in the gang table: original gang times entries plus entry.
    pub gang: u32,
    /// Members, a bit for each slice.
    pub mask: u8,
    pub pc: Pc,
    /// When its first member was dispatched: lower is older.
    pub age: u64,
    /// A member has waited too long and goes first.
    pub late: bool,
}

/// An order with its memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GangSchedule {
    kind: GangScheduleKind,
    /// The gang that issued last; by greed, the first that did in its cycle.
    last: Option<u32>,
}

impl GangSchedule {
    pub fn new(kind: GangScheduleKind) -> GangSchedule {
        GangSchedule { kind, last: None }
    }

    /// The gang to issue, if there is any: the first of this cycle or a further one. Nothing changes when there is none.
    pub fn pick(&mut self, candidates: &[Candidate], is_first: bool) -> Option<Candidate> {
        let greedy = |c: &Candidate| (Some(c.gang) != self.last, c.age, c.gang);
        let size = |c: &Candidate| c.mask.count_ones();
        let chosen = match self.kind {
            GangScheduleKind::Bgto => candidates.iter().min_by_key(|c| (!c.late, Reverse(size(c)), greedy(c))),
            GangScheduleKind::Gto => candidates.iter().min_by_key(|c| (!c.late, greedy(c))),
            GangScheduleKind::Lrr => {
                let behind = |c: &Candidate| self.last.is_some_and(|last| c.gang <= last);
                candidates.iter().min_by_key(|c| (!c.late, behind(c), c.gang))
            }
            GangScheduleKind::Lpc => candidates.iter().min_by_key(|c| (!c.late, c.pc, c.age, c.gang)),
            GangScheduleKind::Lgto => candidates.iter().min_by_key(|c| (!c.late, size(c), greedy(c))),
        }?;
        // A turn goes on behind whoever had the last one; greed is for the gang that was chosen before others.
        if is_first || self.kind == GangScheduleKind::Lrr {
            self.last = Some(chosen.gang);
        }
        Some(*chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gangs with sizes 8, 2, 4, 4 in original gangs whose ages are 3, 0, 2, 1.
    const GANGS: [Candidate; 4] = [
        Candidate { gang: 0, mask: 0xff, pc: 9, age: 3, late: false },
        Candidate { gang: 4, mask: 0x03, pc: 7, age: 0, late: false },
        Candidate { gang: 8, mask: 0x0f, pc: 7, age: 2, late: false },
        Candidate { gang: 12, mask: 0xf0, pc: 2, age: 1, late: false },
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

    /// Two gangs a cycle: the second leaves the greed with the first.
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
