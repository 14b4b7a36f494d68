//! Block priority: which block's warps come first. Within a block the issue policy decides (TBC section 6.2, BAWS section 4.1).
//!
//! - **AGE**: the block that was dispatched first. This staggers the blocks: one works while another waits at a branch.
//! - **RRB**: priority rotates over the resident blocks, by one with every warp that issues, so that all progress evenly. A port
//!   that an instruction holds for several cycles advances the rotation once in that time.
//! - **SRR**: a block keeps its priority until none of its warps is ready; then the next block has it. A warp that only a busy
//!   unit holds back is ready.
//! - **MWF**: the block with most warps at its barrier; among equals the one with the smaller index. The counts are the warp
//!   priority table of BAWS: one for the SM, which all of its schedulers read.
//! - **SAWS**: the block whose first warp reached its barrier first (BAWS section 6.6); then blocks with none there, by index.

use super::Rank;
use crate::config::{BlockPriorityKind, Config};
use crate::policy::view::IssueView;

/// A block-priority policy with its state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockPriority {
    kind: BlockPriorityKind,
    /// Whether exited warps count as waiting.
    exits_wait: bool,
    /// RRB, SRR: the block slot that has priority.
    current: u16,
}

impl BlockPriority {
    pub fn new(config: &Config) -> BlockPriority {
        BlockPriority { kind: config.block_priority, exits_wait: config.exits_wait, current: 0 }
    }

    pub fn matters(&self) -> bool {
        self.kind != BlockPriorityKind::None
    }

