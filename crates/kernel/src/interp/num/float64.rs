//! f64 arithmetic in all four rounding modes; like [`float32`](super::float32), with f64's own rules for NaNs.

use super::nan::nan64;
use super::soft::{self, Format};
use crate::ptx::types::Rounding;

/// Returns `result` or, if it is a NaN, the NaN that [`nan64`] chooses from the operands.
#[inline(always)]
fn settle(result: f64, first: f64, second: f64, third: f64) -> f64 {
    if result.is_nan() { nan64(first, second, third) } else { result }
}

#[inline(always)]
pub fn add64_near(a: f64, b: f64) -> f64 {
    settle(a + b, b, a, 0.0)
}

#[inline(always)]
pub fn sub64_near(a: f64, b: f64) -> f64 {
    settle(a - b, b, a, 0.0)
}

#[inline(always)]
pub fn mul64_near(a: f64, b: f64) -> f64 {
    settle(a * b, b, a, 0.0)
}

#[inline(always)]
pub fn div64_near(a: f64, b: f64) -> f64 {
    settle(a / b, a, b, 0.0)
}

#[inline(always)]
pub fn sqrt64_near(a: f64) -> f64 {
    // The root of the magnitude, for the reason given at `sqrt32_near`.
    let root = a.abs().sqrt().copysign(a);
    if a >= 0.0 { root } else { nan64(a, 0.0, 0.0) }
}

/// `a × b + c`, rounded once.
#[inline(always)]
pub fn fma64_near(a: f64, b: f64, c: f64) -> f64 {
    settle(a.mul_add(b, c), b, c, a)
}

#[inline(always)]
pub fn add64(a: f64, b: f64, r: Rounding) -> f64 {
    if r == Rounding::Near { add64_near(a, b) } else { directed::add(a, b, r) }
}

#[inline(always)]
pub fn sub64(a: f64, b: f64, r: Rounding) -> f64 {
    if r == Rounding::Near { sub64_near(a, b) } else { directed::sub(a, b, r) }
}

#[inline(always)]
pub fn mul64(a: f64, b: f64, r: Rounding) -> f64 {
    if r == Rounding::Near { mul64_near(a, b) } else { directed::mul(a, b, r) }
}

#[inline(always)]
pub fn div64(a: f64, b: f64, r: Rounding) -> f64 {
    if r == Rounding::Near { div64_near(a, b) } else { directed::div(a, b, r) }
}

#[inline(always)]
pub fn fma64(a: f64, b: f64, c: f64, r: Rounding) -> f64 {
    if r == Rounding::Near { fma64_near(a, b, c) } else { directed::fma(a, b, c, r) }
}

#[inline(always)]
pub fn sqrt64(a: f64, r: Rounding) -> f64 {
    if r == Rounding::Near { sqrt64_near(a) } else { directed::sqrt(a, r) }
}

#[inline(always)]
pub fn rcp64(a: f64, r: Rounding) -> f64 {
    div64(1.0, a, r)
}

/// Returns `ordered`, or the other operand if one is a NaN.
#[inline(always)]
fn number64(a: f64, b: f64, ordered: f64) -> f64 {
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
pub fn min64(a: f64, b: f64) -> f64 {
    // Equal operands have equal bits, or are zeros of which the negative one wins.
    let tie = f64::from_bits(a.to_bits() | b.to_bits());
    let ordered = if a < b {
        a
    } else if b < a {
        b
    } else {
        tie
    };
    settle(number64(a, b, ordered), b, a, 0.0)
}

/// Returns the larger operand; a number wins over a NaN, and -0 is below +0.
#[inline(always)]
pub fn max64(a: f64, b: f64) -> f64 {
    let tie = f64::from_bits(a.to_bits() & b.to_bits());
    let ordered = if a > b {
        a
    } else if b > a {
        b
    } else {
        tie
    };
    settle(number64(a, b, ordered), b, a, 0.0)
}

/// Returns the magnitude; a NaN is quieted and keeps its sign.
#[inline(always)]
pub fn abs64(a: f64) -> f64 {
    settle(a.abs(), a, 0.0, 0.0)
}

/// Returns the negation; a NaN is quieted and keeps its sign.
#[inline(always)]
pub fn neg64(a: f64) -> f64 {
    settle(-a, a, 0.0, 0.0)
}

/// The directed roundings, which hosts do not offer. If an operand is not finite or a divisor is zero, the result needs no
/// rounding and comes from the host's operation.
mod directed {
    use super::*;

    #[inline(never)]
    pub fn add(a: f64, b: f64, r: Rounding) -> f64 {
        if !(a.is_finite() && b.is_finite()) {
            return add64_near(a, b);
        }
        f64::from_bits(soft::add(Format::F64, a.to_bits(), b.to_bits(), r))
    }

    #[inline(never)]
    pub fn sub(a: f64, b: f64, r: Rounding) -> f64 {
        if !(a.is_finite() && b.is_finite()) {
            return sub64_near(a, b);
        }
        f64::from_bits(soft::add(Format::F64, a.to_bits(), (-b).to_bits(), r))
    }

    #[inline(never)]
    pub fn mul(a: f64, b: f64, r: Rounding) -> f64 {
        if !(a.is_finite() && b.is_finite()) {
            return mul64_near(a, b);
        }
        f64::from_bits(soft::mul(Format::F64, a.to_bits(), b.to_bits(), r))
    }

    #[inline(never)]
    pub fn div(a: f64, b: f64, r: Rounding) -> f64 {
        if !(a.is_finite() && b.is_finite()) || b == 0.0 {
            return div64_near(a, b);
        }
        f64::from_bits(soft::div(Format::F64, a.to_bits(), b.to_bits(), r))
    }

    #[inline(never)]
    pub fn fma(a: f64, b: f64, c: f64, r: Rounding) -> f64 {
        if !(a.is_finite() && b.is_finite() && c.is_finite()) {
            return fma64_near(a, b, c);
        }
        f64::from_bits(soft::fma(Format::F64, a.to_bits(), b.to_bits(), c.to_bits(), r))
    }

    #[inline(never)]
    pub fn sqrt(a: f64, r: Rounding) -> f64 {
        if !a.is_finite() || a < 0.0 {
            return sqrt64_near(a);
        }
        f64::from_bits(soft::sqrt(Format::F64, a.to_bits(), r))
    }
}
