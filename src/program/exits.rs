//! Which exit of a kernel counts for a branch.
//!
//! A branch's **main exit** is the one on whose ways its sides meet. A branch shares the main exit of the branches that
//! dominate it as long as it can come to that one, for the threads that go on from it must still stop where those of the
//! outer branch meet. Where there is none to share, it is an exit that two sides of the branch can come to, if there is one.
//! Of several, traps are the least important and those behind a barrier the most (whoever leaves must be gone before the
//! others wait for everybody); then counts how many blocks can come to it, and only then the text's order.

use super::Instruction;
use super::cfg::Cfg;
use crate::order;
use crate::ptx::op::Op;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::NodeIndex;

/// The blocks in which every thread ends: of very many, the last in the text.
pub struct Exits {
    /// Least important first.
    pub blocks: Vec<usize>,
    /// For each block of the program a bit for each of `blocks`: whether it can come to that one.
    reached: Vec<u64>,
}

impl Exits {
    pub fn find(cfg: &Cfg, instructions: &[Instruction]) -> Exits {
        let mut is_reached = vec![false; cfg.blocks.len()];
        let mut open: Vec<usize> = (0..cfg.blocks.len().min(1)).collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut is_reached[at], true) {
                open.extend(&cfg.blocks[at].successors);
            }
        }
        let ends = |at: &usize| is_reached[*at] && cfg.blocks[*at].exits && cfg.blocks[*at].successors.is_empty();
        let mut blocks: Vec<usize> = (0..cfg.blocks.len()).rev().filter(ends).take(u64::BITS as usize).collect();
        blocks.reverse();
        let reached = comes_to(cfg, &blocks);
        let of = |at: usize| &instructions[cfg.blocks[at].start as usize..cfg.blocks[at].end as usize];
        let is_trap = |at: usize| of(at).last().is_some_and(|last| matches!(last.op, Op::Trap | Op::AssertFail));
        let waits = |at: usize| of(at).iter().any(|instruction| instruction.op.is_barrier() || instruction.op.joins_warp());
        let mut ranks: Vec<(u64, usize)> = Vec::new();
        for (bit, &exit) in blocks.iter().enumerate() {
            let from = || (0..reached.len()).filter(|&at| is_reached[at] && reached[at] >> bit & 1 == 1);
            let kind = if is_trap(exit) { 0 } else { 1 + u64::from(from().any(waits)) };
            ranks.push((kind << 32 | from().count() as u64, exit));
        }
        order::by_key(&mut ranks, |(rank, _)| *rank);
        let blocks: Vec<usize> = ranks.into_iter().map(|(_, at)| at).collect();
        let reached = comes_to(cfg, &blocks);
        Exits { blocks, reached }
    }

    /// For each block that branches, its main exit as a place in `blocks`, if it comes to any.
    pub fn main_of_branches(&self, cfg: &Cfg) -> Vec<Option<usize>> {
        let mut main = vec![None; cfg.blocks.len()];
        if cfg.blocks.is_empty() {
            return main;
        }
        let dominators = simple_fast(&cfg.graph(), NodeIndex::new(0));
        let above = |at: usize| dominators.immediate_dominator(NodeIndex::new(at)).map(NodeIndex::index);
        let mut is_known = vec![false; cfg.blocks.len()];
        for at in 0..cfg.blocks.len() {
            // From the closest block above whose exit is known, down to this one.
            let mut way = vec![at];
            while let Some(up) = way.last().filter(|&&last| !is_known[last]).and_then(|&last| above(last)) {
                way.push(up);
            }
            for &block in way.iter().rev() {
                if !std::mem::replace(&mut is_known[block], true) {
                    let shared = above(block).and_then(|up| main[up]).filter(|bit: &usize| self.reached[block] >> bit & 1 == 1);
                    main[block] = shared.or_else(|| self.of_branch(cfg, block));
                }
            }
        }
        main
    }

    /// The most important exit that two sides come to, or else that any comes to; nothing for a block that does not branch.
    fn of_branch(&self, cfg: &Cfg, block: usize) -> Option<usize> {
        let sides = &cfg.blocks[block].successors;
        let (any, two) =
            sides.iter().fold((0, 0), |(any, two), &side| (any | self.reached[side], two | any & self.reached[side]));
        let from = if two != 0 { two } else { any };
        (sides.len() > 1).then(|| from.checked_ilog2()).flatten().map(|bit| bit as usize)
    }
}

/// For each block a bit for each of some others: whether it can come to that one.
fn comes_to(cfg: &Cfg, ends: &[usize]) -> Vec<u64> {
    let mut before = vec![Vec::new(); cfg.blocks.len()];
    for (at, block) in cfg.blocks.iter().enumerate() {
        block.successors.iter().for_each(|&next| before[next].push(at));
    }
    let mut reached = vec![0; cfg.blocks.len()];
    for (bit, &end) in ends.iter().enumerate() {
        reached[end] |= 1 << bit;
    }
    let mut open = ends.to_vec();
    while let Some(at) = open.pop() {
        for &from in &before[at] {
            let more = reached[from] | reached[at];
            if more != std::mem::replace(&mut reached[from], more) {
                open.push(from);
            }
        }
    }
    reached
}
