//! Tests of the approximations: PTX's special values, its error bounds, and the same digits on every host.

use super::exact::Random;
use crate::interp::num::approx::*;
use crate::interp::num::half::{Bf16, F16, Half};
use crate::interp::num::soft::Format;
use crate::ptx::types::Rounding;
use std::f32::consts::PI;

const INF: f32 = f32::INFINITY;
const TINY: f32 = f32::from_bits(1);
const NAN: u32 = 0x7fff_ffff;

#[test]
fn special_values_are_those_of_the_tables() {
    let check = |name: &str, f: fn(f32, bool) -> f32, table: &[(f32, f32)]| {
        for ftz in [false, true] {
            assert_eq!(f(f32::from_bits(0xff80_0001), ftz).to_bits(), NAN, "{name}");
            for &(x, expected) in table {
                let expected = if expected.is_nan() { NAN } else { expected.to_bits() };
                assert_eq!(f(x, ftz).to_bits(), expected, "{name} {x:e} {ftz}");
            }
        }
    };
    check(
        "ex2",
        ex2,
        &[(-INF, 0.0), (INF, INF), (0.0, 1.0), (-0.0, 1.0), (TINY, 1.0), (-TINY, 1.0), (128.0, INF), (10.0, 1024.0)],
    );
    check("lg2", lg2, &[(-INF, f32::NAN), (INF, INF), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (-1.0, f32::NAN), (1024.0, 10.0)]);
    check("sin", sin, &[(-INF, f32::NAN), (INF, f32::NAN), (0.0, 0.0), (-0.0, -0.0), (TINY, 0.0), (-TINY, -0.0)]);
    check("cos", cos, &[(-INF, f32::NAN), (INF, f32::NAN), (0.0, 1.0), (-0.0, 1.0), (TINY, 1.0), (-TINY, 1.0)]);
    check("rcp", rcp, &[(-INF, -0.0), (INF, 0.0), (0.0, INF), (-0.0, -INF), (TINY, INF), (-TINY, -INF), (4.0, 0.25)]);
    check("sqrt", sqrt, &[(-INF, f32::NAN), (INF, INF), (0.0, 0.0), (-0.0, -0.0), (-1.0, f32::NAN), (9.0, 3.0)]);
    check("rsqrt", rsqrt, &[(-INF, f32::NAN), (INF, 0.0), (0.0, INF), (-0.0, -INF), (-1.0, f32::NAN), (4.0, 0.5)]);
    check("tanh", |x, _| tanh(x), &[(-INF, -1.0), (INF, 1.0), (0.0, 0.0), (-0.0, -0.0), (TINY, TINY), (-TINY, -TINY)]);
}

#[test]
fn subnormals_count_unless_flushed() {
    let small = f32::MIN_POSITIVE / 4.0; // 2^-128
    assert_eq!((lg2(small, false), lg2(small, true)), (-128.0, -INF));
    assert_eq!((lg2(-small, false).to_bits(), lg2(-small, true)), (NAN, -INF));
    assert_eq!((ex2(-127.0, false), ex2(-127.0, true)), (f32::MIN_POSITIVE / 2.0, 0.0));
    assert_eq!((rcp(2f32.powi(127), false), rcp(2f32.powi(127), true)), (f32::MIN_POSITIVE / 2.0, 0.0));
    assert_eq!((rsqrt(small, false), rsqrt(small, true), rsqrt(-small, true)), (2f32.powi(64), INF, -INF));
    assert_eq!((rsqrt(-small, false).to_bits(), sqrt(-small, true).to_bits()), (NAN, 1 << 31));
    assert_eq!((sqrt(small, false), sqrt(small, true)), (2f32.powi(-64), 0.0));
}

#[test]
fn division_by_a_huge_number_is_zero_unless_full() {
    let huge = 2f32.powi(127);
    assert_eq!((div(6.0, 3.0, false), div_full(6.0, 3.0, false)), (2.0, 2.0));
    assert_eq!((div(huge, huge, false), div_full(huge, huge, false)), (0.0, 1.0));
    assert_eq!(div(-1.0, huge, false).to_bits(), 1 << 31);
    assert_eq!(div(huge, 2f32.powi(126), false), 2.0);
    assert_eq!((div(INF, huge, false).to_bits(), div_full(INF, huge, false)), (NAN, INF));
    assert_eq!((div(1.0, 0.0, true), div(-1.0, INF, true).to_bits(), div(0.0, 0.0, true).to_bits()), (INF, 1 << 31, NAN));
    assert_eq!((div_full(TINY, TINY, false), div_full(TINY, TINY, true).to_bits()), (1.0, NAN));
    assert_eq!(div_full(-1.0, 0.0, false), -INF);
    assert_eq!(div(f32::from_bits(0x7f_ffff), TINY, false), 8_388_607.0);
}

/// Returns the largest `error` over positive and negative samples from `low` to `high`, evenly spread over the exponents.
fn worst(low: f32, high: f32, error: impl Fn(f32) -> f64) -> f64 {
    let (low, high) = (low.to_bits(), high.to_bits());
    let step = ((high - low) / 40_000).max(1);
    (low..=high).step_by(step as usize).map(f32::from_bits).flat_map(|x| [x, -x]).map(error).fold(0.0, f64::max)
}

/// Returns the error of `got` in units in the last place of the true value.
fn ulps(got: f32, truth: f64) -> f64 {
    let near = (truth as f32).abs().max(f32::MIN_POSITIVE);
    let unit = f32::from_bits(near.to_bits() + 1) as f64 - near as f64;
    (got as f64 - truth).abs() / unit
}

