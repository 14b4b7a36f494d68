//! The bound on how long an order of warps can keep a warp waiting.
//!
//! Gangs issue and are fetched for before singletons (VWS section 4.1), and some orders let large gangs issue before small ones
//! (section 6.3). Orders of warps can be as strict: greedy ones, block priorities, issue groups, the majority PC of DWF. The papers
//! set no limit, so warps that spin on a flag or a lock could keep the warp that sets or holds it from issuing for ever. A warp
//! that has been passed over for `gang_patience` or `schedule_patience` cycles is **late**: the warp, or its gang, goes first once.
//!
//! Time is divided into periods of that length. A warp that is passed over at the start of a period and has not issued by its end
//! is late, so a warp is late after less than two periods.

use crate::policy::warp_set::WarpSet;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Patience {
    /// Length of a period in cycles; 0 disables the bound.
    period: u64,
    /// Warps that were passed over when the period began and have not issued since.
    waiting: WarpSet,
    late: WarpSet,
}

impl Patience {
    pub fn new(period: u32) -> Patience {
        Patience { period: period.into(), waiting: WarpSet::default(), late: WarpSet::default() }
    }

    /// Narrows warps to the late ones among them, if there are any; returns whether there are.
    #[inline(always)]
    pub fn narrow(&self, warps: &mut WarpSet, words: usize) -> bool {
        let any = self.period > 0 && (0..words).any(|word| warps.bits[word] & self.late.bits[word] != 0);
        if any {
            (0..words).for_each(|word| warps.bits[word] &= self.late.bits[word]);
        }
        any
    }

    /// Whether there is a bound.
    #[inline(always)]
    pub fn is_bound(&self) -> bool {
        self.period > 0
    }

    /// Returns the late warps, which go first.
    #[inline(always)]
    pub fn late(&self) -> &WarpSet {
        &self.late
    }

    /// Accounts for a range of equal cycles, after issue: `issued` warps, and a mask of passed-over warps for each word of 64.
    pub fn note(&mut self, cycles: Range<u64>, words: usize, issued: &WarpSet, passed_over: impl Fn(usize) -> u64) {
        if self.period == 0 {
            return;
        }
        for word in 0..words {
            self.waiting.bits[word] &= !issued.bits[word];
            self.late.bits[word] &= !issued.bits[word];
        }
        // If several periods begin in the range, the state after two is the state after all of them.
        let begin = cycles.end.div_ceil(self.period) - cycles.start.div_ceil(self.period);
        for _ in 0..begin.min(2) {
            for word in 0..words {
                self.late.bits[word] |= self.waiting.bits[word];
                self.waiting.bits[word] = passed_over(word) & !issued.bits[word];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(warps: &[u32]) -> WarpSet {
        let mut set = WarpSet::default();
        warps.iter().for_each(|&warp| set.insert(warp));
        set
    }

    #[test]
    fn a_warp_is_late_after_a_whole_period_and_until_it_issues() {
        let mut patience = Patience::new(10);
        let late = |patience: &Patience| patience.late().iter(1).collect::<Vec<_>>();
        let mut note = |cycle: u64, issued: &[u32]| {
            patience.note(cycle..cycle + 1, 1, &set(issued), |_| 0b110);
            late(&patience)
        };
        for cycle in 3..20 {
            assert!(note(cycle, &[0]).is_empty(), "cycle {cycle}");
        }
        note(15, &[2]);
        assert_eq!(note(20, &[0]), [1], "warp 2 has issued since cycle 10");
        assert_eq!(note(27, &[0]), [1]);
        assert!(note(28, &[1]).is_empty());
        assert_eq!(note(30, &[0]), [2], "passed over since cycle 20");
    }

    #[test]
    fn cycles_at_once_are_the_same_as_one_by_one() {
        for (from, to) in [(1, 9), (5, 11), (10, 20), (10, 21), (3, 47)] {
            let (mut at_once, mut one_by_one) = (Patience::new(10), Patience::new(10));
            at_once.note(from..to, 1, &set(&[3]), |_| 0b1010);
            (from..to).for_each(|cycle| one_by_one.note(cycle..cycle + 1, 1, &set(&[3]), |_| 0b1010));
            assert_eq!(at_once, one_by_one, "{from} to {to}");
        }
    }

    #[test]
    fn nobody_is_late_without_a_bound() {
        let mut patience = Patience::new(0);
        for cycle in 0..1000 {
            patience.note(cycle..cycle + 1, 1, &set(&[]), |_| u64::MAX);
        }
        assert!(patience.late().is_empty(1));
    }
}
