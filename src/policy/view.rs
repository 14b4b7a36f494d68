//! What a policy may look at: a read-only view of the warps and blocks of one SM.

use super::divergence::Place;
use super::warp_set::WarpSet;

/// What executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The integer pipeline of an SP unit.
    Int = 0,
    /// Its floating-point pipeline, which takes instructions independently of the other.
    Fp = 1,
    /// Special functions.
    Sfu = 2,
    /// Loads and stores.
    LdSt = 3,
    /// Branches, barriers and exits need no unit but the issue port.
    Control = 4,
}

/// Kinds of units.
pub const UNITS: usize = 5;

/// What is known about the warps of an SM.
pub trait Warps {
    /// Where a warp is, and with which lanes.
    fn place(&self, warp: u32) -> Place;
    /// The unit that its next instruction needs.
    fn unit(&self, warp: u32) -> Unit;
    /// Instructions in its I-buffer.
    fn buffered(&self, warp: u32) -> u8;
    /// The block of its threads.
    fn block(&self, warp: u32) -> BlockFacts;
    /// How far it has come with its logical block.
    fn progress(&self, warp: u32) -> WarpProgress;
    /// Whether a block is resident in a slot.
    fn has_block(&self, slot: u16) -> bool;
    /// How the warps of its block stand to each other.
    fn iterations(&self, warp: u32) -> VirtualFacts;
}

/// How far a warp has come (VTW section 4.3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarpProgress {
    /// Instructions that it has issued for its logical block.
    pub instructions: u32,
    /// It is in the iteration after that of other warps of its block.
    pub is_ahead: bool,
}

/// How the warps of a virtual block stand to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VirtualFacts {
    /// The sum of its warps' instructions.
    pub progress: u32,
    /// Its warps at a barrier.
    pub at_barrier: u32,
    /// Its warps in the lower and in the higher of two iterations.
    pub lower: u32,
    pub higher: u32,
    /// All logical blocks have been given out.
    pub slow_phase: bool,
}

/// What is known about a resident block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockFacts {
    pub slot: u16,
    /// Its linear index in the grid: blocks are dispatched in this order.
    pub index: u64,
    /// Its warps at a barrier, and by `exits_wait` those that have exited: the block's entry in the warp priority table.
    pub waiting: u32,
    /// When the first of those came there since the last release.
    pub first_hit: Option<u64>,
}

/// What a scheduler may look at.
pub struct IssueView<'a> {
    /// Its warps that could issue now.
    pub available: &'a WarpSet,
    /// Those, and its warps that only a busy unit holds back.
    pub ready: &'a WarpSet,
    /// Its warps that wait for memory, at a barrier, or have ended.
    pub long_wait: &'a WarpSet,
    /// Its resident warps.
    pub resident: &'a WarpSet,
    /// When each warp was dispatched or formed: lower is older.
    pub age: &'a [u64],
    pub warps: &'a dyn Warps,
    /// Block slots of the SM.
    pub slots: u16,
    pub cycle: u64,
    /// Words of the sets that are in use.
    pub words: usize,
}
