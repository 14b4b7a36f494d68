//! Any cycle of a run, forwards or backwards: snapshots now and then, and re-execution in between.
//!
//! The machine is deterministic, so the state at a cycle is the nearest snapshot before it plus a short run. Snapshots are
//! spaced so that there are never more than a fixed number: when there would be, every second one is dropped and the
//! distance doubles. Global memory is shared between them page by page, so a snapshot costs what changed.
//!
//! The counts of the run so far travel with the machine, so that going back takes them back too.

use crate::event::{Event, Listener, Reasons, Sink};
use crate::metrics::Tally;
use crate::program::Pc;
use crate::sim::Sim;
use crate::sim::footprint::Footprint;

/// The most snapshots that are kept, and the least where the machine is large.
const MOST: u64 = 96;
pub const LEAST: u64 = 8;
/// What snapshots may take together, as long as there are more than [`LEAST`].
const SNAPSHOT_BYTES: u64 = 192 << 20;
/// How far behind one who goes back a moment is kept.
const NEAR: u64 = 128;
/// The first distance between two snapshots.
const FIRST_DISTANCE: u64 = 1024;

/// A run that can be moved through.
#[derive(Debug)]
pub struct Replay {
    /// In ascending order of their cycle; the first is the start.
    snapshots: Vec<Moment>,
    distance: u64,
    /// How many snapshots there may be.
    most: usize,
    /// The cycle that is looked at.
    now: Moment,
    /// A moment shortly before one that was gone back to: whoever goes back once goes back again.
    near: Option<Box<Moment>>,
    /// The furthest cycle that has been simulated, and whether the run ended there.
    end: u64,
    ended: bool,
}

/// A machine, and what has been counted up to there.
#[derive(Clone, Debug)]
struct Moment {
    sim: Sim,
    tally: Tally,
}

impl Moment {
    fn cycle(&self) -> u64 {
        self.sim.state.cycle
    }

    fn run<'a>(&'a mut self, cycles: u64, then: Option<&'a mut (dyn Listener + 'a)>) {
        self.sim.run_specialised(cycles, &mut Ears::new(Some(&mut self.tally), then));
    }
}

/// The only sink that a replayed machine knows, so that there is only one copy of the machine's code for all that listen.
struct Ears<'a> {
    tally: Option<&'a mut Tally>,
    then: Option<&'a mut (dyn Listener + 'a)>,
    /// Whether that one wants to hear what comes in every cycle, and of every lane of an access.
    routine: bool,
    lanes: bool,
}

impl<'a> Ears<'a> {
    fn new(tally: Option<&'a mut Tally>, then: Option<&'a mut (dyn Listener + 'a)>) -> Ears<'a> {
        let routine = then.as_ref().is_some_and(|then| then.wants_routine());
        let lanes = then.as_ref().is_some_and(|then| then.wants_lane_accesses());
        Ears { tally, then, routine, lanes }
    }
}

impl Sink for Ears<'_> {
    const WANTS_WARPS: bool = true;

    #[inline]
    fn wants_lanes(&self) -> bool {
        self.lanes
    }

    #[inline]
    fn event(&mut self, cycle: u64, event: Event) {
        if let Some(tally) = &mut self.tally {
            tally.event(cycle, event);
        }
        if let Some(then) = &mut self.then
            && (self.routine || !event.is_routine())
        {
            then.hear(cycle, event);
        }
    }

    /// The tally counts warps by their number only, which [`Event::Cycle`] tells.
    #[inline]
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        if let Some(then) = &mut self.then {
            then.hear_warps(cycle, sm, first, before, now);
        }
    }
}

impl Replay {
    pub fn new(start: Sim) -> Replay {
        let tally = Tally::new(start.machine.program.instructions.len(), &start.machine.config);
        let machine = &start.machine;
        let bytes = Footprint::of(&machine.config, &machine.program, &machine.start.shape, 0).snapshot_bytes();
        let most = (SNAPSHOT_BYTES / bytes.max(1)).clamp(LEAST, MOST) as usize;
        let now = Moment { sim: start, tally };
        Replay { snapshots: vec![now.clone()], distance: FIRST_DISTANCE, most, now, near: None, end: 0, ended: false }
    }

    /// The machine at the current cycle.
    pub fn sim(&self) -> &Sim {
        &self.now.sim
    }

    /// What has been counted up to the current cycle.
    pub fn tally(&self) -> &Tally {
        &self.now.tally
    }

    pub fn cycle(&self) -> u64 {
        self.now.cycle()
    }

    /// The furthest cycle reached so far.
    pub fn reached(&self) -> u64 {
        self.end
    }

    /// Whether the run has been simulated to its end.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// How many snapshots are kept.
    pub fn snapshots(&self) -> usize {
        self.snapshots.len()
    }

    /// Goes to a cycle, or to the end of the run if that comes first.
    pub fn seek(&mut self, cycle: u64) {
        if cycle < self.cycle() {
            self.restore(cycle);
        } else if let Some(nearer) = self.snapshots.iter().rfind(|s| s.cycle() <= cycle && s.cycle() > self.cycle()) {
            self.now = nearer.clone();
        }
        self.forward(cycle, None);
    }

    /// One cycle forwards, with its events.
    pub fn step<S: Sink>(&mut self, sink: &mut S) {
        let next = self.cycle() + 1;
        self.run_to(next, sink);
    }

    /// One cycle backwards.
    pub fn back(&mut self) {
        self.seek(self.cycle().saturating_sub(1));
    }

