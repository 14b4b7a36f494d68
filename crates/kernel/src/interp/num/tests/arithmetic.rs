//! Tests f32 and f64 arithmetic in every rounding against exact numbers, through the functions that instructions call.

use super::exact::{Exact, ROUNDINGS, Random, check_rounded, check_value};
use crate::interp::num::soft::{self, Format};
use crate::interp::num::*;
use crate::ptx::types::Rounding;

/// One precision's operations on bits.
struct Ops {
    format: Format,
    add: fn(u64, u64, Rounding) -> u64,
    sub: fn(u64, u64, Rounding) -> u64,
    mul: fn(u64, u64, Rounding) -> u64,
    div: fn(u64, u64, Rounding) -> u64,
    fma: fn(u64, u64, u64, Rounding) -> u64,
    sqrt: fn(u64, Rounding) -> u64,
}

const SINGLE: Ops = Ops {
    format: Format::F32,
    add: |a, b, r| add32(single(a), single(b), r).to_bits() as u64,
    sub: |a, b, r| sub32(single(a), single(b), r).to_bits() as u64,
    mul: |a, b, r| mul32(single(a), single(b), r).to_bits() as u64,
    div: |a, b, r| div32(single(a), single(b), r).to_bits() as u64,
    fma: |a, b, c, r| fma32(single(a), single(b), single(c), r).to_bits() as u64,
    sqrt: |a, r| sqrt32(single(a), r).to_bits() as u64,
};

const DOUBLE: Ops = Ops {
    format: Format::F64,
    add: |a, b, r| add64(f64::from_bits(a), f64::from_bits(b), r).to_bits(),
    sub: |a, b, r| sub64(f64::from_bits(a), f64::from_bits(b), r).to_bits(),
    mul: |a, b, r| mul64(f64::from_bits(a), f64::from_bits(b), r).to_bits(),
    div: |a, b, r| div64(f64::from_bits(a), f64::from_bits(b), r).to_bits(),
    fma: |a, b, c, r| fma64(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c), r).to_bits(),
    sqrt: |a, r| sqrt64(f64::from_bits(a), r).to_bits(),
};

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

impl Ops {
    fn is_finite(&self, bits: u64) -> bool {
        bits & self.format.infinity() != self.format.infinity()
    }

    fn is_negative(&self, bits: u64) -> bool {
        bits & self.format.sign() != 0
    }

    /// Returns whether a zero that is the sum of two terms with these signs is negative.
    fn zero_sum(r: Rounding, exact_zeros: bool, a: bool, b: bool) -> bool {
        if exact_zeros && a == b { a } else { r == Rounding::Down }
    }

    fn check(&self, a: u64, b: u64, c: u64) {
        let format = self.format;
        if ![a, b, c].iter().all(|&x| self.is_finite(x)) {
            return;
        }
        let [x, y, z] = [a, b, c].map(|bits| Exact::of(format, bits));
        let [neg_a, neg_b, neg_c] = [a, b, c].map(|bits| self.is_negative(bits));
        for r in ROUNDINGS {
            let name = |op: &'static str, got: u64| move || format!("{op} {a:#x} {b:#x} {c:#x} {r:?} = {got:#x}");

            let zeros = x.is_zero() && y.is_zero();
            let got = (self.add)(a, b, r);
            check_value(format, got, r, &x.add(&y), Self::zero_sum(r, zeros, neg_a, neg_b), &name("add", got));
            let got = (self.sub)(a, b, r);
            check_value(format, got, r, &x.add(&y.neg()), Self::zero_sum(r, zeros, neg_a, !neg_b), &name("sub", got));

            let product = x.mul(&y);
            let got = (self.mul)(a, b, r);
            check_value(format, got, r, &product, neg_a != neg_b, &name("mul", got));

            let zeros = product.is_zero() && z.is_zero();
            let got = (self.fma)(a, b, c, r);
            let zero = Self::zero_sum(r, zeros, neg_a != neg_b, neg_c);
            check_value(format, got, r, &product.add(&z), zero, &name("fma", got));

            let got = (self.div)(a, b, r);
            let sign = if neg_a != neg_b { format.sign() } else { 0 };
            if y.is_zero() {
                if !x.is_zero() {
                    assert_eq!(got, sign | format.infinity(), "{}", name("div", got)());
                }
            } else if x.is_zero() {
                assert_eq!(got, sign, "{}", name("div", got)());
            } else {
                // Comparing a / b with t is comparing a with t × b, reversed for a negative b.
                let order = |t: &Exact| {
                    let order = x.cmp(&t.mul(&y));
                    if neg_b { order.reverse() } else { order }
                };
                check_rounded(format, got, r, neg_a != neg_b, order, &name("div", got));
            }

            let got = (self.sqrt)(a, r);
            if x.is_zero() {
                assert_eq!(got, a);
            } else if !neg_a {
                check_rounded(format, got, r, false, |t| x.cmp(&t.mul(t)), &name("sqrt", got));
            }
        }
    }

