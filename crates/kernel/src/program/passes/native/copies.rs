//! Copies, parameters and constants as operands.
//!
//! A copy between registers that are written once each is replaced by its original wherever it is read: the copy stands on every
//! path from the original to such a read, so both hold the same value there. A parameter that is loaded into a register without
//! another writer is in that register from the start ([`ParamRegister`]). What remains are registers with several writers, such as those
//! of loops: two of them that are copied into each other and never hold different live values are merged into one, as a
//! compiler's register allocation does.

use super::{ParamRegister, only_destination, register_bits};
use crate::program::cfg::Cfg;
use crate::program::graph::{NONE, Tree};
use crate::program::liveness::{LiveAfter, for_reads, for_writes};
use crate::program::{Base, Dst, Guard, Instruction, Plane, Program, Src};
use crate::ptx::module::{Axis, Special};
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::{Space, Type};
use std::collections::BTreeSet;

/// Limit on the rounds in which registers are merged, in instructions of all rounds together; what is left stays apart.
const MOST_IN_ROUNDS: usize = 1 << 21;
/// Limit on the questions of one round whether a register is live where another is written; then it counts as live.
const MOST_QUESTIONS: usize = 1 << 22;

pub fn run(program: &mut Program) {
    take_parameters(program);
    propagate(program);
    let rounds = (MOST_IN_ROUNDS / program.instructions.len().max(1)).max(4);
    (0..rounds).any(|_| !coalesce(program));
    remove_unread(program);
    for at in 0..program.param_registers.len() {
        let register = program.param_registers[at];
        let name = program.register_name(register.plane).to_string();
        program.renamed.push(name, format!("param[{}]", register.offset));
    }
}

/// Which planes have one writer and are never read before it, or hold a parameter.
pub struct Writers {
    is_once: Vec<bool>,
    is_param: Vec<bool>,
}

impl Writers {
    pub fn of(program: &Program) -> Writers {
        let carry = program.planes - 1;
        let mut writer: Vec<Option<usize>> = vec![None; program.planes as usize];
        let mut is_once = vec![false; program.planes as usize];
        for (pc, instruction) in program.instructions.iter().enumerate() {
            let begins = instruction.guard.is_none() || instruction.begins;
            for_writes(instruction, carry, |plane| {
                is_once[plane as usize] = writer[plane as usize].is_none() && begins;
                writer[plane as usize] = Some(pc);
            });
        }
        // A plane is not read first if its writer stands on every path to every reader.
        let parents = program.cfg.dominators();
        let tree = Tree::new(&parents);
        for (pc, instruction) in program.instructions.iter().enumerate() {
            let block = program.cfg.block_of[pc] as usize;
            for_reads(instruction, carry, |plane| {
                let comes_first = writer[plane as usize].is_some_and(|writer| {
                    let writing = program.cfg.block_of[writer] as usize;
                    if writing == block { writer < pc } else { tree.is_above(writing, block) }
                });
                is_once[plane as usize] &= comes_first || parents[block] == NONE && block != 0;
            });
        }
        let mut is_param = vec![false; program.planes as usize];
        program.param_registers.iter().for_each(|register| is_param[register.plane as usize] = true);
        Writers { is_once, is_param }
    }

