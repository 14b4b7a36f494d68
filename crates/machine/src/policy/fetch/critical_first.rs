//! Critical-fetch-first: fetches for the warp that the issue policy would issue next (BAWS section 4.2).
//!
//! The order is that of the issue policy, evaluated as if every warp had instructions. A stalled warp, at a barrier or waiting
//! for a value, cannot issue next, so it ranks behind all that can: "if that one is stalled, it fetches an instruction from the
//! oldest warp", as the section says for GTO. With several schedulers the candidate with the lowest rank is taken.

use super::FetchView;
use crate::policy::schedule::IssueRank;

/// Ranks warps by issue rank; warps that the issue policy holds back come next, stalled warps last.
pub fn rank(warp: u32, view: &FetchView) -> (bool, bool, Option<IssueRank>) {
    let rank = (view.issue_rank)(warp);
    (view.stalled.contains(warp), rank.is_none(), rank)
}

#[cfg(test)]
mod tests {
    use super::super::{Fetch, FetchView};
    use crate::config::FetchKind;
    use crate::policy::schedule::test_view::{TestWarps, set};

    /// Returns the choice among `wanting` warps, given each warp's issue rank; `None` means that the issue policy holds it back.
    fn choice(wanting: &[u32], stalled: &[u32], ranks: &[Option<u64>]) -> Option<u32> {
        let warps = TestWarps::new(ranks.len());
        let issue_rank = |warp: u32| ranks[warp as usize].map(|rank| ([0, 0], [0, 0], [rank, 0]));
        let (wanting, stalled) = (set(wanting), set(stalled));
        warps.with_view(&wanting, |issue| {
            Fetch::new(FetchKind::Cff).first(&FetchView { issue, stalled: &stalled, issue_rank: &issue_rank })
        })
    }

    #[test]
    fn the_warp_that_issues_next_is_fetched_for() {
        let ranks = [Some(3), Some(0), Some(2), Some(1)];
        assert_eq!(choice(&[0, 1, 2, 3], &[], &ranks), Some(1));
        assert_eq!(choice(&[0, 2, 3], &[], &ranks), Some(3), "warp 1 has instructions");
        assert_eq!(choice(&[0, 1, 2, 3], &[1, 3], &ranks), Some(2), "warps 1 and 3 are at a barrier");
        assert_eq!(choice(&[1, 3], &[1, 3], &ranks), Some(1), "nobody else takes instructions");
        assert_eq!(choice(&[0, 1], &[], &[Some(9), None]), Some(0), "the issue policy keeps warp 1 back");
        assert_eq!(choice(&[], &[], &ranks), None);
    }
}
