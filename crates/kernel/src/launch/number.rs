//! Numbers of a launch file, and their bits in a PTX type.

use crate::ptx::types::Type;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;

/// A number of the launch file. TOML separates integers from floats, and so do the range checks of the types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LaunchNumber {
    /// A number without a point or exponent; wide enough for every 64-bit integer, signed or not.
    Int(i128),
    /// A number with a point or exponent.
    Float(f64),
}

impl LaunchNumber {
    pub(super) const EXPECTED: &str = "a number that fits 64 bits";

    pub(super) fn zero() -> LaunchNumber {
        LaunchNumber::Int(0)
    }

    pub(super) fn one() -> LaunchNumber {
        LaunchNumber::Int(1)
    }

    /// Returns the bits of this number in a type, or why the type cannot hold it. Floats are rounded to nearest, ties to even; a
    /// finite number never becomes infinite, and a float never becomes an integer.
    pub fn bits(self, ty: Type) -> Result<u64, String> {
        match self {
            _ if ty.is_float() => {
                let bits = float_bits(self, ty);
                let finite = !matches!(self, LaunchNumber::Float(v) if !v.is_finite());
                if finite && bits & exponent_mask(ty) == exponent_mask(ty) {
                    return Err(format!("{self} is too large for {ty}"));
                }
                Ok(bits)
            }
            LaunchNumber::Int(v) => {
                let (min, max) = integer_range(ty);
                if (min..=max).contains(&v) {
                    Ok(wrap(v, ty))
                } else {
                    Err(format!("{v} does not fit {ty}, which holds {min} to {max}"))
                }
            }
            LaunchNumber::Float(v) => Err(format!("{v:?} is a float, and {ty} holds whole numbers: write it without a point")),
        }
    }

    /// Converts to `f64`, for arithmetic on float buffers.
    pub(super) fn to_f64(self) -> f64 {
        match self {
            LaunchNumber::Int(v) => v as f64,
            LaunchNumber::Float(v) => v,
        }
    }

    /// Converts to an integer that fits the type, for arithmetic on integer buffers.
    pub(super) fn to_int(self, ty: Type) -> Result<i128, String> {
        match self {
            LaunchNumber::Int(v) => self.bits(ty).map(|_| v),
            LaunchNumber::Float(_) => self.bits(ty).map(i128::from), // an integer type refuses it, and says so
        }
    }
}

impl fmt::Display for LaunchNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchNumber::Int(v) => write!(f, "{v}"),
            LaunchNumber::Float(v) => write!(f, "{v:?}"),
        }
    }
}

