//! Comparisons, selections and predicate logic on lanes.

use super::Exec;
use crate::interp::num::{Bf16, F16, Half, ftz32};
use crate::interp::value::Value;
use crate::ptx::op::{Compare, Logic};
use crate::ptx::types::Type;
use std::cmp::Ordering;

/// Returns the lanes in which the comparison of sources 0 and 1 holds.
fn compared<const W: usize>(x: &Exec<W>, cmp: Compare, ty: Type, ftz: bool) -> u32 {
    fn ints<T: Value + Ord, const W: usize>(x: &Exec<W>, cmp: Compare) -> u32 {
        let (a, b) = (x.get::<T>(0), x.get::<T>(1));
        match cmp {
            Compare::Eq | Compare::EqU => mask::<W>(|i| a[i] == b[i]),
            Compare::Ne | Compare::NeU => mask::<W>(|i| a[i] != b[i]),
            Compare::Lt | Compare::LtU => mask::<W>(|i| a[i] < b[i]),
            Compare::Le | Compare::LeU => mask::<W>(|i| a[i] <= b[i]),
            Compare::Gt | Compare::GtU => mask::<W>(|i| a[i] > b[i]),
            Compare::Ge | Compare::GeU => mask::<W>(|i| a[i] >= b[i]),
            Compare::Num => u32::MAX,
            Compare::Nan => 0,
        }
    }
    fn floats<T: Value + PartialOrd, const W: usize>(x: &Exec<W>, cmp: Compare, f: impl Fn(T) -> T) -> u32 {
        let (a, b) = (x.get::<T>(0).map(&f), x.get::<T>(1).map(&f));
        match cmp {
            Compare::Eq => mask::<W>(|i| a[i] == b[i]),
            Compare::NeU => mask::<W>(|i| a[i] != b[i]),
            Compare::Lt => mask::<W>(|i| a[i] < b[i]),
            Compare::Le => mask::<W>(|i| a[i] <= b[i]),
            Compare::Gt => mask::<W>(|i| a[i] > b[i]),
            Compare::Ge => mask::<W>(|i| a[i] >= b[i]),
            _ => mask::<W>(|i| holds(cmp, a[i].partial_cmp(&b[i]))),
        }
    }
    fn halves<H: Half, const W: usize>(x: &Exec<W>, cmp: Compare, ftz: bool) -> u32 {
        let (a, b) = (x.get::<u16>(0), x.get::<u16>(1));
        mask::<W>(|i| compared_halves::<H>(cmp, a[i], b[i], ftz))
    }
    match ty {
        Type::U16 | Type::B16 => ints::<u16, W>(x, cmp),
        Type::S16 => ints::<i16, W>(x, cmp),
        Type::S32 => ints::<i32, W>(x, cmp),
        Type::U64 | Type::B64 => ints::<u64, W>(x, cmp),
        Type::S64 => ints::<i64, W>(x, cmp),
        Type::F32 if ftz => floats::<f32, W>(x, cmp, ftz32),
        Type::F32 => floats::<f32, W>(x, cmp, |a| a),
        Type::F64 => floats::<f64, W>(x, cmp, |a| a),
        Type::F16 => halves::<F16, W>(x, cmp, ftz),
        Type::Bf16 => halves::<Bf16, W>(x, cmp, ftz),
        _ => ints::<u32, W>(x, cmp),
    }
}

/// Returns the lanes in which the comparison holds for the lower halves of sources 0 and 1, and for the upper halves.
fn compared_pair<H: Half, const W: usize>(x: &Exec<W>, cmp: Compare, ftz: bool) -> (u32, u32) {
    let (a, b) = (x.get::<u32>(0), x.get::<u32>(1));
    let half = |shift: u32| mask::<W>(|i| compared_halves::<H>(cmp, (a[i] >> shift) as u16, (b[i] >> shift) as u16, ftz));
    (half(0), half(16))
}

fn compared_halves<H: Half>(cmp: Compare, a: u16, b: u16, ftz: bool) -> bool {
    let flush = |a: u16| if ftz { H::ftz(a) } else { a };
    holds(cmp, H::compare(flush(a), flush(b)))
}

/// Evaluates a comparison on an ordering, which is `None` if an operand is a NaN.
fn holds(cmp: Compare, ordering: Option<Ordering>) -> bool {
    let Some(ordering) = ordering else {
        return matches!(
            cmp,
            Compare::EqU | Compare::NeU | Compare::LtU | Compare::LeU | Compare::GtU | Compare::GeU | Compare::Nan
        );
    };
    match cmp {
        Compare::Eq | Compare::EqU => ordering.is_eq(),
        Compare::Ne | Compare::NeU => ordering.is_ne(),
        Compare::Lt | Compare::LtU => ordering.is_lt(),
        Compare::Le | Compare::LeU => ordering.is_le(),
        Compare::Gt | Compare::GtU => ordering.is_gt(),
        Compare::Ge | Compare::GeU => ordering.is_ge(),
        Compare::Num => true,
        Compare::Nan => false,
    }
}

