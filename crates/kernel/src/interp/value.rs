//! Typed values in a register's 32-bit words, and the operations that integer types share.

use super::num::integer;

/// A type that is stored in one register plane, or in two if it is wide.
pub trait Value: Copy + Default {
    /// Whether the type takes two planes.
    const WIDE: bool;
    fn from_words(low: u32, high: u32) -> Self;
    fn low(self) -> u32;
    fn high(self) -> u32;
}

macro_rules! narrow {
    ($($t:ty, |$w:ident| $from:expr, |$v:ident| $low:expr;)*) => {$(
        impl Value for $t {
            const WIDE: bool = false;
            #[inline(always)]
            fn from_words($w: u32, _: u32) -> $t { $from }
            #[inline(always)]
            fn low(self) -> u32 { let $v = self; $low }
            #[inline(always)]
            fn high(self) -> u32 { 0 }
        }
    )*};
}

narrow! {
    u16, |w| w as u16, |v| v as u32;
    i16, |w| w as i16, |v| v as u16 as u32;
    u32, |w| w, |v| v;
    i32, |w| w as i32, |v| v as u32;
    f32, |w| f32::from_bits(w), |v| v.to_bits();
    bool, |w| w != 0, |v| v as u32;
}

macro_rules! wide {
    ($($t:ty, |$w:ident| $from:expr, |$v:ident| $bits:expr;)*) => {$(
        impl Value for $t {
            const WIDE: bool = true;
            #[inline(always)]
            fn from_words(low: u32, high: u32) -> $t { let $w = (high as u64) << 32 | low as u64; $from }
            #[inline(always)]
            fn low(self) -> u32 { let $v = self; ($bits) as u32 }
            #[inline(always)]
            fn high(self) -> u32 { let $v = self; (($bits) >> 32) as u32 }
        }
    )*};
}

wide! {
    u64, |w| w, |v| v;
    i64, |w| w as i64, |v| v as u64;
    f64, |w| f64::from_bits(w), |v| v.to_bits();
}

/// Integer arithmetic as PTX defines it, for each of the six integer types.
pub trait Int: Value + Ord {
    /// The type of a full product; `Self` for 64-bit types, which have none.
    type Wide: Value;

    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn add_sat(self, b: Self) -> Self;
    fn sub_sat(self, b: Self) -> Self;
    fn mul_lo(self, b: Self) -> Self;
    fn mul_hi(self, b: Self) -> Self;
    fn mul_wide(self, b: Self) -> Self::Wide;
    /// `self × b + c`, with the sum in the wide type.
    fn mad_wide(self, b: Self, c: Self::Wide) -> Self::Wide;
    fn div(self, b: Self) -> Self;
    fn rem(self, b: Self) -> Self;
    fn and(self, b: Self) -> Self;
    fn or(self, b: Self) -> Self;
    fn xor(self, b: Self) -> Self;
    fn not(self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sad(self, b: Self, c: Self) -> Self;
    fn shl(self, amount: u32) -> Self;
    fn shr(self, amount: u32) -> Self;
    fn is_zero(self) -> bool;
    fn one() -> Self;
    fn count_ones(self) -> u32;
    fn leading_zeros(self) -> u32;
    fn reverse_bits(self) -> Self;
    /// Returns the bits, zero-extended.
    fn bits(self) -> u64;
    fn from_bits(bits: u64) -> Self;
}

macro_rules! int {
    ($($t:ty, $unsigned:ty, $wide:ty: $mul_hi:ident $div:ident $rem:ident $sad:ident $shl:ident $shr:ident $abs:ident;)*) => {$(
        impl Int for $t {
            type Wide = $wide;
            #[inline(always)]
            fn add(self, b: $t) -> $t { self.wrapping_add(b) }
            #[inline(always)]
            fn sub(self, b: $t) -> $t { self.wrapping_sub(b) }
            #[inline(always)]
            fn add_sat(self, b: $t) -> $t { self.saturating_add(b) }
            #[inline(always)]
            fn sub_sat(self, b: $t) -> $t { self.saturating_sub(b) }
            #[inline(always)]
            fn mul_lo(self, b: $t) -> $t { self.wrapping_mul(b) }
            #[inline(always)]
            fn mul_hi(self, b: $t) -> $t { integer::$mul_hi(self, b) }
            #[inline(always)]
            fn mul_wide(self, b: $t) -> $wide { (self as $wide).wrapping_mul(b as $wide) }
            #[inline(always)]
            fn mad_wide(self, b: $t, c: $wide) -> $wide { (self as $wide).wrapping_mul(b as $wide).wrapping_add(c) }
            #[inline(always)]
            fn div(self, b: $t) -> $t { integer::$div(self, b) }
            #[inline(always)]
            fn rem(self, b: $t) -> $t { integer::$rem(self, b) }
            #[inline(always)]
            fn and(self, b: $t) -> $t { self & b }
            #[inline(always)]
            fn or(self, b: $t) -> $t { self | b }
            #[inline(always)]
            fn xor(self, b: $t) -> $t { self ^ b }
            #[inline(always)]
            fn not(self) -> $t { !self }
            #[inline(always)]
            fn neg(self) -> $t { self.wrapping_neg() }
            #[inline(always)]
            fn abs(self) -> $t { $abs(self) }
            #[inline(always)]
            fn sad(self, b: $t, c: $t) -> $t { integer::$sad(self, b, c) }
            #[inline(always)]
            fn shl(self, amount: u32) -> $t { integer::$shl(self as $unsigned, amount) as $t }
            #[inline(always)]
            fn shr(self, amount: u32) -> $t { integer::$shr(self, amount) }
            #[inline(always)]
            fn is_zero(self) -> bool { self == 0 }
            #[inline(always)]
            fn one() -> $t { 1 }
            #[inline(always)]
            fn count_ones(self) -> u32 { <$t>::count_ones(self) }
            #[inline(always)]
            fn leading_zeros(self) -> u32 { <$t>::leading_zeros(self) }
            #[inline(always)]
            fn reverse_bits(self) -> $t { <$t>::reverse_bits(self) }
            #[inline(always)]
            fn bits(self) -> u64 { self as $unsigned as u64 }
            #[inline(always)]
            fn from_bits(bits: u64) -> $t { bits as $t }
        }
    )*};
}

/// Returns the absolute value of an unsigned integer, which is the integer itself.
#[inline(always)]
fn same<T>(a: T) -> T {
    a
}

int! {
    u16, u16, u32: mulhi_u16 div_u16 rem_u16 sad_u16 shl16 shr_u16 same;
    u32, u32, u64: mulhi_u32 div_u32 rem_u32 sad_u32 shl32 shr_u32 same;
    u64, u64, u64: mulhi_u64 div_u64 rem_u64 sad_u64 shl64 shr_u64 same;
    i16, u16, i32: mulhi_s16 div_s16 rem_s16 sad_s16 shl16 shr_s16 wrapping_abs16;
    i32, u32, i64: mulhi_s32 div_s32 rem_s32 sad_s32 shl32 shr_s32 wrapping_abs32;
    i64, u64, i64: mulhi_s64 div_s64 rem_s64 sad_s64 shl64 shr_s64 wrapping_abs64;
}

#[inline(always)]
fn wrapping_abs16(a: i16) -> i16 {
    a.wrapping_abs()
}

#[inline(always)]
fn wrapping_abs32(a: i32) -> i32 {
    a.wrapping_abs()
}

#[inline(always)]
fn wrapping_abs64(a: i64) -> i64 {
    a.wrapping_abs()
}