impl<'de> Deserialize<'de> for LaunchNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LaunchNumber, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = LaunchNumber;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(LaunchNumber::EXPECTED)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<LaunchNumber, E> {
        Ok(LaunchNumber::Int(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<LaunchNumber, E> {
        Ok(LaunchNumber::Int(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<LaunchNumber, E> {
        Ok(LaunchNumber::Float(value))
    }
}

/// Returns the range of an integer type; untyped bits hold signed and unsigned values.
pub(super) fn integer_range(ty: Type) -> (i128, i128) {
    let bits = ty.bits().min(64);
    let signed_min = -(1i128 << (bits - 1));
    let unsigned_max = (1i128 << bits) - 1;
    match ty {
        Type::S8 | Type::S16 | Type::S32 | Type::S64 => (signed_min, -signed_min - 1),
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => (0, unsigned_max),
        _ => (signed_min, unsigned_max),
    }
}

/// Returns the low bits of an integer, as many as the type has.
pub(super) fn wrap(value: i128, ty: Type) -> u64 {
    let bits = ty.bits().min(64);
    (value & ((1i128 << bits) - 1)) as u64
}

/// Returns the bits of a number in a float type, rounded to nearest.
pub(super) fn float_bits(value: LaunchNumber, ty: Type) -> u64 {
    match (ty, value) {
        (Type::F64, v) => v.to_f64().to_bits(),
        // Directly from the integer, so that it is rounded once.
        (Type::F32, LaunchNumber::Int(v)) => u64::from((v as f32).to_bits()),
        (Type::F32, LaunchNumber::Float(v)) => u64::from((v as f32).to_bits()),
        (Type::Bf16, v) => small_float_bits(v.to_f64(), 8, 7),
        (_, v) => small_float_bits(v.to_f64(), 5, 10),
    }
}

fn exponent_mask(ty: Type) -> u64 {
    match ty {
        Type::F64 => 0x7ff << 52,
        Type::F32 => 0xff << 23,
        Type::Bf16 => 0xff << 7,
        _ => 0x1f << 10,
    }
}

/// Encodes a 16-bit float of `exponent_bits` and `fraction_bits`, rounded to nearest, ties to even.
fn small_float_bits(value: f64, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let sign = u64::from(value.is_sign_negative()) << (exponent_bits + fraction_bits);
    let infinity = ((1u64 << exponent_bits) - 1) << fraction_bits;
    if value.is_nan() {
        return sign | infinity | 1 << (fraction_bits - 1);
    }
    if value.is_infinite() {
        return sign | infinity;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let magnitude = value.abs();
    // The exponent of the value, but at least that of the smallest normal number: subnormal numbers share its step.
    let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023).max(1 - bias);
    // In units of the last place; exact, because it scales by a power of two.
    let units = (magnitude * 2f64.powi(fraction_bits as i32 - exponent)).round_ties_even() as u64;
    // Adding the fraction to the exponent's field lets a carry move on to the next exponent, and finally to infinity.
    let encoded = (((exponent + bias - 1) as u64) << fraction_bits) + units;
    sign | encoded.min(infinity)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(number: LaunchNumber, ty: Type, expected: Result<u64, &str>) {
        match (number.bits(ty), expected) {
            (Ok(bits), Ok(expected)) => assert_eq!(bits, expected, "{number} as {ty}"),
            (Err(message), Err(word)) => assert!(message.contains(word), "{number} as {ty}: {message}"),
            (found, expected) => panic!("{number} as {ty}: {found:?} where {expected:?} was expected"),
        }
    }

    #[test]
    fn integers_are_checked_against_their_type() {
        check(LaunchNumber::Int(255), Type::U8, Ok(255));
        check(LaunchNumber::Int(256), Type::U8, Err("0 to 255"));
        check(LaunchNumber::Int(-1), Type::U32, Err("does not fit u32"));
        check(LaunchNumber::Int(-1), Type::S32, Ok(0xffff_ffff));
        check(LaunchNumber::Int(-1), Type::B32, Ok(0xffff_ffff));
        check(LaunchNumber::Int(0xffff_ffff), Type::B32, Ok(0xffff_ffff));
        check(LaunchNumber::Int(0xffff_ffff), Type::S32, Err("does not fit s32"));
        check(LaunchNumber::Int(u64::MAX.into()), Type::U64, Ok(u64::MAX));
        check(LaunchNumber::Int(i64::MIN.into()), Type::S64, Ok(1 << 63));
        check(LaunchNumber::Float(1.0), Type::U32, Err("whole numbers"));
    }

    #[test]
    fn floats_take_whole_numbers_too_and_round_once() {
        check(LaunchNumber::Int(1), Type::F32, Ok(0x3f80_0000));
        check(LaunchNumber::Float(0.1), Type::F32, Ok(0x3dcc_cccd));
        check(LaunchNumber::Float(-2.0), Type::F64, Ok(0xc000_0000_0000_0000));
        check(LaunchNumber::Float(1e300), Type::F32, Err("too large"));
        check(LaunchNumber::Float(f64::NEG_INFINITY), Type::F32, Ok(0xff80_0000));
        // 2^24 + 1 lies halfway between two f32 and goes to the even one.
        check(LaunchNumber::Int(16_777_217), Type::F32, Ok(0x4b80_0000));
    }

    #[test]
    fn halves_round_to_the_nearest_even() {
        check(LaunchNumber::Float(1.0), Type::F16, Ok(0x3c00));
        check(LaunchNumber::Float(65504.0), Type::F16, Ok(0x7bff));
        check(LaunchNumber::Float(65519.9), Type::F16, Ok(0x7bff));
        check(LaunchNumber::Float(65520.0), Type::F16, Err("too large"));
        check(LaunchNumber::Float(2f64.powi(-24)), Type::F16, Ok(1)); // the smallest subnormal
        check(LaunchNumber::Float(2f64.powi(-25)), Type::F16, Ok(0)); // half of it: to even
        check(LaunchNumber::Float(2f64.powi(-14) - 2f64.powi(-26)), Type::F16, Ok(0x400)); // up into the normal numbers
        check(LaunchNumber::Float(1.0 + 2f64.powi(-11)), Type::F16, Ok(0x3c00));
        check(LaunchNumber::Float(1.0 + 3.0 * 2f64.powi(-11)), Type::F16, Ok(0x3c02));
        check(LaunchNumber::Float(f64::INFINITY), Type::F16, Ok(0x7c00));
        check(LaunchNumber::Float(-0.0), Type::F16, Ok(0x8000));
        check(LaunchNumber::Float(1.0), Type::Bf16, Ok(0x3f80));
        check(LaunchNumber::Float(1e-50), Type::Bf16, Ok(0));
        check(LaunchNumber::Float(-3.140625), Type::Bf16, Ok(0xc049));
    }
}
