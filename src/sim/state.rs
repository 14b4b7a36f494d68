//! Everything that changes while the machine runs, as plain data that can be copied.

use super::cache::Cache;
use super::collect::Collectors;
use super::core::Issued;
use super::decode::{UNITS, Unit};
use super::issue::Scratch;
use super::logical::{Assignment, Logical};
use super::memory::{SharedMemorySystem, SmMemory};
use super::pipeline::Pipeline;
use super::power::Chosen;
use super::wheel::Wheel;
use crate::config::{Config, MAX_WARPS};
use crate::event::Reasons;
use crate::interp::lanes::{Lanes, Registers};
use crate::interp::memory::{Global, Local, Shared};
use crate::interp::thread::StorageThread;
use crate::interp::trap::Trap;
use crate::policy::divergence::{Divergence, Edits, Members, Place};
use crate::policy::fetch::Fetch;
use crate::policy::gang::Gangs;
use crate::policy::gating::Gating;
use crate::policy::schedule::Scheduler;
use crate::policy::warp_set::WarpSet;
use crate::program::Pc;

#[derive(Clone, Debug)]
pub struct State {
    /// The cycle that the next step simulates.
    pub cycle: u64,
    pub sms: Vec<Sm>,
    pub uncore: Uncore,
}

/// What the SMs share.
#[derive(Clone, Debug)]
pub struct Uncore {
    pub wheel: Wheel,
    pub memory: SharedMemorySystem,
    pub global: Global,
    /// The next logical block to be dispatched.
    pub next_block: u64,
    pub blocks_done: u64,
    /// What the kernel printed.
    pub output: Vec<u8>,
    /// Why the run ended early, if it did.
    pub trap: Option<Trap>,
    /// Warps dispatched so far, for their age.
    pub dispatched: u64,
}

/// One streaming multiprocessor.
#[derive(Clone, Debug)]
pub struct Sm {
    /// The warp table: what can be scheduled.
    pub warps: Vec<Warp>,
    /// The order in which each of its warps was dispatched or formed: lower is older.
    pub age: Vec<u64>,
    pub statics: Statics,
    pub blocks: Vec<Option<Block>>,
    pub sets: Sets,
    pub ports: Vec<Port>,
    /// What the issue stage did in this cycle.
    pub issued: Issued,
    /// The units of each kind; slice by slice, but for the load/store units, which all share.
    pub units: [Vec<Pipeline>; UNITS],
    /// What is in front of the SP units, where instructions are collected there.
    pub collectors: Option<Box<Collectors>>,
    /// What happens to the lanes of INT and FP pipelines, where they are looked at.
    pub gating: Option<Box<Gating>>,
    /// Where the instruction that issues now executes, where lanes are looked at.
    pub chosen: Option<Chosen>,
    pub divergence: Divergence,
    /// The gang table, where slices' warps run in lock-step.
    pub gangs: Option<Box<Gangs>>,
    /// What the control-flow unit has answered and the table does not show yet.
    pub edits: Edits,
    /// Warps that leave the table and have nothing in flight any more.
    pub departed: Vec<u16>,
    /// Threads that waited outside of the table and go on at a PC.
    pub resumed: Vec<Resumed>,
    /// One for each slice, and which slice comes first next.
    pub fetch: Vec<Fetch>,
    pub first_slice: u32,
    pub icache: Cache,
    /// The slices' own instruction caches, if they have any.
    pub l0i: Vec<Cache>,
    pub memory: SmMemory,
    /// Registers and shared memory that resident blocks have taken.
    pub registers_used: u32,
    pub shared_used: u32,
    pub threads_used: u32,
    /// Another block may fit: nothing has been tried since room was made.
    pub may_dispatch: bool,
    /// Blocks whose threads have all exited, and which are still there.
    pub ended: u32,
    pub scratch: Box<Scratch>,
}

/// Static warps: who belongs to which block, whatever warps they travel in.
#[derive(Clone, Debug)]
pub struct Statics {
    pub resident: WarpSet,
    pub warps: Vec<StaticWarp>,
    /// Where warps re-form: the entry of the warp table that each thread is in, by static warp and lane, or why it is in
    /// none.
    pub at: Vec<u16>,
    /// For threads that wait outside of the table: the instruction at which they do.
    pub parked_at: Vec<Pc>,
    /// Those with a thread that issued in this cycle.
    pub issued: WarpSet,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StaticWarp {
    pub block: u16,
    pub first_thread: StorageThread,
    /// Lanes whose threads have not exited.
    pub live: u32,
}

/// A thread is in no entry of the table, because the technique keeps it...
pub const KEPT: u16 = u16::MAX;
/// ... it waits at a barrier...
pub const AT_BARRIER: u16 = u16::MAX - 1;
/// ... or for others of its PTX warp.
pub const AT_SYNC: u16 = u16::MAX - 2;

/// Threads that were parked and go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumed {
    pub members: Members,
    pub pc: Pc,
    pub from_barrier: bool,
}

