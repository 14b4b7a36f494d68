//! Operations that only access registers, on all lanes at once.
//!
//! [`Exec`] reads sources into arrays with one value per lane, applies a function to each lane and writes the active lanes
//! back. Functions are total, so inactive lanes may compute on arbitrary register contents; slow functions run only in active
//! lanes ([`Exec::slow1`] and its siblings).

mod bits;
mod compare;
mod convert;
mod float;
mod half;
mod integer;

pub(crate) use super::num::extend;

use super::lanes::{Lanes, Registers};
use super::shape::BlockView;
use super::value::Value;
use crate::program::{Dst, Instruction, Plane, Src};
use crate::ptx::module::Special;
use crate::ptx::op::Op;
use crate::ptx::types::Type;

/// The execution of one instruction on one group of lanes.
pub struct Exec<'a, const W: usize> {
    /// The instruction that the lanes execute.
    pub instruction: &'a Instruction,
    /// The threads that hold the lanes, and the places of their registers.
    pub lanes: &'a Lanes<W>,
    /// Lanes that execute the instruction.
    pub active: u32,
    /// The registers of every thread of the block.
    pub registers: &'a mut Registers,
    /// What the block's special registers read.
    pub block: BlockView<'a>,
    /// Plane of the carry flag.
    pub carry: Plane,
}

