//! Lowest PC first: the warp with the lowest PC, and the oldest among those (VWS section 6.3).

use super::Rank;
use super::oldest::OLDER;
use crate::policy::view::IssueView;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LowestPc;

impl LowestPc {
    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        [view.warps.place(warp).pc.into(), view.age[warp as usize]]
    }
}

/// Says why a warp has the lower rank.
pub fn words(first: Rank, other: Rank) -> &'static str {
    if first[0] != other[0] { "which is at a lower PC" } else { OLDER }
}

#[cfg(test)]
mod tests {
    use super::super::test_view::{TestWarps, scheduler};
    use crate::config::ScheduleKind;
    use crate::policy::divergence::Place;

    #[test]
    fn whoever_is_furthest_back_goes_first() {
        let mut lowest = scheduler(ScheduleKind::Lpc);
        let warps = TestWarps { places: [5, 2, 2, 9].map(|pc| Place { pc, mask: 1 }).to_vec(), ..TestWarps::new(4) };
        assert_eq!(warps.pick(&mut lowest, &[0, 1, 2, 3]), Some(2), "two are at 2; warp 2 is the older");
        assert_eq!(warps.pick(&mut lowest, &[0, 3]), Some(0));
        assert_eq!(warps.pick(&mut lowest, &[]), None);
    }
}
