//! How many machine instructions a PTX instruction becomes.
//!
//! Most become one. Those that the machine has no counterpart of become a sequence: quotients and remainders of integers (a
//! reciprocal in floating point, then two corrections), 64-bit products (of 32-bit halves), IEEE divisions and roots (an
//! approximation, refined, with a branch to a slow path that ordinary numbers do not take), fences, atomics of all
//! threads on the same word, and accesses to small arrays of a thread, which lie in registers.
//!
//! Most lengths are counted in what ptxas 13.0 makes for sm_90 of the golden and the catalogue's kernels. Estimates are those of
//! 64-bit remainders, `clz` and `mad.hi`, unsigned 32-bit remainders, and roots and reciprocals of doubles. A division has its length
//! for unknown operands, also where ptxas shares a reciprocal or knows the divisor; a fence that of the widest scope.
//!
//! 64-bit sums stay single although they are two additions: most are addresses, which the machine adds up together with the
//! product in front of them (`IMAD.WIDE`, `LEA`).

use super::copies::Writers;
use super::{Rewrite, machine};
use crate::program::liveness::{for_reads, for_writes};
use crate::program::{Base, Instruction, Plane, Program, Src};
use crate::ptx::module::Special;
use crate::ptx::op::{AtomOp, Float1, Float2, Int1, Int2, Int3, Kind, Op};
use crate::ptx::types::{Space, Type};

pub struct Lengths {
    /// By plane: whether all threads find the same in it.
    same: Vec<bool>,
    /// By plane: whether anything reads it.
    read: Vec<bool>,
    /// Words of local memory, where it is small enough to lie in registers; else none.
    local_words: usize,
}

/// Bytes of local memory that lie in registers. Of longer arrays ptxas takes some and leaves others in memory.
const MOST_LOCAL_BYTES: u32 = 32;

impl Lengths {
    pub fn new(program: &Program) -> Lengths {
        let mut read = vec![false; program.planes as usize];
        for instruction in &program.instructions {
            for_reads(instruction, program.planes - 1, |plane| read[plane as usize] = true);
        }
        let local_words = if program.local_bytes <= MOST_LOCAL_BYTES { program.local_bytes.div_ceil(4) as usize } else { 0 };
        Lengths { same: same_for_all(program), read, local_words }
    }

    /// The machine instructions for an instruction.
    pub fn of(&self, instruction: &Instruction) -> usize {
        let wide = |ty: Type| ty.bits() == 64;
        let signed = |ty: Type, signed: usize, unsigned: usize| if ty.is_signed() { signed } else { unsigned };
        let double = |ty: Type, double: usize, single: usize| if ty == Type::F64 { double } else { single };
        match instruction.op {
            Op::Atom { .. } => self.of_atomic(instruction),
            // Registers have no index: each word is compared with it, and copied if it is the one.
            Op::Load(access) | Op::Store(access) if access.space == Space::Local && !self.same_address(instruction) => {
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

    /// Threads that change the same word elect one that does it for all of them: with the sum of their operands, which all of
    /// them need only where they do not ask what was there; else they count those before them.
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

    /// Puts the machine instructions before the last in front of each instruction. They read what it reads.
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

fn is_same(src: Src, same: &[bool]) -> bool {
    match src {
        Src::Register(plane) | Src::Not(plane) => same[plane as usize],
        Src::Immediate(_) => true,
        Src::Special(special) => matches!(special, Special::Ntid(_) | Special::Nctaid(_) | Special::Ctaid(_)),
    }
}

/// The planes that are written once, with what is computed from parameters, constants and the block's index alone.
fn same_for_all(program: &Program) -> Vec<bool> {
    let writers = Writers::of(program);
    let carry = program.planes - 1;
    let mut same = vec![false; program.planes as usize];
    for preset in &program.presets {
        same[preset.plane as usize..(preset.plane + preset.planes) as usize].fill(true);
    }
    let is_known = |instruction: &Instruction, same: &[bool]| {
        let is_plain = instruction.op.kind() == Kind::Alu && !matches!(instruction.op, Op::Carry { .. });
        is_plain && instruction.guard.is_none() && instruction.src.iter().all(|src| is_same(*src, same))
    };
    let mut changed = true;
    while changed {
        changed = false;
        for instruction in program.instructions.iter().filter(|i| !i.dst.is_empty()) {
            if is_known(instruction, &same) {
                for_writes(instruction, carry, |plane| {
                    changed |= writers.is_once(program, plane) && !std::mem::replace(&mut same[plane as usize], true);
                });
            }
        }
    }
    same
}
