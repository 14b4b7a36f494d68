//! Decimal numbers, read as the nearest double. In a page the browser reads them: it rounds as correctly, and the tables
//! that reading takes would be 10 kB of every download.

/// The double nearest to a plain decimal number, with or without sign, point and exponent; infinite if it is too large.
pub fn read(text: &str) -> Option<f64> {
    // JavaScript takes more for a number: nothing at all, hexadecimals, spaces.
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    let number = if is_plain && text.bytes().any(|byte| byte.is_ascii_digit()) { nearest(text) } else { f64::NAN };
    (!number.is_nan()).then_some(number)
}

#[cfg(not(target_arch = "wasm32"))]
fn nearest(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

#[cfg(target_arch = "wasm32")]
use crate::web::nearest;

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn only_plain_decimals_are_numbers() {
        assert_eq!(read("-1.5e3"), Some(-1500.0));
        assert_eq!((read(".5"), read("2."), read("+7")), (Some(0.5), Some(2.0), Some(7.0)));
        assert_eq!(read("0.1").map(f64::to_bits), Some(0x3fb9_9999_9999_999a));
        assert_eq!(read("1e999"), Some(f64::INFINITY));
        for text in ["", " 1", "1 ", "0x10", "e5", ".", "-", "1e", "1.2.3", "--1", "inf", "nan", "Infinity"] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
