//! Lowering of one instruction: its guard, its operands, and the address that it accesses.

use super::Lowering;
use super::expand::Instance;
use super::places::AddressFixup;
use crate::program::address::window;
use crate::program::{Address, Base, Dst, Guard, Instruction, Src, source_place};
use crate::ptx::module::{AddressBase, Operand, PtxInstruction};
use crate::ptx::op::{AccessForm, Kind, Op};
use crate::ptx::problem::{Problem, Span, Trouble};
use crate::ptx::types::Space;

impl Lowering<'_> {
    /// Lowers any instruction except a call, for the end of the program.
    pub(super) fn plain(&mut self, instance: &Instance, instruction: &PtxInstruction, op: Op) -> Result<Instruction, Problem> {
        let here = self.instructions.len();
        let mut lowered = bare(op, instruction.span);
        lowered.guard = instruction.guard.map(|guard| Guard { plane: instance.plane(guard.register), negated: guard.negated });
        lowered.place = instruction.place.and_then(|index| source_place(&instance.body.places, index));
        if let Some(place) = &mut lowered.place {
            place.outer = instance.call_site.called_from.or(place.outer);
        }
        let writes = destinations(op);
        let (mut dst, mut src) = (Vec::new(), Vec::new());
        for operand in &instruction.operands {
            match operand {
                Operand::Address { base, offset } => {
                    let (space, address) = self.address(instance, op, base, *offset, instruction.span, here)?;
                    lowered.op = with_space(lowered.op, space);
                    lowered.address = Some(address);
                }
                _ if dst.len() < writes => dst.push(match operand {
                    Operand::Register(id) => {
                        Dst::Register { plane: instance.plane(*id), bits: instance.body.registers[id.0 as usize].bits as u8 }
                    }
                    _ => Dst::Sink,
                }),
                Operand::Register(id) => src.push(Src::Register(instance.plane(*id))),
                Operand::Not(id) => src.push(Src::Not(instance.plane(*id))),
                Operand::Immediate(bits) => src.push(Src::Immediate(*bits)),
                Operand::Special(special) => src.push(Src::Special(*special)),
                Operand::Sink => src.push(Src::Immediate(0)),
                Operand::Symbol { symbol, offset } => {
                    let (_, mut address) = self.symbol(instance, symbol, instruction.span)?;
                    if address == u64::MAX {
                        self.dynamic_shared.push((here, AddressFixup::Source(src.len())));
                        address = 0;
                    }
                    src.push(Src::Immediate(address.wrapping_add(*offset as u64)));
                }
                Operand::CodeLabel(_) | Operand::Table(_) | Operand::Callee { .. } => {}
            }
        }
        lowered.dst = dst.into();
        lowered.src = src.into();
        Ok(lowered)
    }

    /// Lowers an address operand. For an access to `.param` it also returns the space in which the operand really lies.
    fn address(
        &mut self,
        instance: &Instance,
        op: Op,
        base: &AddressBase,
        offset: i64,
        span: Span,
        here: usize,
    ) -> Result<(Option<Space>, Address), Problem> {
        match base {
            AddressBase::None => Ok((None, Address { base: Base::None, offset })),
            AddressBase::Register(id) => {
                let plane = instance.plane(*id);
                let base = match instance.body.registers[id.0 as usize].bits {
                    64 => Base::Register64(plane),
                    32 => Base::Register32(plane),
                    bits => return Err(Problem::new(Trouble::Operand, span, format!("an address is 32 or 64 bits, not {bits}"))),
                };
                // Parameters of an expanded function lie in the caller's frame.
                let space = (space_of(op) == Some(Space::Param) && !instance.call_site.is_kernel).then_some(Space::Local);
                Ok((space, Address { base, offset }))
            }
            AddressBase::Symbol(symbol) => {
                let (space, mut start) = self.symbol(instance, symbol, span)?;
                if start == u64::MAX {
                    self.dynamic_shared.push((here, AddressFixup::Address));
                    start = 0;
                }
                let named = space_of(op);
                if named == Some(Space::Generic) {
                    start = start.wrapping_add(window(space));
                } else if let Some(named) = named
                    && named != space
                    && named != Space::Param
                {
                    return Err(Problem::new(
                        Trouble::Operand,
                        span,
                        format!("a `.{named}` access names a variable in `.{space}`"),
                    )
                    .label(format!("the variable is in `.{space}`")));
                }
                let space = (named == Some(Space::Param)).then_some(space);
                Ok((space, Address { base: Base::None, offset: (start as i64).wrapping_add(offset) }))
            }
        }
    }
}

/// Returns an instruction without operands.
pub fn bare(op: Op, span: Span) -> Instruction {
    Instruction {
        op,
        guard: None,
        begins: false,
        dst: Box::default(),
        src: Box::default(),
        address: None,
        target: 0,
        span,
        place: None,
        rewrite: None,
        text: None,
    }
}

/// Returns how many of the first operands an operation writes.
fn destinations(op: Op) -> usize {
    match op {
        Op::Load(AccessForm { vector, .. }) => vector as usize,
        Op::Unpack { parts, .. } => parts as usize,
        Op::Setp { .. } | Op::Shfl(_) | Op::Match { .. } | Op::Lop3Test(_) | Op::NextBlock => 2,
        Op::Atom { result, .. } => result as usize,
        Op::Store(_) | Op::WarpBarrier | Op::Barrier | Op::BarrierArrive => 0,
        op => match op.kind() {
            Kind::Alu | Kind::Memory | Kind::Join | Kind::ActiveMask | Kind::Barrier | Kind::Dispatch => 1,
            Kind::Branch | Kind::Call | Kind::End | Kind::Again | Kind::Trap | Kind::Host | Kind::Quiet | Kind::Converge => 0,
        },
    }
}

fn space_of(op: Op) -> Option<Space> {
    match op {
        Op::Load(access) | Op::Store(access) => Some(access.space),
        Op::Atom { space, .. } => Some(space),
        _ => None,
    }
}

fn with_space(op: Op, space: Option<Space>) -> Op {
    match (op, space) {
        (Op::Load(access), Some(space)) => Op::Load(AccessForm { space, ..access }),
        (Op::Store(access), Some(space)) => Op::Store(AccessForm { space, ..access }),
        (op, _) => op,
    }
}
