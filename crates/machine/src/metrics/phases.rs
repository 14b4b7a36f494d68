//! Warp-phases (BAWS section 3): the execution of a block's warps between two barriers.
//!
//! A *warp-phase* is a warp's execution from a barrier, or from its block's start, to the next barrier or to its block's end,
//! which is an implicit barrier. The warps that one barrier releases together form a [`Phase`]. RTRU, the ratio of temporal
//! resource underutilisation, measures how unequal they are: Σ(max T − Tᵢ) / (N · max T) (equation 1).

use crate::event::Event;

/// What ended a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The release of a barrier.
    Barrier,
    /// The block's end.
    Block,
    /// Nothing yet: the phase is still running.
    Open,
}

/// One warp's part in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhasePart {
    /// The warp's number in its block.
    pub warp: u16,
    /// Whether the warp ended, rather than arrived at a barrier.
    pub exited: bool,
    /// The number of the warp-phase, counted from 1 for each warp.
    pub number: u32,
    /// When the warp began it.
    pub start: u64,
    /// When it arrived at the barrier or ended; in an open phase, the current cycle for warps that still run.
    pub arrival: u64,
}

/// A phase of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The SM of the block.
    pub sm: u16,
    pub(crate) slot: u16,
    /// The logical block.
    pub block: u64,
    /// The warp slot of the block's warp 0.
    pub first_warp: u16,
    /// The number of the phase, counted from 1 for each block.
    pub number: u32,
    /// When the first of its warps began it.
    pub start: u64,
    /// When the barrier released its warps, or the block ended; the current cycle where neither has happened.
    pub release: u64,
    /// What ended it.
    pub ending: Ending,
    /// What each of its warps did in it.
    pub parts: Vec<PhasePart>,
}

impl Phase {
    /// Returns the execution times of the warps that take part. A warp that ended before the phase began does not.
    pub fn times(&self) -> impl Iterator<Item = u64> {
        let took_part = self.parts.iter().filter(|part| part.arrival >= self.start);
        took_part.map(|part| part.arrival - part.start.max(self.start))
    }

    /// Returns the RTRU in millionths: sums of floats would depend on their order.
    pub fn rtru_millionths(&self) -> u64 {
        let (mut warps, mut sum, mut longest) = (0, 0, 0);
        for time in self.times() {
            (warps, sum, longest) = (warps + 1, sum + time, longest.max(time));
        }
        ((warps * longest - sum) * 1_000_000).checked_div(warps * longest).unwrap_or(0)
    }
}

/// Tracks the phases of the resident blocks of all SMs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseTracker {
    blocks: Vec<Tracked>,
}

/// A resident block, with its current phase.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tracked {
    sm: u16,
    slot: u16,
    block: u64,
    /// Logical blocks that a virtual block runs besides its first (VTW).
    logical: Vec<u64>,
    first_warp: u16,
    /// Phases that have ended.
    ended: u32,
    /// The last release of any of its barriers, or its start.
    last_release: u64,
    warps: Vec<TrackedWarp>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct TrackedWarp {
    /// The start and the number of its current phase.
    start: u64,
    number: u32,
    /// When it arrived, and at which barrier.
    arrived: Option<(u64, u8)>,
    exited: Option<u64>,
}

impl PhaseTracker {
    /// Returns the phase that an event ends, if any. Only starts, ends and barriers change anything.
    pub fn event(&mut self, now: u64, event: Event) -> Option<Phase> {
        match event {
            Event::BlockStart { sm, slot, block, first_warp, warps } => {
                let warp = TrackedWarp { start: now, number: 1, arrived: None, exited: None };
                let warps = vec![warp; warps.into()];
                self.blocks.push(Tracked {
                    sm,
                    slot,
                    block,
                    logical: Vec::new(),
                    first_warp,
                    ended: 0,
                    last_release: now,
                    warps,
                });
                None
            }
            Event::BarrierArrive { sm, warp, barrier, .. } => {
                let warp = self.warp(sm, warp)?;
                // Threads of a warp may arrive one by one; a warp that is now at another barrier did not wait at the first.
                if warp.arrived.is_none_or(|(_, at)| at != barrier) {
                    warp.arrived = Some((now, barrier));
                }
                None
            }
            Event::BarrierRelease { sm, block, barrier } => self.find(sm, block)?.release(now, barrier),
            Event::LogicalStart { sm, slot, block, .. } => {
                let of_slot = |tracked: &&mut Tracked| (tracked.sm, tracked.slot) == (sm, slot);
                self.blocks.iter_mut().find(of_slot)?.logical.push(block);
                None
            }
            Event::LogicalEnd { sm, block, .. } => {
                self.find(sm, block)?.logical.retain(|&logical| logical != block);
                None
            }
            Event::WarpExit { sm, warp } => {
                self.warp(sm, warp)?.exited = Some(now);
                None
            }
            Event::BlockEnd { sm, block, .. } => {
                let at = self.blocks.iter().position(|tracked| tracked.sm == sm && tracked.block == block)?;
                Some(self.blocks.swap_remove(at).end(now))
            }
            _ => None,
        }
    }

