//! The bits of NaN results.
//!
//! IEEE 754 leaves the bits of a NaN to the implementation, and hosts differ, so every operation takes them from here. The bits
//! are those of an NVIDIA H200 (`tests/forms`). f32 and the 16-bit formats have one NaN each. f64 operations, and conversions
//! that pass through the double unit, return a NaN operand quieted; an invalid operation gives a constant.

use super::soft::Format;
use crate::ptx::types::Type;

/// The one NaN of f32 results.
pub const CANONICAL32: u32 = 0x7fff_ffff;
/// The one NaN of f16 and of bf16 results.
pub const CANONICAL16: u16 = 0x7fff;
/// The result of an invalid f64 operation without a NaN operand.
pub const INVALID64: u64 = 0xfff8_0000_0000_0000;

const QUIET64: u64 = 0x0008_0000_0000_0000;

/// Replaces a NaN by the canonical NaN.
#[inline(always)]
pub fn canon32(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(CANONICAL32) } else { x }
}

/// Returns the NaN of an f64 operation: the first of these operands that is a NaN, quieted, or [`INVALID64`]. Callers pass the
/// operands in their operation's order of precedence, and zeros for those it does not have.
#[inline]
pub fn nan64(a: f64, b: f64, c: f64) -> f64 {
    let payload = if a.is_nan() {
        a.to_bits() | QUIET64
    } else if b.is_nan() {
        b.to_bits() | QUIET64
    } else if c.is_nan() {
        c.to_bits() | QUIET64
    } else {
        INVALID64
    };
    f64::from_bits(payload)
}

/// Returns the integer of type `dst` that a NaN is converted to.
pub fn nan_to_integer(dst: Type, src: Type) -> u64 {
    if src == Type::F64 || dst.bits() == 64 { 1 << (dst.bits().min(64) - 1) } else { 0 }
}

/// Converts a NaN of the float type `src` to the float type `dst`.
pub fn nan_to_float(dst: Type, src: Type, bits: u64) -> u64 {
    let (from, to) = (Format::of(src), Format::of(dst));
    if (src, dst) == (Type::Bf16, Type::F32) {
        // A bf16 is the upper half of an f32, so its bits are moved unchanged.
        return (bits & 0xffff) << 16;
    }
    if src != Type::F64 && dst != Type::F64 {
        return to.sign() - 1;
    }
    // The payload is aligned to the top of the fraction: a wider fraction gets zeros below, a narrower one drops the low bits.
    let payload = (bits << (64 - from.fraction)) >> (64 - to.fraction);
    let sign = if bits & from.sign() != 0 { to.sign() } else { 0 };
    sign | to.infinity() | 1 << (to.fraction - 1) | payload
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_f64_nan_operand_is_quieted_and_the_first_one_wins() {
        let signalling = f64::from_bits(0x7ff0_0000_0000_0001);
        let other = f64::from_bits(0xfff8_0000_0000_0002);
        assert_eq!(nan64(1.0, signalling, 0.0).to_bits(), 0x7ff8_0000_0000_0001);
        assert_eq!(nan64(other, signalling, 0.0).to_bits(), 0xfff8_0000_0000_0002);
        assert_eq!(nan64(1.0, 2.0, other).to_bits(), 0xfff8_0000_0000_0002);
        assert_eq!(nan64(f64::INFINITY, f64::NEG_INFINITY, 0.0).to_bits(), INVALID64);
    }

    #[test]
    fn a_nan_as_integer_depends_on_both_widths() {
        assert_eq!(nan_to_integer(Type::S32, Type::F32), 0);
        assert_eq!(nan_to_integer(Type::S64, Type::F32), 1 << 63);
        assert_eq!(nan_to_integer(Type::U64, Type::F16), 1 << 63);
        assert_eq!(nan_to_integer(Type::S32, Type::F64), 0x8000_0000);
        assert_eq!(nan_to_integer(Type::U16, Type::F64), 0x8000);
    }

    #[test]
    fn a_nan_passes_the_double_unit_with_sign_and_payload() {
        assert_eq!(nan_to_float(Type::F64, Type::F32, 0xff80_0001), 0xfff8_0000_2000_0000);
        assert_eq!(nan_to_float(Type::F64, Type::F16, 0xfe35), 0xfff8_d400_0000_0000);
        assert_eq!(nan_to_float(Type::F32, Type::F64, 0xfff8_0000_0000_0035), 0xffc0_0000);
        assert_eq!(nan_to_float(Type::F16, Type::F64, 0xfff7_ffff_ffff_fffd), 0xffff);
        assert_eq!(nan_to_float(Type::F64, Type::F64, 0x7ff0_0000_0000_0001), 0x7ff8_0000_0000_0001);
    }

    #[test]
    fn a_nan_between_the_others_is_canonical_or_moved() {
        assert_eq!(nan_to_float(Type::F32, Type::F16, 0xfe35), CANONICAL32 as u64);
        assert_eq!(nan_to_float(Type::Bf16, Type::F32, 0xffc0_0000), CANONICAL16 as u64);
        assert_eq!(nan_to_float(Type::F32, Type::Bf16, 0xff81), 0xff81_0000);
    }
}
