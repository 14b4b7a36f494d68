//! Cycles in which an event of one kind happened: a bit for each cycle.

/// A set of cycles.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    words: Vec<u64>,
}

impl Marks {
    #[inline]
    pub(crate) fn set(&mut self, cycle: u64) {
        let word = (cycle / 64) as usize;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (cycle % 64);
    }

    /// Whether a cycle is marked.
    pub fn contains(&self, cycle: u64) -> bool {
        self.words.get((cycle / 64) as usize).is_some_and(|word| word >> (cycle % 64) & 1 != 0)
    }

    /// Returns the first marked cycle from `cycle` on.
    pub fn next(&self, cycle: u64) -> Option<u64> {
        let first = (cycle / 64) as usize;
        let head = self.words.get(first)? & (u64::MAX << (cycle % 64));
        std::iter::once(head)
            .chain(self.words[first + 1..].iter().copied())
            .position(|word| word != 0)
            .map(|ahead| (first + ahead, if ahead == 0 { head } else { self.words[first + ahead] }))
            .map(|(at, word)| at as u64 * 64 + u64::from(word.trailing_zeros()))
    }

    /// Returns the last marked cycle before `cycle`.
    pub fn previous(&self, cycle: u64) -> Option<u64> {
        let last = ((cycle / 64) as usize).min(self.words.len());
        let tail = self.words.get(last).map_or(0, |word| word & !(u64::MAX << (cycle % 64)));
        if tail != 0 {
            return Some(last as u64 * 64 + 63 - u64::from(tail.leading_zeros()));
        }
        let at = self.words[..last].iter().rposition(|&word| word != 0)?;
        Some(at as u64 * 64 + 63 - u64::from(self.words[at].leading_zeros()))
    }

    /// Returns every marked cycle before `cycle`, the earliest first.
    pub fn before(&self, cycle: u64) -> impl Iterator<Item = u64> {
        std::iter::successors(self.next(0), |at| self.next(at + 1)).take_while(move |at| *at < cycle)
    }

    /// Whether any cycle in `from..to` is marked.
    pub fn any(&self, from: u64, to: u64) -> bool {
        self.next(from).is_some_and(|cycle| cycle < to)
    }

    /// Returns how many cycles are marked.
    pub fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_mark_is_found_in_both_directions() {
        let mut marks = Marks::default();
        for cycle in [0, 5, 63, 64, 300] {
            marks.set(cycle);
        }
        assert_eq!(marks.next(0), Some(0));
        assert_eq!(marks.next(1), Some(5));
        assert_eq!(marks.next(64), Some(64));
        assert_eq!(marks.next(65), Some(300));
        assert_eq!(marks.next(301), None);
        assert_eq!(marks.next(100_000), None);
        assert_eq!(marks.previous(0), None);
        assert_eq!(marks.previous(64), Some(63));
        assert_eq!(marks.previous(300), Some(64));
        assert_eq!(marks.previous(100_000), Some(300));
        assert_eq!(marks.count(), 5);
        assert!(marks.any(6, 64) && !marks.any(6, 63));
    }
}