    /// Returns the phases that resident blocks are in, as they stand at `now`.
    pub fn open(&self, now: u64) -> impl Iterator<Item = Phase> {
        self.blocks.iter().map(move |block| {
            let arrival = |warp: &TrackedWarp| warp.exited.or(warp.arrived.map(|(at, _)| at)).unwrap_or(now);
            let parts = block.warps.iter().enumerate().map(|(at, warp)| warp.part(at, arrival(warp), warp.exited.is_some()));
            block.phase(block.last_release, now, Ending::Open, parts.collect())
        })
    }

    fn find(&mut self, sm: u16, block: u64) -> Option<&mut Tracked> {
        let runs = |tracked: &Tracked| tracked.block == block || tracked.logical.contains(&block);
        self.blocks.iter_mut().find(|tracked| tracked.sm == sm && runs(tracked))
    }

    fn warp(&mut self, sm: u16, warp: u16) -> Option<&mut TrackedWarp> {
        self.blocks.iter_mut().filter(|tracked| tracked.sm == sm).find_map(|tracked| {
            let at = warp.checked_sub(tracked.first_warp)?;
            tracked.warps.get_mut(usize::from(at))
        })
    }
}

impl Tracked {
    /// Ends the phase of the warps that have arrived at a barrier; the others stay in theirs.
    fn release(&mut self, now: u64, barrier: u8) -> Option<Phase> {
        self.last_release = now;
        let mut parts = Vec::with_capacity(self.warps.len());
        for (at, warp) in self.warps.iter_mut().enumerate() {
            if let Some((arrival, _)) = warp.arrived.filter(|&(_, at)| at == barrier) {
                parts.push(warp.part(at, arrival, false));
                *warp = TrackedWarp { start: now, number: warp.number + 1, arrived: None, exited: warp.exited };
            }
        }
        let start = parts.iter().map(|part| part.start).min()?;
        self.ended += 1;
        Some(Phase { number: self.ended, ..self.phase(start, now, Ending::Barrier, parts) })
    }

    fn end(self, now: u64) -> Phase {
        let exited = |(at, warp): (usize, &TrackedWarp)| warp.part(at, warp.exited.unwrap_or(now), true);
        let parts = self.warps.iter().enumerate().map(exited).collect();
        self.phase(self.last_release, now, Ending::Block, parts)
    }

    /// Returns the phase that follows those that have ended.
    fn phase(&self, start: u64, release: u64, ending: Ending, parts: Vec<PhasePart>) -> Phase {
        let Tracked { sm, slot, block, first_warp, .. } = *self;
        Phase { sm, slot, block, first_warp, number: self.ended + 1, start, release, ending, parts }
    }
}

