//! Copies, parameters and constants as operands.
//!
//! A copy between registers that are written once each is replaced by its original wherever it is read: the copy stands on every
//! path from the original to such a read, so both hold the same value there. A parameter that is loaded into a register without
//! another writer is in that register from the start ([`ParamRegister`]). What remains are registers with several writers, such as those
//! of loops: two of them that are copied into each other and never hold different live values are merged into one, as a
//! compiler's register allocation does.

use super::{ParamRegister, only_destination, register_bits};
use crate::program::liveness::{self, Liveness, for_reads, for_writes};
use crate::program::{Base, Dst, Guard, Instruction, Plane, Program, Src};
use crate::ptx::module::{Axis, Special};
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::{Space, Type};

pub fn run(program: &mut Program) {
    take_parameters(program);
    while propagate(program) {}
    while coalesce(program) {}
    remove_unread(program);
    for at in 0..program.param_registers.len() {
        let register = program.param_registers[at];
        let name = program.register_name(register.plane).to_string();
        program.renamed.push((name, format!("param[{}]", register.offset)));
    }
}

/// How often each plane is written, and which planes may be read before they are written.
pub struct Writers {
    count: Vec<u32>,
    read_first: Vec<bool>,
}

impl Writers {
    pub fn of(program: &Program) -> Writers {
        let carry = program.planes - 1;
        let mut count = vec![0; program.planes as usize];
        for instruction in &program.instructions {
            for_writes(instruction, carry, |plane| count[plane as usize] += 1);
        }
        let live = Liveness::build(program).live_in.into_iter().next().unwrap_or_default();
        let read_first =
            (0..program.planes as usize).map(|plane| live.get(plane / 64).is_some_and(|w| w >> (plane % 64) & 1 != 0));
        let mut read_first: Vec<bool> = read_first.collect();
        for register in &program.param_registers {
            read_first[register.plane as usize..(register.plane + register.planes) as usize].fill(false);
        }
        Writers { count, read_first }
    }

    /// Whether a plane has one writer and is never read before it, or holds a parameter.
    pub fn is_once(&self, program: &Program, plane: Plane) -> bool {
        let is_param = program.param_registers.iter().any(|register| register.plane == plane);
        is_param || self.count[plane as usize] == 1 && !self.read_first[plane as usize]
    }
}

fn take_parameters(program: &mut Program) {
    if program.instructions.iter().any(|i| matches!(i.op, Op::Store(access) if access.space == Space::Param)) {
        return;
    }
    let writers = Writers::of(program);
    let register = |instruction: &Instruction| {
        let Op::Load(access) = instruction.op else { return None };
        let (plane, bits) = only_destination(&instruction.dst)?;
        let address = instruction.address.filter(|address| address.base == Base::None)?;
        let offset = u32::try_from(address.offset).ok()?;
        let is_whole = access.space == Space::Param && access.ty.bits() == bits && bits >= 32 && offset.is_multiple_of(bits / 8);
        let is_inside = offset.checked_add(bits / 8).is_some_and(|end| end <= program.param_bytes);
        let fits = is_whole && is_inside && instruction.guard.is_none() && writers.is_once(program, plane);
        fits.then_some(ParamRegister { plane, planes: bits / 32, offset })
    };
    let found: Vec<Option<ParamRegister>> = program.instructions.iter().map(register).collect();
    program.param_registers.extend(found.iter().flatten());
    remove(program, |pc, _| found[pc].is_some());
}

/// The source of a copy.
enum Original {
    Register(Plane),
    Operand(Src),
    Negated(Plane),
}

/// Replaces one copy by its original; returns whether there was one.
fn propagate(program: &mut Program) -> bool {
    let writers = Writers::of(program);
    for pc in 0..program.instructions.len() {
        let Some((copy, original)) = copied(program, &writers, &program.instructions[pc]) else { continue };
        let name = program.register_name(copy).to_string();
        let (done, to) = match original {
            Original::Register(plane) => {
                rename(program, copy, plane);
                (true, program.register_name(plane).to_string())
            }
            Original::Negated(plane) => (negate(program, copy, plane), format!("!{}", program.register_name(plane))),
            Original::Operand(src) => (put_operand(program, copy, src), operand_text(src)),
        };
        if done {
            program.renamed.push((name, to));
            remove(program, |at, _| at == pc);
            return true;
        }
    }
    false
}

