//! What happens in the machine, as one closed stream of typed events.
//!
//! The machine emits events to a [`Sink`]. Metrics, timelines, plots, exports and tests read this stream and nothing else. A
//! sink that does not listen costs nothing: its constants are known at compile time.
//!
//! Three kinds of events account for all time: for every SM and cycle, one [`Event::Cycle`] counts the static warps by reason,
//! one [`Event::Slot`] for each issue port says how it was used, and [`Event::Warp`] names each warp whose reason changed. A
//! run of cycles in which nothing can happen is one event with a `repeat`.

mod hash;
mod kind;
mod reason;
mod sink;
mod stall;

pub use hash::EventHash;
pub use kind::EventKind;
pub use reason::{Reason, ReasonCounts, Reasons};
pub use sink::{DynSink, Listener, Log, NullSink, OneCycle, Sink};
pub use stall::StallCause;
pub use warpscope_kernel::ptx::types::Space;

use serde::Serialize;
use warpscope_kernel::program::Pc;

/// Why a gang split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum SplitCause {
    /// Its members' next instructions differ.
    Control,
    /// Its members' loads came back at different times.
    Memory,
}

impl SplitCause {
    /// Returns the cause as part of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            SplitCause::Control => "their next instructions differ",
            SplitCause::Memory => "their loads returned at different times",
        }
    }
}

/// How an issue port was used in a cycle (TBC figure 13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum SlotUse {
    /// By an instruction with this many active threads.
    Threads(u8),
    /// A warp was ready, but no unit was free for it, or its lanes were not on.
    Stall(StallCause),
    /// No warp was ready; at least one waits for memory.
    Memory,
    /// No warp was ready, and none waits for memory.
    Idle,
}

/// The result of a cache lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum CacheOutcome {
    /// The line was there.
    Hit,
    /// The line has to be brought from the next level.
    Miss,
    /// The line was already on its way.
    Merged,
}

/// The `first_thread` of an instruction whose threads are not neighbours: [`Event::IssuedFor`] names them.
pub const SCATTERED: u32 = u32::MAX;

