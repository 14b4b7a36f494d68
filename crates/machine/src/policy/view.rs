//! What a policy can read: a view of the warps and blocks of one SM.

use super::divergence::Place;
use super::warp_set::WarpSet;

/// The kind of execution unit that an instruction needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The integer pipeline of an SP unit.
    Int = 0,
    /// The floating-point pipeline of an SP unit; it takes instructions independently of the integer one.
    Fp = 1,
    /// Special-function units.
    Sfu = 2,
    /// Load/store units.
    LdSt = 3,
    /// Branches, barriers and exits: they need only the issue port, where units are separate pipelines.
    Control = 4,
}

/// Number of kinds of units.
pub const UNITS: usize = 5;

/// Read access to the warps and blocks of an SM, for policies.
pub trait Warps {
    /// Returns a warp's PC and active mask.
    fn place(&self, warp: u32) -> Place;
    /// Returns the unit that the warp's next instruction needs.
    fn unit(&self, warp: u32) -> Unit;
    /// Returns the number of instructions in the warp's I-buffer.
    fn buffered(&self, warp: u32) -> u8;
    /// Returns the facts about the block that the warp belongs to.
    fn block(&self, warp: u32) -> BlockFacts;
    /// Returns the warp's progress in its logical block.
    fn progress(&self, warp: u32) -> WarpProgress;
    /// Whether a block is resident in a slot.
    fn has_block(&self, slot: u16) -> bool;
    /// Returns progress and barrier counts over the warps of the warp's virtual block.
    fn iterations(&self, warp: u32) -> VirtualBlockFacts;
}

/// The progress of one warp (VTW section 4.3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpProgress {
    /// Instructions that the warp has issued for its current logical block.
    pub instructions: u32,
    /// Whether the warp is one iteration ahead of other warps of its block.
    pub is_ahead: bool,
}

/// Progress, barrier and iteration counts over the live warps of a virtual block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VirtualBlockFacts {
    /// Sum of the instructions that its warps have issued for their logical blocks.
    pub progress: u32,
    /// Number of its warps at a barrier.
    pub at_barrier: u32,
    /// Number of its warps in the lower (`lower`) and in the higher (`higher`) of two iterations.
    pub lower: u32,
    pub(crate) higher: u32,
    /// Whether all logical blocks have been assigned.
    pub slow_phase: bool,
}

/// The facts about a resident block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockFacts {
    pub(crate) slot: u16,
    /// Linear index in the grid; blocks are dispatched in this order.
    pub index: u64,
    /// Its entry in the warp priority table: warps at a barrier and, with `exits_wait`, warps that have exited.
    pub waiting: u32,
    /// The cycle in which the first of those warps began to wait, since the last release.
    pub first_hit: Option<u64>,
}

/// What a scheduler can read when it chooses a warp.
pub struct IssueView<'a> {
    /// The scheduler's warps that can issue in this cycle.
    pub available: &'a WarpSet,
    /// The available warps, and those that only a busy unit holds back.
    pub ready: &'a WarpSet,
    /// Warps that wait only for their instructions to be fetched.
    pub unfetched: &'a WarpSet,
    /// Warps that will not issue for long: they wait for memory or for other threads, or have exited.
    pub long_wait: &'a WarpSet,
    /// The scheduler's resident warps.
    pub resident: &'a WarpSet,
    /// For each warp, its position in the order of dispatch or formation: lower is older.
    pub age: &'a [u64],
    pub(crate) warps: &'a dyn Warps,
    /// Number of block slots of the SM.
    pub slots: u16,
    pub(crate) cycle: u64,
    /// Number of words in use in each set.
    pub words: usize,
}
