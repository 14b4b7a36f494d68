//! Single and double precision on lanes; [`half`] executes the 16-bit formats.

use super::{Exec, half};
use crate::interp::num::*;
use crate::ptx::op::{Float1, Float2, FloatClass, FloatMode};
use crate::ptx::types::{Rounding, Type};

/// Returns whether an f32 instruction rounds to nearest and has no other modifiers: the fast path.
fn is_plain(mode: FloatMode) -> bool {
    mode.rounding == Rounding::Near && !mode.ftz && !mode.sat
}

/// Returns whether its only modifier is `.ftz`, which compilers add everywhere if told to: the second fast path.
fn is_flushed(mode: FloatMode) -> bool {
    mode.rounding == Rounding::Near && mode.ftz && !mode.sat
}

#[inline(always)]
fn input(x: f32, mode: FloatMode) -> f32 {
    if mode.ftz { ftz32(x) } else { x }
}

#[inline(always)]
fn output(x: f32, mode: FloatMode) -> f32 {
    let x = if mode.ftz { ftz32(x) } else { x };
    if mode.sat { sat32(x) } else { x }
}

#[inline(never)]
pub fn two<const W: usize>(x: &mut Exec<W>, op: Float2, mode: FloatMode) {
    let r = mode.rounding;
    match mode.ty {
        Type::F32 if is_plain(mode) => match op {
            Float2::Add => x.map2(add32_near),
            Float2::Sub => x.map2(sub32_near),
            Float2::Mul => x.map2(mul32_near),
            Float2::Div => x.map2(div32_near),
            Float2::Min => x.map2(min32),
            Float2::Max => x.map2(max32),
            Float2::MinNan => x.map2(min32_nan),
            Float2::MaxNan => x.map2(max32_nan),
            Float2::DivApprox => x.slow2(|a, b| approx::div(a, b, false)),
            Float2::DivFull => x.slow2(|a, b| approx::div_full(a, b, false)),
        },
        Type::F32 if is_flushed(mode) && op == Float2::Add => x.map2(|a, b| ftz32(add32_near(ftz32(a), ftz32(b)))),
        Type::F32 if is_flushed(mode) && op == Float2::Sub => x.map2(|a, b| ftz32(sub32_near(ftz32(a), ftz32(b)))),
        Type::F32 if is_flushed(mode) && op == Float2::Mul => x.map2(|a, b| mul32_ftz(a, b, Rounding::Near)),
        Type::F32 => x.slow2(|a, b| {
            let (a, b) = (input(a, mode), input(b, mode));
            let result = match op {
                Float2::Add => add32(a, b, r),
                Float2::Sub => sub32(a, b, r),
                Float2::Mul if mode.ftz => mul32_ftz(a, b, r),
                Float2::Div if mode.ftz => div32_ftz(a, b, r),
                Float2::Mul => mul32(a, b, r),
                Float2::Div => div32(a, b, r),
                Float2::Min => min32(a, b),
                Float2::Max => max32(a, b),
                Float2::MinNan => min32_nan(a, b),
                Float2::MaxNan => max32_nan(a, b),
                Float2::DivApprox => approx::div(a, b, mode.ftz),
                Float2::DivFull => approx::div_full(a, b, mode.ftz),
            };
            output(result, mode)
        }),
        Type::F64 => match op {
            Float2::Add if r == Rounding::Near => x.map2(add64_near),
            Float2::Sub if r == Rounding::Near => x.map2(sub64_near),
            Float2::Mul if r == Rounding::Near => x.map2(mul64_near),
            Float2::Div if r == Rounding::Near => x.slow2(div64_near),
            Float2::Add => x.slow2(|a, b| add64(a, b, r)),
            Float2::Sub => x.slow2(|a, b| sub64(a, b, r)),
            Float2::Mul => x.slow2(|a, b| mul64(a, b, r)),
            Float2::Div | Float2::DivApprox | Float2::DivFull => x.slow2(|a, b| div64(a, b, r)),
            Float2::Min | Float2::MinNan => x.map2(min64),
            Float2::Max | Float2::MaxNan => x.map2(max64),
        },
        _ => half::two(x, op, mode),
    }
}

