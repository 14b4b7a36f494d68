//! Logical blocks, and the warps that work on them.
//!
//! A *logical block* is a block of the launch: an index, and threads that meet at barriers and end. A resident block has one
//! at a time; a virtual one (VTW section 4) has a second while some of its warps are ahead of the others. Each warp has an
//! [`Assignment`]: its logical block, and the threads of it that its lanes hold.

use crate::config::Config;
use crate::policy::dispatch::ThreadIndices;
use warpscope_kernel::interp::barrier::Barriers;
use warpscope_kernel::interp::shape::GridShape;
use warpscope_kernel::interp::warp::Parts;

pub use warpscope_kernel::interp::thread::{LogicalThread, StorageThread};

/// The logical block and threads that a warp works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Assignment {
    /// The logical block, by its linear index in the grid.
    pub block: u64,
    /// How many logical blocks its resident block had before this one.
    pub iteration: u32,
    /// The thread in lane 0; the others follow.
    pub first: LogicalThread,
}

/// A block of the launch that is being executed.
#[derive(Clone, Debug, Hash)]
pub struct Logical {
    /// Its linear index in the grid.
    pub index: u64,
    /// Its index in the grid, in x, y and z.
    pub ctaid: [u32; 3],
    /// How many logical blocks its resident block had before this one.
    pub iteration: u32,
    /// Who has arrived at which barrier.
    pub barriers: Barriers,
    /// When the first warp reached a barrier, or exited, since the last release.
    pub first_hit: Option<u64>,
    /// Threads that have ended.
    pub exited: u32,
    /// Operations for which threads of PTX warps are gathering.
    pub joins: Vec<Join>,
    /// Lanes of each PTX warp that have exited, or that the block does not have.
    pub exited_lanes: Vec<u32>,
    /// For each of its warps, the warp of the resident block that runs it; empty where each runs its own.
    pub seats: Vec<u16>,
    /// Decides which of its warps the next warp to arrive takes (VTW).
    pub indices: ThreadIndices,
    /// All of its threads have ended, and the event has been emitted.
    pub ended: bool,
}

/// Threads of a PTX warp that wait for each other at an operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Join {
    pub(crate) ptx_warp: u32,
    pub(crate) members: u32,
    /// Lanes of the PTX warp that have arrived, by the instruction at which they wait.
    pub parts: Parts,
}

impl Join {
    /// Lanes of the PTX warp that have arrived.
    pub fn arrived(&self) -> u32 {
        self.parts.iter().fold(0, |all, (_, lanes)| all | lanes)
    }
}

impl Logical {
    /// Creates a block of the grid that no warp has begun.
    pub fn new(shape: &GridShape, config: &Config, index: u64, iteration: u32) -> Logical {
        let ptx_warps = shape.threads.div_ceil(config.ptx_warp);
        let absent = |ptx_warp: u32| {
            let there = (shape.threads - ptx_warp * config.ptx_warp).min(config.ptx_warp);
            if there >= 32 { 0 } else { u32::MAX << there }
        };
        Logical {
            index,
            ctaid: shape.ctaid(index),
            iteration,
            barriers: Barriers::new(shape.threads, shape.ptx_warp),
            first_hit: None,
            exited: 0,
            joins: Vec::new(),
            exited_lanes: (0..ptx_warps).map(absent).collect(),
            seats: Vec::new(),
            indices: ThreadIndices::default(),
            ended: false,
        }
    }

    /// Returns where a thread is stored, for warps of `width` threads.
    pub fn place(&self, thread: LogicalThread, width: u32) -> StorageThread {
        let seat = self.seats.get((thread.0 / width) as usize);
        StorageThread(seat.map_or(thread.0, |&warp| u32::from(warp) * width + thread.0 % width))
    }
}
