//! Lowest PC first: the warp that is furthest back in the program, the oldest of those (VWS section 6.3).

use super::IssueView;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LowestPc;

impl LowestPc {
    #[inline(never)]
    pub fn pick(&mut self, view: &IssueView) -> Option<u32> {
        view.available.iter(view.words).min_by_key(|&warp| ((view.place)(warp).pc, view.age[warp as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::set;
    use super::super::{IssueView, Schedule, ScheduleKind};
    use crate::policy::divergence::Place;

    #[test]
    fn whoever_is_furthest_back_goes_first() {
        let mut policy = Schedule::new(ScheduleKind::Lpc, 8);
        let pcs = [5, 2, 2, 9];
        let mut pick = |warps: &[u32]| {
            let (available, nobody) = (set(warps), set(&[]));
            let place = |warp: u32| Place { pc: pcs[warp as usize], mask: 1 };
            let view = IssueView {
                available: &available,
                long_wait: &nobody,
                resident: &available,
                age: &[3, 2, 1, 0],
                place: &place,
                words: 1,
            };
            policy.pick(&view)
        };
        assert_eq!(pick(&[0, 1, 2, 3]), Some(2), "two are at 2; warp 2 is the older");
        assert_eq!(pick(&[0, 3]), Some(0));
        assert_eq!(pick(&[]), None);
    }
}
