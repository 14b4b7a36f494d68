//! Which NaN a result is.
//!
//! IEEE 754 leaves the bits of a NaN to the implementation, and hosts differ, so every operation asks here. The narrow
//! formats have one NaN each. For f64 the rules are those of NVIDIA's double unit: a NaN operand comes out as it is, quieted,
//! and an invalid operation gives a constant.

use crate::ptx::types::Type;

/// The one NaN of f32 results.
pub const CANONICAL32: u32 = 0x7fff_ffff;
/// The one NaN of f16 and of bf16 results.
pub const CANONICAL16: u16 = 0x7fff;
/// What an invalid f64 operation gives when no operand is a NaN.
pub const INVALID64: u64 = 0xfff8_0000_0000_0000;

const QUIET64: u64 = 0x0008_0000_0000_0000;

/// `x`, with any NaN replaced by the canonical one.
#[inline(always)]
pub fn canon32(x: f32) -> f32 {
    if x.is_nan() { f32::from_bits(CANONICAL32) } else { x }
}

/// The NaN an f64 operation on these operands gives; operations with fewer operands pass zeros for the rest.
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

/// What a NaN becomes when converted to the integer type `dst`.
pub fn nan_to_integer(dst: Type, src: Type) -> u64 {
    if src == Type::F64 || dst.bits() == 64 { 1 << (dst.bits().min(64) - 1) } else { 0 }
}

/// What a NaN of type `src` becomes when converted to f64; an f64 keeps its own.
pub fn nan_to_f64(src: Type, bits: u64) -> u64 {
    match src {
        Type::F64 => bits | QUIET64,
        // Sign and payload move to the top of the wider fraction.
        _ => (bits & 0x8000_0000) << 32 | 0x7ff0_0000_0000_0000 | QUIET64 | (bits & 0x7f_ffff) << 29,
    }
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
    fn a_single_nan_widens_with_sign_and_payload() {
        assert_eq!(nan_to_f64(Type::F32, 0x7fff_ffff), 0x7fff_ffff_e000_0000);
        assert_eq!(nan_to_f64(Type::F32, 0xff80_0001), 0xfff8_0000_2000_0000);
    }
}
