//! What can hold a warp back from issuing, as one table: issue, the order of warps, fetch and pictures read it.
//!
//! A hold is a set of warps in [`Sets`]; a resident warp in none of them can issue as soon as its instruction is fetched and a port
//! and a unit are free. Two holds of a warp at once are told by the first in the order of [`Hold::ALL`].

use super::state::Sets;
use crate::policy::warp_set::WarpSet;

/// For how long a hold usually lasts: two-level schedulers move warps with long waits out of their active set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasts {
    Long,
    Short,
    /// Long where the value comes from memory.
    AsItsValue,
}

/// What stages and views need to know of a hold.
struct Row {
    set: fn(&Sets) -> &WarpSet,
    lasts: Lasts,
    /// Instructions that are fetched for the warp now could not issue soon: critical-fetch-first passes it over (BAWS section 4.2).
    stalls_fetch: bool,
    /// It waits for other warps or threads, not for its own instructions.
    for_others: bool,
}

/// Defines the holds: a row each, in the order in which they are told.
macro_rules! holds {
    ($($(#[$doc:meta])* $name:ident: $set:ident, $lasts:ident, fetch $fetch:literal, others $others:literal;)*) => {
        /// Something that holds a warp back.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Hold {
            $($(#[$doc])* $name,)*
        }

        impl Hold {
            /// Every hold, in the order in which they are told.
            pub const ALL: [Hold; [$(stringify!($name)),*].len()] = [$(Hold::$name),*];

            #[inline(always)]
            const fn row(self) -> Row {
                match self {
                    $(Hold::$name => Row {
                        set: |sets| &sets.$set,
                        lasts: Lasts::$lasts,
                        stalls_fetch: $fetch,
                        for_others: $others,
                    },)*
                }
            }
        }
    };
}

holds! {
    /// All of its threads have exited.
    Exited: exited, Long, fetch false, others true;
    /// It waits at a barrier of its block.
    Barrier: barrier, Long, fetch true, others true;
    /// It waits for threads of its PTX warp.
    Sync: sync, Long, fetch true, others true;
    /// It waits at a reconvergence point for others of its original gang (VWS).
    Meeting: meeting, Short, fetch true, others true;
    /// Its next instruction touches shared memory that siblings may still use (VTW).
    Siblings: siblings, Long, fetch true, others true;
    /// It wants a logical block that would put it two ahead of a sibling (VTW).
    Ahead: ahead, Long, fetch true, others true;
    /// The outcome of its branch is not known yet.
    Control: control, Short, fetch false, others false;
    /// It leaves the warp table when nothing of it is in flight.
    Leaving: leaving, Short, fetch false, others true;
    /// Its next instruction waits for a value.
    Data: data, AsItsValue, fetch true, others false;
}

impl Sets {
    #[inline(always)]
    fn those(&self, word: usize, counts: impl Fn(&Row) -> bool) -> u64 {
        let rows = Hold::ALL.into_iter().map(Hold::row).filter(|row| counts(row));
        rows.fold(0, |bits, row| bits | (row.set)(self).bits[word])
    }

    /// Returns those of 64 warps that something holds back.
    #[inline(always)]
    pub fn held(&self, word: usize) -> u64 {
        self.those(word, |_| true)
    }

    /// Returns those of 64 warps that wait for other warps or threads.
    #[inline(always)]
    pub fn held_by_others(&self, word: usize) -> u64 {
        self.those(word, |row| row.for_others)
    }

    /// Returns those of 64 warps that will not issue for long.
    #[inline(always)]
    pub fn held_for_long(&self, word: usize) -> u64 {
        self.those(word, |row| row.lasts == Lasts::Long)
            | self.those(word, |row| row.lasts == Lasts::AsItsValue) & self.loading.bits[word]
    }

    /// Returns those of 64 warps for which instructions would be fetched in vain for now.
    #[inline(always)]
    pub fn stalled(&self, word: usize) -> u64 {
        self.those(word, |row| row.stalls_fetch)
    }

    /// Returns the first thing that holds a warp back, if anything does.
    pub fn hold_of(&self, warp: u32) -> Option<Hold> {
        Hold::ALL.into_iter().find(|hold| (hold.row().set)(self).contains(warp))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_is_held_by_whatever_set_it_is_in() {
        let mut sets = Sets { words: 1, ..Sets::default() };
        assert_eq!((sets.hold_of(3), sets.held(0)), (None, 0));
        sets.data.insert(3);
        assert_eq!((sets.hold_of(3), sets.held(0), sets.held_for_long(0)), (Some(Hold::Data), 8, 0));
        sets.loading.insert(3);
        assert_eq!((sets.held_for_long(0), sets.held_by_others(0), sets.stalled(0)), (8, 0, 8));
        sets.barrier.insert(3);
        assert_eq!((sets.hold_of(3), sets.held_by_others(0)), (Some(Hold::Barrier), 8), "the barrier is told first");
    }
}
