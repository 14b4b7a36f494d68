//! What happens in the machine, as one closed stream of typed events.
//!
//! The machine pushes; whoever wants to know listens through a [`Sink`]. Metrics, timelines, plots, exports and tests read
//! this stream and nothing else. A sink that does not listen costs nothing: its constants are known at compile time.
//!
//! Three kinds of events make time add up: for every SM and cycle one [`Event::Cycle`] says how many static warps did or
//! waited for what, one [`Event::Slot`] for each issue port says how it was used, and [`Event::Warp`] says which warp's
//! reason changed. A run of cycles in which nothing can happen is one event with a `repeat`.

use crate::program::Pc;
pub use crate::ptx::types::Space;
use serde::Serialize;

/// Why a gang was taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub enum SplitCause {
    /// Its members' next instructions differ.
    Control,
    /// Its members' loads came back at different times.
    Memory,
}

impl SplitCause {
    /// How sentences put it.
    pub fn words(self) -> &'static str {
        match self {
            SplitCause::Control => "their next instructions differ",
            SplitCause::Memory => "their loads came back at different times",
        }
    }
}

/// What a resident static warp did in a cycle, or why it did nothing (BAWS figure 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It issued an instruction.
    Issued,
    /// It could have issued; the scheduler chose another.
    NotSelected,
    /// Its next instruction waits for what an earlier one asked of memory: of any space, caches included.
    Memory,
    /// Its next instruction waits for a value that is being computed, and for nothing from memory.
    Result,
    /// Its next instruction waits for a unit or an issue port.
    Structural,
    /// The outcome of its branch is not known yet.
    Control,
    /// Its next instruction has not been fetched.
    Fetch,
    /// It waits at a barrier.
    Barrier,
    /// It has ended; its block has not.
    Exit,
    /// It waits for other threads of its PTX warp, or because a technique makes it wait.
    Sync,
    /// A lane that it needs sleeps or is waking (Origami section 2.2).
    Wakeup,
    /// Its next instruction touches shared memory, which siblings in the iteration before may still use (VTW section 4.4).
    Siblings,
    /// It is done with its logical block, and a sibling is still with the one before that (VTW section 4.2.1).
    Ahead,
    /// Its next instruction is an access, and memory takes no more: places for misses or the road to L2 are full.
    Throttle,
}

impl Reason {
    pub const ALL: [Reason; 14] = [
        Reason::Issued,
        Reason::NotSelected,
        Reason::Memory,
        Reason::Result,
        Reason::Structural,
        Reason::Control,
        Reason::Fetch,
        Reason::Barrier,
        Reason::Exit,
        Reason::Sync,
        Reason::Wakeup,
        Reason::Siblings,
        Reason::Ahead,
        Reason::Throttle,
    ];
    /// So many of them, the first ones, can come up on every machine; the others belong to techniques.
    const COMMON: usize = 10;

    /// The reasons that a list of a run has: those of every machine, and of the others those with a count.
    pub fn listed(count: impl Fn(Reason) -> u64) -> Vec<Reason> {
        Reason::ALL.into_iter().filter(|&reason| (reason as usize) < Reason::COMMON || count(reason) > 0).collect()
    }

