//! Greedy then oldest: the warp that issued last goes on while it can; else the one that was dispatched first (VWS table 1).

use super::Rank;
use crate::policy::view::IssueView;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GreedyOldest {
    last: Option<u32>,
}

impl GreedyOldest {
    #[inline(never)]
    pub fn first(&self, view: &IssueView) -> Option<u32> {
        let last = self.last.filter(|&last| view.available.contains(last));
        last.or_else(|| view.available.iter(view.words).min_by_key(|&warp| view.age[warp as usize]))
    }

    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        [u64::from(self.last != Some(warp)), view.age[warp as usize]]
    }

    pub fn issued(&mut self, warp: u32) {
        self.last = Some(warp);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_view::check;
    use crate::config::ScheduleKind;

    #[test]
    fn the_same_warp_goes_on_then_the_oldest_follows() {
        // Ages fall with the number: warp 3 is the oldest.
        check(
            ScheduleKind::Gto,
            &[&[0, 1, 3], &[0, 1, 3], &[0, 1], &[0, 1, 3], &[0, 3]],
            &[Some(3), Some(3), Some(1), Some(1), Some(3)],
        );
    }
}
