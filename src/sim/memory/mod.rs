//! When a memory instruction is done: coalescing, L1, L2, DRAM, shared-memory banks.
//!
//! What an access finds is decided when it is made; when it completes follows from reservations (this port is free again
//! at, that channel is free again at), so nothing is simulated twice and nothing is polled. Stores write through and do
//! not bring lines into the L1 cache.

mod banks;
mod l2;
mod lanes;
mod lines;

pub use self::l2::SharedMemorySystem;
pub use self::lanes::{LaneTimes, PerLane};

use self::banks::{bank_cycles, distinct, lane_groups, most_alike, shared_passes};
use self::l2::Road;
use self::lanes::Together;
use self::lines::Lines;
use super::cache::{Cache, Look};
use crate::config::{Config, PARTS};
use crate::event::{CacheOutcome, Event, Sink};
use crate::interp::access::{Traffic, active};
use crate::interp::memory::Target;
use crate::interp::thread::StorageThread;
use crate::ptx::types::Space;
use std::ops::Range;

/// Where local memory lies for the caches: behind everything else.
const LOCAL_BASE: u64 = 0x0900_0000_0000;
/// Where instructions lie for the L2 cache.
const CODE_BASE: u64 = 0x0a00_0000_0000_0000;

/// What belongs to one SM: L1 cache, lines on their way, the road to L2.
#[derive(Clone, Debug)]
pub struct SmMemory {
    l1: Cache,
    /// When each line that is on its way arrives.
    misses: Vec<u64>,
    road: Road,
    /// While memory takes no more.
    throttled: (u64, u64),
}

/// When a memory instruction is through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Cycles for which it holds its load/store unit.
    pub holds: u32,
    /// When its result is there, or its stores are on their way.
    pub done: u64,
}

/// What an access passes through besides its own SM.
pub struct Around<'a, S> {
    pub shared: &'a mut SharedMemorySystem,
    pub config: &'a Config,
    /// The cycle of the access, which its events carry.
    pub now: u64,
    pub sink: &'a mut S,
}

/// Who makes an access, for its place in local memory and for events.
#[derive(Clone, Copy, Debug)]
pub struct Requester<'a> {
    pub sm: u16,
    pub warp: u16,
    pub pc: u32,
    /// Threads of each lane, and of the block.
    pub threads: &'a [StorageThread; 32],
    pub block_threads: u32,
    /// The block slot, and that of each lane where they differ.
    pub slot: u16,
    pub slots: Option<&'a [u16; 32]>,
    pub local_bytes: u32,
}

impl<S: Sink> Around<'_, S> {
    /// An access to L2, told to whoever listens: when its answer is back.
    fn l2(&mut self, address: u64, write: bool, at: u64, bytes: u32) -> u64 {
        let (done, event) = self.shared.access(self.config, address, write, at, bytes);
        self.emit(event);
        done
    }

    fn emit(&mut self, event: Event) {
        if S::LISTENS {
            self.sink.event(self.now, event);
        }
    }

    /// Where every lane goes, for those who draw it.
    fn tell_lanes(&mut self, who: Requester, traffic: &Traffic<32>, mask: u32) {
        let Requester { sm, warp, pc, .. } = who;
        for lane in active(mask) {
            let Target { space, address } = traffic.targets[lane];
            let address = if space == Space::Local { who.local_address(address, lane) } else { address };
            self.emit(Event::LaneAccess { sm, warp, pc, lane: lane as u8, space, write: traffic.write, address });
        }
    }
}

impl SmMemory {
    pub fn new(config: &Config) -> SmMemory {
        SmMemory {
            l1: Cache::new(config.l1d_bytes, config.l1d_line, config.l1d_ways).hashed(config.l1d_hash),
            misses: Vec::new(),
            road: Road::default(),
            throttled: (0, 0),
        }
    }

    /// The cycles in which an access holds the load/store unit for want of a place for misses or of the road to L2: the last
    /// ones of its time there.
    pub fn throttled(&self) -> Range<u64> {
        self.throttled.0..self.throttled.1
    }

