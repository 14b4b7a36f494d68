//! Fusion of an instruction with the instruction that reads its result.
//!
//! - A product and a sum become a multiply-add (`IMAD`, `IMAD.WIDE`), and so do a left shift by a constant and a sum: mostly
//!   addresses of array elements. Every sum that reads the product absorbs it.
//! - The high half of a product is a register of its own, so a shift by 32 disappears.
//! - Two logical operations on three values become one (`LOP3`).
//!
//! PTX has both forms, so the pass writes what a compiler could have written: `mad` and `lop3`.

use super::copies::operand_text;
use super::edits::{remove, rename};
use super::writers::Writers;
use super::{only_destination, register_bits};
use crate::program::liveness::{for_reads, for_writes};
use crate::program::passes::Rewrite;
use crate::program::{Dst, Instruction, Plane, Program, Src};
use crate::ptx::op::{Int1, Int2, Int3, Op};
use crate::ptx::types::Type;
use std::collections::BTreeSet;

pub fn run(program: &mut Program) {
    take_high_halves(program);
    program.renamed.settle();
    while fuse(program) {}
}

/// Narrows wide right shifts by 32 or more to the high half, where only the low word is read; a shift by 32 becomes that half.
fn take_high_halves(program: &mut Program) {
    let writers = Writers::of(program);
    let mut readers: Vec<u32> = vec![0; program.planes as usize];
    let mut writer: Vec<Option<usize>> = vec![None; program.planes as usize];
    for (pc, instruction) in program.instructions.iter().enumerate() {
        for_reads(instruction, program.planes - 1, |plane| readers[plane as usize] += 1);
        for_writes(instruction, program.planes - 1, |plane| writer[plane as usize] = Some(pc));
    }
    let mut names: Vec<Plane> = (0..program.planes).collect();
    let mut gone = vec![false; program.instructions.len()];
    let mut open: BTreeSet<usize> = (0..program.instructions.len()).collect();
    while let Some(pc) = open.pop_first() {
        let instruction = &program.instructions[pc];
        let Some((plane, 64)) = only_destination(&instruction.dst).filter(|_| instruction.guard.is_none()) else { continue };
        let (Op::Shift { left: false, ty }, &[Src::Register(from), Src::Immediate(by @ 32..64)]) =
            (instruction.op, &instruction.src[..])
        else {
            continue;
        };
        if gone[pc] || ty.is_signed() || readers[plane as usize + 1] > 0 {
            continue;
        }
        let high = from + 1;
        let (low_name, name) = (program.register_name(plane).to_string(), name_of(program, high));
        readers[from as usize] -= 1;
        if by == 32 && writers.is_once(plane) && writers.is_once(high) {
            names[plane as usize] = high;
            readers[high as usize] += readers[plane as usize];
            readers[high as usize] -= 1;
            gone[pc] = true;
            program.renamed.push(low_name, name);
        } else {
            let shift = &mut program.instructions[pc];
            (shift.op, shift.src) =
                (Op::Shift { left: false, ty: Type::U32 }, [Src::Register(high), Src::Immediate(by - 32)].into());
            shift.dst = [Dst::Register { plane, bits: 32 }].into();
            (shift.text, shift.rewrite) =
                (Some(format!("shr.u32 {low_name}, {name}, {};", by - 32).into()), Some(Rewrite::Fused));
        }
        // The value that was shifted may itself be a shifted one, whose high half nothing reads any more.
        open.extend(writer[from as usize]);
    }
    rename(program, &names);
    remove(program, |pc, _| gone[pc]);
}

