//! Timing of memory instructions: coalescing, L1, L2, DRAM, shared-memory banks.
//!
//! Whether an access hits is decided when it is made. When it completes follows from reservations, the cycles from which each
//! port and channel is free again, so nothing is simulated twice and nothing is polled. Stores write through and do not
//! allocate in the L1 cache.

mod banks;
mod l2;
mod lanes;
mod lines;

pub use self::l2::SharedMemorySystem;
pub use self::lanes::{LaneTimes, PerLane};

use self::banks::{most_alike, time_banks, time_constants};
use self::l2::{Channel, Purpose, Served};
use self::lanes::Together;
use self::lines::Lines;
use super::cache::{ALL_SECTORS, Cache, Lookup};
use crate::config::{Config, PARTS};
use crate::event::{CacheOutcome, Event, Sink, StallCause};
use warpscope_kernel::interp::access::{Traffic, active};
use warpscope_kernel::interp::memory::Target;
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::ptx::types::Space;

/// Base address of local memory for the caches, behind all other memory.
const LOCAL_BASE: u64 = 0x0900_0000_0000;
/// Base address of instructions for the L2 cache.
const CODE_BASE: u64 = 0x0a00_0000_0000_0000;

/// The memory of one SM: L1 cache, outstanding misses, the link to L2.
#[derive(Clone, Debug, Hash)]
pub struct SmMemory {
    l1: Cache,
    /// When the line of each outstanding miss arrives.
    misses: Vec<u64>,
    channel: Channel,
    /// What holds the load/store unit longer than one access takes, in order.
    held: Vec<UnitHold>,
}

/// Cycles in which an access holds the load/store unit beyond the passes of its warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnitHold {
    /// Why it does.
    pub cause: StallCause,
    pub(crate) from: u64,
    /// The first cycle behind it.
    pub until: u64,
}

/// When a memory instruction completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Cycles for which it holds its load/store unit.
    pub holds: u32,
    /// When its result is available, or its stores are on their way.
    pub done: u64,
}

impl Timing {
    /// Adds a part of the same access; returns the cycles for which that part holds the unit.
    fn add(&mut self, part: Timing) -> u32 {
        self.holds += part.holds;
        self.done = self.done.max(part.done);
        part.holds
    }
}

/// What an access uses besides the memory of its own SM.
pub struct AccessContext<'a, S> {
    pub(crate) shared: &'a mut SharedMemorySystem,
    pub(crate) config: &'a Config,
    /// The cycle of the access, which its events carry.
    pub now: u64,
    /// Cycles for which a warp that goes through its lanes in several passes holds a unit anyway.
    pub passes: u32,
    pub(crate) sink: &'a mut S,
}

/// The origin of an access, for its addresses in local memory and for events.
#[derive(Clone, Copy, Debug)]
pub struct Requester<'a> {
    pub(crate) sm: u16,
    pub(crate) warp: u16,
    pub(crate) pc: u32,
    /// The thread of each lane, and the number of threads of the block.
    pub threads: &'a [StorageThread; 32],
    pub(crate) block_threads: u32,
    /// The block slot, and that of each lane where they differ.
    pub slot: u16,
    pub(crate) slots: Option<&'a [u16; 32]>,
    pub(crate) local_bytes: u32,
}

impl<S: Sink> AccessContext<'_, S> {
    /// Performs an access to L2 and emits its event.
    fn l2(&mut self, address: u64, purpose: Purpose, at: u64, bytes: u32) -> Served {
        let (served, event) = self.shared.access(self.config, address, purpose, at, bytes);
        self.emit(event);
        served
    }

    fn emit(&mut self, event: Event) {
        if S::LISTENS {
            self.sink.event(self.now, event);
        }
    }

    /// Emits the address of every lane, for views that draw it.
    fn tell_lanes(&mut self, who: Requester, traffic: &Traffic<32>, mask: u32) {
        let Requester { sm, warp, pc, .. } = who;
        let (write, bytes) = (traffic.write, traffic.size as u8);
        for lane in active(mask) {
            let Target { space, address } = traffic.targets[lane];
            let address = if space == Space::Local { who.local_address(address, lane) } else { address };
            self.emit(Event::LaneAccess { sm, warp, pc, lane: lane as u8, space, write, address, bytes });
        }
    }
}

impl SmMemory {
    pub(crate) fn new(config: &Config) -> SmMemory {
        SmMemory {
            l1: Cache::new(config.l1d_bytes, config.l1d_line, config.l1d_ways).hashed(config.l1d_hash),
            misses: Vec::new(),
            channel: Channel::default(),
            held: Vec::new(),
        }
    }

