//! Copies, parameters and constants as operands.
//!
//! A copy between registers that are written once each is replaced by its original wherever it is read: the copy stands on every
//! path from the original to such a read, so both hold the same value there. A parameter that is loaded into a register without
//! another writer is in that register from the start ([`ParamRegister`]). What remains are registers with several writers, such as those
//! of loops; [`merge`] takes these.

use super::edits::{remove, remove_unread};
use super::writers::Writers;
use super::{ParamRegister, merge, only_destination, register_bits};
use crate::program::liveness::for_writes;
use crate::program::{Base, Guard, Instruction, Plane, Program, Src};
use crate::ptx::module::{Axis, Special};
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::{Space, Type};
use std::collections::BTreeSet;

pub fn run(program: &mut Program) {
    take_parameters(program);
    propagate(program);
    merge::run(program);
    remove_unread(program);
    for at in 0..program.param_registers.len() {
        let register = program.param_registers[at];
        let name = program.register_name(register.plane).to_string();
        program.renamed.push(name, format!("param[{}]", register.offset));
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
        let fits = is_whole && is_inside && instruction.guard.is_none() && writers.is_once(plane);
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

/// Replaces every copy by its original, the first in the text first.
fn propagate(program: &mut Program) {
    let mut copying = Copying::new(program);
    while let Some(pc) = copying.candidates.pop_first() {
        copying.replace(pc as usize);
    }
    let Copying { mut names, gone, renamed, .. } = copying;
    for instruction in &mut program.instructions {
        names.put(instruction);
    }
    renamed.into_iter().for_each(|(from, to)| program.renamed.push(from, to));
    remove(program, |pc, _| gone[pc]);
}

/// What stands in a program for the registers that have been replaced.
struct Names {
    /// By plane: the plane that replaced it, and whether that one is its negation; itself where nothing did.
    replaced: Vec<(Plane, bool)>,
}

impl Names {
    /// Returns the plane that stands for one now, and whether it is the negation.
    fn find(&mut self, plane: Plane) -> (Plane, bool) {
        let (mut at, mut negated) = (plane, false);
        loop {
            let (next, turns) = self.replaced[at as usize];
            if next == at {
                return (at, negated);
            }
            let (behind, turns_again) = self.replaced[next as usize];
            if behind != next {
                self.replaced[at as usize] = (behind, turns != turns_again);
            }
            negated ^= turns;
            at = next;
        }
    }

    fn put(&mut self, instruction: &mut Instruction) {
        if let Some(guard) = &mut instruction.guard {
            let (plane, turns) = self.find(guard.plane);
            *guard = Guard { plane, negated: guard.negated != turns };
        }
        if let Some(Base::Register32(plane) | Base::Register64(plane)) = instruction.address.as_mut().map(|a| &mut a.base) {
            *plane = self.find(*plane).0;
        }
        for src in &mut instruction.src {
            if let Src::Register(plane) | Src::Not(plane) = src {
                *plane = self.find(*plane).0;
            }
        }
    }
}

/// The replacement of copies. Instructions keep the old names until its end.
struct Copying<'a> {
    program: &'a mut Program,
    writers: Writers,
    names: Names,
    /// By plane: the instruction that writes it, if there is one.
    writer: Vec<Option<u32>>,
    /// By plane that has not been replaced: the instructions that name it or a plane that it replaced, except as a destination.
    users: Vec<Vec<u32>>,
    /// By plane that has not been replaced: how often instructions read it as a source, not as a guard or in an address.
    sources: Vec<u32>,
    /// Instructions that may be copies to replace.
    candidates: BTreeSet<u32>,
    gone: Vec<bool>,
    renamed: Vec<(String, String)>,
}

impl Copying<'_> {
    fn new(program: &mut Program) -> Copying<'_> {
        let planes = program.planes as usize;
        let (mut writer, mut users, mut sources) = (vec![None; planes], vec![Vec::new(); planes], vec![0; planes]);
        for (pc, instruction) in program.instructions.iter().enumerate() {
            for_writes(instruction, program.planes - 1, |plane| writer[plane as usize] = Some(pc as u32));
            for_names(instruction, |plane| users[plane as usize].push(pc as u32));
            for_sources(instruction, |plane| sources[plane as usize] += 1);
        }
        Copying {
            writers: Writers::of(program),
            names: Names { replaced: (0..program.planes).map(|plane| (plane, false)).collect() },
            writer,
            users,
            sources,
            candidates: (0..program.instructions.len() as u32)
                .filter(|&pc| may_copy(&program.instructions[pc as usize]))
                .collect(),
            gone: vec![false; program.instructions.len()],
            renamed: Vec::new(),
            program,
        }
    }

    /// Replaces the copy that an instruction makes, if it makes one that can be replaced.
    fn replace(&mut self, pc: usize) {
        if self.gone[pc] {
            return;
        }
        let Some((copy, original)) = copied(self.program, &self.writers, &mut self.names, &self.program.instructions[pc]) else {
            return;
        };
        let name = |plane| self.program.register_name(plane).to_string();
        let (from, to) = match original {
            Original::Register(plane) => (name(copy), name(plane)),
            Original::Negated(plane) => (name(copy), format!("!{}", name(plane))),
            Original::Operand(src) => (name(copy), operand_text(src)),
        };
        let done = match original {
            Original::Register(plane) => self.unite(copy, plane, false),
            Original::Negated(plane) => self.sources[copy as usize] == 0 && self.unite(copy, plane, true),
            Original::Operand(src) => self.put_operand(copy, src),
        };
        if done {
            self.gone[pc] = true;
            let Copying { program, names, sources, .. } = self;
            for_sources(&program.instructions[pc], |plane| sources[names.find(plane).0 as usize] -= 1);
            self.renamed.push((from, to));
        }
    }

    /// Lets one plane, or its negation, stand for another.
    fn unite(&mut self, copy: Plane, original: Plane, negated: bool) -> bool {
        self.names.replaced[copy as usize] = (original, negated);
        self.sources[original as usize] += std::mem::take(&mut self.sources[copy as usize]);
        let (mut few, mut many) =
            (std::mem::take(&mut self.users[copy as usize]), std::mem::take(&mut self.users[original as usize]));
        if few.len() > many.len() {
            std::mem::swap(&mut few, &mut many);
        }
        many.extend(few);
        self.users[original as usize] = many;
        // The copy no longer reads the original, which may have kept that one from being replaced.
        self.candidates.extend(self.writer[original as usize]);
        true
    }

    /// Replaces a register's reads by its constant, if every reader is arithmetic that can take one.
    fn put_operand(&mut self, copy: Plane, operand: Src) -> bool {
        let Copying { program, names, users, sources, gone, candidates, .. } = self;
        let found = users[copy as usize].iter().position(|&pc| {
            let instruction = &program.instructions[pc as usize];
            let (mut reads, mut as_source) = (0, 0);
            for_names(instruction, |plane| reads += u32::from(names.find(plane).0 == copy));
            for src in &instruction.src {
                as_source += u32::from(matches!(src, Src::Register(plane) if names.find(*plane).0 == copy));
            }
            // A `mov` that takes the constant is a copy again; a machine instruction has one operand of this kind at most.
            let others = instruction.src.iter().any(|src| matches!(src, Src::Immediate(_) | Src::Special(_)));
            let takes = reads == as_source && as_source == 1 && instruction.op.kind() == Kind::Alu && !others;
            !gone[pc as usize] && reads > 0 && !takes
        });
        if first(&mut users[copy as usize], found) {
            return false;
        }
        for pc in std::mem::take(&mut users[copy as usize]) {
            let is_copy = may_copy(&program.instructions[pc as usize]);
            for src in &mut program.instructions[pc as usize].src {
                if matches!(src, Src::Register(plane) if names.find(*plane).0 == copy) {
                    sources[copy as usize] -= 1;
                    *src = operand;
                    candidates.extend(Some(pc).filter(|_| is_copy));
                }
            }
        }
        true
    }
}

