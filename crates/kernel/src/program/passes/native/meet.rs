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

use super::layout::Code;
use super::{Rewrite, machine};
use crate::program::cfg::{Cfg, Loop};
use crate::program::uniform::uniform_branches;
use crate::program::{Instruction, Pc, Program};
use crate::ptx::op::Op;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;

pub fn run(program: &mut Program) {
    join_latches(program);
    put_meetings(program);
}

/// Merges the back edges of each loop that has several and whose threads may diverge.
fn join_latches(program: &mut Program) {
    let splits = splitting_blocks(program);
    let mut loops: BTreeMap<usize, Vec<Loop>> = BTreeMap::new();
    for found in program.cfg.loops() {
        loops.entry(found.header).or_default().push(found);
    }
    let mut code = Code::of(program);
    for (header, ways) in loops {
        let blocks = || ways.iter().flat_map(|way| way.body.iter().copied());
        if ways.len() > 1 && blocks().any(|block| splits.contains(&block)) {
            let latches: Vec<usize> = ways.iter().map(|way| way.latch).collect();
            let behind = blocks().max().unwrap_or(header) + 1;
            code.put_between(&latches, header, behind, vec![meet(program, header)]);
        }
    }
    code.lay_out(program);
}

/// Puts `BSYNC` where the sides of branches meet, and `BSSY` before the branches.
fn put_meetings(program: &mut Program) {
    let mut points: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let block_of = |pc: Pc| program.cfg.block_of[pc as usize] as usize;
    let splits = splitting_blocks(program);
    for meeting in program.reconvergence.meetings.iter().filter(|meeting| splits.contains(&block_of(meeting.pc))) {
        for point in [meeting.rpc, meeting.lpc].into_iter().flatten() {
            let has_one = point > 0 && program.instructions[point as usize - 1].op == Op::Meet;
            let (branch, point) = (block_of(meeting.pc), block_of(point));
            if !has_one && several_come(&program.cfg, branch, point) {
                points.entry(point).or_default().push(branch);
            }
        }
    }
    let loops = program.cfg.loops();
    let dominators = simple_fast(&program.cfg.graph(), NodeIndex::new(0));
    let mut code = Code::of(program);
    for (point, branches) in points {
        let from = ways_in(&program.cfg, &branches, point);
        code.put_between(&from, point, point, vec![meet(program, point)]);
        let set_up = set_up_block(&dominators, &loops, &branches, point);
        code.parts[set_up].put_last(machine(Op::Nothing, "bssy;", Rewrite::Meeting, first_of(program, set_up)));
    }
    code.lay_out(program);
}

/// Returns the blocks whose branches may split a thread block.
fn splitting_blocks(program: &Program) -> Vec<usize> {
    let uniform = uniform_branches(program);
    let splits = program.reconvergence.meetings.iter().filter(|meeting| !uniform[meeting.pc as usize]);
    splits.map(|meeting| program.cfg.block_of[meeting.pc as usize] as usize).collect()
}

/// Whether more than one side of a branch leads to a point; threads that exit on another side are not waited for.
fn several_come(cfg: &Cfg, branch: usize, point: usize) -> bool {
    let comes = |side: usize| side == point || !ways_in(cfg, &[side], point).is_empty();
    cfg.blocks[branch].successors.iter().filter(|side| comes(**side)).count() > 1
}

/// Returns the blocks from which threads enter a point behind the branches that meet there.
fn ways_in(cfg: &Cfg, branches: &[usize], point: usize) -> Vec<usize> {
    let mut seen = vec![false; cfg.blocks.len()];
    let mut todo = branches.to_vec();
    let mut found = Vec::new();
    while let Some(at) = todo.pop() {
        if !std::mem::replace(&mut seen[at], true) {
            let (ends, others): (Vec<usize>, Vec<usize>) = cfg.blocks[at].successors.iter().partition(|next| **next == point);
            found.extend(ends.first().map(|_| at));
            todo.extend(others);
        }
    }
    found
}

/// Returns the last block that dominates all of the branches and lies in no loop without their meeting point.
fn set_up_block(dominators: &Dominators<NodeIndex>, loops: &[Loop], branches: &[usize], point: usize) -> usize {
    let above = |block: usize| dominators.dominators(NodeIndex::new(block)).into_iter().flatten().map(NodeIndex::index);
    let is_inside = |block: usize| loops.iter().any(|l| l.body.contains(&block) && !l.body.contains(&point));
    let dominates = |block: usize, other: usize| above(other).any(|dominator| dominator == block);
    let fits = |block: &usize| !is_inside(*block) && branches.iter().all(|branch| dominates(*block, *branch));
    branches.first().and_then(|branch| above(*branch).find(fits)).unwrap_or_default()
}

fn meet(program: &Program, block: usize) -> Instruction {
    machine(Op::Meet, "bsync;", Rewrite::Meeting, first_of(program, block))
}

fn first_of(program: &Program, block: usize) -> &Instruction {
    &program.instructions[program.cfg.blocks[block].start as usize]
}