    /// Times one instruction that issues now.
    #[inline(never)]
    pub fn time<S: Sink>(&mut self, around: &mut Around<S>, who: Requester, traffic: &Traffic<32>, mask: u32) -> Timing {
        let (timing, transactions) = self.serve(around, who, traffic, mask, 0, &mut Together);
        if S::LISTENS && mask != 0 {
            let space = traffic.targets[mask.trailing_zeros() as usize].space;
            around.emit(Event::Memory {
                sm: who.sm,
                warp: who.warp,
                pc: who.pc,
                space,
                write: traffic.write,
                transactions,
                done: timing.done,
            });
        }
        timing
    }

    /// A line of instructions comes from L2: when it is here.
    #[inline(never)]
    pub fn instructions<S: Sink>(&mut self, around: &mut Around<S>, line: u64) -> u64 {
        let bytes = around.config.icache_line;
        let (leaves, _) = self.road.take(around.config.l2_bytes_per_cycle, around.now, bytes);
        around.l2(CODE_BASE + line * u64::from(bytes), false, leaves, bytes)
    }

    /// One access that begins `later`: when all of it is done, and how many transactions it became.
    pub fn serve<S: Sink, L: PerLane>(
        &mut self,
        around: &mut Around<S>,
        who: Requester,
        traffic: &Traffic<32>,
        mask: u32,
        later: u32,
        lanes: &mut L,
    ) -> (Timing, u16) {
        let (config, now) = (around.config, around.now);
        if mask == 0 {
            return (Timing { holds: 1, done: now + 1 }, 0);
        }
        if S::LISTENS && around.sink.wants_lanes() {
            around.tell_lanes(who, traffic, mask);
        }
        let start = now + u64::from(config.read_latency + later);
        let mut timing = Timing { holds: 0, done: start + 1 };
        let mut lines = Lines::default();
        let (mut in_shared, mut constants) = (0u32, 0u32);
        let mut waited = 0;
        let mut transactions = 0;
        for lane in active(mask) {
            let Target { space, address } = traffic.targets[lane];
            match space {
                Space::Shared => in_shared |= 1 << lane,
                Space::Const | Space::Param => constants |= 1 << lane,
                Space::Local | Space::Global | Space::Generic => {
                    let address = if space == Space::Local { who.local_address(address, lane) } else { address };
                    let (at, is_new) = lines.add(address / u64::from(config.l1d_line));
                    lanes.wants(lane, (at, is_new));
                    if traffic.write && config.store_sector > 0 {
                        lines.touch(at, address, traffic.size, config);
                    }
                }
            }
        }
        let others = mask & !in_shared & !constants;
        if in_shared != 0 {
            // Without conflicts each group of lanes takes a cycle.
            let (groups, cycles) = if traffic.atomic {
                (1, most_alike(traffic, in_shared).max(1))
            } else {
                lane_groups(in_shared, config)
                    .fold((0, 0), |(groups, cycles), lanes| (groups + 1, cycles + bank_cycles(traffic, lanes, config)))
            };
            timing.holds += cycles;
            let done = start + u64::from(config.shared_latency + cycles - 1);
            timing.done = timing.done.max(done);
            if L::BY_LANE {
                let passes = shared_passes(traffic, in_shared, config);
                active(in_shared).for_each(|lane| lanes.done(1 << lane, start + u64::from(config.shared_latency + passes[lane])));
            }
            if cycles > groups {
                let extra = (cycles - groups) as u16;
                around.emit(Event::BankConflict { sm: who.sm, warp: who.warp, pc: who.pc, extra });
            }
        }
        if constants != 0 {
            let cycles = distinct(traffic, constants);
            timing.holds += cycles;
            let done = start + u64::from(config.constant_latency + cycles - 1);
            timing.done = timing.done.max(done);
            if L::BY_LANE {
                let mut seen = Lines::default();
                for lane in active(constants) {
                    let (pass, _) = seen.add(traffic.targets[lane].address);
                    lanes.done(1 << lane, start + u64::from(config.constant_latency) + pass as u64);
                }
            }
        }
        if config.ideal_memory {
            let holds = timing.holds.max(1);
            transactions += lines.len as u16;
            timing = Timing { holds, done: start + u64::from(holds) };
            lanes.done(mask, timing.done);
        } else if lines.len > 0 {
            let serial = if traffic.atomic { most_alike(traffic, others) - 1 } else { 0 };
            for (at, &line) in lines.all().iter().enumerate() {
                let begins = start + u64::from(timing.holds);
                let bytes = lines.bytes(at, config);
                let (goes, done) = self.line(around, who.sm, line, traffic, begins, bytes);
                let done = done + u64::from(serial * config.atomic_interval);
                timing.holds += 1;
                if config.back_pressure {
                    timing.holds += (goes - begins) as u32;
                    waited += goes - begins;
                }
                timing.done = timing.done.max(done);
                lanes.line_done(others, at, done);
                transactions += 1;
            }
        }
        timing.holds = timing.holds.max(1);
        if waited > 0 {
            let end = now + u64::from(later + timing.holds);
            self.throttled = (end - waited, end);
        }
        (timing, transactions)
    }

