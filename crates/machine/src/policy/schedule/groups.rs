//! Issue groups: warps that come first so that lanes stay busy, or idle, for long (Origami sections 2.3, 3.2 and 3.3).
//!
//! - **GATES** (Warped-Gates): instructions of one type, INT or FP, come first, then loads, stores and special functions, then
//!   the other type. The type changes when no warp that can continue soon has an instruction of it.
//! - **Origami**: as GATES, and among warps of one type those of one group come first: full warps, or partial ones. Each phase
//!   starts with the choice of the larger group; after `group_phases` phases in a row the other one has its turn.
//!
//! Among warps that rank equal here, block priority and the issue policy decide.

use super::Rank;
use crate::config::{Config, IssueGroupsKind};
use crate::policy::view::{IssueView, Unit};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IssueGroups {
    kind: IssueGroupsKind,
    /// The instruction type that comes first.
    first: Unit,
    /// Origami: whether full warps come first, rather than partial ones.
    full: bool,
    /// Number of phases in a row for which this group has come first.
    turns: u32,
    /// The phase in which the group was chosen.
    phase: Option<u64>,
    phase_cycles: u64,
    most_turns: u32,
    whole: u32,
}

impl IssueGroups {
    pub fn new(config: &Config) -> IssueGroups {
        IssueGroups {
            kind: config.issue_groups,
            first: Unit::Int,
            full: true,
            turns: 0,
            phase: None,
            phase_cycles: config.phase_cycles.into(),
            most_turns: config.group_phases,
            whole: u32::MAX >> (32 - config.warp_width),
        }
    }

    pub fn matters(&self) -> bool {
        self.kind != IssueGroupsKind::None
    }

    /// Returns the type that comes first and, for Origami, whether full warps come first.
    pub fn chosen(&self) -> Option<(Unit, Option<bool>)> {
        let group = (self.kind == IssueGroupsKind::Origami).then_some(self.full);
        self.matters().then_some((self.first, group))
    }

    /// Updates the type and the group that come first.
    pub fn arrange(&mut self, view: &IssueView) {
        let (mut waiting, mut has) = ([0; 2], [false; 2]);
        for warp in view.resident.iter(view.words).filter(|&warp| !view.long_wait.contains(warp)) {
            let unit = view.warps.unit(warp);
            if matches!(unit, Unit::Int | Unit::Fp) {
                has[usize::from(unit == Unit::Fp)] = true;
                waiting[usize::from(view.warps.place(warp).mask == self.whole)] += 1;
            }
        }
        let is_first = |unit: Unit| has[usize::from(unit == Unit::Fp)];
        let other = if self.first == Unit::Int { Unit::Fp } else { Unit::Int };
        if !is_first(self.first) && is_first(other) {
            self.first = other;
        }
        if self.kind == IssueGroupsKind::Origami {
            self.choose_group(view.cycle / self.phase_cycles, waiting);
        }
    }

    /// Chooses the group with more warps once a phase, but none for more than `most_turns` phases in a row.
    fn choose_group(&mut self, phase: u64, [partial, full]: [u32; 2]) {
        if self.phase == Some(phase) {
            return;
        }
        self.phase = Some(phase);
        let had = self.turns >= self.most_turns;
        let next = if had { !self.full } else { full >= partial };
        self.turns = if next == self.full { self.turns + 1 } else { 1 };
        self.full = next;
    }

    pub fn rank(&self, warp: u32, view: &IssueView) -> Rank {
        if !self.matters() {
            return [0, 0];
        }
        let unit = view.warps.unit(warp);
        let kind = match unit {
            Unit::Int | Unit::Fp if unit == self.first => 0,
            Unit::Int | Unit::Fp => 2,
            Unit::Sfu | Unit::LdSt | Unit::Control => 1,
        };
        let is_other =
            self.kind == IssueGroupsKind::Origami && kind != 1 && (view.warps.place(warp).mask == self.whole) != self.full;
        [kind, is_other.into()]
    }