#[test]
fn errors_stay_within_the_documented_bounds() {
    let positive = |f: fn(f32) -> f64| move |x: f32| f(x.abs());
    let assert_below = |name: &str, got: f64, bound: f64| assert!(got <= bound, "{name}: {got:e} exceeds {bound:e}");
    assert_below("ex2", worst(1e-30, 120.0, |x| ulps(ex2(x, false), (x as f64).exp2())), 0.51);
    assert_below("lg2", worst(1e-40, f32::MAX, positive(|x| ulps(lg2(x, false), (x as f64).log2()))), 0.51);
    let angle = worst(1e-20, PI, |x| (sin(x, true) as f64 - (x as f64).sin()).abs());
    assert_below("sin", angle, 2f64.powf(-20.5));
    let angle = worst(1e-20, PI, |x| (cos(x, true) as f64 - (x as f64).cos()).abs());
    assert_below("cos", angle, 2f64.powf(-20.5));
    assert_below("rcp", worst(1e-37, 8e37, |x| ulps(rcp(x, true), 1.0 / x as f64)), 0.51);
    assert_below("rsqrt", worst(1e-40, f32::MAX, positive(|x| ulps(rsqrt(x, false), 1.0 / (x as f64).sqrt()))), 0.51);
    assert_below("tanh", worst(1e-30, 30.0, |x| ulps(tanh(x), (x as f64).tanh())), 0.51);
    for divisor in [3.0f32, -7.7e-20, 1.1e37] {
        assert_below("div", worst(1e-17, 1e17, |x| ulps(div(x, divisor, false), x as f64 / divisor as f64)), 2.0);
        assert_below("div.full", worst(1e-17, 1e17, |x| ulps(div_full(x, divisor, false), x as f64 / divisor as f64)), 2.0);
    }
    // At a hundred turns, the error of the f32 multiplication by 1/2π shows, as on a GPU.
    let far = worst(600.0, 700.0, |x| (sin(x, true) as f64 - (x as f64).sin()).abs());
    assert!(far > 1e-5 && far < 1e-3, "{far:e}");
}

#[test]
fn double_approximations_use_the_high_word_alone() {
    assert_eq!(
        (rcp_f64(4.0), rcp_f64(-0.0), rcp_f64(f64::INFINITY), rcp_f64(5e-324)),
        (0.25, -f64::INFINITY, 0.0, f64::INFINITY)
    );
    assert_eq!(
        (rsqrt_f64_ftz(4.0), rsqrt_f64_ftz(-0.0), rsqrt_f64(16.0), rsqrt_f64(-0.0)),
        (0.5, -f64::INFINITY, 0.25, -f64::INFINITY)
    );
    assert_eq!((rcp_f64(f64::NAN).to_bits(), rsqrt_f64_ftz(-1.0).to_bits()), (0x7fff_ffff_0000_0000, 0x7fff_ffff_0000_0000));
    assert_eq!(rsqrt_f64(-1.0).to_bits(), 0xfff8_0000_0000_0000);
    let mut random = Random(1);
    for _ in 0..10_000 {
        let x = f64::from_bits(random.next() & 0x000f_ffff_ffff_ffff | (random.below(1800) + 100) << 52);
        let (reciprocal, root) = (rcp_f64(-x), rsqrt_f64_ftz(x));
        assert_eq!((reciprocal.to_bits() as u32, root.to_bits() as u32), (0, 0));
        assert!((reciprocal * -x - 1.0).abs() < 3e-6, "{x:e}");
        assert!((root * root * x - 1.0).abs() < 3e-6, "{x:e}");
        assert!((rsqrt_f64(x) * x.sqrt() - 1.0).abs() < 1e-15, "{x:e}");
    }
}

#[test]
fn halves_are_cut_from_the_true_value() {
    fn check<H: Half>() {
        for bits in 0..=u16::MAX {
            let x = H::to_f64(bits);
            if x.is_nan() {
                assert_eq!((ex2_half::<H>(bits, false), tanh_half::<H>(bits)), (0x7fff, 0x7fff));
                continue;
            }
            let cut = |x: f64| if x >= H::OVERFLOW { H::INFINITY } else { H::from_f32(x as f32, Rounding::Zero) };
            assert_eq!(ex2_half::<H>(bits, false), cut(x.exp2()), "2^{x:e}");
            assert_eq!(tanh_half::<H>(bits), cut(x.tanh()), "tanh {x:e}");
            let flushed = H::ftz(cut(H::to_f64(H::ftz(bits)).exp2()));
            assert_eq!(ex2_half::<H>(bits, true), flushed);
        }
    }
    check::<F16>();
    check::<Bf16>();
    assert_eq!(
        (ex2_half::<F16>(0x83ff, false), ex2_half::<F16>(0x4c00, false), ex2_half::<F16>(0x4be0, false)),
        (0x3bff, 0x7c00, 0x7aba)
    );
}

#[test]
fn the_digits_are_the_same_on_every_host() {
    let mut random = Random(1);
    let mut hash = 0u64;
    // A hash over many results, which must be the same on every host; it changes if an approximation changes.
    for _ in 0..20_000 {
        let x = f32::from_bits(random.float(Format::F32) as u32);
        let y = f32::from_bits(random.float(Format::F32) as u32);
        for ftz in [false, true] {
            for result in [ex2, lg2, sin, cos, rcp, sqrt, rsqrt].map(|f| f(x, ftz)).into_iter().chain([
                tanh(x),
                div(x, y, ftz),
                div_full(x, y, ftz),
            ]) {
                hash = hash.rotate_left(5).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ result.to_bits() as u64;
            }
        }
    }
    assert_eq!(hash, 0xd932_cbb2_95ff_6d8e);
}