    /// The key in results.
    pub fn key(self) -> &'static str {
        match self {
            Reason::Issued => "issued",
            Reason::NotSelected => "not_selected",
            Reason::Memory => "memory",
            Reason::Result => "result",
            Reason::Structural => "structural",
            Reason::Control => "control",
            Reason::Fetch => "fetch",
            Reason::Barrier => "barrier",
            Reason::Exit => "exit",
            Reason::Sync => "sync",
            Reason::Wakeup => "wakeup",
            Reason::Siblings => "siblings",
            Reason::Ahead => "ahead",
            Reason::Throttle => "throttle",
        }
    }

    /// The words of every legend.
    pub fn label(self) -> &'static str {
        match self {
            Reason::Issued => "issued",
            Reason::NotSelected => "not selected",
            Reason::Memory => "waits for memory",
            Reason::Result => "waits for a result",
            Reason::Structural => "waits for a unit",
            Reason::Control => "waits for a branch",
            Reason::Fetch => "waits for fetch",
            Reason::Barrier => "at a barrier",
            Reason::Exit => "ended",
            Reason::Sync => "waits for threads",
            Reason::Wakeup => "waits for a lane",
            Reason::Siblings => "waits for siblings",
            Reason::Ahead => "waits for its block",
            Reason::Throttle => "memory is full",
        }
    }

    /// What it means for a warp, in a sentence or two.
    pub fn about(self) -> &'static str {
        match self {
            Reason::Issued => "The warp issued an instruction in this cycle.",
            Reason::NotSelected => "The warp could have issued; its scheduler chose another one.",
            Reason::Memory => "The warp's next instruction needs a value that a load or an atomic has not brought yet.",
            Reason::Result => "The warp's next instruction needs a value that an earlier one is still computing.",
            Reason::Structural => "The unit or the issue port that the warp's next instruction needs is taken.",
            Reason::Control => "The outcome of the warp's branch is not known yet, so neither is its next instruction.",
            Reason::Fetch => "The warp's next instruction has not been fetched: its I-buffer is empty.",
            Reason::Barrier => "The warp waits at a barrier for the other warps of its block.",
            Reason::Exit => "All threads of the warp have ended. It keeps its place until its block ends.",
            Reason::Sync => "The warp waits for other threads of its PTX warp, or because the technique makes it wait.",
            Reason::Wakeup => "A lane that the warp's next instruction needs is power-gated, or waking up.",
            Reason::Siblings => {
                "The warp runs the next logical block and comes to shared memory; siblings are still in the block before."
            }
            Reason::Ahead => "The warp wants a new logical block, and would be two ahead of a sibling: one is allowed.",
            Reason::Throttle => {
                "The warp's next instruction is an access, and memory takes no more: its places for misses are full."
            }
        }
    }

    /// [`Reason::label`] in two parts, of which the second is enough where there is little room.
    pub fn label_parts(self) -> (&'static str, &'static str) {
        let label = self.label();
        let front = ["waits for a ", "waits for ", "at a "].into_iter().find(|front| label.starts_with(front));
        label.split_at(front.map_or(0, str::len))
    }

    /// The letter that stands for it in every legend.
    pub fn letter(self) -> char {
        match self {
            Reason::Issued => 'I',
            Reason::NotSelected => 'N',
            Reason::Memory => 'M',
            Reason::Result => 'R',
            Reason::Structural => 'S',
            Reason::Control => 'C',
            Reason::Fetch => 'F',
            Reason::Barrier => 'B',
            Reason::Exit => 'X',
            Reason::Sync => 'Y',
            Reason::Wakeup => 'W',
            Reason::Siblings => 'H',
            Reason::Ahead => 'A',
            Reason::Throttle => 'T',
        }
    }
}

/// Which of 64 static warps had which reason in a cycle, a bit for each, in the order of [`Reason::ALL`]. A warp that is not
/// resident is in none.
pub type Reasons = [u64; Reason::ALL.len()];

/// How many warps had which reason, in the order of [`Reason::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ReasonCounts(pub [u16; Reason::ALL.len()]);

/// Both waits for a value are one here: the hash of a run does not depend on how finely waits are told apart.
impl std::hash::Hash for Reason {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let after = isize::from(*self > Reason::Memory);
        (*self as isize - after).hash(state);
    }
}

/// As for [`Reason`]. Reasons of techniques count only where they come up: the hash does not depend on how many techniques
/// there are.
impl std::hash::Hash for ReasonCounts {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let (memory, result) = (Reason::Memory as usize, Reason::Result as usize);
        let mut folded = self.0;
        folded[memory] += folded[result];
        folded.copy_within(result + 1.., result);
        let (common, special) = folded[..Reason::ALL.len() - 1].split_at(Reason::COMMON - 1);
        common.hash(state);
        for (at, count) in special.iter().enumerate().filter(|(_, count)| **count > 0) {
            (at as u16, count).hash(state);
        }
    }
}

/// Which of 64 warps have another reason than in the cycle before: by place, with `None` for those that are gone.
fn changes(before: &Reasons, now: &Reasons, tell: &mut dyn FnMut(u16, Option<Reason>)) {
    let all = |reasons: &Reasons| reasons.iter().fold(0, |all, bits| all | bits);
    bits(all(before) & !all(now), |warp| tell(warp, None));
    for (at, reason) in Reason::ALL.into_iter().enumerate() {
        bits(now[at] & !before[at], |warp| tell(warp, Some(reason)));
    }
}

/// The positions of the bits that are set.
#[inline]
fn bits(mut word: u64, mut tell: impl FnMut(u16)) {
    while word != 0 {
        tell(word.trailing_zeros() as u16);
        word &= word - 1;
    }
}

/// How an issue port was used in a cycle (TBC figure 13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum SlotUse {
    /// By an instruction with this many active threads.
    Threads(u8),
    /// A warp was ready, but no unit was free for it.
    Stall,
    /// No warp was ready; at least one waits for memory.
    Memory,
    /// No warp was ready, and none waits for memory.
    Idle,
}

