//! Tests of f16 and bf16: all values for one operand, samples against exact numbers for several.

use super::exact::{Exact, ROUNDINGS, Random, check_value};
use crate::interp::num::half::{Bf16, F16, Half, HalfModes};
use crate::interp::num::soft::Format;
use crate::interp::num::{fma32_near, max32, min32};
use crate::ptx::types::Rounding;

const PLAIN: HalfModes = HalfModes { ftz: false, sat: false, relu: false };

fn is_finite<H: Half>(bits: u16) -> bool {
    bits & H::INFINITY != H::INFINITY
}

fn every_value_survives<H: Half>(format: Format) {
    for bits in 0..=u16::MAX {
        let (single, double) = (H::to_f32(bits), H::to_f64(bits));
        if H::is_nan(bits) {
            assert!(single.is_nan() && double.is_nan());
            assert_eq!((H::from_f32(single, Rounding::Near), H::from_f64(double, Rounding::Up)), (0x7fff, 0x7fff));
            continue;
        }
        for r in ROUNDINGS {
            assert_eq!((H::from_f32(single, r), H::from_f64(double, r)), (bits, bits));
        }
        if is_finite::<H>(bits) {
            let value = Exact::of(format, bits as u64);
            assert!(value.cmp(&Exact::of(Format::F32, single.to_bits() as u64)).is_eq(), "{bits:#x}");
            assert_eq!(single.is_sign_negative(), bits >> 15 == 1);
        } else {
            assert_eq!(single, if bits >> 15 == 1 { f32::NEG_INFINITY } else { f32::INFINITY });
        }
    }
}

#[test]
fn every_value_survives_the_way_out_and_back() {
    every_value_survives::<F16>(Format::F16);
    every_value_survives::<Bf16>(Format::BF16);
}

/// Checks the midpoint after every `step`-th value, and the f64 neighbours of the value, the midpoint and the next value.
fn narrowing_is_correct<H: Half>(format: Format, step: usize) {
    for bits in (0..H::INFINITY).step_by(step) {
        let here = H::to_f64(bits);
        let next =
            if bits + 1 == H::INFINITY { 2.0 * H::to_f64(H::INFINITY - (1 << format.fraction)) } else { H::to_f64(bits + 1) };
        let middle = here / 2.0 + next / 2.0;
        for x in [here.next_up(), middle.next_down(), middle, middle.next_up(), next.next_down()] {
            let x = if bits % 2 == 0 { x } else { -x };
            let value = Exact::of(Format::F64, x.to_bits());
            for r in ROUNDINGS {
                let got = H::from_f64(x, r) as u64;
                check_value(format, got, r, &value, x < 0.0, &|| format!("{x:e} {r:?} = {got:#x}"));
            }
        }
    }
}

#[test]
fn narrowing_rounds_correctly_around_the_values() {
    narrowing_is_correct::<F16>(Format::F16, 1);
    narrowing_is_correct::<Bf16>(Format::BF16, 5);
}

fn arithmetic_rounds_once<H: Half>(format: Format, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..15_000 {
        let [a, b] = [(); 2].map(|()| random.float(format) as u16);
        let close = H::mul(a, b, PLAIN).wrapping_add(random.below(5) as u16).wrapping_sub(2) ^ 0x8000;
        for c in [random.float(format) as u16, close] {
            if ![a, b, c].into_iter().all(is_finite::<H>) {
                continue;
            }
            let [x, y, z] = [a, b, c].map(|bits| Exact::of(format, bits as u64));
            let [na, nb, nc] = [a, b, c].map(|bits| bits >> 15 == 1);
            let check = |op: &str, got: u16, value: &Exact, zero: bool| {
                let what = || format!("{op} {a:#x} {b:#x} {c:#x} = {got:#x}");
                check_value(format, got as u64, Rounding::Near, value, zero, &what);
            };
            let product = x.mul(&y);
            let zero = product.is_zero() && z.is_zero() && (na != nb) && nc;
            check("fma", H::fma(a, b, c, PLAIN), &product.add(&z), zero);
            check("mul", H::mul(a, b, PLAIN), &product, na != nb);
            let zeros = x.is_zero() && y.is_zero();
            check("add", H::add(a, b, PLAIN), &x.add(&y), zeros && na && nb);
            check("sub", H::sub(a, b, PLAIN), &x.add(&y.neg()), zeros && na && !nb);
        }
    }
}

