//! Which warp instructions are fetched for: one [`Fetch`] for each slice of an SM.
//!
//! - **LRR**: the next warp after the last (BAWS section 2.2).
//! - **CFF**, critical-fetch-first: the warp that the issue policy would issue next ([`critical_first`]).
//! - **FEF**, fewest-entries-first: the warp with the fewest instructions in its I-buffer ([`fewest_entries`]).
//!
//! Which warps take instructions at all is the key `fetch_when`: those with an empty I-buffer, or those with room in it.

mod critical_first;
mod fewest_entries;

use super::schedule::IssueRank;
use super::view::Warps;
use super::warp_set::WarpSet;
use crate::config::FetchKind;

/// What a fetch policy may look at.
pub struct FetchView<'a> {
    /// Warps that take instructions now.
    pub wanting: &'a WarpSet,
    /// Warps that could not issue if they had instructions: they wait for others or for a value.
    pub stalled: &'a WarpSet,
    pub warps: &'a dyn Warps,
    /// A warp's place in the order of its scheduler; `None` if that does not let it issue now.
    pub issue_rank: &'a dyn Fn(u32) -> Option<IssueRank>,
    /// Words of the sets that are in use.
    pub words: usize,
}

/// A fetch policy with its memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fetch {
    kind: FetchKind,
    /// Where the search begins: behind the warp that was fetched for last.
    next: u32,
}

impl Fetch {
    pub fn new(kind: FetchKind) -> Fetch {
        Fetch { kind, next: 0 }
    }

    /// The warp to fetch for; among equals the next after the last.
    #[inline]
    pub fn first(&self, view: &FetchView) -> Option<u32> {
        match self.kind {
            FetchKind::Lrr => view.wanting.next_from(self.next, view.words),
            FetchKind::Cff => self.lowest(view, critical_first::rank),
            FetchKind::Fef => self.lowest(view, fewest_entries::rank),
        }
    }

    #[inline(never)]
    fn lowest<R: Ord>(&self, view: &FetchView, rank: impl Fn(u32, &FetchView) -> R) -> Option<u32> {
        let all = view.words as u32 * 64;
        let behind = |warp: u32| (warp + all - self.next % all) % all;
        view.wanting.iter(view.words).min_by_key(|&warp| (rank(warp, view), behind(warp)))
    }

    /// It was fetched for.
    pub fn fetched(&mut self, warp: u32) {
        self.next = warp + 1;
    }
}