/// Returns the register that an instruction fills with a copy, and the copy's source.
fn copied(program: &Program, writers: &Writers, instruction: &Instruction) -> Option<(Plane, Original)> {
    let (copy, bits) = only_destination(&instruction.dst)?;
    if instruction.guard.is_some() || !writers.is_once(program, copy) {
        return None;
    }
    let is_copy = match instruction.op {
        Op::Mov(ty) => ty.bits() == bits && bits >= 32,
        Op::Cvta { space, ty, .. } => space == Space::Global && ty.bits() == bits,
        Op::PredNot => true,
        // The low half of a wide register is a register of its own.
        Op::Cvt { dst, src, sat: false, .. } => is_low_half(dst, src) && bits == 32,
        _ => false,
    };
    let original = match *instruction.src.first().filter(|_| is_copy)? {
        Src::Register(plane) if instruction.op == Op::PredNot => {
            writers.is_once(program, plane).then_some(Original::Negated(plane))?
        }
        Src::Register(plane) => {
            let halves = matches!(instruction.op, Op::Cvt { .. });
            let same = (halves || register_bits(program, plane) == Some(bits)) && register_bits(program, copy) == Some(bits);
            (same && writers.is_once(program, plane)).then_some(Original::Register(plane))?
        }
        _ if matches!(instruction.op, Op::Cvt { .. }) => return None,
        src @ Src::Immediate(_) => Original::Operand(src),
        Src::Special(special @ (Special::Ntid(_) | Special::Nctaid(_))) if bits == 32 => Original::Operand(Src::Special(special)),
        Src::Not(_) | Src::Special(_) => return None,
    };
    Some((copy, original))
}

fn is_low_half(dst: Type, src: Type) -> bool {
    dst.bits() == 32 && src.bits() == 64 && !dst.is_float() && !src.is_float()
}

/// Replaces a register by another in every read and write.
pub fn rename(program: &mut Program, from: Plane, to: Plane) {
    for instruction in &mut program.instructions {
        if let Some(guard) = instruction.guard.as_mut().filter(|guard| guard.plane == from) {
            guard.plane = to;
        }
        if let Some(address) = &mut instruction.address {
            match &mut address.base {
                Base::Register32(plane) | Base::Register64(plane) if *plane == from => *plane = to,
                _ => {}
            }
        }
        for src in &mut instruction.src {
            match src {
                Src::Register(plane) | Src::Not(plane) if *plane == from => *plane = to,
                _ => {}
            }
        }
        for dst in &mut instruction.dst {
            match dst {
                Dst::Register { plane, .. } if *plane == from => *plane = to,
                _ => {}
            }
        }
    }
}

/// Turns guards by a negated predicate into negated guards, if nothing else reads that predicate.
fn negate(program: &mut Program, copy: Plane, original: Plane) -> bool {
    let reads =
        |instruction: &Instruction| instruction.src.iter().any(|src| matches!(src, Src::Register(p) | Src::Not(p) if *p == copy));
    if program.instructions.iter().any(reads) {
        return false;
    }
    for instruction in &mut program.instructions {
        if let Some(guard) = instruction.guard.filter(|guard| guard.plane == copy) {
            instruction.guard = Some(Guard { plane: original, negated: !guard.negated });
        }
    }
    true
}

/// Replaces a register's reads by its constant, if every reader is arithmetic that can take one.
fn put_operand(program: &mut Program, copy: Plane, operand: Src) -> bool {
    let carry = program.planes - 1;
    let takes = |instruction: &Instruction| {
        let mut reads = 0;
        for_reads(instruction, carry, |plane| reads += u32::from(plane == copy));
        let as_source = instruction.src.iter().filter(|src| **src == Src::Register(copy)).count() as u32;
        // A `mov` that takes the constant is a copy again; a machine instruction has one operand of this kind at most.
        let others = instruction.src.iter().any(|src| matches!(src, Src::Immediate(_) | Src::Special(_)));
        reads == 0 || reads == as_source && as_source == 1 && instruction.op.kind() == Kind::Alu && !others
    };
    if !program.instructions.iter().all(takes) {
        return false;
    }
    for src in program.instructions.iter_mut().flat_map(|instruction| &mut instruction.src) {
        if *src == Src::Register(copy) {
            *src = operand;
        }
    }
    true
}

