//! What all SMs share: the L2 cache and the way to DRAM.

use super::super::cache::{Cache, Look};
use crate::config::{Config, PARTS, Rate};
use crate::event::{CacheOutcome, Event};

/// What all SMs share: L2 cache and DRAM.
#[derive(Clone, Debug)]
pub struct SharedMemorySystem {
    l2: Cache,
    dram: Road,
}

/// Something that carries so many bytes a cycle, one transfer after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Road {
    /// When it is free again, in parts of a cycle: a transfer ends where it ends, not at a cycle's edge.
    free: u64,
}

impl Road {
    /// A transfer that could begin at `at`: the cycle in which it begins, and the first in which it is over.
    pub fn take(&mut self, rate: Rate, at: u64, bytes: u32) -> (u64, u64) {
        let begin = self.free.max(at * PARTS);
        self.free = begin + rate.time(bytes);
        (begin / PARTS, self.free.div_ceil(PARTS))
    }
}

impl SharedMemorySystem {
    pub fn new(config: &Config) -> SharedMemorySystem {
        SharedMemorySystem { l2: Cache::new(config.l2_bytes, config.l2_line, config.l2_ways), dram: Road::default() }
    }

    /// Brings the lines of buffers that were copied last, one buffer after the other, into the L2 cache.
    pub fn warm(&mut self, buffers: &[(u64, u64)]) {
        for &(address, bytes) in buffers.iter().rev().filter(|(_, bytes)| *bytes > 0) {
            for line in (self.l2.line(address)..=self.l2.line(address + bytes - 1)).rev() {
                self.l2.fill(line);
            }
        }
    }

    /// An access of `bytes` at `address` that reaches L2 at `at`: when its answer is back, and what happened.
    pub fn access(&mut self, config: &Config, address: u64, write: bool, at: u64, bytes: u32) -> (u64, Event) {
        let line = self.l2.line(address);
        let back = at + u64::from(config.l2_latency);
        let (outcome, done) = match self.l2.look(line, at) {
            Look::Hit => (CacheOutcome::Hit, back),
            Look::Coming(arrives) => (CacheOutcome::Merged, arrives.max(back)),
            // What is written needs nothing from DRAM: the line is there at once, and dirty.
            Look::Miss if write && config.l2_write_back => {
                self.make_room(config, line, at, back);
                (CacheOutcome::Miss, back)
            }
            Look::Miss => {
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

    /// A line takes the place of another, which goes to DRAM if it was written.
    fn make_room(&mut self, config: &Config, line: u64, at: u64, arrives: u64) {
        let dirty = self.l2.insert(line, at, arrives);
        if dirty > 0 {
            self.dram.take(config.dram_bytes_per_cycle, at, dirty);
        }
    }
}