    /// Whether a plane has one writer and is never read before it, or holds a parameter.
    pub fn is_once(&self, plane: Plane) -> bool {
        self.is_param[plane as usize] || self.is_once[plane as usize]
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

/// Merges registers that are copied into each other, the first in the text first; returns whether any were.
fn coalesce(program: &mut Program) -> bool {
    let mut merging = Merging::new(program);
    let moves = (0..program.instructions.len() as u32).filter(|&pc| matches!(program.instructions[pc as usize].op, Op::Mov(_)));
    let mut open: BTreeSet<u32> = moves.collect();
    while let Some(pc) = open.pop_first() {
        open.extend(merging.merge(pc));
    }
    let Merging { mut class, renamed, .. } = merging;
    if renamed.is_empty() {
        return false;
    }
    renamed.into_iter().for_each(|(from, to)| program.renamed.push(from, to));
    let names: Vec<Plane> = (0..program.planes).map(|plane| find(&mut class, plane)).collect();
    let merged = (0..program.planes).filter(|&from| names[from as usize] != from);
    let widths: BTreeSet<u32> = merged.filter_map(|from| register_bits(program, from)).collect();
    rename(program, &names);
    remove(program, |_, instruction| {
        let Some((to, bits)) = only_destination(&instruction.dst) else { return false };
        let is_self = matches!((instruction.op, &instruction.src[..]), (Op::Mov(_), [Src::Register(from)]) if *from == to);
        is_self && instruction.guard.is_none() && widths.contains(&bits)
    });
    true
}

/// Registers in classes, each of which becomes one register.
struct Merging<'a> {
    program: &'a Program,
    live: LiveAfter<'a>,
    /// By plane: whether it holds a parameter, and whether it may be read before it is written.
    is_param: Vec<bool>,
    read_first: Vec<bool>,
    /// By plane: the instructions that write it.
    writes: Vec<Vec<u32>>,
    /// By plane: a plane of the same class, closer to the one that stands for the class.
    class: Vec<Plane>,
    /// By plane that stands for a class: the planes of the class, and the copies from and to them that could not be merged.
    members: Vec<Vec<Plane>>,
    refused: Vec<Vec<u32>>,
    /// How many questions about live registers may still be asked.
    rest: usize,
    renamed: Vec<(String, String)>,
}

/// Returns the plane that stands for the class of a plane.
fn find(class: &mut [Plane], plane: Plane) -> Plane {
    let mut at = plane;
    while class[at as usize] != at {
        class[at as usize] = class[class[at as usize] as usize];
        at = class[at as usize];
    }
    at
}

impl Merging<'_> {
    fn new(program: &Program) -> Merging<'_> {
        let mut writes: Vec<Vec<u32>> = vec![Vec::new(); program.planes as usize];
        for (pc, instruction) in program.instructions.iter().enumerate() {
            for_writes(instruction, program.planes - 1, |plane| writes[plane as usize].push(pc as u32));
        }
        let live = LiveAfter::build(program);
        let mut is_param = vec![false; program.planes as usize];
        program.param_registers.iter().for_each(|register| is_param[register.plane as usize] = true);
        Merging {
            read_first: (0..program.planes).map(|plane| live.is_read_first(plane)).collect(),
            is_param,
            live,
            writes,
            class: (0..program.planes).collect(),
            members: (0..program.planes).map(|plane| vec![plane]).collect(),
            refused: vec![Vec::new(); program.planes as usize],
            rest: MOST_QUESTIONS,
            renamed: Vec::new(),
            program,
        }
    }

    /// Merges the classes of a copy and its original, if they allow it; returns copies that this may have made possible.
    fn merge(&mut self, pc: u32) -> Vec<u32> {
        let program = self.program;
        let instruction = &program.instructions[pc as usize];
        let (Op::Mov(ty), [Src::Register(from)], None) = (instruction.op, &instruction.src[..], instruction.guard) else {
            return Vec::new();
        };
        let Some((to, bits)) = only_destination(&instruction.dst) else { return Vec::new() };
        let (from, to) = (find(&mut self.class, *from), find(&mut self.class, to));
        let same = register_bits(program, from) == Some(bits) && register_bits(program, to) == Some(bits) && ty.bits() == bits;
        let is_param = self.is_param[from as usize] || self.is_param[to as usize];
        if bits < 32 || !same || from == to || is_param {
            return Vec::new();
        }
        let both_first = self.read_first[from as usize] && self.read_first[to as usize];
        if both_first || self.written_while_live(from, to, bits) || self.written_while_live(to, from, bits) {
            self.refused[from as usize].push(pc);
            self.refused[to as usize].push(pc);
            return Vec::new();
        }
        self.renamed.push((program.register_name(from).to_string(), program.register_name(to).to_string()));
        self.class[from as usize] = to;
        self.read_first[to as usize] |= self.read_first[from as usize];
        let (mut few, mut many) =
            (std::mem::take(&mut self.members[from as usize]), std::mem::take(&mut self.members[to as usize]));
        if few.len() > many.len() {
            std::mem::swap(&mut few, &mut many);
        }
        many.extend(few);
        self.members[to as usize] = many;
        // A write that kept two registers apart may now be a copy between them.
        let mut again = std::mem::take(&mut self.refused[from as usize]);
        again.append(&mut self.refused[to as usize]);
        again
    }

    /// Whether a register of one class is written while one of the other is live, except by copies between them. Assumes so when
    /// too much has been asked.
    fn written_while_live(&mut self, one: Plane, other: Plane, bits: u32) -> bool {
        let Merging { program, live, writes, class, members, rest, .. } = self;
        members[one as usize].iter().flat_map(|written| &writes[*written as usize]).any(|&pc| {
            let instruction = &program.instructions[pc as usize];
            let mut writes_both = false;
            for_writes(instruction, program.planes - 1, |plane| writes_both |= find(class, plane) == other);
            // A guarded copy may not happen.
            let copies = match (instruction.op, &instruction.src[..], instruction.guard) {
                (Op::Mov(_), [Src::Register(from)], None) => find(class, *from) == other,
                _ => false,
            };
            // High words are written and read with the low ones or later, so both are checked.
            let mut lives = |plane: Plane| {
                *rest = rest.saturating_sub(1);
                *rest == 0 || live.is_live(pc as usize, plane) || bits == 64 && live.is_live(pc as usize, plane + 1)
            };
            writes_both || !copies && members[other as usize].iter().any(|&plane| lives(plane))
        })
    }
}

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
fn remove_unread(program: &mut Program) {
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
