//! Elementary functions in f64 from `+ - * /` and bit operations alone, so that every host computes the same digits.
//!
//! Their error is about 2^-48 in their range, far below the precision of the f32 results rounded from them. Exact results
//! (powers of two, quarter turns) are computed exactly. Each function reduces its argument to a small interval and evaluates
//! the Taylor series there.

use std::f64::consts::{LN_2, TAU};

/// Adding and subtracting this rounds an f64 of magnitude below 2^51 to an integer.
const INTEGRAL: f64 = 6_755_399_441_055_744.0; // 1.5 × 2^52

/// 2^x, for |x| up to 1000.
pub fn exp2(x: f64) -> f64 {
    let whole = (x + INTEGRAL) - INTEGRAL;
    let power = f64::from_bits(((1023 + whole as i64) as u64) << 52);
    series(&EXP, (x - whole) * LN_2) * power
}

/// The logarithm to base 2 of a positive normal number.
pub fn log2(x: f64) -> f64 {
    // x = 2^exponent × m with m from √½ to √2, so that the logarithm of m is near zero where x is near one.
    const SQRT_HALF_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
    let offset = x.to_bits().wrapping_sub(SQRT_HALF_BITS);
    let exponent = offset as i64 >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((exponent as u64) << 52));
    // ln m = 2 artanh((m - 1) / (m + 1)), |s| up to 0.172.
    let s = (m - 1.0) / (m + 1.0);
    exponent as f64 + series(&ARTANH, s * s) * s * (2.0 / LN_2)
}

/// Sine and cosine of `turns` full turns, for |turns| below 2^50.
pub fn sin_cos_turns(turns: f64) -> (f64, f64) {
    let rest = turns - ((turns + INTEGRAL) - INTEGRAL);
    let quarter = (rest * 4.0 + INTEGRAL) - INTEGRAL;
    let angle = (rest - quarter * 0.25) * TAU;
    let square = angle * angle;
    let (sin, cos) = (series(&SIN, square) * angle, series(&COS, square));
    match quarter as i64 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The hyperbolic tangent of any number.
pub fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < 0.001 {
        // The exp2 formula would lose digits by cancellation here; three series terms leave an error below 2^-60.
        let square = x * x;
        return x * (1.0 - square * (1.0 / 3.0 - square * (2.0 / 15.0)));
    }
    let grown = exp2(magnitude.min(40.0) * (2.0 / LN_2));
    let result = 1.0 - 2.0 / (grown + 1.0);
    if x < 0.0 { -result } else { result }
}

/// Evaluates the polynomial with these coefficients, constant term first.
fn series(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, &c| sum * x + c)
}

/// 1/n!, for e^x to within 2^-56 where |x| is up to ln 2 / 2.
static EXP: [f64; 14] = reciprocal_factorials(0, 1, 1.0);
/// Coefficients in x² of sin x / x and, below, of cos x, for |x| up to an eighth turn.
static SIN: [f64; 9] = reciprocal_factorials(1, 2, -1.0);
static COS: [f64; 9] = reciprocal_factorials(0, 2, -1.0);
/// Coefficients in x² of artanh x / x: 1, 1/3, 1/5 and so on.
static ARTANH: [f64; 11] = reciprocal_odd_numbers();

/// Returns `sign^k / (first + k × step)!` for k from 0.
const fn reciprocal_factorials<const N: usize>(first: u64, step: u64, sign: f64) -> [f64; N] {
    let mut table = [0.0; N];
    let (mut n, mut factorial, mut k, mut sign_k) = (0, 1u64, 0, 1.0);
    while k < N {
        while n < first + k as u64 * step {
            n += 1;
            factorial *= n;
        }
        table[k] = sign_k / factorial as f64;
        sign_k *= sign;
        k += 1;
    }
    table
}

const fn reciprocal_odd_numbers<const N: usize>() -> [f64; N] {
    let mut table = [0.0; N];
    let mut k = 0;
    while k < N {
        table[k] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a result to within 2^-46 of the host's function, relative to the value or to one, whichever is larger.
    fn check(name: &str, x: f64, got: f64, expected: f64) {
        let error = (got - expected).abs() / expected.abs().max(1.0);
        assert!(error < 1.5e-14, "{name} {x} is {got:e}, not {expected:e}");
    }

    #[test]
    fn the_functions_agree_with_the_host_s_to_fourteen_digits() {
        for n in -5000..5000 {
            let x = n as f64 / 250.0 + 0.000_123;
            check("exp2", x, exp2(x), x.exp2());
            check("tanh", x, tanh(x), x.tanh());
            check("log2", x, log2(x.abs()), x.abs().log2());
            let (sin, cos) = sin_cos_turns(x / TAU);
            check("sin", x, sin, x.sin());
            check("cos", x, cos, x.cos());
        }
    }

    #[test]
    fn exact_results_are_exact() {
        for n in -1000..1000 {
            assert_eq!(log2(exp2(n as f64)), n as f64);
        }
        assert_eq!([0.25, 0.5, 0.75, 1.0].map(|t| sin_cos_turns(t).0), [1.0, 0.0, -1.0, 0.0]);
        assert_eq!([0.25, 0.5, 0.75, 1.0].map(|t| sin_cos_turns(t).1), [0.0, -1.0, 0.0, 1.0]);
        assert_eq!((tanh(1e-200), tanh(-400.0)), (1e-200, -1.0));
    }
}
