//! Scheduling by progress: the order of virtual blocks and their warps (VTW section 4.3.2, algorithm 1).
//!
//! Progress is counted in instructions: for a warp those that it has issued for its logical block, for a virtual block the sum
//! over its warps. A virtual block is in one of three states. *Barrier*: at least one of its warps waits at a barrier.
//! *DiffIter*: its warps are in two iterations. *SameIter*: all are in one. While unassigned logical blocks are left, the **fast
//! phase**, warps come in four groups:
//!
//! | group | warps | first among the blocks | first within a block |
//! | --- | --- | --- | --- |
//! | 0 | of blocks in *Barrier* | more warps at the barrier, then more progress | less progress |
//! | 1 | at the lower iteration, *DiffIter* | fewer warps at the lower iteration | less progress |
//! | 2 | *SameIter* | more progress | more progress |
//! | 3 | at the higher iteration, *DiffIter* | more warps at the higher iteration | the paper does not say |
//!
//! In the **slow phase** that follows, the last block to finish decides when the kernel ends: blocks with less progress come
//! first, and within a block warps with less progress. Remaining ties go by block slot, then by warp.

use super::Rank;
use crate::policy::view::{BlockFacts, IssueView, VirtualBlockFacts};

/// The progress policy. It keeps no state from one cycle to the next.
#[derive(Default)]
pub struct Progress {
    /// Facts about the blocks with an available warp, by slot; computed before ranking and not part of the machine's state.
    blocks: Vec<Option<VirtualBlockFacts>>,
    /// The cycle that they are of. Ranks of another cycle, as the fetch stage asks for, look the facts up anew.
    cycle: Option<u64>,
}

impl Clone for Progress {
    fn clone(&self) -> Progress {
        Progress::default()
    }
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Progress")
    }
}

impl PartialEq for Progress {
    fn eq(&self, _: &Progress) -> bool {
        true
    }
}

impl Eq for Progress {}

impl std::hash::Hash for Progress {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The group that a warp's rank begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Warps of blocks that wait at a barrier.
    Barrier = 0,
    /// Warps in the lower of two iterations of their block.
    LowerIteration = 1,
    /// Warps of blocks that are in one iteration.
    SameIteration = 2,
    /// Warps in the higher of two iterations of their block.
    HigherIteration = 3,
    /// All warps are in this group in the slow phase.
    SlowPhase = 4,
}

impl Group {
    /// The groups of the fast phase, in their order.
    pub const FAST: [Group; 4] = [Group::Barrier, Group::LowerIteration, Group::SameIteration, Group::HigherIteration];

    /// Returns the group of a warp, given the facts about its block.
    pub fn of(block: &VirtualBlockFacts, is_ahead: bool) -> Group {
        if block.slow_phase {
            Group::SlowPhase
        } else if block.at_barrier > 0 {
            Group::Barrier
        } else if block.higher == 0 {
            Group::SameIteration
        } else if is_ahead {
            Group::HigherIteration
        } else {
            Group::LowerIteration
        }
    }
}

impl Progress {
    /// Computes the facts about the blocks once, before their warps are ranked.
    pub fn arrange(&mut self, view: &IssueView) {
        self.cycle = Some(view.cycle);
        self.blocks.clear();
        self.blocks.resize(view.slots.into(), None);
        for warp in view.available.iter(view.words) {
            let block = &mut self.blocks[usize::from(view.warps.block(warp).slot)];
            block.get_or_insert_with(|| view.warps.iterations(warp));
        }
    }

    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        let BlockFacts { slot, .. } = view.warps.block(warp);
        let is_of_now = self.cycle == Some(view.cycle);
        let known = if is_of_now { self.blocks.get(usize::from(slot)).copied().flatten() } else { None };
        let block = known.unwrap_or_else(|| view.warps.iterations(warp));
        let own = view.warps.progress(warp);
        let group = Group::of(&block, own.is_ahead);
        let more = |count: u32| u32::MAX - count;
        let (count, progress, within) = match group {
            Group::Barrier => (more(block.at_barrier), more(block.progress), own.instructions),
            Group::LowerIteration => (block.lower, 0, own.instructions),
            Group::SameIteration => (0, more(block.progress), more(own.instructions)),
            Group::HigherIteration => (more(block.higher), 0, 0),
            Group::SlowPhase => (0, block.progress, own.instructions),
        };
        // A block has at most 1024 warps, so counts of them fit into 12 bits.
        let of_block = (group as u64) << 60 | u64::from(count & 0xfff) << 48 | u64::from(progress) << 16 | u64::from(slot);
        [of_block, within.into()]
    }
}

