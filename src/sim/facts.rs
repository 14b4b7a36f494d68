//! What policies may know about the warps and blocks of an SM: the machine's side of [`Warps`].

use super::decode::Decoded;
use super::state::{Block, Warp};
use crate::policy::divergence::Place;
use crate::policy::view::{BlockFacts, Unit, Warps};

/// The state of one SM, as its policies see it.
pub struct Facts<'a> {
    pub warps: &'a [Warp],
    pub blocks: &'a [Option<Block>],
    pub decoded: &'a [Decoded],
}

impl Warps for Facts<'_> {
    fn place(&self, warp: u32) -> Place {
        self.warps[warp as usize].place
    }

    fn unit(&self, warp: u32) -> Unit {
        self.decoded[self.place(warp).pc as usize].unit
    }

    fn buffered(&self, warp: u32) -> u8 {
        self.warps[warp as usize].filled
    }

    fn block(&self, warp: u32) -> BlockFacts {
        let slot = self.warps[warp as usize].block;
        let block = self.blocks[usize::from(slot)].as_ref();
        BlockFacts { slot, index: block.map_or(u64::MAX, |block| block.index) }
    }
}
