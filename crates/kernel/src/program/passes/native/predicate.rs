//! Predication in place of short forward branches.
//!
//! A branch around a few instructions, or between two sides that meet right behind them, is replaced by those instructions under
//! its guard. The limit is that of NVIDIA's compiler for branches that are likely to diverge: at most seven instructions depend
//! on the branch (CUDA C Programming Guide 4.2, section 5.4.2). The limit counts machine instructions, so a division stays behind
//! its branch.

use super::super::layout::{Code, CodePart, End};
use super::lengths::Lengths;
use crate::program::liveness::{LiveIn, for_writes};
use crate::program::passes::Rewrite;
use crate::program::{Guard, Instruction, Plane};
use crate::ptx::op::{Kind, Op};
use std::collections::BTreeSet;

/// Most machine instructions that may depend on a branch that becomes predication.
const MOST: usize = 7;

/// Predicates every short branch, the first in the program first; `live_in` has the planes that are live at the start of each
/// block.
pub fn run(code: &mut Code, live_in: &LiveIn, lengths: &Lengths) {
    for at in (0..code.parts.len()).rev() {
        join(code, at);
    }
    let through = code.through();
    let mut branches = vec![Vec::new(); code.parts.len()];
    for (at, part) in code.parts.iter().enumerate() {
        if let End::Branch { taken, next, .. } = part.end {
            branches[through[taken]].push(at);
            branches[through[next]].push(at);
        }
    }
    let leading = code.leading(&through);
    let open = (0..code.parts.len()).collect();
    let mut converting = Converting { code, live_in, lengths, leading, through, branches, open };
    while let Some(at) = converting.open.pop_first() {
        converting.convert(at);
    }
}

/// Drops a branch both of whose sides are the same block.
fn join(code: &mut Code, at: usize) {
    let skip = |mut at: usize| {
        // Only the empty blocks right behind a branch: longer ways are found later.
        for _ in 0..4 {
            match &code.parts[at] {
                CodePart { body, end: End::Next(next) } if body.is_empty() => at = *next,
                _ => break,
            }
        }
        at
    };
    let End::Branch { branch, taken, next } = &code.parts[at].end else { return };
    if matches!((branch.guard, branch.op), (Some(_), Op::Bra { uniform: false })) && skip(*taken) == skip(*next) {
        code.parts[at].end = End::Next(skip(*next));
    }
}

struct Converting<'a> {
    code: &'a mut Code,
    live_in: &'a LiveIn,
    lengths: &'a Lengths,
    /// By block: the number of ways into it.
    leading: Vec<usize>,
    /// By block: the first block from there on that is not empty, or a block on the way there.
    through: Vec<usize>,
    /// By block: the blocks whose branches lead to it.
    branches: Vec<Vec<usize>>,
    /// Blocks whose branches may have become convertible.
    open: BTreeSet<usize>,
}

impl Converting<'_> {
    fn through(&mut self, block: usize) -> usize {
        let mut at = block;
        while self.through[at] != at {
            self.through[at] = self.through[self.through[at]];
            at = self.through[at];
        }
        at
    }

    /// Returns the block behind a side of a branch, if the branch is the only way into the side.
    fn behind(&mut self, side: usize, branch: usize) -> Option<usize> {
        match self.code.parts[side].end {
            End::Next(behind) if self.leading[side] == 1 && side != branch => Some(self.through(behind)),
            _ => None,
        }
    }

    /// Moves the sides of a block's branch into the block, if they are short.
    fn convert(&mut self, at: usize) {
        let End::Branch { branch, taken, next } = &self.code.parts[at].end else { return };
        let (Some(guard), Op::Bra { uniform: false }) = (branch.guard, branch.op) else { return };
        let (taken, next) = (*taken, *next);
        // Nothing is counted of blocks that threads never reach.
        if self.leading[at] == 0 {
            return;
        }
        let (taken, next) = (self.through(taken), self.through(next));
        if taken == next {
            return self.end(at, &[], next);
        }
        let (sides, meeting): (Vec<(usize, bool)>, usize) = match (self.behind(taken, at), self.behind(next, at)) {
            (_, Some(behind)) if behind == taken => (vec![(next, true)], taken),
            (Some(behind), _) if behind == next => (vec![(taken, false)], next),
            (Some(one), Some(other)) if one == other => (vec![(next, true), (taken, false)], one),
            _ => return,
        };
        let all = || sides.iter().flat_map(|(side, _)| &self.code.parts[*side].body);
        // Every instruction is at least one machine instruction.
        let length: usize = all().take(MOST + 1).map(|instruction| self.lengths.of(instruction)).sum();
        if meeting == at || length > MOST || !all().all(|instruction| can_guard(instruction, guard.plane)) {
            return;
        }
        // A side's write begins a live range, unless the threads of the other side need the register's old value, or the side before
        // has written it for them.
        let mut written = Vec::new();
        for (side, turned) in sides.clone() {
            let elsewhere = sides.iter().map(|(other, _)| *other).find(|other| *other != side).unwrap_or(meeting);
            let kept = written.clone();
            let guard = Guard { negated: guard.negated != turned, ..guard };
            let body = std::mem::take(&mut self.code.parts[side].body);
            let guarded = body.into_iter().map(|instruction| {
                let mut begins = true;
                for_writes(&instruction, Plane::MAX, |plane| {
                    begins &= !self.live_in.is_live(elsewhere, plane) && !kept.contains(&plane);
                    written.push(plane);
                });
                Instruction { guard: Some(guard), begins, rewrite: Some(Rewrite::Predicated), ..instruction }
            });
            let guarded: Vec<Instruction> = guarded.collect();
            self.code.parts[at].body.extend(guarded);
        }
        self.end(at, &sides, meeting);
    }

    /// Lets a block continue at another one, in place of its branch and the sides that have been moved into it.
    fn end(&mut self, at: usize, sides: &[(usize, bool)], meeting: usize) {
        self.code.parts[at].end = End::Next(meeting);
        // Each side was a way into the block, or none where the branch led there; now there is one.
        self.leading[meeting] -= 1;
        for (side, _) in sides {
            self.leading[*side] = 0;
        }
        // The block may be a side itself, or on the way to one.
        let branches = std::mem::take(&mut self.branches[at]);
        self.open.extend(&branches);
        if self.code.parts[at].body.is_empty() {
            self.leading[meeting] += self.leading[at];
            self.leading[meeting] -= 1;
            self.leading[at] = 0;
            self.through[at] = meeting;
            self.branches[meeting].extend(branches);
        } else {
            self.branches[at] = branches;
        }
    }
}

/// Whether an instruction can run under a guard on the predicate in that plane.
fn can_guard(instruction: &Instruction, predicate: Plane) -> bool {
    let mut keeps = instruction.guard.is_none();
    // No carry plane is needed: instructions that use the carry flag are refused.
    for_writes(instruction, Plane::MAX, |plane| keeps &= plane != predicate);
    let is_plain = match instruction.op.kind() {
        Kind::Alu => !matches!(instruction.op, Op::Carry { .. }),
        // Atomics stay behind their branch: machine code may do one for all active threads.
        Kind::Memory => !matches!(instruction.op, Op::Atom { .. }),
        Kind::Host | Kind::Branch | Kind::Call | Kind::End | Kind::Again | Kind::Trap => false,
        Kind::Barrier | Kind::Join | Kind::ActiveMask | Kind::Quiet | Kind::Converge | Kind::Dispatch => false,
    };
    keeps && is_plain
}
