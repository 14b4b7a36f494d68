//! Code that can move out of the loop over logical blocks (VTW section 4.3.1).
//!
//! An instruction moves if it computes the same for every thread of every block, and if it is harmless where it would not have
//! run: it writes only registers, or reads a parameter or a constant at a known address, which cannot trap. Its registers must
//! have no other writer and never be read before, so that the loop finds in them what it would have written. A constant that no
//! other moved instruction reads stays: it would take a register for the whole loop and save little.

use crate::program::liveness::{Liveness, for_reads, for_writes};
use crate::program::{Base, Instruction, Pc, Program, Src};
use crate::ptx::module::Special;
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::Space;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Returns the instructions to move, in an order in which they can run.
pub fn invariant(program: &Program) -> Vec<Pc> {
    let facts = Facts::new(program);
    let mut known = vec![false; program.planes as usize];
    for register in &program.param_registers {
        known[register.plane as usize..(register.plane + register.planes) as usize].fill(true);
    }
    // By plane: the instructions that read it; by instruction: how often it reads what is not known yet.
    let mut readers: Vec<Vec<Pc>> = vec![Vec::new(); program.planes as usize];
    let mut missing = vec![0u32; program.instructions.len()];
    for (pc, instruction) in program.instructions.iter().enumerate() {
        for_reads(instruction, facts.carry, |plane| {
            if !known[plane as usize] {
                readers[plane as usize].push(pc as Pc);
                missing[pc] += 1;
            }
        });
    }
    // In rounds through the program, in each of which an instruction is chosen if those before it have computed what it reads.
    let mut ready: BinaryHeap<Reverse<(u32, Pc)>> =
        (0..program.instructions.len()).filter(|&pc| missing[pc] == 0).map(|pc| Reverse((0, pc as Pc))).collect();
    let mut order: Vec<Pc> = Vec::new();
    while let Some(Reverse((round, pc))) = ready.pop() {
        let instruction = &program.instructions[pc as usize];
        if !facts.may_move(instruction) {
            continue;
        }
        order.push(pc);
        for_writes(instruction, facts.carry, |plane| {
            if std::mem::replace(&mut known[plane as usize], true) {
                return;
            }
            for &reader in &readers[plane as usize] {
                missing[reader as usize] -= 1;
                if missing[reader as usize] == 0 {
                    ready.push(Reverse((round + u32::from(reader < pc), reader)));
                }
            }
        });
    }
    worth_moving(program, facts.carry, order)
}

/// Drops constants that no other moved instruction reads.
fn worth_moving(program: &Program, carry: u32, order: Vec<Pc>) -> Vec<Pc> {
    let at = |pc: Pc| &program.instructions[pc as usize];
    let is_constant = |pc: Pc| matches!((at(pc).op, &at(pc).src[..]), (Op::Mov(_), [Src::Immediate(_)]));
    let mut read = vec![false; program.planes as usize];
    let mut keep: Vec<Pc> = Vec::new();
    // Backwards, because the readers of a constant come behind it.
    for pc in order.into_iter().rev() {
        let mut is_read = false;
        for_writes(at(pc), carry, |plane| is_read |= read[plane as usize]);
        if is_read || !is_constant(pc) {
            for_reads(at(pc), carry, |plane| read[plane as usize] = true);
            keep.push(pc);
        }
    }
    keep.reverse();
    keep
}

struct Facts<'a> {
    program: &'a Program,
    carry: u32,
    /// How many instructions write each plane.
    writers: Vec<u32>,
    live: Liveness,
}

impl Facts<'_> {
    fn new(program: &Program) -> Facts<'_> {
        let carry = program.planes - 1;
        let mut writers = vec![0; program.planes as usize];
        for instruction in &program.instructions {
            for_writes(instruction, carry, |plane| writers[plane as usize] += 1);
        }
        Facts { program, carry, writers, live: Liveness::build(program) }
    }

    /// Whether an instruction may move once all that it reads is known.
    fn may_move(&self, instruction: &Instruction) -> bool {
        if instruction.guard.is_some() || !self.is_harmless(instruction) {
            return false;
        }
        let mut holds = instruction.src.iter().all(|src| !matches!(src, Src::Special(special) if !is_fixed(*special)));
        for_writes(instruction, self.carry, |plane| {
            holds &= self.writers[plane as usize] == 1 && !self.live.is_read_first(plane);
        });
        holds
    }

    /// Whether a thread that would not have reached the instruction can run it without effect.
    fn is_harmless(&self, instruction: &Instruction) -> bool {
        match instruction.op {
            // The carry flag has several writers.
            Op::Carry { .. } => false,
            Op::Load(access) => {
                let size = match access.space {
                    Space::Param => self.program.param_bytes as usize,
                    Space::Const => self.program.constants.len(),
                    Space::Global | Space::Shared | Space::Local | Space::Generic => return false,
                };
                let bytes = access.ty.bytes() as usize * usize::from(access.vector);
                instruction.address.is_some_and(|address| {
                    let start = usize::try_from(address.offset).unwrap_or(usize::MAX);
                    address.base == Base::None && start % bytes == 0 && start.saturating_add(bytes) <= size
                })
            }
            op => op.kind() == Kind::Alu,
        }
    }
}

/// Whether a special register has the same value for every thread of a launch, at any time.
fn is_fixed(special: Special) -> bool {
    use Special::*;
    match special {
        Ntid(_) | Nctaid(_) | NWarpId | NSmId | GridId | Zero | One | DynamicSharedSize | TotalSharedSize | WarpSize => true,
        Tid(_) | Ctaid(_) | LaneId | WarpId | SmId => false,
        LaneMaskEq | LaneMaskLe | LaneMaskLt | LaneMaskGe | LaneMaskGt => false,
        Clock | ClockHigh | Clock64 | GlobalTimer => false,
    }
}
