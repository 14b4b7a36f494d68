//! Gang scheduling: which gang issues first (VWS section 6.3).
//!
//! In every cycle the issue stage asks for one gang after another, among those that are ready and whose slices are free, up to
//! `gangs_per_cycle` per scheduler. Singletons fill the remaining slices.
//!
//! As with warps, a policy ranks gangs, and the gang with the lowest rank issues; the reason why a gang was not chosen
//! ([`GangSchedule::precedes`]) comes from the same ranks.

use crate::config::GangScheduleKind;
use warpscope_kernel::program::Pc;

/// A gang's place in the order: lower issues first, compared from the left. Late gangs come first, equals go by number.
pub type GangRank = [u64; 5];

/// A gang that can issue in this cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyGang {
    /// Position in the gang table: original gang times [`ENTRIES`](super::ENTRIES) plus entry.
    pub gang: u32,
    /// Members, a bit per slice.
    pub mask: u8,
    pub pc: Pc,
    /// Dispatch order of its first member: lower is older.
    pub age: u64,
    /// Whether a member is late, so that the gang goes first.
    pub late: bool,
}

/// A gang-scheduling policy with its state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GangSchedule {
    kind: GangScheduleKind,
    /// The gang that issued last; under the greedy policies, the first one of its cycle.
    last: Option<u32>,
}

impl GangSchedule {
    pub fn new(kind: GangScheduleKind) -> GangSchedule {
        GangSchedule { kind, last: None }
    }

    /// Returns a gang's rank.
    pub fn rank(&self, gang: &ReadyGang) -> GangRank {
        let greedy = u64::from(Some(gang.gang) != self.last);
        let size = u64::from(gang.mask.count_ones());
        let number = u64::from(gang.gang);
        let [first, second, third] = match self.kind {
            GangScheduleKind::Bgto => [u64::MAX - size, greedy, gang.age],
            GangScheduleKind::Gto => [greedy, gang.age, 0],
            GangScheduleKind::Lrr => [u64::from(self.last.is_some_and(|last| gang.gang <= last)), 0, 0],
            GangScheduleKind::Lpc => [gang.pc.into(), gang.age, 0],
            GangScheduleKind::Lgto => [size, greedy, gang.age],
        };
        [u64::from(!gang.late), first, second, third, number]
    }

    /// Returns the candidate with the lowest rank.
    pub fn first(&self, candidates: &[ReadyGang]) -> Option<ReadyGang> {
        // A single candidate, the usual case, needs no rank.
        if let [only] = candidates { Some(*only) } else { candidates.iter().min_by_key(|gang| self.rank(gang)).copied() }
    }

