//! Numbers on axes: the positions of ticks and the format of values.

use std::ops::Range;

/// Formats a count with its thousands set apart: 1 234 567.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 * 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            // A narrow no-break space.
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Formats a value with about three significant digits.
pub fn decimal(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => grouped(value.round() as u64),
        size if size >= 10.0 || size == 0.0 => trimmed(value, 1),
        size if size >= 0.01 => trimmed(value, 2),
        _ => trimmed(value, 4),
    }
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Returns the smallest tidy step that divides `top` into at most `most` parts. Whole steps are 1, 2 or 5 times a power of ten;
/// others may also be 2.5 times one.
pub fn step(top: f64, most: usize, whole: bool) -> f64 {
    if !(top.is_finite() && top > 0.0) {
        return 1.0;
    }
    let least = top / most.max(1) as f64;
    let power = 10f64.powf(least.log10().floor());
    let multiples: &[f64] = if whole { &[1.0, 2.0, 5.0, 10.0] } else { &[1.0, 2.0, 2.5, 5.0, 10.0] };
    let tidy = multiples.iter().map(|multiple| multiple * power).find(|step| *step >= least * (1.0 - 1e-9));
    let tidy = tidy.unwrap_or(10.0 * power);
    if whole { tidy.max(1.0) } else { tidy }
}

/// The ticks of an axis: its length, and the values to write. An axis begins at zero unless it shows cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    pub top: f64,
    pub values: Vec<f64>,
    decimals: usize,
}

impl Ticks {
    /// Returns ticks for values up to `largest`; the axis ends at a tick.
    pub fn around(largest: f64, most: usize) -> Ticks {
        let largest = if largest.is_finite() && largest > 0.0 { largest } else { 1.0 };
        let step = step(largest, most, false);
        Ticks::every(step, (largest / step - 1e-9).ceil().max(1.0) * step)
    }

    /// Returns ticks for an axis that ends at `top`, whatever the values are.
    pub fn up_to(top: f64, most: usize) -> Ticks {
        // Warp widths are powers of two, and read best in halves and quarters.
        let halves = (4.0..=64.0).contains(&top) && top.log2().fract() == 0.0;
        let step = match halves {
            true if most >= 4 => top / 4.0,
            true => top / 2.0,
            false => step(top, most, false),
        };
        Ticks::every(step, top)
    }

    /// Returns ticks for a range of cycles, which need not begin at 0.
    pub fn cycles(shown: Range<u64>, most: usize) -> Ticks {
        let (start, end) = (shown.start as f64, shown.end.max(shown.start + 1) as f64);
        let step = step(end - start, most, true);
        let mut ticks = Ticks::every(step, end - start);
        let first = (start / step).ceil() * step;
        ticks.values = ticks.values.iter().map(|tick| tick + first).filter(|&tick| tick <= end).collect();
        ticks
    }

    fn every(step: f64, top: f64) -> Ticks {
        let count = (top / step + 1e-9) as usize;
        let decimals = (0..6).find(|&decimals| {
            let scaled = step * 10f64.powi(decimals as i32);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        });
        Ticks { top, values: (0..=count.min(64)).map(|at| at as f64 * step).collect(), decimals: decimals.unwrap_or(6) }
    }

    /// Formats a tick's value.
    pub fn label(&self, value: f64) -> String {
        if self.decimals == 0 { grouped(value.round() as u64) } else { format!("{value:.*}", self.decimals) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<String> {
        ticks.values.iter().map(|&value| ticks.label(value)).collect()
    }

    #[test]
    fn thousands_stand_apart() {
        let written: Vec<String> = [0, 12, 999, 1000, 1_234_567].into_iter().map(grouped).collect();
        assert_eq!(written, ["0", "12", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
    }

    #[test]
    fn values_have_the_digits_that_matter() {
        let written: Vec<String> = [0.0, 0.0042, 0.5, 3.146, 31.46, 99.96, 314.6, 31_460.0].into_iter().map(decimal).collect();
        assert_eq!(written, ["0", "0.0042", "0.5", "3.15", "31.5", "100", "315", "31\u{202f}460"]);
    }

    #[test]
    fn ticks_are_tidy_and_not_too_many() {
        assert_eq!(labels(&Ticks::up_to(100.0, 4)), ["0", "25", "50", "75", "100"]);
        assert_eq!(labels(&Ticks::up_to(100.0, 2)), ["0", "50", "100"]);
        assert_eq!(labels(&Ticks::up_to(32.0, 5)), ["0", "8", "16", "24", "32"]);
        assert_eq!(labels(&Ticks::around(0.93, 4)), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(labels(&Ticks::around(47.0, 5)), ["0", "10", "20", "30", "40", "50"]);
        assert_eq!(labels(&Ticks::cycles(0..3, 8)), ["0", "1", "2", "3"]);
        assert_eq!(labels(&Ticks::cycles(0..23_456, 4)), ["0", "10\u{202f}000", "20\u{202f}000"]);
        assert_eq!(labels(&Ticks::cycles(130..260, 4)), ["150", "200", "250"]);
        assert_eq!(labels(&Ticks::cycles(7..7, 4)), ["7", "8"]);
        for most in 1..9 {
            for top in [0.003, 0.7, 1.0, 13.0, 99.0, 1e6, 7.3e9] {
                assert!(Ticks::around(top, most).values.len() <= most + 1, "{top} in {most}");
                assert!(Ticks::around(top, most).top >= top * (1.0 - 1e-9));
            }
        }
    }

    #[test]
    fn an_axis_of_nothing_is_still_an_axis() {
        for largest in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let ticks = Ticks::around(largest, 4);
            assert!(ticks.top == 1.0 && ticks.values.len() >= 2, "{largest}: {ticks:?}");
        }
    }
}
