//! Edits of a whole program: other registers for its own, and fewer instructions.

use crate::program::cfg::Cfg;
use crate::program::liveness::{for_reads, for_writes};
use crate::program::{Base, Dst, Instruction, Plane, Program, Src};
use crate::ptx::op::{Kind, Op};

/// Replaces registers by others in every read and write.
pub fn rename(program: &mut Program, names: &[Plane]) {
    let new = |plane: &mut Plane| *plane = names[*plane as usize];
    for instruction in &mut program.instructions {
        if let Some(guard) = &mut instruction.guard {
            new(&mut guard.plane);
        }
        if let Some(Base::Register32(plane) | Base::Register64(plane)) = instruction.address.as_mut().map(|a| &mut a.base) {
            new(plane);
        }
        for src in &mut instruction.src {
            if let Src::Register(plane) | Src::Not(plane) = src {
                new(plane);
            }
        }
        for dst in &mut instruction.dst {
            if let Dst::Register { plane, .. } = dst {
                new(plane);
            }
        }
    }
}

/// Removes arithmetic whose results nothing reads.
pub fn remove_unread(program: &mut Program) {
    let carry = program.planes - 1;
    // By plane: how many instructions read it, and which write it.
    let (mut reads, mut writers) = (vec![0u32; program.planes as usize], vec![Vec::new(); program.planes as usize]);
    for (pc, instruction) in program.instructions.iter().enumerate() {
        for_reads(instruction, carry, |plane| reads[plane as usize] += 1);
        for_writes(instruction, carry, |plane| writers[plane as usize].push(pc));
    }
    let mut gone = vec![false; program.instructions.len()];
    let mut open: Vec<usize> = (0..program.instructions.len()).collect();
    while let Some(pc) = open.pop() {
        let instruction = &program.instructions[pc];
        let mut is_read = false;
        for_writes(instruction, carry, |plane| is_read |= reads[plane as usize] > 0);
        if gone[pc] || is_read || instruction.dst.is_empty() || instruction.op.kind() != Kind::Alu {
            continue;
        }
        gone[pc] = true;
        for_reads(instruction, carry, |plane| {
            reads[plane as usize] -= 1;
            if reads[plane as usize] == 0 {
                open.append(&mut writers[plane as usize]);
            }
        });
    }
    remove(program, |pc, _| gone[pc]);
}

/// Removes instructions, patches branch targets and finds the blocks again.
pub fn remove(program: &mut Program, is_gone: impl Fn(usize, &Instruction) -> bool) {
    let old = std::mem::take(&mut program.instructions);
    let gone: Vec<bool> = old.iter().enumerate().map(|(pc, instruction)| is_gone(pc, instruction)).collect();
    let mut moved = Vec::with_capacity(old.len() + 1);
    let mut at = 0;
    for &gone in &gone {
        moved.push(at);
        at += u32::from(!gone);
    }
    moved.push(at);
    program.instructions = old.into_iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(instruction, _)| instruction).collect();
    for instruction in program.instructions.iter_mut().filter(|i| matches!(i.op, Op::Bra { .. })) {
        instruction.target = moved[instruction.target as usize];
    }
    for target in program.tables.iter_mut().flat_map(|table| table.iter_mut()) {
        *target = moved[*target as usize];
    }
    program.cfg = Cfg::build(&program.instructions, &program.tables);
}
