//! Which block's warps come first; among the warps of a block the issue policy decides (TBC section 6.2).
//!
//! - **AGE**: the block that was dispatched first. Blocks are staggered, so that one works while another waits at a branch.
//! - **RRB**: priority goes round the blocks, one further every cycle; all make even progress.
//! - **SRR**: a block keeps its priority until none of its warps can issue, then the next block has it.

use super::Rank;
use crate::config::BlockPriorityKind;
use crate::policy::view::IssueView;

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

    /// How far its block is from the front.
    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        let block = view.warps.block(warp);
        let behind = |first: u16| u64::from((block.slot + view.slots - first) % view.slots);
        let distance = match self.kind {
            BlockPriorityKind::None => 0,
            BlockPriorityKind::Age => block.index,
            BlockPriorityKind::Rrb => behind((view.cycle % u64::from(view.slots)) as u16),
            BlockPriorityKind::Srr => behind(self.current),
        };
        [distance, 0]
    }

    #[inline]
    pub fn issued(&mut self, warp: u32, view: &IssueView) {
        if self.kind == BlockPriorityKind::Srr {
            self.current = view.warps.block(warp).slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scheduler;
    use super::super::test_view::TestWarps;
    use crate::config::{BlockPriorityKind, Config, ScheduleKind};
    use crate::policy::view::BlockFacts;

    /// Two warps a block; slot 2 holds the oldest block, then 0, then 1. Older warps first within a block.
    fn warps(cycle: u64) -> TestWarps {
        let block = |warp: usize| BlockFacts { slot: warp as u16 / 2, index: [1, 2, 0][warp / 2], ..BlockFacts::default() };
        TestWarps { blocks: (0..6).map(block).collect(), ages: (0..6).collect(), slots: 3, cycle, ..TestWarps::new(6) }
    }

    fn scheduler(block_priority: BlockPriorityKind) -> Scheduler {
        Scheduler::new(&Config { block_priority, schedule: ScheduleKind::Oldest, ..Config::default() })
    }

    #[test]
    fn the_oldest_block_comes_first() {
        let mut age = scheduler(BlockPriorityKind::Age);
        let mut pick = |available: &[u32]| warps(0).pick(&mut age, available);
        assert_eq!(pick(&[0, 1, 2, 5]), Some(5));
        assert_eq!(pick(&[0, 1, 2]), Some(0));
        assert_eq!(pick(&[0, 4, 5]), Some(4));
        assert_eq!(pick(&[]), None);
    }

    #[test]
    fn round_robin_turns_with_the_cycle() {
        let mut rrb = scheduler(BlockPriorityKind::Rrb);
        assert_eq!([0, 1, 2, 3].map(|cycle| warps(cycle).pick(&mut rrb, &[0, 2, 4])), [0, 2, 4, 0].map(Some));
        assert_eq!(warps(1).pick(&mut rrb, &[0, 4]), Some(4), "block 1 has nobody, block 2 follows");
    }

    #[test]
    fn sticky_round_robin_stays_until_a_block_has_nobody() {
        let mut srr = scheduler(BlockPriorityKind::Srr);
        let mut pick = |available: &[u32]| warps(0).pick(&mut srr, available);
        assert_eq!(pick(&[0, 2, 4]), Some(0));
        assert_eq!(pick(&[1, 2, 4]), Some(1));
        assert_eq!(pick(&[2, 4]), Some(2));
        assert_eq!(pick(&[0, 3, 4]), Some(3));
        assert_eq!(pick(&[0, 4]), Some(4));
        assert_eq!(pick(&[0, 2]), Some(0));
    }

    #[test]
    fn without_priority_the_schedule_decides() {
        let mut none = scheduler(BlockPriorityKind::None);
        assert_eq!(warps(0).pick(&mut none, &[2, 5]), Some(2), "the older warp, though its block is the younger");
    }
}
