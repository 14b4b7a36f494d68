//! `cvt`: every conversion between scalar types.
//!
//! [`cvt`] covers all pairs in two steps: it reads the source as an exact number (an integer of any type fits in an `i128`, a
//! float of any type in an f64) and rounds that number to the destination. The short functions after it are fast paths for
//! pairs that are common in inner loops.

use super::float32::{ftz32, sat32};
use super::flush::is_tiny;
use super::half::{Bf16, F16, Half};
use super::nan::{CANONICAL32, nan_to_float, nan_to_integer};
use super::soft::{self, Finite, Format};
use crate::ptx::types::{Rounding, Type};

/// An exact source value.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
}

/// Converts `bits` from `src` to `dst`; only the low `dst.bits()` bits of the result are set.
/// [`extend`] widens the result to a register.
///
/// `to_integer` says that the rounding was one of `.rni .rzi .rmi .rpi`: a conversion between floats then rounds to an integral
/// value. Without a rounding, a conversion to a float rounds to nearest and one from a float to an integer towards zero. A
/// float outside the range of its integer type gives the nearest value in range, with or without `.sat`. Of a packed type the
/// low half is converted.
pub fn cvt(dst: Type, src: Type, bits: u64, rounding: Option<Rounding>, to_integer: bool, ftz: bool, sat: bool) -> u64 {
    if dst == src && rounding.is_none() && !ftz && !sat {
        // A move: even a signalling NaN stays as it is.
        return truncate(dst, bits);
    }
    let number = match src {
        Type::F64 => Number::Float(f64::from_bits(bits)),
        Type::F32 => {
            let x = f32::from_bits(bits as u32);
            // The hardware does not flush the operand of a conversion to f16.
            Number::Float(if ftz && dst != Type::F16 { ftz32(x) } else { x } as f64)
        }
        Type::F16 | Type::F16x2 => Number::Float(F16::to_f64(bits as u16)),
        Type::Bf16 | Type::Bf16x2 => Number::Float(Bf16::to_f64(bits as u16)),
        _ => Number::Integer(integer_value(src, bits)),
    };
    match number {
        Number::Integer(value) if dst.is_float() => saturated(dst, from_integer(dst, value, rounding.unwrap_or_default()), sat),
        Number::Integer(value) => {
            let value = if sat { clamp(dst, value) } else { value };
            truncate(dst, value as u64)
        }
        Number::Float(x) if !dst.is_float() => {
            if x.is_nan() {
                return nan_to_integer(dst, src);
            }
            truncate(dst, clamp(dst, integral(x, rounding.unwrap_or(Rounding::Zero)) as i128) as u64)
        }
        Number::Float(x) if x.is_nan() => {
            // With `.ftz` an f32 operand passes through f32 arithmetic, which gives the canonical NaN.
            let bits = if ftz && src == Type::F32 { CANONICAL32 as u64 } else { bits };
            saturated(dst, nan_to_float(dst, src, bits), sat)
        }
        Number::Float(x) => {
            let r = rounding.unwrap_or_default();
            let (x, r) = if to_integer { (integral(x, r), Rounding::Near) } else { (x, r) };
            let mut result = from_f64(dst, x, r);
            if ftz && dst == Type::F32 && is_tiny(Format::F32, x, r) {
                result &= Format::F32.sign();
            }
            saturated(dst, result, sat)
        }
    }
}

/// The packing form `cvt.f16x2.f32 d, a, b` and its bf16x2 twin: `a` goes to the upper half, `b` to the lower.
pub fn cvt_pack(dst: Type, a: f32, b: f32, r: Rounding, sat: bool, relu: bool) -> u32 {
    fn one<H: Half>(x: f32, r: Rounding, sat: bool, relu: bool) -> u32 {
        let mut half = H::from_f32(x, r);
        if sat {
            half = H::sat(half);
        }
        if relu {
            half = H::relu(half);
        }
        half as u32
    }
    match dst {
        Type::Bf16x2 | Type::Bf16 => one::<Bf16>(a, r, sat, relu) << 16 | one::<Bf16>(b, r, sat, relu),
        _ => one::<F16>(a, r, sat, relu) << 16 | one::<F16>(b, r, sat, relu),
    }
}

/// Extends the low `ty.bits()` bits to 64: by sign for signed types, with zeros for others.
#[inline(always)]
pub fn extend(bits: u64, ty: Type) -> u64 {
    match ty {
        Type::S8 => bits as i8 as u64,
        Type::S16 => bits as i16 as u64,
        Type::S32 => bits as i32 as u64,
        _ => truncate(ty, bits),
    }
}

