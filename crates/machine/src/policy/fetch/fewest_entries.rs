//! Fewest-entries-first: fetches for the warp with the fewest instructions in its I-buffer (BAWS section 6.2).
//!
//! It differs from round robin only with `fetch_when=room`: otherwise all I-buffers that take instructions are empty.

use super::FetchView;

pub fn rank(warp: u32, view: &FetchView) -> u8 {
    view.issue.warps.buffered(warp)
}

#[cfg(test)]
mod tests {
    use super::super::{Fetch, FetchView};
    use crate::config::FetchKind;
    use crate::policy::schedule::test_view::{TestWarps, set};
    use crate::policy::view::IssueView;

    #[test]
    fn the_emptiest_i_buffer_comes_first_and_equals_take_turns() {
        let mut fetch = Fetch::new(FetchKind::Fef);
        let mut choose = |buffered: [u8; 4], wanting: &[u32]| {
            let warps = TestWarps { buffered: buffered.to_vec(), ..TestWarps::new(4) };
            let wanting = set(wanting);
            let stalled = set(&[]);
            let first = |issue: &IssueView| fetch.first(&FetchView { issue, stalled: &stalled, issue_rank: &|_| None });
            let warp = warps.with_view(&wanting, first);
            warp.into_iter().for_each(|warp| fetch.fetched(warp));
            warp
        };
        assert_eq!(choose([1, 1, 0, 1], &[0, 1, 2, 3]), Some(2));
        assert_eq!(choose([1, 1, 1, 1], &[0, 1, 2, 3]), Some(3), "the next after warp 2");
        assert_eq!(choose([1, 1, 1, 1], &[0, 1, 2, 3]), Some(0));
        assert_eq!(choose([1, 0, 0, 1], &[0, 3]), Some(3), "warps 1 and 2 have instructions on their way");
    }
}
