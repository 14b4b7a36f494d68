//! The number of machine instructions that each PTX instruction becomes.
//!
//! Most become one. Instructions without a counterpart in the machine become a sequence: integer quotients and remainders (a
//! floating-point reciprocal, then two corrections), 64-bit products (of 32-bit halves), IEEE divisions and roots (an
//! approximation, refined, with a branch to a slow path that ordinary numbers do not take), fences, atomics of all threads on the
//! same word, and accesses to a thread's arrays where those lie in registers.
//!
//! Most lengths are counted in the code that ptxas 13.0 makes for sm_90 of the golden and the catalogue's kernels. Those of
//! 64-bit remainders, `clz` and `mad.hi`, of unsigned 32-bit remainders, and of roots and reciprocals of doubles are estimates. A
//! division has its length for unknown operands, even where ptxas shares a reciprocal or knows the divisor; a fence has that of
//! the widest scope.
//!
//! 64-bit sums stay single although they are two additions: most are addresses, and the machine adds those together with the
//! product before them (`IMAD.WIDE`, `LEA`).

use super::writers::Writers;
use super::{Rewrite, machine};
use crate::program::liveness::{for_reads, for_writes};
use crate::program::loops::LoopForest;
use crate::program::{Base, Instruction, Plane, Program, Src};
use crate::ptx::module::Special;
use crate::ptx::op::{AtomOp, Float1, Float2, Int1, Int2, Int3, Kind, Op};
use crate::ptx::types::{Space, Type};

pub struct Lengths {
    /// By plane: whether it holds the same value in all threads of a block.
    same: Vec<bool>,
    /// By plane: whether any instruction reads it.
    read: Vec<bool>,
    /// Words of a thread's local memory if they lie in registers, else 0.
    local_words: usize,
}

impl Lengths {
    pub fn new(program: &Program) -> Lengths {
        let mut read = vec![false; program.planes as usize];
        for instruction in &program.instructions {
            for_reads(instruction, program.planes - 1, |plane| read[plane as usize] = true);
        }
        let mut lengths = Lengths { same: same_for_all(program), read, local_words: 0 };
        lengths.local_words = lengths.words_in_registers(program);
        lengths
    }

    /// Returns the words of local memory if ptxas would keep them in registers, else 0.
    ///
    /// In registers, an access at a known offset is an operand, and one at an unknown offset examines every word. ptxas chooses
    /// registers where accesses at known offsets outweigh the others, and never without any; an access in a loop counts once for
    /// each assumed iteration. Both constants come from compiling kernels with more and more accesses until ptxas takes their
    /// array out of memory. Depending on its length (4 to 64 words), on loads or stores, and on a branch before each access, an
    /// access is worth 8 to 15 instructions there; the loops of the golden `queens` need 16.
    fn words_in_registers(&self, program: &Program) -> usize {
        const ACCESS: f64 = 16.0;
        const TRIPS: f64 = 16.0;
        let words = program.local_bytes.div_ceil(4) as usize;
        if words == 0 {
            return 0;
        }
        let (mut gain, mut loss, mut is_known) = (0.0, 0.0, false);
        for (block, around) in program.cfg.blocks.iter().zip(LoopForest::new(&program.cfg).depths()) {
            let times = TRIPS.powi(around as i32);
            for instruction in &program.instructions[block.start as usize..block.end as usize] {
                if !is_local(instruction) {
                    continue;
                }
                gain += times * ACCESS;
                if self.same_address(instruction) {
                    is_known = true;
                } else {
                    loss += times * 2.0 * words as f64;
                }
            }
        }
        if is_known && gain >= loss { words } else { 0 }
    }

