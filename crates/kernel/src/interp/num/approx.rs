//! The `.approx` instructions.
//!
//! PTX bounds their error and fixes their special values. A real GPU computes them from its own tables, so its last bits differ
//! from these. Where the shape of the error is known it is reproduced: sine and cosine multiply by 1/2π in f32 first, so they
//! lose precision for large angles, and a division multiplies by the reciprocal.
//!
//! `ftz` flushes subnormal operands and results; without it subnormals keep their value.

use super::elementary;
use super::float32::{ftz32, mul32, mul32_near, sqrt32_near};
use super::flush::mul32_ftz;
use super::half::Half;
use super::nan::{CANONICAL16, CANONICAL32, canon32, nan64};
use crate::ptx::types::Rounding;

const NAN: f32 = f32::from_bits(CANONICAL32);

#[inline]
fn flush(x: f32, ftz: bool) -> f32 {
    if ftz { ftz32(x) } else { x }
}

/// `ex2.approx.f32`: 2^x within 2 units in the last place.
pub fn ex2(x: f32, ftz: bool) -> f32 {
    if x.is_nan() {
        return NAN;
    }
    // Beyond ±200 the result is 0 or infinite in any case.
    flush(elementary::exp2(x.clamp(-200.0, 200.0) as f64) as f32, ftz)
}

/// `lg2.approx.f32`: log2 x within 2^-22 absolute.
pub fn lg2(x: f32, ftz: bool) -> f32 {
    let x = flush(x, ftz);
    if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 && x.is_finite() {
        elementary::log2(x as f64) as f32
    } else if x > 0.0 {
        x
    } else {
        NAN
    }
}

/// `sin.approx.f32`.
pub fn sin(x: f32, ftz: bool) -> f32 {
    match turns(x, ftz) {
        Some(t) if t == 0.0 => t,
        Some(t) => elementary::sin_cos_turns(t as f64).0 as f32,
        None => NAN,
    }
}

/// `cos.approx.f32`.
pub fn cos(x: f32, ftz: bool) -> f32 {
    match turns(x, ftz) {
        Some(t) => elementary::sin_cos_turns(t as f64).1 as f32,
        None => NAN,
    }
}

/// Returns the angle in full turns as the hardware computes it: x × 1/2π in f32, rounded towards zero, subnormals flushed.
fn turns(x: f32, ftz: bool) -> Option<f32> {
    const PER_RADIAN: f32 = 0.159_154_94;
    if !x.is_finite() {
        return None;
    }
    let t = ftz32(mul32(flush(x, ftz), PER_RADIAN, Rounding::Zero));
    // From 2^24 on every f32 is an integer, and a whole number of turns is the angle 0.
    Some(if t.abs() < 16_777_216.0 { t } else { 0.0 })
}

/// `tanh.approx.f32`.
pub fn tanh(x: f32) -> f32 {
    if x.is_nan() { NAN } else { elementary::tanh(x as f64) as f32 }
}

/// `rcp.approx.f32`.
pub fn rcp(x: f32, ftz: bool) -> f32 {
    flush(canon32(1.0 / flush(x, ftz)), ftz)
}

/// `sqrt.approx.f32`.
pub fn sqrt(x: f32, ftz: bool) -> f32 {
    sqrt32_near(flush(x, ftz))
}

/// `rsqrt.approx.f32`; a zero gives an infinity of its sign.
pub fn rsqrt(x: f32, ftz: bool) -> f32 {
    canon32((1.0 / (flush(x, ftz) as f64).sqrt()) as f32)
}

/// `div.approx.f32`: `a` times the reciprocal of `b`, which is zero for |b| above 2^126.
pub fn div(a: f32, b: f32, ftz: bool) -> f32 {
    let (a, b) = lifted(flush(a, ftz), flush(b, ftz));
    times(a, ftz32(rcp(b, false)), ftz)
}

/// `div.full.f32`: as [`div`], but scaled to be accurate over the whole range of `b`.
pub fn div_full(a: f32, b: f32, ftz: bool) -> f32 {
    const LARGE: f32 = 8.507_059e37; // 2^126
    let (a, b) = lifted(flush(a, ftz), flush(b, ftz));
    let scale = if b.abs() > LARGE { 0.25 } else { 1.0 };
    times(a * scale, rcp(b * scale, false), ftz)
}

/// Multiplies both operands by 2^24 if the divisor is subnormal or zero.
fn lifted(a: f32, b: f32) -> (f32, f32) {
    let scale = if b.abs() < f32::MIN_POSITIVE { 16_777_216.0 } else { 1.0 };
    (a * scale, b * scale)
}

fn times(a: f32, b: f32, ftz: bool) -> f32 {
    if ftz { mul32_ftz(a, b, Rounding::Near) } else { mul32_near(a, b) }
}

/// `rcp.approx.ftz.f64`: the low words of operand and result count as zero.
pub fn rcp_f64(x: f64) -> f64 {
    let x = high_word(x);
    if x.is_nan() { high_nan() } else { rounded_high_word(1.0 / x) }
}

/// `rsqrt.approx.ftz.f64`: the low words of operand and result count as zero.
pub fn rsqrt_f64_ftz(x: f64) -> f64 {
    let x = high_word(x);
    if x.is_nan() || x < 0.0 { high_nan() } else { rounded_high_word(1.0 / x.sqrt()) }
}

/// `rsqrt.approx.f64`.
pub fn rsqrt_f64(x: f64) -> f64 {
    let result = 1.0 / x.sqrt();
    if result.is_nan() { nan64(x, 0.0, 0.0) } else { result }
}

/// `ex2.approx` for f16 and bf16 (bf16 only with `.ftz`). The f32 result is rounded towards zero, as in hardware.
pub fn ex2_half<H: Half>(x: u16, ftz: bool) -> u16 {
    let operand = H::to_f64(if ftz { H::ftz(x) } else { x });
    if operand.is_nan() {
        return CANONICAL16;
    }
    let power = elementary::exp2(operand.clamp(-200.0, 200.0));
    // Rounding towards zero alone would never give an infinity.
    let result = if power >= H::OVERFLOW { H::INFINITY } else { H::from_f32(power as f32, Rounding::Zero) };
    if ftz { H::ftz(result) } else { result }
}

/// `tanh.approx` for f16 and bf16, rounded towards zero likewise.
pub fn tanh_half<H: Half>(x: u16) -> u16 {
    let operand = H::to_f64(x);
    if operand.is_nan() { CANONICAL16 } else { H::from_f32(elementary::tanh(operand) as f32, Rounding::Zero) }
}

/// Returns `x` with its low word cleared, subnormals flushed.
fn high_word(x: f64) -> f64 {
    let bits = x.to_bits() & 0xffff_ffff_0000_0000;
    f64::from_bits(if x.is_subnormal() { bits & (1 << 63) } else { bits })
}

/// Rounds `x` to the nearest number whose low word is zero, subnormals flushed.
fn rounded_high_word(x: f64) -> f64 {
    // A carry out of the fraction gives the next power of two; the zero fraction of an infinity does not carry.
    high_word(f64::from_bits(x.to_bits() + 0x8000_0000))
}

fn high_nan() -> f64 {
    f64::from_bits((CANONICAL32 as u64) << 32)
}
