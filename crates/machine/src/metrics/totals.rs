//! Counts that add up: those of a stretch of cycles are its end's less its beginning's.

use super::CacheCounts;
use crate::event::{Reason, StallCause};

/// A count, or several, of which a stretch has the difference.
pub trait Additive {
    /// Applies a function to each count of both.
    fn join(&self, other: &Self, join: impl Fn(u64, u64) -> u64 + Copy) -> Self;
}

impl Additive for u64 {
    fn join(&self, other: &u64, join: impl Fn(u64, u64) -> u64 + Copy) -> u64 {
        join(*self, *other)
    }
}

impl<const N: usize> Additive for [u64; N] {
    fn join(&self, other: &[u64; N], join: impl Fn(u64, u64) -> u64 + Copy) -> [u64; N] {
        std::array::from_fn(|at| join(self[at], other[at]))
    }
}

impl Additive for CacheCounts {
    fn join(&self, other: &CacheCounts, join: impl Fn(u64, u64) -> u64 + Copy) -> CacheCounts {
        CacheCounts {
            accesses: join(self.accesses, other.accesses),
            hits: join(self.hits, other.hits),
            misses: join(self.misses, other.misses),
            mshr_merges: join(self.mshr_merges, other.mshr_merges),
        }
    }
}

macro_rules! totals {
    ($($(#[$doc:meta])* $name:ident: $ty:ty,)*) => {
        /// Counts of a run up to a cycle, or of a stretch of it.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Totals {
            $($(#[$doc])* pub $name: $ty,)*
        }

        impl Additive for Totals {
            fn join(&self, other: &Totals, join: impl Fn(u64, u64) -> u64 + Copy) -> Totals {
                Totals { $($name: self.$name.join(&other.$name, join),)* }
            }
        }
    };
}

totals! {
    /// Instructions issued, each once for its warp.
    warp_instructions: u64,
    /// Instructions issued, each once for every active thread.
    thread_instructions: u64,
    /// Lanes that the machine had at its issues, used or not.
    lanes_offered: u64,
    /// Branches executed that may diverge.
    branches: u64,
    /// Those that did.
    divergent_branches: u64,
    /// Guarded exits at which a part of a warp left.
    partial_exits: u64,
    /// Issue slots by active threads, from one on; then those with a stall, with a wait for memory, and idle ones.
    slots_by_threads: [u64; 32],
    /// In the order of [`StallCause::ALL`].
    slots_stalled: [u64; StallCause::ALL.len()],
    /// Issue slots without a ready warp, while one waited for memory.
    slots_memory: u64,
    /// Issue slots without a ready warp, while none waited for memory.
    slots_idle: u64,
    /// In the order of [`Reason::ALL`].
    warp_cycles: [u64; Reason::ALL.len()],
    /// Fetches, each of one or more instructions.
    fetches: u64,
    /// Those that missed the instruction cache.
    instruction_misses: u64,
    /// Lookups in the L1 data caches.
    l1d: CacheCounts,
    /// Lookups in the L2 cache.
    l2: CacheCounts,
    /// Lines that memory instructions accessed.
    memory_transactions: u64,
    /// Cycles that shared memory took because of conflicts over its banks.
    shared_bank_conflicts: u64,
    /// Dynamic warps formed, and threads that joined others in a pool or at a likely-convergence point.
    warps_formed: u64,
    /// See `warps_formed`.
    threads_merged: u64,
    /// Logical blocks whose threads have all ended.
    blocks: u64,
}

impl Totals {
    /// Returns the issue slots with a stall, whatever its cause.
    pub fn slots_stall(&self) -> u64 {
        self.slots_stalled.iter().sum()
    }

    /// Returns the counts since an earlier cycle of the same run.
    pub fn since(&self, earlier: &Totals) -> Totals {
        self.join(earlier, |now, before| now - before)
    }
}