#[test]
fn arithmetic_rounds_once_in_both_formats() {
    arithmetic_rounds_once::<F16>(Format::F16, 1);
    arithmetic_rounds_once::<Bf16>(Format::BF16, 2);
}

#[test]
fn an_fma_through_single_precision_would_round_twice() {
    // The product is 2^-11 - 2^-31. Its sum with 1 + 2^-10 is just below the midpoint between two f16, but the f32 sum is that
    // midpoint.
    let (a, b, c) = (0x3c01, 0x0ffe, 0x3c01);
    assert_eq!(F16::fma(a, b, c, PLAIN), 0x3c01);
    let single = fma32_near(F16::to_f32(a), F16::to_f32(b), F16::to_f32(c));
    assert_eq!(F16::from_f32(single, Rounding::Near), 0x3c02);
}

#[test]
fn modes_flush_clamp_and_rectify() {
    let ftz = HalfModes { ftz: true, ..PLAIN };
    let sat = HalfModes { sat: true, ..PLAIN };
    let relu = HalfModes { relu: true, ..PLAIN };
    assert_eq!((F16::add(0x0001, 0x0001, PLAIN), F16::add(0x0001, 0x8000, ftz)), (2, 0));
    assert_eq!((F16::mul(0x0400, 0xb800, PLAIN), F16::mul(0x0400, 0xb800, ftz)), (0x8200, 0x8000));
    assert_eq!((F16::add(0x3c00, 0x3c00, sat), F16::sub(0, 0x3c00, sat), F16::add(0x7e01, 0, sat)), (0x3c00, 0, 0));
    assert_eq!((F16::sub(0, 0x3c00, relu), F16::add(0x7e01, 0, relu), F16::add(0, 0x3c00, relu)), (0, 0x7fff, 0x3c00));
    assert_eq!((Bf16::fma(0x7f80, 0, 0, PLAIN), Bf16::add(0x7f80, 0xff80, PLAIN)), (0x7fff, 0x7fff));
    assert_eq!((F16::add(0x7bff, 0x7bff, PLAIN), Bf16::mul(0xff7f, 0x7f7f, PLAIN)), (0x7c00, 0xff80));
    assert_eq!((F16::neg(0x3c00), F16::abs(0xbc00)), (0xbc00, 0x3c00));
}

fn order_is_that_of_single_precision<H: Half>(format: Format, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..100_000 {
        let (a, b) = (random.float(format) as u16, random.float(format) as u16);
        let (x, y) = (H::to_f32(a), H::to_f32(b));
        assert_eq!(H::compare(a, b), x.partial_cmp(&y));
        assert_eq!(H::min(a, b), H::from_f32(min32(x, y), Rounding::Near), "{a:#x} {b:#x}");
        assert_eq!(H::max(a, b), H::from_f32(max32(x, y), Rounding::Near), "{a:#x} {b:#x}");
        let either = H::is_nan(a) || H::is_nan(b);
        assert_eq!(H::min_nan(a, b), if either { 0x7fff } else { H::min(a, b) });
        assert_eq!(H::max_nan(a, b), if either { 0x7fff } else { H::max(a, b) });
    }
}

#[test]
fn order_is_that_of_single_precision_in_both_formats() {
    order_is_that_of_single_precision::<F16>(Format::F16, 3);
    order_is_that_of_single_precision::<Bf16>(Format::BF16, 4);
}
