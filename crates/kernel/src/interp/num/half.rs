//! The two 16-bit formats, f16 and bf16, held as bits in a `u16`.
//!
//! Each arithmetic result is rounded once, to nearest. It is computed in f64, where the product of two such numbers is exact
//! and a sum is exact or rounded to odd, so the rounding to 16 bits is correct (see `fma_odd`). Addition is computed as
//! `a × 1 + b` and multiplication as `a × b + -0`, which are equivalent under IEEE 754.

use super::float32::fma_odd;
use super::flush::is_tiny;
use super::nan::CANONICAL16;
use super::soft::{self, Finite, Format};
use crate::ptx::types::Rounding;
use std::cmp::Ordering;

/// The optional modifiers of a 16-bit operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HalfModes {
    /// `.ftz`: subnormal operands and results become zeros of their sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to [0, 1], a NaN becomes +0.
    pub sat: bool,
    /// `.relu`: a negative result becomes +0; a NaN stays a NaN.
    pub relu: bool,
}

/// IEEE half precision: 5 bits of exponent, 10 of fraction.
pub struct F16;

/// The upper half of an f32: 8 bits of exponent, 7 of fraction.
pub struct Bf16;

/// Operations of both formats. A format is a type, so that a loop over lanes is compiled for each.
pub trait Half {
    /// The layout of the format.
    #[doc(hidden)]
    const FORMAT: Format;
    /// Bits of +infinity, which is also the mask of the exponent.
    const INFINITY: u16;
    /// Bits of 1.0.
    const ONE: u16;
    /// The power of two that would follow the largest number.
    const OVERFLOW: f64;

    /// Converts exactly; the bits of a NaN result are not fixed.
    fn to_f32(bits: u16) -> f32;

    /// Rounds `x` once; a NaN becomes the canonical NaN.
    fn from_f64(x: f64, r: Rounding) -> u16;

    /// Converts exactly; the bits of a NaN result are not fixed.
    #[inline]
    fn to_f64(bits: u16) -> f64 {
        Self::to_f32(bits) as f64
    }

    /// Rounds `x` once; a NaN becomes the canonical NaN.
    #[inline]
    fn from_f32(x: f32, r: Rounding) -> u16 {
        Self::from_f64(x as f64, r)
    }

    /// Flushes a subnormal to a zero of its sign.
    #[inline]
    fn ftz(bits: u16) -> u16 {
        if bits & Self::INFINITY == 0 { bits & 0x8000 } else { bits }
    }

    /// Whether the bits are those of a NaN, quiet or signalling.
    #[inline]
    fn is_nan(bits: u16) -> bool {
        bits & 0x7fff > Self::INFINITY
    }

    /// Clamps to [0, 1]; a NaN becomes +0.
    #[inline]
    fn sat(bits: u16) -> u16 {
        if Self::is_nan(bits) || bits & 0x8000 != 0 { 0 } else { bits.min(Self::ONE) }
    }

    /// Replaces a negative number by +0 and a NaN by the canonical NaN.
    #[inline]
    fn relu(bits: u16) -> u16 {
        if Self::is_nan(bits) {
            CANONICAL16
        } else if bits & 0x8000 != 0 {
            0
        } else {
            bits
        }
    }

    /// Returns a × b + c, rounded once to nearest, then modified.
    #[inline]
    fn fma(a: u16, b: u16, c: u16, modes: HalfModes) -> u16 {
        let operand = |x: u16| Self::to_f64(if modes.ftz { Self::ftz(x) } else { x });
        let exact = fma_odd(operand(a), operand(b), operand(c));
        let mut result = Self::from_f64(exact, Rounding::Near);
        if modes.ftz && is_tiny(Self::FORMAT, exact, Rounding::Near) {
            result &= 0x8000;
        }
        if modes.sat {
            result = Self::sat(result);
        }
        if modes.relu {
            result = Self::relu(result);
        }
        result
    }

    /// Returns a + b, rounded to nearest, then modified.
    #[inline]
    fn add(a: u16, b: u16, modes: HalfModes) -> u16 {
        Self::fma(a, Self::ONE, b, modes)
    }

    /// Returns a − b, rounded to nearest, then modified.
    #[inline]
    fn sub(a: u16, b: u16, modes: HalfModes) -> u16 {
        Self::fma(a, Self::ONE, b ^ 0x8000, modes)
    }

