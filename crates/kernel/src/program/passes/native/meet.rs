//! Reconvergence points as instructions.
//!
//! Machine code since Volta has no stack: a **convergence barrier** is set up before a branch that may split the warp (`BSSY`),
//! and the threads wait for each other where its sides meet (`BSYNC`). Every side executes `BSYNC` for itself, and in a loop so
//! do the threads that leave in each iteration, so it costs active threads. `BSSY` stands before the first of the branches that
//! meet at a point, and before loops that lead to the point. Branches that cannot split a block have neither.
//!
//! Where one side only exits, the other does not wait for it.
//!
//! A loop with several back edges gets a single one, where the sides within the loop meet before the next iteration.
//!
//! Searches between branches and points are limited; where a limit is reached, `BSYNC` may stand on a way that no side takes, and
//! `BSSY` where the kernel begins.

use super::super::layout::Code;
use super::{Rewrite, machine};
use crate::program::cfg::Cfg;
use crate::program::exits::share;
use crate::program::graph::{Graph, NONE, Tree};
use crate::program::loops::LoopForest;
use crate::program::uniform::uniform_branches;
use crate::program::{Instruction, Pc, Program};
use crate::ptx::op::Op;
use std::collections::BTreeMap;

/// Limit on the ways followed between branches and the point where they meet.
const MOST_BETWEEN: usize = 1 << 16;
/// Limit on the dominators tried for the place of one `BSSY`.
const MOST_ABOVE: usize = 1 << 14;

pub fn run(program: &mut Program) {
    join_latches(program);
    put_meetings(program);
}

/// Merges the back edges of each loop that has several and whose threads may diverge.
fn join_latches(program: &mut Program) {
    let splits = splitting_blocks(program);
    let loops = LoopForest::new(&program.cfg);
    let count = loops.headers.len();
    // By loop: whether a branch in it may split, its last block, and its latches.
    let (mut may_split, mut last) = (vec![false; count], vec![0; count]);
    for (block, splits) in splits.iter().enumerate() {
        if let Some(inner) = loops.innermost(block) {
            may_split[inner] |= splits;
            last[inner] = last[inner].max(block);
        }
    }
    for inner in 0..count {
        if let Some(around) = loops.around(inner) {
            may_split[around] |= may_split[inner];
            last[around] = last[around].max(last[inner]);
        }
    }
    let mut latches: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &(latch, header) in &loops.back_edges {
        latches.entry(header).or_default().push(latch);
    }
    let mut code = Code::of(program);
    for (header, latches) in latches {
        let of_loop = loops.innermost(header).filter(|&of_loop| latches.len() > 1 && may_split[of_loop]);
        if let Some(of_loop) = of_loop {
            code.put_between(&latches, header, last[of_loop] + 1, vec![meet(program, header)]);
        }
    }
    code.lay_out(program);
}

/// Puts `BSYNC` where the sides of branches meet, and `BSSY` before the branches.
fn put_meetings(program: &mut Program) {
    let mut points: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let block_of = |pc: Pc| program.cfg.block_of[pc as usize] as usize;
    let splits = splitting_blocks(program);
    let mut ways = Ways::new(&program.cfg, 4 * program.reconvergence.meetings.len());
    for meeting in program.reconvergence.meetings.iter().filter(|meeting| splits[block_of(meeting.pc)]) {
        for point in [meeting.rpc, meeting.lpc].into_iter().flatten() {
            let has_one = point > 0 && program.instructions[point as usize - 1].op == Op::Meet;
            let (branch, point) = (block_of(meeting.pc), block_of(point));
            if !has_one && ways.several_come(branch, point) {
                points.entry(point).or_default().push(branch);
            }
        }
    }
    let loops = LoopForest::new(&program.cfg);
    let parents = program.cfg.dominators();
    let tree = Tree::new(&parents);
    let most_above = share(MOST_ABOVE, points.len());
    let mut code = Code::of(program);
    for (point, branches) in points {
        let from = ways.ways_to(&branches, point);
        code.put_between(&from, point, point, vec![meet(program, point)]);
        let set_up = set_up_block(&parents, &tree, &loops, &branches, point, most_above);
        code.parts[set_up].put_last(machine(Op::Nothing, "bssy;", Rewrite::Meeting, first_of(program, set_up)));
    }
    code.lay_out(program);
}