/// Warps by what holds them back. A resident warp in none of these could issue if a port and a unit are free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    pub resident: WarpSet,
    pub exited: WarpSet,
    pub barrier: WarpSet,
    pub sync: WarpSet,
    /// It waits where branches meet for others of its original gang.
    pub meeting: WarpSet,
    pub control: WarpSet,
    /// Its next instruction touches shared memory that siblings may still use (VTW).
    pub siblings: WarpSet,
    /// It wants a logical block too far ahead of its siblings (VTW).
    pub ahead: WarpSet,
    /// It leaves the table when nothing of it is in flight any more.
    pub leaving: WarpSet,
    /// The I-buffer is empty.
    pub unfetched: WarpSet,
    /// The I-buffer takes instructions: by `fetch_when` it is empty or has room, and nothing is on its way.
    pub wants_fetch: WarpSet,
    /// The next instruction waits for a value.
    pub data: WarpSet,
    /// What it waits for, where it waits for a value, comes from memory.
    pub for_memory: WarpSet,
    /// A load is on its way.
    pub loading: WarpSet,
    /// The next instruction needs a unit of this kind.
    pub needs: [WarpSet; UNITS],
    /// The reasons of the cycle before, 64 warps at a time.
    pub before: [Reasons; MAX_WARPS as usize / 64],
}

/// An issue port: one scheduler.
#[derive(Clone, Debug)]
pub struct Port {
    pub scheduler: Scheduler,
    /// The warps it chooses from.
    pub warps: WarpSet,
    /// When it is free again, and how many threads the instruction that holds it has.
    pub free: u64,
    pub holder_threads: u8,
}

/// An entry of the warp table: a warp that can be scheduled. Where warps stay as compiled, static warp n is entry n.
#[derive(Clone, Debug)]
pub struct Warp {
    /// The block of its threads, or of the first of them.
    pub block: u16,
    /// Of a static warp.
    pub first_thread: StorageThread,
    pub lanes: Lanes<32>,
    /// What it works on, and whether it has come to it.
    pub assignment: Assignment,
    pub begun: bool,
    /// Instructions that it has issued for that.
    pub progress: u32,
    /// Where warps re-form: the static warp that the thread in each lane belongs to, and whether these are of several blocks.
    pub members: Members,
    pub mixed: bool,
    pub place: Place,
    /// The cycle in which it came to that place.
    pub came: u64,
    /// Instructions in the I-buffer, from `place.pc` on.
    pub filled: u8,
    /// More are on their way.
    pub fetching: bool,
    /// Tells completions for this warp from those for earlier users of the slot.
    pub life: u32,
    /// Tells fetches from before a jump from later ones.
    pub fetch_life: u32,
    /// Tells waits at a meeting point from earlier ones.
    pub meeting_life: u32,
    /// Planes whose value is not there yet.
    pub pending: Vec<u64>,
    /// Those of them that come from memory.
    pub from_memory: Vec<u64>,
    pub in_flight: u16,
    /// Those of them that are accesses to memory.
    pub accesses: u16,
    pub loads: u16,
    /// The barrier instruction that it waits at, or waited at last.
    pub barrier_pc: Pc,
}

/// A resident block: places for threads, and what these work on.
#[derive(Clone, Debug)]
pub struct Block {
    pub first_warp: u16,
    pub warps: u16,
    pub registers: Registers,
    pub shared: Shared,
    pub local: Local,
    /// The first logical block that it was given: its name.
    pub index: u64,
    /// The logical block that its warps work on.
    pub current: Logical,
    /// The one after it, where warps have gone on to that while others are behind (VTW).
    pub next: Option<Logical>,
    /// There is no other logical block for it (VTW).
    pub over: bool,
    /// Threads that have left for good, where those of a logical block only go on to the next (VTW).
    pub left: u32,
}

