//! `cvt` against exact arithmetic, and its special values by hand.

use super::exact::{Exact, ROUNDINGS, Random, check_value};
use crate::interp::num::convert::*;
use crate::interp::num::half::{F16, Half};
use crate::interp::num::soft::Format;
use crate::ptx::types::{Rounding, Type};
use std::cmp::Ordering;

const FLOATS: [(Type, Format); 4] =
    [(Type::F16, Format::F16), (Type::Bf16, Format::BF16), (Type::F32, Format::F32), (Type::F64, Format::F64)];
const INTEGERS: [Type; 8] = [Type::U8, Type::S8, Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64];

fn plain(dst: Type, src: Type, bits: u64, r: Rounding) -> u64 {
    cvt(dst, src, bits, Some(r), false, false, false)
}

fn value_of(ty: Type, bits: u64) -> i128 {
    let wide = extend(bits, ty);
    if ty.is_signed() { wide as i64 as i128 } else { wide as i128 }
}

fn range(ty: Type) -> (i128, i128) {
    let n = 1i128 << ty.bits();
    if ty.is_signed() { (-n / 2, n / 2 - 1) } else { (0, n - 1) }
}

#[test]
fn integers_become_floats_with_every_rounding() {
    let mut random = Random(1);
    for _ in 0..5_000 {
        // Integers of every length, so that ties occur.
        let bits = random.next() >> random.below(64) << random.below(40);
        for src in INTEGERS {
            let value = value_of(src, bits);
            for (dst, format) in FLOATS {
                for r in ROUNDINGS {
                    let got = plain(dst, src, bits, r);
                    let what = || format!("cvt.{dst}.{src} {value} {r:?} = {got:#x}");
                    check_value(format, got, r, &Exact::integer(value), false, &what);
                }
            }
        }
    }
}

#[test]
fn floats_become_floats_with_every_rounding() {
    let mut random = Random(2);
    for _ in 0..5_000 {
        for (src, from) in FLOATS {
            let bits = random.float(from);
            if bits & from.infinity() == from.infinity() {
                continue;
            }
            let value = Exact::of(from, bits);
            for (dst, to) in FLOATS {
                for r in ROUNDINGS {
                    let got = plain(dst, src, bits, r);
                    let what = || format!("cvt.{dst}.{src} {bits:#x} {r:?} = {got:#x}");
                    check_value(to, got, r, &value, bits & from.sign() != 0, &what);
                }
            }
        }
    }
}

/// Returns whether the integer `n` is the rounding of `x`.
fn rounds_to(x: &Exact, n: i128, r: Rounding) -> bool {
    let against = |m: i128| x.cmp(&Exact::integer(m));
    let twice = x.add(x);
    let against_half = |m: i128| twice.cmp(&Exact::integer(m));
    let (below, above) = (against(n) != Ordering::Less, against(n) != Ordering::Greater);
    let floor = below && against(n + 1) == Ordering::Less;
    let ceil = above && against(n - 1) == Ordering::Greater;
    match r {
        Rounding::Down => floor,
        Rounding::Up => ceil,
        Rounding::Zero => {
            if against(0) == Ordering::Less {
                ceil
            } else {
                floor
            }
        }
        Rounding::Near => {
            let (low, high) = (against_half(2 * n - 1), against_half(2 * n + 1));
            let even = n % 2 == 0;
            (low == Ordering::Greater || even && low == Ordering::Equal)
                && (high == Ordering::Less || even && high == Ordering::Equal)
        }
    }
}

