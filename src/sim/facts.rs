//! What policies may know about the warps and blocks of an SM: the machine's side of [`Warps`].

use super::Machine;
use super::state::{Block, Sets, StaticWarp, Warp};
use crate::policy::divergence::Place;
use crate::policy::view::{BlockFacts, Unit, VirtualFacts, WarpProgress, Warps};

/// The state of one SM, as its policies see it.
pub struct Facts<'a> {
    pub warps: &'a [Warp],
    pub blocks: &'a [Option<Block>],
    pub sets: &'a Sets,
    pub statics: &'a [StaticWarp],
    pub machine: &'a Machine,
    /// All logical blocks have been given out (VTW section 4.3.2).
    pub slow_phase: bool,
}

impl Facts<'_> {
    /// Warps of a block at its barrier, and those that have exited where these count.
    pub fn waiting(&self, slot: u16, block: &Block) -> u32 {
        let machine = self.machine;
        let exits = machine.config.exits_wait;
        let own = u32::from(block.first_warp)..u32::from(block.first_warp + block.warps);
        if !machine.reforms {
            let is_waiting = |&warp: &u32| self.sets.barrier.contains(warp) || exits && self.sets.exited.contains(warp);
            return own.filter(is_waiting).count() as u32;
        }
        // Where warps re-form, those of the table wait, and static warps exit.
        let there = self.sets.barrier.iter(machine.words).filter(|&warp| self.warps[warp as usize].block == slot);
        let gone = own.filter(|&warp| exits && self.statics[warp as usize].live == 0);
        (there.count() + gone.count()) as u32
    }
}

impl Facts<'_> {
    fn is_ahead(&self, warp: &Warp, block: &Block) -> bool {
        !self.machine.reforms && warp.assignment.iteration > block.current.iteration
    }

    /// How the warps of a block stand to each other, those that have ended left out.
    fn standing(&self, slot: u16, block: &Block) -> VirtualFacts {
        let mut facts = VirtualFacts { slow_phase: self.slow_phase, ..VirtualFacts::default() };
        for warp in self.sets.resident.iter(self.machine.words) {
            let state = &self.warps[warp as usize];
            if state.block != slot || self.sets.exited.contains(warp) {
                continue;
            }
            facts.progress = facts.progress.saturating_add(state.progress);
            facts.at_barrier += u32::from(self.sets.barrier.contains(warp));
            let ahead = u32::from(self.is_ahead(state, block));
            (facts.lower, facts.higher) = (facts.lower + 1 - ahead, facts.higher + ahead);
        }
        facts
    }
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
        let is_ahead = block.is_some_and(|block| self.is_ahead(state, block));
        WarpProgress { instructions: state.progress, is_ahead }
    }

    fn iterations(&self, warp: u32) -> VirtualFacts {
        let slot = self.warps[warp as usize].block;
        self.blocks[usize::from(slot)].as_ref().map_or_else(VirtualFacts::default, |block| self.standing(slot, block))
    }
}
