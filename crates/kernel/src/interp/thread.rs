//! Two kinds of thread index, which must not be confused.
//!
//! A [`StorageThread`] is a thread's *place* in a resident block; it selects registers and local memory. A [`LogicalThread`] is
//! the thread of the launch that executes there; `%tid`, barriers and PTX-warp operations use it. Outside of virtual blocks
//! both numbers are the same. A virtual block (VTW section 4) runs one logical block after another in the same places, and the
//! logical threads of its warps may change.

/// A thread's place in a resident block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageThread(pub u32);

/// A thread of the launch, by its linear index in its logical block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct LogicalThread(pub u32);

impl StorageThread {
    /// Returns the thread that this place holds in a block that is not virtual.
    pub fn own(self) -> LogicalThread {
        LogicalThread(self.0)
    }
}

impl LogicalThread {
    /// Returns the index of the thread's PTX warp, for PTX warps of `width` threads.
    pub fn ptx_warp(self, width: u32) -> u32 {
        self.0 / width
    }

    /// Returns the thread's lane in its PTX warp.
    pub fn ptx_lane(self, width: u32) -> u32 {
        self.0 % width
    }

    /// Returns the thread `lanes` further on.
    pub fn plus(self, lanes: u32) -> LogicalThread {
        LogicalThread(self.0 + lanes)
    }
}
