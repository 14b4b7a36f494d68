//! Loose round robin: the next available warp after the one that issued last (TBC table 2; the baseline of BAWS).

use super::Rank;
use crate::policy::view::IssueView;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RoundRobin {
    /// Where the search begins: behind the warp that issued last.
    next: u32,
}

impl RoundRobin {
    #[inline]
    pub fn first(&self, view: &IssueView) -> Option<u32> {
        view.available.next_from(self.next, view.words)
    }

    /// How far it is behind the start of the search, going round.
    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        let all = view.words as u32 * 64;
        [u64::from((warp + all - self.next % all) % all), 0]
    }

    pub fn issued(&mut self, warp: u32) {
        self.next = warp + 1;
    }
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