/// Runs one round; returns whether any instruction has been fused into its readers.
fn fuse(program: &mut Program) -> bool {
    let writers = Writers::of(program);
    let readers = accesses(program, |instruction, carry, each| for_reads(instruction, carry, each));
    let writes = accesses(program, |instruction, carry, each| for_writes(instruction, carry, each));
    let mut gone = vec![false; program.instructions.len()];
    let mut touched = vec![false; program.instructions.len()];
    for pc in 0..program.instructions.len() {
        let inner = &program.instructions[pc];
        let Some((plane, _)) = only_destination(&inner.dst).filter(|_| inner.guard.is_none()) else { continue };
        let behind = &readers[plane as usize];
        if behind.is_empty() || behind.len() > 1 && !matches!(inner.op, Op::MulWide(_)) {
            continue;
        }
        let is_free = !touched[pc] && behind.iter().all(|reader| !touched[*reader]);
        if !is_free || !writers.is_once(plane) {
            continue;
        }
        let inner = inner.clone();
        let keeps = |reader: usize| keeps_sources(program, &writers, &writes, &inner, pc, reader);
        let fused = |reader: &usize| together(&inner, &program.instructions[*reader], plane).filter(|_| keeps(*reader));
        let Some(all) = behind.iter().map(fused).collect::<Option<Vec<(Op, Vec<Src>)>>>() else { continue };
        for (&reader, (op, src)) in behind.iter().zip(all) {
            let text = program.renamed.put(&text(program, op, &program.instructions[reader], &src));
            let outer = &mut program.instructions[reader];
            (outer.op, outer.src) = (op, src.into());
            (outer.text, outer.rewrite) = (Some(text.into()), Some(Rewrite::Fused));
            touched[reader] = true;
        }
        (gone[pc], touched[pc]) = (true, true);
    }
    remove(program, |pc, _| gone[pc]);
    gone.contains(&true)
}

/// Returns the instructions that read or write each plane, in program order.
fn accesses(program: &Program, planes: impl Fn(&Instruction, Plane, &mut dyn FnMut(Plane))) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); program.planes as usize];
    for (pc, instruction) in program.instructions.iter().enumerate() {
        planes(instruction, program.planes - 1, &mut |plane| found[plane as usize].push(pc));
    }
    found
}

/// Whether an instruction's sources still hold the same values at a reader: each is written only once in the program, or not
/// between the two in the same block.
fn keeps_sources(
    program: &Program,
    writers: &Writers,
    writes: &[Vec<usize>],
    inner: &Instruction,
    pc: usize,
    reader: usize,
) -> bool {
    let in_block = pc < reader && program.cfg.block_of[pc] == program.cfg.block_of[reader];
    let mut keeps = true;
    for_reads(inner, program.planes - 1, |plane| {
        let writes = &writes[plane as usize];
        let stays = in_block && writes.get(writes.partition_point(|at| *at < pc)).is_none_or(|&next| next >= reader);
        keeps &= stays || writers.is_once(plane);
    });
    keeps
}

/// Returns one instruction for two, the second of which reads the first's result in a plane.
fn together(inner: &Instruction, outer: &Instruction, plane: Plane) -> Option<(Op, Vec<Src>)> {
    let from_inner = |src: &Src| *src == Src::Register(plane);
    if outer.src.iter().filter(|src| from_inner(src)).count() != 1 {
        return None;
    }
    if let (Some(first), Some(second)) = (logic(inner), logic(outer)) {
        return both(&first, &second, plane);
    }
    let Op::Int2(sum @ (Int2::Add | Int2::Sub), ty) = outer.op else { return None };
    let [a, b] = outer.src[..] else { return None };
    let (other, is_second) = if from_inner(&a) { (b, false) } else { (a, true) };
    let (op, [factor, times]) = match (inner.op, &inner.src[..]) {
        (Op::MulWide(narrow), [factor, times]) if ty.bits() == 64 && narrow.bits() == 32 => {
            (Op::MadWide(narrow), [*factor, *times])
        }
        (Op::Int2(Int2::MulLo, narrow), [factor, times]) if ty.bits() == 32 && narrow.bits() == 32 => {
            (Op::Int3(Int3::MadLo, ty), [*factor, *times])
        }
        (Op::Shift { left: true, ty: narrow }, [factor, Src::Immediate(by @ 0..32)])
            if ty.bits() == 32 && narrow.bits() == 32 =>
        {
            (Op::Int3(Int3::MadLo, ty), [*factor, Src::Immediate(1 << by)])
        }
        _ => return None,
    };
    // A machine instruction has at most one constant.
    let constants = [factor, times, other].iter().filter(|src| matches!(src, Src::Immediate(_) | Src::Special(_))).count();
    let times = match (sum, times) {
        (Int2::Add, times) => times,
        (_, Src::Immediate(times)) if is_second && ty.bits() == 32 => Src::Immediate(u64::from((times as u32).wrapping_neg())),
        _ => return None,
    };
    (constants <= 1).then(|| (op, vec![factor, times, other]))
}

