//! Two names for a thread that must not be confused.
//!
//! A thread of a resident block has a *place*: its registers and its local memory, by [`StorageThread`]. What it works on is a
//! thread of the launch, by [`LogicalThread`]: `%tid`, barriers and operations of a PTX warp mean this one. Where a block is
//! given its threads for good, the two numbers are the same. A virtual block (VTW section 4) runs one logical block after
//! another in the same places, and its warps may change theirs.

/// A place for a thread in a resident block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageThread(pub u32);

/// A thread of the launch, by its linear index in its logical block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
pub struct LogicalThread(pub u32);

impl StorageThread {
    /// The thread that this place holds where threads stay where they were put.
    pub fn own(self) -> LogicalThread {
        LogicalThread(self.0)
    }
}

impl LogicalThread {
    /// The PTX warp of that width that it belongs to.
    pub fn ptx_warp(self, width: u32) -> u32 {
        self.0 / width
    }

    /// Its lane in that PTX warp.
    pub fn ptx_lane(self, width: u32) -> u32 {
        self.0 % width
    }

    /// The thread so many further on.
    pub fn plus(self, lanes: u32) -> LogicalThread {
        LogicalThread(self.0 + lanes)
    }
}