#[test]
fn floats_become_integers_with_every_rounding_and_stop_at_the_range() {
    let mut random = Random(3);
    for round in 0..2_500 {
        for (src, from) in FLOATS {
            let mut bits = random.float(from);
            if round % 2 == 0 {
                // A magnitude from 2^-2 to 2^66, or up to the limit of the format.
                let top = (from.bias() as u64 * 2).min(from.bias() as u64 + 66);
                let field = from.bias() as u64 - 2 + random.below(top - from.bias() as u64 + 3);
                bits = bits & !from.infinity() | field << from.fraction;
            }
            if bits & from.infinity() == from.infinity() {
                continue;
            }
            let value = Exact::of(from, bits);
            for dst in INTEGERS {
                let (low, high) = range(dst);
                for r in ROUNDINGS {
                    let got = value_of(dst, cvt(dst, src, bits, Some(r), true, false, false));
                    let what = format!("cvt.{dst}.{src} {bits:#x} {r:?} = {got}");
                    assert!((low..=high).contains(&got), "{what}");
                    let beyond = got == low && value.cmp(&Exact::integer(low)) == Ordering::Less
                        || got == high && value.cmp(&Exact::integer(high)) == Ordering::Greater;
                    assert!(beyond || rounds_to(&value, got, r), "{what}");
                }
            }
        }
    }
}

#[test]
fn integers_become_integers_by_cutting_extending_or_clamping() {
    let mut random = Random(4);
    for _ in 0..20_000 {
        let bits = random.next() >> random.below(64);
        let bits = if random.below(2) == 0 { bits } else { bits.wrapping_neg() };
        for src in INTEGERS {
            let value = value_of(src, bits);
            for dst in INTEGERS {
                let (low, high) = range(dst);
                let cut = value_of(dst, cvt(dst, src, bits, None, false, false, false));
                assert_eq!(cut, value - (value - low).div_euclid(high - low + 1) * (high - low + 1));
                assert_eq!(value_of(dst, cvt(dst, src, bits, None, false, false, true)), value.clamp(low, high));
            }
        }
    }
    assert_eq!(cvt(Type::S32, Type::S8, 0x1ff, None, false, false, false), 0xffff_ffff);
    assert_eq!(cvt(Type::U8, Type::S32, (-5i32) as u32 as u64, None, false, false, true), 0);
    assert_eq!(extend(0x80, Type::S8), 0xffff_ffff_ffff_ff80);
    assert_eq!((extend(0x180, Type::U8), extend(3, Type::Pred), extend(!0, Type::S64)), (0x80, 1, !0));
}

#[test]
fn a_nan_becomes_what_the_pair_of_types_says() {
    let (nan32, nan64) = (0xffc0_0001, 0x7ff0_0000_0000_0001);
    let to = |dst, src, bits| cvt(dst, src, bits, Some(Rounding::Zero), true, false, false);
    assert_eq!((to(Type::S32, Type::F32, nan32), to(Type::U32, Type::F32, nan32), to(Type::S16, Type::F16, 0x7e00)), (0, 0, 0));
    assert_eq!((to(Type::S64, Type::F32, nan32), to(Type::U64, Type::F16, 0x7e00)), (1 << 63, 1 << 63));
    assert_eq!((to(Type::S32, Type::F64, nan64), to(Type::U64, Type::F64, nan64)), (1 << 31, 1 << 63));
    assert_eq!(plain(Type::F32, Type::F64, nan64, Rounding::Near), 0x7fc0_0000);
    assert_eq!(plain(Type::F64, Type::F32, nan32, Rounding::Near), 0xfff8_0000_2000_0000);
    assert_eq!(cvt(Type::F64, Type::F32, nan32, None, false, true, false), 0x7fff_ffff_e000_0000);
    assert_eq!(cvt(Type::F64, Type::F64, nan64, None, false, false, false), nan64);
    assert_eq!(cvt(Type::F64, Type::F64, nan64, Some(Rounding::Near), true, false, false), nan64 | 1 << 51);
    assert_eq!(cvt(Type::F32, Type::F32, nan32, None, false, false, false), nan32);
    assert_eq!(cvt(Type::F32, Type::F32, nan32, None, false, true, false), 0x7fff_ffff);
    assert_eq!(plain(Type::F16, Type::F32, nan32, Rounding::Near), 0x7fff);
    assert_eq!(plain(Type::F32, Type::F16, 0xfe01, Rounding::Near), 0x7fff_ffff);
    for dst in [Type::F16, Type::Bf16, Type::F32, Type::F64] {
        assert_eq!(cvt(dst, Type::F32, nan32, Some(Rounding::Near), false, false, true), 0);
    }
}