/// One event of the machine. Blocks are logical blocks by linear index.
///
/// Warps are entries of an SM's warp table. Where warps stay as compiled, an entry is a static warp. Where they re-form, only
/// [`Event::Warp`], [`Event::WarpExit`], [`Event::BarrierArrive`], [`Event::WarpBarrier`] and every `origin` mean static
/// warps; elsewhere an entry holds one dynamic warp after another, and events name its threads when it is formed and when it
/// issues.
///
/// A field means the same in every event, unless the event says otherwise:
///
/// | field | |
/// | --- | --- |
/// | `sm` | the SM that it happens on |
/// | `warp`, `origin` | an entry of the SM's warp table; a static warp of the SM |
/// | `block`, `slot` | the index of a logical block in the grid; the place of a resident block on the SM |
/// | `pc`, `rpc` | an instruction; the reconvergence point of a stack entry |
/// | `mask` | lanes of the warp, bit 0 for lane 0 |
/// | `threads` | how many threads of the block |
/// | `depth`, `position` | entries of a stack; an entry's place on it |
/// | `repeat` | for how many cycles the event holds, this one included |
/// | `write`, `hit`, `outcome` | whether the access writes; what the lookup in the cache found |
/// | `line` | the address of the first byte of a cache line |
/// | `barrier` | the number of one of the block's barriers |
/// | `first_thread` | the thread of the block that lane 0 holds |
/// | `row`, `gang`, `one`, `two` | an original gang; the slices of the parts of it that the event is about (VWS) |
/// | `pipe` | a pipeline of the SM, by SP unit, INT before FP (Origami) |
/// | `iteration` | how many logical blocks the resident block has had before this one (VTW) |
#[expect(missing_docs, reason = "the table says what the fields are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Event {
    /// The number of resident static warps by reason, in the order of [`Reason::ALL`], for `repeat` cycles.
    Cycle { sm: u16, counts: ReasonCounts, repeat: u64 },
    /// A warp's reason differs from that of the cycle before; `None` if it is no longer resident.
    Warp { sm: u16, warp: u16, reason: Option<Reason> },
    /// How one of the SM's issue ports was used.
    Slot { sm: u16, port: u16, slot: SlotUse, repeat: u64 },
    /// `count` instructions from `pc` on were requested.
    Fetched { sm: u16, warp: u16, pc: Pc, count: u8, hit: bool },
    /// An instruction issued for the lanes of `mask`; lane i is thread `first_thread + i` of the block, unless they are
    /// [`SCATTERED`].
    Issued { sm: u16, warp: u16, block: u64, pc: Pc, mask: u32, first_thread: u32 },
    /// A branch that can diverge was executed.
    Branch { sm: u16, warp: u16, pc: Pc, taken: u32, not_taken: u32, diverged: bool },
    /// An entry was pushed onto the warp's stack, which now has `depth` entries.
    Push { sm: u16, warp: u16, depth: u16, pc: Pc, rpc: Pc, mask: u32 },
    /// The top entry was popped, leaving `depth` entries.
    Pop { sm: u16, warp: u16, depth: u16 },
    /// Lanes of a static warp that had diverged are together again and go on at `pc`; `mask` has all of them.
    Met { sm: u16, warp: u16, pc: Pc, mask: u32 },
    /// An instruction's result is available.
    Writeback { sm: u16, warp: u16, pc: Pc },
    /// A memory instruction became this many transactions.
    Memory { sm: u16, warp: u16, pc: Pc, space: Space, write: bool, transactions: u16, done: u64 },
    /// A line was looked up in an SM's L1 data cache.
    L1 { sm: u16, line: u64, write: bool, outcome: CacheOutcome },
    /// A line was looked up in the L2 cache, which all SMs share.
    L2 { line: u64, write: bool, outcome: CacheOutcome },
    /// Shared memory served one instruction in `extra` cycles more than without conflicts.
    BankConflict { sm: u16, warp: u16, pc: Pc, extra: u16 },
    /// Lanes of a static warp arrived at a barrier of their block.
    BarrierArrive { sm: u16, warp: u16, block: u64, barrier: u8, mask: u32 },
    /// A barrier was complete, and the threads that waited at it go on.
    BarrierRelease { sm: u16, block: u64, barrier: u8 },
    /// Threads of a PTX warp that waited for each other went on.
    Joined { sm: u16, block: u64, pc: Pc, mask: u32 },
    /// The last thread of a static warp ended.
    WarpExit { sm: u16, warp: u16 },
    /// A block became resident: its `warps` static warps begin at `first_warp`.
    BlockStart { sm: u16, slot: u16, block: u64, first_warp: u16, warps: u16 },
    /// A resident block's threads have all ended, and its slot is free.
    BlockEnd { sm: u16, slot: u16, block: u64 },
    /// The kernel faulted; the run ends.
    Trap { sm: u16, warp: u16, pc: Pc },
    /// The instruction issued just before ran for these lanes of static warp `origin`.
    IssuedFor { sm: u16, warp: u16, origin: u16, mask: u32 },
    /// A dynamic warp was formed and goes on at `pc`; [`Event::Member`] names its threads.
    Formed { sm: u16, warp: u16, pc: Pc, mask: u32 },
    /// Threads joined a warp of the pool that waits at `pc` (DWF); [`Event::Member`] names them.
    Merged { sm: u16, warp: u16, pc: Pc, mask: u32 },
    /// The lanes of `mask` of the warp formed or joined just before hold threads of static warp `origin`.
    Member { sm: u16, warp: u16, origin: u16, mask: u32 },
    /// A dynamic warp left the table: its threads have arrived, gone back to the pool, or ended.
    Left { sm: u16, warp: u16 },
    /// Threads of static warp `origin` left a warp to wait by themselves, at a barrier or for their PTX warp (DWF).
    Parked { sm: u16, warp: u16, origin: u16, mask: u32 },
    /// An entry for a side of a branch, or for its likely-convergence point, was made on the stack of the block in `slot`;
    /// `depth` includes it (TBC).
    BlockPush { sm: u16, slot: u16, depth: u16, pc: Pc, rpc: Pc },
    /// An entry of that stack was popped, leaving `depth` entries.
    BlockPop { sm: u16, slot: u16, depth: u16 },
    /// A warp arrived at a branch or reconvergence point of its block; `wcnt` more will arrive (TBC).
    BlockArrive { sm: u16, slot: u16, warp: u16, pc: Pc, wcnt: u16 },
    /// Threads of the block in `slot` that had diverged are together again and go on at `pc` (TBC).
    BlockMet { sm: u16, slot: u16, pc: Pc, threads: u16 },
    /// Threads of a block joined those at their likely-convergence point, which wait in stack entry `position` (TBC-LCP).
    BlockMerge { sm: u16, slot: u16, position: u16, pc: Pc, threads: u16 },
    /// Lanes of a warp joined those at their likely-convergence point, which wait in stack entry `position` (PDOM-LCP).
    LikelyMerge { sm: u16, warp: u16, position: u16, pc: Pc, mask: u32 },
    /// Threads of a static warp arrived at its barrier, where the warp is restored when all have arrived (DWF-WB).
    WarpBarrier { sm: u16, warp: u16, pc: Pc, mask: u32 },
    /// A gang issued an instruction; its members' [`Event::Issued`] follow. Masks of gangs have a bit for each slice (VWS).
    GangIssued { sm: u16, row: u16, mask: u8, pc: Pc },
    /// A gang of original gang `row` split; the gangs and singletons of that original gang are now these (VWS).
    GangSplit { sm: u16, row: u16, gang: u8, gangs: [u8; 4], singles: u8, cause: SplitCause },
    /// Two parts of an original gang, both at `pc`, merged into one gang (VWS).
    GangMerge { sm: u16, row: u16, one: u8, two: u8, pc: Pc },
    /// The number of live warps by the size of their gang, singletons first, from this cycle on (VWS figure 18).
    GangSizes { sm: u16, sizes: [u16; 8] },
    /// A slice looked an instruction up in its L0 cache (VWS).
    SliceFetch { sm: u16, slice: u16, hit: bool },
    /// What the lanes of an INT or FP pipeline do from this cycle on; lanes in no mask are idle. Pipelines are numbered by SP
    /// unit, INT before FP (Origami).
    Lanes {
        sm: u16,
        pipe: u8,
        busy: u32,
        /// Power-gated, before break-even.
        dark: u32,
        /// Power-gated, past break-even.
        earning: u32,
        waking: u32,
    },
    /// The instruction issued just before executes on these lanes: in one pass or, folded, in two that are `interval` cycles
    /// apart (Origami).
    Placed { sm: u16, warp: u16, pipe: u8, first: u32, then: u32, interval: u16 },
    /// A phase begins, in which INT and FP instructions fold for `int` and `fp` cycles (Origami).
    FoldPhase { sm: u16, int: u32, fp: u32 },
    /// A warp of the resident block in `slot` was assigned a logical block; lane 0 holds its thread `first_thread` (VTW).
    Assigned { sm: u16, slot: u16, warp: u16, block: u64, iteration: u32, first_thread: u32 },
    /// The resident block in `slot` was given a logical block, its `iteration`th after the first (VTW).
    LogicalStart { sm: u16, slot: u16, block: u64, iteration: u32 },
    /// All threads of a logical block have ended; the resident block goes on, or waits for its warps to end (VTW).
    LogicalEnd { sm: u16, slot: u16, block: u64, iteration: u32 },
    /// A lane of the access that is emitted next goes to `bytes` bytes at this address of its space: for pictures and data
    /// breakpoints, and only for sinks that ask ([`Sink::wants_lanes`]). `write` holds for stores and for atomics alike.
    LaneAccess { sm: u16, warp: u16, pc: Pc, lane: u8, space: Space, write: bool, address: u64, bytes: u8 },
    /// Some active lanes of a warp, `mask`, exited at a guarded exit, and its other active lanes go on. It repeats what masks tell,
    /// so the hash of a run leaves it out.
    PartialExit { sm: u16, warp: u16, pc: Pc, mask: u32 },
    /// Lanes of a warp joined a convergence barrier (ITS).
    BarrierJoined { sm: u16, warp: u16, barrier: u8, pc: Pc, mask: u32 },
    /// Lanes of a warp left a convergence barrier that they will not come to (ITS).
    BarrierLeft { sm: u16, warp: u16, barrier: u8, pc: Pc, mask: u32 },
    /// A split of a warp waits at a convergence barrier (ITS).
    Blocked { sm: u16, warp: u16, barrier: u8, pc: Pc, mask: u32 },
    /// A convergence barrier is complete: the lanes that waited there go on at `pc` as one split (ITS).
    Converged { sm: u16, warp: u16, barrier: u8, pc: Pc, mask: u32 },
    /// A split of a warp has let the others go first (ITS).
    Yielded { sm: u16, warp: u16, pc: Pc, mask: u32 },
    /// Another split of a warp runs from now on (ITS).
    Switched { sm: u16, warp: u16, pc: Pc, mask: u32 },
}

impl Event {
    /// Whether it is of a kind that occurs in almost every cycle, whatever runs: metrics count them, and views do not search
    /// for them one by one.
    #[inline(always)]
    pub fn is_routine(&self) -> bool {
        use Event::{Cycle, Fetched, Issued, IssuedFor, Lanes, Placed, Slot, Writeback};
        matches!(
            self,
            Cycle { .. }
                | Slot { .. }
                | Fetched { .. }
                | Issued { .. }
                | IssuedFor { .. }
                | Writeback { .. }
                | Lanes { .. }
                | Placed { .. }
        )
    }
}
