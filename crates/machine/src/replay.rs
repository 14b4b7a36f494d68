//! Moves to any cycle of a run, forwards or backwards, by snapshots and re-execution.
//!
//! The machine is deterministic, so the state at a cycle is the nearest earlier snapshot plus a short run. The number of
//! snapshots is bounded: when it would be exceeded, every second one is dropped and the distance between them doubles.
//! Snapshots share unchanged pages of global memory, so a snapshot costs what changed.
//!
//! A snapshot includes the counts of the run so far, so going back restores them too.

use crate::event::{DynSink, Event, Listener, Reasons, Sink};
use crate::metrics::Tally;
use crate::sim::Sim;
use crate::sim::footprint::Footprint;
use std::ops::Range;
use warpscope_kernel::program::Pc;

/// The most snapshots that are kept, and the fewest, for a large machine.
const MOST: u64 = 96;
/// The fewest snapshots that are kept.
pub const LEAST: u64 = 8;
/// Bytes that all snapshots may take together; [`LEAST`] of them are kept even if they take more.
const SNAPSHOT_BYTES: u64 = 192 << 20;
/// Cycles from the extra snapshot that a backward seek leaves behind to the target of the seek.
const NEAR: u64 = 128;
/// The initial distance between two snapshots, in cycles.
const FIRST_DISTANCE: u64 = 1024;

/// A run in which one can seek to any cycle.
#[derive(Debug)]
pub struct Replay {
    /// In ascending order of their cycle; the first is the start.
    snapshots: Vec<Snapshot>,
    distance: u64,
    /// How many snapshots there may be.
    most: usize,
    /// The machine and its counts at the current cycle.
    now: Snapshot,
    /// A snapshot shortly before the target of the last backward seek, which most often is followed by another.
    near: Option<Box<Snapshot>>,
    /// The furthest cycle that has been simulated, and whether the run ended there.
    end: u64,
    ended: bool,
}

/// A machine that goes through known cycles of a run once more, apart from the run, some cycles at a time.
#[derive(Clone, Debug)]
pub struct Rerun {
    sim: Sim,
    end: u64,
}

impl Rerun {
    /// Returns the machine at its current cycle.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Passes the events of up to `most` further cycles to a sink. Returns whether cycles are left.
    pub fn advance<S: Sink>(&mut self, most: u64, sink: &mut S) -> bool {
        let until = self.sim.state.cycle.saturating_add(most).min(self.end);
        let mut sink = TallySink::new(None, Some(sink));
        while self.sim.state.cycle < until && !self.sim.finished() {
            self.sim.step_specialised(&mut sink);
        }
        self.sim.state.cycle < self.end && !self.sim.finished()
    }
}

/// A snapshot: a machine, and the counts of its run so far.
#[derive(Clone, Debug)]
struct Snapshot {
    sim: Sim,
    tally: Tally,
}

impl Snapshot {
    fn cycle(&self) -> u64 {
        self.sim.state.cycle
    }

    fn run<'a>(&'a mut self, cycles: u64, then: Option<&'a mut (dyn Listener + 'a)>) {
        self.sim.run_specialised(cycles, &mut TallySink::new(Some(&mut self.tally), then));
    }
}

/// The only sink type of a replayed machine, so that its code is compiled once for all listeners.
struct TallySink<'a> {
    tally: Option<&'a mut Tally>,
    then: Option<DynSink<'a>>,
}

impl<'a> TallySink<'a> {
    fn new(tally: Option<&'a mut Tally>, then: Option<&'a mut (dyn Listener + 'a)>) -> TallySink<'a> {
        TallySink { tally, then: then.map(DynSink::new) }
    }
}

impl Sink for TallySink<'_> {
    const WANTS_WARPS: bool = true;

    #[inline]
    fn wants_lanes(&self) -> bool {
        self.then.as_ref().is_some_and(DynSink::wants_lanes)
    }

    #[inline]
    fn event(&mut self, cycle: u64, event: Event) {
        if let Some(tally) = &mut self.tally {
            tally.event(cycle, event);
        }
        if let Some(then) = &mut self.then {
            then.event(cycle, event);
        }
    }

    /// Forwards to the listener only: the tally counts warps by reason, from [`Event::Cycle`].
    #[inline]
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        if let Some(then) = &mut self.then {
            then.warps(cycle, sm, first, before, now);
        }
    }
}

impl Replay {
    /// Begins at a machine that has not run yet.
    pub fn new(start: Sim) -> Replay {
        let tally = Tally::new(start.machine.program.instructions.len(), &start.machine.config);
        let machine = &start.machine;
        let bytes = Footprint::of(&machine.config, &machine.program, &machine.start.shape, 0).snapshot_bytes();
        let most = (SNAPSHOT_BYTES / bytes.max(1)).clamp(LEAST, MOST) as usize;
        let now = Snapshot { sim: start, tally };
        Replay { snapshots: vec![now.clone()], distance: FIRST_DISTANCE, most, now, near: None, end: 0, ended: false }
    }

    /// The machine at the current cycle.
    pub fn sim(&self) -> &Sim {
        &self.now.sim
    }

