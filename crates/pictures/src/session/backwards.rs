//! Runs backwards to the last breakpoint before a cycle.
//!
//! The machine only runs forwards, so the search goes through the stretches between snapshots once more, the latest first, and
//! keeps the last hit of each. Every cycle is simulated once at most, in slices that the caller chooses.

use super::breakpoints::BreakpointMatcher;
use super::{Breakpoints, Session};
use std::ops::Range;
use warpscope_machine::event::{Event, Sink};
use warpscope_machine::replay::Rerun;

/// A search for the last cycle before another one in which a breakpoint is hit.
#[derive(Clone, Debug)]
pub struct BackwardSearch {
    matcher: BreakpointMatcher,
    /// The cycles that are being gone through, and the copy of the machine that does it.
    stretch: Range<u64>,
    rerun: Rerun,
    /// The last cycle with a hit in this stretch.
    last: Option<u64>,
}

/// What a slice of the search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backwards {
    /// There are cycles left to go through.
    Going,
    /// A breakpoint is hit in the cycle before this one, so this one shows it.
    Found(u64),
    /// None is hit before.
    Nothing,
}

impl Session {
    /// Begins a search for the last breakpoint before the current cycle.
    pub fn search_back(&self, breakpoints: &Breakpoints) -> BackwardSearch {
        // The picture shows the last cycle: search before it.
        let stretch = self.replay.stretch_before(self.cycle().saturating_sub(1));
        let rerun = self.replay.rerun(stretch.clone());
        BackwardSearch { matcher: BreakpointMatcher::new(breakpoints, self.sim()), stretch, rerun, last: None }
    }
}

impl BackwardSearch {
    /// Goes through up to `most` cycles.
    pub fn advance(&mut self, session: &Session, most: u64) -> Backwards {
        let mut hits = LastHit { matcher: &self.matcher, last: &mut self.last };
        if self.rerun.advance(most, &mut hits) {
            return Backwards::Going;
        }
        if let Some(last) = self.last {
            return Backwards::Found(last + 1);
        }
        if self.stretch.start == 0 {
            return Backwards::Nothing;
        }
        self.stretch = session.replay.stretch_before(self.stretch.start);
        self.rerun = session.replay.rerun(self.stretch.clone());
        Backwards::Going
    }
}

/// Keeps the last cycle with a hit.
struct LastHit<'a> {
    matcher: &'a BreakpointMatcher,
    last: &'a mut Option<u64>,
}

impl Sink for LastHit<'_> {
    fn wants_lanes(&self) -> bool {
        self.matcher.wants_lanes()
    }

    fn event(&mut self, cycle: u64, event: Event) {
        if self.matcher.hit(&event).is_some() {
            *self.last = Some(cycle);
        }
    }
}
