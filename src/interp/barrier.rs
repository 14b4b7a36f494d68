//! The barriers of a block: who has arrived, who waits, who goes on.
//!
//! Arrivals are those of threads of the logical block, whatever hardware warp they travel in. A barrier without a count
//! waits for every thread that has not exited, so an exit can complete it.
//!
//! A barrier with a count counts whole PTX warps, as PTX has it (section on `barrier`): a thread waits for all threads of
//! its PTX warp that have not exited, and the warp then counts with its full size, however many threads it has left.

use super::alu::Exec;
use super::thread::LogicalThread;
use super::trap::Fault;
use crate::ptx::op::{Op, Reduce};
use std::ops::Range;

/// Barriers of a block (`bar.sync 0` to `bar.sync 15`).
pub const BARRIERS: usize = 16;

/// Threads of a block, as a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadSet {
    words: Vec<u64>,
    len: u32,
}

impl ThreadSet {
    /// Adds a thread; nothing changes if it is there already.
    pub fn insert(&mut self, thread: u32) {
        let (word, bit) = (thread as usize / 64, 1 << (thread % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if self.words[word] & bit == 0 {
            self.words[word] |= bit;
            self.len += 1;
        }
    }

    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn contains(&self, thread: u32) -> bool {
        self.words.get(thread as usize / 64).is_some_and(|word| word >> (thread % 64) & 1 != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words
            .iter()
            .enumerate()
            .flat_map(|(at, &word)| (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at as u32 * 64 + bit))
    }

    /// As ranges, for messages: `0-31, 40`.
    pub fn ranges(&self) -> String {
        let mut out = String::new();
        let mut threads = self.iter().peekable();
        while let Some(first) = threads.next() {
            let mut last = first;
            while threads.next_if_eq(&(last + 1)).is_some() {
                last += 1;
            }
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(&if first == last { first.to_string() } else { format!("{first}-{last}") });
        }
        out
    }
}

/// One thread's arrival.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub id: u32,
    /// `bar.sync id, count`: so many threads complete it; without, all that have not exited.
    pub count: Option<u32>,
    /// `bar.arrive` signals and goes on.
    pub waits: bool,
    /// The predicate of `bar.red`.
    pub vote: bool,
}

impl<const W: usize> Exec<'_, W> {
    /// What a barrier instruction says for one lane.
    pub fn arrival(&self, lane: usize) -> Arrival {
        let sources = self.instruction.src.len();
        let reduces = matches!(self.instruction.op, Op::BarrierReduce(_));
        let counted = sources > 1 + reduces as usize;
        Arrival {
            id: self.get::<u32>(0)[lane],
            count: counted.then(|| self.get::<u32>(1)[lane]),
            waits: self.instruction.op != Op::BarrierArrive,
            vote: reduces && self.source_predicate(sources - 1) >> lane & 1 != 0,
        }
    }
}

/// A completed barrier: who goes on, and what they voted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    pub id: u32,
    /// Logical threads.
    pub threads: ThreadSet,
    arrived: u32,
    yes: u32,
}

