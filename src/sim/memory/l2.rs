//! The memory that all SMs share: the L2 cache and the link to DRAM.

use super::super::cache::{Cache, Lookup};
use crate::config::{Config, PARTS, Rate};
use crate::event::{CacheOutcome, Event};

/// The memory that all SMs share: the L2 cache and the link to DRAM.
#[derive(Clone, Debug)]
pub struct SharedMemorySystem {
    l2: Cache,
    dram: Channel,
}

/// A link of limited bandwidth, which carries one transfer after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

impl SharedMemorySystem {
    pub fn new(config: &Config) -> SharedMemorySystem {
        SharedMemorySystem { l2: Cache::new(config.l2_bytes, config.l2_line, config.l2_ways), dram: Channel::default() }
    }

    /// Fills the L2 cache with the lines of the buffers that were copied last, one buffer after the other.
    pub fn warm(&mut self, buffers: &[(u64, u64)]) {
        for &(address, bytes) in buffers.iter().rev().filter(|(_, bytes)| *bytes > 0) {
            for line in (self.l2.line(address)..=self.l2.line(address + bytes - 1)).rev() {
                self.l2.fill(line);
            }
        }
    }

    /// Performs an access of `bytes` at `address` that reaches L2 at `at`; returns when its answer is back, and its event.
    pub fn access(&mut self, config: &Config, address: u64, write: bool, at: u64, bytes: u32) -> (u64, Event) {
        let line = self.l2.line(address);
        let back = at + u64::from(config.l2_latency);
        let (outcome, done) = match self.l2.look_up(line, at) {
            Lookup::Hit => (CacheOutcome::Hit, back),
            Lookup::Coming(arrives) => (CacheOutcome::Merged, arrives.max(back)),
            // A write needs nothing from DRAM if the cache writes back: the line is present at once, and dirty.
            Lookup::Miss if write && config.l2_write_back => {
                self.make_room(config, line, at, back);
                (CacheOutcome::Miss, back)
            }
            Lookup::Miss => {
                let moved = if write { bytes } else { config.l2_line };
                let (_, moved_at) = self.dram.take(config.dram_bytes_per_cycle, at, moved);
                let done = moved_at + u64::from(config.l2_latency + config.dram_latency);
                self.make_room(config, line, at, done);
                (CacheOutcome::Miss, done)
            }
        };
        if write && config.l2_write_back {
            self.l2.write(line, bytes);
        }
        (done, Event::L2 { line, write, outcome })
    }

    /// Inserts a line; the one that it replaces goes to DRAM if it was written.
    fn make_room(&mut self, config: &Config, line: u64, at: u64, arrives: u64) {
        let dirty = self.l2.insert(line, at, arrives);
        if dirty > 0 {
            self.dram.take(config.dram_bytes_per_cycle, at, dirty);
        }
    }
}
