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

//!
//! Searches behind branches are limited, together as well as one by one, so that the time taken grows with the program and not with
//! its square.

use super::Instruction;
use super::cfg::Cfg;
use super::graph::{Graph, NONE, dominators};
use super::passes::returns::only_returns;
use crate::ptx::op::Op;
use std::cell::RefCell;

/// Limits on the blocks searched behind one branch, to rank exits and to find a barrier.
const MOST_FOR_RANK: usize = 128;
const MOST_FOR_BARRIER: usize = 2048;
/// Limit on the blocks searched for one purpose behind all branches together. In a program with very many branches, fewer blocks
/// are searched behind each, but always [`LEAST_SEARCHED`].
const MOST_SEARCHED: usize = 1 << 24;
const LEAST_SEARCHED: usize = 16;

/// Returns how many blocks one search may visit: `most`, or its share of what all `searches` may visit together.
pub fn share(most: usize, searches: usize) -> usize {
    (MOST_SEARCHED / searches.max(1)).clamp(LEAST_SEARCHED.min(most), most)
}

/// The blocks in which threads end: of more than 64, the last 64 in the text.
pub struct Exits<'a> {
    pub search: Search<'a>,
    /// Lowest rank first.
    exits: Vec<Exit>,
    /// Blocks in which threads wait for other threads.
    waits: Vec<bool>,
    pub any_waits: bool,
    /// Limit on the blocks searched for a barrier behind one branch.
    most_for_barrier: usize,
    /// Immediate post-dominators with every exit kept, for branches that reach none of `exits`.
    towards_any: Vec<u32>,
}

struct Exit {
    block: usize,
    /// By block: its immediate post-dominator with all other exits cut off; [`NONE`] for the exit and where it cannot be reached.
    towards: Vec<u32>,
}

impl Exit {
    fn is_reached_from(&self, block: usize) -> bool {
        block == self.block || self.towards[block] != NONE
    }

    fn meeting(&self, block: usize) -> Option<usize> {
        some(self.towards[block])
    }
}

