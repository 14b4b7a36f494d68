//! Loose round robin: the next available warp after the one that issued last (TBC table 2; the baseline of BAWS).

use super::Rank;
use super::last::Last;
use crate::policy::view::IssueView;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RoundRobin {
    last: Last,
}

impl RoundRobin {
    /// Creates the policy with one turn for all warps, or with `by_block` one for each block.
    pub fn new(by_block: bool) -> RoundRobin {
        RoundRobin { last: Last::new(by_block) }
    }

    /// Returns the available warp with the lowest rank, if there is one turn for all.
    #[inline]
    pub fn first(&self, view: &IssueView) -> Option<Option<u32>> {
        let Last::OfAll(last) = self.last else { return None };
        Some(view.available.next_from(last.map_or(0, |last| last + 1), view.words))
    }

    /// Returns the distance behind the warp that issued last, wrapping around.
    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        let all = view.words as u32 * 64;
        let next = self.last.before(warp, view).map_or(0, |last| last + 1);
        [u64::from((warp + all - next % all) % all), 0]
    }

    pub fn issued(&mut self, warp: u32, view: &IssueView) {
        self.last.issued(warp, view);
    }
}

/// Says why a warp has the lower rank.
pub fn words() -> &'static str {
    "which comes first in turn"
}

#[cfg(test)]
mod tests {
    use super::super::test_view::check;
    use crate::config::ScheduleKind;

    #[test]
    fn turns_go_round_and_skip_those_who_cannot() {
        check(ScheduleKind::Lrr, &[&[0, 2, 3], &[0, 2, 3], &[0, 3], &[0, 3], &[]], &[Some(0), Some(2), Some(3), Some(0), None]);
    }
}
