//! Oldest first: the warp that was formed first, whatever its PC (DWF's simplest policy).

use super::Rank;
use crate::policy::view::IssueView;

/// Says why a warp has the lower rank.
pub const OLDER: &str = "which is older";

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Oldest;

impl Oldest {
    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        [view.age[warp as usize], 0]
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_view::check;
    use crate::config::ScheduleKind;

    #[test]
    fn whoever_has_waited_longest_goes_first() {
        check(ScheduleKind::Oldest, &[&[0, 1, 3], &[0, 1], &[0, 1, 3]], &[Some(3), Some(1), Some(3)]);
    }
}
