//! The machine's side of [`Warps`]: what policies may know about the warps and blocks of an SM.

use super::Machine;
use super::holders;
use super::state::{Block, Sets, StaticWarp, Warp};
use crate::policy::divergence::Place;
use crate::policy::view::{BlockFacts, Unit, VirtualBlockFacts, WarpProgress, Warps};

/// The state of one SM, as its policies see it.
pub struct Facts<'a> {
    pub warps: &'a [Warp],
    pub blocks: &'a [Option<Block>],
    pub sets: &'a Sets,
    pub statics: &'a [StaticWarp],
    pub machine: &'a Machine,
    /// All logical blocks have been dispatched (VTW section 4.3.2).
    pub slow_phase: bool,
}

impl Facts<'_> {
    /// Counts the warps of a block at its barrier, and by `exits_wait` those that have exited.
    pub fn waiting(&self, slot: u16, block: &Block) -> u32 {
        holders::waiting(self.machine, self.sets, self.warps, self.statics, slot, block)
    }
}

impl Facts<'_> {
    /// Summarises the progress of the warps of a block that have not ended.
    fn standing(&self, slot: u16, block: &Block) -> VirtualBlockFacts {
        let mut facts = VirtualBlockFacts { slow_phase: self.slow_phase, ..VirtualBlockFacts::default() };
        let (sets, places) = (self.sets, holders::places(self.machine, block));
        for warp in places.filter(|&warp| sets.resident.contains(warp) && !sets.exited.contains(warp)) {
            let state = &self.warps[warp as usize];
            if state.block != slot {
                continue;
            }
            facts.progress = facts.progress.saturating_add(state.progress);
            facts.at_barrier += u32::from(self.sets.barrier.contains(warp));
            let ahead = u32::from(is_ahead(state, block));
            (facts.lower, facts.higher) = (facts.lower + 1 - ahead, facts.higher + ahead);
        }
        facts
    }
}

/// Whether a warp is in the logical block after its block's current one.
fn is_ahead(warp: &Warp, block: &Block) -> bool {
    warp.assignment.iteration > block.current.iteration
}

impl Warps for Facts<'_> {
    fn place(&self, warp: u32) -> Place {
        self.warps[warp as usize].place
    }

    fn unit(&self, warp: u32) -> Unit {
        self.machine.decoded[self.place(warp).pc as usize].unit
    }

    fn buffered(&self, warp: u32) -> u8 {
        self.warps[warp as usize].filled
    }

    fn block(&self, warp: u32) -> BlockFacts {
        let slot = self.warps[warp as usize].block;
        let block = self.blocks[usize::from(slot)].as_ref();
        let Some(block) = block else { return BlockFacts { slot, index: u64::MAX, ..BlockFacts::default() } };
        let counts = self.machine.config.block_priority.counts_barriers();
        let waiting = if counts { self.waiting(slot, block) } else { 0 };
        BlockFacts { slot, index: block.index, waiting, first_hit: block.current.first_hit }
    }

    fn has_block(&self, slot: u16) -> bool {
        self.blocks.get(usize::from(slot)).is_some_and(Option::is_some)
    }

    fn progress(&self, warp: u32) -> WarpProgress {
        let state = &self.warps[warp as usize];
        let block = self.blocks[usize::from(state.block)].as_ref();
        let is_ahead = block.is_some_and(|block| is_ahead(state, block));
        WarpProgress { instructions: state.progress, is_ahead }
    }

    fn iterations(&self, warp: u32) -> VirtualBlockFacts {
        let slot = self.warps[warp as usize].block;
        self.blocks[usize::from(slot)].as_ref().map_or_else(VirtualBlockFacts::default, |block| self.standing(slot, block))
    }
}