#[test]
fn infinities_and_large_numbers_keep_to_the_range() {
    let from32 = |dst, x: f32| cvt(dst, Type::F32, x.to_bits() as u64, Some(Rounding::Zero), true, false, false);
    assert_eq!((from32(Type::S32, 1e10), from32(Type::S32, f32::NEG_INFINITY)), (0x7fff_ffff, 0x8000_0000));
    assert_eq!((from32(Type::U32, -1.0), from32(Type::U32, f32::INFINITY)), (0, 0xffff_ffff));
    assert_eq!((from32(Type::U8, 300.0), from32(Type::S8, -200.0)), (0xff, 0x80));
    assert_eq!((from32(Type::U64, 2e19), from32(Type::S64, 1e19)), (u64::MAX, i64::MAX as u64));
    assert_eq!(plain(Type::F32, Type::F64, f64::INFINITY.to_bits(), Rounding::Zero), 0x7f80_0000);
    assert_eq!(plain(Type::F32, Type::F64, 1e300f64.to_bits(), Rounding::Zero), 0x7f7f_ffff);
    assert_eq!(plain(Type::F16, Type::F32, 0xff80_0000, Rounding::Up), 0xfc00);
}

#[test]
fn rounding_to_integral_floats_keeps_the_sign_of_zero() {
    let round = |x: f32, r| f32::from_bits(cvt(Type::F32, Type::F32, x.to_bits() as u64, Some(r), true, false, false) as u32);
    for (x, expected) in [
        (0.5, [0.0, 0.0, 0.0, 1.0]),
        (1.5, [2.0, 1.0, 1.0, 2.0]),
        (2.5, [2.0, 2.0, 2.0, 3.0]),
        (-0.5, [-0.0, -0.0, -1.0, -0.0]),
        (-1.7, [-2.0, -1.0, -2.0, -1.0]),
        (-0.0, [-0.0; 4]),
        (8_388_609.0, [8_388_609.0; 4]),
        (f32::NEG_INFINITY, [f32::NEG_INFINITY; 4]),
    ] {
        let got = ROUNDINGS.map(|r| round(x, r).to_bits());
        assert_eq!(got, expected.map(f32::to_bits), "{x}");
    }
    let half = cvt(Type::F16, Type::F16, F16::from_f32(-2.5, Rounding::Near) as u64, Some(Rounding::Near), true, false, false);
    assert_eq!(F16::to_f32(half as u16), -2.0);
}

#[test]
fn flushing_concerns_single_precision_alone() {
    let tiny32 = 0x8000_0001;
    let flush = |dst, src, bits, r| cvt(dst, src, bits, Some(r), false, true, false);
    assert_eq!(flush(Type::F64, Type::F32, tiny32, Rounding::Near), 1 << 63);
    assert_eq!(flush(Type::F32, Type::F64, (-1e-40f64).to_bits(), Rounding::Near), 1 << 31);
    assert_eq!(flush(Type::F32, Type::F16, 0x0001, Rounding::Near), 0x3380_0000);
    assert_eq!(flush(Type::F16, Type::F32, 0x3380_0000, Rounding::Near), 1);
    assert_eq!(cvt(Type::S32, Type::F32, 1, Some(Rounding::Up), true, true, false), 0);
    assert_eq!(cvt(Type::S32, Type::F32, 1, Some(Rounding::Up), true, false, false), 1);
    assert_eq!(cvt(Type::F32, Type::F32, 1, Some(Rounding::Up), true, true, false), 0);
    assert_eq!(flush(Type::F16, Type::F32, 1, Rounding::Up), 1);
    // 2^-126 (1 - 2^-24) fits in 24 bits, so it counts as below 2^-126; the midpoint between the two does not.
    assert_eq!(flush(Type::F32, Type::F64, 0x380f_ffff_e000_0000, Rounding::Near), 0);
    assert_eq!(flush(Type::F32, Type::F64, 0x380f_ffff_f000_0000, Rounding::Near), 0x0080_0000);
}