    /// Returns why an access holds the load/store unit in a cycle, if its lanes' passes alone do not.
    pub fn held(&self, cycle: u64) -> Option<UnitHold> {
        self.held.iter().find(|hold| (hold.from..hold.until).contains(&cycle)).copied()
    }

    /// Returns the cycles in which a cause begins or ends to hold the load/store unit.
    pub fn turns(&self) -> impl Iterator<Item = u64> {
        self.held.iter().flat_map(|hold| [hold.from, hold.until])
    }

    /// Notes why an access that began at `begin` holds the load/store unit, cause after cause; the first `passes` cycles are
    /// those of any access.
    fn hold(&mut self, now: u64, begin: u64, passes: u32, causes: [(StallCause, u64); 4]) {
        self.held.retain(|hold| hold.until > now);
        let mut from = begin;
        for (cause, cycles) in causes {
            let until = from + cycles;
            let from_then = from.max(now + u64::from(passes));
            if from_then < until {
                self.held.push(UnitHold { cause, from: from_then, until });
            }
            from = until;
        }
    }

    /// Times one instruction that issues now.
    #[inline(never)]
    pub fn time<S: Sink>(&mut self, context: &mut AccessContext<S>, who: Requester, traffic: &Traffic<32>, mask: u32) -> Timing {
        let (timing, transactions) = self.serve(context, who, traffic, mask, 0, &mut Together);
        if S::LISTENS && mask != 0 {
            context.emit(Event::Memory {
                sm: who.sm,
                warp: who.warp,
                pc: who.pc,
                space: booked_space(traffic, mask),
                write: traffic.write,
                transactions,
                done: timing.done,
            });
        }
        timing
    }

    /// Loads a line of instructions from L2; returns when it arrives.
    #[inline(never)]
    pub fn instructions<S: Sink>(&mut self, context: &mut AccessContext<S>, line: u64) -> u64 {
        let bytes = context.config.icache_line;
        let at = context.now;
        self.send(context, at, CODE_BASE + line * u64::from(bytes), Purpose::Read, bytes).done
    }

    /// Sends an access over the link to L2.
    fn send<S: Sink>(&mut self, context: &mut AccessContext<S>, at: u64, address: u64, purpose: Purpose, bytes: u32) -> Served {
        let (leaves, _) = self.channel.take(context.config.l2_bytes_per_cycle, at, bytes);
        context.l2(address, purpose, leaves, bytes)
    }

