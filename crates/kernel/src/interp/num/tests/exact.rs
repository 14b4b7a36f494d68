//! An independent check for the tests: whether a result is the correct rounding of an exact value.
//!
//! It does not use the arithmetic under test. Numbers are big integers times powers of two. The values of a format are numbered
//! in ascending order by their bits, their *place*. A result is correct if the exact value lies in the interval around its
//! place that the rounding maps to it.

use crate::interp::num::soft::Format;
use crate::ptx::types::Rounding;
use std::cmp::Ordering;

pub const ROUNDINGS: [Rounding; 4] = [Rounding::Near, Rounding::Zero, Rounding::Down, Rounding::Up];

/// A small deterministic random number generator (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Returns the bits of a random number of this format: any bits, an exponent near that of one (so that operands have
    /// similar magnitudes), a subnormal, a fraction of few or nearly all ones, or an edge of the range.
    pub fn float(&mut self, format: Format) -> u64 {
        let all = format.sign() | (format.sign() - 1);
        let fraction = (1 << format.fraction) - 1;
        let bits = self.next() & all;
        match self.below(10) {
            0..3 => bits,
            3..6 => {
                let field = (format.bias() as u64 + self.below(9)).wrapping_sub(4) << format.fraction;
                bits & (format.sign() | fraction) | field
            }
            6 => bits & (format.sign() | fraction),
            7 => bits & (format.sign() | format.infinity() | 3),
            8 => (bits & format.sign()) | (bits & format.infinity() | fraction & !self.below(4)),
            _ => {
                let smallest_normal = 1 << format.fraction;
                let edges = [0, 1, 2, 3, smallest_normal, format.infinity() - 1, format.infinity(), format.infinity() + 1];
                let near_smallest = smallest_normal + self.below(5) - 2;
                let edge = [edges[self.below(8) as usize], near_smallest][self.below(2) as usize];
                edge | bits & format.sign()
            }
        }
    }
}

/// A natural number, least significant word first, without zero words at the top.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Natural(Vec<u64>);

impl Natural {
    fn new(words: Vec<u64>) -> Natural {
        let len = words.iter().rposition(|&w| w != 0).map_or(0, |top| top + 1);
        Natural(words[..len].to_vec())
    }

    fn shl(&self, n: u32) -> Natural {
        let mut words = vec![0; (n / 64) as usize];
        let mut carry = 0u128;
        for &w in &self.0 {
            carry |= (w as u128) << (n % 64);
            words.push(carry as u64);
            carry >>= 64;
        }
        words.push(carry as u64);
        Natural::new(words)
    }

    fn add(&self, other: &Natural) -> Natural {
        let word = |n: &Natural, i: usize| n.0.get(i).copied().unwrap_or(0) as u128;
        let mut carry = 0;
        let words = (0..=self.0.len().max(other.0.len())).map(|i| {
            carry += word(self, i) + word(other, i);
            let low = carry as u64;
            carry >>= 64;
            low
        });
        Natural::new(words.collect())
    }

    /// Subtracts `other`, which must not exceed `self`.
    fn sub(&self, other: &Natural) -> Natural {
        let mut borrow = 0;
        let words = self.0.iter().enumerate().map(|(i, &w)| {
            let taken = other.0.get(i).copied().unwrap_or(0) as i128 + borrow;
            let left = w as i128 - taken;
            borrow = (left < 0) as i128;
            left as u64
        });
        Natural::new(words.collect())
    }

    fn mul(&self, other: &Natural) -> Natural {
        let mut words = vec![0u64; self.0.len() + other.0.len() + 1];
        for (i, &a) in self.0.iter().enumerate() {
            let mut carry = 0u128;
            for (j, &b) in other.0.iter().chain([&0]).enumerate() {
                carry += words[i + j] as u128 + a as u128 * b as u128;
                words[i + j] = carry as u64;
                carry >>= 64;
            }
        }
        Natural::new(words)
    }

    fn cmp(&self, other: &Natural) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

/// An exact number: `±mant × 2^exp`.
#[derive(Clone, Debug)]
pub struct Exact {
    negative: bool,
    mant: Natural,
    exp: i32,
}

impl Exact {
    pub fn integer(value: i128) -> Exact {
        let magnitude = value.unsigned_abs();
        let mant = Natural::new(vec![magnitude as u64, (magnitude >> 64) as u64]);
        Exact { negative: value < 0, mant, exp: 0 }
    }

    /// Returns the number at a place. The place of infinity gives the power of two after the largest number.
    fn at(format: Format, place: i64) -> Exact {
        let bits = place.unsigned_abs();
        let (field, fraction) = (bits >> format.fraction, bits & ((1 << format.fraction) - 1));
        let (mant, field) = if field == 0 { (fraction, 1) } else { (fraction + (1 << format.fraction), field) };
        let exp = field as i32 - format.bias() - format.fraction as i32;
        Exact { negative: place < 0, mant: Natural::new(vec![mant]), exp }
    }

    /// Returns the exact value of finite bits.
    pub fn of(format: Format, bits: u64) -> Exact {
        Exact::at(format, place(format, bits))
    }

