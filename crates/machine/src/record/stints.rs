//! Which logical warps each warp slot ran, and when (VTW figure 1).
//!
//! A *stint* is the time that a warp slot spends on one warp of one logical block: from the block's start, or from the warp's
//! assignment, until the warp's threads have ended. Where blocks are not virtual, the slot then stays taken until the whole block
//! has ended; a virtual warp begins its next stint instead.

use crate::event::Event;
use std::collections::BTreeMap;

/// The most stints that are kept: 4 MB.
const MOST: usize = (4 << 20) / size_of::<Stint>();

/// The time that a warp slot spends on one warp of a logical block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stint {
    /// The logical block.
    pub block: u64,
    /// The thread of the logical block in lane 0, which tells which warp of the block the slot runs.
    pub first_thread: u32,
    /// The cycle in which the stint began.
    pub from: u64,
    /// The first cycle after the stint; `None` while it lasts.
    pub to: Option<u64>,
}

/// The first stints of a run, by warp slot.
#[derive(Clone, Debug, Default)]
pub struct Stints {
    /// By SM and warp slot, in the order of their beginnings.
    warps: BTreeMap<(u16, u16), Vec<Stint>>,
    /// By logical block: the warp slot that was the first to begin it, and (`ends`) the cycle in which it had ended.
    drawn: BTreeMap<u64, (u16, u16)>,
    ends: BTreeMap<u64, u64>,
    count: usize,
    left_out: bool,
}

impl Stints {
    /// Takes an event of a cycle.
    pub fn event(&mut self, cycle: u64, event: Event) {
        match event {
            Event::BlockStart { sm, block, first_warp, warps, .. } => {
                (0..warps).for_each(|at| self.begin(sm, first_warp + at, block, None, cycle));
            }
            Event::Assigned { sm, warp, block, first_thread, .. } => self.assign(sm, warp, block, first_thread, cycle),
            Event::WarpExit { sm, warp } => self.close(sm, warp, cycle),
            Event::LogicalEnd { block, .. } | Event::BlockEnd { block, .. } => {
                self.ends.entry(block).or_insert(cycle);
            }
            _ => {}
        }
    }

    /// Begins a stint. The first assignment of a virtual block only names the threads of the stint that its start has begun.
    fn assign(&mut self, sm: u16, warp: u16, block: u64, first_thread: u32, cycle: u64) {
        if let Some(stint) = self.open(sm, warp).filter(|stint| stint.block == block) {
            stint.first_thread = first_thread;
        } else {
            self.close(sm, warp, cycle);
            self.begin(sm, warp, block, Some(first_thread), cycle);
        }
    }

    fn begin(&mut self, sm: u16, warp: u16, block: u64, first_thread: Option<u32>, from: u64) {
        self.left_out |= self.count >= MOST;
        if !self.left_out {
            self.count += 1;
            self.drawn.entry(block).or_insert((sm, warp));
            let first_thread = first_thread.unwrap_or(Stint::OWN);
            self.warps.entry((sm, warp)).or_default().push(Stint { block, first_thread, from, to: None });
        }
    }

    fn open(&mut self, sm: u16, warp: u16) -> Option<&mut Stint> {
        self.warps.get_mut(&(sm, warp))?.last_mut().filter(|stint| stint.to.is_none())
    }

    fn close(&mut self, sm: u16, warp: u16, cycle: u64) {
        if let Some(stint) = self.open(sm, warp) {
            stint.to = Some(cycle);
        }
    }

    /// Returns the stints of a warp slot that overlap these cycles.
    pub fn of(&self, sm: u16, warp: u16, cycles: std::ops::Range<u64>) -> &[Stint] {
        let all = self.warps.get(&(sm, warp)).map_or(&[][..], Vec::as_slice);
        let first = all.partition_point(|stint| stint.to.is_some_and(|to| to <= cycles.start));
        let last = all.partition_point(|stint| stint.from < cycles.end);
        &all[first.min(last)..last]
    }

