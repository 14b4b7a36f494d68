//! Which exit of a kernel counts for a branch.
//!
//! A branch's **main exit** is the most important one that it can come to; ways to the others are taken to leave, and do not
//! keep the rest from meeting. Traps are the least important. Then counts how many blocks with a barrier, or with an
//! operation that joins a warp, lie before it: whoever leaves must be gone before the others wait for everybody. Where
//! nobody waits for anybody, the exit counts most that most blocks can come to, so that a cold block does not become
//! the main exit for standing last; all else being the same, the last in the text does.

use super::Instruction;
use super::cfg::Cfg;
use crate::order;
use crate::ptx::op::Op;

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
            let rank = match from().filter(|&at| waits(at)).count() as u64 {
                _ if is_trap(exit) => 0,
                0 => 1 + from().count() as u64,
                waiting => waiting << 32,
            };
            ranks.push((rank, exit));
        }
        order::by_key(&mut ranks, |(rank, _)| *rank);
        let blocks: Vec<usize> = ranks.into_iter().map(|(_, at)| at).collect();
        let reached = comes_to(cfg, &blocks);
        Exits { blocks, reached }
    }

    /// A block's main exit as a place in `blocks`, if it comes to any.
    pub fn main_of(&self, block: usize) -> Option<usize> {
        self.reached[block].checked_ilog2().map(|bit| bit as usize)
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
