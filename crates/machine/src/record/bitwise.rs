//! Bit-sliced numbers, one for each of 64 warps: word k holds bit k of all 64 numbers. Additions and comparisons go through the
//! words as an adder goes through its bits, for all 64 warps at once.

use crate::event::{Reason, Reasons};

/// The code of a warp that is not resident; the code of a reason is its position in [`Reason::ALL`].
pub const GONE: u8 = Reason::ALL.len() as u8;
/// How many codes there are.
const CODES: usize = GONE as usize + 1;

/// The warps that have each code.
pub type WarpBits = [u64; CODES];

/// Returns the warps with each reason, and those that are not resident.
#[inline]
pub fn sets(reasons: &Reasons) -> WarpBits {
    let mut sets = [0; CODES];
    sets[..Reason::ALL.len()].copy_from_slice(reasons);
    sets[CODES - 1] = !reasons.iter().fold(0, |all, warps| all | warps);
    sets
}

/// A code for each warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Codes([u64; 4]);

impl Codes {
    /// Builds the codes; every warp must be in exactly one of the sets.
    #[inline]
    pub fn new(sets: &WarpBits) -> Codes {
        let bit = |at: usize| sets.iter().enumerate().filter(|(code, _)| code >> at & 1 != 0).fold(0, |all, (_, set)| all | set);
        Codes(std::array::from_fn(bit))
    }

    /// Returns the codes of 64 warps of which none is resident.
    pub fn gone() -> Codes {
        Codes::new(&sets(&[0; Reason::ALL.len()]))
    }

    /// Returns the number of one lane.
    pub fn get(&self, lane: u32) -> u8 {
        self.0.iter().enumerate().fold(0, |code, (bit, word)| code | ((word >> lane & 1) as u8) << bit)
    }

    /// Returns the warps whose codes differ.
    pub fn differ(&self, other: &Codes) -> u64 {
        self.0.iter().zip(&other.0).fold(0, |all, (one, two)| all | one ^ two)
    }

    fn sets(&self) -> WarpBits {
        let bit = |code: usize, at: usize| if code >> at & 1 == 0 { !self.0[at] } else { self.0[at] };
        std::array::from_fn(|code| bit(code, 0) & bit(code, 1) & bit(code, 2) & bit(code, 3))
    }
}

/// How often each warp had each code, in counters of `BITS` bits.
#[derive(Clone, Debug)]
pub struct BitCounts<const BITS: usize>([[u64; BITS]; CODES]);

impl<const BITS: usize> Default for BitCounts<BITS> {
    fn default() -> BitCounts<BITS> {
        BitCounts([[0; BITS]; CODES])
    }
}

impl<const BITS: usize> BitCounts<BITS> {
    /// Adds `times` to the count of every warp's code.
    #[inline]
    pub fn add(&mut self, sets: &WarpBits, times: u64) {
        for (count, &warps) in self.0.iter_mut().zip(sets) {
            if warps == 0 {
                continue;
            }
            for _ in 0..times {
                let mut carry = warps;
                for word in count.iter_mut() {
                    (*word, carry) = (*word ^ carry, *word & carry);
                }
            }
        }
    }

    /// Adds `times` to the count of every warp's code, as [`BitCounts::add`] does.
    pub fn add_codes(&mut self, codes: &Codes, times: u64) {
        self.add(&codes.sets(), times);
    }

    /// Adds the counts of another and resets that one.
    pub fn take<const LESS: usize>(&mut self, other: &mut BitCounts<LESS>) {
        for (sum, count) in self.0.iter_mut().zip(&mut other.0) {
            if *count == [0; LESS] {
                continue;
            }
            let mut carry = 0;
            for bit in 0..BITS {
                let (one, two) = (sum[bit], if bit < LESS { count[bit] } else { 0 });
                sum[bit] = one ^ two ^ carry;
                carry = one & two | carry & (one ^ two);
            }
            *count = [0; LESS];
        }
    }

    /// Returns the most frequent code of each warp, the first among equals.
    pub fn most(&self) -> Codes {
        let mut codes = Codes::default();
        let mut best = [0; BITS];
        for (code, count) in self.0.iter().enumerate() {
            if *count == [0; BITS] {
                continue;
            }
            let (mut larger, mut equal) = (0, u64::MAX);
            for bit in (0..BITS).rev() {
                larger |= equal & count[bit] & !best[bit];
                equal &= !(count[bit] ^ best[bit]);
            }
            for bit in 0..BITS {
                best[bit] = best[bit] & !larger | count[bit] & larger;
            }
            for (bit, word) in codes.0.iter_mut().enumerate() {
                *word = if code >> bit & 1 == 0 { *word & !larger } else { *word | larger };
            }
        }
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns sets in which lane n has code n modulo the number of codes.
    fn every_code() -> WarpBits {
        let mut sets = [0; CODES];
        (0..64).for_each(|lane| sets[lane % CODES] |= 1 << lane);
        sets
    }

    #[test]
    fn codes_are_what_they_were_made_of() {
        let codes = Codes::new(&every_code());
        assert!((0..64).all(|lane| codes.get(lane) == (lane % CODES as u32) as u8));
        assert_eq!(codes.sets(), every_code());
        assert!((0..64).all(|lane| Codes::gone().get(lane) == GONE));
    }

    #[test]
    fn the_most_frequent_code_wins_and_the_first_of_equals() {
        let mut counts = BitCounts::<4>::default();
        counts.add(&every_code(), 3);
        let mut zeros = [0; CODES];
        zeros[0] = u64::MAX;
        counts.add(&zeros, 3);
        assert!((0..64).all(|lane| counts.most().get(lane) == 0), "three each, and 0 comes first");
        counts.add_codes(&Codes::new(&every_code()), 1);
        assert_eq!(counts.most(), Codes::new(&every_code()));
        let mut more = BitCounts::<7>::default();
        more.take(&mut counts);
        assert_eq!((more.most(), counts.most()), (Codes::new(&every_code()), Codes::default()));
    }
}