    /// Returns a × b, rounded to nearest, then modified.
    #[inline]
    fn mul(a: u16, b: u16, modes: HalfModes) -> u16 {
        Self::fma(a, b, 0x8000, modes)
    }

    /// Returns the negation; a NaN becomes the canonical NaN.
    #[inline]
    fn neg(a: u16) -> u16 {
        if Self::is_nan(a) { CANONICAL16 } else { a ^ 0x8000 }
    }

    /// Returns the magnitude; a NaN becomes the canonical NaN.
    #[inline]
    fn abs(a: u16) -> u16 {
        if Self::is_nan(a) { CANONICAL16 } else { a & 0x7fff }
    }

    /// Orders two numbers; `None` if one is a NaN. The two zeros are equal.
    #[inline]
    fn compare(a: u16, b: u16) -> Option<Ordering> {
        Self::to_f32(a).partial_cmp(&Self::to_f32(b))
    }

    /// Returns the smaller operand; a number wins over a NaN, and -0 is below +0.
    #[inline]
    fn min(a: u16, b: u16) -> u16 {
        match (Self::is_nan(a), Self::is_nan(b)) {
            (true, true) => CANONICAL16,
            (true, false) => b,
            (false, true) => a,
            (false, false) if rank(a) < rank(b) => a,
            (false, false) => b,
        }
    }

    /// Returns the larger operand; a number wins over a NaN, and -0 is below +0.
    #[inline]
    fn max(a: u16, b: u16) -> u16 {
        match (Self::is_nan(a), Self::is_nan(b)) {
            (true, true) => CANONICAL16,
            (true, false) => b,
            (false, true) => a,
            (false, false) if rank(a) > rank(b) => a,
            (false, false) => b,
        }
    }

    /// `min.NaN`: a NaN wins.
    #[inline]
    fn min_nan(a: u16, b: u16) -> u16 {
        if Self::is_nan(a) || Self::is_nan(b) { CANONICAL16 } else { Self::min(a, b) }
    }

    /// `max.NaN`: a NaN wins.
    #[inline]
    fn max_nan(a: u16, b: u16) -> u16 {
        if Self::is_nan(a) || Self::is_nan(b) { CANONICAL16 } else { Self::max(a, b) }
    }
}

impl Half for F16 {
    const FORMAT: Format = Format::F16;
    const INFINITY: u16 = 0x7c00;
    const ONE: u16 = 0x3c00;
    const OVERFLOW: f64 = 65_536.0;

    #[inline]
    fn to_f32(bits: u16) -> f32 {
        // The fields, moved to their places in an f32, give a number that is 2^112 too small, normal or subnormal.
        let magnitude = ((bits & 0x7fff) as u32) << 13;
        let scaled = f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23);
        let special = magnitude | 0x7f80_0000;
        let value = if bits & Self::INFINITY == Self::INFINITY { special } else { scaled.to_bits() };
        f32::from_bits(value | ((bits & 0x8000) as u32) << 16)
    }

    #[inline]
    fn from_f64(x: f64, r: Rounding) -> u16 {
        narrow(Format::F16, x, r)
    }
}

impl Half for Bf16 {
    const FORMAT: Format = Format::BF16;
    const INFINITY: u16 = 0x7f80;
    const ONE: u16 = 0x3f80;
    const OVERFLOW: f64 = 2.0 * (1u128 << 127) as f64;

    #[inline]
    fn to_f32(bits: u16) -> f32 {
        f32::from_bits((bits as u32) << 16)
    }

    #[inline]
    fn from_f64(x: f64, r: Rounding) -> u16 {
        narrow(Format::BF16, x, r)
    }
}

/// Maps the bits of a number (not a NaN) to an integer of the same order, with -0 just below +0.
#[inline]
fn rank(bits: u16) -> i16 {
    let bits = bits as i16;
    if bits < 0 { bits ^ 0x7fff } else { bits }
}

fn narrow(format: Format, x: f64, r: Rounding) -> u16 {
    if x.is_nan() {
        return CANONICAL16;
    }
    if x.is_infinite() {
        let sign = if x < 0.0 { format.sign() } else { 0 };
        return (sign | format.infinity()) as u16;
    }
    soft::round(format, Finite::unpack(Format::F64, x.to_bits()), r) as u16
}
