//! How far a result may differ from the table's.

use warpscope_kernel::interp::num::{Bf16, F16, Half};

/// The difference that a table allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    Exact,
    /// A bound on the difference.
    Absolute(f64),
    /// A bound on the difference divided by the table's value.
    Relative(f64),
    /// A bound in units in the last place.
    Ulps(u64),
}

/// The floating-point format of a result; packed pairs are compared half by half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    F32,
    F64,
}

impl Tolerance {
    /// Parses `abs 2^-20`, `rel 2^-22` or `ulp 1`.
    pub fn parse(text: &str) -> Option<Tolerance> {
        let (kind, size) = text.split_once(' ')?;
        let power = || size.strip_prefix("2^").and_then(|n| n.parse().ok()).map(|n| 2f64.powi(n));
        match kind {
            "abs" => power().map(Tolerance::Absolute),
            "rel" => power().map(Tolerance::Relative),
            "ulp" => size.parse().ok().map(Tolerance::Ulps),
            _ => None,
        }
    }

    /// Whether `found` is acceptable where the table has `wanted`.
    pub fn allows(self, format: Format, wanted: u64, found: u64) -> bool {
        let half = |n: u32, format: Format| self.allows(format, wanted >> n & 0xffff, found >> n & 0xffff);
        match format {
            Format::F16x2 => return half(0, Format::F16) && half(16, Format::F16),
            Format::Bf16x2 => return half(0, Format::Bf16) && half(16, Format::Bf16),
            _ => {}
        }
        let (w, f) = (format.value(wanted), format.value(found));
        if w.is_nan() || f.is_nan() {
            return w.is_nan() && f.is_nan();
        }
        if w.is_infinite() || f.is_infinite() || w == f {
            return w == f;
        }
        match self {
            Tolerance::Exact => wanted == found,
            Tolerance::Absolute(bound) => (w - f).abs() <= bound,
            Tolerance::Relative(bound) => (w - f).abs() <= bound * w.abs(),
            Tolerance::Ulps(n) => wanted.abs_diff(found) <= n,
        }
    }
}

impl Format {
    /// Returns the format that the first instruction of a form writes.
    pub fn of(text: &str) -> Option<Format> {
        let opcode = text.split_whitespace().next()?;
        match opcode.rsplit('.').next()? {
            "f16" => Some(Format::F16),
            "f16x2" => Some(Format::F16x2),
            "bf16" => Some(Format::Bf16),
            "bf16x2" => Some(Format::Bf16x2),
            "f32" => Some(Format::F32),
            "f64" => Some(Format::F64),
            _ => None,
        }
    }

    fn value(self, bits: u64) -> f64 {
        match self {
            Format::F16 | Format::F16x2 => F16::to_f64(bits as u16),
            Format::Bf16 | Format::Bf16x2 => Bf16::to_f64(bits as u16),
            Format::F32 => f32::from_bits(bits as u32).into(),
            Format::F64 => f64::from_bits(bits),
        }
    }
}
