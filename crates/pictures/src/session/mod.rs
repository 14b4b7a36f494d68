//! A run that the user moves through: one cycle at a time, to an event, to a breakpoint, to the end, and back.
//!
//! **Cycle** here is how many cycles have been simulated: at cycle n the picture shows what cycle n − 1 did. Long moves are split
//! ([`Session::advance`] takes the most cycles to go), so that the caller can draw in between.

mod backwards;
mod breakpoints;

pub use backwards::{BackwardSearch, Backwards};
pub use breakpoints::{Breakpoints, Element, Hit};

use crate::view::why::Choices;
use breakpoints::BreakpointMatcher;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use warpscope_machine::event::{Event, EventKind, OneCycle, Reason};
use warpscope_machine::record::{Issue, Issues, MOST_CYCLES, Record};
use warpscope_machine::replay::Replay;
use warpscope_machine::sim::Sim;
use warpscope_machine::sim::choice::PassedOver;

/// Where [`Session::advance`] stopped, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// It went as many cycles as it was allowed to.
    Paused,
    /// It hit a breakpoint.
    Hit(Hit),
    /// The run has ended, by itself or by a trap.
    Ended,
}

/// What the next and previous buttons move to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchTarget {
    /// Anything of this kind happens.
    Event(EventKind),
    /// A warp begins to wait.
    Stall {
        /// The warp's SM.
        sm: u16,
        /// Its number on the SM.
        warp: u16,
    },
}

/// A run to move through, with its history and what views ask about the current cycle.
#[derive(Debug)]
pub struct Session {
    replay: Replay,
    record: Record,
    /// The events of the last cycle.
    last: Vec<Event>,
    /// The first issues of the run, computed when they are first asked for.
    issues: OnceCell<Vec<Issue>>,
    /// The last answer to why warps were passed over, with a machine at the end of that cycle.
    choices: RefCell<Option<(Sim, Rc<[PassedOver]>)>>,
}

impl Choices for Session {
    /// Repeats the last cycle. While the run moves forwards, each answer costs the cycles since the last one.
    fn passed_over(&self) -> Rc<[PassedOver]> {
        let cycle = self.cycle();
        let Some(before) = cycle.checked_sub(1) else { return Rc::default() };
        let known = match self.choices.take() {
            Some((sim, choices)) if sim.state.cycle == cycle => {
                *self.choices.borrow_mut() = Some((sim, choices.clone()));
                return choices;
            }
            known => known.map(|(sim, _)| sim),
        };
        let mut sim = self.replay.machine_at(before, known);
        let choices: Rc<[PassedOver]> = sim.step_with_choices().into();
        *self.choices.borrow_mut() = Some((sim, choices.clone()));
        choices
    }
}

impl Session {
    /// Begins at the first cycle of a machine that has not run yet.
    pub fn new(sim: Sim) -> Session {
        let record = Record::new(sim.state.sms.len(), sim.machine.max_warps as usize);
        Session { replay: Replay::new(sim), record, last: Vec::new(), issues: OnceCell::new(), choices: RefCell::default() }
    }

    /// Returns the machine at the current cycle.
    pub fn sim(&self) -> &Sim {
        self.replay.sim()
    }

    /// Returns the snapshots with which it seeks.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// Returns the history of all cycles that the run has reached.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the events of the last cycle.
    pub fn last(&self) -> &[Event] {
        &self.last
    }

    /// Returns the current position: how many cycles have been simulated up to it.
    pub fn cycle(&self) -> u64 {
        self.replay.cycle()
    }

    /// Returns the furthest cycle that was ever simulated.
    pub fn reached(&self) -> u64 {
        self.replay.reached()
    }

    /// Whether the end of the run is known; it lies at [`Session::reached`].
    pub fn ended(&self) -> bool {
        self.replay.ended()
    }

    /// Whether the current position is the end of the run.
    pub fn at_end(&self) -> bool {
        self.sim().finished()
    }

    /// Returns the issues in the first cycles of a run that has ended; none before the end is known.
    pub fn issues(&self) -> &[Issue] {
        if !self.replay.ended() {
            return &[];
        }
        self.issues.get_or_init(|| {
            let mut issues = Issues::default();
            self.replay.events(0, self.reached().min(MOST_CYCLES), &mut issues);
            issues.all
        })
    }

    /// Moves one cycle forwards.
    pub fn step(&mut self) {
        let to = self.cycle() + 1;
        self.go(to, false);
    }

    /// Moves one cycle backwards.
    pub fn back(&mut self) {
        self.seek(self.cycle().saturating_sub(1));
    }

    /// Moves to a cycle that has been simulated before, or to the furthest one if that is earlier.
    pub fn seek(&mut self, cycle: u64) {
        let cycle = cycle.min(self.reached());
        self.last.clear();
        let before = cycle.saturating_sub(1);
        if self.cycle() != before || cycle == 0 {
            self.replay.seek(before);
        }
        if cycle > before {
            let mut cycle = OneCycle::default();
            self.replay.step(&mut cycle);
            self.last = cycle.events;
        }
    }

