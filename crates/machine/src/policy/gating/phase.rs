//! Folding phases: when warps fold (Origami section 3.1.1).
//!
//! Time is divided into phases. At the start of each, the policy counts the warps whose next instruction is INT and FP. The type
//! with fewer, the *minority*, folds *aggressively*: in the first 70 % of the phase. The *majority* folds *conservatively*: in
//! the first 40 %. No warp folds in the phase after one that used 90 % of its issue slots (*adaptive* folding).

use crate::config::Config;
use crate::policy::view::Unit;

/// For how long an instruction type folds in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldPolicy {
    Aggressive,
    Conservative,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Folding {
    pub phase_cycles: u32,
    pub eager: bool,
    /// Cycles of a phase in which a type folds, under each [`FoldPolicy`].
    aggressive: u32,
    conservative: u32,
    /// Instructions issued in a phase from which on the next phase does not fold.
    busy_from: u64,
    /// The cycle in which the phase began.
    pub began: u64,
    /// The instruction type that folds conservatively.
    pub majority: Unit,
    /// Whether folding is off in this phase.
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

    /// Returns the cycle in which the next phase begins.
    pub fn ends(&self) -> u64 {
        self.began + u64::from(self.phase_cycles)
    }

    /// Begins a phase, given the numbers of warps whose next instruction is INT and FP.
    pub fn begin(&mut self, cycle: u64, int: u32, fp: u32) {
        self.off = cycle > 0 && self.issued >= self.busy_from;
        (self.began, self.issued) = (cycle, 0);
        self.majority = if int > fp { Unit::Int } else { Unit::Fp };
    }

    pub fn policy(&self, unit: Unit) -> FoldPolicy {
        if unit == self.majority { FoldPolicy::Conservative } else { FoldPolicy::Aggressive }
    }

    /// Returns the number of cycles for which a type folds in this phase.
    pub fn cycles(&self, unit: Unit) -> u32 {
        match self.policy(unit) {
            _ if self.off => 0,
            FoldPolicy::Aggressive => self.aggressive,
            FoldPolicy::Conservative => self.conservative,
        }
    }

    /// Whether instructions of a type that issue in `cycle` are folded.
    pub fn folds(&self, unit: Unit, cycle: u64) -> bool {
        matches!(unit, Unit::Int | Unit::Fp) && cycle - self.began < self.cycles(unit).into()
    }

    /// Returns the next cycle after `cycle` in which a type stops folding or the phase ends.
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

    /// Returns the first and last cycle of the phase, relative to its start, in which a type folds.
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

    /// Equation 1: folding must outlast draining the pipeline, idle-detect and break-even. With the largest values of section
    /// 3.1.1 the sum is 43 cycles, and the paper takes 50.
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
        // Two ports for 300 cycles have 600 issue slots; 540 are 90 %.
        for (issued, off) in [(539, false), (540, true), (0, false)] {
            folding.issued = issued;
            folding.begin(folding.ends(), 1, 2);
            assert_eq!(folding.off, off, "{issued}");
            assert_eq!(window(&folding, Unit::Int).is_none(), off);
        }
    }
}
