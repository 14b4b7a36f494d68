//! Live registers, and from them how many registers a thread needs.
//!
//! A backward data-flow analysis over blocks, on planes (32-bit words), so that a 64-bit register counts twice, as it does in a
//! register file. Predicates have a file of their own and are not counted. A guarded write may not happen, so it does not end the
//! live range of the old value, unless a pass says otherwise ([`Instruction::begins`]).

use super::cfg::BasicBlock;
use super::{Base, Dst, Instruction, Plane, Program, Src, is_wide};
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::Type;

pub struct Liveness {
    /// The largest number of planes that are live at once, without predicates.
    pub registers_needed: u32,
    /// Live planes at the start of each block, as bit sets.
    pub live_in: Vec<Vec<u64>>,
}

impl Liveness {
    pub fn build(program: &Program) -> Liveness {
        let words = (program.planes as usize).div_ceil(64);
        let blocks = &program.cfg.blocks;
        // The CFG treats a jump to the head of the loop over logical blocks as an exit; values stay live across it.
        let head = program.wrapper.as_ref().map(|wrapper| program.cfg.block_of[wrapper.head as usize] as usize);
        let again = |block: &BasicBlock| head.filter(|_| program.instructions[block.end as usize - 1].op == Op::Again);
        let mut live_in = vec![vec![0u64; words]; blocks.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..blocks.len()).rev() {
                let mut live = vec![0u64; words];
                for next in blocks[at].successors.iter().copied().chain(again(&blocks[at])) {
                    for (word, other) in live.iter_mut().zip(&live_in[next]) {
                        *word |= other;
                    }
                }
                for pc in (blocks[at].start..blocks[at].end).rev() {
                    step(&program.instructions[pc as usize], program.planes, &mut live);
                }
                if live != live_in[at] {
                    live_in[at] = live;
                    changed = true;
                }
            }
        }
        let mut counted = vec![0u64; words];
        for register in program.registers.iter().filter(|r| r.bits > 1) {
            for plane in register.plane..register.plane + super::planes_of(register.bits) {
                counted[plane as usize / 64] |= 1 << (plane % 64);
            }
        }
        // In machine code a parameter is an operand, so its register does not count.
        for plane in program.param_registers.iter().flat_map(|register| register.plane..register.plane + register.planes) {
            counted[plane as usize / 64] &= !(1 << (plane % 64));
        }
        let count = |live: &[u64]| live.iter().zip(&counted).map(|(a, b)| (a & b).count_ones()).sum::<u32>();
        let mut most = 0;
        for (at, block) in blocks.iter().enumerate() {
            let mut live = vec![0u64; words];
            for next in block.successors.iter().copied().chain(again(block)) {
                for (word, other) in live.iter_mut().zip(&live_in[next]) {
                    *word |= other;
                }
            }
            most = most.max(count(&live));
            for pc in (block.start..block.end).rev() {
                step(&program.instructions[pc as usize], program.planes, &mut live);
                most = most.max(count(&live));
            }
            debug_assert_eq!(live, live_in[at]);
        }
        Liveness { registers_needed: most, live_in }
    }
}

/// Turns the planes that are live after an instruction into those that are live before it.
pub fn step(instruction: &Instruction, planes: u32, live: &mut [u64]) {
    let carry = planes - 1;
    if instruction.guard.is_none() || instruction.begins {
        for_writes(instruction, carry, |plane| live[plane as usize / 64] &= !(1 << (plane % 64)));
    }
    for_reads(instruction, carry, |plane| live[plane as usize / 64] |= 1 << (plane % 64));
}

/// Calls `each` for every plane that the instruction writes; `carry` is the carry flag's plane.
pub fn for_writes(instruction: &Instruction, carry: Plane, mut each: impl FnMut(Plane)) {
    for dst in &instruction.dst {
        if let Dst::Register { plane, bits } = *dst {
            each(plane);
            if bits == 64 {
                each(plane + 1);
            }
        }
    }
    if matches!(instruction.op, Op::Carry { carry_out: true, .. }) {
        each(carry);
    }
}

/// Calls `each` for every plane that the instruction reads.
pub fn for_reads(instruction: &Instruction, carry: Plane, mut each: impl FnMut(Plane)) {
    if let Some(guard) = instruction.guard {
        each(guard.plane);
    }
    match instruction.address.map(|address| address.base) {
        Some(Base::Register32(plane)) => each(plane),
        Some(Base::Register64(plane)) => {
            each(plane);
            each(plane + 1);
        }
        _ => {}
    }
    for (at, src) in instruction.src.iter().enumerate() {
        match *src {
            Src::Register(plane) => {
                each(plane);
                if source_is_wide(instruction.op, at) {
                    each(plane + 1);
                }
            }
            Src::Not(plane) => each(plane),
            Src::Immediate(_) | Src::Special(_) => {}
        }
    }
    if matches!(instruction.op, Op::Carry { carry_in: true, .. }) {
        each(carry);
    }
}

/// Whether source number `at` of the operation is 64 bits wide.
fn source_is_wide(op: Op, at: usize) -> bool {
    let ty: Type = match op {
        Op::Mov(ty) | Op::Cvta { ty, .. } | Op::Int2(_, ty) | Op::Int3(_, ty) => ty,
        Op::Carry { ty, .. } | Op::CopySign(ty) | Op::TestP(_, ty) => ty,
        Op::Int1(_, ty) => ty,
        Op::Load(_) => return false,
        Op::Store(access) => access.ty,
        Op::Atom { ty, .. } => ty,
        Op::Float1(_, mode) | Op::Float2(_, mode) | Op::Fma(mode) => mode.ty,
        Op::Setp { ty, .. } | Op::Set { ty, .. } if at < 2 => ty,
        Op::Selp(ty) | Op::Slct { ty, .. } if at < 2 => ty,
        Op::Cvt { src, .. } => src,
        Op::Match { ty, .. } if at == 0 => ty,
        Op::Shift { ty, .. } | Op::Bfe(ty) if at == 0 => ty,
        Op::Bfi(ty) if at < 2 => ty,
        Op::MadWide(ty) if at == 2 => return ty.bits() == 32,
        Op::Pack { part, .. } => part,
        Op::Unpack { part, parts } => return part.bits() * u32::from(parts) == 64,
        Op::IsSpace(_) => return true,
        op => match op.kind() {
            Kind::Alu | Kind::Memory | Kind::Join | Kind::Branch | Kind::Barrier | Kind::ActiveMask => return false,
            Kind::Call | Kind::End | Kind::Again | Kind::Trap | Kind::Host | Kind::Quiet | Kind::Dispatch => return false,
        },
    };
    is_wide(ty)
}
