//! Kinds of events that have a name, one row each.
//!
//! Searches, breakpoints, the alignment of runs and the stops of lessons name a kind; the sentence about a cycle mentions the
//! most important kinds. The [`Event`] itself has the details.

use super::{CacheOutcome, Event};
use serde::{Deserialize, Serialize};
use warpscope_kernel::program::Pc;

/// Generates [`EventKind`] from rows: its word in lessons; its key in links and its label in menus, if it can be searched for;
/// its weight for a viewer of the mechanism; which events are of the kind, with the PC that they are about.
macro_rules! event_kinds {
    ($($(#[$doc:meta])* $name:ident: $word:literal, $menu:expr, $weight:literal, $events:pat => $pc:expr;)*) => {
        /// A kind of event that can be searched for, stopped at, aligned by and reported.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum EventKind {
            $($(#[$doc])* $name,)*
        }

        impl EventKind {
            /// Every kind; those that can be searched for come first, in the order of menus.
            pub const ALL: [EventKind; [$($word),*].len()] = [$(EventKind::$name),*];

            /// The words in lessons, in the order of [`EventKind::ALL`].
            pub const WORDS: [&'static str; EventKind::ALL.len()] = [$($word),*];

            const MENU: [Option<(&'static str, &'static str)>; EventKind::ALL.len()] = [$($menu),*];

            const WEIGHTS: [u8; EventKind::ALL.len()] = [$($weight),*];

            /// Returns the kind of an event, and the PC that it is about.
            #[inline]
            fn placed(event: &Event) -> Option<(EventKind, Option<Pc>)> {
                Some(match *event {
                    $($events => (EventKind::$name, $pc),)*
                    _ => return None,
                })
            }
        }
    };
}

// Kinds that can be searched for come first, in the order of menus.
event_kinds! {
    /// A branch splits a warp.
    Divergence: "diverged", Some(("divergence", "Divergence")), 8, Event::Branch { diverged: true, pc, .. } => Some(pc);
    /// Threads that had diverged are together again.
    Reconvergence: "met", Some(("reconvergence", "Reconvergence")), 6, Event::Met { pc, .. } | Event::BlockMet { pc, .. } => Some(pc);
    /// Lanes of a warp arrive at a barrier.
    BarrierArrival: "barrier", Some(("barrier-arrival", "Barrier arrival")), 2, Event::BarrierArrive { .. } => None;
    /// A barrier is complete.
    BarrierRelease: "released", Some(("barrier-release", "Barrier release")), 5, Event::BarrierRelease { .. } => None;
    /// A line is not in an L1 data cache.
    CacheMiss: "missed", Some(("cache-miss", "Cache miss")), 0, Event::L1 { outcome: CacheOutcome::Miss, .. } => None;
    /// A block becomes resident.
    BlockStart: "started", Some(("block-start", "Block start")), 0, Event::BlockStart { .. } => None;
    /// All threads of a resident block have ended.
    BlockEnd: "ended", Some(("block-end", "Block end")), 0, Event::BlockEnd { .. } => None;
    /// The last thread of a warp ends.
    WarpExit: "exited", Some(("warp-exit", "Warp exit")), 0, Event::WarpExit { .. } => None;
    /// A gang splits.
    GangSplit: "gang_split", Some(("gang-split", "Gang split")), 8, Event::GangSplit { .. } => None;
    /// Two parts of an original gang merge.
    GangMerge: "gang_merge", Some(("gang-merge", "Gang re-formed")), 6, Event::GangMerge { pc, .. } => Some(pc);
    /// The kernel faults.
    Trap: "trapped", Some(("trap", "Trap")), 9, Event::Trap { pc, .. } => Some(pc);
    /// A warp issues an instruction.
    Issued: "issued", None, 0, Event::Issued { pc, .. } => Some(pc);
    /// A gang issues an instruction.
    GangIssued: "gang_issued", None, 0, Event::GangIssued { pc, .. } => Some(pc);
    /// A dynamic warp is formed.
    Formed: "formed", None, 4, Event::Formed { pc, .. } => Some(pc);
    /// Threads join a warp of the pool.
    Merged: "merged", None, 2, Event::Merged { pc, .. } => Some(pc);
    /// A warp arrives at a branch or reconvergence point of its block.
    Arrived: "arrived", None, 3, Event::BlockArrive { pc, .. } => Some(pc);
    /// Threads merge at a likely-convergence point.
    Likely: "likely", None, 7, Event::LikelyMerge { pc, .. } | Event::BlockMerge { pc, .. } => Some(pc);
    /// Threads arrive at their static warp's barrier.
    WarpBarrier: "warp_barrier", None, 3, Event::WarpBarrier { pc, .. } => Some(pc);
    /// A split of a warp waits at a convergence barrier.
    Blocked: "blocked", None, 4, Event::Blocked { pc, .. } => Some(pc);
    /// A split of a warp lets the others go first.
    Yielded: "yielded", None, 5, Event::Yielded { pc, .. } => Some(pc);
    /// A resident block is given a logical block.
    LogicalStart: "handed_out", None, 4, Event::LogicalStart { .. } => None;
}

impl EventKind {
    /// The number of kinds that can be searched for: the first ones, which have words for menus.
    const SOUGHT: usize = {
        let mut count = 0;
        while count < EventKind::ALL.len() && EventKind::MENU[count].is_some() {
            count += 1;
        }
        count
    };

    /// Returns the kinds that can be searched for, in the order of menus.
    pub fn sought() -> impl Iterator<Item = EventKind> {
        EventKind::ALL.into_iter().take(EventKind::SOUGHT)
    }

    /// Whether it can be searched for.
    #[inline]
    pub fn is_sought(self) -> bool {
        (self as usize) < EventKind::SOUGHT
    }

    /// Returns the kind of an event, if it has one.
    #[inline]
    pub fn of(event: &Event) -> Option<EventKind> {
        EventKind::placed(event).map(|(kind, _)| kind)
    }

    /// Returns the PC of an event if it is of this kind: 0 where it is about none.
    pub fn pc_of(self, event: &Event) -> Option<Pc> {
        EventKind::placed(event).filter(|(kind, _)| *kind == self).map(|(_, pc)| pc.unwrap_or(0))
    }

    /// The label in menus.
    pub fn label(self) -> &'static str {
        EventKind::MENU[self as usize].map_or(self.word(), |(_, label)| label)
    }

    /// The key in links.
    pub fn key(self) -> &'static str {
        EventKind::MENU[self as usize].map_or(self.word(), |(key, _)| key)
    }

    /// Finds a kind that can be searched for by its key.
    pub fn from_key(key: &str) -> Option<EventKind> {
        EventKind::sought().find(|kind| kind.key() == key)
    }

    /// The word in lessons.
    pub fn word(self) -> &'static str {
        EventKind::WORDS[self as usize]
    }

    /// Returns the kind that lessons call by this word.
    pub fn from_word(word: &str) -> Option<EventKind> {
        EventKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// How much it matters to a viewer of the mechanism; `None` where the issued instruction says more.
    pub fn weight(self) -> Option<u8> {
        Some(EventKind::WEIGHTS[self as usize]).filter(|weight| *weight > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_with_words_for_menus_are_the_ones_that_are_looked_for() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::MENU[kind as usize].is_some(), kind.is_sought(), "{kind:?}");
            assert_eq!(EventKind::from_word(kind.word()), Some(kind));
            assert_eq!(EventKind::from_key(kind.key()), Some(kind).filter(|kind| kind.is_sought()));
        }
    }
}