    /// The counts up to the current cycle.
    pub fn tally(&self) -> &Tally {
        &self.now.tally
    }

    /// Returns how many cycles the current machine has executed.
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

    /// Moves to a cycle, or to the end of the run if that comes first.
    pub fn seek(&mut self, cycle: u64) {
        if cycle < self.cycle() {
            self.restore(cycle);
        } else if let Some(nearer) = self.snapshots.iter().rfind(|s| s.cycle() <= cycle && s.cycle() > self.cycle()) {
            self.now = nearer.clone();
        }
        self.forward(cycle, None);
    }

    /// Simulates one cycle and passes its events to `sink`.
    pub fn step<S: Sink>(&mut self, sink: &mut S) {
        let next = self.cycle() + 1;
        self.run_to(next, sink);
    }

    /// Moves one cycle back.
    pub fn back(&mut self) {
        self.seek(self.cycle().saturating_sub(1));
    }

    /// Returns the counts up to a cycle that has been simulated, without moving.
    pub fn tally_at(&self, cycle: u64) -> Tally {
        let cycle = cycle.min(self.end);
        let known = self.snapshots.iter().chain(self.near.as_deref()).chain([&self.now]);
        let Some(nearest) = known.filter(|known| known.cycle() <= cycle).max_by_key(|known| known.cycle()) else {
            return self.tally().clone();
        };
        if nearest.cycle() == cycle {
            return nearest.tally.clone();
        }
        let mut snapshot = nearest.clone();
        snapshot.run(cycle - snapshot.cycle(), None);
        snapshot.tally
    }

    /// Returns the machine at a cycle that has been simulated, without moving. It runs on from `known` if no snapshot is nearer.
    pub fn machine_at(&self, cycle: u64, known: Option<Sim>) -> Sim {
        let snapshots = self.snapshots.iter().chain(self.near.as_deref()).chain([&self.now]);
        let nearest = snapshots.map(|snapshot| &snapshot.sim).filter(|sim| sim.state.cycle <= cycle);
        let nearest = nearest.max_by_key(|sim| sim.state.cycle).unwrap_or(self.sim());
        let is_near = |known: &Sim| (nearest.state.cycle..=cycle).contains(&known.state.cycle);
        let mut sim = known.filter(is_near).unwrap_or_else(|| nearest.clone());
        sim.run_specialised(cycle.saturating_sub(sim.state.cycle), &mut TallySink::new(None, None));
        sim
    }

    /// Returns the first simulated cycle by which `threads` threads have executed one of these instructions, each time
    /// counted.
    pub fn cycle_of(&self, pcs: &[Pc], threads: u64) -> Option<u64> {
        let done = |snapshot: &Snapshot| snapshot.tally.threads_of(pcs) >= threads;
        if self.cycle() == self.end && !done(&self.now) {
            return None;
        }
        let mut snapshot = self.snapshots.iter().rfind(|known| !done(known)).unwrap_or(self.snapshots.first()?).clone();
        while !done(&snapshot) {
            if snapshot.cycle() >= self.end || snapshot.sim.finished() {
                return None;
            }
            snapshot.run(1, None);
        }
        Some(snapshot.cycle())
    }

    /// Returns the cycles from the last snapshot before `end` up to `end`; they are the cheapest to go through once more.
    pub fn stretch_before(&self, end: u64) -> Range<u64> {
        let last = self.snapshots.iter().map(Snapshot::cycle).rfind(|&cycle| cycle < end);
        last.unwrap_or(0)..end
    }

    /// Passes the events of the cycles from `start` up to `end` to a sink, without moving.
    pub fn events<S: Sink>(&self, start: u64, end: u64, sink: &mut S) {
        self.rerun(start..end).advance(u64::MAX, sink);
    }

    /// Returns a copy of the machine that goes through these cycles once more. They have been simulated.
    pub fn rerun(&self, cycles: Range<u64>) -> Rerun {
        Rerun { sim: self.machine_at(cycles.start, None), end: cycles.end }
    }

    /// Restores the nearest snapshot before a cycle; if that is far, takes another one close to the cycle.
    fn restore(&mut self, cycle: u64) {
        let kept = self.snapshots.iter().rfind(|s| s.cycle() <= cycle);
        let near = self.near.as_deref().filter(|near| near.cycle() <= cycle);
        let Some(nearest) = kept.into_iter().chain(near).max_by_key(|snapshot| snapshot.cycle()) else { return };
        self.now = nearest.clone();
        if cycle - self.cycle() > 2 * NEAR {
            self.forward(cycle - NEAR, None);
            self.near = Some(Box::new(self.now.clone()));
        }
    }

    /// Runs forward to a cycle, and takes snapshots in cycles not reached before. Does nothing if the cycle is in the past.
    pub fn run_to<S: Sink>(&mut self, cycle: u64, sink: &mut S) {
        self.forward(cycle, Some(sink));
    }

    fn forward(&mut self, cycle: u64, mut then: Option<&mut dyn Listener>) {
        while !self.now.sim.finished() && self.cycle() < cycle {
            let last = self.snapshots.last().map_or(0, Snapshot::cycle);
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
