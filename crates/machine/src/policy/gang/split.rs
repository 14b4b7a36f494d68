//! The rules that split gangs (VWS section 4.4).
//!
//! Control: members are grouped by next PC, as addresses are coalesced. Several members at one PC form a gang; one alone at its
//! PC becomes a singleton. Memory: when the loads of some members have returned and those of others have not, either all members
//! become singletons (impatient), or the ready members split off as a part of their own (group).

use super::{GangSet, MAX_SLICES};
use crate::config::GangSplitKind;
use warpscope_kernel::program::Pc;

/// The PC of the warp in each slice of an original gang; `None` without a warp or after it has exited.
pub type Pcs = [Option<Pc>; MAX_SLICES];

/// Splits every gang of the set whose members' PCs differ, and drops warps that have exited.
pub fn by_control(set: GangSet, pcs: &Pcs) -> GangSet {
    let alive = (0..MAX_SLICES).filter(|&slice| pcs[slice].is_some()).fold(0u8, |mask, slice| mask | 1 << slice);
    let mut new = GangSet { singles: set.singles & alive, ..GangSet::default() };
    // The first part of a gang keeps its table entry, so that views can follow it.
    let mut more = Vec::new();
    for (entry, gang) in set.gangs.into_iter().enumerate() {
        let mut rest = gang & alive;
        let mut keeps = true;
        while rest != 0 {
            let pc = pcs[rest.trailing_zeros() as usize];
            let part =
                (0..MAX_SLICES).filter(|&slice| rest >> slice & 1 != 0 && pcs[slice] == pc).fold(0u8, |mask, s| mask | 1 << s);
            rest &= !part;
            if part.count_ones() == 1 {
                new.singles |= part;
            } else if std::mem::take(&mut keeps) {
                new.gangs[entry] = part;
            } else {
                more.push(part);
            }
        }
    }
    for part in more {
        add(&mut new, part);
    }
    new
}

/// Splits the gang in `entry`: members in `ready` can continue, those in `waiting` have loads outstanding. `None` without a
/// split.
pub fn by_memory(kind: GangSplitKind, set: GangSet, entry: usize, ready: u8, waiting: u8) -> Option<GangSet> {
    if kind == GangSplitKind::Control || ready == 0 || waiting == 0 {
        return None;
    }
    let mut new = set;
    let gang = std::mem::take(&mut new.gangs[entry]);
    if kind == GangSplitKind::Impatient {
        new.singles |= gang;
    } else {
        add(&mut new, gang & !ready);
        add(&mut new, ready);
    }
    Some(new)
}

/// Adds a part to a set, as a gang or as a singleton.
pub fn add(set: &mut GangSet, part: u8) {
    if part.count_ones() < 2 {
        set.singles |= part;
    } else if let Some(free) = set.gangs.iter_mut().find(|gang| **gang == 0) {
        *free = part;
    }
}

/// Whether a gang was split between the two sets, rather than only losing warps that exited.
pub fn has_split(before: &GangSet, after: &GangSet) -> bool {
    let alive = after.live();
    before.gangs.iter().any(|gang| {
        let rest = gang & alive;
        rest != 0 && !after.parts().any(|part| part & rest == rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> GangSet {
        GangSet { gangs: [0xff, 0, 0, 0], singles: 0 }
    }

    fn pcs(text: &str) -> Pcs {
        let mut pcs = [None; MAX_SLICES];
        for (slice, letter) in text.chars().enumerate() {
            pcs[slice] = (letter != '-').then_some(letter as Pc);
        }
        pcs
    }

    /// Converts slices to a mask.
    fn of(slices: &[u32]) -> u8 {
        slices.iter().fold(0, |mask, slice| mask | 1 << slice)
    }

    #[test]
    fn common_pcs_make_gangs_and_lone_ones_singletons() {
        let set = by_control(whole(), &pcs("aabcccda"));
        assert_eq!(set.gangs, [of(&[0, 1, 7]), of(&[3, 4, 5]), 0, 0]);
        assert_eq!(set.singles, of(&[2, 6]));
        assert!(has_split(&whole(), &set));
    }

    #[test]
    fn a_gang_of_one_mind_stays_as_it_is() {
        let set = by_control(whole(), &pcs("aaaaaaaa"));
        assert_eq!(set, whole());
        assert!(!has_split(&whole(), &set));
    }

    #[test]
    fn who_has_ended_leaves_without_a_split() {
        let set = by_control(whole(), &pcs("a-aa--a-"));
        assert_eq!((set.gangs[0], set.singles), (of(&[0, 2, 3, 6]), 0));
        assert!(!has_split(&whole(), &set));
        let last = by_control(set, &pcs("---a----"));
        assert_eq!((last.gangs, last.singles), ([0; 4], of(&[3])));
        assert!(!has_split(&set, &last), "the others have ended");
        assert_eq!(by_control(last, &pcs("--------")), GangSet::default());
    }

    #[test]
    fn four_pairs_fill_the_set_and_split_into_singletons() {
        let pairs = by_control(whole(), &pcs("aabbccdd"));
        assert_eq!(pairs.gangs, [of(&[0, 1]), of(&[2, 3]), of(&[4, 5]), of(&[6, 7])]);
        let set = by_control(pairs, &pcs("abbcbbdd"));
        assert_eq!(set.gangs, [0, 0, of(&[4, 5]), of(&[6, 7])], "gangs do not take in others while they split");
        assert_eq!(set.singles, of(&[0, 1, 2, 3]));
    }

    #[test]
    fn no_pattern_of_pcs_needs_more_entries_than_there_are() {
        // All assignments of eight slices to one of four PCs, and then of each slice to one of two.
        for pattern in 0..4u32.pow(8) {
            let at = |slice: usize| Some(pattern >> (2 * slice) & 3);
            let set = by_control(whole(), &std::array::from_fn(at));
            assert_eq!(set.live(), 0xff, "nobody is lost: {pattern:x}");
            assert_eq!(set.parts().map(u8::count_ones).sum::<u32>(), 8, "nobody is in two: {pattern:x}");
            let again = by_control(set, &std::array::from_fn(|slice| Some(pattern >> slice & 1)));
            assert_eq!(again.live(), 0xff);
        }
    }

    #[test]
    fn impatient_splits_everybody_and_group_keeps_those_that_came_together() {
        let (ready, waiting) = (of(&[1, 4]), of(&[0, 2, 3, 5, 6, 7]));
        assert_eq!(by_memory(GangSplitKind::Control, whole(), 0, ready, waiting), None);
        assert_eq!(by_memory(GangSplitKind::Impatient, whole(), 0, ready, 0), None);
        let alone = by_memory(GangSplitKind::Impatient, whole(), 0, ready, waiting).expect("it splits");
        assert_eq!((alone.gangs, alone.singles), ([0; 4], 0xff));
        let group = by_memory(GangSplitKind::Group, whole(), 0, ready, waiting).expect("it splits");
        assert_eq!((group.gangs, group.singles), ([waiting, ready, 0, 0], 0));
        let one = by_memory(GangSplitKind::Group, group, 1, of(&[4]), of(&[1])).expect("it splits");
        assert_eq!((one.gangs, one.singles), ([waiting, 0, 0, 0], ready));
    }
}
