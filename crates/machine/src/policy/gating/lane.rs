//! The power-gating states of one lane of a pipeline (Origami section 2.2).
//!
//! ```text
//!            used                idle for idle_detect cycles          dark for break_even cycles
//!   busy ◄─────────── idle ──────────────────────────────► dark ──────────────────────────────► earning
//!     │                ▲ ▲                                   │ wanted                              │ wanted
//!     └── result ──────┘ └──────── after wakeup cycles ── waking ◄──────────────────────────────────┘
//! ```
//!
//! A lane is busy as long as an instruction is in the pipeline. Under *Blackout* (Warped-Gates) a lane that is wanted while dark
//! stays off until it has saved what switching costs, and wakes only then. Times are issue times; execution follows
//! `read_latency` cycles later, equally for all instructions.

use crate::config::{Config, GatingGrain, GatingKind};

/// The gating parameters of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Whether lanes are switched off at all.
    pub gates: bool,
    pub(crate) idle_detect: u32,
    /// Cycles that a lane must be off to save what switching it costs.
    pub break_even: u32,
    pub(crate) wakeup: u32,
    pub(crate) blackout: bool,
    /// Whether the lanes of a pipeline are switched together.
    pub together: bool,
}

impl Rules {
    pub(crate) fn new(config: &Config) -> Rules {
        Rules {
            gates: config.gating == GatingKind::On,
            idle_detect: config.idle_detect,
            break_even: config.break_even,
            wakeup: config.wakeup,
            blackout: config.blackout,
            together: config.gating_grain == GatingGrain::Pipeline,
        }
    }
}

/// The power state of a lane in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneState {
    /// The lane holds an instruction.
    Busy,
    /// The lane is on and empty: it waits for use, or counts towards idle-detect.
    Idle,
    /// The lane is off and has not yet saved what switching costs.
    Dark,
    /// The lane is off past break-even and saves energy.
    Earning,
    /// The lane is being switched on.
    Waking,
}

/// The state of one lane, as times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lane {
    /// The first cycle in which it holds no instruction.
    pub busy_until: u64,
    /// The cycle from which idle cycles count; [`Lane::want`] moves it forward.
    idle_from: u64,
    /// The cycle in which it was switched off.
    pub off_since: Option<u64>,
    /// The cycle in which switching on begins, and the first cycle in which it is on.
    pub wakes: Option<(u64, u64)>,
}

