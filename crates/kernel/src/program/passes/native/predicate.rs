//! Predication in place of short forward branches.
//!
//! A branch around a few instructions, or between two sides that meet right behind them, is replaced by those instructions under
//! its guard. The limit is that of NVIDIA's compiler for branches that are likely to diverge: at most seven instructions depend
//! on the branch (CUDA C Programming Guide 4.2, section 5.4.2). The limit counts machine instructions, so a division stays behind
//! its branch.

use super::layout::{Code, CodePart, End};
use super::lengths::Lengths;
use crate::program::liveness::for_writes;
use crate::program::passes::Rewrite;
use crate::program::{Guard, Instruction, Plane};
use crate::ptx::op::{Kind, Op};

/// Most machine instructions that may depend on a branch that becomes predication.
const MOST: usize = 7;

/// Predicates every short branch; `live_in` has the planes that are live at the start of each block, as bit sets.
pub fn run(code: &mut Code, live_in: &[Vec<u64>], lengths: &Lengths) {
    while (0..code.parts.len()).any(|at| convert(code, at, live_in, lengths)) {}
}

/// Moves the sides of a block's branch into the block, if they are short.
fn convert(code: &mut Code, at: usize, live_in: &[Vec<u64>], lengths: &Lengths) -> bool {
    let End::Branch { branch, taken, next } = &code.parts[at].end else { return false };
    let (Some(guard), Op::Bra { uniform: false }) = (branch.guard, branch.op) else { return false };
    let (taken, next) = (code.through(*taken), code.through(*next));
    if taken == next {
        code.parts[at].end = End::Next(next);
        return true;
    }
    let leading = code.leading();
    // The block behind a side, if the branch is the only way into the side.
    let behind = |side: usize| match &code.parts[side] {
        CodePart { end: End::Next(behind), .. } if leading[side] == 1 && side != at => Some(code.through(*behind)),
        _ => None,
    };
    let (sides, meeting): (Vec<(usize, bool)>, usize) = match (behind(taken), behind(next)) {
        (_, Some(behind)) if behind == taken => (vec![(next, true)], taken),
        (Some(behind), _) if behind == next => (vec![(taken, false)], next),
        (Some(one), Some(other)) if one == other => (vec![(next, true), (taken, false)], one),
        _ => return false,
    };
    let all = || sides.iter().flat_map(|(side, _)| &code.parts[*side].body);
    let length: usize = all().map(|instruction| lengths.of(instruction)).sum();
    if meeting == at || length > MOST || !all().all(|instruction| can_guard(instruction, guard.plane)) {
        return false;
    }
    // A side's write begins a live range, unless the threads of the other side need the register's old value, or the side before
    // has written it for them.
    let is_live = |block: usize, plane: Plane| {
        let word = live_in.get(block).and_then(|live| live.get(plane as usize / 64));
        word.is_some_and(|word| word >> (plane % 64) & 1 != 0)
    };
    let mut written = Vec::new();
    for (side, turned) in sides.clone() {
        let elsewhere = sides.iter().map(|(other, _)| *other).find(|other| *other != side).unwrap_or(meeting);
        let kept = written.clone();
        let guard = Guard { negated: guard.negated != turned, ..guard };
        let body = std::mem::take(&mut code.parts[side].body);
        let guarded = body.into_iter().map(|instruction| {
            let mut begins = true;
            for_writes(&instruction, Plane::MAX, |plane| {
                begins &= !is_live(elsewhere, plane) && !kept.contains(&plane);
                written.push(plane);
            });
            Instruction { guard: Some(guard), begins, rewrite: Some(Rewrite::Predicated), ..instruction }
        });
        let guarded: Vec<Instruction> = guarded.collect();
        code.parts[at].body.extend(guarded);
    }
    code.parts[at].end = End::Next(meeting);
    true
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
        Kind::Barrier | Kind::Join | Kind::ActiveMask | Kind::Quiet | Kind::Dispatch => false,
    };
    keeps && is_plain
}