    /// Goes to behind the next cycle with an event that `wanted` likes, at most `most` cycles on; the event if there was one.
    pub fn next_event(&mut self, wanted: impl Fn(&Event) -> bool, most: u64) -> Option<(u64, Event)> {
        let limit = self.cycle().saturating_add(most);
        while !self.now.sim.finished() && self.cycle() < limit {
            let mut catch = First { wanted: &wanted, found: None };
            self.step(&mut catch);
            if catch.found.is_some() {
                return catch.found;
            }
        }
        None
    }

    /// Goes to behind the last cycle before this one with an event that `wanted` likes; the event if there was one.
    pub fn previous_event(&mut self, wanted: impl Fn(&Event) -> bool) -> Option<(u64, Event)> {
        let here = self.cycle();
        // The last cycle that was simulated is `here - 1`; an event of that one is where we already are.
        let mut end = here.saturating_sub(1);
        for at in (0..self.snapshots.len()).rev() {
            let start = self.snapshots[at].cycle();
            if start >= end {
                continue;
            }
            let mut sim = self.snapshots[at].sim.clone();
            let mut last = Last { wanted: &wanted, found: None };
            let mut ears = Ears::new(None, Some(&mut last));
            while sim.state.cycle < end && !sim.finished() {
                sim.step_specialised(&mut ears);
            }
            if let Some((cycle, event)) = last.found {
                self.seek(cycle + 1);
                return Some((cycle, event));
            }
            end = start;
        }
        None
    }

    /// What had been counted up to a cycle that has been simulated, without moving.
    pub fn tally_at(&self, cycle: u64) -> Tally {
        let cycle = cycle.min(self.end);
        let known = self.snapshots.iter().chain(self.near.as_deref()).chain([&self.now]);
        let Some(nearest) = known.filter(|known| known.cycle() <= cycle).max_by_key(|known| known.cycle()) else {
            return self.tally().clone();
        };
        if nearest.cycle() == cycle {
            return nearest.tally.clone();
        }
        let mut moment = nearest.clone();
        moment.run(cycle - moment.cycle(), None);
        moment.tally
    }

    /// The first cycle of those that have been simulated at which so many threads have executed one of these instructions, each
    /// time counted.
    pub fn cycle_of(&self, pcs: &[Pc], threads: u64) -> Option<u64> {
        let done = |moment: &Moment| moment.tally.threads_of(pcs) >= threads;
        if self.cycle() == self.end && !done(&self.now) {
            return None;
        }
        let mut moment = self.snapshots.iter().rfind(|known| !done(known)).unwrap_or(self.snapshots.first()?).clone();
        while !done(&moment) {
            if moment.cycle() >= self.end || moment.sim.finished() {
                return None;
            }
            moment.run(1, None);
        }
        Some(moment.cycle())
    }

    /// The events of the cycles from `start` up to `end`, without moving.
    pub fn events<S: Sink>(&self, start: u64, end: u64, sink: &mut S) {
        let Some(before) = self.snapshots.iter().rfind(|s| s.cycle() <= start) else { return };
        let mut sim = before.sim.clone();
        sim.run_specialised(start - sim.state.cycle, &mut Ears::new(None, None));
        let mut ears = Ears::new(None, Some(sink));
        while sim.state.cycle < end && !sim.finished() {
            sim.step_specialised(&mut ears);
        }
    }

    /// To the nearest moment before a cycle, leaving another one behind where that is far.
    fn restore(&mut self, cycle: u64) {
        let kept = self.snapshots.iter().rfind(|s| s.cycle() <= cycle);
        let near = self.near.as_deref().filter(|near| near.cycle() <= cycle);
        let Some(nearest) = kept.into_iter().chain(near).max_by_key(|moment| moment.cycle()) else { return };
        self.now = nearest.clone();
        if cycle - self.cycle() > 2 * NEAR {
            self.forward(cycle - NEAR, None);
            self.near = Some(Box::new(self.now.clone()));
        }
    }

    /// Runs on to a cycle, taking snapshots in country that has not been seen before. A cycle behind is no goal.
    pub fn run_to<S: Sink>(&mut self, cycle: u64, sink: &mut S) {
        self.forward(cycle, Some(sink));
    }

    fn forward(&mut self, cycle: u64, mut then: Option<&mut dyn Listener>) {
        while !self.now.sim.finished() && self.cycle() < cycle {
            let last = self.snapshots.last().map_or(0, Moment::cycle);
            let next = if self.cycle() >= last { last + self.distance } else { cycle };
            self.now.run(next.min(cycle) - self.cycle(), then.as_deref_mut().map(|then| then as _));
            if self.cycle() >= last + self.distance && !self.now.sim.finished() {
                self.snapshots.push(self.now.clone());
                self.thin_out();
            }
        }
        self.end = self.end.max(self.cycle());
        self.ended |= self.now.sim.finished();
    }

    fn thin_out(&mut self) {
        if self.snapshots.len() <= self.most {
            return;
        }
        let mut keep = false;
        self.snapshots.retain(|_| {
            keep = !keep;
            keep
        });
        self.distance *= 2;
    }
}

/// Keeps the first event that is wanted.
struct First<'a, F> {
    wanted: &'a F,
    found: Option<(u64, Event)>,
}

impl<F: Fn(&Event) -> bool> Sink for First<'_, F> {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        if self.found.is_none() && (self.wanted)(&event) {
            self.found = Some((cycle, event));
        }
    }
}

/// Keeps the last event that is wanted.
struct Last<'a, F> {
    wanted: &'a F,
    found: Option<(u64, Event)>,
}

impl<F: Fn(&Event) -> bool> Sink for Last<'_, F> {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        if (self.wanted)(&event) {
            self.found = Some((cycle, event));
        }
    }
}
