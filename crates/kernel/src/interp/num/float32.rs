//! f32 arithmetic in all four rounding modes.
//!
//! Rounding to nearest uses the host's operation and makes NaNs canonical, without branches, so that a loop over lanes
//! vectorises. Each operation has a form that takes the rounding and a `_near` form that rounds to nearest.

use super::nan::{CANONICAL32, canon32};
use super::soft::{self, Format};
use crate::ptx::types::Rounding;

#[inline(always)]
pub fn add32_near(a: f32, b: f32) -> f32 {
    canon32(a + b)
}

#[inline(always)]
pub fn sub32_near(a: f32, b: f32) -> f32 {
    canon32(a - b)
}

#[inline(always)]
pub fn mul32_near(a: f32, b: f32) -> f32 {
    canon32(a * b)
}

#[inline(always)]
pub fn div32_near(a: f32, b: f32) -> f32 {
    canon32(a / b)
}

#[inline(always)]
pub fn sqrt32_near(a: f32) -> f32 {
    // Not `canon32(a.sqrt())`: LLVM simplifies that to the root alone and keeps the host's NaN. It cannot simplify the root of
    // the magnitude.
    let root = a.abs().sqrt().copysign(a);
    if a >= 0.0 { root } else { f32::from_bits(CANONICAL32) }
}

/// `a × b + c`, rounded once.
#[inline(always)]
pub fn fma32_near(a: f32, b: f32, c: f32) -> f32 {
    // `mul_add` is one instruction where the target has FMA. Elsewhere it is a library call, much slower than the f64 path.
    if cfg!(target_feature = "fma") { canon32(a.mul_add(b, c)) } else { canon32(fma_odd(a as f64, b as f64, c as f64) as f32) }
}

/// Computes `a × b + c` rounded to odd in f64, for operands whose product is exact there: those of f32, f16 and bf16.
///
/// Rounding to odd replaces an inexact result by the neighbour whose last bit is set. A second rounding to a narrower format
/// then gives the same result as a single rounding of the exact value.
#[inline(always)]
pub(super) fn fma_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    // Knuth's two-sum: `error` is the exact rounding error of the addition. Infinities make it a NaN, which compares as no
    // error.
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    let inexact = (error < 0.0) | (error > 0.0);
    // If error and sum differ in sign, the exact value lies between the sum and its neighbour nearer to zero.
    let inward = (sum.to_bits() ^ error.to_bits()) >> 63;
    let odd = sum.to_bits().wrapping_sub(inward) | 1;
    f64::from_bits(if inexact { odd } else { sum.to_bits() })
}

#[inline(always)]
pub fn add32(a: f32, b: f32, r: Rounding) -> f32 {
    if r == Rounding::Near { add32_near(a, b) } else { directed::add(a, b, r) }
}

#[inline(always)]
pub fn sub32(a: f32, b: f32, r: Rounding) -> f32 {
    if r == Rounding::Near { sub32_near(a, b) } else { directed::add(a, -b, r) }
}

#[inline(always)]
pub fn mul32(a: f32, b: f32, r: Rounding) -> f32 {
    if r == Rounding::Near { mul32_near(a, b) } else { directed::mul(a, b, r) }
}

#[inline(always)]
pub fn div32(a: f32, b: f32, r: Rounding) -> f32 {
    if r == Rounding::Near { div32_near(a, b) } else { directed::div(a, b, r) }
}

#[inline(always)]
pub fn fma32(a: f32, b: f32, c: f32, r: Rounding) -> f32 {
    if r == Rounding::Near { fma32_near(a, b, c) } else { directed::fma(a, b, c, r) }
}

#[inline(always)]
pub fn sqrt32(a: f32, r: Rounding) -> f32 {
    if r == Rounding::Near { sqrt32_near(a) } else { directed::sqrt(a, r) }
}

#[inline(always)]
pub fn rcp32(a: f32, r: Rounding) -> f32 {
    div32(1.0, a, r)
}

