//! Which warp instructions are fetched for.

use crate::config::FetchKind;
use crate::policy::warp_set::WarpSet;

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

    /// The warp to fetch for, of those that could do with instructions.
    #[inline]
    pub fn next(&self, wanting: &WarpSet, words: usize) -> Option<u32> {
        match self.kind {
            FetchKind::Lrr => wanting.next_from(self.next, words),
        }
    }

    /// It was fetched for.
    pub fn fetched(&mut self, warp: u32) {
        self.next = warp + 1;
    }
}