/// Returns by block whether its branch may split a thread block.
fn splitting_blocks(program: &Program) -> Vec<bool> {
    let uniform = uniform_branches(program);
    let mut splits = vec![false; program.cfg.blocks.len()];
    for meeting in program.reconvergence.meetings.iter().filter(|meeting| !uniform[meeting.pc as usize]) {
        splits[program.cfg.block_of[meeting.pc as usize] as usize] = true;
    }
    splits
}

/// Searches for the ways from branches to the points where they meet.
struct Ways<'a> {
    cfg: &'a Cfg,
    before: Graph,
    /// By block: its place in an order in which every block stands behind those that it leads to, but for loops.
    component: Vec<u32>,
    /// By block: the last search that has found it.
    seen: Vec<usize>,
    searches: usize,
    /// Limit on the ways that one search follows.
    most: usize,
}

impl Ways<'_> {
    fn new(cfg: &Cfg, searches: usize) -> Ways<'_> {
        let most = share(MOST_BETWEEN, searches);
        let graph = cfg.graph();
        let component = graph.components();
        Ways { cfg, before: graph.turned(), component, seen: vec![0; cfg.blocks.len()], searches: 0, most }
    }

    /// Whether more than one side of a branch leads to a point; threads that exit on another side are not waited for.
    fn several_come(&mut self, branch: usize, point: usize) -> bool {
        let cfg = self.cfg;
        cfg.blocks[branch].successors.iter().filter(|side| self.comes(**side, point)).nth(1).is_some()
    }

    /// Whether a point can be reached from a block, which is assumed where a search is too long.
    fn comes(&mut self, block: usize, point: usize) -> bool {
        self.searches += 1;
        let (mut todo, mut count) = (vec![block], 0);
        while let Some(at) = todo.pop() {
            if self.component[at] == self.component[point] || count > self.most {
                return true;
            }
            // What stands in front of the point cannot lead to it.
            if self.component[at] > self.component[point] && std::mem::replace(&mut self.seen[at], self.searches) != self.searches
            {
                count += self.cfg.blocks[at].successors.len();
                todo.extend(&self.cfg.blocks[at].successors);
            }
        }
        false
    }

    /// Returns the blocks from which threads enter a point behind the branches that meet there. Where the search is too long, all
    /// blocks that lead to the point count.
    fn ways_to(&mut self, branches: &[usize], point: usize) -> Vec<usize> {
        self.searches += 1;
        let mut todo = branches.to_vec();
        let (mut found, mut count) = (Vec::new(), 0);
        while let Some(at) = todo.pop() {
            let is_behind = self.component[at] < self.component[point];
            if is_behind || std::mem::replace(&mut self.seen[at], self.searches) == self.searches {
                continue;
            }
            let successors = &self.cfg.blocks[at].successors;
            count += successors.len();
            if count > self.most {
                return self.before.next(point).iter().map(|&from| from as usize).collect();
            }
            found.extend(successors.contains(&point).then_some(at));
            todo.extend(successors.iter().filter(|next| **next != point));
        }
        found
    }
}

/// Returns the last block that dominates all of the branches and lies in no loop without their meeting point.
fn set_up_block(parents: &[u32], tree: &Tree, loops: &LoopForest, branches: &[usize], point: usize, most: usize) -> usize {
    let is_inside = |block: usize| loops.innermost(block).is_some_and(|inner| !loops.contains(inner, point));
    // What stands above the first and the last that a walk enters stands above all between them.
    let ends = [branches.iter().min_by_key(|at| tree.entered(**at)), branches.iter().max_by_key(|at| tree.entered(**at))];
    let fits = |block: &usize| !is_inside(*block) && ends.iter().flatten().all(|branch| tree.is_above(*block, **branch));
    let above = |at: &usize| Some(parents[*at]).filter(|&parent| parent != NONE).map(|parent| parent as usize);
    std::iter::successors(branches.first().copied(), above).take(most).find(fits).unwrap_or_default()
}

fn meet(program: &Program, block: usize) -> Instruction {
    machine(Op::Meet, "bsync;", Rewrite::Meeting, first_of(program, block))
}

fn first_of(program: &Program, block: usize) -> &Instruction {
    &program.instructions[program.cfg.blocks[block].start as usize]
}
