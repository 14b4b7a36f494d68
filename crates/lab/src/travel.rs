//! Moving through the run: steps, jumps, play, searches. A notice says what ended a movement early.

use super::{Goal, Jump, LIMIT, Lab, Notice, Stage, Wanted, transport};
use warpscope_pictures::session::{Hit, SearchTarget, StopReason};
use warpscope_pictures::view::Selection;

impl Lab {
    /// Returns the current cycle; 0 without a stage.
    pub fn cycle(&self) -> u64 {
        self.stage.as_ref().map_or(0, |stage| stage.session.cycle())
    }

    /// Animates the way from cycle `from` to the current one, if it is short and jumps are to be animated.
    pub(super) fn play_way(&mut self, from: u64) {
        let jump = Jump { from, to: self.cycle() };
        if let Some(stage) = self.stage.as_mut().filter(|_| jump.is_short() && (self.plays_jumps)()) {
            stage.session.seek(from);
            self.transport.goal = Goal::Jump(jump);
            self.transport.arrival = self.notice.take();
        }
    }

    /// Ends an animated jump at its destination. Returns whether there was one.
    pub fn arrive(&mut self) -> bool {
        let Some(jump) = self.transport.jump() else { return false };
        if let Some(stage) = &mut self.stage {
            stage.session.seek(jump.to);
        }
        self.notice = self.transport.arrival.take();
        self.transport.rest();
        true
    }

    /// Steps one cycle forwards; play stops.
    pub fn step(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        let Some(stage) = &mut self.stage else { return };
        if stage.session.reached() < LIMIT || stage.session.cycle() < stage.session.reached() {
            stage.session.step();
            self.tried(|hints| hints.stepped = true);
        } else if !stage.session.at_end() {
            self.notice = Some(Notice::limit());
            return;
        }
        self.notice = self.stage.as_ref().filter(|stage| stage.session.at_end()).map(Stage::ending);
    }

    /// Steps one cycle backwards; play stops.
    pub fn back(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        if let Some(stage) = &mut self.stage {
            stage.session.back();
        }
    }

    /// Seeks to a cycle: at once if it has been simulated, else in time slices.
    pub fn seek(&mut self, cycle: u64) {
        self.transport.rest();
        self.notice = None;
        let Some(stage) = &mut self.stage else { return };
        if cycle <= stage.session.reached() || stage.session.ended() {
            stage.session.seek(cycle);
        } else {
            self.transport.goal = Goal::Cycle(cycle.min(LIMIT));
        }
    }

    /// Selects a range, and goes to cycle `then`: at once if both have been simulated, else in time slices.
    pub(super) fn select_known(&mut self, range: (u64, u64), then: u64) {
        let Some(stage) = &self.stage else { return };
        if range.1.max(then) <= stage.session.reached() || stage.session.ended() {
            self.set_range(Some(range));
            self.seek(then);
        } else {
            self.transport.start(Goal::Range { range, then });
        }
    }

    /// Goes to the first cycle.
    pub fn start(&mut self) {
        self.seek(0);
    }

    /// Runs to the end, in time slices.
    pub fn end(&mut self) {
        self.notice = None;
        let Some(stage) = &mut self.stage else { return };
        if stage.session.ended() {
            self.transport.rest();
            stage.session.seek(u64::MAX);
            self.notice = Some(stage.ending());
        } else {
            self.transport.goal = Goal::End;
        }
    }

    /// Plays or pauses; ends an animated jump at its destination.
    pub fn play(&mut self) {
        if self.arrive() {
            return;
        }
        let can = self.stage.as_ref().is_some_and(|stage| !stage.session.at_end());
        if self.transport.is_resting() && !can {
            // At the end there is nothing to play, and the notice about the end stays.
            self.notice = self.stage.as_ref().map(|stage| stage.ending());
            return;
        }
        self.notice = None;
        if self.transport.is_resting() {
            self.transport.start(Goal::Play);
            self.transport.halt_at = self.stop_ahead().map(|(_, cycle)| cycle);
        } else {
            self.transport.rest();
        }
    }

    /// Returns what next and previous search for; for stalls, `None` without a selected warp.
    fn target(&self) -> Option<SearchTarget> {
        match self.transport.wanted {
            Wanted::Event(kind) => Some(SearchTarget::Event(kind)),
            Wanted::Stall => self.selection.and_then(Selection::warp).map(|(sm, warp)| SearchTarget::Stall { sm, warp }),
            Wanted::Breakpoint => None,
        }
    }

    /// Starts for the next or the previous breakpoint, if that is what is wanted. Returns whether it is.
    fn seeks_breakpoint(&mut self, goal: Goal) -> bool {
        let wanted = self.transport.wanted == Wanted::Breakpoint;
        if wanted && self.breakpoints.is_empty() {
            self.notice = Some(Notice::bad(
                "No breakpoint is set. Click a line's number, or a value of a buffer; the Stops menu has events and warps.",
            ));
        } else if wanted && self.stage.is_some() {
            self.transport.searched_from = self.cycle();
            self.transport.goal = goal;
        }
        wanted
    }