    /// Returns how far the warp's block is from the front of the order.
    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        if !self.matters() {
            return [0, 0];
        }
        let block = view.warps.block(warp);
        let behind = |first: u16| u64::from((block.slot + view.slots - first) % view.slots);
        match self.kind {
            BlockPriorityKind::None => [0, 0],
            BlockPriorityKind::Age => [block.index, 0],
            BlockPriorityKind::Rrb | BlockPriorityKind::Srr => [behind(self.current), 0],
            BlockPriorityKind::MostWaiting => [u64::MAX - u64::from(block.waiting), block.index],
            BlockPriorityKind::FirstHit => [block.first_hit.unwrap_or(u64::MAX), block.index],
        }
    }

    /// Says why a warp of one block has a lower rank than one of another block.
    pub fn words(&self, first: Rank, other: Rank) -> &'static str {
        match self.kind {
            BlockPriorityKind::None | BlockPriorityKind::Age => "whose block is older",
            BlockPriorityKind::Srr if first[0] == 0 => "whose block keeps its priority",
            BlockPriorityKind::Rrb | BlockPriorityKind::Srr => "whose block comes first in turn",
            BlockPriorityKind::MostWaiting | BlockPriorityKind::FirstHit if first[0] == other[0] => {
                "whose block has the lower index"
            }
            BlockPriorityKind::MostWaiting if self.exits_wait => "whose block has more warps at its barrier or its end",
            BlockPriorityKind::MostWaiting => "whose block has more warps at its barrier",
            BlockPriorityKind::FirstHit if self.exits_wait => "whose block was at its barrier or its end first",
            BlockPriorityKind::FirstHit => "whose block was at its barrier first",
        }
    }

    #[inline]
    pub fn issued(&mut self, warp: u32, view: &IssueView) {
        match self.kind {
            BlockPriorityKind::Rrb => {
                let slots = (1..=view.slots).map(|ahead| (self.current + ahead) % view.slots);
                self.current = slots.into_iter().find(|&slot| view.warps.has_block(slot)).unwrap_or(0);
            }
            BlockPriorityKind::Srr => {
                let stays = view.ready.iter(view.words).any(|ready| view.warps.block(ready).slot == self.current);
                if !stays {
                    self.current = view.warps.block(warp).slot;
                }
            }
            BlockPriorityKind::None | BlockPriorityKind::Age | BlockPriorityKind::MostWaiting | BlockPriorityKind::FirstHit => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scheduler;
    use super::super::test_view::{TestWarps, set};
    use crate::config::{BlockPriorityKind, Config, ScheduleKind};
    use crate::policy::view::BlockFacts;

    /// Two warps per block. Slot 2 holds the oldest block, then 0, then 1. Within a block, the lower warp is older.
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
    fn round_robin_turns_with_every_issue() {
        let mut rrb = scheduler(BlockPriorityKind::Rrb);
        assert_eq!([0, 1, 2, 3].map(|cycle| warps(cycle).pick(&mut rrb, &[0, 2, 4])), [0, 2, 4, 0].map(Some));
        assert_eq!(warps(4).pick(&mut rrb, &[0, 4]), Some(4), "block 1 has nobody, block 2 follows");
        assert_eq!(warps(5).pick(&mut rrb, &[0, 2, 4]), Some(4), "it was block 2's turn all the same");
    }

    /// Eight lanes take a warp of 32 threads in four cycles, so a port chooses in every fourth cycle: with as many blocks, a
    /// priority that followed the cycle's number would always be the same block's.
    #[test]
    fn round_robin_turns_at_a_port_that_chooses_in_every_fourth_cycle() {
        let block = |warp: usize| BlockFacts { slot: warp as u16, index: warp as u64, ..BlockFacts::default() };
        let mut rrb = scheduler(BlockPriorityKind::Rrb);
        let picks = [0, 4, 8, 12, 16].map(|cycle| {
            let blocks = (0..4).map(block).collect();
            TestWarps { blocks, ages: (0..4).collect(), slots: 4, cycle, ..TestWarps::new(4) }.pick(&mut rrb, &[0, 1, 2, 3])
        });
        assert_eq!(picks, [0, 1, 2, 3, 0].map(Some));
    }

    /// The last two of four slots are free: the blocks in the first two alternate.
    #[test]
    fn round_robin_passes_over_slots_without_a_block() {
        let block = |warp: usize| BlockFacts { slot: warp as u16 / 2, index: warp as u64 / 2, ..BlockFacts::default() };
        let warps = TestWarps { blocks: (0..4).map(block).collect(), ages: (0..4).collect(), slots: 4, ..TestWarps::new(4) };
        let mut rrb = scheduler(BlockPriorityKind::Rrb);
        assert_eq!([0; 4].map(|_| warps.pick(&mut rrb, &[0, 1, 2, 3])), [0, 2, 0, 2].map(Some));
    }

    /// Within a block warps issue in loose round robin (TBC section 6.2), with a separate turn for each block.
    #[test]
    fn blocks_remember_whose_turn_it_is() {
        for (priority, expected) in [
            (BlockPriorityKind::Rrb, [0, 2, 4, 1, 3, 5]),
            (BlockPriorityKind::Srr, [0, 1, 0, 1, 0, 1]),
            (BlockPriorityKind::Age, [4, 5, 4, 5, 4, 5]),
        ] {
            let mut scheduler = by_block(priority, ScheduleKind::Lrr);
            let picks = [0; 6].map(|_| warps(0).pick(&mut scheduler, &[0, 1, 2, 3, 4, 5]));
            assert_eq!(picks, expected.map(Some), "{priority:?}");
        }
    }

    #[test]
    fn sticky_round_robin_stays_while_a_unit_is_busy() {
        let mut srr = scheduler(BlockPriorityKind::Srr);
        let mut pick = |available: &[u32], ready: &[u32]| warps(0).pick_of(&mut srr, available, ready);
        assert_eq!(pick(&[0, 2], &[0, 2]), Some(0));
        assert_eq!(pick(&[2], &[1, 2]), Some(2), "warp 1 waits for a unit only, so another block goes for once");
        assert_eq!(pick(&[1, 3], &[1, 3]), Some(1), "and block 0 has kept its priority");
        assert_eq!(pick(&[3], &[3]), Some(3), "now it has nobody");
        assert_eq!(pick(&[0, 2], &[0, 2]), Some(2));
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

    /// Blocks of four warps; for each the number of warps at the barrier and the cycle in which the first arrived.
    fn at_barriers(waiting: &[(u32, Option<u64>)]) -> TestWarps {
        let block = |warp: usize| {
            let (waiting, first_hit) = waiting[warp / 4];
            BlockFacts { slot: warp as u16 / 4, index: warp as u64 / 4, waiting, first_hit }
        };
        let count = 4 * waiting.len();
        let slots = waiting.len() as u16;
        TestWarps { blocks: (0..count).map(block).collect(), ages: (0..count as u64).collect(), slots, ..TestWarps::new(count) }
    }

    fn by_block(block_priority: BlockPriorityKind, schedule: ScheduleKind) -> Scheduler {
        Scheduler::new(&Config { block_priority, schedule, ..Config::default() })
    }

    fn order(scheduler: &Scheduler, warps: &TestWarps, available: &[u32]) -> Vec<u32> {
        warps.with_view(&set(available), |view| scheduler.order(view))
    }

    /// BAWS figure 7: three blocks of four warps; w2, w5, w7, w9, w10 and w11 wait at barriers.
    #[test]
    fn most_waiting_first_orders_figure_7() {
        let warps = at_barriers(&[(1, Some(9)), (2, Some(8)), (3, Some(7))]);
        let running = [0, 1, 3, 4, 6, 8];
        let mut lrr = by_block(BlockPriorityKind::MostWaiting, ScheduleKind::Lrr);
        let mut gto = by_block(BlockPriorityKind::MostWaiting, ScheduleKind::Gto);
        for last in [0, 7] {
            warps.pick(&mut lrr, &[last]);
            warps.pick(&mut gto, &[last]);
        }
        assert_eq!(order(&lrr, &warps, &running), [8, 4, 6, 1, 3, 0]);
        assert_eq!(order(&gto, &warps, &running), [8, 4, 6, 0, 1, 3], "w7 waits, so the oldest of block 1; w0 goes on");
        // A fourth block with two waiting warps has the same priority as block 1, and the larger index.
        let warps = at_barriers(&[(1, Some(9)), (2, Some(8)), (3, Some(7)), (2, Some(1))]);
        assert_eq!(order(&lrr, &warps, &[0, 1, 3, 4, 6, 8, 13, 14]), [8, 4, 6, 13, 14, 1, 3, 0]);
    }

    /// BAWS figure 13: block 0 reaches its barrier at t0, two warps of block 1 by t1, three of block 2 by t2.
    #[test]
    fn the_first_block_at_its_barrier_need_not_be_the_most_critical() {
        let saws = by_block(BlockPriorityKind::FirstHit, ScheduleKind::Gto);
        let mwf = by_block(BlockPriorityKind::MostWaiting, ScheduleKind::Gto);
        let first = |scheduler: &Scheduler, waiting: [(u32, Option<u64>); 3]| {
            order(scheduler, &at_barriers(&waiting), &[3, 7, 11])[0] / 4
        };
        let t0 = [(1, Some(0)), (0, None), (0, None)];
        let t1 = [(1, Some(0)), (2, Some(5)), (0, None)];
        let t2 = [(1, Some(0)), (2, Some(5)), (3, Some(7))];
        assert_eq!([t0, t1, t2].map(|moment| first(&saws, moment)), [0, 0, 0]);
        assert_eq!([t0, t1, t2].map(|moment| first(&mwf, moment)), [0, 1, 2]);
    }

    #[test]
    fn without_barriers_blocks_go_by_index() {
        let warps = at_barriers(&[(0, None), (0, None)]);
        for priority in [BlockPriorityKind::MostWaiting, BlockPriorityKind::FirstHit] {
            let mut lrr = by_block(priority, ScheduleKind::Lrr);
            let picks = [0; 5].map(|_| warps.pick(&mut lrr, &[0, 1, 2, 3, 4, 5, 6, 7]));
            assert_eq!(picks, [0, 1, 2, 3, 0].map(Some), "round robin in block 0");
            assert_eq!([0; 2].map(|_| warps.pick(&mut lrr, &[4, 5])), [Some(4), Some(5)], "block 0 has nobody");
            let mut gto = by_block(priority, ScheduleKind::Gto);
            assert_eq!(warps.pick(&mut gto, &[2, 5]), Some(2));
            assert_eq!(warps.pick(&mut gto, &[0, 2, 5]), Some(2), "greedy in block 0");
        }
    }

    #[test]
    fn a_new_block_in_a_slot_starts_afresh() {
        let mut gto = by_block(BlockPriorityKind::MostWaiting, ScheduleKind::Gto);
        let mut warps = at_barriers(&[(0, None)]);
        assert_eq!(warps.pick(&mut gto, &[2, 3]), Some(2));
        warps.blocks.iter_mut().for_each(|block| block.index = 9);
        assert_eq!(warps.pick(&mut gto, &[0, 2]), Some(0), "the oldest, not the one that issued for the block before");
    }
}
