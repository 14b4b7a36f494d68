//! Post-dominators of branches in a kernel with several exits.
//!
//! A branch's **main exit** is the exit towards which its sides meet; paths to other exits leave the kernel and do not keep the
//! remaining threads from meeting. Exits are ranked once for the whole program, by the first of these criteria that differs:
//!
//! 1. A trap ranks lowest.
//! 2. The exit that is reachable from more blocks with a barrier, or with an operation that joins a warp, ranks higher: threads
//!    that leave must be gone before the others wait for all.
//! 3. A block that only returns ranks lower: meeting there gains nothing.
//! 4. The exit for which fewer branches can run again before their sides have met ranks higher: a `return` from inside a loop is
//!    a poor meeting point for the rest of the loop.
//! 5. The exit that more blocks can reach ranks higher, so that a cold block does not become the main exit by standing last.
//! 6. The last exit in the text ranks highest.
//!
//! A branch takes the highest-ranked exit that it can reach without a barrier between the branch and the meeting point, because
//! threads that wait at the meeting point would keep such a barrier from completing. If there is none, it takes the
//! highest-ranked exit that it can reach.

use super::Instruction;
use super::cfg::Cfg;
use super::passes::returns::only_returns;
use crate::ptx::op::Op;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// Limits on the blocks searched behind one branch, to rank exits and to find a barrier.
const MOST_FOR_RANK: usize = 128;
const MOST_FOR_BARRIER: usize = 2048;

/// The blocks in which threads end: of more than 64, the last 64 in the text.
pub struct Exits<'a> {
    cfg: &'a Cfg,
    /// Lowest rank first.
    exits: Vec<Exit>,
    /// Blocks in which threads wait for other threads.
    waits: Vec<bool>,
    pub any_waits: bool,
    /// Immediate post-dominators with every exit kept, for branches that reach none of `exits`.
    towards_any: Vec<Option<usize>>,
}

struct Exit {
    block: usize,
    /// By block: whether it can reach this exit.
    reached_from: Vec<bool>,
    /// By block: its immediate post-dominator with all other exits cut off.
    towards: Vec<Option<usize>>,
}

/// The rank of an exit, by the criteria of the module's comment.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_no_trap: bool,
    waiting: usize,
    does_more: bool,
    rerun: std::cmp::Reverse<usize>,
    reached_from: usize,
    block: usize,
}

