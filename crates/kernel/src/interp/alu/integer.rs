//! Integer arithmetic on lanes.

use super::super::num::integer::{mad24, mul24};
use super::super::value::Int;
use super::Exec;
use crate::interp::num;
use crate::ptx::op::{CarryOp, Int1, Int2, Int3};
use crate::ptx::types::Type;

/// Calls `$f` with the Rust type of a PTX integer type.
macro_rules! by_type {
    ($ty:expr, $f:ident($($arg:expr),*)) => {
        match $ty {
            Type::U16 | Type::B16 => $f::<u16, W>($($arg),*),
            Type::S16 => $f::<i16, W>($($arg),*),
            Type::S32 => $f::<i32, W>($($arg),*),
            Type::U64 | Type::B64 => $f::<u64, W>($($arg),*),
            Type::S64 => $f::<i64, W>($($arg),*),
            _ => $f::<u32, W>($($arg),*),
        }
    };
}

#[inline(never)]
pub fn one<const W: usize>(x: &mut Exec<W>, op: Int1, ty: Type) {
    fn go<T: Int, const W: usize>(x: &mut Exec<W>, op: Int1, ty: Type) {
        match op {
            Int1::Neg => x.map1(T::neg),
            Int1::Abs => x.map1(T::abs),
            Int1::Not => x.map1(T::not),
            Int1::Cnot => x.map1(|a: T| if a.is_zero() { T::one() } else { T::default() }),
            Int1::Popc => x.map1(T::count_ones),
            Int1::Clz => x.map1(T::leading_zeros),
            Int1::Brev => x.map1(T::reverse_bits),
            Int1::Bfind => x.map1(|a: T| num::bits::bfind(ty, a.bits(), false)),
            Int1::BfindShift => x.map1(|a: T| num::bits::bfind(ty, a.bits(), true)),
        }
    }
    by_type!(ty, go(x, op, ty))
}

#[inline(never)]
pub fn two<const W: usize>(x: &mut Exec<W>, op: Int2, ty: Type) {
    fn go<T: Int, const W: usize>(x: &mut Exec<W>, op: Int2, ty: Type) {
        match op {
            Int2::Add => x.map2(T::add),
            Int2::Sub => x.map2(T::sub),
            Int2::AddSat => x.map2(T::add_sat),
            Int2::SubSat => x.map2(T::sub_sat),
            Int2::MulLo => x.map2(T::mul_lo),
            Int2::MulHi => x.map2(T::mul_hi),
            Int2::Div => x.slow2(T::div),
            Int2::Rem => x.slow2(T::rem),
            Int2::Min => x.map2(T::min),
            Int2::Max => x.map2(T::max),
            Int2::And => x.map2(T::and),
            Int2::Or => x.map2(T::or),
            Int2::Xor => x.map2(T::xor),
            Int2::Mul24Lo => x.map2(|a, b| mul24(ty.is_signed(), false, a, b)),
            Int2::Mul24Hi => x.map2(|a, b| mul24(ty.is_signed(), true, a, b)),
        }
    }
    by_type!(ty, go(x, op, ty))
}

/// Applies an operation to the two 16-bit halves of 32-bit registers.
#[inline(never)]
pub fn pair<const W: usize>(x: &mut Exec<W>, op: Int2, signed: bool, relu: bool) {
    let half = |a: u16, b: u16| match (op, signed) {
        (Int2::Min, false) => a.min(b),
        (Int2::Max, false) => a.max(b),
        (Int2::Min, true) => (a as i16).min(b as i16) as u16,
        (Int2::Max, true) => (a as i16).max(b as i16) as u16,
        _ => a.wrapping_add(b),
    };
    let clamped = |a: u16| if relu && a as i16 <= 0 { 0 } else { a };
    x.map2(|a: u32, b: u32| {
        let (low, high) = (half(a as u16, b as u16), half((a >> 16) as u16, (b >> 16) as u16));
        u32::from(clamped(low)) | u32::from(clamped(high)) << 16
    });
}

#[inline(never)]
pub fn three<const W: usize>(x: &mut Exec<W>, op: Int3, ty: Type) {
    fn go<T: Int, const W: usize>(x: &mut Exec<W>, op: Int3, ty: Type) {
        match op {
            Int3::MadLo => x.map3(|a: T, b: T, c: T| a.mul_lo(b).add(c)),
            Int3::MadHi => x.map3(|a: T, b: T, c: T| a.mul_hi(b).add(c)),
            Int3::MadHiSat => x.map3(|a: T, b: T, c: T| a.mul_hi(b).add_sat(c)),
            Int3::Sad => x.map3(T::sad),
            Int3::Mad24Lo => x.map3(|a, b, c| mad24(ty.is_signed(), false, false, a, b, c)),
            Int3::Mad24Hi => x.map3(|a, b, c| mad24(ty.is_signed(), true, false, a, b, c)),
            Int3::Mad24HiSat => x.map3(|a, b, c| mad24(ty.is_signed(), true, true, a, b, c)),
        }
    }
    by_type!(ty, go(x, op, ty))
}

#[inline(never)]
pub fn mul_wide<const W: usize>(x: &mut Exec<W>, ty: Type) {
    fn go<T: Int, const W: usize>(x: &mut Exec<W>) {
        x.map2(T::mul_wide);
    }
    by_type!(ty, go(x))
}

#[inline(never)]
pub fn mad_wide<const W: usize>(x: &mut Exec<W>, ty: Type) {
    fn go<T: Int, const W: usize>(x: &mut Exec<W>) {
        x.map3(T::mad_wide);
    }
    by_type!(ty, go(x))
}

#[inline(never)]
pub fn shift<const W: usize>(x: &mut Exec<W>, left: bool, ty: Type) {
    fn go<T: Int, const W: usize>(x: &mut Exec<W>, left: bool) {
        if left { x.map2(T::shl) } else { x.map2(T::shr) }
    }
    by_type!(ty, go(x, left))
}

/// Adds, subtracts or multiply-adds with the carry flag. A difference is the sum with the complement, so the flag is set if
/// nothing was borrowed.
#[inline(never)]
pub fn carry<const W: usize>(x: &mut Exec<W>, op: CarryOp, ty: Type, carry_in: bool, carry_out: bool) {
    fn go<T: Int, const W: usize>(x: &mut Exec<W>, op: CarryOp, carry_in: bool, carry_out: bool) {
        let without = (op == CarryOp::Sub) as u32;
        let flag: [u32; W] = if carry_in { x.registers.read(x.carry, x.lanes) } else { [without; W] };
        let (a, b) = (x.get::<T>(0), x.get::<T>(1));
        let (a, b) = match op {
            CarryOp::Add => (a, b),
            CarryOp::Sub => (a, b.map(T::not)),
            CarryOp::MadLo => (std::array::from_fn(|i| a[i].mul_lo(b[i])), x.get(2)),
            CarryOp::MadHi => (std::array::from_fn(|i| a[i].mul_hi(b[i])), x.get(2)),
        };
        let sums: [T; W] = std::array::from_fn(|i| a[i].add(b[i]).add(T::from_bits(flag[i].into())));
        x.put(0, &sums);
        if carry_out {
            // The sum carried if it is below `a`, or equal to `a` although the flag added one.
            let carried = |i: usize| sums[i].bits() < a[i].bits() || flag[i] != 0 && sums[i].bits() == a[i].bits();
            x.registers.write(x.carry, x.lanes, x.active, &std::array::from_fn::<u32, W, _>(|i| carried(i) as u32));
        }
    }
    by_type!(ty, go(x, op, carry_in, carry_out))
}
