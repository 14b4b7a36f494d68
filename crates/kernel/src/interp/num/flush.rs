//! `.ftz` for operations where flushing the rounded result is not enough.
//!
//! A GPU decides whether to flush by rounding the result to the format's precision with an unbounded exponent range. Just below
//! the smallest normal number, that rounding keeps one bit more than a subnormal has. A value there can therefore be flushed
//! although rounding it into the format would give the smallest normal number. Sums of flushed operands have no bits that low,
//! and roots are never that small: for those, applying [`ftz32`] to operands and result is enough.

use super::float32::{div32, fma_odd, fma32, ftz32, mul32};
use super::soft::Format;
use crate::ptx::types::Rounding;

#[inline(always)]
pub fn mul32_ftz(a: f32, b: f32, r: Rounding) -> f32 {
    let (a, b) = (ftz32(a), ftz32(b));
    flush_if(is_tiny(Format::F32, a as f64 * b as f64, r), mul32(a, b, r))
}

#[inline(always)]
pub fn fma32_ftz(a: f32, b: f32, c: f32, r: Rounding) -> f32 {
    let (a, b, c) = (ftz32(a), ftz32(b), ftz32(c));
    flush_if(is_tiny(Format::F32, fma_odd(a as f64, b as f64, c as f64), r), fma32(a, b, c, r))
}

#[inline(always)]
pub fn div32_ftz(a: f32, b: f32, r: Rounding) -> f32 {
    let (a, b) = (ftz32(a), ftz32(b));
    // The f64 quotient is precise enough: the quotient of two f32 is never closer to the bound than an f64 resolves.
    flush_if(is_tiny(Format::F32, a as f64 / b as f64, r), div32(a, b, r))
}

#[inline(always)]
pub fn rcp32_ftz(a: f32, r: Rounding) -> f32 {
    div32_ftz(1.0, a, r)
}

#[inline(always)]
fn flush_if(tiny: bool, x: f32) -> f32 {
    f32::from_bits(if tiny { x.to_bits() & 0x8000_0000 } else { x.to_bits() })
}

/// Returns whether `exact` is below the smallest normal number when rounded to the precision of `format` with an unbounded
/// exponent. `exact` may have been rounded to odd.
#[inline(always)]
pub(super) fn is_tiny(format: Format, exact: f64, r: Rounding) -> bool {
    let smallest = power_of_two(1 - format.bias());
    // The largest number of full precision below the smallest normal number, and the midpoint between the two.
    let (below, middle) = (last_below(smallest, format.fraction + 1), last_below(smallest, format.fraction + 2));
    let outward = match r {
        Rounding::Near => return exact.abs() < middle,
        Rounding::Zero => false,
        Rounding::Down => exact < 0.0,
        Rounding::Up => exact > 0.0,
    };
    if outward { exact.abs() <= below } else { exact.abs() < smallest }
}

#[inline(always)]
fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

/// Returns `power × (1 - 2^-bits)`.
#[inline(always)]
fn last_below(power: f64, bits: u32) -> f64 {
    power - power * power_of_two(-(bits as i32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::num::half::{F16, Half, HalfModes};
    use crate::interp::num::soft::{self, Finite};
    use crate::interp::num::tests::exact::{ROUNDINGS, Random};

    #[test]
    fn tiny_is_what_a_format_with_more_exponents_rounds_below_the_smallest_normal() {
        let mut random = Random(1);
        for format in [Format::F16, Format::F32] {
            let wide = Format { exponent: 11, ..format };
            let smallest = ((wide.bias() + 1 - format.bias()) as u64) << format.fraction;
            for _ in 0..50_000 {
                // Within a few units in the last place around the format's smallest normal number, often on a tie.
                let units = random.below(64) as f64 - 32.0 + [0.0, 0.5, 1e-3][random.below(3) as usize];
                let x = power_of_two(1 - format.bias()) * (1.0 + units * power_of_two(-(format.fraction as i32) - 2));
                let x = if random.below(2) == 0 { x } else { -x };
                for r in ROUNDINGS {
                    let rounded = soft::round(wide, Finite::unpack(Format::F64, x.to_bits()), r) & !wide.sign();
                    assert_eq!(is_tiny(format, x, r), rounded < smallest, "{x:e} {r:?}");
                }
            }
        }
    }

    #[test]
    fn products_and_quotients_flush_before_they_reach_the_smallest_normal() {
        let (smallest, below_one) = (f32::MIN_POSITIVE, f32::from_bits(0x3f7f_ffff));
        let flushed = |x: f32| x.to_bits() & 0x7fff_ffff == 0;
        for r in ROUNDINGS {
            assert!(flushed(mul32_ftz(smallest, below_one, r)) && flushed(fma32_ftz(smallest, below_one, 0.0, r)));
            assert!(flushed(div32_ftz(f32::from_bits(0x00ff_ffff), 2.0, r)));
            assert!(flushed(div32_ftz(smallest, f32::from_bits(0x3f80_0001), r)));
            assert_eq!(mul32_ftz(smallest, 1.0, r), smallest);
            assert_eq!((div32_ftz(1.0, f32::from_bits(1), r), rcp32_ftz(0.0, r)), (f32::INFINITY, f32::INFINITY));
            assert_eq!(mul32_ftz(f32::NAN, 1.0, r).to_bits(), 0x7fff_ffff);
        }
        assert_eq!(mul32_ftz(-smallest, below_one, Rounding::Near).to_bits(), 1 << 31);
        let ftz = HalfModes { ftz: true, ..HalfModes::default() };
        assert_eq!(
            (F16::mul(0x0400, 0x3bff, ftz), F16::mul(0x8400, 0x3bff, ftz), F16::mul(0x0400, 0x3c00, ftz)),
            (0, 0x8000, 0x0400)
        );
    }

    #[test]
    fn ordinary_results_are_the_same_as_without() {
        let mut random = Random(2);
        for _ in 0..20_000 {
            let [a, b, c] = [(); 3].map(|()| ftz32(f32::from_bits(random.float(Format::F32) as u32)));
            for r in ROUNDINGS {
                for (plain, flushing) in [
                    (mul32(a, b, r), mul32_ftz(a, b, r)),
                    (div32(a, b, r), div32_ftz(a, b, r)),
                    (fma32(a, b, c, r), fma32_ftz(a, b, c, r)),
                ] {
                    if plain.abs() != f32::MIN_POSITIVE {
                        assert_eq!(ftz32(plain).to_bits(), flushing.to_bits(), "{a:e} {b:e} {c:e} {r:?}");
                    }
                }
            }
        }
    }
}