#[test]
fn saturation_clamps_floats_to_the_unit_interval() {
    let sat = |dst, src, bits| cvt(dst, src, bits, Some(Rounding::Near), false, false, true);
    assert_eq!(sat(Type::F32, Type::S32, 7), 0x3f80_0000);
    assert_eq!(sat(Type::F32, Type::F64, (-2.0f64).to_bits()), 0);
    assert_eq!(sat(Type::F64, Type::F32, 0x3f00_0000), 0.5f64.to_bits());
    assert_eq!(sat(Type::F64, Type::F32, 0x4f00_0000), 1.0f64.to_bits());
    assert_eq!(sat(Type::F16, Type::F32, 0x4f00_0000), 0x3c00);
    assert_eq!(sat(Type::Bf16, Type::F32, 0x4f00_0000), 0x3f80);
}

#[test]
fn packing_puts_the_first_operand_on_top() {
    let pack = |dst, a, b| cvt_pack(dst, a, b, Rounding::Near, false, false);
    assert_eq!(pack(Type::F16x2, 1.0, -2.0), 0x3c00_c000);
    assert_eq!(pack(Type::Bf16x2, 1.0, -2.0), 0x3f80_c000);
    assert_eq!(pack(Type::Bf16x2, f32::NAN, 1.003_9), 0x7fff_3f80);
    assert_eq!(cvt_pack(Type::F16x2, -1.0, f32::NAN, Rounding::Near, false, true), 0x0000_7fff);
    assert_eq!(cvt_pack(Type::F16x2, 5.0, f32::NAN, Rounding::Near, true, false), 0x3c00_0000);
    assert_eq!(cvt_pack(Type::F16x2, 1e9, -1e9, Rounding::Zero, false, false), 0x7bff_fbff);
}

#[test]
fn the_short_forms_are_the_long_one() {
    let mut random = Random(5);
    let near = |dst, src, bits| plain(dst, src, bits, Rounding::Near);
    let cut = |dst, src, bits| cvt(dst, src, bits, Some(Rounding::Zero), true, false, false);
    for _ in 0..50_000 {
        let n = random.next() >> random.below(64);
        let (single, double) = (random.float(Format::F32), random.float(Format::F64));
        let (x, y) = (f32::from_bits(single as u32), f64::from_bits(double));
        assert_eq!(s32_to_f32(n as i32).to_bits() as u64, near(Type::F32, Type::S32, n));
        assert_eq!(u32_to_f32(n as u32).to_bits() as u64, near(Type::F32, Type::U32, n));
        assert_eq!(s64_to_f32(n as i64).to_bits() as u64, near(Type::F32, Type::S64, n));
        assert_eq!(u64_to_f32(n).to_bits() as u64, near(Type::F32, Type::U64, n));
        assert_eq!(s32_to_f64(n as i32).to_bits(), near(Type::F64, Type::S32, n));
        assert_eq!(u32_to_f64(n as u32).to_bits(), near(Type::F64, Type::U32, n));
        assert_eq!(s64_to_f64(n as i64).to_bits(), near(Type::F64, Type::S64, n));
        assert_eq!(u64_to_f64(n).to_bits(), near(Type::F64, Type::U64, n));
        assert_eq!(f32_to_s32(x) as u32 as u64, cut(Type::S32, Type::F32, single));
        assert_eq!(f32_to_u32(x) as u64, cut(Type::U32, Type::F32, single));
        assert_eq!(f32_to_s64(x) as u64, cut(Type::S64, Type::F32, single));
        assert_eq!(f64_to_s32(y) as u32 as u64, cut(Type::S32, Type::F64, double));
        assert_eq!(f64_to_s64(y) as u64, cut(Type::S64, Type::F64, double));
        assert_eq!(f32_to_f64(x).to_bits(), near(Type::F64, Type::F32, single));
        assert_eq!(f64_to_f32(y).to_bits() as u64, near(Type::F32, Type::F64, double));
    }
}