/// Moves what was found to the front of a list, so that the next search finds it at once; returns whether anything was found.
fn first(list: &mut [u32], found: Option<usize>) -> bool {
    if let Some(at) = found {
        list.swap(0, at);
    }
    found.is_some()
}

/// Calls `each` for every register that an instruction names, except as a destination.
fn for_names(instruction: &Instruction, mut each: impl FnMut(Plane)) {
    if let Some(guard) = instruction.guard {
        each(guard.plane);
    }
    if let Some(Base::Register32(plane) | Base::Register64(plane)) = instruction.address.map(|address| address.base) {
        each(plane);
    }
    for_sources(instruction, each);
}

fn for_sources(instruction: &Instruction, mut each: impl FnMut(Plane)) {
    for src in &instruction.src {
        if let Src::Register(plane) | Src::Not(plane) = src {
            each(*plane);
        }
    }
}

/// Returns the register that an instruction fills with a copy, and the copy's source.
fn copied(program: &Program, writers: &Writers, names: &mut Names, instruction: &Instruction) -> Option<(Plane, Original)> {
    let (copy, bits) = only_destination(&instruction.dst)?;
    if instruction.guard.is_some() || !writers.is_once(copy) {
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
    let source = match *instruction.src.first().filter(|_| is_copy)? {
        Src::Register(plane) => Src::Register(names.find(plane).0),
        src => src,
    };
    let original = match source {
        Src::Register(plane) if instruction.op == Op::PredNot => writers.is_once(plane).then_some(Original::Negated(plane))?,
        Src::Register(plane) => {
            let halves = matches!(instruction.op, Op::Cvt { .. });
            let same = (halves || register_bits(program, plane) == Some(bits)) && register_bits(program, copy) == Some(bits);
            (same && writers.is_once(plane)).then_some(Original::Register(plane))?
        }
        _ if matches!(instruction.op, Op::Cvt { .. }) => return None,
        src @ Src::Immediate(_) => Original::Operand(src),
        Src::Special(special @ (Special::Ntid(_) | Special::Nctaid(_))) if bits == 32 => Original::Operand(Src::Special(special)),
        Src::Not(_) | Src::Special(_) => return None,
    };
    Some((copy, original))
}

fn may_copy(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Mov(_) | Op::Cvta { .. } | Op::PredNot | Op::Cvt { .. })
}

fn is_low_half(dst: Type, src: Type) -> bool {
    dst.bits() == 32 && src.bits() == 64 && !dst.is_float() && !src.is_float()
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
