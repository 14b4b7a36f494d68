//! Loops that may end only by what another thread stores: a lock, a flag that is waited for, a queue.
//!
//! A **poll** reads in each iteration anew what another thread may change: a volatile or stronger load, or an atomic. A loop
//! spins if a branch that leaves it depends on what a poll has read, by data or by a branch in the loop. Of 15 such loops in kernels
//! made for this, ptxas 13.0 gave each its `YIELD`, but for one that sleeps (`nanosleep`).

use crate::program::cfg::Cfg;
use crate::program::exits::share;
use crate::program::liveness::{for_reads, for_writes};
use crate::program::loops::LoopForest;
use crate::program::{Instruction, Pc, Plane, Program};
use crate::ptx::op::Op;
use std::collections::{BTreeMap, BTreeSet};

/// Limit on the blocks of a loop that is looked at.
const MOST_IN_LOOP: usize = 1 << 12;
/// Limit on the passes over a loop until nothing changes.
const MOST_PASSES: usize = 16;

/// Returns the heads of the loops that spin.
pub fn heads(program: &Program) -> Vec<usize> {
    let cfg = &program.cfg;
    let is_poll = |pc: &Pc| may_poll(&program.instructions[*pc as usize]);
    let polls: Vec<Pc> = (0..program.instructions.len() as Pc).filter(is_poll).collect();
    if polls.is_empty() {
        return Vec::new();
    }
    let loops = LoopForest::new(cfg);
    let mut by_loop: BTreeMap<usize, Vec<Pc>> = BTreeMap::new();
    for pc in polls {
        if let Some(inner) = loops.innermost(cfg.block_of[pc as usize] as usize) {
            by_loop.entry(inner).or_default().push(pc);
        }
    }
    let most = share(MOST_IN_LOOP, by_loop.len());
    let spins = by_loop.into_iter().filter_map(|(of_loop, polls)| {
        let body = Body::new(program, cfg, &loops, of_loop, most)?;
        body.spins(&polls).then_some(body.header)
    });
    spins.collect()
}

/// Whether an instruction reads what another thread may change.
fn may_poll(instruction: &Instruction) -> bool {
    match instruction.op {
        Op::Load(access) => access.strong,
        Op::Atom { result, .. } => result,
        _ => false,
    }
}

/// A natural loop.
struct Body<'a> {
    program: &'a Program,
    header: usize,
    blocks: BTreeSet<usize>,
}

impl Body<'_> {
    /// Collects the blocks of a loop; `None` where there are too many.
    fn new<'a>(program: &'a Program, cfg: &Cfg, loops: &LoopForest, of_loop: usize, most: usize) -> Option<Body<'a>> {
        let header = loops.headers[of_loop];
        let (mut blocks, mut todo) = (BTreeSet::new(), vec![header]);
        while let Some(at) = todo.pop() {
            if loops.contains(of_loop, at) && blocks.insert(at) {
                todo.extend(&cfg.blocks[at].successors);
            }
            if blocks.len() > most {
                return None;
            }
        }
        Some(Body { program, header, blocks })
    }

    fn code(&self) -> impl Iterator<Item = (usize, &Instruction)> {
        let of_block = |&at: &usize| {
            let block = &self.program.cfg.blocks[at];
            self.program.instructions[block.start as usize..block.end as usize].iter().map(move |instruction| (at, instruction))
        };
        self.blocks.iter().flat_map(of_block)
    }

    /// Adds to a set of planes what is computed from them, and what is written where `also` says, until nothing changes.
    fn spread(&self, planes: &mut BTreeSet<Plane>, also: impl Fn(&BTreeSet<Plane>, usize) -> bool) {
        let carry = self.program.planes - 1;
        for _ in 0..MOST_PASSES {
            let before = planes.len();
            for (block, instruction) in self.code() {
                let mut reads = false;
                for_reads(instruction, carry, |plane| reads |= planes.contains(&plane));
                if reads || also(planes, block) {
                    for_writes(instruction, carry, |plane| {
                        planes.insert(plane);
                    });
                }
            }
            if planes.len() == before {
                break;
            }
        }
    }

    fn spins(&self, polls: &[Pc]) -> bool {
        let (program, carry) = (self.program, self.program.planes - 1);
        let mut polled = BTreeSet::new();
        for &pc in polls {
            for_writes(&program.instructions[pc as usize], carry, |plane| {
                polled.insert(plane);
            });
        }
        // A value that is written on one side of a branch in the loop depends on the branch's condition.
        let sides = self.sides();
        self.spread(&mut polled, |polled, block| {
            sides.get(&block).is_some_and(|conditions| conditions.iter().any(|plane| polled.contains(plane)))
        });
        let leaves = |at: &usize| {
            let block = &program.cfg.blocks[*at];
            let guard = program.instructions[block.end as usize - 1].guard;
            guard.is_some_and(|guard| polled.contains(&guard.plane))
                && block.successors.iter().any(|next| !self.blocks.contains(next))
        };
        self.blocks.iter().any(leaves)
    }

    /// Returns by block the conditions of branches in the loop of which it is on one side.
    fn sides(&self) -> BTreeMap<usize, Vec<Plane>> {
        let program = self.program;
        let mut sides: BTreeMap<usize, Vec<Plane>> = BTreeMap::new();
        for meeting in &program.reconvergence.meetings {
            let branch = program.cfg.block_of[meeting.pc as usize] as usize;
            let Some(guard) = program.instructions[meeting.pc as usize].guard.filter(|_| self.blocks.contains(&branch)) else {
                continue;
            };
            let end = meeting.rpc.map(|pc| program.cfg.block_of[pc as usize] as usize);
            let mut seen = BTreeSet::from([branch]);
            let mut todo = program.cfg.blocks[branch].successors.clone();
            while let Some(at) = todo.pop() {
                if Some(at) != end && at != self.header && self.blocks.contains(&at) && seen.insert(at) {
                    sides.entry(at).or_default().push(guard.plane);
                    todo.extend(&program.cfg.blocks[at].successors);
                }
            }
        }
        sides
    }
}