/// What a cache made of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum CacheOutcome {
    Hit,
    Miss,
    /// The line was already on its way.
    Merged,
}

/// The `first_thread` of an instruction whose threads are not neighbours: [`Event::IssuedFor`] tells who they are.
pub const SCATTERED: u32 = u32::MAX;

/// One thing that happened. Blocks are logical blocks by linear index.
///
/// Warps are entries of an SM's warp table. Where warps stay as compiled, that is their slot. Where they re-form, it is so
/// only in [`Event::Warp`], [`Event::WarpExit`], [`Event::BarrierArrive`], [`Event::WarpBarrier`] and as `origin`, all of which mean static warps;
/// elsewhere an entry holds one dynamic warp after another, and what it holds is told when it is formed and when it issues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Event {
    /// How many resident static warps had which reason, in the order of [`Reason::ALL`], for `repeat` cycles.
    Cycle {
        sm: u16,
        counts: ReasonCounts,
        repeat: u64,
    },
    /// The reason of a warp is another than in the cycle before; `None` when it is no longer resident.
    Warp {
        sm: u16,
        warp: u16,
        reason: Option<Reason>,
    },
    Slot {
        sm: u16,
        port: u16,
        slot: SlotUse,
        repeat: u64,
    },
    /// `count` instructions from `pc` on were asked for.
    Fetched {
        sm: u16,
        warp: u16,
        pc: Pc,
        count: u8,
        hit: bool,
    },
    /// An instruction issued for the lanes of `mask`; lane i is thread `first_thread + i` of the block, unless they are
    /// [`SCATTERED`].
    Issued {
        sm: u16,
        warp: u16,
        block: u64,
        pc: Pc,
        mask: u32,
        first_thread: u32,
    },
    /// A branch that can diverge was executed.
    Branch {
        sm: u16,
        warp: u16,
        pc: Pc,
        taken: u32,
        not_taken: u32,
        diverged: bool,
    },
    /// An entry was pushed onto the warp's stack; `depth` counts it.
    Push {
        sm: u16,
        warp: u16,
        depth: u16,
        pc: Pc,
        rpc: Pc,
        mask: u32,
    },
    /// The top entry was popped, leaving `depth` entries.
    Pop {
        sm: u16,
        warp: u16,
        depth: u16,
    },
    /// Lanes of a static warp that had parted are together again, to go on at `pc`; `mask` has all of them.
    Met {
        sm: u16,
        warp: u16,
        pc: Pc,
        mask: u32,
    },
    /// An instruction's result is there.
    Writeback {
        sm: u16,
        warp: u16,
        pc: Pc,
    },
    /// A memory instruction became this many transactions.
    Memory {
        sm: u16,
        warp: u16,
        pc: Pc,
        space: Space,
        write: bool,
        transactions: u16,
        done: u64,
    },
    L1 {
        sm: u16,
        line: u64,
        write: bool,
        outcome: CacheOutcome,
    },
    L2 {
        line: u64,
        write: bool,
        outcome: CacheOutcome,
    },
    /// Shared memory served one instruction in this many cycles more than one.
    BankConflict {
        sm: u16,
        warp: u16,
        pc: Pc,
        extra: u16,
    },
    BarrierArrive {
        sm: u16,
        warp: u16,
        block: u64,
        barrier: u8,
        mask: u32,
    },
    BarrierRelease {
        sm: u16,
        block: u64,
        barrier: u8,
    },
    /// Threads of a PTX warp that waited for each other went on.
    Joined {
        sm: u16,
        block: u64,
        pc: Pc,
        mask: u32,
    },
    WarpExit {
        sm: u16,
        warp: u16,
    },
    BlockStart {
        sm: u16,
        slot: u16,
        block: u64,
        first_warp: u16,
        warps: u16,
    },
    BlockEnd {
        sm: u16,
        slot: u16,
        block: u64,
    },
    /// The kernel did something wrong; the run ends.
    Trap {
        sm: u16,
        warp: u16,
        pc: Pc,
    },
    /// The instruction issued just before ran for these lanes of static warp `origin`.
    IssuedFor {
        sm: u16,
        warp: u16,
        origin: u16,
        mask: u32,
    },
    /// A dynamic warp was put together, to go on at `pc`; [`Event::Member`] tells of whom.
    Formed {
        sm: u16,
        warp: u16,
        pc: Pc,
        mask: u32,
    },
    /// Threads joined a warp of the pool that waits at `pc` (DWF); [`Event::Member`] tells whose.
    Merged {
        sm: u16,
        warp: u16,
        pc: Pc,
        mask: u32,
    },
    /// The lanes of `mask` of the warp formed or joined just before hold threads of static warp `origin`.
    Member {
        sm: u16,
        warp: u16,
        origin: u16,
        mask: u32,
    },
    /// A dynamic warp is no more: its threads have arrived, gone back to the pool, or ended.
    Left {
        sm: u16,
        warp: u16,
    },
    /// Threads of static warp `origin` have left a warp to wait at a barrier, or for their PTX warp, by themselves (DWF).
    Parked {
        sm: u16,
        warp: u16,
        origin: u16,
        mask: u32,
    },
    /// An entry for a side of a branch, or for its likely-convergence point, was made on the stack of the block in `slot`;
    /// `depth` counts it (TBC).
    BlockPush {
        sm: u16,
        slot: u16,
        depth: u16,
        pc: Pc,
        rpc: Pc,
    },
    /// An entry of that stack was popped, leaving `depth` entries.
    BlockPop {
        sm: u16,
        slot: u16,
        depth: u16,
    },
    /// A warp has arrived at a branch or a meeting point of its block; `wcnt` more will (TBC).
    BlockArrive {
        sm: u16,
        slot: u16,
        warp: u16,
        pc: Pc,
        wcnt: u16,
    },
    /// So many threads of the block in `slot` that had parted are together again, to go on at `pc` (TBC).
    BlockMet {
        sm: u16,
        slot: u16,
        pc: Pc,
        threads: u16,
    },
    /// Threads of a block joined those at their likely-convergence point, which wait in that position of the stack (TBC-LCP).
    BlockMerge {
        sm: u16,
        slot: u16,
        position: u16,
        pc: Pc,
        threads: u16,
    },
    /// Lanes of a warp joined those at their likely-convergence point, which wait in that position of its stack (PDOM-LCP).
    LikelyMerge {
        sm: u16,
        warp: u16,
        position: u16,
        pc: Pc,
        mask: u32,
    },
    /// Threads of a static warp came to its barrier, where it is restored when all have (DWF-WB).
    WarpBarrier {
        sm: u16,
        warp: u16,
        pc: Pc,
        mask: u32,
    },
    /// A gang issued an instruction; its members' [`Event::Issued`] follow. Masks of gangs have a bit for each slice (VWS).
    GangIssued {
        sm: u16,
        row: u16,
        mask: u8,
        pc: Pc,
    },
    /// A gang of original gang `row` was taken apart; these are that one's gangs and singletons now (VWS).
    GangSplit {
        sm: u16,
        row: u16,
        gang: u8,
        gangs: [u8; 4],
        singles: u8,
        cause: SplitCause,
    },
    /// Two parts of an original gang, which are at `pc`, became one gang (VWS).
    GangMerge {
        sm: u16,
        row: u16,
        one: u8,
        two: u8,
        pc: Pc,
    },
    /// Warps that have not ended by the size of their gang, singletons first, from this cycle on (VWS figure 18).
    GangSizes {
        sm: u16,
        sizes: [u16; 8],
    },
    /// A slice looked for an instruction in its own cache (VWS).
    SliceFetch {
        sm: u16,
        slice: u16,
        hit: bool,
    },
    /// What the lanes of an INT or FP pipeline do from this cycle on; those in no mask are idle. Pipelines are numbered by SP
    /// unit, INT before FP (Origami).
    Lanes {
        sm: u16,
        pipe: u8,
        busy: u32,
        /// Off, and not yet worth it.
        dark: u32,
        /// Off, and saving.
        earning: u32,
        waking: u32,
    },
    /// The instruction issued just before executes on these lanes, in one pass or, folded, in two, so many cycles apart
    /// (Origami).
    Placed {
        sm: u16,
        warp: u16,
        pipe: u8,
        first: u32,
        then: u32,
        interval: u16,
    },
    /// A phase begins, in which INT and FP instructions fold for so many cycles (Origami).
    FoldPhase {
        sm: u16,
        int: u16,
        fp: u16,
    },
    /// A warp of the resident block in `slot` goes on with a logical block; lane 0 holds that one's thread `first_thread` (VTW).
    Assigned {
        sm: u16,
        slot: u16,
        warp: u16,
        block: u64,
        iteration: u32,
        first_thread: u32,
    },
    /// The resident block in `slot` was given a logical block, its `iteration`th after the first (VTW).
    LogicalStart {
        sm: u16,
        slot: u16,
        block: u64,
        iteration: u32,
    },
    /// All threads of a logical block have ended; the resident block goes on, or waits for its warps to end (VTW).
    LogicalEnd {
        sm: u16,
        slot: u16,
        block: u64,
        iteration: u32,
    },
    /// A lane of the access told of next goes to this address of its space: for pictures, and told only to those who ask
    /// ([`Sink::wants_lanes`]).
    LaneAccess {
        sm: u16,
        warp: u16,
        pc: Pc,
        lane: u8,
        space: Space,
        write: bool,
        address: u64,
    },
}