/// Says why a warp has the lower rank.
pub fn words(first: Rank, other: Rank) -> &'static str {
    const GROUPS: [Group; 5] =
        [Group::Barrier, Group::LowerIteration, Group::SameIteration, Group::HigherIteration, Group::SlowPhase];
    let group = GROUPS[(first[0] >> 60) as usize];
    let differ = |shift: u32| first[0] >> shift != other[0] >> shift;
    match group {
        Group::Barrier if differ(60) => "whose block has warps at its barrier",
        Group::LowerIteration if differ(60) => "which is at the lower iteration of its block",
        Group::SameIteration if differ(60) => "whose block is in one iteration",
        Group::Barrier if differ(48) => "whose block has more warps at its barrier",
        Group::LowerIteration if differ(48) => "whose block has fewer warps at the lower iteration",
        Group::HigherIteration if differ(48) => "whose block has more warps at the higher iteration",
        Group::SlowPhase if differ(16) => "whose block has made less progress",
        _ if differ(16) => "whose block has made more progress",
        _ if differ(0) => "whose block slot is lower",
        Group::SameIteration => "which has made more progress",
        _ => "which has made less progress",
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_view::{TestWarps, scheduler, set};
    use super::*;
    use crate::config::ScheduleKind;
    use crate::policy::view::WarpProgress;

    /// Returns the issue order for blocks of three warps, from each block's facts and each warp's instructions and `is_ahead`.
    fn order(blocks: &[(VirtualBlockFacts, [(u32, bool); 3])]) -> Vec<u32> {
        let count = 3 * blocks.len();
        let facts = |warp: usize| BlockFacts { slot: warp as u16 / 3, index: warp as u64 / 3, ..BlockFacts::default() };
        let progress = |warp: usize| {
            let (instructions, is_ahead) = blocks[warp / 3].1[warp % 3];
            WarpProgress { instructions, is_ahead }
        };
        let warps = TestWarps {
            blocks: (0..count).map(facts).collect(),
            progress: (0..count).map(progress).collect(),
            iterations: (0..count).map(|warp| blocks[warp / 3].0).collect(),
            slots: blocks.len() as u16,
            ..TestWarps::new(count)
        };
        let all: Vec<u32> = (0..count as u32).collect();
        warps.with_view(&set(&all), |view| {
            let mut scheduler = scheduler(ScheduleKind::Progress);
            scheduler.arrange(view);
            scheduler.order(view)
        })
    }

    fn warps(progress: [u32; 3]) -> [(u32, bool); 3] {
        progress.map(|instructions| (instructions, false))
    }

    const SAME: VirtualBlockFacts = VirtualBlockFacts { progress: 60, at_barrier: 0, lower: 3, higher: 0, slow_phase: false };
    const BARRIER: VirtualBlockFacts = VirtualBlockFacts { at_barrier: 1, ..SAME };
    const DIFFERENT: VirtualBlockFacts = VirtualBlockFacts { lower: 2, higher: 1, ..SAME };
    const EVEN: [(u32, bool); 3] = [(20, false); 3];

    #[test]
    fn the_four_groups_in_their_order() {
        let different = [(20, false), (20, true), (20, false)];
        let blocks = [(DIFFERENT, different), (SAME, EVEN), (BARRIER, EVEN)];
        assert_eq!(order(&blocks), [6, 7, 8, 0, 2, 3, 4, 5, 1]);
    }

    #[test]
    fn a_barrier_counts_before_a_difference_of_iterations() {
        let both = VirtualBlockFacts { at_barrier: 1, ..DIFFERENT };
        assert_eq!(order(&[(SAME, EVEN), (both, [(5, true), (9, false), (7, false)])]), [3, 5, 4, 0, 1, 2]);
    }

    #[test]
    fn of_blocks_at_a_barrier_the_one_with_more_warps_there() {
        let more = VirtualBlockFacts { at_barrier: 2, progress: 1, ..SAME };
        assert_eq!(order(&[(BARRIER, EVEN), (more, EVEN)])[0], 3);
    }

    #[test]
    fn of_those_with_as_many_the_one_with_more_progress() {
        let further = VirtualBlockFacts { progress: 61, ..BARRIER };
        assert_eq!(order(&[(BARRIER, EVEN), (further, EVEN)])[0], 3);
    }

    #[test]
    fn of_a_blocks_warps_at_a_barrier_the_one_with_less_progress() {
        assert_eq!(order(&[(BARRIER, warps([9, 3, 6]))]), [1, 2, 0]);
    }

    #[test]
    fn of_blocks_with_two_iterations_the_one_with_fewer_warps_behind() {
        let fewer = VirtualBlockFacts { lower: 1, higher: 2, ..SAME };
        let blocks = [(DIFFERENT, [(9, false), (1, true), (4, false)]), (fewer, [(1, true), (9, false), (1, true)])];
        assert_eq!(order(&blocks), [4, 2, 0, 3, 5, 1], "behind: less progress; ahead: more warps there");
    }

    #[test]
    fn where_all_are_in_one_iteration_more_progress_goes_first() {
        let further = VirtualBlockFacts { progress: 61, ..SAME };
        assert_eq!(order(&[(SAME, warps([1, 2, 3])), (further, warps([5, 4, 6]))]), [5, 3, 4, 2, 1, 0]);
    }

    #[test]
    fn in_the_slow_phase_less_progress_goes_first_whatever_the_state() {
        let slow = |facts| VirtualBlockFacts { slow_phase: true, ..facts };
        let blocks = [
            (slow(BARRIER), warps([1, 2, 3])),
            (slow(VirtualBlockFacts { progress: 59, ..DIFFERENT }), [(7, true), (8, false), (6, false)]),
        ];
        assert_eq!(order(&blocks), [5, 3, 4, 0, 1, 2]);
    }
}