    /// Moves up to `cycles` forwards and stops at breakpoints.
    pub fn advance(&mut self, cycles: u64, breakpoints: &Breakpoints) -> StopReason {
        let end = self.cycle().saturating_add(cycles);
        if !breakpoints.is_empty() {
            let matcher = BreakpointMatcher::new(breakpoints, self.sim());
            while self.cycle() < end && !self.at_end() {
                self.step();
                if let Some(hit) = matcher.find(&self.last) {
                    return StopReason::Hit(hit);
                }
            }
        } else {
            self.go(end, true);
        }
        if self.at_end() { StopReason::Ended } else { StopReason::Paused }
    }

    /// Returns the first breakpoint that the last cycle hit.
    pub fn hit(&self, breakpoints: &Breakpoints) -> Option<Hit> {
        BreakpointMatcher::new(breakpoints, self.sim()).find(&self.last)
    }

    /// Runs to `end` through known and new cycles, and keeps the events of the last one; unless `long`, by one cycle.
    fn go(&mut self, end: u64, long: bool) {
        if self.at_end() {
            return;
        }
        if long {
            let known = self.reached().min(end - 1);
            self.replay.seek(known.max(self.cycle()));
            while self.cycle() >= self.reached() && self.cycle() < end - 1 && !self.at_end() {
                self.replay.run_to(self.record.next_edge(self.cycle()).min(end - 1), &mut self.record);
                self.count();
            }
        }
        // If the run ended on the way there, its last cycle has been simulated already.
        if self.at_end() {
            self.record.close(self.reached());
            self.seek(self.reached());
            return;
        }
        let mut cycle = OneCycle::default();
        if self.cycle() >= self.reached() {
            self.replay.step(&mut (&mut self.record, &mut cycle));
            self.count();
            self.record.close(self.reached());
        } else {
            self.replay.step(&mut cycle);
        }
        self.last = cycle.events;
    }

    /// Gives the record the numbers of the run so far.
    fn count(&mut self) {
        self.record.count(self.cycle(), &self.replay.tally().metrics);
    }

    /// Returns where the next target lies, if that cycle has been simulated.
    pub fn known_next(&self, target: SearchTarget) -> Option<u64> {
        let from = self.cycle();
        match target {
            SearchTarget::Event(kind) => self.record.marks(kind).next(from).map(|at| at + 1),
            SearchTarget::Stall { sm, warp } => {
                let track = self.record.track(sm, warp)?;
                let mut at = from.checked_sub(1);
                loop {
                    // Before the first cycle there is no state to change from, so the first cycle itself may be the target.
                    let (cycle, code) = match at {
                        Some(cycle) => track.next_change(cycle)?,
                        None => (0, track.at(0)),
                    };
                    if is_stall(code) {
                        return Some(cycle + 1);
                    }
                    at = Some(cycle);
                }
            }
        }
    }

    /// Returns where the previous target lies.
    pub fn previous(&self, target: SearchTarget) -> Option<u64> {
        // The picture shows the last cycle: search before it.
        let before = self.cycle().saturating_sub(1);
        match target {
            SearchTarget::Event(kind) => self.record.marks(kind).previous(before).map(|at| at + 1),
            SearchTarget::Stall { sm, warp } => self.record.track(sm, warp)?.previous_change(before, is_stall).map(|at| at + 1),
        }
    }

    /// Moves to the next target, at most `cycles` ahead through new cycles; returns whether it was found.
    pub fn search(&mut self, target: SearchTarget, cycles: u64) -> bool {
        let from = self.cycle();
        if let Some(known) = self.known_next(target) {
            self.seek(known);
            return true;
        }
        self.seek(self.reached());
        let end = self.reached().saturating_add(cycles.saturating_sub(self.reached() - from).max(1));
        while self.cycle() < end && !self.at_end() {
            self.step();
            let now = self.cycle() - 1;
            let found = match target {
                SearchTarget::Event(kind) => self.record.marks(kind).contains(now),
                SearchTarget::Stall { sm, warp } => {
                    self.record.track(sm, warp).is_some_and(|track| is_stall(track.at(now)) && track.since(now) == now)
                }
            };
            if found {
                return true;
            }
        }
        false
    }
}

/// Whether a warp with this code waits for something other than its turn.
fn is_stall(code: u8) -> bool {
    use Reason::{Ahead, Barrier, Control, Fetch, Memory, Siblings, Structural, Sync, Throttle, Wakeup};
    let stalls = [Barrier, Control, Memory, Reason::Result, Fetch, Structural, Sync, Wakeup, Siblings, Ahead, Throttle];
    stalls.into_iter().any(|reason| reason as u8 == code)
}
