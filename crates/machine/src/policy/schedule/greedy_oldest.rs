//! Greedy then oldest: the warp that issued last while it can, else the one that was dispatched first (VWS table 1).

use super::Rank;
use super::last::Last;
use super::oldest::OLDER;
use crate::policy::view::IssueView;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GreedyOldest {
    last: Last,
}

impl GreedyOldest {
    /// Creates the policy: greedy for one warp of all, or with `by_block` for one warp of each block.
    pub fn new(by_block: bool) -> GreedyOldest {
        GreedyOldest { last: Last::new(by_block) }
    }

    /// Returns the available warp with the lowest rank, if the policy is greedy for one warp of all.
    #[inline(never)]
    pub fn first(&self, view: &IssueView) -> Option<Option<u32>> {
        let Last::OfAll(last) = self.last else { return None };
        let last = last.filter(|&last| view.available.contains(last));
        Some(last.or_else(|| view.available.iter(view.words).min_by_key(|&warp| view.age[warp as usize])))
    }

    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        [u64::from(self.last.before(warp, view) != Some(warp)), view.age[warp as usize]]
    }

    pub fn issued(&mut self, warp: u32, view: &IssueView) {
        self.last.issued(warp, view);
    }
}

/// Says why a warp has the lower rank.
pub fn words(first: Rank, other: Rank) -> &'static str {
    if first[0] != other[0] { "which issued last and goes on while it can" } else { OLDER }
}

#[cfg(test)]
mod tests {
    use super::super::test_view::check;
    use crate::config::ScheduleKind;

    #[test]
    fn the_same_warp_goes_on_then_the_oldest_follows() {
        // Ages fall with the warp number: warp 3 is the oldest.
        check(
            ScheduleKind::Gto,
            &[&[0, 1, 3], &[0, 1, 3], &[0, 1], &[0, 1, 3], &[0, 3]],
            &[Some(3), Some(3), Some(1), Some(1), Some(3)],
        );
    }
}
