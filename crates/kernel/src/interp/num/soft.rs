//! Floating-point arithmetic on integers: an exact value, then one rounding.
//!
//! A finite number is `±mant × 2^exp` with an integer `mant`. The arithmetic here computes such a value exactly, except that
//! all bits below bit 0 of `mant` may be collapsed into it ("sticky": an odd `mant` then stands for any value strictly between
//! its even neighbours). [`round`] rounds that value to any [`Format`] in any [`Rounding`]. Collapsing is harmless as long as
//! bit 0 lies at least two places below the last bit that the format keeps, which 62 significant bits ensure even for f64.

use crate::ptx::types::{Rounding, Type};
use std::cmp::Ordering;

/// A binary interchange format: the widths of its fraction and exponent in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub fraction: u32,
    pub exponent: u32,
}

impl Format {
    pub const F16: Format = Format { fraction: 10, exponent: 5 };
    pub const BF16: Format = Format { fraction: 7, exponent: 8 };
    pub const F32: Format = Format { fraction: 23, exponent: 8 };
    pub const F64: Format = Format { fraction: 52, exponent: 11 };

    /// Returns the format of a float type, or of the halves of a packed type.
    pub fn of(ty: Type) -> Format {
        match ty {
            Type::F16 | Type::F16x2 => Format::F16,
            Type::Bf16 | Type::Bf16x2 => Format::BF16,
            Type::F32 => Format::F32,
            _ => Format::F64,
        }
    }

    pub const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits of +infinity, which is also the mask of the exponent field.
    pub const fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    pub const fn sign(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }
}

/// A finite number, `±mant × 2^exp`.
#[derive(Clone, Copy, Debug)]
pub struct Finite {
    pub negative: bool,
    pub exp: i32,
    pub mant: u64,
}

impl Finite {
    /// Reads the bits of a finite number.
    pub fn unpack(format: Format, bits: u64) -> Finite {
        let field = ((bits & format.infinity()) >> format.fraction) as i32;
        let fraction = bits & ((1 << format.fraction) - 1);
        let hidden = if field == 0 { 0 } else { 1 << format.fraction };
        Finite {
            negative: bits & format.sign() != 0,
            exp: field.max(1) - format.bias() - format.fraction as i32,
            mant: fraction | hidden,
        }
    }

    /// Returns the same non-zero value with the top bit of `mant` set.
    fn normalised(self) -> Finite {
        let shift = self.mant.leading_zeros();
        Finite { exp: self.exp - shift as i32, mant: self.mant << shift, ..self }
    }
}

/// Rounds `x` to `format`. An overflow gives infinity or the largest finite number, depending on the rounding.
pub fn round(format: Format, x: Finite, r: Rounding) -> u64 {
    let sign = if x.negative { format.sign() } else { 0 };
    if x.mant == 0 {
        return sign;
    }
    let Finite { exp, mant, .. } = x.normalised();
    let exponent = exp + 63;
    let lowest = 1 - format.bias();
    if exponent > format.bias() {
        return sign | overflow(format, x.negative, r);
    }
    // Below the normal range the last kept bit has the same weight as in the smallest normal number, so more bits are dropped.
    let dropped = 63 - format.fraction + (lowest - exponent).max(0) as u32;
    let (kept, half, rest) = match dropped {
        1..=63 => (mant >> dropped, mant >> (dropped - 1) & 1 != 0, mant & ((1 << (dropped - 1)) - 1) != 0),
        64 => (0, true, mant << 1 != 0),
        _ => (0, false, true),
    };
    let up = match r {
        Rounding::Near => half && (rest || kept & 1 != 0),
        Rounding::Zero => false,
        Rounding::Down => x.negative && (half || rest),
        Rounding::Up => !x.negative && (half || rest),
    };
    // `kept` includes the hidden bit of a normal number, which adds one to the exponent field. `field` therefore counts from 0,
    // although the fields of normal numbers start at 1. A carry out of the fraction increments the exponent.
    let field = (exponent.max(lowest) - lowest) as u64;
    sign | ((field << format.fraction) + kept + up as u64)
}

fn overflow(format: Format, negative: bool, r: Rounding) -> u64 {
    let stays = match r {
        Rounding::Near => false,
        Rounding::Zero => true,
        Rounding::Down => !negative,
        Rounding::Up => negative,
    };
    format.infinity() - stays as u64
}

/// `a × b` of finite numbers, rounded.
pub fn mul(format: Format, a: u64, b: u64, r: Rounding) -> u64 {
    let (negative, exp, mant) = product(Finite::unpack(format, a), Finite::unpack(format, b));
    round(format, shrink(negative, exp, mant), r)
}

