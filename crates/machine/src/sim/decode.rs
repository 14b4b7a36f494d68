//! What the pipeline needs to know of each instruction, derived once for a program and a configuration.

use crate::config::Config;
pub use crate::policy::view::{UNITS, Unit};
use warpscope_kernel::program::liveness::{for_reads, for_writes};
use warpscope_kernel::program::{Instruction, Program};
use warpscope_kernel::ptx::op::{Float1, Float2, Int1, Int2, Kind, Op};
use warpscope_kernel::ptx::types::{Space, Type};

/// A word of a warp's set of pending registers, by index and bits.
pub type Bits = (u16, u64);

/// What the stages need to know of an instruction.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The kind of unit that executes it.
    pub unit: Unit,
    /// Cycles from execution to result.
    pub latency: u32,
    /// Cycles between two instructions on one unit.
    pub interval: u32,
    /// Registers that it reads or writes, none of which may be pending.
    pub hazards: Box<[Bits]>,
    /// Registers that become pending.
    pub writes: Box<[Bits]>,
    /// Whether it accesses memory, in any space.
    pub memory: bool,
    /// Whether it waits until nothing of its warp is in flight.
    pub drains: bool,
}

impl Decoded {
    pub(crate) fn new(program: &Program, instruction: &Instruction, config: &Config) -> Decoded {
        let (unit, latency, interval) = timing(instruction.op, config);
        let carry = program.planes - 1;
        let (mut hazards, mut writes) = (Vec::new(), Vec::new());
        for_reads(instruction, carry, |plane| add(&mut hazards, plane));
        for_writes(instruction, carry, |plane| {
            add(&mut hazards, plane);
            add(&mut writes, plane);
        });
        Decoded {
            unit,
            latency,
            interval,
            hazards: hazards.into(),
            writes: writes.into(),
            memory: instruction.op.kind() == Kind::Memory,
            // Where warps re-form, a warp that ends its logical block leaves the table.
            drains: matches!(instruction.op, Op::Exit | Op::Ret) || instruction.op == Op::Again && config.divergence.reforms(),
        }
    }
}

fn add(bits: &mut Vec<Bits>, plane: u32) {
    let (word, bit) = ((plane / 64) as u16, 1 << (plane % 64));
    match bits.iter_mut().find(|(at, _)| *at == word) {
        Some((_, known)) => *known |= bit,
        None => bits.push((word, bit)),
    }
}

/// Returns unit, latency and interval by the class of an operation.
fn timing(op: Op, c: &Config) -> (Unit, u32, u32) {
    let int = (Unit::Int, c.int_latency, c.int_interval);
    let logic_latency = |addition: u32| if c.logic_latency == 0 { addition } else { c.logic_latency };
    let logic = (Unit::Int, logic_latency(c.int_latency), c.int_interval);
    let fp_logic = (Unit::Fp, logic_latency(c.fp_latency), c.fp_interval);
    let mul = (Unit::Int, c.mul_latency, c.mul_interval);
    let fp = (Unit::Fp, c.fp_latency, c.fp_interval);
    let dp = (Unit::Fp, c.dp_latency, c.dp_interval);
    let sfu = (Unit::Sfu, c.sfu_latency, c.sfu_interval);
    // In one pipeline a branch passes the same stages as an addition.
    let control = (Unit::Control, if c.one_pipeline { c.int_latency } else { 1 }, 1);
    match op {
        Op::WarpBarrier => control,
        Op::Load(a) | Op::Store(a) if a.space == Space::Param => (Unit::LdSt, c.constant_latency, 1),
        Op::Int2(Int2::Div | Int2::Rem, _) => (Unit::Int, c.div_latency, c.div_interval),
        Op::Int2(Int2::MulLo | Int2::MulHi | Int2::Mul24Lo | Int2::Mul24Hi, _)
        | Op::MulWide(_)
        | Op::MadWide(_)
        | Op::Int3(..)
        | Op::Dp4a { .. }
        | Op::Dp2a { .. } => mul,
        Op::Int1(Int1::Popc | Int1::Clz | Int1::Bfind | Int1::BfindShift | Int1::Brev, _) => mul,
        Op::Float2(Float2::Div | Float2::DivApprox | Float2::DivFull, _) => sfu,
        Op::Int2(Int2::And | Int2::Or | Int2::Xor, _) | Op::Int1(Int1::Not | Int1::Cnot, _) => logic,
        Op::Int2(..) | Op::Pair { .. } | Op::Int1(..) | Op::Carry { .. } | Op::AbsDiff { .. } => int,
        Op::Float1(Float1::Neg | Float1::Abs, mode) if mode.ty != Type::F64 => fp_logic,
        Op::Float1(Float1::Neg | Float1::Abs, _) => dp,
        Op::Float1(..) => sfu,
        Op::Float2(_, mode) | Op::Fma(mode) if mode.ty == Type::F64 => dp,
        Op::Float2(..) | Op::Fma(_) => fp,
        Op::CopySign(_) | Op::TestP(..) | Op::CvtPack { .. } => fp_logic,
        Op::Setp { ty, .. } | Op::Set { ty, .. } if ty == Type::F64 => dp,
        Op::Setp { ty, .. } | Op::Set { ty, .. } if ty.is_float() => fp_logic,
        Op::Cvt { dst, src, .. } if dst == Type::F64 || src == Type::F64 => dp,
        Op::Cvt { dst, src, .. } if dst.is_float() || src.is_float() => fp_logic,
        op => match op.kind() {
            // The index hardware takes as long as integer logic (VTW section 4.2).
            Kind::Alu | Kind::Join | Kind::ActiveMask | Kind::Dispatch => logic,
            Kind::Memory | Kind::Host => (Unit::LdSt, c.l1d_latency, 1),
            Kind::Branch | Kind::End | Kind::Again | Kind::Trap | Kind::Call | Kind::Barrier | Kind::Quiet | Kind::Converge => {
                control
            }
        },
    }
}