    /// One line's way: when it can go to L2, if it has to, and when a load has it, or a store has left.
    fn line<S: Sink>(
        &mut self,
        around: &mut Around<S>,
        sm: u16,
        line: u64,
        traffic: &Traffic<32>,
        at: u64,
        bytes: u32,
    ) -> (u64, u64) {
        let config = around.config;
        let hit = at + u64::from(config.l1d_latency);
        let address = line * u64::from(config.l1d_line);
        let write = traffic.write;
        let look = if traffic.atomic {
            self.l1.evict(line);
            Look::Miss
        } else {
            self.l1.look(line, at)
        };
        let outcome = match look {
            Look::Hit => CacheOutcome::Hit,
            Look::Coming(_) => CacheOutcome::Merged,
            Look::Miss => CacheOutcome::Miss,
        };
        around.emit(Event::L1 { sm, line, write, outcome });
        if write && !traffic.atomic {
            // The store is on its way; nobody waits for it, but it takes its share of the road.
            let (leaves, _) = self.road.take(config.l2_bytes_per_cycle, at, bytes);
            around.l2(address, true, leaves, bytes);
            return (self.goes(config, at, leaves), at + 1);
        }
        match look {
            Look::Hit => (at, hit),
            Look::Coming(arrives) => (at, arrives.max(hit)),
            Look::Miss => {
                let begin = self.wait_for_miss_slot(config, at);
                let lookup = u64::from(config.l1d_lookup);
                let (leaves, _) = self.road.take(config.l2_bytes_per_cycle, begin + lookup, config.l1d_line);
                let done = around.l2(address, write, leaves, config.l1d_line).max(hit);
                self.misses.push(done);
                if !traffic.atomic {
                    self.l1.insert(line, at, done);
                }
                (self.goes(config, begin, leaves - lookup), done)
            }
        }
    }

    /// When an access that could go at `begin` and takes the road at `leaves` has a place in the queue before it.
    fn goes(&self, config: &Config, begin: u64, leaves: u64) -> u64 {
        let queue = u64::from(config.miss_queue) * config.l2_bytes_per_cycle.time(config.l1d_line) / PARTS;
        leaves.saturating_sub(queue).max(begin)
    }

    /// Only so many lines may be on their way; a further one waits for the first to arrive.
    fn wait_for_miss_slot(&mut self, config: &Config, at: u64) -> u64 {
        self.misses.retain(|&arrives| arrives > at);
        if self.misses.len() < config.l1d_mshrs as usize {
            return at;
        }
        let first = self.misses.iter().enumerate().min_by_key(|&(_, &arrives)| arrives).map(|(slot, _)| slot);
        first.map_or(at, |slot| self.misses.swap_remove(slot))
    }
}

impl Requester<'_> {
    /// Neighbouring threads' words of local memory lie side by side, so that equal offsets coalesce.
    fn local_address(&self, offset: u64, lane: usize) -> u64 {
        let (threads, thread) = (u64::from(self.block_threads), self.threads[lane].0);
        let slot = self.slots.map_or(self.slot, |slots| slots[lane]);
        let slot = (u64::from(self.sm) << 16 | u64::from(slot)) * u64::from(self.local_bytes.next_multiple_of(16)) * threads;
        LOCAL_BASE + slot + (offset / 4 * threads + u64::from(thread)) * 4 + offset % 4
    }
}