impl Event {
    /// Whether it is of a kind that comes in almost every cycle, whatever runs: numbers are made of those, and nobody looks for
    /// a single one.
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

/// Somebody who wants to know.
pub trait Sink {
    /// Whether anything is listened to at all.
    const LISTENS: bool = true;
    /// Whether [`Event::Warp`] is wanted: it costs a look at every warp each cycle.
    const WANTS_WARPS: bool = false;
    /// Whether events that come in almost every cycle are wanted: see [`Event::is_routine`].
    const WANTS_ROUTINE: bool = true;

    /// Whether [`Event::LaneAccess`] is wanted: one for every lane of every access.
    #[inline(always)]
    fn wants_lanes(&self) -> bool {
        false
    }

    fn event(&mut self, cycle: u64, event: Event);

    /// One [`Event::Warp`] for each of the 64 warps from `first` on that has another reason than in the cycle before. There
    /// are several in most cycles, so who keeps them can take them all at once.
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        changes(before, now, &mut |at, reason| self.event(cycle, Event::Warp { sm, warp: first + at, reason }));
    }
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence;

impl Sink for Silence {
    const LISTENS: bool = false;

    #[inline(always)]
    fn event(&mut self, _: u64, _: Event) {}
}

/// Keeps every event with its cycle.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub events: Vec<(u64, Event)>,
}