/// `a × b + c` of finite numbers, rounded once.
pub fn fma(format: Format, a: u64, b: u64, c: u64, r: Rounding) -> u64 {
    let (negative, exp, mant) = product(Finite::unpack(format, a), Finite::unpack(format, b));
    let addend = Finite::unpack(format, c);
    if addend.mant == 0 && mant == 0 {
        let negative = if negative == addend.negative { negative } else { r == Rounding::Down };
        return if negative { format.sign() } else { 0 };
    }
    let sum = sum((negative, exp, mant), (addend.negative, addend.exp, addend.mant as u128), r);
    round(format, sum, r)
}

/// `a + b` of finite numbers, rounded.
pub fn add(format: Format, a: u64, b: u64, r: Rounding) -> u64 {
    let one = (format.bias() as u64) << format.fraction;
    fma(format, a, one, b, r)
}

/// `a / b` of finite numbers with `b` not zero, rounded.
pub fn div(format: Format, a: u64, b: u64, r: Rounding) -> u64 {
    let (a, b) = (Finite::unpack(format, a), Finite::unpack(format, b));
    let negative = a.negative != b.negative;
    if a.mant == 0 || b.mant == 0 {
        return round(format, Finite { negative, exp: 0, mant: 0 }, r);
    }
    let (a, b) = (a.normalised(), b.normalised());
    let dividend = (a.mant as u128) << 63;
    let (quotient, remainder) = (dividend / b.mant as u128, dividend % b.mant as u128);
    let mant = quotient as u64 | (remainder != 0) as u64;
    round(format, Finite { negative, exp: a.exp - b.exp - 63, mant }, r)
}

/// The square root of a finite number that is not below zero, rounded; a zero keeps its sign.
pub fn sqrt(format: Format, a: u64, r: Rounding) -> u64 {
    let a = Finite::unpack(format, a);
    if a.mant == 0 {
        return round(format, a, r);
    }
    let a = a.normalised();
    // The shift makes the exponent even, so that it halves exactly; 63 or 64 more bits give a root of 64 bits.
    let shift = if a.exp % 2 == 0 { 64 } else { 63 };
    let radicand = (a.mant as u128) << shift;
    let root = radicand.isqrt();
    let mant = root as u64 | (root * root != radicand) as u64;
    round(format, Finite { negative: false, exp: (a.exp - shift) / 2, mant }, r)
}

fn product(a: Finite, b: Finite) -> (bool, i32, u128) {
    (a.negative != b.negative, a.exp + b.exp, a.mant as u128 * b.mant as u128)
}

/// The sum of two values that are not both zero; bit 0 may be sticky.
fn sum(a: (bool, i32, u128), b: (bool, i32, u128), r: Rounding) -> Finite {
    // Both are shifted so that their top bit is bit 126, which leaves bit 127 for a carry. Exact operands have at most 106
    // significant bits, so an alignment that loses bits shifts by more than 20 places; cancellation then costs at most one
    // leading bit.
    let lift = |(negative, exp, mant): (bool, i32, u128)| {
        let shift = mant.leading_zeros().saturating_sub(1);
        (negative, exp - shift as i32, mant << shift)
    };
    if a.2 == 0 || b.2 == 0 {
        let (negative, exp, mant) = if a.2 == 0 { b } else { a };
        return shrink(negative, exp, mant);
    }
    let (a, b) = (lift(a), lift(b));
    let (large, small) = if (a.1, a.2) >= (b.1, b.2) { (a, b) } else { (b, a) };
    let distance = (large.1 - small.1) as u32;
    let aligned = match distance {
        0 => small.2,
        1..=127 => small.2 >> distance | (small.2 << (128 - distance) != 0) as u128,
        _ => 1,
    };
    if large.0 == small.0 {
        return shrink(large.0, large.1, large.2 + aligned);
    }
    match large.2.cmp(&aligned) {
        Ordering::Equal => Finite { negative: r == Rounding::Down, exp: 0, mant: 0 },
        _ => shrink(large.0, large.1, large.2 - aligned),
    }
}

/// Keeps the top 64 significant bits of `mant` and collapses the others into bit 0.
fn shrink(negative: bool, exp: i32, mant: u128) -> Finite {
    let excess = 64u32.saturating_sub(mant.leading_zeros());
    let sticky = mant & ((1u128 << excess) - 1) != 0;
    Finite { negative, exp: exp + excess as i32, mant: (mant >> excess) as u64 | sticky as u64 }
}
