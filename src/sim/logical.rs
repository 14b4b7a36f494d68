//! Logical blocks and who works on them.
//!
//! A *logical block* is a block of the launch: an index, threads that meet at barriers and that end. A resident block has one
//! at a time; a virtual one (VTW section 4) has a second where some of its warps have gone on before the others. Each warp has
//! an [`Assignment`]: the logical block and the threads of it that its lanes hold.

use crate::config::Config;
use crate::interp::barrier::Barriers;
use crate::interp::shape::Shape;
use crate::policy::dispatch::ThreadIndices;
use crate::program::Pc;

pub use crate::interp::thread::{LogicalThread, StorageThread};

/// What a warp works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// The logical block, by its linear index in the grid.
    pub block: u64,
    /// How many logical blocks its resident block had before this one.
    pub iteration: u32,
    /// The thread in lane 0; the others follow.
    pub first: LogicalThread,
}

/// A block of the launch that is being worked on.
#[derive(Clone, Debug)]
pub struct Logical {
    /// Its linear index in the grid.
    pub index: u64,
    pub ctaid: [u32; 3],
    /// How many logical blocks its resident block had before this one.
    pub iteration: u32,
    pub barriers: Barriers,
    /// When the first warp came to a barrier, or exited, since the last release.
    pub first_hit: Option<u64>,
    /// Threads that have ended.
    pub exited: u32,
    /// Operations that PTX warps of the block are gathering for.
    pub joins: Vec<Join>,
    /// Lanes of each PTX warp that have exited, or were never there.
    pub exited_lanes: Vec<u32>,
    /// For each of its warps that somebody runs, which warp of the resident block that is; empty where each runs its own.
    pub seats: Vec<u16>,
    /// Which of its warps the next warp to come takes (VTW).
    pub indices: ThreadIndices,
    /// All of its threads have ended, and that has been told.
    pub ended: bool,
}

/// Threads of a PTX warp that wait for each other at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    pub ptx_warp: u32,
    pub pc: Pc,
    pub members: u32,
    /// Lanes of the PTX warp that are there.
    pub arrived: u32,
}

impl Logical {
    /// A block of the grid before anybody has begun it.
    pub fn new(shape: &Shape, config: &Config, index: u64, iteration: u32) -> Logical {
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

    /// Where a thread is stored, in warps of that width.
    pub fn place(&self, thread: LogicalThread, width: u32) -> StorageThread {
        let seat = self.seats.get((thread.0 / width) as usize);
        StorageThread(seat.map_or(thread.0, |&warp| u32::from(warp) * width + thread.0 % width))
    }
}