    fn check_many(&self, seed: u64, n: u32) {
        let mut random = Random(seed);
        for _ in 0..n {
            let [a, b, c] = [(); 3].map(|()| random.float(self.format));
            self.check(a, b, c);
            // An addend next to the negated product makes the sum cancel down to its last bits.
            let product = (self.mul)(a, b, Rounding::Near);
            self.check(a, b, (product ^ self.format.sign()).wrapping_add(random.below(5)).wrapping_sub(2));
        }
    }
}

#[test]
fn single_precision_rounds_correctly_in_every_mode() {
    SINGLE.check_many(1, 4_000);
}

#[test]
fn double_precision_rounds_correctly_in_every_mode() {
    DOUBLE.check_many(2, 1_500);
}

#[test]
fn the_integer_arithmetic_rounds_to_nearest_as_the_host_does() {
    let mut random = Random(3);
    for _ in 0..200_000 {
        let [a, b, c] = [(); 3].map(|()| random.float(Format::F64));
        let [x, y, z] = [a, b, c].map(f64::from_bits);
        if !(x.is_finite() && y.is_finite() && z.is_finite()) {
            continue;
        }
        let near = Rounding::Near;
        assert_eq!(soft::add(Format::F64, a, b, near), (x + y).to_bits());
        assert_eq!(soft::mul(Format::F64, a, b, near), (x * y).to_bits());
        assert_eq!(soft::fma(Format::F64, a, b, c, near), x.mul_add(y, z).to_bits(), "{a:#x} {b:#x} {c:#x}");
        if y != 0.0 {
            assert_eq!(soft::div(Format::F64, a, b, near), (x / y).to_bits());
        }
        assert_eq!(soft::sqrt(Format::F64, a & !(1 << 63), near), x.abs().sqrt().to_bits());
    }
}

#[test]
fn the_fast_single_fma_is_the_library_s() {
    let mut random = Random(4);
    for _ in 0..300_000 {
        let [a, b, c] = [(); 3].map(|()| single(random.float(Format::F32)));
        let close = f32::from_bits((-(a * b)).to_bits().wrapping_add(random.below(5) as u32).wrapping_sub(2));
        for c in [c, close] {
            assert_eq!(fma32_near(a, b, c).to_bits(), nan::canon32(a.mul_add(b, c)).to_bits(), "{a:e} {b:e} {c:e}");
        }
    }
}

#[test]
fn overflow_stops_at_the_largest_number_on_the_way_inward() {
    let (max, inf) = (f32::MAX, f32::INFINITY);
    let sums = |a: f32, b: f32| ROUNDINGS.map(|r| add32(a, b, r));
    assert_eq!(sums(max, max), [inf, max, max, inf]);
    assert_eq!(sums(-max, -max), [-inf, -max, -inf, -max]);
    assert_eq!(sums(max, 1.0), [max, max, max, inf]);
    assert_eq!(ROUNDINGS.map(|r| mul64(f64::MAX, -2.0, r)), [-f64::INFINITY, -f64::MAX, -f64::INFINITY, -f64::MAX]);
    let tiny = f32::from_bits(1);
    assert_eq!(ROUNDINGS.map(|r| mul32(tiny, tiny, r)), [0.0, 0.0, 0.0, tiny]);
    assert_eq!(ROUNDINGS.map(|r| mul32(-tiny, tiny, r).to_bits()), [1 << 31, 1 << 31, 1 << 31 | 1, 1 << 31]);
}

#[test]
fn a_sum_of_opposites_is_minus_zero_downwards_only() {
    let zeros = ROUNDINGS.map(|r| add32(1.5, -1.5, r).to_bits() >> 31);
    assert_eq!(zeros, [0, 0, 1, 0]);
    assert_eq!(ROUNDINGS.map(|r| sub64(1.5, 1.5, r).to_bits() >> 63), [0, 0, 1, 0]);
    assert_eq!(ROUNDINGS.map(|r| fma32(2.0, 3.0, -6.0, r).to_bits() >> 31), [0, 0, 1, 0]);
    assert_eq!(ROUNDINGS.map(|r| add32(-0.0, -0.0, r).to_bits() >> 31), [1; 4]);
}