    /// Says why a warp has the lower rank.
    pub fn words(&self, first: Rank, other: Rank) -> &'static str {
        match (first[0] != other[0], first[0], self.first, self.full) {
            (true, 0, Unit::Int, _) => "whose integer instruction comes first now",
            (true, 0, ..) => "whose floating-point instruction comes first now",
            (true, _, Unit::Int, _) => "whose instruction comes before floating-point ones now",
            (true, ..) => "whose instruction comes before integer ones now",
            (false, _, _, true) => "which is full, and full warps come first now",
            (false, _, _, false) => "which is partial, and partial warps come first now",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scheduler;
    use super::super::test_view::{TestWarps, set};
    use super::*;
    use crate::config::ScheduleKind;
    use crate::policy::divergence::Place;

    const FULL: u32 = u32::MAX;

    fn scheduler(issue_groups: IssueGroupsKind) -> Scheduler {
        Scheduler::new(&Config { issue_groups, schedule: ScheduleKind::Oldest, ..Config::default() })
    }

    /// Creates warps with a unit and a mask each; the first is the oldest.
    fn warps(warps: &[(Unit, u32)], cycle: u64) -> TestWarps {
        TestWarps {
            ages: (0..warps.len() as u64).collect(),
            units: warps.iter().map(|warp| warp.0).collect(),
            places: warps.iter().map(|warp| Place { pc: 0, mask: warp.1 }).collect(),
            cycle,
            ..TestWarps::new(warps.len())
        }
    }

    fn order(scheduler: &mut Scheduler, warps: &TestWarps) -> Vec<u32> {
        let all: Vec<u32> = (0..warps.ages.len() as u32).collect();
        warps.with_view(&set(&all), |view| {
            scheduler.arrange(view);
            scheduler.order(view)
        })
    }

    #[test]
    fn one_type_comes_first_until_nobody_has_it() {
        let mut gates = scheduler(IssueGroupsKind::Gates);
        let mixed = [(Unit::Fp, FULL), (Unit::LdSt, FULL), (Unit::Int, FULL), (Unit::Fp, 1), (Unit::Int, 1)];
        assert_eq!(order(&mut gates, &warps(&mixed, 0)), [2, 4, 1, 0, 3], "INT, then loads, then FP");
        let no_int = [(Unit::Fp, FULL), (Unit::Sfu, FULL), (Unit::Fp, FULL)];
        assert_eq!(order(&mut gates, &warps(&no_int, 1)), [0, 2, 1]);
        assert_eq!(order(&mut gates, &warps(&mixed, 2)), [0, 3, 1, 2, 4], "FP stays first while there is any");
    }

    #[test]
    fn a_warp_that_waits_for_memory_does_not_hold_the_type() {
        let mut gates = scheduler(IssueGroupsKind::Gates);
        let mut mixed = warps(&[(Unit::Fp, FULL), (Unit::Int, FULL)], 0);
        mixed.long_wait = set(&[1]);
        assert_eq!(order(&mut gates, &mixed), [0, 1]);
    }

    #[test]
    fn the_larger_group_comes_first_for_two_phases_at_most() {
        let mut origami = scheduler(IssueGroupsKind::Origami);
        let mostly_full = [(Unit::Int, 1), (Unit::Int, FULL), (Unit::Int, FULL)];
        let first = |origami: &mut Scheduler, phase: u64| order(origami, &warps(&mostly_full, phase * 300))[0];
        assert_eq!([0, 1, 2, 3, 4, 5].map(|phase| first(&mut origami, phase)), [1, 1, 0, 1, 1, 0]);
        let mostly_partial = [(Unit::Int, FULL), (Unit::Int, 1), (Unit::Int, 3)];
        assert_eq!(order(&mut scheduler(IssueGroupsKind::Origami), &warps(&mostly_partial, 0)), [1, 2, 0]);
    }

    #[test]
    fn the_type_goes_before_the_group() {
        let mut origami = scheduler(IssueGroupsKind::Origami);
        let mixed = [(Unit::Fp, FULL), (Unit::Int, 1), (Unit::Int, FULL), (Unit::LdSt, 1), (Unit::Fp, 1)];
        assert_eq!(order(&mut origami, &warps(&mixed, 0)), [2, 1, 3, 0, 4]);
    }
}
