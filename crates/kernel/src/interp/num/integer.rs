//! Integer arithmetic where PTX differs from Rust.
//!
//! Shifts clamp their amount instead of masking it, division by zero has a result, and some operations have no operator in
//! Rust. Plain sums and products use Rust's `wrapping_*`, saturating ones `saturating_*`.

/// `shl` and the unsigned `shr`: an amount of the width or more shifts everything out.
macro_rules! shifts {
    ($($t:ty, $s:ty: $shl:ident $shr_u:ident $shr_s:ident;)*) => {$(
        #[inline(always)]
        pub fn $shl(a: $t, amount: u32) -> $t {
            if amount < <$t>::BITS { a << amount } else { 0 }
        }

        #[inline(always)]
        pub fn $shr_u(a: $t, amount: u32) -> $t {
            if amount < <$t>::BITS { a >> amount } else { 0 }
        }

        /// Fills with the sign bit, also when everything is shifted out.
        #[inline(always)]
        pub fn $shr_s(a: $s, amount: u32) -> $s {
            a >> amount.min(<$t>::BITS - 1)
        }
    )*};
}

shifts! {
    u16, i16: shl16 shr_u16 shr_s16;
    u32, i32: shl32 shr_u32 shr_s32;
    u64, i64: shl64 shr_u64 shr_s64;
}

/// Division and remainder: a zero divisor gives all ones, and the signed overflow (minimum divided by -1) wraps.
macro_rules! divisions {
    ($($t:ty: $div:ident $rem:ident;)*) => {$(
        #[inline(always)]
        pub fn $div(a: $t, b: $t) -> $t {
            if b == 0 { !0 } else { a.wrapping_div(b) }
        }

        #[inline(always)]
        pub fn $rem(a: $t, b: $t) -> $t {
            if b == 0 { !0 } else { a.wrapping_rem(b) }
        }
    )*};
}

divisions! {
    u16: div_u16 rem_u16;
    u32: div_u32 rem_u32;
    u64: div_u64 rem_u64;
    i16: div_s16 rem_s16;
    i32: div_s32 rem_s32;
    i64: div_s64 rem_s64;
}

/// The upper half of the full product, and `sad`: `c + |a - b|`.
macro_rules! products {
    ($($t:ty, $wide:ty: $mulhi:ident $sad:ident;)*) => {$(
        #[inline(always)]
        pub fn $mulhi(a: $t, b: $t) -> $t {
            ((a as $wide * b as $wide) >> <$t>::BITS) as $t
        }

        #[inline(always)]
        pub fn $sad(a: $t, b: $t, c: $t) -> $t {
            c.wrapping_add(a.abs_diff(b) as $t)
        }
    )*};
}

products! {
    u16, u32: mulhi_u16 sad_u16;
    u32, u64: mulhi_u32 sad_u32;
    u64, u128: mulhi_u64 sad_u64;
    i16, i32: mulhi_s16 sad_s16;
    i32, i64: mulhi_s32 sad_s32;
    i64, i128: mulhi_s64 sad_s64;
}

/// `mul24.lo` and `mul24.hi`: the low or the high 32 bits of the 48-bit product of two 24-bit numbers.
#[inline]
pub fn mul24(signed: bool, high: bool, a: u32, b: u32) -> u32 {
    let operand = |x: u32| if signed { ((x << 8) as i32 >> 8) as i64 } else { (x & 0xff_ffff) as i64 };
    let product = operand(a) * operand(b);
    (if high { product >> 16 } else { product }) as u32
}

/// `mad24`: `mul24` plus `c`; `sat` applies to the signed high form.
#[inline]
pub fn mad24(signed: bool, high: bool, sat: bool, a: u32, b: u32, c: u32) -> u32 {
    let product = mul24(signed, high, a, b);
    if sat { (product as i32).saturating_add(c as i32) as u32 } else { product.wrapping_add(c) }
}

/// Returns byte `n` of `x`, sign- or zero-extended.
fn byte(x: u32, n: u32, signed: bool) -> i32 {
    let byte = (x >> (8 * n)) as u8;
    if signed { byte as i8 as i32 } else { byte as i32 }
}

/// `dp4a`: the dot product of four bytes with four bytes, plus `c`.
#[inline]
pub fn dp4a(a_signed: bool, b_signed: bool, a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, n| sum.wrapping_add((byte(a, n, a_signed) * byte(b, n, b_signed)) as u32))
}

/// `dp2a`: the dot product of two 16-bit halves with the lower or the upper two bytes, plus `c`.
#[inline]
pub fn dp2a(a_signed: bool, b_signed: bool, high: bool, a: u32, b: u32, c: u32) -> u32 {
    let half = |n: u32| {
        let half = (a >> (16 * n)) as u16;
        if a_signed { half as i16 as i32 } else { half as i32 }
    };
    let first = if high { 2 } else { 0 };
    (0..2).fold(c, |sum, n| sum.wrapping_add((half(n) * byte(b, first + n, b_signed)) as u32))
}

/// `vabsdiff4.u32.u32.u32`: the absolute differences of the bytes.
#[inline]
pub fn vabsdiff4(a: u32, b: u32) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|n| a[n].abs_diff(b[n])))
}

/// `vabsdiff4.u32.u32.u32.add`: their sum, plus `c`.
#[inline]
pub fn vabsdiff4_add(a: u32, b: u32, c: u32) -> u32 {
    vabsdiff4(a, b).to_le_bytes().into_iter().fold(c, |sum, d| sum.wrapping_add(d as u32))
}

/// `vabsdiff2.u32.u32.u32`: the absolute differences of the 16-bit halves.
#[inline]
pub fn vabsdiff2(a: u32, b: u32) -> u32 {
    let low = (a as u16).abs_diff(b as u16) as u32;
    let high = ((a >> 16) as u16).abs_diff((b >> 16) as u16) as u32;
    high << 16 | low
}