impl<const W: usize> Exec<'_, W> {
    /// Executes an operation that only accesses registers; returns false for other operations.
    pub fn alu(&mut self) -> bool {
        match self.instruction.op {
            Op::Mov(ty) => convert::mov(self, ty),
            Op::Pack { part, parts } => convert::pack(self, part, parts),
            Op::Unpack { part, parts } => convert::unpack(self, part, parts),
            Op::Cvta { space, to_space, ty } => convert::cvta(self, space, to_space, ty),
            Op::IsSpace(space) => convert::is_space(self, space),
            Op::Cvt { .. } | Op::CvtPack { .. } => convert::cvt(self),
            Op::Int1(op, ty) => integer::one(self, op, ty),
            Op::Int2(op, ty) => integer::two(self, op, ty),
            Op::Pair { op, signed, relu } => integer::pair(self, op, signed, relu),
            Op::Int3(op, ty) => integer::three(self, op, ty),
            Op::MulWide(ty) => integer::mul_wide(self, ty),
            Op::MadWide(ty) => integer::mad_wide(self, ty),
            Op::Carry { op, ty, carry_in, carry_out } => integer::carry(self, op, ty, carry_in, carry_out),
            Op::Shift { left, ty } => integer::shift(self, left, ty),
            Op::Bfe(_)
            | Op::Bfi(_)
            | Op::Funnel { .. }
            | Op::Lop3
            | Op::Lop3Test(_)
            | Op::Permute(_)
            | Op::Bmsk { .. }
            | Op::Szext { .. }
            | Op::Fns
            | Op::Dp4a { .. }
            | Op::Dp2a { .. }
            | Op::AbsDiff { .. } => bits::fields(self),
            Op::Float1(op, mode) => float::one(self, op, mode),
            Op::Float2(op, mode) => float::two(self, op, mode),
            Op::Fma(mode) => float::fma(self, mode),
            Op::CopySign(ty) => float::copy_sign(self, ty),
            Op::TestP(class, ty) => float::test(self, class, ty),
            Op::Setp { cmp, combine, ty, ftz } => compare::setp(self, cmp, combine, ty, ftz),
            Op::Set { cmp, combine, dst, ty, ftz } => compare::set(self, cmp, combine, dst, ty, ftz),
            Op::Selp(ty) => compare::selp(self, ty),
            Op::Slct { ty, by, ftz } => compare::slct(self, ty, by, ftz),
            Op::Pred2(logic) => compare::logic(self, logic),
            Op::PredNot => {
                let a = self.source_predicate(0);
                self.put_mask(0, !a);
            }
            Op::Fence | Op::Nothing | Op::Step | Op::Meet | Op::Converge(_) => {}
            Op::Load(_) | Op::Store(_) | Op::Atom { .. } | Op::Printf | Op::AssertFail => return false,
            Op::Bra { .. } | Op::BrxIdx | Op::Call | Op::Ret | Op::Exit | Op::Again | Op::Trap => return false,
            Op::Barrier | Op::BarrierArrive | Op::BarrierReduce(_) | Op::ActiveMask => return false,
            Op::Shfl(_) | Op::Vote(_) | Op::Match { .. } | Op::Redux(..) | Op::WarpBarrier => return false,
            Op::NextBlock | Op::NextThread => return false,
        }
        true
    }

    // ---- Sources ----

    /// Returns the value of source `at` in every lane.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn get<T: Value>(&self, at: usize) -> [T; W] {
        match self.instruction.src[at] {
            Src::Register(plane) | Src::Not(plane) => self.registers.read(plane, self.lanes),
            Src::Immediate(bits) => [T::from_words(bits as u32, (bits >> 32) as u32); W],
            Src::Special(special) => self.special(special),
        }
    }

    fn special<T: Value>(&self, special: Special) -> [T; W] {
        let value = |lane: usize| {
            let bits = self.block.special(special, self.lanes.logical(lane));
            T::from_words(bits as u32, (bits >> 32) as u32)
        };
        if special.is_uniform() { [value(0); W] } else { std::array::from_fn(value) }
    }

    /// Returns the lanes in which the predicate source `at` holds.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn source_predicate(&self, at: usize) -> u32 {
        match self.instruction.src[at] {
            Src::Register(plane) => self.registers.predicate(plane, self.lanes),
            Src::Not(plane) => !self.registers.predicate(plane, self.lanes),
            Src::Immediate(bits) => {
                if bits != 0 {
                    u32::MAX
                } else {
                    0
                }
            }
            Src::Special(_) => 0,
        }
    }

    // ---- Destinations ----

    /// Writes operand `at` of the destinations, in the active lanes alone.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn put<T: Value>(&mut self, at: usize, values: &[T; W]) {
        if let Dst::Register { plane, .. } = self.instruction.dst[at] {
            self.registers.write(plane, self.lanes, self.active, values);
        }
    }

    /// Writes a predicate from a mask of lanes.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn put_mask(&mut self, at: usize, mask: u32) {
        self.put::<bool>(at, &std::array::from_fn(|lane| mask >> lane & 1 != 0));
    }

    /// Writes values of a type into a register that may be wider: signed values are sign-extended, others zero-extended.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn put_extended(&mut self, at: usize, ty: Type, values: &[u64; W]) {
        let Dst::Register { plane, bits } = self.instruction.dst[at] else { return };
        let extended: [u64; W] = std::array::from_fn(|lane| extend(values[lane], ty));
        match bits {
            64 => self.registers.write(plane, self.lanes, self.active, &extended),
            16 => self.registers.write(plane, self.lanes, self.active, &extended.map(|v| v as u16)),
            _ => self.registers.write(plane, self.lanes, self.active, &extended.map(|v| v as u32)),
        }
    }

    // ---- Lane by lane ----

    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn map1<A: Value, D: Value>(&mut self, f: impl Fn(A) -> D) {
        let a = self.get::<A>(0);
        self.put::<D>(0, &std::array::from_fn(|i| f(a[i])));
    }

    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn map2<A: Value, B: Value, D: Value>(&mut self, f: impl Fn(A, B) -> D) {
        let (a, b) = (self.get::<A>(0), self.get::<B>(1));
        self.put::<D>(0, &std::array::from_fn(|i| f(a[i], b[i])));
    }

    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub(crate) fn map3<A: Value, B: Value, C: Value, D: Value>(&mut self, f: impl Fn(A, B, C) -> D) {
        let (a, b, c) = (self.get::<A>(0), self.get::<B>(1), self.get::<C>(2));
        self.put::<D>(0, &std::array::from_fn(|i| f(a[i], b[i], c[i])));
    }

    /// Like [`Exec::map1`], but computes active lanes only.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn slow1<A: Value, D: Value>(&mut self, f: impl Fn(A) -> D) {
        let a = self.get::<A>(0);
        self.put::<D>(0, &self.each(|i| f(a[i])));
    }

    #[inline(always)]
    pub(crate) fn slow2<A: Value, B: Value, D: Value>(&mut self, f: impl Fn(A, B) -> D) {
        let (a, b) = (self.get::<A>(0), self.get::<B>(1));
        self.put::<D>(0, &self.each(|i| f(a[i], b[i])));
    }

    #[inline(always)]
    pub(crate) fn slow3<A: Value, B: Value, C: Value, D: Value>(&mut self, f: impl Fn(A, B, C) -> D) {
        let (a, b, c) = (self.get::<A>(0), self.get::<B>(1), self.get::<C>(2));
        self.put::<D>(0, &self.each(|i| f(a[i], b[i], c[i])));
    }

    /// Evaluates `f` in each active lane; other lanes get the default value.
    #[inline(always)]
    pub fn each<D: Value>(&self, f: impl Fn(usize) -> D) -> [D; W] {
        let mut out = [D::default(); W];
        let mut rest = self.active;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            out[lane] = f(lane);
        }
        out
    }
}