/// A logical operation: its inputs, and its truth table (the first input is bit 2 of the index).
struct Logic {
    inputs: Vec<Src>,
    table: u8,
}

fn logic(instruction: &Instruction) -> Option<Logic> {
    const BITS: [u8; 3] = [0xf0, 0xcc, 0xaa];
    let table = match (instruction.op, &instruction.src[..]) {
        (Op::Int2(Int2::And, ty), _) if ty.bits() == 32 => BITS[0] & BITS[1],
        (Op::Int2(Int2::Or, ty), _) if ty.bits() == 32 => BITS[0] | BITS[1],
        (Op::Int2(Int2::Xor, ty), _) if ty.bits() == 32 => BITS[0] ^ BITS[1],
        (Op::Int1(Int1::Not, ty), _) if ty.bits() == 32 => !BITS[0],
        (Op::Lop3, [_, _, _, Src::Immediate(table)]) => *table as u8,
        _ => return None,
    };
    let inputs = &instruction.src[..instruction.src.len().min(3)];
    Some(Logic { inputs: inputs.to_vec(), table })
}

/// Combines two logical operations into one, if they have at most three inputs.
fn both(first: &Logic, second: &Logic, plane: Plane) -> Option<(Op, Vec<Src>)> {
    let between = Src::Register(plane);
    let mut inputs: Vec<Src> = Vec::new();
    for src in first.inputs.iter().chain(&second.inputs).filter(|src| **src != between && **src != Src::Immediate(0)) {
        if !inputs.contains(src) {
            inputs.push(*src);
        }
    }
    let constants = inputs.iter().filter(|src| matches!(src, Src::Immediate(_) | Src::Special(_))).count();
    if inputs.len() > 3 || constants > 1 || second.inputs.iter().filter(|src| **src == between).count() != 1 {
        return None;
    }
    let bit = |table: u8, bits: &[bool]| {
        let index = bits.iter().chain(&[false; 3]).take(3).fold(0, |index, bit| index << 1 | u8::from(*bit));
        table >> index & 1 != 0
    };
    let mut table = 0u64;
    for case in 0..8u8 {
        let given = |src: &Src| inputs.iter().position(|input| input == src).is_some_and(|at| case >> (2 - at) & 1 != 0);
        let inner = bit(first.table, &first.inputs.iter().map(given).collect::<Vec<_>>());
        let value = |src: &Src| if *src == between { inner } else { given(src) };
        table |= u64::from(bit(second.table, &second.inputs.iter().map(value).collect::<Vec<_>>())) << case;
    }
    inputs.resize(3, Src::Immediate(0));
    inputs.push(Src::Immediate(table));
    Some((Op::Lop3, inputs))
}

/// Returns the PTX text of the fused instruction.
fn text(program: &Program, op: Op, outer: &Instruction, src: &[Src]) -> String {
    let name = match op {
        Op::MadWide(ty) => format!("mad.wide.{}", ty.name()),
        Op::Int3(_, ty) => format!("mad.lo.{}", if ty == Type::B32 { "u32" } else { ty.name() }),
        _ => "lop3.b32".to_string(),
    };
    let destination = only_destination(&outer.dst).map(|(plane, _)| program.register_name(plane).to_string());
    let operand = |src: &Src| match src {
        Src::Register(plane) => name_of(program, *plane),
        other => operand_text(*other),
    };
    let operands: Vec<String> = destination.into_iter().chain(src.iter().map(operand)).collect();
    format!("{name} {};", operands.join(", "))
}

/// Returns a register's name, or for the high plane of a wide register that register's name and `.hi`.
fn name_of(program: &Program, plane: Plane) -> String {
    let is_high = plane > 0 && register_bits(program, plane - 1) == Some(64);
    if is_high { format!("{}.hi", program.register_name(plane - 1)) } else { program.register_name(plane).to_string() }
}
