//! Reformation: how parts of an original gang are merged again (VWS sections 4.5 and 6.1).
//!
//! Each cycle checks one resident original gang, in round-robin order; if parts of it are at the same PC, two of them are merged.
//! That is section 4.5's comparison of PCs, and the default. Section 6.1 says of E-VWS that parts combine when they *arrive* at a
//! PC in the same cycle; taken to the letter (`arrive`), a check of one gang a cycle hardly ever finds such parts, and the 55% of
//! fetches that E-VWS saves there do not come about. `PAPERS.md` has both readings side by side (`vws.elastic-arrive`).
//!
//! The key `gang_meet` selects this and other readings. Parts that wait at a barrier or for their PTX warp are not merged: a
//! warp that joined one would have to wait with it, possibly for itself. With `held`, two parts that wait at the same barrier are
//! merged.

use super::{GangSet, Gangs, MAX_SLICES};

/// The round-robin position of the reformation check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reformation {
    next: u32,
}

/// Returns the first two parts of a set, in the order of their slices, that are at equal places. `places` holds only warps that
/// may be merged.
pub fn pair<T: PartialEq>(set: GangSet, places: &[Option<T>; MAX_SLICES]) -> Option<(u8, u8)> {
    if !set.is_apart() {
        return None;
    }
    let mut parts: [u8; MAX_SLICES] = [0; MAX_SLICES];
    let mut count = 0;
    for slice in 0..MAX_SLICES as u32 {
        let part = set.part_of(slice);
        if part.trailing_zeros() == slice && places[slice as usize].is_some() {
            parts[count] = part;
            count += 1;
        }
    }
    let at = |part: u8| &places[part.trailing_zeros() as usize];
    let first = (0..count).find_map(|one| (one + 1..count).find(|&two| at(parts[one]) == at(parts[two])).map(|two| (one, two)));
    first.map(|(one, two)| (parts[one], parts[two]))
}

/// Returns the set with two of its parts merged, in the table entry of the one that was a gang.
pub fn merge(set: GangSet, one: u8, two: u8) -> GangSet {
    let mut new = set;
    new.singles &= !(one | two);
    let kept = new.gangs.iter().position(|&gang| gang == one || gang == two);
    new.gangs.iter_mut().filter(|gang| **gang == one || **gang == two).for_each(|gang| *gang = 0);
    match kept.or_else(|| new.gangs.iter().position(|&gang| gang == 0)) {
        Some(entry) => new.gangs[entry] = one | two,
        None => new.singles |= one | two,
    }
    new
}

impl Gangs {
    /// Returns the original gang to check in this cycle: the next resident one.
    pub fn next_to_merge(&mut self) -> Option<u32> {
        let row = self.next_resident(self.reform.next)?;
        self.reform.next = row + 1;
        Some(row)
    }

    /// Advances the round-robin position by `cycles` checks that find nothing to merge.
    pub fn skip_checks(&mut self, cycles: u64) {
        if cycles == 0 {
            return;
        }
        let resident = self.sets.iter().filter(|set| set.live() != 0).count() as u64;
        if let Some(rest) = cycles.checked_rem(resident) {
            (0..rest).for_each(|_| {
                self.next_to_merge();
            });
        }
    }

    fn next_resident(&self, from: u32) -> Option<u32> {
        let rows = self.sets.len() as u32;
        (0..rows).map(|step| (from + step) % rows).find(|&row| self.sets[row as usize].live() != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GangScheduleKind;

    #[test]
    fn two_parts_at_the_same_pc_are_merged_two_at_a_time() {
        let set = GangSet { gangs: [0b0000_0011, 0b0011_0000, 0, 0], singles: 0b1100_1100 };
        let pcs = [5, 5, 7, 9, 5, 5, 7, 5].map(Some);
        let (one, two) = pair(set, &pcs).expect("three parts are at 5, two at 7");
        assert_eq!((one, two), (0b0000_0011, 0b0011_0000));
        let set = merge(set, one, two);
        assert_eq!((set.gangs, set.singles), ([0b0011_0011, 0, 0, 0], 0b1100_1100));
        let (one, two) = pair(set, &pcs).expect("slice 7 is at 5 too");
        let set = merge(set, one, two);
        assert_eq!((set.gangs, set.singles), ([0b1011_0011, 0, 0, 0], 0b0100_1100));
        let (one, two) = pair(set, &pcs).expect("two singletons are at 7");
        let set = merge(set, one, two);
        assert_eq!((set.gangs, set.singles), ([0b1011_0011, 0b0100_0100, 0, 0], 0b0000_1000));
        assert_eq!(pair(set, &pcs), None);
    }

    #[test]
    fn who_may_not_be_merged_is_left_alone() {
        let set = GangSet { gangs: [0b11, 0, 0, 0], singles: 0b1100 };
        let mut pcs = [Some(5); MAX_SLICES];
        pcs[0] = None;
        assert_eq!(pair(set, &pcs), Some((0b100, 0b1000)));
        pcs[2] = None;
        assert_eq!(pair(set, &pcs), None);
    }

    #[test]
    fn one_original_gang_a_cycle_going_round_those_that_are_resident() {
        let mut gangs = Gangs::new(4, 8, 1, GangScheduleKind::Bgto, 0);
        assert_eq!(gangs.next_to_merge(), None);
        for row in [0, 2, 3] {
            gangs.start(row, 0xff);
        }
        assert_eq!(
            [gangs.next_to_merge(), gangs.next_to_merge(), gangs.next_to_merge(), gangs.next_to_merge()],
            [Some(0), Some(2), Some(3), Some(0)]
        );
        let mut stepped = gangs.clone();
        (0..7).for_each(|_| {
            stepped.next_to_merge();
        });
        gangs.skip_checks(7);
        assert_eq!(gangs, stepped);
    }
}