#[inline]
pub fn s32_to_f32(x: i32) -> f32 {
    x as f32
}

#[inline]
pub fn u32_to_f32(x: u32) -> f32 {
    x as f32
}

#[inline]
pub fn s64_to_f32(x: i64) -> f32 {
    x as f32
}

#[inline]
pub fn u64_to_f32(x: u64) -> f32 {
    x as f32
}

#[inline]
pub fn s32_to_f64(x: i32) -> f64 {
    x as f64
}

#[inline]
pub fn u32_to_f64(x: u32) -> f64 {
    x as f64
}

#[inline]
pub fn s64_to_f64(x: i64) -> f64 {
    x as f64
}

#[inline]
pub fn u64_to_f64(x: u64) -> f64 {
    x as f64
}

/// `cvt.rzi.s32.f32`.
#[inline]
pub fn f32_to_s32(x: f32) -> i32 {
    x as i32
}

/// `cvt.rzi.u32.f32`.
#[inline]
pub fn f32_to_u32(x: f32) -> u32 {
    x as u32
}

/// `cvt.rzi.s64.f32`.
#[inline]
pub fn f32_to_s64(x: f32) -> i64 {
    if x.is_nan() { nan_to_integer(Type::S64, Type::F32) as i64 } else { x as i64 }
}

/// `cvt.rzi.s32.f64`.
#[inline]
pub fn f64_to_s32(x: f64) -> i32 {
    if x.is_nan() { nan_to_integer(Type::S32, Type::F64) as i32 } else { x as i32 }
}

/// `cvt.rzi.s64.f64`.
#[inline]
pub fn f64_to_s64(x: f64) -> i64 {
    if x.is_nan() { nan_to_integer(Type::S64, Type::F64) as i64 } else { x as i64 }
}

/// `cvt.f64.f32`: exact.
#[inline]
pub fn f32_to_f64(x: f32) -> f64 {
    if x.is_nan() { f64::from_bits(nan_to_float(Type::F64, Type::F32, x.to_bits() as u64)) } else { x as f64 }
}

/// `cvt.rn.f32.f64`.
#[inline]
pub fn f64_to_f32(x: f64) -> f32 {
    if x.is_nan() { f32::from_bits(nan_to_float(Type::F32, Type::F64, x.to_bits()) as u32) } else { x as f32 }
}

#[inline(always)]
fn truncate(ty: Type, bits: u64) -> u64 {
    match ty.bits() {
        width @ 0..64 => bits & ((1 << width) - 1),
        _ => bits,
    }
}

fn integer_value(ty: Type, bits: u64) -> i128 {
    let wide = extend(bits, ty);
    if ty.is_signed() { wide as i64 as i128 } else { wide as i128 }
}

/// Clamps `value` to the range of the integer type.
fn clamp(ty: Type, value: i128) -> i128 {
    let width = ty.bits().min(64);
    if ty.is_signed() { value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { value.clamp(0, (1 << width) - 1) }
}

fn from_integer(dst: Type, value: i128, r: Rounding) -> u64 {
    // The magnitude of every integer type fits in 64 bits, including 2^63 for the most negative value.
    let exact = Finite { negative: value < 0, exp: 0, mant: value.unsigned_abs() as u64 };
    soft::round(Format::of(dst), exact, r)
}

/// Rounds `x`, which is not a NaN, to the float type `dst`.
fn from_f64(dst: Type, x: f64, r: Rounding) -> u64 {
    let format = Format::of(dst);
    if x.is_infinite() {
        return format.infinity() | if x < 0.0 { format.sign() } else { 0 };
    }
    soft::round(format, Finite::unpack(Format::F64, x.to_bits()), r)
}

/// Rounds `x` to an integral value, which keeps the sign of `x` even if it is zero.
fn integral(x: f64, r: Rounding) -> f64 {
    match r {
        Rounding::Near => x.round_ties_even(),
        Rounding::Zero => x.trunc(),
        Rounding::Down => x.floor(),
        Rounding::Up => x.ceil(),
    }
}

/// Clamps the result of a conversion to a float to [0, 1] if `sat` is set.
fn saturated(dst: Type, bits: u64, sat: bool) -> u64 {
    match dst {
        _ if !sat => bits,
        Type::F16 | Type::F16x2 => F16::sat(bits as u16) as u64,
        Type::Bf16 | Type::Bf16x2 => Bf16::sat(bits as u16) as u64,
        Type::F32 => sat32(f32::from_bits(bits as u32)).to_bits() as u64,
        _ => {
            let x = f64::from_bits(bits);
            let low = if x > 0.0 { x } else { 0.0 };
            low.min(1.0).to_bits()
        }
    }
}