impl Block {
    /// The logical block of an iteration that some of its warps are in.
    #[inline]
    pub fn of(&self, iteration: u32) -> &Logical {
        self.next.as_ref().filter(|next| next.iteration == iteration).unwrap_or(&self.current)
    }

    #[inline]
    pub fn of_mut(&mut self, iteration: u32) -> &mut Logical {
        match &mut self.next {
            Some(next) if next.iteration == iteration => next,
            _ => &mut self.current,
        }
    }
}

impl State {
    pub fn new(config: &Config, global: Global, plane_words: usize, max_warps: u32, entries: u32) -> State {
        let mut memory = SharedMemorySystem::new(config);
        if config.l2_warm {
            memory.warm(&global.regions().collect::<Vec<_>>());
        }
        State {
            cycle: 0,
            sms: (0..config.sms).map(|sm| Sm::new(config, sm as u16, plane_words, max_warps, entries)).collect(),
            uncore: Uncore {
                wheel: Wheel::default(),
                memory,
                global,
                next_block: 0,
                blocks_done: 0,
                output: Vec::new(),
                trap: None,
                dispatched: 0,
            },
        }
    }
}

impl Sm {
    fn new(config: &Config, name: u16, plane_words: usize, max_warps: u32, entries: u32) -> Sm {
        let warp = Warp {
            block: 0,
            first_thread: StorageThread(0),
            lanes: Lanes::warp(StorageThread(0), 0),
            assignment: Assignment::default(),
            begun: false,
            progress: 0,
            members: Members::default(),
            mixed: false,
            place: Place::default(),
            came: 0,
            filled: 0,
            fetching: false,
            life: 0,
            fetch_life: 0,
            meeting_life: 0,
            pending: vec![0; plane_words],
            from_memory: vec![0; plane_words],
            in_flight: 0,
            accesses: 0,
            loads: 0,
            barrier_pc: 0,
        };
        let ports = (0..config.issue_ports())
            .map(|port| {
                let mut warps = WarpSet::default();
                (0..entries).filter(|&warp| config.port_of(warp) == port).for_each(|warp| warps.insert(warp));
                Port { scheduler: Scheduler::new(config), warps, free: 0, holder_threads: 0 }
            })
            .collect();
        let slices = config.slices;
        let gating = Gating::new(config).map(Box::new);
        let counts = [config.sp_units * slices, config.sp_units * slices, config.sfu_units * slices, config.ldst_units, 0];
        let units = |unit: Unit| vec![Pipeline::new(unit, gating.as_deref(), config); counts[unit as usize] as usize];
        let l0i = Cache::new(config.l0i_bytes, config.l0i_line, (config.l0i_bytes / config.l0i_line).max(1));
        let threads = if config.divergence.reforms() { (max_warps * config.warp_width) as usize } else { 0 };
        Sm {
            warps: vec![warp; entries as usize],
            age: vec![0; entries as usize],
            statics: Statics {
                resident: WarpSet::default(),
                warps: vec![StaticWarp::default(); max_warps as usize],
                at: vec![KEPT; threads],
                parked_at: vec![0; threads],
                issued: WarpSet::default(),
            },
            blocks: vec![None; config.max_blocks.min(max_warps) as usize],
            sets: Sets::default(),
            ports,
            issued: Issued::default(),
            units: [Unit::Int, Unit::Fp, Unit::Sfu, Unit::LdSt, Unit::Control].map(units),
            collectors: (config.collectors > 0).then(|| Box::new(Collectors::new(config.collectors, config.sp_units))),
            gating,
            chosen: None,
            divergence: Divergence::new(config, name, max_warps),
            gangs: config.gangs.then(|| {
                let (rows, schedulers) = (max_warps / slices, config.schedulers);
                Box::new(Gangs::new(rows, slices, schedulers, config.gang_schedule, config.gang_patience))
            }),
            edits: Edits::default(),
            departed: Vec::new(),
            resumed: Vec::new(),
            fetch: vec![Fetch::new(config.fetch); slices as usize],
            first_slice: 0,
            l0i: if config.l0i_bytes == 0 { Vec::new() } else { vec![l0i; slices as usize] },
            icache: Cache::new(config.icache_bytes, config.icache_line, config.icache_ways),
            memory: SmMemory::new(config),
            registers_used: 0,
            shared_used: 0,
            threads_used: 0,
            may_dispatch: true,
            ended: 0,
            scratch: Box::default(),
        }
    }
}
