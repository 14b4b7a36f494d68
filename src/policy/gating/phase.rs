//! When warps fold (Origami section 3.1.1).
//!
//! Time is cut into phases. At the start of each the warps are counted whose next instruction is INT or FP. The type with
//! fewer, the *minority*, folds *aggressively*: in the first 70 % of the phase. The *majority* folds *conservatively*: in the
//! first 40 %. After a phase in which 90 % of the issue slots were used nobody folds (*adaptive* folding).

use crate::config::Config;
use crate::policy::view::Unit;

/// How a type folds in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldPolicy {
    Aggressive,
    Conservative,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folding {
    pub phase_cycles: u32,
    pub eager: bool,
    /// Cycles of a phase in which a type folds.
    aggressive: u32,
    conservative: u32,
    /// Instructions in a phase from which on the next one does not fold.
    busy_from: u64,
    /// When the phase began.
    pub began: u64,
    /// The type that folds conservatively.
    pub majority: Unit,
    /// Nobody folds in this phase.
    pub off: bool,
    /// Instructions issued in this phase.
    pub issued: u64,
}

impl Folding {
    pub fn new(config: &Config) -> Folding {
        let share = |percent: u32| config.phase_cycles * percent / 100;
        let slots = u64::from(config.phase_cycles) * u64::from(config.issue_ports());
        Folding {
            phase_cycles: config.phase_cycles,
            eager: config.eager_gating,
            aggressive: share(config.fold_aggressive),
            conservative: share(config.fold_conservative),
            busy_from: slots * u64::from(config.fold_off) / 100,
            began: 0,
            majority: Unit::Int,
            off: false,
            issued: 0,
        }
    }

    /// When the next phase begins.
    pub fn ends(&self) -> u64 {
        self.began + u64::from(self.phase_cycles)
    }

    /// A phase begins, with so many warps whose next instruction is INT and FP.
    pub fn begin(&mut self, cycle: u64, int: u32, fp: u32) {
        self.off = cycle > 0 && self.issued >= self.busy_from;
        (self.began, self.issued) = (cycle, 0);
        self.majority = if int > fp { Unit::Int } else { Unit::Fp };
    }

    pub fn policy(&self, unit: Unit) -> FoldPolicy {
        if unit == self.majority { FoldPolicy::Conservative } else { FoldPolicy::Aggressive }
    }

    /// Cycles of this phase in which a type folds.
    pub fn cycles(&self, unit: Unit) -> u32 {
        match self.policy(unit) {
            _ if self.off => 0,
            FoldPolicy::Aggressive => self.aggressive,
            FoldPolicy::Conservative => self.conservative,
        }
    }

    /// Whether instructions of a type that issue in a cycle of this phase are folded.
    pub fn folds(&self, unit: Unit, cycle: u64) -> bool {
        matches!(unit, Unit::Int | Unit::Fp) && cycle - self.began < self.cycles(unit).into()
    }

    /// The next cycle after `cycle` in which a type stops folding, or the phase ends.
    pub fn next_change(&self, cycle: u64) -> u64 {
        let ends = [Unit::Int, Unit::Fp].map(|unit| self.began + u64::from(self.cycles(unit)));
        ends.into_iter().filter(|&end| end > cycle).min().unwrap_or(u64::MAX).min(self.ends())
    }
}

#[cfg(test)]
mod tests {
    use super::super::lane::{Lane, LaneState, Rules};
    use super::*;
    use crate::config::GatingKind;

    fn folding() -> Folding {
        Folding::new(&Config::default())
    }

    /// The first and the last cycle of a phase in which a type folds.
    fn window(folding: &Folding, unit: Unit) -> Option<(u64, u64)> {
        let folds: Vec<u64> = (folding.began..folding.ends()).filter(|&cycle| folding.folds(unit, cycle)).collect();
        Some((*folds.first()? - folding.began, *folds.last()? - folding.began))
    }

    #[test]
    fn the_minority_folds_longer() {
        let mut folding = folding();
        folding.begin(0, 20, 12);
        assert_eq!((window(&folding, Unit::Int), window(&folding, Unit::Fp)), (Some((0, 119)), Some((0, 209))));
        folding.begin(300, 5, 30);
        assert_eq!((window(&folding, Unit::Int), window(&folding, Unit::Fp)), (Some((0, 209)), Some((0, 119))));
        assert!(!folding.folds(Unit::LdSt, 300) && !folding.folds(Unit::Sfu, 300));
        assert_eq!([300, 420, 510].map(|cycle| folding.next_change(cycle)), [420, 510, 600]);
    }

    /// Equation 1: the pipeline has to run empty, idle-detect to pass, and break-even to be reached. With the largest values of
    /// section 3.1.1 these are 43 cycles, and the paper takes 50.
    #[test]
    fn conservative_folding_lasts_long_enough_to_pay() {
        let (flush, break_even) = (19, 19);
        let rules = Rules { break_even, ..Rules::new(&Config { gating: GatingKind::On, ..Config::default() }) };
        let least = flush + rules.idle_detect + break_even;
        assert_eq!(least, 43);
        let mut lane = Lane::default();
        lane.take(flush.into());
        lane.switch_off(lane.idle_since() + u64::from(rules.idle_detect));
        let states = [least - 1, least].map(|cycle| lane.state(cycle.into(), &rules));
        assert_eq!(states, [LaneState::Dark, LaneState::Earning], "an instruction issued as folding began");
        let mut folding = folding();
        folding.begin(0, 2, 1);
        assert_eq!(folding.cycles(Unit::Int), 120, "40% of 300, more than 50");
        let short = Config { phase_cycles: 125, ..Config::default() };
        assert_eq!(Folding::new(&short).conservative, 50, "no phase may be shorter");
    }

    #[test]
    fn a_busy_phase_is_followed_by_one_without_folding() {
        let mut folding = folding();
        // Two ports, 300 cycles: 540 of 600 slots are 90 %.
        for (issued, off) in [(539, false), (540, true), (0, false)] {
            folding.issued = issued;
            folding.begin(folding.ends(), 1, 2);
            assert_eq!(folding.off, off, "{issued}");
            assert_eq!(window(&folding, Unit::Int).is_none(), off);
        }
    }
}