    /// Goes to what follows of what is searched for: at once where it is known, else in time slices.
    pub fn next_event(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        if self.seeks_breakpoint(Goal::NextBreakpoint) {
            return;
        }
        let Some(target) = self.target() else {
            self.notice = Some(Notice::bad("Select a warp first, to search for its next stall."));
            return;
        };
        let Some(stage) = &mut self.stage else { return };
        match stage.session.known_next(target) {
            Some(cycle) => {
                let from = stage.session.cycle();
                stage.session.seek(cycle);
                self.tell_found();
                self.play_way(from);
            }
            None if stage.session.ended() => self.notice = Some(Notice::good(self.transport.wanted.none_follows())),
            None => {
                self.transport.searched_from = stage.session.cycle();
                self.transport.goal = Goal::Search(target);
            }
        }
    }

    /// Goes back to what is searched for; breakpoints are looked for in time slices.
    pub fn previous_event(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        if self.seeks_breakpoint(Goal::PreviousBreakpoint) {
            return;
        }
        let Some(target) = self.target() else {
            self.notice = Some(Notice::bad("Select a warp first, to search for its last stall."));
            return;
        };
        let Some(stage) = &mut self.stage else { return };
        match stage.session.previous(target) {
            Some(cycle) => {
                let from = stage.session.cycle();
                stage.session.seek(cycle);
                self.tell_found();
                self.play_way(from);
            }
            None => self.notice = Some(Notice::good(self.transport.wanted.none_before())),
        }
    }

    /// Sets a notice about the event that a search has found.
    fn tell_found(&mut self) {
        let Some(stage) = &self.stage else { return };
        self.notice = match self.transport.wanted {
            Wanted::Event(kind) => Some(stage.tell_event(kind)),
            Wanted::Stall => self.selection.and_then(Selection::warp).and_then(|(sm, warp)| stage.tell_stall(sm, warp)),
            Wanted::Breakpoint => None,
        };
    }

    /// Tells which breakpoint was hit, and selects the warp that the breakpoint is about.
    fn tell_breakpoint(&mut self, hit: Hit) {
        let Some(stage) = &self.stage else { return };
        let notice = stage.tell_hit(hit, &self.breakpoints);
        self.selection = notice.show.filter(|_| !matches!(hit, Hit::Event(_))).or(self.selection);
        self.notice = Some(notice);
    }

    /// Works towards the goal: `elapsed` milliseconds have passed since the last call, and the work may take `slice`
    /// milliseconds by `clock`. Returns whether anything changed.
    pub fn tick(&mut self, elapsed: f64, slice: f64, clock: &dyn Fn() -> f64) -> bool {
        let Some(stage) = &mut self.stage else {
            self.transport.rest();
            return false;
        };
        let Some(stop) = self.transport.tick(&mut stage.session, &self.breakpoints, elapsed, slice, clock) else { return false };
        match (stop, self.transport.goal) {
            (transport::Halt::Going, _) => return true,
            // The run may have ended, or come to the page's limit, before the end of the range.
            (_, Goal::Range { range, then }) => {
                self.set_range(Some(range));
                self.seek(then);
                return true;
            }
            _ => {}
        }
        match stop {
            transport::Halt::Going => {}
            transport::Halt::Arrived if matches!(self.transport.goal, Goal::Search(_)) => {
                self.transport.rest();
                self.tell_found();
                self.play_way(self.transport.searched_from);
                return true;
            }
            transport::Halt::Arrived if self.transport.goal == Goal::PreviousBreakpoint => {
                self.transport.rest();
                if let Some(hit) = stage.session.hit(&self.breakpoints) {
                    self.tell_breakpoint(hit);
                }
                self.play_way(self.transport.searched_from);
                return true;
            }
            transport::Halt::Arrived if self.transport.jump().is_some() => {
                self.arrive();
                return true;
            }
            transport::Halt::Arrived if self.transport.goal == Goal::Play => {
                self.transport.rest();
                self.come_to_stop();
                return true;
            }
            transport::Halt::Arrived => {}
            transport::Halt::NotFound => {
                stage.session.seek(self.transport.searched_from);
                let is_before = self.transport.goal == Goal::PreviousBreakpoint;
                let wanted = self.transport.wanted;
                self.notice = Some(Notice::good(if is_before { wanted.none_before() } else { wanted.none_follows() }));
            }
            transport::Halt::Limit => {
                self.notice = Some(Notice::limit());
            }
            transport::Halt::Stopped(StopReason::Hit(hit)) => {
                self.tell_breakpoint(hit);
                if self.transport.goal == Goal::NextBreakpoint {
                    self.transport.rest();
                    self.play_way(self.transport.searched_from);
                    return true;
                }
            }
            transport::Halt::Stopped(_) if self.transport.goal != Goal::Verdict => {
                let halts = self.transport.goal == Goal::Play && self.transport.halt_at == Some(stage.session.cycle());
                self.transport.goal = Goal::Verdict;
                if halts {
                    self.come_to_stop();
                }
                return true;
            }
            transport::Halt::Stopped(_) => self.notice = Some(stage.ending()),
        }
        self.transport.rest();
        true
    }
}
