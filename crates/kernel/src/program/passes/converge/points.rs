//! Where threads of a warp converge: the points that get a barrier, and the region of each.
//!
//! A **point** is a block that lanes of one warp come to on different ways, or the way back to the head of a loop. It is set up at
//! the last block that all of these ways pass, moved out of loops that do not contain the point: lanes that leave a loop in
//! different iterations wait for each other behind it. The **region** of a point has the blocks between its set-up and itself. A
//! point needs a barrier if a branch in its region may part lanes that both come to it. Lanes that leave the region otherwise, by a
//! `break` or a `goto`, leave the barrier; those that only end need not, because an ended lane is in no mask.
//!
//! All searches together visit a limited number of blocks. In a kernel for which that is not enough, some points have no barrier.

use super::allocate;
use crate::program::Program;
use crate::program::exits::share;
use crate::program::graph::{Graph, NONE, Tree};
use crate::program::loops::LoopForest;
use crate::program::uniform::uniform_branches;
use crate::ptx::op::{Barrier, Op};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Limit on the blocks of one region.
const MOST_IN_REGION: usize = 1 << 14;
/// Limit on the blocks followed to see whether a way out only ends.
const MOST_TO_END: usize = 256;

/// A point with a barrier.
pub struct Point {
    /// Its block.
    pub block: usize,
    /// The blocks from which lanes come to it.
    pub from: Vec<usize>,
    /// The block in front of which the waiting stands in the text.
    pub before: usize,
    /// The block at whose end lanes join its barrier.
    pub set_up: usize,
    /// Edges on which lanes leave the region without coming to it.
    pub ways_out: Vec<(usize, usize)>,
    /// Its barrier.
    pub barrier: Barrier,
}

/// Returns the points of a program with their barriers, outer ones first.
pub fn find(program: &Program) -> Vec<Point> {
    let search = Search::new(program);
    let candidates = search.candidates();
    let most = share(MOST_IN_REGION, candidates.len());
    let set_ups = candidates.iter().filter_map(|candidate| Some((candidate.block, search.set_up(candidate)?)));
    let mut ends = Ends { set_ups: set_ups.collect(), known: HashMap::new() };
    let found = candidates.into_iter().filter_map(|candidate| search.point(candidate, most, &mut ends)).collect();
    allocate(found, program.cfg.blocks.len())
}

struct Candidate {
    block: usize,
    from: Vec<usize>,
    before: usize,
    /// The way back to a loop's head, not a way forwards.
    is_back: bool,
    /// The loop around the end of an inner loop: the end is a point if whoever leaves the inner loop otherwise leaves this one, too.
    within: Option<usize>,
}

/// Which ways out of a region only end.
struct Ends {
    /// Where the barrier of a block's point would be set up.
    set_ups: HashMap<usize, usize>,
    known: HashMap<usize, bool>,
}

struct Search<'a> {
    program: &'a Program,
    before: Graph,
    parents: Vec<u32>,
    tree: Tree,
    loops: LoopForest,
    /// By block: whether its branch may split a warp.
    splits: Vec<bool>,
    /// Blocks where a branch of the block's own may reconverge.
    meets: BTreeSet<usize>,
}