impl<'a> Exits<'a> {
    /// Finds and ranks the exits; `branches` are the blocks that end in a branch.
    pub fn find(cfg: &'a Cfg, instructions: &[Instruction], branches: &[usize]) -> Exits<'a> {
        let of = |at: usize| &instructions[cfg.blocks[at].start as usize..cfg.blocks[at].end as usize];
        let is_live = reachable(cfg.blocks.len(), 0, |at| &cfg.blocks[at].successors);
        let ends = |at: &usize| is_live[*at] && cfg.blocks[*at].exits && cfg.blocks[*at].successors.is_empty();
        let blocks: Vec<usize> = (0..cfg.blocks.len()).rev().filter(ends).take(64).collect();
        let waits = |at: usize| of(at).iter().any(|instruction| instruction.op.is_barrier() || instruction.op.joins_warp());
        let waits: Vec<bool> = (0..cfg.blocks.len()).map(|at| is_live[at] && waits(at)).collect();
        let any_waits = waits.contains(&true);
        let mut before = vec![Vec::new(); cfg.blocks.len()];
        for (at, block) in cfg.blocks.iter().enumerate().filter(|(at, _)| is_live[*at]) {
            block.successors.iter().for_each(|&next| before[next].push(at));
        }
        let exit = |block: usize| Exit {
            block,
            reached_from: reachable(cfg.blocks.len(), block, |at| &before[at]),
            towards: post_dominators(cfg, |_, _| true, |at| cfg.blocks[at].exits && at == block),
        };
        let exits: Vec<Exit> = blocks.into_iter().map(exit).collect();
        // A single exit needs no ranking.
        let several = exits.len() > 1;
        let rerun = |exit: &Exit| {
            let again = |&&at: &&usize| reaches(cfg, at, exit.towards[at], MOST_FOR_RANK, |block| block == at);
            branches.iter().filter(|&&at| several && exit.reached_from[at]).filter(again).count()
        };
        let rank = |exit: &Exit| Rank {
            is_no_trap: !of(exit.block).last().is_some_and(|last| matches!(last.op, Op::Trap | Op::AssertFail)),
            waiting: exit.reached_from.iter().zip(&waits).filter(|(from, waits)| **from && **waits).count(),
            does_more: only_returns(instructions, cfg.blocks[exit.block].start).is_none(),
            rerun: std::cmp::Reverse(rerun(exit)),
            reached_from: exit.reached_from.iter().filter(|from| **from).count(),
            block: exit.block,
        };
        let mut ranked: Vec<(Rank, Exit)> = exits.into_iter().map(|exit| (rank(&exit), exit)).collect();
        ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
        let exits: Vec<Exit> = ranked.into_iter().map(|(_, exit)| exit).collect();
        let unreached = branches.iter().any(|&at| exits.iter().all(|exit| !exit.reached_from[at]));
        let towards_any = if unreached { post_dominators(cfg, |_, _| true, |at| cfg.blocks[at].exits) } else { Vec::new() };
        Exits { cfg, exits, waits, any_waits, towards_any }
    }

    /// Returns the block at which the sides of a branch meet; `None` if all paths meet only at the kernel's end.
    pub fn meeting(&self, branch: usize) -> Option<usize> {
        let reached = || self.exits.iter().rev().filter(|exit| exit.reached_from[branch]);
        let several = reached().nth(1).is_some();
        let waits = |exit: &Exit| self.waits_before(branch, exit.towards[branch]);
        let clear = if several && self.any_waits { reached().find(|exit| !waits(exit)) } else { None };
        match clear.or_else(|| reached().next()) {
            Some(exit) => exit.towards[branch],
            None => self.towards_any[branch],
        }
    }

    /// Whether threads of a branch can reach a block that waits for others before they reach `meeting`.
    fn waits_before(&self, branch: usize, meeting: Option<usize>) -> bool {
        reaches(self.cfg, branch, meeting, MOST_FOR_BARRIER, |block| self.waits[block])
    }
}

/// Whether some path from a branch reaches a wanted block before it reaches `stop`.
///
/// Searches `most` blocks, and assumes that a wanted block is reached if that does not settle it.
pub fn reaches(cfg: &Cfg, branch: usize, stop: Option<usize>, most: usize, wanted: impl Fn(usize) -> bool) -> bool {
    let mut seen = std::collections::HashSet::new();
    seen.extend(stop);
    let mut open = cfg.blocks[branch].successors.clone();
    while let Some(at) = open.pop() {
        if seen.contains(&at) {
            continue;
        }
        if wanted(at) || seen.len() == most {
            return true;
        }
        seen.insert(at);
        open.extend(&cfg.blocks[at].successors);
    }
    false
}

/// Returns which nodes can be reached from one, itself included.
fn reachable<'n>(nodes: usize, from: usize, next: impl Fn(usize) -> &'n [usize]) -> Vec<bool> {
    let mut found = vec![false; nodes];
    let mut open: Vec<usize> = (from..nodes).take(1).collect();
    while let Some(at) = open.pop() {
        if !std::mem::replace(&mut found[at], true) {
            open.extend(next(at));
        }
    }
    found
}

/// Returns the immediate post-dominator of each block, if it is a block, in a part of the graph: the edges (from, to) that are kept,
/// and the blocks where paths end.
pub fn post_dominators(cfg: &Cfg, keeps: impl Fn(usize, usize) -> bool, ends: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let n = cfg.blocks.len();
    // Reversed edges, from a root that stands for the kernel's end.
    let mut graph = DiGraph::<usize, ()>::with_capacity(n + 1, 2 * n);
    for at in 0..=n {
        graph.add_node(at);
    }
    for (at, block) in cfg.blocks.iter().enumerate() {
        for &next in block.successors.iter().filter(|next| keeps(at, **next)) {
            graph.add_edge(NodeIndex::new(next), NodeIndex::new(at), ());
        }
        if ends(at) {
            graph.add_edge(NodeIndex::new(n), NodeIndex::new(at), ());
        }
    }
    let dominators = simple_fast(&graph, NodeIndex::new(n));
    (0..n).map(|at| dominators.immediate_dominator(NodeIndex::new(at)).map(NodeIndex::index).filter(|&b| b < n)).collect()
}