impl Sink for Log {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        self.events.push((cycle, event));
    }
}

/// The events of one cycle, down to the lanes of its accesses.
#[derive(Clone, Debug, Default)]
pub struct OneCycle {
    pub events: Vec<Event>,
}

impl Sink for OneCycle {
    const WANTS_WARPS: bool = true;

    fn wants_lanes(&self) -> bool {
        true
    }

    fn event(&mut self, _: u64, event: Event) {
        self.events.push(event);
    }
}

/// Two listeners at once.
impl<A: Sink, B: Sink> Sink for (&mut A, &mut B) {
    const LISTENS: bool = A::LISTENS || B::LISTENS;
    const WANTS_WARPS: bool = A::WANTS_WARPS || B::WANTS_WARPS;
    const WANTS_ROUTINE: bool = A::WANTS_ROUTINE || B::WANTS_ROUTINE;

    #[inline(always)]
    fn wants_lanes(&self) -> bool {
        self.0.wants_lanes() || self.1.wants_lanes()
    }

    #[inline(always)]
    fn event(&mut self, cycle: u64, event: Event) {
        let for_few = matches!(event, Event::LaneAccess { .. });
        if !for_few || self.0.wants_lanes() {
            self.0.event(cycle, event);
        }
        if !for_few || self.1.wants_lanes() {
            self.1.event(cycle, event);
        }
    }

    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        self.0.warps(cycle, sm, first, before, now);
        self.1.warps(cycle, sm, first, before, now);
    }
}

/// A number that depends on every event and its order, for comparing runs.
#[derive(Clone, Debug)]
pub struct EventHash(u64);

impl Default for EventHash {
    fn default() -> EventHash {
        EventHash(0xcbf2_9ce4_8422_2325)
    }
}

impl EventHash {
    pub fn value(&self) -> u64 {
        self.0
    }
}

impl std::hash::Hasher for EventHash {
    fn finish(&self) -> u64 {
        self.0
    }

    /// FNV-1a over the bytes; integers arrive through the methods below, in one byte order on every host.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u16(&mut self, i: u16) {
        self.write_u64(i.into());
    }

    fn write_u32(&mut self, i: u32) {
        self.write_u64(i.into());
    }

    fn write_u64(&mut self, i: u64) {
        self.0 = (self.0 ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }

    fn write_isize(&mut self, i: isize) {
        self.write_u64(i as u64);
    }
}

impl Sink for EventHash {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        use std::hash::{Hash, Hasher};
        self.write_u64(cycle);
        event.hash(self);
    }

    /// From one wait for a value to the other is no change: see the hash of [`Reason`].
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        let folded = |reasons: &Reasons| {
            let mut folded = *reasons;
            folded[Reason::Memory as usize] |= std::mem::take(&mut folded[Reason::Result as usize]);
            folded
        };
        let tell = &mut |at, reason| self.event(cycle, Event::Warp { sm, warp: first + at, reason });
        changes(&folded(before), &folded(now), tell);
    }
}