    /// Times one access that begins `later` cycles on; returns when all of it is done, and how many transactions it became.
    pub fn serve<S: Sink, L: PerLane>(
        &mut self,
        context: &mut AccessContext<S>,
        who: Requester,
        traffic: &Traffic<32>,
        mask: u32,
        later: u32,
        lanes: &mut L,
    ) -> (Timing, u16) {
        let (config, now) = (context.config, context.now);
        if mask == 0 {
            return (Timing { holds: 1, done: now + 1 }, 0);
        }
        if S::LISTENS && context.sink.wants_lanes() {
            context.tell_lanes(who, traffic, mask);
        }
        let start = now + u64::from(config.read_latency + later);
        let mut lines = Lines::default();
        let (mut in_shared, mut constants) = (0u32, 0u32);
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
        let (mut banks, mut serial_constants, mut line_cycles, mut waited) = (0, 0, 0, 0);
        let mut transactions = 0;
        let mut timing = Timing { holds: 0, done: start + 1 };
        if in_shared != 0 {
            banks = timing.add(time_banks(context, who, traffic, in_shared, start, lanes));
        }
        if constants != 0 {
            serial_constants = timing.add(time_constants(config, traffic, constants, start, lanes));
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
                let address = line * u64::from(config.l1d_line);
                let written = || {
                    lines
                        .written(at, config)
                        .fold(0, |all, (offset, bytes)| all | context.shared.sectors(address + offset, bytes))
                };
                let purpose = match (traffic.write, traffic.atomic) {
                    (false, _) => Purpose::Read,
                    (true, false) => Purpose::Write(written()),
                    (true, true) => Purpose::Update(written()),
                };
                let (goes, done) = self.line(context, who.sm, line, purpose, begins, lines.bytes(at, config));
                let done = done + u64::from(serial * config.atomic_interval);
                timing.holds += 1;
                if config.back_pressure {
                    timing.holds += (goes - begins) as u32;
                    waited += goes - begins;
                }
                timing.done = timing.done.max(done);
                lanes.line_done(others, at, done);
                transactions += 1;
                line_cycles += 1;
            }
        }
        timing.holds = timing.holds.max(1);
        if timing.holds > context.passes || later > 0 {
            let causes = [
                (StallCause::Banks, banks.into()),
                (StallCause::Constants, serial_constants.into()),
                (StallCause::Lines, line_cycles),
                (StallCause::MemoryFull, waited),
            ];
            self.hold(now, now + u64::from(later), context.passes, causes);
        }
        (timing, transactions)
    }

    /// Times one line; returns when it can go to L2, if it has to, and when a load has it or a store has left.
    fn line<S: Sink>(
        &mut self,
        context: &mut AccessContext<S>,
        sm: u16,
        line: u64,
        purpose: Purpose,
        at: u64,
        bytes: u32,
    ) -> (u64, u64) {
        let config = context.config;
        let hit = at + u64::from(config.l1d_latency);
        let address = line * u64::from(config.l1d_line);
        let is_atomic = matches!(purpose, Purpose::Update(_));
        let lookup_result = if is_atomic {
            self.l1.evict(line);
            Lookup::Miss
        } else {
            self.l1.look_up(line, at)
        };
        let outcome = match lookup_result {
            Lookup::Hit => CacheOutcome::Hit,
            Lookup::Coming(_) => CacheOutcome::Merged,
            Lookup::Miss => CacheOutcome::Miss,
        };
        context.emit(Event::L1 { sm, line, write: purpose != Purpose::Read, outcome });
        if let Purpose::Write(_) = purpose {
            // No warp waits for the store, but it takes its share of the link.
            let served = self.send(context, at, address, purpose, bytes);
            return (self.goes(config, at, served.taken), at + 1);
        }
        match lookup_result {
            Lookup::Hit => (at, hit),
            Lookup::Coming(arrives) => (at, arrives.max(hit)),
            Lookup::Miss => {
                let begin = self.wait_for_miss_slot(config, at);
                let lookup = u64::from(config.l1d_lookup);
                let served = self.send(context, begin + lookup, address, purpose, config.l1d_line);
                let done = served.done.max(hit);
                self.misses.push(done);
                if !is_atomic {
                    self.l1.insert(line, at, done, ALL_SECTORS);
                }
                (self.goes(config, begin, served.taken - lookup), done)
            }
        }
    }

    /// Returns when an access that could go at `begin`, and takes the link at `leaves`, has a place in the miss queue.
    fn goes(&self, config: &Config, begin: u64, leaves: u64) -> u64 {
        let queue = u64::from(config.miss_queue) * config.l2_bytes_per_cycle.time(config.l1d_line) / PARTS;
        leaves.saturating_sub(queue).max(begin)
    }

    /// Returns when a miss slot is free: if all `l1d_mshrs` are taken, when the first of their lines arrives.
    fn wait_for_miss_slot(&mut self, config: &Config, at: u64) -> u64 {
        self.misses.retain(|&arrives| arrives > at);
        if self.misses.len() < config.l1d_mshrs as usize {
            return at;
        }
        let first = self.misses.iter().enumerate().min_by_key(|&(_, &arrives)| arrives).map(|(slot, _)| slot);
        first.map_or(at, |slot| self.misses.swap_remove(slot))
    }
}

/// Returns the space that an access of some lanes is booked to. Generic addresses may lead the lanes of one access to several
/// spaces; then it is that of the first lane that goes to the data cache, whose transactions are counted.
pub fn booked_space(traffic: &Traffic<32>, mask: u32) -> Space {
    let space = |lane: usize| traffic.targets[lane].space;
    let cached = |space: &Space| matches!(space, Space::Local | Space::Global | Space::Generic);
    active(mask).map(space).find(cached).unwrap_or_else(|| space(mask.trailing_zeros() as usize))
}

impl Requester<'_> {
    /// Returns the address of local memory; words of neighbouring threads lie side by side, so that equal offsets coalesce.
    fn local_address(&self, offset: u64, lane: usize) -> u64 {
        let (threads, thread) = (u64::from(self.block_threads), self.threads[lane].0);
        let slot = self.slots.map_or(self.slot, |slots| slots[lane]);
        let slot = (u64::from(self.sm) << 16 | u64::from(slot)) * u64::from(self.local_bytes.next_multiple_of(16)) * threads;
        LOCAL_BASE + slot + (offset / 4 * threads + u64::from(thread)) * 4 + offset % 4
    }
}