#[inline(never)]
pub fn fma<const W: usize>(x: &mut Exec<W>, mode: FloatMode) {
    let r = mode.rounding;
    match mode.ty {
        Type::F32 if is_plain(mode) => x.map3(fma32_near),
        Type::F32 if is_flushed(mode) => x.map3(|a, b, c| fma32_ftz(a, b, c, Rounding::Near)),
        Type::F32 if mode.ftz => x.slow3(|a, b, c| output(fma32_ftz(a, b, c, r), mode)),
        Type::F32 => x.slow3(|a, b, c| output(fma32(a, b, c, r), mode)),
        Type::F64 => x.slow3(|a, b, c| fma64(a, b, c, r)),
        _ => half::fma(x, mode),
    }
}

#[inline(never)]
pub fn one<const W: usize>(x: &mut Exec<W>, op: Float1, mode: FloatMode) {
    let r = mode.rounding;
    let ftz = mode.ftz;
    match mode.ty {
        Type::F32 => match op {
            Float1::Neg => x.map1(|a| neg32(input(a, mode))),
            Float1::Abs => x.map1(|a| abs32(input(a, mode))),
            Float1::Sqrt => x.slow1(|a| output(sqrt32(input(a, mode), r), mode)),
            Float1::Rcp if ftz => x.slow1(|a| rcp32_ftz(a, r)),
            Float1::Rcp => x.slow1(|a| output(rcp32(input(a, mode), r), mode)),
            Float1::SqrtApprox => x.slow1(|a| approx::sqrt(a, ftz)),
            Float1::RcpApprox => x.slow1(|a| approx::rcp(a, ftz)),
            Float1::RsqrtApprox => x.slow1(|a| approx::rsqrt(a, ftz)),
            Float1::Sin => x.slow1(|a| approx::sin(a, ftz)),
            Float1::Cos => x.slow1(|a| approx::cos(a, ftz)),
            Float1::Lg2 => x.slow1(|a| approx::lg2(a, ftz)),
            Float1::Ex2 => x.slow1(|a| approx::ex2(a, ftz)),
            Float1::Tanh => x.slow1(approx::tanh),
        },
        Type::F64 => match op {
            Float1::Neg => x.map1(neg64),
            Float1::Abs => x.map1(abs64),
            Float1::Sqrt | Float1::SqrtApprox => x.slow1(|a| sqrt64(a, r)),
            Float1::RcpApprox => x.slow1(approx::rcp_f64),
            Float1::RsqrtApprox if ftz => x.slow1(approx::rsqrt_f64_ftz),
            Float1::RsqrtApprox => x.slow1(approx::rsqrt_f64),
            _ => x.slow1(|a| rcp64(a, r)),
        },
        _ => half::one(x, op, mode),
    }
}

/// Combines the sign of a with the magnitude of b, bit for bit.
#[inline(never)]
pub fn copy_sign<const W: usize>(x: &mut Exec<W>, ty: Type) {
    if ty == Type::F64 {
        x.map2(|a: u64, b: u64| a & 1 << 63 | b & !(1 << 63));
    } else {
        x.map2(|a: u32, b: u32| a & 1 << 31 | b & !(1 << 31));
    }
}

#[inline(never)]
pub fn test<const W: usize>(x: &mut Exec<W>, class: FloatClass, ty: Type) {
    use std::num::FpCategory;
    // A zero counts as normal.
    let holds = |category: FpCategory| match class {
        FloatClass::Finite => !matches!(category, FpCategory::Nan | FpCategory::Infinite),
        FloatClass::Infinite => category == FpCategory::Infinite,
        FloatClass::Number => category != FpCategory::Nan,
        FloatClass::NotANumber => category == FpCategory::Nan,
        FloatClass::Normal => matches!(category, FpCategory::Normal | FpCategory::Zero),
        FloatClass::Subnormal => category == FpCategory::Subnormal,
    };
    if ty == Type::F64 { x.map1(|a: f64| holds(a.classify())) } else { x.map1(|a: f32| holds(a.classify())) }
}
