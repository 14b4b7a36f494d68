//! Merges registers that are copied into each other and never hold different live values, as a compiler's register allocation does.

use super::edits::{remove, rename};
use super::{only_destination, register_bits};
use crate::program::liveness::{LiveAfter, for_writes};
use crate::program::{Plane, Program, Src};
use crate::ptx::op::Op;
use std::collections::BTreeSet;

/// Limit on the rounds in which registers are merged, in instructions of all rounds together; what is left stays apart.
const MOST_IN_ROUNDS: usize = 1 << 21;
/// Limit on the questions of one round whether a register is live where another is written; then it counts as live.
const MOST_QUESTIONS: usize = 1 << 22;

/// Merges registers in rounds, until none can be.
pub fn run(program: &mut Program) {
    let rounds = (MOST_IN_ROUNDS / program.instructions.len().max(1)).max(4);
    (0..rounds).any(|_| !coalesce(program));
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
