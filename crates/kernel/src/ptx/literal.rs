//! Number literals of PTX, and their conversion to the bits of an operand's type.

use super::types::Type;

/// A constant whose bits depend on the type of the instruction that uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// Two's complement; `negative` remembers a minus sign for range checks.
    Int { bits: u64, negative: bool },
    /// `0fXXXXXXXX`.
    F32(u32),
    /// `0dXXXXXXXXXXXXXXXX` or a decimal with a point or an exponent.
    F64(u64),
}

impl Literal {
    /// Parses a number; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Literal> {
        let (prefix, rest) = (text.get(..2).unwrap_or(""), text.get(2..).unwrap_or(""));
        let int = |digits: &str, radix| {
            let digits = digits.strip_suffix(['U', 'u']).unwrap_or(digits);
            u64::from_str_radix(digits, radix).ok().map(|bits| Literal::Int { bits, negative: false })
        };
        match prefix {
            "0f" | "0F" if rest.len() == 8 => u32::from_str_radix(rest, 16).ok().map(Literal::F32),
            "0d" | "0D" if rest.len() == 16 => u64::from_str_radix(rest, 16).ok().map(Literal::F64),
            "0x" | "0X" => int(rest, 16),
            "0b" | "0B" => int(rest, 2),
            _ if text.contains(['.', 'e', 'E']) => {
                text.parse().ok().filter(|value: &f64| value.is_finite()).map(|value| Literal::F64(value.to_bits()))
            }
            _ if text.len() > 1 && text.starts_with('0') => int(&text[1..], 8),
            _ => int(text, 10),
        }
    }

    pub fn negate(self) -> Literal {
        match self {
            Literal::Int { bits, negative } => Literal::Int { bits: bits.wrapping_neg(), negative: !negative },
            Literal::F32(bits) => Literal::F32(bits ^ 1 << 31),
            Literal::F64(bits) => Literal::F64(bits ^ 1 << 63),
        }
    }

    /// Returns the bits for an operand of type `ty`, cut to its width; `None` if PTX gives the constant no meaning there.
    pub fn bits(self, ty: Type) -> Option<u64> {
        let mask = match ty.bits() {
            n if n >= 64 => u64::MAX,
            n => (1u64 << n) - 1,
        };
        match (self, ty) {
            (Literal::Int { bits, .. }, Type::Pred) => Some((bits != 0) as u64),
            (Literal::Int { .. }, Type::F32 | Type::F64) => None,
            (Literal::Int { bits, .. }, _) => Some(bits & mask),
            (Literal::F32(bits), Type::F64) => Some(f64::from(f32::from_bits(bits)).to_bits()),
            (Literal::F32(bits), Type::F32 | Type::B32 | Type::U32 | Type::S32 | Type::B64 | Type::U64 | Type::S64) => {
                Some(bits.into())
            }
            (Literal::F64(bits), Type::F64 | Type::B64 | Type::U64 | Type::S64) => Some(bits),
            (Literal::F64(bits), Type::F32 | Type::B32) => Some((f64::from_bits(bits) as f32).to_bits().into()),
            _ => None,
        }
    }

    /// Returns the value as an address offset, a size or an alignment; `None` for a float.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Literal::Int { bits, .. } => Some(bits as i64),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_is_read() {
        for (text, ty, bits) in [
            ("42", Type::U32, 42),
            ("0x1fU", Type::U32, 31),
            ("017", Type::U32, 15),
            ("0", Type::U32, 0),
            ("0b101", Type::B32, 5),
            ("0f3f800000", Type::F32, 0x3f80_0000),
            ("0f3f800000", Type::B32, 0x3f80_0000),
            ("0f3f800000", Type::F64, 1f64.to_bits()),
            ("0d3ff0000000000000", Type::F64, 1f64.to_bits()),
            ("1.5", Type::F32, 1.5f32.to_bits() as u64),
            ("1e3", Type::F64, 1e3f64.to_bits()),
            (".5", Type::F64, 0.5f64.to_bits()),
            ("2.", Type::F64, 2f64.to_bits()),
            ("0.1", Type::F64, 0x3fb9_9999_9999_999a),
            ("18446744073709551615", Type::U64, u64::MAX),
        ] {
            assert_eq!(Literal::parse(text).and_then(|l| l.bits(ty)), Some(bits), "{text} as {ty}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["0x", "12ab", "0f12", "18446744073709551616", "1e999", "09", "e5", ".", "1e", "1.2.3", "1 .", "0x1.8"] {
            assert_eq!(Literal::parse(text), None, "{text}");
        }
        assert_eq!(Literal::parse("1").and_then(|l| l.bits(Type::F32)), None);
    }

    #[test]
    fn a_minus_sign_is_cut_to_the_width() {
        let minus_one = Literal::parse("1").map(Literal::negate);
        assert_eq!(minus_one.and_then(|l| l.bits(Type::S16)), Some(0xffff));
        assert_eq!(Literal::parse("0f3f800000").map(Literal::negate), Some(Literal::F32(0xbf80_0000)));
    }
}