fn some(block: u32) -> Option<usize> {
    (block != NONE).then_some(block as usize)
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

impl Rank {
    /// Whether the criteria in front of `rerun` do not decide between two exits.
    fn is_open(&self, other: &Rank) -> bool {
        (self.is_no_trap, self.waiting, self.does_more) == (other.is_no_trap, other.waiting, other.does_more)
    }
}

impl<'a> Exits<'a> {
    /// Finds and ranks the exits; `branches` are the blocks that end in a branch.
    pub fn find(cfg: &'a Cfg, instructions: &[Instruction], branches: &[usize]) -> Exits<'a> {
        let n = cfg.blocks.len();
        let of = |at: usize| &instructions[cfg.blocks[at].start as usize..cfg.blocks[at].end as usize];
        let graph = cfg.graph();
        let is_live = graph.reached(0);
        let ends = |at: &usize| is_live[*at] && cfg.blocks[*at].exits && cfg.blocks[*at].successors.is_empty();
        let blocks: Vec<usize> = (0..n).rev().filter(ends).take(64).collect();
        let waits = |at: usize| of(at).iter().any(|instruction| instruction.op.is_barrier() || instruction.op.joins_warp());
        let waits: Vec<bool> = (0..n).map(|at| is_live[at] && waits(at)).collect();
        let any_waits = waits.contains(&true);
        let live = |at: &usize| is_live[*at];
        let before = (0..n).filter(live).flat_map(|at| cfg.blocks[at].successors.iter().map(move |&next| (next, at)));
        let before = Graph::new(n, before);
        let exit = |block: usize| Exit { block, towards: dominators(&before, &graph, block) };
        let exits: Vec<Exit> = blocks.into_iter().map(exit).collect();
        let rank = |exit: &Exit| Rank {
            is_no_trap: !of(exit.block).last().is_some_and(|last| matches!(last.op, Op::Trap | Op::AssertFail)),
            waiting: (0..n).filter(|&at| waits[at] && exit.is_reached_from(at)).count(),
            does_more: only_returns(instructions, cfg.blocks[exit.block].start).is_none(),
            rerun: std::cmp::Reverse(0),
            reached_from: (0..n).filter(|&at| exit.is_reached_from(at)).count(),
            block: exit.block,
        };
        let mut ranked: Vec<(Rank, Exit)> = exits.into_iter().map(|exit| (rank(&exit), exit)).collect();
        ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
        let search = Search::new(cfg);
        for equals in ranked.chunk_by_mut(|(a, _), (b, _)| a.is_open(b)).filter(|equals| equals.len() > 1) {
            count_reruns(&search, branches, equals);
        }
        ranked.sort_by(|(a, _), (b, _)| a.cmp(b));
        let exits: Vec<Exit> = ranked.into_iter().map(|(_, exit)| exit).collect();
        let unreached = branches.iter().any(|&at| exits.iter().all(|exit| !exit.is_reached_from(at)));
        let towards_any = if unreached { post_dominators(cfg) } else { Vec::new() };
        let most_for_barrier = share(MOST_FOR_BARRIER, branches.len() * exits.len());
        Exits { search, exits, waits, any_waits, most_for_barrier, towards_any }
    }

    /// Returns the block at which the sides of a branch meet; `None` if all paths meet only at the kernel's end.
    pub fn meeting(&self, branch: usize) -> Option<usize> {
        let reached = || self.exits.iter().rev().filter(|exit| exit.is_reached_from(branch));
        let several = reached().nth(1).is_some();
        // Exits in a row often have the same meeting point.
        let mut known = None;
        let mut waits = |exit: &Exit| {
            let meeting = exit.meeting(branch);
            let found =
                known.filter(|(of, _)| *of == meeting).map_or_else(|| self.waits_before(branch, meeting), |(_, found)| found);
            known = Some((meeting, found));
            found
        };
        let clear = if several && self.any_waits { reached().find(|exit| !waits(exit)) } else { None };
        match clear.or_else(|| reached().next()) {
            Some(exit) => exit.meeting(branch),
            None => self.towards_any.get(branch).copied().and_then(some),
        }
    }

    /// Whether threads of a branch can reach a block that waits for others before they reach `meeting`.
    fn waits_before(&self, branch: usize, meeting: Option<usize>) -> bool {
        self.search.reaches(branch, meeting, self.most_for_barrier, |block| self.waits[block])
    }
}

/// Counts for each of several exits the branches that can run again before their sides have met.
fn count_reruns(search: &Search, branches: &[usize], exits: &mut [(Rank, Exit)]) {
    let most = share(MOST_FOR_RANK, branches.len() * exits.len());
    let mut known: Vec<(Option<usize>, bool)> = Vec::new();
    for &branch in branches {
        known.clear();
        for (rank, exit) in exits.iter_mut().filter(|(_, exit)| exit.is_reached_from(branch)) {
            let meeting = exit.meeting(branch);
            let again = match known.iter().find(|(of, _)| *of == meeting) {
                Some(&(_, again)) => again,
                None => {
                    let again = search.reaches(branch, meeting, most, |block| block == branch);
                    known.push((meeting, again));
                    again
                }
            };
            rank.rerun.0 += usize::from(again);
        }
    }
}

/// Searches through blocks, with the memory that they share.
pub struct Search<'a> {
    cfg: &'a Cfg,
    memory: RefCell<Memory>,
}

struct Memory {
    /// By block: the last search that has found it.
    seen: Vec<u32>,
    searches: u32,
    open: Vec<usize>,
}

impl<'a> Search<'a> {
    pub fn new(cfg: &'a Cfg) -> Search<'a> {
        let memory = Memory { seen: vec![0; cfg.blocks.len()], searches: 0, open: Vec::new() };
        Search { cfg, memory: RefCell::new(memory) }
    }

    /// Whether some path from a branch reaches a wanted block before it reaches `stop`.
    ///
    /// Searches `most` blocks, and assumes that a wanted block is reached if that does not settle it.
    pub fn reaches(&self, branch: usize, stop: Option<usize>, most: usize, wanted: impl Fn(usize) -> bool) -> bool {
        let memory = &mut *self.memory.borrow_mut();
        if memory.searches == u32::MAX {
            memory.seen.fill(0);
            memory.searches = 0;
        }
        memory.searches += 1;
        let Memory { seen, searches, open } = memory;
        let mut found = 0;
        if let Some(stop) = stop {
            seen[stop] = *searches;
            found = 1;
        }
        open.clear();
        if !extend(open, &self.cfg.blocks[branch].successors, |at| seen[at] != *searches, most - found) {
            return true;
        }
        while let Some(at) = open.pop() {
            if seen[at] == *searches {
                continue;
            }
            if wanted(at) || found == most {
                return true;
            }
            seen[at] = *searches;
            found += 1;
            if !extend(open, &self.cfg.blocks[at].successors, |at| seen[at] != *searches, most - found) {
                return true;
            }
        }
        false
    }
}

/// Adds the blocks that are new, unless these are more than `room`: then it returns false.
fn extend(open: &mut Vec<usize>, blocks: &[usize], is_new: impl Fn(usize) -> bool, room: usize) -> bool {
    let before = open.len();
    open.extend(blocks.iter().copied().filter(|&at| is_new(at)).take(room + 1));
    open.len() - before <= room
}

/// Returns the immediate post-dominator of each block, if it is a block, with every exit kept.
fn post_dominators(cfg: &Cfg) -> Vec<u32> {
    let n = cfg.blocks.len();
    // Reversed edges, from a root that stands for the kernel's end.
    let inner = cfg.blocks.iter().enumerate().flat_map(|(at, block)| block.successors.iter().map(move |&next| (next, at)));
    let edges = inner.chain((0..n).filter(|&at| cfg.blocks[at].exits).map(|at| (n, at)));
    let graph = Graph::new(n + 1, edges);
    let mut found = dominators(&graph, &graph.turned(), n);
    found.truncate(n);
    found.iter_mut().filter(|by| **by as usize == n).for_each(|by| *by = NONE);
    found
}
