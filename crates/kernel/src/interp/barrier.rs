//! The barriers of a block: which threads have arrived, which wait, and which a completed barrier releases.
//!
//! Threads of the logical block arrive, whichever hardware warp holds them. A barrier without a count waits for every thread
//! that has not exited, so an exit can complete it.
//!
//! A barrier with a count counts whole PTX warps, as PTX specifies (section on `barrier`): a PTX warp counts once all of its
//! threads that have not exited have arrived, and then with its full size, even if some of its threads have exited.

use super::alu::Exec;
use super::thread::LogicalThread;
use super::trap::Fault;
use crate::ptx::op::{Op, Reduce};
use std::ops::Range;

/// Number of barriers of a block (`bar.sync 0` to `bar.sync 15`).
pub const BARRIERS: usize = 16;

/// A set of threads of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadSet {
    words: Vec<u64>,
    len: u32,
}

impl ThreadSet {
    /// Adds a thread if the set does not hold it yet.
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

    /// Returns the number of threads in the set.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether a thread is in the set.
    pub fn contains(&self, thread: u32) -> bool {
        self.words.get(thread as usize / 64).is_some_and(|word| word >> (thread % 64) & 1 != 0)
    }

    /// Whether no thread is in the set.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Iterates over the threads in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words
            .iter()
            .enumerate()
            .flat_map(|(at, &word)| (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at as u32 * 64 + bit))
    }

    /// Formats the set as ranges for messages: `0-31, 40`.
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

/// One thread's arrival at a barrier.
#[derive(Clone, Copy, Debug)]
pub struct BarrierArrival {
    /// The barrier's number, as the kernel computes it: it may name none.
    pub id: u32,
    /// The count of `bar.sync id, count`: threads that complete the barrier. `None`: all threads that have not exited.
    pub count: Option<u32>,
    /// False for `bar.arrive`, which signals the barrier without waiting.
    pub waits: bool,
    /// The predicate of `bar.red`.
    pub vote: bool,
}

impl<const W: usize> Exec<'_, W> {
    /// Returns the arrival that a barrier instruction makes for one lane.
    pub fn arrival(&self, lane: usize) -> BarrierArrival {
        let sources = self.instruction.src.len();
        let reduces = matches!(self.instruction.op, Op::BarrierReduce(_));
        let counted = sources > 1 + reduces as usize;
        BarrierArrival {
            id: self.get::<u32>(0)[lane],
            count: counted.then(|| self.get::<u32>(1)[lane]),
            waits: self.instruction.op != Op::BarrierArrive,
            vote: reduces && self.source_predicate(sources - 1) >> lane & 1 != 0,
        }
    }
}

/// A completed barrier: the threads that it releases, and their votes for `bar.red`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The number of the barrier.
    pub id: u32,
    /// The logical threads that waited at the barrier.
    pub threads: ThreadSet,
    arrived: u32,
    yes: u32,
}

impl Release {
    /// Returns the result of `bar.red`.
    pub fn result(&self, reduce: Reduce) -> u32 {
        match reduce {
            Reduce::And => (self.yes == self.arrived) as u32,
            Reduce::Or => (self.yes > 0) as u32,
            Reduce::Popc => self.yes,
        }
    }
}

#[derive(Clone, Debug, Default, Hash)]
struct Barrier {
    waiting: ThreadSet,
    arrived: u32,
    yes: u32,
    count: Option<u32>,
    /// For each thread, in a barrier with a count: arrivals not yet counted as part of a whole PTX warp. A thread that does not
    /// wait may arrive again before the other threads of its warp arrive.
    partial: Vec<u32>,
    /// Number of arrivals of whole PTX warps.
    warps: u32,
}

impl Barrier {
    /// Counts a PTX warp as arrived if all of its threads that have not exited have arrived.
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
#[derive(Clone, Debug, Hash)]
pub struct Barriers {
    barriers: [Barrier; BARRIERS],
    ptx_warp: u32,
    /// For each thread, whether it has not exited; `live` is the number of such threads.
    is_live: Vec<bool>,
    live: u32,
}

impl Barriers {
    /// Creates the barriers of a block of `threads` threads, in PTX warps of `ptx_warp` threads.
    pub fn new(threads: u32, ptx_warp: u32) -> Barriers {
        Barriers { barriers: Default::default(), ptx_warp, is_live: vec![true; threads as usize], live: threads }
    }

    /// Returns the range of threads in a thread's PTX warp.
    fn warp_of(&self, thread: LogicalThread) -> Range<usize> {
        let first = thread.ptx_warp(self.ptx_warp) * self.ptx_warp;
        first as usize..((first + self.ptx_warp) as usize).min(self.is_live.len())
    }

    /// Records a thread's arrival and returns the release if it completes the barrier.
    pub fn arrive(&mut self, thread: LogicalThread, arrival: BarrierArrival) -> Result<Option<Release>, Fault> {
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

    /// Records an arrival for a thread that a stack holds back while its warp waits at a barrier with a count. For machines
    /// with stacks, PTX has a warp arrive as if all of its threads did.
    pub fn stand_in(&mut self, thread: LogicalThread, id: u32) -> Option<Release> {
        let warp = self.warp_of(thread);
        let barrier = self.barriers.get_mut(id as usize).filter(|barrier| barrier.count.is_some() && barrier.arrived > 0)?;
        barrier.partial[thread.0 as usize] += 1;
        barrier.gather(warp, &self.is_live);
        self.complete(id as usize)
    }

    /// Marks a thread as exited and returns the releases of barriers that waited only for it.
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

    /// Iterates over barriers with arrivals: number, waiting threads, and how many threads must still arrive.
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

    const SYNC: BarrierArrival = BarrierArrival { id: 0, count: None, waits: true, vote: false };

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
        let arrive = BarrierArrival { id: 3, count: Some(4), waits: false, vote: false };
        for thread in [4, 5, 0] {
            assert_eq!(barriers.arrive(LogicalThread(thread), arrive)?, None, "thread {thread}");
        }
        let release =
            barriers.arrive(LogicalThread(1), BarrierArrival { waits: true, ..arrive })?.expect("two warps have arrived");
        assert_eq!(release.threads.iter().collect::<Vec<_>>(), [1]);
        assert_eq!(barriers.arrive(LogicalThread(0), BarrierArrival { id: 16, ..SYNC }), Err(Fault::BarrierId(16)));
        Ok(())
    }

    #[test]
    fn a_count_is_of_whole_warps_however_many_threads_they_have_left() -> Result<(), Fault> {
        // Six threads in warps of four: the second warp has only two threads.
        let mut barriers = Barriers::new(6, 4);
        let sync = BarrierArrival { count: Some(8), ..SYNC };
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
        let arrive = BarrierArrival { id: 1, count: Some(4), waits: false, vote: false };
        // Thread 0 arrives twice and exits before thread 1, the other thread of its warp, arrives.
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
        barriers.arrive(LogicalThread(0), BarrierArrival { vote: true, ..SYNC })?;
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
