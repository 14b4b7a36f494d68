//! Sets of warps as bit masks, for operations on all warps at once.

use crate::config::MAX_THREADS;

/// Number of words in a set.
pub const WORDS: usize = MAX_THREADS as usize / 64;

/// A set of warps of one SM, by warp-table entry. Operations on the whole set take the number of words in use.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct WarpSet {
    pub bits: [u64; WORDS],
}

impl Default for WarpSet {
    fn default() -> WarpSet {
        WarpSet { bits: [0; WORDS] }
    }
}

/// Lists the warps in the set.
impl std::fmt::Debug for WarpSet {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_set().entries(self.iter(WORDS)).finish()
    }
}

impl WarpSet {
    /// Removes all warps from the words in use.
    #[inline(always)]
    pub fn clear(&mut self, words: usize) {
        self.bits[..words].fill(0);
    }

    #[inline(always)]
    pub fn contains(&self, warp: u32) -> bool {
        self.bits[warp as usize / 64] >> (warp % 64) & 1 != 0
    }

    #[inline(always)]
    pub fn insert(&mut self, warp: u32) {
        self.bits[warp as usize / 64] |= 1 << (warp % 64);
    }

    #[inline(always)]
    pub fn remove(&mut self, warp: u32) {
        self.bits[warp as usize / 64] &= !(1 << (warp % 64));
    }

    #[inline(always)]
    pub fn set(&mut self, warp: u32, is_in: bool) {
        let word = &mut self.bits[warp as usize / 64];
        *word = *word & !(1 << (warp % 64)) | u64::from(is_in) << (warp % 64);
    }

    #[inline(always)]
    pub fn is_empty(&self, words: usize) -> bool {
        self.bits[..words].iter().all(|&w| w == 0)
    }

    #[inline(always)]
    pub fn len(&self, words: usize) -> u32 {
        self.bits[..words].iter().map(|w| w.count_ones()).sum()
    }

    /// Returns `count` neighbouring warps from `first` on, as the low bits. `count` is a power of two and `first` a multiple of
    /// it.
    #[inline(always)]
    pub fn row(&self, first: u32, count: u32) -> u64 {
        let bits = self.bits[first as usize / 64] >> (first % 64);
        if count >= 64 { bits } else { bits & ((1 << count) - 1) }
    }

    /// Inserts neighbouring warps given as in [`WarpSet::row`].
    #[inline(always)]
    pub fn insert_row(&mut self, first: u32, row: u64) {
        self.bits[first as usize / 64] |= row << (first % 64);
    }

    /// Removes `count` neighbouring warps, as in [`WarpSet::row`].
    #[inline(always)]
    pub fn remove_row(&mut self, first: u32, count: u32) {
        self.bits[first as usize / 64] &= !WarpSet::bits_of_row(first, count);
    }

    /// Returns neighbouring warps, as in [`WarpSet::row`], as bits of their word.
    #[inline(always)]
    pub fn bits_of_row(first: u32, count: u32) -> u64 {
        u64::MAX >> (64 - count) << (first % 64)
    }

    /// Returns the first warp at or after `start`, wrapping around.
    #[inline(always)]
    pub fn next_from(&self, start: u32, words: usize) -> Option<u32> {
        let (first, shift) = ((start as usize / 64) % words, if start as usize / 64 < words { start % 64 } else { 0 });
        let head = self.bits[first] & (u64::MAX << shift);
        if head != 0 {
            return Some(first as u32 * 64 + head.trailing_zeros());
        }
        for step in 1..=words {
            let at = (first + step) % words;
            let word = if step == words { self.bits[at] & !(u64::MAX << shift) } else { self.bits[at] };
            if word != 0 {
                return Some(at as u32 * 64 + word.trailing_zeros());
            }
        }
        None
    }

    /// Iterates over the warps in ascending order.
    #[inline(always)]
    pub fn iter(&self, words: usize) -> Iter<'_> {
        let words = &self.bits[..words];
        Iter { words, at: 0, rest: words.first().copied().unwrap_or(0) }
    }
}

/// The warps of a set in ascending order.
#[derive(Clone)]
pub struct Iter<'a> {
    words: &'a [u64],
    /// The current word, and those of its warps that are to come.
    at: usize,
    rest: u64,
}

impl Iterator for Iter<'_> {
    type Item = u32;

    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        while self.rest == 0 {
            self.at += 1;
            self.rest = *self.words.get(self.at)?;
        }
        let bit = self.rest.trailing_zeros();
        self.rest &= self.rest - 1;
        Some(self.at as u32 * 64 + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_goes_round_once() {
        let mut set = WarpSet::default();
        assert_eq!(set.next_from(5, 2), None);
        for warp in [3, 70] {
            set.insert(warp);
        }
        assert_eq!([0, 3, 4, 70, 71, 127, 128].map(|from| set.next_from(from, 2)), [3, 3, 70, 70, 3, 3, 3].map(Some));
        assert_eq!(set.iter(2).collect::<Vec<_>>(), [3, 70]);
        assert_eq!(set.len(2), 2);
        assert_eq!([set.row(0, 8), set.row(64, 8), set.row(72, 8)], [0b1000, 0b100_0000, 0]);
        set.insert_row(72, 0b101);
        assert_eq!(set.iter(2).collect::<Vec<_>>(), [3, 70, 72, 74]);
        set.remove_row(72, 8);
        set.remove(3);
        assert_eq!(set.next_from(71, 2), Some(70));
    }
}