    /// Returns all stints with their SM and warp slot.
    pub fn all(&self) -> impl Iterator<Item = (u16, u16, &Stint)> {
        self.warps.iter().flat_map(|(&(sm, warp), stints)| stints.iter().map(move |stint| (sm, warp, stint)))
    }

    /// Returns how many stints of an SM begin before a cycle.
    pub fn begun(&self, sm: u16, cycle: u64) -> usize {
        let of_sm = self.warps.range((sm, 0)..=(sm, u16::MAX));
        of_sm.map(|(_, stints)| stints.partition_point(|stint| stint.from < cycle)).sum()
    }

    /// Returns the SM and warp slot that was the first to begin a logical block: the dispenser gave it the block.
    pub fn drawn_by(&self, block: u64) -> Option<(u16, u16)> {
        self.drawn.get(&block).copied()
    }

    /// Returns the cycle in which a logical block had ended, if it has.
    pub fn end_of(&self, block: u64) -> Option<u64> {
        self.ends.get(&block).copied()
    }

    /// Whether later stints were dropped because of the memory limit.
    pub fn are_left_out(&self) -> bool {
        self.left_out
    }
}

impl Stint {
    /// The [`Stint::first_thread`] of a warp that runs the threads of its own position in the block.
    const OWN: u32 = u32::MAX;

    /// Returns which warp of its logical block the slot runs; `own` is the position of the slot in its resident block.
    pub fn number(&self, own: u16, width: u32) -> u32 {
        if self.first_thread == Stint::OWN { own.into() } else { self.first_thread / width }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Event = Event::BlockStart { sm: 0, slot: 0, block: 4, first_warp: 2, warps: 2 };

    fn told(events: &[(u64, Event)]) -> Stints {
        let mut stints = Stints::default();
        events.iter().for_each(|&(cycle, event)| stints.event(cycle, event));
        stints
    }

    #[test]
    fn a_blocks_warps_each_have_one_stint() {
        let exit = |warp| Event::WarpExit { sm: 0, warp };
        let end = Event::BlockEnd { sm: 0, slot: 0, block: 4 };
        let stints = told(&[(10, START), (20, exit(3)), (30, exit(2)), (31, end)]);
        let of = |warp: u16| stints.of(0, warp, 0..100).iter().map(move |it| (it.block, it.number(warp - 2, 32), it.from, it.to));
        assert!(of(2).eq([(4, 0, 10, Some(30))]) && of(3).eq([(4, 1, 10, Some(20))]));
        assert_eq!((stints.end_of(4), stints.end_of(5)), (Some(31), None));
    }

    #[test]
    fn a_virtual_warp_goes_from_one_to_the_next() {
        let assigned = |block, first_thread| Event::Assigned { sm: 0, slot: 0, warp: 2, block, iteration: 0, first_thread };
        let events = [(10, START), (12, assigned(4, 0)), (20, assigned(7, 32)), (40, Event::WarpExit { sm: 0, warp: 2 })];
        let stints = told(&events);
        let found: Vec<_> = stints.of(0, 2, 0..100).iter().map(|it| (it.block, it.number(0, 32), it.from, it.to)).collect();
        assert_eq!(found, [(4, 0, 10, Some(20)), (7, 1, 20, Some(40))]);
        assert_eq!(stints.of(0, 2, 20..30).len(), 1, "those that have to do with the cycles");
        assert_eq!(stints.of(0, 2, 0..20).len(), 1);
        assert_eq!(stints.all().count(), 3);
        assert_eq!([stints.begun(0, 10), stints.begun(0, 11), stints.begun(0, 21)], [0, 2, 3]);
        assert_eq!([4, 7, 9].map(|block| stints.drawn_by(block)), [Some((0, 2)), Some((0, 2)), None]);
        assert!(!stints.are_left_out());
    }
}
