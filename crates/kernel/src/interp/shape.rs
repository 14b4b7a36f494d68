//! The shape of a launch, and the special registers through which threads read it.

use super::thread::LogicalThread;
use crate::launch::Launch;
use crate::program::Program;
use crate::ptx::module::{Axis, Special};

/// Properties of a launch that are the same for every block.
#[derive(Clone, Debug)]
pub struct GridShape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Number of threads of a block.
    pub threads: u32,
    pub(crate) dynamic_shared: u32,
    /// Bytes of shared memory of a block, static and dynamic.
    pub shared_bytes: u32,
    /// Number of threads of a PTX warp, the warp of `%laneid`, `shfl` and member masks.
    pub ptx_warp: u32,
    pub(crate) sms: u32,
    /// `%tid` of each thread of a block.
    tid: Vec<[u32; 3]>,
}

/// The block of a group of threads, and the SM and cycle in which it executes.
#[derive(Clone, Copy, Debug)]
pub struct BlockView<'a> {
    /// The shape of the launch that the block belongs to.
    pub shape: &'a GridShape,
    /// The block's index in the grid, in x, y and z.
    pub ctaid: [u32; 3],
    /// The SM that executes it, for `%smid`.
    pub sm: u32,
    /// The cycle, for `%clock`.
    pub clock: u64,
}

impl GridShape {
    /// Takes the shape of a launch, with what a block needs of shared memory for the program.
    pub fn new(program: &Program, launch: &Launch, ptx_warp: u32, sms: u32) -> GridShape {
        let [x, y, z] = launch.block;
        let threads = x * y * z;
        let tid = (0..threads).map(|t| [t % x, t / x % y, t / (x * y)]).collect();
        GridShape {
            grid: launch.grid,
            block: launch.block,
            threads,
            dynamic_shared: launch.shared,
            shared_bytes: program.shared_bytes.saturating_add(launch.shared),
            ptx_warp,
            sms,
            tid,
        }
    }

    /// Returns the number of blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Returns `%ctaid` of a block from its linear index, x running fastest.
    pub fn ctaid(&self, block: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [(block % x) as u32, (block / x % y) as u32, (block / (x * y)) as u32]
    }

    /// Returns `%tid` of a thread of a block.
    pub fn tid(&self, thread: LogicalThread) -> [u32; 3] {
        self.tid.get(thread.0 as usize).copied().unwrap_or_default()
    }
}

impl BlockView<'_> {
    /// Returns the value of a special register for a thread.
    #[inline]
    pub fn special(&self, special: Special, thread: LogicalThread) -> u64 {
        let axis = |of: [u32; 3], axis: Axis| u64::from(of[axis as usize]);
        let lane = thread.ptx_lane(self.shape.ptx_warp);
        let below = (1u64 << lane) - 1;
        let all = (1u64 << self.shape.ptx_warp.min(32)) - 1;
        match special {
            Special::Tid(a) => axis(self.shape.tid(thread), a),
            Special::Ntid(a) => axis(self.shape.block, a),
            Special::Ctaid(a) => axis(self.ctaid, a),
            Special::Nctaid(a) => axis(self.shape.grid, a),
            Special::LaneId => lane.into(),
            Special::WarpId => thread.ptx_warp(self.shape.ptx_warp).into(),
            Special::NWarpId => self.shape.threads.div_ceil(self.shape.ptx_warp).into(),
            Special::SmId => self.sm.into(),
            Special::NSmId => self.shape.sms.into(),
            Special::GridId | Special::Zero => 0,
            Special::One => 1,
            Special::LaneMaskEq => 1 << lane,
            Special::LaneMaskLt => below,
            Special::LaneMaskLe => below | 1 << lane,
            Special::LaneMaskGt => all & !(below | 1 << lane),
            Special::LaneMaskGe => all & !below,
            Special::Clock => self.clock & u64::from(u32::MAX),
            Special::ClockHigh => self.clock >> 32,
            Special::Clock64 | Special::GlobalTimer => self.clock,
            Special::DynamicSharedSize => self.shape.dynamic_shared.into(),
            Special::TotalSharedSize => self.shape.shared_bytes.into(),
            Special::WarpSize => self.shape.ptx_warp.into(),
        }
    }
}