/// Returns the lanes for which `f` holds.
#[inline(always)]
pub fn mask<const W: usize>(f: impl Fn(usize) -> bool) -> u32 {
    let mut mask = 0;
    for lane in 0..W {
        mask |= (f(lane) as u32) << lane;
    }
    mask
}

pub fn combined(logic: Logic, a: u32, b: u32) -> u32 {
    match logic {
        Logic::And => a & b,
        Logic::Or => a | b,
        Logic::Xor => a ^ b,
    }
}

/// Writes the comparison to p and its opposite to q; for packed pairs, that of the lower halves to p and of the upper to q.
/// Each is combined with c.
#[inline(never)]
pub fn setp<const W: usize>(x: &mut Exec<W>, cmp: Compare, combine: Option<Logic>, ty: Type, ftz: bool) {
    let (mut p, mut q) = match ty {
        Type::F16x2 => compared_pair::<F16, W>(x, cmp, ftz),
        Type::Bf16x2 => compared_pair::<Bf16, W>(x, cmp, ftz),
        _ => {
            let result = compared(x, cmp, ty, ftz);
            (result, !result)
        }
    };
    if let Some(logic) = combine {
        let c = x.source_predicate(2);
        (p, q) = (combined(logic, p, c), combined(logic, q, c));
    }
    x.put_mask(0, p);
    x.put_mask(1, q);
}

#[inline(never)]
pub fn set<const W: usize>(x: &mut Exec<W>, cmp: Compare, combine: Option<Logic>, dst: Type, ty: Type, ftz: bool) {
    let finish = |x: &Exec<W>, result: u32| match combine {
        Some(logic) => combined(logic, result, x.source_predicate(2)),
        None => result,
    };
    let yes = yes(dst);
    if matches!(ty, Type::F16x2 | Type::Bf16x2) {
        let (low, high) =
            if ty == Type::F16x2 { compared_pair::<F16, W>(x, cmp, ftz) } else { compared_pair::<Bf16, W>(x, cmp, ftz) };
        let (low, high) = (finish(x, low), finish(x, high));
        let half = |mask: u32, lane: usize, bits: u32| if mask >> lane & 1 != 0 { yes as u32 & bits } else { 0 };
        return x.put(0, &std::array::from_fn(|i| half(low, i, 0xffff) | half(high, i, 0xffff_0000)));
    }
    let result = finish(x, compared(x, cmp, ty, ftz));
    match dst.bits() {
        64 => x.put::<u64>(0, &std::array::from_fn(|i| if result >> i & 1 != 0 { yes } else { 0 })),
        16 => x.put::<u16>(0, &std::array::from_fn(|i| if result >> i & 1 != 0 { yes as u16 } else { 0 })),
        _ => x.put::<u32>(0, &std::array::from_fn(|i| if result >> i & 1 != 0 { yes as u32 } else { 0 })),
    }
}

/// Returns the value that `set` writes for true.
fn yes(dst: Type) -> u64 {
    match dst {
        Type::F32 => 0x3f80_0000,
        Type::F16 => 0x3c00,
        Type::Bf16 => 0x3f80,
        Type::F16x2 => 0x3c00_3c00,
        Type::Bf16x2 => 0x3f80_3f80,
        _ => u64::MAX,
    }
}

#[inline(never)]
pub fn selp<const W: usize>(x: &mut Exec<W>, ty: Type) {
    let choice = x.source_predicate(2);
    select(x, ty, choice);
}

/// Writes source 0 in the lanes of `choice`, and source 1 in the others.
fn select<const W: usize>(x: &mut Exec<W>, ty: Type, choice: u32) {
    fn go<T: Value, const W: usize>(x: &mut Exec<W>, choice: u32) {
        let (a, b) = (x.get::<T>(0), x.get::<T>(1));
        x.put(0, &std::array::from_fn(|i| if choice >> i & 1 != 0 { a[i] } else { b[i] }));
    }
    match ty.bits() {
        64 => go::<u64, W>(x, choice),
        16 => go::<u16, W>(x, choice),
        _ => go::<u32, W>(x, choice),
    }
}

/// Selects a where c ≥ 0 (false for a NaN), else b.
#[inline(never)]
pub fn slct<const W: usize>(x: &mut Exec<W>, ty: Type, by: Type, ftz: bool) {
    let choice = if by == Type::F32 {
        let c = x.get::<f32>(2);
        mask::<W>(|i| if ftz { ftz32(c[i]) >= 0.0 } else { c[i] >= 0.0 })
    } else {
        let c = x.get::<i32>(2);
        mask::<W>(|i| c[i] >= 0)
    };
    select(x, ty, choice);
}

#[inline(never)]
pub fn logic<const W: usize>(x: &mut Exec<W>, logic: Logic) {
    let result = combined(logic, x.source_predicate(0), x.source_predicate(1));
    x.put_mask(0, result);
}