impl TrackedWarp {
    fn part(&self, at: usize, arrival: u64, exited: bool) -> PhasePart {
        PhasePart { warp: at as u16, exited, number: self.number, start: self.start, arrival }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = 7;

    fn start(warps: u16) -> Event {
        Event::BlockStart { sm: 0, slot: 1, block: BLOCK, first_warp: 4, warps }
    }

    fn arrive(warp: u16, barrier: u8) -> Event {
        Event::BarrierArrive { sm: 0, warp: 4 + warp, block: BLOCK, barrier, mask: 1 }
    }

    fn release(barrier: u8) -> Event {
        Event::BarrierRelease { sm: 0, block: BLOCK, barrier }
    }

    fn exit(warp: u16) -> Event {
        Event::WarpExit { sm: 0, warp: 4 + warp }
    }

    const END: Event = Event::BlockEnd { sm: 0, slot: 1, block: BLOCK };

    fn told(events: &[(u64, Event)]) -> (PhaseTracker, Vec<Phase>) {
        let mut tracker = PhaseTracker::default();
        let phases = events.iter().filter_map(|&(now, event)| tracker.event(now, event)).collect();
        (tracker, phases)
    }

    /// Warp, number, start and arrival of each part.
    fn parts(phase: &Phase) -> Vec<(u16, u32, u64, u64)> {
        phase.parts.iter().map(|part| (part.warp, part.number, part.start, part.arrival)).collect()
    }

    #[test]
    fn rtru_of_a_phase_is_the_papers() {
        // T = 10, 20, 40, 40: (30 + 20 + 0 + 0) / (4 · 40).
        let arrivals = [(110, arrive(2, 0)), (120, arrive(0, 0)), (140, arrive(1, 0)), (140, arrive(3, 0))];
        let (_, phases) = told(&[&[(100, start(4))], &arrivals[..], &[(141, release(0))]].concat());
        assert_eq!(phases.len(), 1);
        assert_eq!((phases[0].start, phases[0].release, phases[0].ending), (100, 141, Ending::Barrier));
        assert_eq!(parts(&phases[0]), [(0, 1, 100, 120), (1, 1, 100, 140), (2, 1, 100, 110), (3, 1, 100, 140)]);
        assert_eq!(phases[0].rtru_millionths(), 312_500);
    }

    #[test]
    fn phases_end_at_barriers_and_at_the_end_of_the_block() {
        let (tracker, phases) = told(&[
            (0, start(2)),
            (10, arrive(0, 0)),
            (30, arrive(1, 0)),
            (30, release(0)),
            (35, exit(1)),
            (50, exit(0)),
            (51, END),
        ]);
        let spans: Vec<_> = phases.iter().map(|phase| (phase.number, phase.start, phase.release, phase.ending)).collect();
        assert_eq!(spans, [(1, 0, 30, Ending::Barrier), (2, 30, 51, Ending::Block)]);
        assert_eq!(parts(&phases[1]), [(0, 2, 30, 50), (1, 2, 30, 35)]);
        assert_eq!(phases[1].rtru_millionths(), 375_000, "(20 − 5) / (2 · 20)");
        assert_eq!((phases[1].slot, phases[1].block, phases[1].first_warp), (1, BLOCK, 4));
        assert_eq!(tracker, PhaseTracker::default());
    }

    #[test]
    fn a_warp_that_ended_early_keeps_its_place_but_takes_no_part_in_later_phases() {
        let (_, phases) = told(&[(0, start(2)), (5, exit(0)), (20, arrive(1, 0)), (20, release(0)), (30, exit(1)), (30, END)]);
        assert_eq!(parts(&phases[0]), [(1, 1, 0, 20)]);
        assert_eq!(parts(&phases[1]), [(0, 1, 0, 5), (1, 2, 20, 30)]);
        assert_eq!(phases[1].times().collect::<Vec<_>>(), [10]);
    }

    #[test]
    fn barriers_of_some_warps_leave_the_others_where_they_are() {
        let (_, phases) = told(&[
            (0, start(3)),
            (5, arrive(2, 2)),
            (10, arrive(0, 1)),
            (12, arrive(1, 1)),
            (12, release(1)),
            (20, arrive(0, 2)),
            (20, release(2)),
        ]);
        assert_eq!(parts(&phases[0]), [(0, 1, 0, 10), (1, 1, 0, 12)]);
        assert_eq!(parts(&phases[1]), [(0, 2, 12, 20), (2, 1, 0, 5)]);
        assert_eq!(phases[1].times().collect::<Vec<_>>(), [8, 5]);
    }

    #[test]
    fn an_open_phase_shows_who_runs_waits_and_has_ended() {
        let (tracker, _) = told(&[(0, start(3)), (5, arrive(0, 0)), (8, exit(1))]);
        let open: Vec<Phase> = tracker.open(20).collect();
        assert_eq!((open.len(), open[0].release, open[0].ending), (1, 20, Ending::Open));
        assert_eq!(parts(&open[0]), [(0, 1, 0, 5), (1, 1, 0, 8), (2, 1, 0, 20)]);
        assert_eq!(open[0].parts.iter().map(|part| part.exited).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn a_warp_whose_threads_arrive_apart_has_arrived_with_the_first() {
        let (_, phases) = told(&[(0, start(1)), (5, arrive(0, 0)), (9, arrive(0, 0)), (9, release(0))]);
        assert_eq!(parts(&phases[0]), [(0, 1, 0, 5)]);
    }
}
