//! The state of the machine: all that changes while it runs, as plain data that can be copied.

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
use crate::policy::divergence::{Divergence, Edits, Members, Place};
use crate::policy::fetch::Fetch;
use crate::policy::gang::Gangs;
use crate::policy::gating::Gating;
use crate::policy::patience::Patience;
use crate::policy::schedule::Scheduler;
use crate::policy::warp_set::WarpSet;
use warpscope_kernel::interp::lanes::{Lanes, Registers};
use warpscope_kernel::interp::memory::{Global, Local, Shared};
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::interp::trap::Trap;
use warpscope_kernel::program::Pc;

/// The part of a machine that changes while it runs.
#[derive(Clone, Debug, Hash)]
pub struct State {
    /// The cycle that the next step simulates.
    pub cycle: u64,
    /// The SMs, by number.
    pub sms: Vec<Sm>,
    /// What they share.
    pub uncore: Uncore,
}

/// State that the SMs share.
#[derive(Clone, Debug, Hash)]
pub struct Uncore {
    /// Completions that are still to come.
    pub wheel: Wheel,
    pub(crate) memory: SharedMemorySystem,
    /// The contents of global memory.
    pub global: Global,
    /// The next logical block to be dispatched.
    pub next_block: u64,
    pub(crate) blocks_done: u64,
    /// What the kernel printed.
    pub output: Vec<u8>,
    /// Why the run ended early, if it did.
    pub trap: Option<Trap>,
    /// Warps dispatched or formed so far; gives each its age.
    pub dispatched: u64,
}

/// One streaming multiprocessor.
#[derive(Clone, Debug, Hash)]
pub struct Sm {
    /// The warp table: the warps that can be scheduled.
    pub warps: Vec<Warp>,
    /// Sequence number with which each entry's warp was dispatched or formed: lower is older.
    pub age: Vec<u64>,
    /// The static warps.
    pub statics: Statics,
    /// The resident blocks, by slot.
    pub blocks: Vec<Option<Block>>,
    /// What holds each warp back.
    pub sets: Sets,
    /// The issue ports, by scheduler, then by slice.
    pub ports: Vec<Port>,
    /// What the issue stage did in this cycle.
    pub issued: Issued,
    /// The units of each kind, slice by slice; all slices share the load/store units.
    pub units: [Vec<Pipeline>; UNITS],
    /// Operand collectors in front of the SP units, if the configuration has them.
    pub collectors: Option<Box<Collectors>>,
    /// Power gating and folding of the INT and FP lanes, if `gating` is not off.
    pub gating: Option<Box<Gating>>,
    /// Where the instruction that is being issued executes, if lanes are tracked.
    pub chosen: Option<Chosen>,
    /// The control-flow unit.
    pub divergence: Divergence,
    /// The gang table, if narrow warps run in gangs.
    pub gangs: Option<Box<Gangs>>,
    /// The bound on how long the order of warps keeps one waiting.
    pub patience: Patience,
    /// Edits by the control-flow unit that are not applied to the table yet.
    pub edits: Edits,
    /// Leaving warps with nothing in flight any more.
    pub departed: Vec<u16>,
    /// Parked threads that go on at a PC.
    pub resumed: Vec<Resumed>,
    /// The fetch policy of each slice, and the slice that is served first next.
    pub fetch: Vec<Fetch>,
    pub(crate) first_slice: u32,
    pub(crate) icache: Cache,
    /// The L0 instruction cache of each slice, if slices have one.
    pub l0i: Vec<Cache>,
    /// The L1 data cache, its MSHRs and its channel: tags and reservations.
    pub memory: SmMemory,
    /// Registers, bytes of shared memory and threads that resident blocks occupy.
    pub registers_used: u32,
    pub(crate) shared_used: u32,
    pub(crate) threads_used: u32,
    /// Whether another block may fit: no attempt has failed since room was made.
    pub may_dispatch: bool,
    /// Blocks and logical blocks that have ended and are not cleaned up yet.
    pub ended: u32,
    pub(crate) scratch: Box<Scratch>,
}

/// Static warps: which threads belong to which block, whatever dynamic warps they are in.
#[derive(Clone, Debug, Hash)]
pub struct Statics {
    /// Those whose block is resident.
    pub resident: WarpSet,
    /// By number.
    pub warps: Vec<StaticWarp>,
    /// Where warps re-form, by static warp and lane: the table entry that holds the thread, or why none does.
    pub at: Vec<u16>,
    /// The PC at which each parked thread waits.
    pub parked_at: Vec<Pc>,
    /// Static warps with a thread that issued in this cycle.
    pub issued: WarpSet,
}

/// A warp as the compiler's numbering of threads makes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StaticWarp {
    /// The slot of its block.
    pub block: u16,
    /// The thread in lane 0.
    pub first_thread: StorageThread,
    /// Lanes whose threads have not exited.
    pub live: u32,
}

/// No table entry holds the thread, because the control-flow unit keeps it.
pub const KEPT: u16 = u16::MAX;
/// No table entry holds the thread, because it waits at a barrier.
pub const AT_BARRIER: u16 = u16::MAX - 1;
/// No table entry holds the thread, because it waits for others of its PTX warp.
pub const AT_SYNC: u16 = u16::MAX - 2;

/// Parked threads that go on at `pc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Resumed {
    pub(crate) members: Members,
    pub(crate) pc: Pc,
    pub(crate) from_barrier: bool,
}