/// Flushes a subnormal to a zero of its sign.
#[inline(always)]
pub fn ftz32(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// Clamps to [0, 1]; a NaN becomes +0.
#[inline(always)]
pub fn sat32(x: f32) -> f32 {
    let low = if x > 0.0 { x } else { 0.0 };
    if low < 1.0 { low } else { 1.0 }
}

/// Returns `ordered`, or the other operand if one is a NaN.
#[inline(always)]
fn number32(a: f32, b: f32, ordered: f32) -> f32 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        ordered
    }
}

/// Returns the smaller operand; a number wins over a NaN, and -0 is below +0.
#[inline(always)]
pub fn min32(a: f32, b: f32) -> f32 {
    // Equal operands have equal bits, or are zeros of which the negative one wins.
    let tie = f32::from_bits(a.to_bits() | b.to_bits());
    let ordered = if a < b {
        a
    } else if b < a {
        b
    } else {
        tie
    };
    canon32(number32(a, b, ordered))
}

/// Returns the larger operand; a number wins over a NaN, and -0 is below +0.
#[inline(always)]
pub fn max32(a: f32, b: f32) -> f32 {
    let tie = f32::from_bits(a.to_bits() & b.to_bits());
    let ordered = if a > b {
        a
    } else if b > a {
        b
    } else {
        tie
    };
    canon32(number32(a, b, ordered))
}

/// `min.NaN`: a NaN wins.
#[inline(always)]
pub fn min32_nan(a: f32, b: f32) -> f32 {
    canon32(if a.is_nan() | b.is_nan() { f32::NAN } else { min32(a, b) })
}

/// `max.NaN`: a NaN wins.
#[inline(always)]
pub fn max32_nan(a: f32, b: f32) -> f32 {
    canon32(if a.is_nan() | b.is_nan() { f32::NAN } else { max32(a, b) })
}

/// Returns the magnitude; a NaN becomes the canonical NaN.
#[inline(always)]
pub fn abs32(a: f32) -> f32 {
    canon32(a.abs())
}

/// Returns the negation; a NaN becomes the canonical NaN.
#[inline(always)]
pub fn neg32(a: f32) -> f32 {
    canon32(-a)
}

/// The directed roundings, which hosts do not offer. If an operand is not finite or a divisor is zero, the result needs no
/// rounding and comes from the host's operation.
mod directed {
    use super::*;

    fn bits(x: f32) -> u64 {
        x.to_bits() as u64
    }

    fn float(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }

    #[inline(never)]
    pub fn add(a: f32, b: f32, r: Rounding) -> f32 {
        if !(a.is_finite() && b.is_finite()) {
            return add32_near(a, b);
        }
        float(soft::add(Format::F32, bits(a), bits(b), r))
    }

    #[inline(never)]
    pub fn mul(a: f32, b: f32, r: Rounding) -> f32 {
        if !(a.is_finite() && b.is_finite()) {
            return mul32_near(a, b);
        }
        float(soft::mul(Format::F32, bits(a), bits(b), r))
    }

    #[inline(never)]
    pub fn div(a: f32, b: f32, r: Rounding) -> f32 {
        if !(a.is_finite() && b.is_finite()) || b == 0.0 {
            return div32_near(a, b);
        }
        float(soft::div(Format::F32, bits(a), bits(b), r))
    }

    #[inline(never)]
    pub fn fma(a: f32, b: f32, c: f32, r: Rounding) -> f32 {
        if !(a.is_finite() && b.is_finite() && c.is_finite()) {
            return fma32_near(a, b, c);
        }
        float(soft::fma(Format::F32, bits(a), bits(b), bits(c), r))
    }

    #[inline(never)]
    pub fn sqrt(a: f32, r: Rounding) -> f32 {
        if !a.is_finite() || a < 0.0 {
            return sqrt32_near(a);
        }
        float(soft::sqrt(Format::F32, bits(a), r))
    }
}
