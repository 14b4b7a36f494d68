//! Majority: the PC that most threads are at, until nobody is left there (DWF's policy in TBC sections 2.3 and 6).
//!
//! Of the warps at that PC the one that has waited longest goes first. When none of them can issue, the PC with most threads
//! takes over; among equals the lowest. Threads that are never in the majority fall behind: that is the starvation eddy.

use super::IssueView;
use crate::program::Pc;
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Majority {
    pc: Option<Pc>,
}

impl Majority {
    #[inline(never)]
    pub fn pick(&mut self, view: &IssueView) -> Option<u32> {
        let oldest_at = |pc: Pc| {
            let there = view.available.iter(view.words).filter(|&warp| (view.place)(warp).pc == pc);
            there.min_by_key(|&warp| view.age[warp as usize])
        };
        if let Some(warp) = self.pc.and_then(oldest_at) {
            return Some(warp);
        }
        let mut threads: BTreeMap<Pc, u32> = BTreeMap::new();
        for place in view.available.iter(view.words).map(|warp| (view.place)(warp)) {
            *threads.entry(place.pc).or_default() += place.mask.count_ones();
        }
        let (pc, _) = threads.into_iter().max_by_key(|&(pc, count)| (count, Reverse(pc)))?;
        self.pc = Some(pc);
        oldest_at(pc)
    }

    /// The PC whose warps go first now.
    pub fn pc(&self) -> Option<Pc> {
        self.pc
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::set;
    use super::super::{IssueView, Schedule, ScheduleKind};
    use crate::policy::divergence::Place;

    #[test]
    fn the_largest_crowd_goes_first_until_nobody_of_it_is_left() {
        let mut policy = Schedule::new(ScheduleKind::Majority, 8);
        let places = [(5, 0b1111), (7, 0b0111), (7, 0b0011), (9, 0b1111)].map(|(pc, mask)| Place { pc, mask });
        let age = [3, 2, 1, 0];
        let mut pick = |warps: &[u32]| {
            let available = set(warps);
            let nobody = set(&[]);
            let place = |warp: u32| places[warp as usize];
            policy.pick(&IssueView {
                available: &available,
                long_wait: &nobody,
                resident: &available,
                age: &age,
                place: &place,
                words: 1,
            })
        };
        assert_eq!(pick(&[0, 1, 2, 3]), Some(2), "five threads are at 7, four each at 5 and 9; warp 2 is older than 1");
        assert_eq!(pick(&[0, 1, 3]), Some(1), "the rest of that crowd, though it is the smallest now");
        assert_eq!(pick(&[0, 3]), Some(0), "of equal crowds the one at the lower PC");
        assert_eq!(pick(&[3]), Some(3));
        assert_eq!(pick(&[]), None);
    }
}
