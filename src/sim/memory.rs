//! When a memory instruction is done: coalescing, L1, L2, DRAM, shared-memory banks.
//!
//! What an access finds is decided when it is made; when it completes follows from reservations (this port is free again
//! at, that channel is free again at), so nothing is simulated twice and nothing is polled. Stores write through and do
//! not bring lines into the L1 cache.

use super::cache::{Cache, Look};
use crate::config::{Config, PARTS, Rate};
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

/// What all SMs share: L2 cache and DRAM.
#[derive(Clone, Debug)]
pub struct SharedMemorySystem {
    l2: Cache,
    dram: Road,
}

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

/// Something that carries so many bytes a cycle, one transfer after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Road {
    /// When it is free again, in parts of a cycle: a transfer ends where it ends, not at a cycle's edge.
    free: u64,
}

impl Road {
    /// A transfer that could begin at `at`: the cycle in which it begins, and the first in which it is over.
    fn take(&mut self, rate: Rate, at: u64, bytes: u32) -> (u64, u64) {
        let begin = self.free.max(at * PARTS);
        self.free = begin + rate.time(bytes);
        (begin / PARTS, self.free.div_ceil(PARTS))
    }
}

/// When a memory instruction is through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Cycles for which it holds its load/store unit.
    pub holds: u32,
    /// When its result is there, or its stores are on their way.
    pub done: u64,
}