/// Warps by what holds them back. A resident warp that nothing here holds back can issue if a port and a unit are free.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sets {
    /// Number of words that the warps so far need: a table for the worst case is mostly empty.
    pub words: usize,
    /// There is a warp in the entry.
    pub resident: WarpSet,
    /// All of its threads have exited.
    pub exited: WarpSet,
    /// It waits at a barrier.
    pub barrier: WarpSet,
    /// It waits for threads of its PTX warp.
    pub sync: WarpSet,
    /// It waits at a reconvergence point for others of its original gang.
    pub meeting: WarpSet,
    /// The outcome of its branch is not known yet.
    pub control: WarpSet,
    /// Its next instruction touches shared memory that siblings may still use (VTW).
    pub siblings: WarpSet,
    /// It wants a logical block that would put it two ahead of a sibling (VTW).
    pub ahead: WarpSet,
    /// It leaves the table when nothing of it is in flight any more.
    pub leaving: WarpSet,
    /// The I-buffer is empty.
    pub unfetched: WarpSet,
    /// The I-buffer accepts a fetch: by `fetch_when` it is empty or has room, and no fetch is in flight.
    pub wants_fetch: WarpSet,
    /// The next instruction waits for a value.
    pub data: WarpSet,
    /// The value that the next instruction waits for comes from memory.
    pub for_memory: WarpSet,
    /// A load is in flight.
    pub loading: WarpSet,
    /// The next instruction needs a unit of this kind.
    pub needs: [WarpSet; UNITS],
    /// The reasons in the cycle before, 64 warps at a time.
    pub before: [Reasons; MAX_WARPS as usize / 64],
}

impl Sets {
    /// Makes a warp resident.
    pub fn admit(&mut self, warp: u32) {
        self.resident.insert(warp);
        self.words = self.words.max(warp as usize / 64 + 1);
    }
}

/// An issue port: one scheduler.
#[derive(Clone, Debug, Hash)]
pub struct Port {
    /// Its policies, with their state.
    pub scheduler: Scheduler,
    /// The warps it chooses from.
    pub warps: WarpSet,
    /// When it is free again, and the active threads of the instruction that holds it.
    pub free: u64,
    pub(crate) holder_threads: u8,
}

/// An entry of the warp table: a warp that can be scheduled. Where warps stay as compiled, static warp n is entry n.
#[derive(Clone, Debug, Hash)]
pub struct Warp {
    /// The block of its threads, or of the first of them.
    pub block: u16,
    /// The first thread of its static warp, or of the first of them.
    pub first_thread: StorageThread,
    pub(crate) lanes: Lanes<32>,
    /// The logical block and threads that it works on, and whether it has begun them.
    pub assignment: Assignment,
    pub(crate) begun: bool,
    /// Instructions that it has issued for its assignment.
    pub progress: u32,
    /// Where warps re-form: the static warp of the thread in each lane, and whether these are of several blocks.
    pub members: Members,
    pub(crate) mixed: bool,
    /// Its next instruction, and the lanes that execute it.
    pub place: Place,
    /// The cycle in which it reached that place.
    pub came: Option<u64>,
    /// Instructions in the I-buffer, from `place.pc` on.
    pub filled: u8,
    /// A fetch for it is in flight.
    pub fetching: bool,
    /// Generation of the entry: tells this warp's completions from those of earlier warps.
    pub life: u32,
    /// Generation of its fetches: tells those from before a jump from later ones.
    pub fetch_life: u32,
    /// Generation of its waits at reconvergence points.
    pub meeting_life: u32,
    /// Register planes whose value is not available yet.
    pub pending: Vec<u64>,
    /// Pending planes whose value comes from memory.
    pub from_memory: Vec<u64>,
    pub(crate) in_flight: u16,
    /// In-flight instructions that access memory.
    pub accesses: u16,
    pub(crate) loads: u16,
    /// The barrier instruction that it waits at, or waited at last.
    pub barrier_pc: Pc,
}

/// A resident block: storage for threads, and the logical blocks that they execute.
#[derive(Clone, Debug, Hash)]
pub struct Block {
    /// Its first static warp.
    pub first_warp: u16,
    /// How many it has.
    pub warps: u16,
    /// The registers of its threads.
    pub registers: Registers,
    pub(crate) shared: Shared,
    pub(crate) local: Local,
    /// The first logical block that it was given, which names it.
    pub index: u64,
    /// The logical block that its warps work on.
    pub current: Logical,
    /// The logical block after the current one, if a warp has gone on to it while others are behind (VTW).
    pub next: Option<Logical>,
    /// No logical block is left for it (VTW).
    pub over: bool,
    /// Warps that have exited for good; the others go on to the next logical block (VTW).
    pub left: u32,
}

impl Block {
    /// Returns the logical block of an iteration that some of its warps are in.
    #[inline]
    pub fn of(&self, iteration: u32) -> &Logical {
        self.next.as_ref().filter(|next| next.iteration == iteration).unwrap_or(&self.current)
    }

    #[inline]
    pub(crate) fn of_mut(&mut self, iteration: u32) -> &mut Logical {
        match &mut self.next {
            Some(next) if next.iteration == iteration => next,
            _ => &mut self.current,
        }
    }
}

impl State {
    pub(crate) fn new(config: &Config, global: Global, plane_words: usize, max_warps: u32, entries: u32) -> State {
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
            came: None,
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
        let threads = if config.divergence.waits_by_thread() { (max_warps * config.warp_width) as usize } else { 0 };
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
            sets: Sets { words: 1, ..Sets::default() },
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
            patience: Patience::new(config.schedule_patience),
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