impl Lane {
    /// Returns the state in `cycle`, up to which [`Lane::arrive`] must have been applied.
    pub fn state(&self, cycle: u64, rules: &Rules) -> LaneState {
        match (self.wakes, self.off_since) {
            (Some((from, _)), _) if from <= cycle => LaneState::Waking,
            (_, Some(since)) if cycle - since < u64::from(rules.break_even) => LaneState::Dark,
            (_, Some(_)) => LaneState::Earning,
            _ if self.busy_until > cycle => LaneState::Busy,
            _ => LaneState::Idle,
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.off_since.is_none() && self.wakes.is_none()
    }

    /// Returns the cycle from which the lane is or will be idle.
    pub fn idle_since(&self) -> u64 {
        self.idle_from.max(self.busy_until)
    }

    /// Completes switching on, if that is done by `cycle`.
    pub fn arrive(&mut self, cycle: u64) {
        if let Some((_, on)) = self.wakes.filter(|(_, on)| *on <= cycle) {
            *self = Lane { idle_from: on, busy_until: self.busy_until, off_since: None, wakes: None };
        }
    }

    /// Switches the lane off.
    pub fn switch_off(&mut self, cycle: u64) {
        self.off_since = Some(cycle);
    }

    /// Returns the first cycle in which the lane is usable, if it is wanted now.
    pub fn ready_at(&self, cycle: u64, rules: &Rules) -> u64 {
        match (self.wakes, self.off_since) {
            (Some((_, on)), _) => on,
            (None, Some(since)) => self.wakes_from(since, cycle, rules) + u64::from(rules.wakeup),
            (None, None) => cycle,
        }
    }

    fn wakes_from(&self, since: u64, cycle: u64, rules: &Rules) -> u64 {
        if rules.blackout { cycle.max(since + u64::from(rules.break_even)) } else { cycle }
    }

    /// Requests the lane: one that is off starts to switch on; one that is on stays on.
    pub fn want(&mut self, cycle: u64, rules: &Rules) {
        match (self.wakes, self.off_since) {
            (None, Some(since)) => {
                let from = self.wakes_from(since, cycle, rules);
                self.wakes = Some((from, from + u64::from(rules.wakeup)));
            }
            // If it went off while other lanes of the warp wake up, the warp could wait for ever.
            (None, None) => self.idle_from = cycle + 1,
            _ => {}
        }
    }

    /// Occupies the lane with an instruction up to cycle `until`.
    pub fn take(&mut self, until: u64) {
        self.busy_until = self.busy_until.max(until);
    }

    /// Returns the next cycle after `cycle` in which the state changes by itself.
    pub fn next_change(&self, cycle: u64, idle_detect: u32, rules: &Rules) -> Option<u64> {
        let times = match (self.wakes, self.off_since) {
            (Some((from, on)), Some(since)) => [from, on, since + u64::from(rules.break_even)],
            (_, Some(since)) => [since + u64::from(rules.break_even); 3],
            _ => {
                let off = if rules.gates { self.idle_since() + u64::from(idle_detect) } else { 0 };
                [self.busy_until, off, 0]
            }
        };
        times.into_iter().filter(|&time| time > cycle).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules = Rules { gates: true, idle_detect: 5, break_even: 14, wakeup: 3, blackout: false, together: false };

    /// Runs a lane that is busy for 4 cycles and wanted `gap` cycles later; returns its states until use, a letter per cycle.
    fn states(gap: u64, rules: &Rules) -> String {
        let mut lane = Lane::default();
        lane.take(4);
        let mut states = String::new();
        for cycle in 0.. {
            lane.arrive(cycle);
            if lane.is_on() && cycle >= lane.idle_since() + u64::from(rules.idle_detect) {
                lane.switch_off(cycle);
            }
            if cycle >= 4 + gap {
                if lane.ready_at(cycle, rules) == cycle {
                    break;
                }
                lane.want(cycle, rules);
            }
            states.push(match lane.state(cycle, rules) {
                LaneState::Busy => 'b',
                LaneState::Idle => 'i',
                LaneState::Dark => 'd',
                LaneState::Earning => 'e',
                LaneState::Waking => 'w',
            });
        }
        states
    }

    fn count(states: &str, of: &str) -> i64 {
        states.chars().filter(|state| of.contains(*state)).count() as i64
    }

    /// Returns the energy saved minus the cost of switching, in lane-cycles of leakage.
    fn saved(states: &str, rules: &Rules) -> i64 {
        let off = count(states, "de");
        off - if count(states, "dew") > 0 { i64::from(rules.break_even) } else { 0 }
    }

    #[test]
    fn an_idle_gap_is_detected_dark_earning_and_waking_in_turn() {
        assert_eq!(states(4, &RULES), "bbbbiiii", "too short to be switched off");
        assert_eq!(states(5, &RULES), "bbbbiiiiiwww", "wanted in the cycle it would have gone dark");
        assert_eq!(states(6, &RULES), "bbbbiiiiidwww");
        assert_eq!(states(19, &RULES), "bbbbiiiiiddddddddddddddwww", "all of break-even, nothing earned");
        assert_eq!(states(20, &RULES), "bbbbiiiiiddddddddddddddewww");
    }

    #[test]
    fn every_gap_around_detection_and_break_even_saves_what_the_paper_says() {
        for gap in 0..60u64 {
            let states = states(gap, &RULES);
            let off = (gap as i64 - 5).max(0);
            assert_eq!(count(&states, "b"), 4);
            assert_eq!(count(&states, "i"), (gap as i64).min(5), "gap {gap}");
            assert_eq!((count(&states, "d"), count(&states, "e")), (off.min(14), (off - 14).max(0)), "gap {gap}");
            assert_eq!(count(&states, "w"), if gap < 5 { 0 } else { 3 }, "gap {gap}: the instruction waits for the lane");
            assert_eq!(saved(&states, &RULES), if gap >= 5 { off - 14 } else { 0 }, "gap {gap}");
        }
    }

    #[test]
    fn under_blackout_a_lane_stays_dark_until_it_has_paid() {
        let rules = Rules { blackout: true, ..RULES };
        for gap in 5..60u64 {
            let states = states(gap, &rules);
            assert_eq!(count(&states, "d"), 14, "gap {gap}");
            assert_eq!(count(&states, "e"), (gap as i64 - 19).max(0), "gap {gap}");
            assert!(saved(&states, &rules) >= 0, "gap {gap}: no event loses energy");
            let waits = states.len() as u64 - 4 - gap;
            assert_eq!(waits, 3 + 19u64.saturating_sub(gap), "gap {gap}: it loses time instead");
        }
        assert_eq!(states(6, &rules), format!("bbbbiiiii{}www", "d".repeat(14)));
    }

    #[test]
    fn a_lane_that_is_wanted_stays_on_while_others_wake() {
        let mut lane = Lane::default();
        for cycle in 0..20 {
            assert!(cycle < lane.idle_since() + 5, "it would go off in cycle {cycle}");
            lane.want(cycle, &RULES);
        }
        assert_eq!(lane.idle_since() + 5, 25);
    }

    #[test]
    fn the_next_change_is_never_missed() {
        for rules in [RULES, Rules { blackout: true, ..RULES }] {
            let mut lane = Lane::default();
            lane.take(4);
            let mut promised = None;
            let mut before = lane.state(0, &rules);
            for cycle in 0..80 {
                lane.arrive(cycle);
                if lane.is_on() && cycle >= lane.idle_since() + 5 {
                    lane.switch_off(cycle);
                }
                if cycle == 12 || cycle == 50 {
                    lane.want(cycle, &rules);
                }
                let state = lane.state(cycle, &rules);
                if state != before && cycle != 12 && cycle != 50 {
                    assert_eq!(promised, Some(cycle), "{before:?} to {state:?}");
                }
                before = state;
                promised = lane.next_change(cycle, 5, &rules);
            }
        }
    }
}
