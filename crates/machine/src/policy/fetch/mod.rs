//! Fetch policies: which warp to fetch instructions for. Each slice of an SM has one [`Fetch`].
//!
//! - **LRR**: the next warp after the last (BAWS section 2.2).
//! - **CFF**, critical-fetch-first: the warp that the issue policy would issue next ([`critical_first`]).
//! - **FEF**, fewest-entries-first: the warp with the fewest instructions in its I-buffer ([`fewest_entries`]).
//!
//! The key `fetch_when` decides which warps take instructions: those with an empty I-buffer, or those with room in it.

mod critical_first;
mod fewest_entries;

use super::schedule::IssueRank;
use super::view::IssueView;
use super::warp_set::WarpSet;
use crate::config::FetchKind;

/// What a fetch policy can read.
pub struct FetchView<'a> {
    /// What schedulers read, for the next cycle: [`IssueView::available`] has the warps that take instructions now. The sets
    /// `unfetched` and `long_wait` are empty.
    pub issue: &'a IssueView<'a>,
    /// Warps that could not issue even with instructions: they wait for other threads or for a value.
    pub stalled: &'a WarpSet,
    /// A warp's rank in its scheduler's order; `None` if the scheduler does not let it issue now.
    pub issue_rank: &'a dyn Fn(u32) -> Option<IssueRank>,
}

/// A fetch policy with its state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fetch {
    kind: FetchKind,
    /// Where the search begins: behind the last warp that was fetched for.
    next: u32,
}

impl Fetch {
    pub fn new(kind: FetchKind) -> Fetch {
        Fetch { kind, next: 0 }
    }

    /// Returns the warp to fetch for; among equal ranks, the next one behind the last fetched.
    #[inline]
    pub fn first(&self, view: &FetchView) -> Option<u32> {
        match self.kind {
            FetchKind::Lrr => view.issue.available.next_from(self.next, view.issue.words),
            FetchKind::Cff => self.lowest(view, critical_first::rank),
            FetchKind::Fef => self.lowest(view, fewest_entries::rank),
        }
    }

    #[inline(never)]
    fn lowest<R: Ord>(&self, view: &FetchView, rank: impl Fn(u32, &FetchView) -> R) -> Option<u32> {
        let all = view.issue.words as u32 * 64;
        let behind = |warp: u32| (warp + all - self.next % all) % all;
        view.issue.available.iter(view.issue.words).min_by_key(|&warp| (rank(warp, view), behind(warp)))
    }

    /// Records that the warp was fetched for.
    pub fn fetched(&mut self, warp: u32) {
        self.next = warp + 1;
    }
}
