//! The memory that all SMs share: the L2 cache and the link to DRAM.

use super::super::cache::{ALL_SECTORS, Cache, Lookup, Sectors};
use crate::config::{Config, PARTS, Rate};
use crate::event::{CacheOutcome, Event};
use std::collections::VecDeque;

/// The memory that all SMs share: the L2 cache and the link to DRAM.
#[derive(Clone, Debug, Hash)]
pub struct SharedMemorySystem {
    l2: Cache,
    dram: Channel,
    /// When each written line that waits for DRAM or moves there has arrived, in order.
    writing: VecDeque<u64>,
}

/// A link of limited bandwidth, which carries one transfer after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Channel {
    /// When it is free again, in parts of a cycle: a transfer may end within a cycle.
    free: u64,
}

impl Channel {
    /// Reserves a transfer that could begin at `at`; returns the cycle in which it begins, and the first in which it is over.
    pub fn take(&mut self, rate: Rate, at: u64, bytes: u32) -> (u64, u64) {
        let begin = self.free.max(at * PARTS);
        self.free = begin + rate.time(bytes);
        (begin / PARTS, self.free.div_ceil(PARTS))
    }
}

/// What an access does to the L2 cache's copy of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Read,
    /// Overwrites these sectors of its line; what they held does not matter.
    Write(Sectors),
    /// Reads, and overwrites these sectors: an atomic.
    Update(Sectors),
}

/// When the L2 cache takes an access, and when its answer is back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Later than the access came if it has to wait for a place among the lines that are written back. Only an access that
    /// holds its load/store unit meanwhile waits (`back_pressure`).
    pub taken: u64,
    pub done: u64,
}

impl Purpose {
    fn writes(self) -> Option<Sectors> {
        match self {
            Purpose::Read => None,
            Purpose::Write(sectors) | Purpose::Update(sectors) => Some(sectors),
        }
    }
}

impl SharedMemorySystem {
    pub(crate) fn new(config: &Config) -> SharedMemorySystem {
        let l2 = Cache::new(config.l2_bytes, config.l2_line, config.l2_ways).sectored(config.store_sector);
        SharedMemorySystem { l2, dram: Channel::default(), writing: VecDeque::new() }
    }

    /// Fills the L2 cache with the lines of the buffers that were copied last, one buffer after the other.
    pub fn warm(&mut self, buffers: &[(u64, u64)]) {
        for &(address, bytes) in buffers.iter().rev().filter(|(_, bytes)| *bytes > 0) {
            for line in (self.l2.line(address)..=self.l2.line(address + bytes - 1)).rev() {
                self.l2.fill(line);
            }
        }
    }

    /// Returns the sectors of its line in the L2 cache that an access to `bytes` at an address touches.
    pub fn sectors(&self, address: u64, bytes: u32) -> Sectors {
        self.l2.sectors(address, bytes)
    }

    /// Performs an access of `bytes` at `address` that reaches L2 at `at`; returns when it is served, and its event.
    pub fn access(&mut self, config: &Config, address: u64, purpose: Purpose, at: u64, bytes: u32) -> (Served, Event) {
        let line = self.l2.line(address);
        let needs = match purpose {
            Purpose::Read => self.l2.sectors(address, bytes),
            Purpose::Write(_) => 0,
            Purpose::Update(sectors) => sectors,
        };
        let writes_back = purpose.writes().filter(|_| config.l2_write_back);
        let back = at + u64::from(config.l2_latency);
        let present = match self.l2.look_up(line, at) {
            Lookup::Hit => Some((CacheOutcome::Hit, back)),
            Lookup::Coming(arrives) => Some((CacheOutcome::Merged, arrives.max(back))),
            Lookup::Miss => None,
        };
        let mut taken = at;
        let (outcome, done) = match present {
            Some((outcome, done)) => match self.l2.missing(line, needs) {
                0 => (outcome, done),
                // Only a part of the line was written: the rest comes from DRAM.
                missing => {
                    let arrives = self.move_by_dram(config, at, self.l2.sector_bytes(missing));
                    self.l2.complete(line, arrives, missing);
                    (CacheOutcome::Miss, arrives.max(done))
                }
            },
            // A write needs nothing from DRAM if the cache writes back: what it writes is present at once, and dirty.
            None => {
                let (arrives, valid) = match (purpose, writes_back) {
                    (Purpose::Write(sectors), Some(_)) => (back, sectors),
                    (Purpose::Write(_), None) => (self.move_by_dram(config, at, bytes), ALL_SECTORS),
                    _ => (self.move_by_dram(config, at, config.l2_line), ALL_SECTORS),
                };
                taken = self.make_room(config, line, at, arrives, valid);
                (CacheOutcome::Miss, arrives)
            }
        };
        if let Some(sectors) = writes_back {
            self.l2.write(line, sectors);
        }
        (Served { taken, done }, Event::L2 { line, write: purpose.writes().is_some(), outcome })
    }

    /// Moves bytes from or to DRAM; returns when an answer is back.
    fn move_by_dram(&mut self, config: &Config, at: u64, bytes: u32) -> u64 {
        let (_, moved_at) = self.dram.take(config.dram_bytes_per_cycle, at, bytes);
        moved_at + u64::from(config.l2_latency + config.dram_latency)
    }

    /// Inserts a line; the one that it replaces goes to DRAM if it was written. Returns when there is a place for that one in
    /// the queue of written lines.
    fn make_room(&mut self, config: &Config, line: u64, at: u64, arrives: u64, valid: Sectors) -> u64 {
        let dirty = self.l2.insert(line, at, arrives, valid);
        if dirty == 0 {
            return at;
        }
        while self.writing.front().is_some_and(|&arrived| arrived <= at) {
            self.writing.pop_front();
        }
        let (_, arrives) = self.dram.take(config.dram_bytes_per_cycle, at, dirty);
        let first_out = self.writing.len().checked_sub(config.dram_queue.max(1) as usize);
        let taken = first_out.map_or(at, |first| self.writing[first]);
        self.writing.push_back(arrives);
        taken
    }
}
