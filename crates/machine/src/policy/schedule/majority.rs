//! Majority: the PC with most threads, until none of them is left there (DWF's policy in TBC sections 2.3 and 6).
//!
//! The oldest warp at that PC goes first. When no warp is left there, the PC with most threads that are ready takes over; among
//! equals the lowest. While its warps wait only for a busy unit or for their instructions, other warps may issue, but the PC
//! stays. Threads that are never in the majority fall behind: the starvation eddy.

use super::Rank;
use super::oldest::OLDER;
use crate::policy::view::IssueView;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use warpscope_kernel::program::Pc;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Majority {
    pc: Option<Pc>,
}

impl Majority {
    /// Selects another PC if no warp is left at the current one.
    #[inline(never)]
    pub fn arrange(&mut self, view: &IssueView) {
        if view.unfetched.iter(view.words).any(|warp| Some(view.warps.place(warp).pc) == self.pc) {
            return;
        }
        let mut threads: BTreeMap<Pc, u32> = BTreeMap::new();
        for place in view.ready.iter(view.words).map(|warp| view.warps.place(warp)) {
            if Some(place.pc) == self.pc {
                return;
            }
            *threads.entry(place.pc).or_default() += place.mask.count_ones();
        }
        if let Some((pc, _)) = threads.into_iter().max_by_key(|&(pc, count)| (count, Reverse(pc))) {
            self.pc = Some(pc);
        }
    }

    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        [u64::from(Some(view.warps.place(warp).pc) != self.pc), view.age[warp as usize]]
    }

    /// Returns the PC whose warps go first now.
    pub fn pc(&self) -> Option<Pc> {
        self.pc
    }
}

/// Says why a warp has the lower rank.
pub fn words(first: Rank, other: Rank) -> &'static str {
    if first[0] != other[0] { "which is at the majority PC" } else { OLDER }
}

#[cfg(test)]
mod tests {
    use super::super::test_view::{TestWarps, scheduler, set};
    use crate::config::ScheduleKind;
    use crate::policy::divergence::Place;

    #[test]
    fn the_largest_crowd_goes_first_until_nobody_of_it_is_left() {
        let mut majority = scheduler(ScheduleKind::Majority);
        let places = [(5, 0b1111), (7, 0b0111), (7, 0b0011), (9, 0b1111)].map(|(pc, mask)| Place { pc, mask });
        let warps = TestWarps { places: places.to_vec(), ..TestWarps::new(4) };
        let mut pick = |available: &[u32]| warps.pick(&mut majority, available);
        assert_eq!(pick(&[0, 1, 2, 3]), Some(2), "five threads are at 7, four each at 5 and 9; warp 2 is older than 1");
        assert_eq!(pick(&[0, 1, 3]), Some(1), "the rest of that crowd, though it is the smallest now");
        assert_eq!(pick(&[0, 3]), Some(0), "of equal crowds the one at the lower PC");
        assert_eq!(pick(&[3]), Some(3));
        assert_eq!(pick(&[]), None);
    }

    #[test]
    fn the_crowd_keeps_its_turn_while_its_unit_is_busy() {
        let mut majority = scheduler(ScheduleKind::Majority);
        let places = [(5, 0b1111), (7, 0b0111), (7, 0b0011), (9, 0b1111)].map(|(pc, mask)| Place { pc, mask });
        let warps = TestWarps { places: places.to_vec(), ..TestWarps::new(4) };
        let mut pick = |available: &[u32], ready: &[u32]| warps.pick_of(&mut majority, available, ready);
        assert_eq!(pick(&[0, 1, 2, 3], &[0, 1, 2, 3]), Some(2), "five threads are at 7");
        assert_eq!(pick(&[0, 3], &[0, 1, 3]), Some(3), "warp 1 waits for a unit: the oldest of the others");
        assert_eq!(pick(&[0, 1], &[0, 1]), Some(1), "and 7 is still the PC");
    }

    #[test]
    fn the_crowd_keeps_its_turn_while_its_instructions_are_fetched() {
        let mut majority = scheduler(ScheduleKind::Majority);
        let places = [(5, 0b1111), (7, 0b0111), (7, 0b0011), (9, 0b1111)].map(|(pc, mask)| Place { pc, mask });
        let warps = TestWarps { places: places.to_vec(), ..TestWarps::new(4) };
        let fetching = TestWarps { unfetched: set(&[1]), ..warps.clone() };
        assert_eq!(warps.pick(&mut majority, &[0, 1, 2, 3]), Some(2), "five threads are at 7");
        assert_eq!(fetching.pick(&mut majority, &[0, 3]), Some(3), "the oldest of the others");
        assert_eq!(warps.pick(&mut majority, &[0, 1, 3]), Some(1), "and 7 is still the PC");
        assert_eq!(warps.pick(&mut majority, &[0, 3]), Some(0), "nobody is left there: the lower of two equal crowds");
    }
}