impl Release {
    /// The result of `bar.red`.
    pub fn result(&self, reduce: Reduce) -> u32 {
        match reduce {
            Reduce::And => (self.yes == self.arrived) as u32,
            Reduce::Or => (self.yes > 0) as u32,
            Reduce::Popc => self.yes,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Barrier {
    waiting: ThreadSet,
    arrived: u32,
    yes: u32,
    count: Option<u32>,
    /// By thread, where there is a count: arrivals that are not part of a whole PTX warp's yet. A thread that does not
    /// wait may arrive more than once before others of its warp do.
    partial: Vec<u32>,
    /// How often a PTX warp has arrived as a whole.
    warps: u32,
}

impl Barrier {
    /// A PTX warp of which every thread that has not exited has arrived counts as a whole.
    fn gather(&mut self, warp: Range<usize>, live: &[bool]) {
        let Some(arrived) = self.partial.get_mut(warp.clone()) else { return };
        let missing = arrived.iter().zip(&live[warp]).any(|(&times, &is_live)| is_live && times == 0);
        if !missing && arrived.iter().any(|&times| times > 0) {
            arrived.iter_mut().for_each(|times| *times = times.saturating_sub(1));
            self.warps += 1;
        }
    }
}

/// All barriers of one block.
#[derive(Clone, Debug)]
pub struct Barriers {
    barriers: [Barrier; BARRIERS],
    ptx_warp: u32,
    /// By thread: it has not exited. And how many have not.
    is_live: Vec<bool>,
    live: u32,
}

impl Barriers {
    /// The barriers of a block of so many threads, in PTX warps of so many.
    pub fn new(threads: u32, ptx_warp: u32) -> Barriers {
        Barriers { barriers: Default::default(), ptx_warp, is_live: vec![true; threads as usize], live: threads }
    }

    /// The threads of a thread's PTX warp.
    fn warp_of(&self, thread: LogicalThread) -> Range<usize> {
        let first = thread.ptx_warp(self.ptx_warp) * self.ptx_warp;
        first as usize..((first + self.ptx_warp) as usize).min(self.is_live.len())
    }

    /// Counts a thread in; the release if it was the last.
    pub fn arrive(&mut self, thread: LogicalThread, arrival: Arrival) -> Result<Option<Release>, Fault> {
        let warp = self.warp_of(thread);
        let barrier = self.barriers.get_mut(arrival.id as usize).ok_or(Fault::BarrierId(arrival.id))?;
        barrier.arrived += 1;
        barrier.yes += arrival.vote as u32;
        barrier.count = arrival.count.or(barrier.count);
        if arrival.waits {
            barrier.waiting.insert(thread.0);
        }
        if barrier.count.is_some() {
            barrier.partial.resize(self.is_live.len(), 0);
            barrier.partial[thread.0 as usize] += 1;
            barrier.gather(warp, &self.is_live);
        }
        Ok(self.complete(arrival.id as usize))
    }

    /// Counts a thread in that stays away: a stack holds it back while its warp waits at a barrier with a count. PTX for
    /// machines with stacks has the warp arrive as if all of its threads did.
    pub fn stand_in(&mut self, thread: LogicalThread, id: u32) -> Option<Release> {
        let warp = self.warp_of(thread);
        let barrier = self.barriers.get_mut(id as usize).filter(|barrier| barrier.count.is_some() && barrier.arrived > 0)?;
        barrier.partial[thread.0 as usize] += 1;
        barrier.gather(warp, &self.is_live);
        self.complete(id as usize)
    }

    /// A thread is gone; barriers that only waited for it complete, at most one at a time.
    pub fn exit(&mut self, thread: LogicalThread) -> Vec<Release> {
        let warp = self.warp_of(thread);
        self.live -= 1;
        self.is_live[thread.0 as usize] = false;
        self.barriers.iter_mut().for_each(|barrier| barrier.gather(warp.clone(), &self.is_live));
        (0..BARRIERS).filter_map(|id| self.complete(id)).collect()
    }

    fn complete(&mut self, id: usize) -> Option<Release> {
        let barrier = &mut self.barriers[id];
        let is_complete = match barrier.count {
            Some(count) => barrier.warps * self.ptx_warp >= count,
            None => barrier.arrived >= self.live,
        };
        if barrier.arrived == 0 || !is_complete {
            return None;
        }
        let done = std::mem::take(barrier);
        Some(Release { id: id as u32, threads: done.waiting, arrived: done.arrived, yes: done.yes })
    }

    /// Barriers that somebody waits at: number, who waits, and how many are still missing.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, &ThreadSet, u32)> {
        self.barriers.iter().enumerate().filter(|(_, b)| b.arrived > 0).map(|(id, b)| {
            let missing = match b.count {
                Some(count) => count.saturating_sub(b.warps * self.ptx_warp),
                None => self.live.saturating_sub(b.arrived),
            };
            (id as u32, &b.waiting, missing)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SYNC: Arrival = Arrival { id: 0, count: None, waits: true, vote: false };

    #[test]
    fn the_last_thread_or_an_exit_completes_a_barrier() {
        let mut barriers = Barriers::new(3, 32);
        assert_eq!(barriers.arrive(LogicalThread(0), SYNC), Ok(None));
        assert_eq!(barriers.arrive(LogicalThread(2), SYNC), Ok(None));
        let released = barriers.exit(LogicalThread(1));
        assert_eq!(released.len(), 1);
        assert_eq!(released[0].threads.iter().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(barriers.waiting().count(), 0);
    }

    #[test]
    fn a_count_and_arrivals_that_do_not_wait() -> Result<(), Fault> {
        let mut barriers = Barriers::new(8, 2);
        let arrive = Arrival { id: 3, count: Some(4), waits: false, vote: false };
        for thread in [4, 5, 0] {
            assert_eq!(barriers.arrive(LogicalThread(thread), arrive)?, None, "thread {thread}");
        }
        let release = barriers.arrive(LogicalThread(1), Arrival { waits: true, ..arrive })?.expect("two warps have arrived");
        assert_eq!(release.threads.iter().collect::<Vec<_>>(), [1]);
        assert_eq!(barriers.arrive(LogicalThread(0), Arrival { id: 16, ..SYNC }), Err(Fault::BarrierId(16)));
        Ok(())
    }

    #[test]
    fn a_count_is_of_whole_warps_however_many_threads_they_have_left() -> Result<(), Fault> {
        // Six threads in warps of four: the second warp never had more than two.
        let mut barriers = Barriers::new(6, 4);
        let sync = Arrival { count: Some(8), ..SYNC };
        assert_eq!(barriers.exit(LogicalThread(1)).len(), 0);
        for thread in [4, 0, 5, 2] {
            assert_eq!(barriers.arrive(LogicalThread(thread), sync)?, None, "thread {thread}");
        }
        assert_eq!(barriers.waiting().map(|(_, _, missing)| missing).collect::<Vec<_>>(), [4]);
        let released = barriers.exit(LogicalThread(3));
        assert_eq!(released[0].threads.iter().collect::<Vec<_>>(), [0, 2, 4, 5]);
        Ok(())
    }

    #[test]
    fn a_thread_may_arrive_again_before_the_others_of_its_warp() -> Result<(), Fault> {
        let mut barriers = Barriers::new(4, 2);
        let arrive = Arrival { id: 1, count: Some(4), waits: false, vote: false };
        // Both threads of warp 0 pass twice, one after the other, and the first is gone by then.
        for thread in [0, 0, 2, 3] {
            assert_eq!(barriers.arrive(LogicalThread(thread), arrive)?, None);
        }
        assert_eq!(barriers.exit(LogicalThread(0)).len(), 0);
        assert!(barriers.arrive(LogicalThread(1), arrive)?.is_some(), "both warps have arrived once");
        Ok(())
    }

    #[test]
    fn votes_are_reduced() -> Result<(), Fault> {
        let mut barriers = Barriers::new(2, 32);
        barriers.arrive(LogicalThread(0), Arrival { vote: true, ..SYNC })?;
        let release = barriers.arrive(LogicalThread(1), SYNC)?.expect("both are there");
        assert_eq!([Reduce::And, Reduce::Or, Reduce::Popc].map(|r| release.result(r)), [0, 1, 1]);
        Ok(())
    }

    #[test]
    fn sets_print_as_ranges() {
        let mut set = ThreadSet::default();
        for thread in [70, 0, 1, 2, 70, 5] {
            set.insert(thread);
        }
        assert_eq!((set.ranges().as_str(), set.len()), ("0-2, 5, 70", 5));
    }
}