    /// Returns why a gang comes before another, as a relative clause; `None` if it does not.
    pub fn precedes(&self, first: &ReadyGang, other: &ReadyGang) -> Option<&'static str> {
        let (one, two) = (self.rank(first), self.rank(other));
        let part = (0..one.len()).find(|&part| one[part] != two[part]).filter(|_| one < two)?;
        let greedy = "which issued last and goes on while it can";
        let older = "which is older";
        Some(match (part, self.kind) {
            (0, _) => "which has waited for too long",
            (1, GangScheduleKind::Bgto) => "which is larger",
            (1, GangScheduleKind::Lgto) => "which is smaller",
            (1, GangScheduleKind::Gto) | (2, GangScheduleKind::Bgto | GangScheduleKind::Lgto) => greedy,
            (_, GangScheduleKind::Lrr) => "which comes first in turn",
            (1, GangScheduleKind::Lpc) => "which is at a lower PC",
            (2 | 3, _) => older,
            _ => "which has the lower number",
        })
    }

    /// Records that a gang issues, as the first of this cycle or a further one. Round robin continues behind the last gang that
    /// issued; the greedy policies follow the first gang of a cycle.
    pub fn issued(&mut self, gang: &ReadyGang, is_first: bool) {
        if is_first || self.kind == GangScheduleKind::Lrr {
            self.last = Some(gang.gang);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gangs of sizes 8, 2, 4 and 4, from original gangs with ages 3, 0, 2 and 1.
    const GANGS: [ReadyGang; 4] = [
        ReadyGang { gang: 0, mask: 0xff, pc: 9, age: 3, late: false },
        ReadyGang { gang: 4, mask: 0x03, pc: 7, age: 0, late: false },
        ReadyGang { gang: 8, mask: 0x0f, pc: 7, age: 2, late: false },
        ReadyGang { gang: 12, mask: 0xf0, pc: 2, age: 1, late: false },
    ];

    fn pick(schedule: &mut GangSchedule, candidates: &[ReadyGang], is_first: bool) -> Option<ReadyGang> {
        let gang = schedule.first(candidates)?;
        schedule.issued(&gang, is_first);
        Some(gang)
    }

    fn order(kind: GangScheduleKind) -> Vec<u32> {
        let mut schedule = GangSchedule::new(kind);
        let mut rest = GANGS.to_vec();
        std::iter::from_fn(|| {
            let chosen = pick(&mut schedule, &rest, true)?;
            rest.retain(|c| c.gang != chosen.gang);
            Some(chosen.gang)
        })
        .collect()
    }

    #[test]
    fn each_order_by_hand() {
        assert_eq!(order(GangScheduleKind::Bgto), [0, 12, 8, 4]);
        assert_eq!(order(GangScheduleKind::Gto), [4, 12, 8, 0]);
        assert_eq!(order(GangScheduleKind::Lrr), [0, 4, 8, 12]);
        assert_eq!(order(GangScheduleKind::Lpc), [12, 4, 8, 0]);
        assert_eq!(order(GangScheduleKind::Lgto), [4, 12, 8, 0]);
    }

    /// With two gangs in a cycle, greed stays with the first.
    #[test]
    fn greed_follows_the_first_pick_of_a_cycle() {
        let mut gto = GangSchedule::new(GangScheduleKind::Gto);
        let [young, _, middle, _] = GANGS;
        assert_eq!(pick(&mut gto, &[young], true), Some(young));
        assert_eq!(pick(&mut gto, &[middle], false), Some(middle));
        assert_eq!(pick(&mut gto, &[young, middle], true), Some(young), "though the other is older and issued behind it");
    }

    #[test]
    fn the_last_gang_goes_on_among_its_equals() {
        let mut bgto = GangSchedule::new(GangScheduleKind::Bgto);
        assert_eq!(pick(&mut bgto, &[GANGS[2]], true).map(|c| c.gang), Some(8));
        assert_eq!(
            pick(&mut bgto, &GANGS[1..], true).map(|c| c.gang),
            Some(8),
            "gang 12 is as big, and older, but has not just issued"
        );
        assert_eq!(pick(&mut bgto, &GANGS, true).map(|c| c.gang), Some(0), "a bigger one comes first all the same");
        let mut lrr = GangSchedule::new(GangScheduleKind::Lrr);
        assert_eq!([0; 5].map(|_| pick(&mut lrr, &GANGS, true).map_or(99, |c| c.gang)), [0, 4, 8, 12, 0]);
        assert_eq!(pick(&mut lrr, &[], true), None);
    }

    #[test]
    fn a_late_gang_comes_first_in_every_order() {
        for kind in GangScheduleKind::ALL {
            let mut gangs = GANGS;
            gangs[2].late = true;
            assert_eq!(GangSchedule::new(kind).first(&gangs).map(|c| c.gang), Some(8), "{}", kind.name());
        }
    }

    /// A gang has one rank, so of two gangs exactly one precedes the other, and the first precedes all.
    #[test]
    fn precedence_agrees_with_the_order() {
        for (kind, last) in GangScheduleKind::ALL.into_iter().flat_map(|kind| [None, Some(4), Some(8)].map(|last| (kind, last))) {
            let schedule = GangSchedule { kind, last };
            for one in &GANGS {
                for two in GANGS.iter().filter(|two| *two != one) {
                    let (forth, back) = (schedule.precedes(one, two), schedule.precedes(two, one));
                    assert_ne!(forth.is_some(), back.is_some(), "{}", kind.name());
                    let first = schedule.first(&[*two, *one]);
                    assert_eq!(first, Some(if forth.is_some() { *one } else { *two }), "{}", kind.name());
                }
            }
        }
        let words = |kind: GangScheduleKind, one: usize, two: usize| {
            GangSchedule { kind, last: Some(8) }.precedes(&GANGS[one], &GANGS[two]).unwrap_or_default()
        };
        assert_eq!(words(GangScheduleKind::Bgto, 0, 2), "which is larger");
        assert_eq!(words(GangScheduleKind::Bgto, 2, 3), "which issued last and goes on while it can");
        assert_eq!(words(GangScheduleKind::Lgto, 1, 2), "which is smaller");
        assert_eq!(words(GangScheduleKind::Gto, 1, 3), "which is older");
        assert_eq!(words(GangScheduleKind::Lrr, 3, 0), "which comes first in turn");
        assert_eq!(words(GangScheduleKind::Lpc, 1, 2), "which is older");
        assert_eq!(words(GangScheduleKind::Lpc, 3, 0), "which is at a lower PC");
    }
}
