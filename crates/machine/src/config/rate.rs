//! Bandwidths: bytes per cycle, with a fraction.

use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// A bandwidth in bytes per cycle, stored in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rate {
    thousandths: u32,
}

/// The parts of a cycle in which [`Rate::time`] counts.
pub const PARTS: u64 = 1 << 16;

impl Rate {
    /// Creates a rate of whole bytes per cycle.
    pub const fn whole(bytes: u32) -> Rate {
        Rate { thousandths: bytes * 1000 }
    }

    /// Creates a rate from thousandths of a byte per cycle.
    pub const fn thousandths(thousandths: u32) -> Rate {
        Rate { thousandths }
    }

    /// Returns how long a transfer of `bytes` takes, in [`PARTS`] of a cycle.
    pub fn time(self, bytes: u32) -> u64 {
        u64::from(bytes) * 1000 * PARTS / u64::from(self.thousandths.max(1))
    }

    /// Returns the bytes per cycle.
    pub fn as_f64(self) -> f64 {
        f64::from(self.thousandths) / 1000.0
    }

    /// Returns the rate that `count` units with this rate have together.
    pub const fn times(self, count: u32) -> Rate {
        Rate { thousandths: self.thousandths * count }
    }
}

/// Writes the shortest form, such as `8` or `1.313`.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Rate, String> {
        let wanted = || "a number without a sign and with at most three decimals is allowed".to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(whole) || !is_number(fraction) || fraction.len() > 3 {
            return Err(wanted());
        }
        let fraction: u64 = format!("{fraction:0<3}").parse().map_err(|_| wanted())?;
        let thousandths = whole.parse::<u32>().map_err(|_| wanted())? as u64 * 1000 + fraction;
        u32::try_from(thousandths).map(Rate::thousandths).map_err(|_| wanted())
    }
}

/// Serializes as a number.
impl Serialize for Rate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.thousandths.is_multiple_of(1000) {
            serializer.serialize_u32(self.thousandths / 1000)
        } else {
            serializer.serialize_f64(self.as_f64())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_reads_what_it_writes() {
        for text in ["8", "1.313", "0.5", "177.4"] {
            assert_eq!(text.parse::<Rate>().map(|rate| rate.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "-1", "1.", ".5", "1.2345", "1e3", "x", "9999999999"] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }

    /// 64 bytes at 1.5 bytes per cycle take 42 2/3 cycles.
    #[test]
    fn time_has_fractions() {
        assert_eq!(Rate::whole(32).time(128), 4 * PARTS);
        assert_eq!(Rate::thousandths(1500).time(64), 128 * PARTS / 3);
    }
}