#[test]
fn every_single_nan_is_the_canonical_one() {
    let inf = f32::INFINITY;
    for r in ROUNDINGS {
        let nans = [
            add32(inf, -inf, r),
            sub32(inf, inf, r),
            mul32(0.0, -inf, r),
            div32(0.0, 0.0, r),
            div32(inf, inf, r),
            fma32(0.0, inf, 1.0, r),
            sqrt32(-1.0, r),
            rcp32(f32::from_bits(0xff80_0001), r),
            add32(f32::from_bits(0x7fc0_1234), 1.0, r),
        ];
        assert_eq!(nans.map(f32::to_bits), [0x7fff_ffff; 9], "{r:?}");
        assert_eq!((rcp32(-0.0, r), rcp32(inf, r), div32(1.0, -inf, r).to_bits()), (-inf, 0.0, 1 << 31));
        assert_eq!((sqrt32(-0.0, r).to_bits(), sqrt32(inf, r)), (1 << 31, inf));
    }
}

#[test]
fn a_double_nan_is_an_operand_or_the_invalid_one() {
    let inf = f64::INFINITY;
    let payload = f64::from_bits(0x7ff0_0000_0000_00ab);
    for r in ROUNDINGS {
        assert_eq!(sub64(inf, inf, r).to_bits(), nan::INVALID64);
        assert_eq!(sqrt64(-1.0, r).to_bits(), nan::INVALID64);
        assert_eq!(fma64(1.0, 2.0, payload, r).to_bits(), 0x7ff8_0000_0000_00ab);
        assert_eq!(sub64(1.0, payload, r).to_bits(), 0x7ff8_0000_0000_00ab);
        assert_eq!(rcp64(payload, r).to_bits(), 0x7ff8_0000_0000_00ab);
        // With several NaN operands, the operation determines which one it returns.
        let [a, b, c] = [0x7ff8_0000_0000_000a, 0x7ff8_0000_0000_000b, 0x7ff8_0000_0000_000c].map(f64::from_bits);
        assert_eq!(
            [add64(a, b, r), sub64(a, b, r), mul64(a, b, r), min64(a, b), max64(a, b)].map(f64::to_bits),
            [b.to_bits(); 5]
        );
        assert_eq!((div64(a, b, r).to_bits(), fma64(a, b, c, r).to_bits()), (a.to_bits(), b.to_bits()));
        assert_eq!(fma64(a, 1.0, c, r).to_bits(), c.to_bits());
    }
    let negative = f64::from_bits(0xfff0_0000_0000_0001);
    assert_eq!([abs64(negative), neg64(negative)].map(f64::to_bits), [0xfff8_0000_0000_0001; 2]);
    assert_eq!((abs64(-2.0), neg64(2.0), neg64(0.0).to_bits()), (2.0, -2.0, 1 << 63));
}

#[test]
fn minimum_and_maximum_prefer_numbers_and_order_the_zeros() {
    let nan = f32::from_bits(0xffc0_0001);
    assert_eq!((min32(nan, 1.0), max32(1.0, nan)), (1.0, 1.0));
    assert_eq!((min32(nan, nan).to_bits(), max32(nan, nan).to_bits()), (0x7fff_ffff, 0x7fff_ffff));
    assert_eq!((min32_nan(nan, 1.0).to_bits(), max32_nan(1.0, nan).to_bits()), (0x7fff_ffff, 0x7fff_ffff));
    for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
        assert_eq!((min32(a, b).to_bits(), max32(a, b).to_bits()), (1 << 31, 0));
        assert_eq!((min64(a as f64, b as f64).to_bits(), max64(a as f64, b as f64).to_bits()), (1 << 63, 0));
    }
    assert_eq!((min32(-2.0, 1.0), max32(-2.0, 1.0), min32_nan(3.0, 2.0), max32_nan(3.0, 2.0)), (-2.0, 1.0, 2.0, 3.0));
    assert_eq!((min64(f64::NAN, 1.0), max64(-3.0, f64::NAN), min64(-2.0, 1.0)), (1.0, -3.0, -2.0));
    assert!(min64(f64::NAN, f64::NAN).is_nan());
}

#[test]
fn flushing_and_saturating() {
    assert_eq!(ftz32(f32::from_bits(0x8000_0001)).to_bits(), 1 << 31);
    assert_eq!(ftz32(f32::from_bits(0x007f_ffff)).to_bits(), 0);
    assert_eq!(ftz32(f32::MIN_POSITIVE), f32::MIN_POSITIVE);
    assert_eq!([-1.0, 0.25, 2.0, f32::INFINITY].map(sat32), [0.0, 0.25, 1.0, 1.0]);
    assert_eq!((sat32(f32::NAN).to_bits(), sat32(-0.0).to_bits()), (0, 0));
    assert_eq!((abs32(-2.0), neg32(2.0), neg32(f32::from_bits(0x7f80_0001)).to_bits()), (2.0, -2.0, 0x7fff_ffff));
}