pub fn operand_text(src: Src) -> String {
    match src {
        Src::Immediate(bits) => bits.to_string(),
        Src::Special(Special::Ntid(axis)) => format!("%ntid.{}", axis_name(axis)),
        Src::Special(Special::Nctaid(axis)) => format!("%nctaid.{}", axis_name(axis)),
        Src::Register(_) | Src::Not(_) | Src::Special(_) => String::new(),
    }
}

fn axis_name(axis: Axis) -> char {
    match axis {
        Axis::X => 'x',
        Axis::Y => 'y',
        Axis::Z => 'z',
    }
}

/// Merges two registers that are copied into each other, if some pair allows it; returns whether one did.
fn coalesce(program: &mut Program) -> bool {
    let live_out = live_out(program);
    let writers = Writers::of(program);
    for pc in 0..program.instructions.len() {
        let instruction = &program.instructions[pc];
        let (Op::Mov(ty), [Src::Register(from)], None) = (instruction.op, &instruction.src[..], instruction.guard) else {
            continue;
        };
        let (Some((to, bits)), from) = (only_destination(&instruction.dst), *from) else { continue };
        let same = register_bits(program, from) == Some(bits) && register_bits(program, to) == Some(bits) && ty.bits() == bits;
        let is_param = program.param_registers.iter().any(|register| register.plane == from || register.plane == to);
        let both_first = writers.read_first[from as usize] && writers.read_first[to as usize];
        if bits >= 32 && same && from != to && !is_param && !both_first && !interfere(program, &live_out, from, to) {
            let name = program.register_name(from).to_string();
            let into = program.register_name(to).to_string();
            rename(program, from, to);
            program.renamed.push((name, into));
            let is_self = |i: &Instruction| matches!((i.op, &i.src[..]), (Op::Mov(_), [Src::Register(p)]) if only_destination(&i.dst) == Some((*p, bits)));
            remove(program, |_, instruction| instruction.guard.is_none() && is_self(instruction));
            return true;
        }
    }
    false
}

/// Whether one of two registers is written while the other is live, except by copies between them.
fn interfere(program: &Program, live_out: &[Vec<u64>], one: Plane, other: Plane) -> bool {
    let is_live = |pc: usize, plane: Plane| live_out[pc][plane as usize / 64] >> (plane % 64) & 1 != 0;
    program.instructions.iter().enumerate().any(|(pc, instruction)| {
        let (mut writes_one, mut writes_other) = (false, false);
        for_writes(instruction, program.planes - 1, |plane| {
            writes_one |= plane == one;
            writes_other |= plane == other;
        });
        // A guarded copy may not happen.
        let copies = |of: Plane| {
            let copied = matches!((instruction.op, &instruction.src[..]), (Op::Mov(_), [Src::Register(p)]) if *p == of);
            copied && instruction.guard.is_none()
        };
        // High words are written and read with the low ones or later, so both are checked.
        let lives = |plane: Plane| is_live(pc, plane) || register_bits(program, plane) == Some(64) && is_live(pc, plane + 1);
        writes_one && writes_other || writes_one && !copies(other) && lives(other) || writes_other && !copies(one) && lives(one)
    })
}

/// Returns the live planes after each instruction, as bit sets.
fn live_out(program: &Program) -> Vec<Vec<u64>> {
    let liveness = Liveness::build(program);
    let words = (program.planes as usize).div_ceil(64);
    let mut out = vec![vec![0; words]; program.instructions.len()];
    for block in &program.cfg.blocks {
        let mut live = vec![0u64; words];
        for &next in &block.successors {
            live.iter_mut().zip(&liveness.live_in[next]).for_each(|(word, other)| *word |= other);
        }
        for pc in (block.start..block.end).rev() {
            out[pc as usize].clone_from(&live);
            liveness::step(&program.instructions[pc as usize], program.planes, &mut live);
        }
    }
    out
}

/// Removes arithmetic whose results nothing reads.
fn remove_unread(program: &mut Program) {
    loop {
        let carry = program.planes - 1;
        let mut read = vec![false; program.planes as usize];
        for instruction in &program.instructions {
            for_reads(instruction, carry, |plane| read[plane as usize] = true);
        }
        let before = program.instructions.len();
        remove(program, |_, instruction| {
            let mut is_read = false;
            for_writes(instruction, carry, |plane| is_read |= read[plane as usize]);
            !is_read && !instruction.dst.is_empty() && instruction.op.kind() == Kind::Alu
        });
        if program.instructions.len() == before {
            return;
        }
    }
}

/// Removes instructions, patches branch targets and repeats the analyses.
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
    program.analyse();
}