/// `vabsdiff2.u32.u32.u32.add`: their sum, plus `c`.
#[inline]
pub fn vabsdiff2_add(a: u32, b: u32, c: u32) -> u32 {
    let differences = vabsdiff2(a, b);
    c.wrapping_add(differences & 0xffff).wrapping_add(differences >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_by_the_width_or_more_shifts_everything_out() {
        assert_eq!(shl32(1, 31), 0x8000_0000);
        assert_eq!((shl32(1, 32), shl32(1, 33), shl32(1, u32::MAX)), (0, 0, 0));
        assert_eq!((shl16(1, 15), shl16(1, 16), shl64(1, 63), shl64(1, 64)), (0x8000, 0, 1 << 63, 0));
        assert_eq!((shr_u16(0x8000, 15), shr_u16(0x8000, 16)), (1, 0));
        assert_eq!((shr_u32(u32::MAX, 32), shr_u64(u64::MAX, 64), shr_u64(u64::MAX, 63)), (0, 0, 1));
        assert_eq!((shr_s32(-8, 40), shr_s32(8, 40), shr_s32(-8, 1)), (-1, 0, -4));
        assert_eq!((shr_s16(-8, 16), shr_s64(-8, u32::MAX), shr_s64(8, 64)), (-1, -1, 0));
    }

    #[test]
    fn division_by_zero_gives_all_ones_and_overflow_wraps() {
        assert_eq!((div_u32(7, 0), rem_u32(7, 0)), (u32::MAX, u32::MAX));
        assert_eq!((div_s32(7, 0), div_s64(-7, 0), div_u16(7, 0)), (-1, -1, u16::MAX));
        assert_eq!((div_s32(i32::MIN, -1), rem_s32(i32::MIN, -1)), (i32::MIN, 0));
        assert_eq!((div_s64(i64::MIN, -1), rem_s64(i64::MIN, -1)), (i64::MIN, 0));
        assert_eq!((div_s16(i16::MIN, -1), rem_s16(i16::MIN, -1)), (i16::MIN, 0));
        assert_eq!((div_s32(-7, 2), rem_s32(-7, 2), rem_s32(7, -2)), (-3, -1, 1));
    }

    #[test]
    fn high_products_keep_the_upper_half() {
        assert_eq!(mulhi_u32(u32::MAX, u32::MAX), 0xffff_fffe);
        assert_eq!(mulhi_s32(i32::MIN, i32::MIN), 0x4000_0000);
        assert_eq!(mulhi_s32(-1, 1), -1);
        assert_eq!(mulhi_u64(u64::MAX, u64::MAX), u64::MAX - 1);
        assert_eq!((mulhi_s64(i64::MIN, 2), mulhi_u16(0xffff, 0xffff), mulhi_s16(-1, 5)), (-1, 0xfffe, -1));
    }

    #[test]
    fn sums_of_absolute_differences_wrap() {
        assert_eq!((sad_s32(-3, 4, 10), sad_u32(3, 4, 10)), (17, 11));
        assert_eq!(sad_s32(i32::MIN, i32::MAX, 1), 0);
        assert_eq!((sad_u16(1, 3, 0xffff), sad_s64(-1, 1, 5)), (1, 7));
    }

    #[test]
    fn twenty_four_bit_products_ignore_the_top_byte() {
        assert_eq!(mul24(false, false, 0xff00_0003, 5), 15);
        assert_eq!(mul24(false, true, 0xff_ffff, 0xff_ffff), 0xffff_fe00);
        assert_eq!(mul24(false, false, 0xff_ffff, 0xff_ffff), 0xfe00_0001);
        assert_eq!(mul24(true, false, 0xff_ffff, 3), (-3i32) as u32);
        assert_eq!(mul24(true, true, 0x80_0000, 0x80_0000), 0x4000_0000);
        assert_eq!(mad24(true, true, true, 0x80_0000, 0x80_0000, 0x7000_0000), 0x7fff_ffff);
        assert_eq!(mad24(true, true, false, 0x80_0000, 0x80_0000, 0x7000_0000), 0xb000_0000);
    }

    #[test]
    fn dot_products_take_each_sign_on_its_own() {
        assert_eq!(dp4a(false, false, 0x0102_0304, 0x0506_0708, 100), 100 + 5 + 12 + 21 + 32);
        assert_eq!(dp4a(true, true, 0xff01_ff01, 0x0202_0303, 0), 0);
        assert_eq!(dp4a(true, false, 0x0000_00ff, 0x0000_00ff, 0), (-255i32) as u32);
        assert_eq!(dp4a(false, true, 0x0000_00ff, 0x0000_00ff, 0), (-255i32) as u32);
        assert_eq!(dp2a(false, false, false, 0x0002_0003, 0x0a0b_0405, 1), 1 + 3 * 5 + 2 * 4);
        assert_eq!(dp2a(false, false, true, 0x0002_0003, 0x0a0b_0405, 1), 1 + 3 * 11 + 2 * 10);
        assert_eq!(dp2a(true, true, false, 0xffff_0001, 0x0000_ff02, 0), 3);
    }

    #[test]
    fn packed_absolute_differences() {
        assert_eq!(vabsdiff4(0x0102_ff00, 0x0201_00ff), 0x0101_ffff);
        assert_eq!(vabsdiff4_add(0x0102_ff00, 0x0201_00ff, 7), 7 + 1 + 1 + 255 + 255);
        assert_eq!(vabsdiff2(0x0001_ffff, 0x0003_0000), 0x0002_ffff);
        assert_eq!(vabsdiff2_add(0x0001_ffff, 0x0003_0000, u32::MAX), 0x0001_0000);
    }
}