impl Search<'_> {
    fn new(program: &Program) -> Search<'_> {
        let cfg = &program.cfg;
        let block_of = |pc: u32| cfg.block_of[pc as usize] as usize;
        let uniform = uniform_branches(program);
        let splitting = || program.reconvergence.meetings.iter().filter(|meeting| !uniform[meeting.pc as usize]);
        let mut splits = vec![false; cfg.blocks.len()];
        splitting().for_each(|meeting| splits[block_of(meeting.pc)] = true);
        let meets = splitting().filter_map(|meeting| meeting.rpc).map(block_of).collect();
        let parents = cfg.dominators();
        let tree = Tree::new(&parents);
        Search { before: cfg.graph().turned(), loops: LoopForest::new(cfg), program, parents, tree, splits, meets }
    }

    fn is_live(&self, block: usize) -> bool {
        block == 0 || self.parents[block] != NONE
    }

    /// Whether a block ends in an indexed branch.
    fn is_indexed(&self, block: usize) -> bool {
        let last = self.program.cfg.blocks[block].end as usize - 1;
        self.program.instructions[last].op == Op::BrxIdx
    }

    fn candidates(&self) -> Vec<Candidate> {
        let mut last_in_loop: HashMap<usize, usize> = HashMap::new();
        let mut latches: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &(latch, header) in &self.loops.back_edges {
            latches.entry(header).or_default().push(latch);
            let last = last_in_loop.entry(header).or_insert(latch);
            *last = latch.max(*last);
        }
        let mut found = Vec::new();
        for block in (0..self.program.cfg.blocks.len()).filter(|&block| self.is_live(block)) {
            let leads = self.before.next(block).iter().map(|&from| from as usize);
            let from: Vec<usize> = leads.filter(|&from| self.is_live(from) && !self.tree.is_above(block, from)).collect();
            // Where the targets of an indexed branch join, machine code has a barrier only if all threads do.
            let is_early = !self.meets.contains(&block);
            if is_early && from.iter().any(|&from| self.is_indexed(from)) {
                continue;
            }
            let is_meeting = from.len() > 1 || from.len() == 1 && !is_early;
            let around = self.loops.innermost(block);
            let ends_loop = || self.loops.innermost(from[0]).is_some_and(|inner| !self.loops.contains(inner, block));
            let within = around.filter(|_| !is_meeting && from.len() == 1 && ends_loop());
            if is_meeting || within.is_some() {
                found.push(Candidate { block, from, before: block, is_back: false, within });
            }
            if let Some(from) = latches.remove(&block).filter(|from| from.len() > 1) {
                let before = last_in_loop[&block] + 1;
                found.push(Candidate { block, from, before, is_back: true, within: None });
            }
        }
        found
    }

    /// Returns the point for a candidate, with its region, if it needs a barrier and can be searched.
    fn point(&self, candidate: Candidate, most: usize, ends: &mut Ends) -> Option<(Point, Vec<usize>)> {
        let set_up = self.set_up(&candidate)?;
        let Candidate { block, from, before, within, .. } = candidate;
        let region = self.region(&from, set_up, most)?;
        let is_inside: BTreeSet<usize> = region.iter().copied().collect();
        let comes: BTreeSet<usize> = from.iter().copied().collect();
        let next = |at: usize| &self.program.cfg.blocks[at].successors;
        let arrives = |at: usize, to: usize| is_inside.contains(&to) && to != set_up || to == block && comes.contains(&at);
        let parts = |&at: &usize| self.splits[at] && next(at).iter().filter(|&&to| arrives(at, to)).nth(1).is_some();
        if !region.iter().any(parts) {
            return None;
        }
        let ways = region.iter().flat_map(|&at| next(at).iter().map(move |&to| (at, to)));
        let ways: Vec<(usize, usize)> = ways.filter(|&(at, to)| !arrives(at, to)).collect();
        if within.is_some_and(|around| ways.iter().any(|&(_, to)| self.loops.contains(around, to))) {
            return None;
        }
        let ways_out = ways.into_iter().filter(|&(_, to)| !self.only_ends(to, ends)).collect();
        Some((Point { block, from, before, set_up, ways_out, barrier: Barrier { register: 0, point: 0 } }, region))
    }

    /// Returns the last block that all ways to a point pass, outside of loops without the point.
    fn set_up(&self, &Candidate { block, ref from, is_back, .. }: &Candidate) -> Option<usize> {
        let parent = |at: usize| Some(self.parents[at]).filter(|&above| above != NONE).map(|above| above as usize);
        let mut at = if is_back {
            let common = |at: usize| from.iter().all(|&from| self.tree.is_above(at, from));
            std::iter::successors(from.first().copied(), |&at| parent(at)).take(MOST_IN_REGION).find(|&at| common(at))?
        } else {
            parent(block)?
        };
        // A loop around the point contains the point's block; on the way back the block is the loop's own head.
        while let Some(inner) = self.loops.innermost(at).filter(|&inner| !self.loops.contains(inner, block)) {
            at = parent(self.loops.headers[inner])?;
        }
        Some(at)
    }

    /// Returns the blocks between the set-up and the point, the set-up's first; `None` where there are too many.
    fn region(&self, from: &[usize], set_up: usize, most: usize) -> Option<Vec<usize>> {
        let mut region = vec![set_up];
        let mut seen = BTreeSet::from([set_up]);
        let mut todo = from.to_vec();
        while let Some(at) = todo.pop() {
            if !self.is_live(at) || !seen.insert(at) {
                continue;
            }
            if region.len() == most {
                return None;
            }
            region.push(at);
            todo.extend(self.before.next(at).iter().map(|&from| from as usize));
        }
        Some(region)
    }

    /// Whether lanes that go to a block come to no code that others also come to, and wait for no others there: they only end.
    fn only_ends(&self, first: usize, ends: &mut Ends) -> bool {
        if let Some(&known) = ends.known.get(&first) {
            return known;
        }
        if self.before.next(first).len() > 1 {
            return false;
        }
        let (mut seen, mut todo) = (BTreeSet::new(), vec![first]);
        let mut only = true;
        while let Some(at) = todo.pop().filter(|_| only) {
            if seen.insert(at) {
                let waits = ends.set_ups.get(&at).is_some_and(|&set_up| !self.tree.is_above(first, set_up));
                only = !waits && self.tree.is_above(first, at) && seen.len() < MOST_TO_END;
                todo.extend(&self.program.cfg.blocks[at].successors);
            }
        }
        ends.known.insert(first, only);
        only
    }
}
