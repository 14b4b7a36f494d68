//! Which block's warps come first; among the warps of a block the issue policy decides (TBC section 6.2).
//!
//! - **AGE**: the block that was dispatched first. Blocks are staggered, so that one works while another waits at a branch.
//! - **RRB**: priority goes round the blocks, one further every cycle; all make even progress.
//! - **SRR**: a block keeps its priority until none of its warps can issue, then the next block has it.

use crate::sim::warp_set::WarpSet;

crate::policy::kinds! {
    /// The priorities between blocks.
    BlockPriorityKind {
        /// Blocks do not matter.
        None = "none",
        /// The oldest block.
        Age = "AGE",
        /// Round robin, a block a cycle.
        Rrb = "RRB",
        /// Sticky round robin.
        Srr = "SRR",
    }
}

/// What may be known of the warps of a scheduler.
pub struct BlockView<'a> {
    /// The block slot of each warp, and when its block was dispatched: lower is older.
    pub block: &'a dyn Fn(u32) -> (u16, u64),
    /// Block slots of the SM.
    pub slots: u16,
    pub cycle: u64,
    pub words: usize,
}

/// A priority with its memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockPriority {
    kind: BlockPriorityKind,
    /// SRR: the block slot that has priority.
    current: u16,
}

impl BlockPriority {
    pub fn new(kind: BlockPriorityKind) -> BlockPriority {
        BlockPriority { kind, current: 0 }
    }

    pub fn matters(&self) -> bool {
        self.kind != BlockPriorityKind::None
    }

    /// Leaves only the warps of the block that comes first. Nothing changes when there are none.
    #[inline(never)]
    pub fn narrow(&mut self, available: &mut WarpSet, view: &BlockView) {
        // How far each block is from the front.
        let start = match self.kind {
            BlockPriorityKind::None => return,
            BlockPriorityKind::Age => 0,
            BlockPriorityKind::Rrb => (view.cycle % u64::from(view.slots)) as u16,
            BlockPriorityKind::Srr => self.current,
        };
        let distance = |warp: u32| {
            let (slot, age) = (view.block)(warp);
            if self.kind == BlockPriorityKind::Age { age } else { u64::from((slot + view.slots - start) % view.slots) }
        };
        let Some(first) = available.iter(view.words).min_by_key(|&warp| distance(warp)) else { return };
        let chosen = (view.block)(first).0;
        let before = *available;
        for warp in before.iter(view.words).filter(|&warp| (view.block)(warp).0 != chosen) {
            available.remove(warp);
        }
        self.current = chosen;
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::set;
    use super::*;

    /// Two warps a block; slot 2 holds the oldest block, then 0, then 1.
    fn left(priority: &mut BlockPriority, available: &[u32], cycle: u64) -> Vec<u32> {
        let mut available = set(available);
        let block = |warp: u32| ((warp / 2) as u16, [1, 2, 0][warp as usize / 2]);
        priority.narrow(&mut available, &BlockView { block: &block, slots: 3, cycle, words: 1 });
        available.iter(1).collect()
    }

    #[test]
    fn the_oldest_block_comes_first() {
        let mut age = BlockPriority::new(BlockPriorityKind::Age);
        assert_eq!(left(&mut age, &[0, 1, 2, 5], 0), [5]);
        assert_eq!(left(&mut age, &[0, 1, 2], 1), [0, 1]);
        assert_eq!(left(&mut age, &[0, 4, 5], 2), [4, 5]);
        assert_eq!(left(&mut age, &[], 3), [0; 0]);
    }

    #[test]
    fn round_robin_turns_with_the_cycle() {
        let mut rrb = BlockPriority::new(BlockPriorityKind::Rrb);
        assert_eq!([0, 1, 2, 3].map(|cycle| left(&mut rrb, &[0, 2, 4], cycle)[0]), [0, 2, 4, 0]);
        assert_eq!(left(&mut rrb, &[0, 4], 1), [4], "block 1 has nobody, block 2 follows");
    }

    #[test]
    fn sticky_round_robin_stays_until_a_block_has_nobody() {
        let mut srr = BlockPriority::new(BlockPriorityKind::Srr);
        assert_eq!(left(&mut srr, &[0, 2, 4], 0), [0]);
        assert_eq!(left(&mut srr, &[1, 2, 4], 1), [1]);
        assert_eq!(left(&mut srr, &[2, 4], 2), [2]);
        assert_eq!(left(&mut srr, &[0, 3, 4], 3), [3]);
        assert_eq!(left(&mut srr, &[0, 4], 4), [4]);
        assert_eq!(left(&mut srr, &[0, 2], 5), [0]);
    }

    #[test]
    fn without_priority_everybody_stays() {
        let mut none = BlockPriority::new(BlockPriorityKind::None);
        assert!(!none.matters());
        assert_eq!(left(&mut none, &[0, 2, 5], 0), [0, 2, 5]);
    }
}