/// How an access went for each lane.
#[derive(Clone, Debug, Default)]
pub struct LaneTimes {
    /// When the lane has what it asked for.
    pub done: [u64; 32],
    /// Lanes that were the first to want their line.
    pub opens: u32,
    /// The line that a lane wants, of those of the access.
    line: [u8; 32],
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
    fn access(&mut self, config: &Config, address: u64, write: bool, at: u64, bytes: u32) -> (u64, Event) {
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

/// Somebody who wants to know when which lanes are done; most only ask when all are.
pub trait PerLane {
    /// Whether lanes of one access can be done at different times.
    const BY_LANE: bool = false;
    /// A lane wants a line of the access, which is new.
    fn wants(&mut self, _lane: usize, _line: (usize, bool)) {}
    /// These lanes are done at that time.
    fn done(&mut self, _lanes: u32, _done: u64) {}
    /// Those of these lanes that want that line are.
    fn line_done(&mut self, _lanes: u32, _line: usize, _done: u64) {}
}

/// All lanes are done when the last is.
struct Together;

impl PerLane for Together {}

impl PerLane for LaneTimes {
    const BY_LANE: bool = true;

    fn wants(&mut self, lane: usize, (line, is_new): (usize, bool)) {
        self.line[lane] = line as u8;
        self.opens |= u32::from(is_new) << lane;
    }

    fn done(&mut self, lanes: u32, done: u64) {
        active(lanes).for_each(|lane| self.done[lane] = done);
    }

    fn line_done(&mut self, lanes: u32, line: usize, done: u64) {
        active(lanes).filter(|&lane| usize::from(self.line[lane]) == line).for_each(|lane| self.done[lane] = done);
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

/// Distinct lines in the order of their first lane.
#[derive(Default)]
struct Lines {
    lines: [u64; 32],
    /// Sectors of each that a store touches, where those count.
    sectors: [u64; 32],
    len: usize,
}

impl Lines {
    /// Its position, and whether it was not there before.
    #[inline(always)]
    fn add(&mut self, line: u64) -> (usize, bool) {
        // Neighbours mostly share a line, so the last one is looked at first.
        if let Some(at) = self.lines[..self.len].iter().rposition(|&known| known == line) {
            return (at, false);
        }
        self.lines[self.len] = line;
        self.len += 1;
        (self.len - 1, true)
    }

    /// A store of `size` bytes touches sectors of a line.
    fn touch(&mut self, at: usize, address: u64, size: u32, config: &Config) {
        let within = address % u64::from(config.l1d_line);
        let sector = |byte: u64| (byte.min(u64::from(config.l1d_line) - 1) / u64::from(config.store_sector)).min(63);
        for sector in sector(within)..=sector(within + u64::from(size.max(1)) - 1) {
            self.sectors[at] |= 1 << sector;
        }
    }

    /// Bytes of a line that move.
    fn bytes(&self, at: usize, config: &Config) -> u32 {
        match self.sectors[at].count_ones() {
            0 => config.l1d_line,
            sectors => (sectors * config.store_sector).min(config.l1d_line),
        }
    }

    fn all(&self) -> &[u64] {
        &self.lines[..self.len]
    }
}

/// The lanes of an access that shared memory serves at a time: as many as it has banks, such as half a warp with 16.
fn lane_groups(mask: u32, config: &Config) -> impl Iterator<Item = u32> {
    let lanes = config.shared_banks.min(32);
    let first = u32::MAX >> (32 - lanes);
    (0..32 / lanes).map(move |group| mask & first << (group * lanes)).filter(|&mask| mask != 0)
}

/// Cycles that the busiest bank needs; lanes that want the same word share one.
fn bank_cycles(traffic: &Traffic<32>, mask: u32, config: &Config) -> u32 {
    let banks = u64::from(config.shared_banks);
    let words_each = u64::from(traffic.size.div_ceil(4)).clamp(1, 4);
    // One word a bank is the common case, and is seen in one pass.
    const TRACKED: usize = 64;
    let mut word_of = [u64::MAX; TRACKED];
    let conflict_free = banks <= TRACKED as u64
        && active(mask).all(|lane| {
            let first = traffic.targets[lane].address / 4;
            (first..first + words_each).all(|word| {
                let known = std::mem::replace(&mut word_of[(word % banks) as usize], word);
                known == u64::MAX || known == word
            })
        });
    if conflict_free { 1 } else { conflict_cycles(traffic, mask, banks, words_each) }
}

/// The same, counted out for accesses that do conflict.
fn conflict_cycles(traffic: &Traffic<32>, mask: u32, banks: u64, words_each: u64) -> u32 {
    let mut words = [0u64; 32 * 4];
    let mut count = 0;
    let mut busiest = 1;
    for lane in active(mask) {
        let first = traffic.targets[lane].address / 4;
        for word in first..first + words_each {
            if words[..count].contains(&word) {
                continue;
            }
            let load = 1 + words[..count].iter().filter(|&&other| other % banks == word % banks).count() as u32;
            busiest = busiest.max(load);
            words[count] = word;
            count += 1;
        }
    }
    // Wide accesses are served in parts of a lane's word each; that they take several passes is no conflict.
    busiest.div_ceil(words_each as u32)
}

/// The cycle of an access to shared memory in which each lane is served: words of one bank come one after the other.
fn shared_passes(traffic: &Traffic<32>, mask: u32, config: &Config) -> [u32; 32] {
    let mut passes = [0; 32];
    if traffic.atomic {
        for lane in active(mask) {
            let alike = |other: &usize| traffic.targets[*other].address == traffic.targets[lane].address;
            passes[lane] = active(mask).take_while(|&other| other < lane).filter(alike).count() as u32;
        }
        return passes;
    }
    let banks = u64::from(config.shared_banks);
    let words_each = u64::from(traffic.size.div_ceil(4)).clamp(1, 4);
    let mut before = 0;
    for group in lane_groups(mask, config) {
        let mut words: Vec<u64> = Vec::with_capacity(32);
        for lane in active(group) {
            let first = traffic.targets[lane].address / 4;
            let mut last = 0;
            for word in first..first + words_each {
                let at = words.iter().position(|&known| known == word).unwrap_or_else(|| {
                    words.push(word);
                    words.len() - 1
                });
                let pass = words[..at].iter().filter(|&&other| other % banks == word % banks).count();
                last = last.max(pass as u32);
            }
            passes[lane] = before + last / words_each as u32;
        }
        before += bank_cycles(traffic, group, config);
    }
    passes
}

/// How many different addresses there are.
fn distinct(traffic: &Traffic<32>, mask: u32) -> u32 {
    let mut lines = Lines::default();
    for lane in active(mask) {
        lines.add(traffic.targets[lane].address);
    }
    lines.len as u32
}

/// How many lanes want the address that most want.
fn most_alike(traffic: &Traffic<32>, mask: u32) -> u32 {
    active(mask)
        .map(|lane| active(mask).filter(|&other| traffic.targets[other].address == traffic.targets[lane].address).count() as u32)
        .max()
        .unwrap_or(1)
}