    pub fn is_zero(&self) -> bool {
        self.mant.0.is_empty()
    }

    pub fn is_negative(&self) -> bool {
        self.negative
    }

    pub fn mul(&self, other: &Exact) -> Exact {
        Exact { negative: self.negative != other.negative, mant: self.mant.mul(&other.mant), exp: self.exp + other.exp }
    }

    pub fn add(&self, other: &Exact) -> Exact {
        let exp = self.exp.min(other.exp);
        let (a, b) = (self.mant.shl((self.exp - exp) as u32), other.mant.shl((other.exp - exp) as u32));
        let (negative, mant) = match a.cmp(&b) {
            _ if self.negative == other.negative => (self.negative, a.add(&b)),
            Ordering::Less => (other.negative, b.sub(&a)),
            _ => (self.negative, a.sub(&b)),
        };
        Exact { negative, mant, exp }
    }

    pub fn neg(&self) -> Exact {
        Exact { negative: !self.negative, ..self.clone() }
    }

    pub fn cmp(&self, other: &Exact) -> Ordering {
        let difference = self.add(&other.neg());
        match (difference.is_zero(), difference.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }
}

/// Returns the place of these bits; both zeros have place 0.
fn place(format: Format, bits: u64) -> i64 {
    let magnitude = (bits & !format.sign()) as i64;
    if bits & format.sign() != 0 { -magnitude } else { magnitude }
}

/// Panics unless `bits` is the rounding of a non-zero value, given by its sign and by how it compares to other numbers.
pub fn check_rounded(
    format: Format,
    bits: u64,
    r: Rounding,
    negative: bool,
    compared_to: impl Fn(&Exact) -> Ordering,
    what: &dyn Fn() -> String,
) {
    assert!(bits & !format.sign() <= format.infinity(), "{} is no number", what());
    assert_eq!(bits & format.sign() != 0, negative, "{} has the wrong sign", what());
    // Magnitudes are compared; a negative sign only swaps rounding up and rounding down.
    let here = place(format, bits).abs();
    let signed = |x: Exact| if negative { x.neg() } else { x };
    let outward = |x: Exact| {
        let order = compared_to(&signed(x));
        if negative { order.reverse() } else { order }
    };
    let infinite = format.infinity() as i64;
    let away = match r {
        Rounding::Near => {
            // The midpoint between two neighbours is half of their sum.
            let middle = |n: i64| {
                let sum = Exact::at(format, n).add(&Exact::at(format, n + 1));
                Exact { exp: sum.exp - 1, ..sum }
            };
            let even = here % 2 == 0;
            if here > 0 {
                let order = outward(middle(here - 1));
                assert!(order == Ordering::Greater || even && order == Ordering::Equal, "{} is too large", what());
            }
            if here < infinite {
                let order = outward(middle(here));
                assert!(order == Ordering::Less || even && order == Ordering::Equal, "{} is too small", what());
            }
            return;
        }
        Rounding::Zero => false,
        Rounding::Down => negative,
        Rounding::Up => !negative,
    };
    if away {
        assert!(here > 0 && outward(Exact::at(format, here - 1)) == Ordering::Greater, "{} is too large", what());
        assert!(here == infinite || outward(Exact::at(format, here)) != Ordering::Greater, "{} is too small", what());
    } else {
        assert!(outward(Exact::at(format, here)) != Ordering::Less, "{} is too large", what());
        let last = here == infinite - 1;
        assert!(last || outward(Exact::at(format, here + 1)) == Ordering::Less, "{} is too small", what());
    }
}

/// Panics unless `bits` is the rounding of `value`; a zero must have the sign `zero_negative`.
pub fn check_value(format: Format, bits: u64, r: Rounding, value: &Exact, zero_negative: bool, what: &dyn Fn() -> String) {
    if value.is_zero() {
        assert_eq!(bits, if zero_negative { format.sign() } else { 0 }, "{} is not the right zero", what());
    } else {
        check_rounded(format, bits, r, value.is_negative(), |x| value.cmp(x), what);
    }
}

#[test]
fn the_judge_knows_right_from_wrong() {
    let check = |bits: f32, r, value: i128| {
        let (bits, value) = (bits.to_bits() as u64, Exact::integer(value));
        std::panic::catch_unwind(|| check_value(Format::F32, bits, r, &value, false, &|| "it".into())).is_ok()
    };
    // 2^24 + 1 lies half way between 2^24 and 2^24 + 2.
    let (low, high) = (16_777_216.0, 16_777_218.0);
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let verdicts = ROUNDINGS.map(|r| (check(low, r, 0x100_0001), check(high, r, 0x100_0001)));
    let negative = ROUNDINGS.map(|r| (check(-low, r, -0x100_0001), check(-high, r, -0x100_0001)));
    let off = ROUNDINGS.map(|r| check(low, r, 0x100_0003));
    std::panic::set_hook(previous);
    assert_eq!(verdicts, [(true, false), (true, false), (true, false), (false, true)]);
    assert_eq!(negative, [(true, false), (true, false), (false, true), (true, false)]);
    assert_eq!(off, [false; 4]);
}