    /// Returns the number of machine instructions for an instruction.
    pub fn of(&self, instruction: &Instruction) -> usize {
        let wide = |ty: Type| ty.bits() == 64;
        let signed = |ty: Type, signed: usize, unsigned: usize| if ty.is_signed() { signed } else { unsigned };
        let double = |ty: Type, double: usize, single: usize| if ty == Type::F64 { double } else { single };
        match instruction.op {
            Op::Atom { .. } => self.of_atomic(instruction),
            // Registers have no index: the index is compared with each word's, and the word copied where they match.
            Op::Load(_) | Op::Store(_) if is_local(instruction) && !self.same_address(instruction) => {
                (2 * self.local_words).max(1)
            }
            Op::Int2(Int2::Div | Int2::Rem, ty) if wide(ty) => signed(ty, 86, 72),
            Op::Int2(Int2::Div, ty) => signed(ty, 25, 18),
            Op::Int2(Int2::Rem, ty) => signed(ty, 20, 17),
            Op::Int2(Int2::MulLo, ty) | Op::Int3(Int3::MadLo, ty) if wide(ty) => 4,
            Op::Int2(Int2::MulHi, ty) | Op::Int3(Int3::MadHi, ty) if wide(ty) => signed(ty, 13, 7),
            Op::Int1(Int1::Popc, ty) if wide(ty) => 3,
            Op::Int1(Int1::Clz, ty) if wide(ty) => 5,
            Op::Int1(Int1::Brev, ty) if wide(ty) => 2,
            Op::Float2(Float2::Div, mode) => double(mode.ty, 16, 10),
            Op::Float1(Float1::Sqrt, mode) => double(mode.ty, 16, 10),
            Op::Float1(Float1::Rcp, mode) => double(mode.ty, 12, 10),
            Op::Float1(Float1::Ex2, mode) if mode.ty == Type::F32 && !mode.ftz => 4,
            Op::Fence => 4,
            _ => 1,
        }
    }

    /// Returns the number of machine instructions for an atomic. Threads that update the same word elect one thread to do it for
    /// all. That thread applies their combined operands; if the old value is read, each thread instead counts the threads before
    /// it.
    fn of_atomic(&self, instruction: &Instruction) -> usize {
        let Op::Atom { op, ty, .. } = instruction.op else { return 1 };
        let sums_up = matches!(op, AtomOp::Add | AtomOp::Min | AtomOp::Max | AtomOp::And | AtomOp::Or | AtomOp::Xor);
        let mut asks = false;
        for_writes(instruction, Plane::MAX, |plane| asks |= self.read[plane as usize]);
        let same_operand = instruction.src.iter().all(|src| is_same(*src, &self.same));
        match () {
            _ if !self.same_address(instruction) || !sums_up || ty.bits() != 32 || ty.is_float() => 1,
            _ if !asks => 7,
            _ if same_operand && op == AtomOp::Add => 11,
            _ => 1,
        }
    }

    fn same_address(&self, instruction: &Instruction) -> bool {
        instruction.address.is_some_and(|address| match address.base {
            Base::None => true,
            Base::Register32(plane) | Base::Register64(plane) => self.same[plane as usize],
        })
    }

    /// Puts the additional machine instructions in front of each instruction. They read its sources.
    pub fn expand(&self, body: &mut Vec<Instruction>) {
        let steps = |instruction: Instruction| {
            let step = Instruction {
                src: instruction.src.clone(),
                guard: instruction.guard,
                ..machine(Op::Step, "step;", Rewrite::Step, &instruction)
            };
            std::iter::repeat_n(step, self.of(&instruction) - 1).chain([instruction])
        };
        *body = std::mem::take(body).into_iter().flat_map(steps).collect();
    }
}

fn is_local(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Load(access) | Op::Store(access) if access.space == Space::Local)
}

fn is_same(src: Src, same: &[bool]) -> bool {
    match src {
        Src::Register(plane) | Src::Not(plane) => same[plane as usize],
        Src::Immediate(_) => true,
        Src::Special(special) => matches!(special, Special::Ntid(_) | Special::Nctaid(_) | Special::Ctaid(_)),
    }
}

/// Returns the planes that are written once, with values computed only from parameters, constants and the block's index.
fn same_for_all(program: &Program) -> Vec<bool> {
    let writers = Writers::of(program);
    let carry = program.planes - 1;
    let mut same = vec![false; program.planes as usize];
    for register in &program.param_registers {
        same[register.plane as usize..(register.plane + register.planes) as usize].fill(true);
    }
    let is_known = |instruction: &Instruction, same: &[bool]| {
        let is_plain = instruction.op.kind() == Kind::Alu && !matches!(instruction.op, Op::Carry { .. });
        is_plain && instruction.guard.is_none() && instruction.src.iter().all(|src| is_same(*src, same))
    };
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); program.planes as usize];
    for (pc, instruction) in program.instructions.iter().enumerate() {
        for_reads(instruction, carry, |plane| readers[plane as usize].push(pc));
    }
    let mut open: Vec<usize> = (0..program.instructions.len()).rev().collect();
    while let Some(pc) = open.pop() {
        let instruction = &program.instructions[pc];
        if !instruction.dst.is_empty() && is_known(instruction, &same) {
            for_writes(instruction, carry, |plane| {
                if writers.is_once(plane) && !std::mem::replace(&mut same[plane as usize], true) {
                    open.extend(&readers[plane as usize]);
                }
            });
        }
    }
    same
}
