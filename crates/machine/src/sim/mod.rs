//! The machine: a cycle-level simulation of SIMT cores.
//!
//! One step is one cycle. Stages run from the back of the pipeline to its front, so that what a stage frees is available to
//! the stage before it in the next cycle and not in the same one:
//!
//! ```text
//! completions ─► issue (schedule, execute) ─► control-flow unit ─► account ─► fetch ─► block ends ─► dispatch
//! ```
//!
//! An instruction changes registers and memory when it issues; everything else only decides the timing. The result of a kernel
//! without races therefore never depends on timing.
//!
//! [`Sim::step`] simulates one cycle. [`Sim::run`] does the same, but skips cycles in which nothing can happen and books them
//! to the same reasons.
//!
//! Code that is rare or belongs to one technique is never inlined into the loop: a browser that has just loaded the page
//! compiles the loop while it already runs, and compiles a smaller loop sooner.

pub(crate) mod cache;
pub mod choice;
pub(crate) mod collect;
mod core;
mod deadlock;
pub mod decode;
mod dispatch;
mod effect;
mod execute;
mod facts;
mod fetch;
pub mod footprint;
mod gang;
mod gang_fetch;
mod gather;
pub mod hold;
mod holders;
mod hooks;
mod issue;
mod iterate;
mod iterate_whole;
pub mod logical;
pub mod memory;
pub mod order;
pub mod pipeline;
pub mod power;
mod slices;
mod spinning;
pub mod state;
mod table;
pub mod wheel;

use crate::config::{Config, ConfigError};
use crate::event::{DynSink, Listener, NullSink, Sink};
use core::Core;
use decode::Decoded;
use footprint::{BUDGET, Footprint, OverBudget, memory_bytes};
use state::State;
use std::rc::Rc;
use thiserror::Error;
use warpscope_kernel::interp::alu::Exec;
use warpscope_kernel::interp::job::Job;
use warpscope_kernel::interp::lanes::{Lanes, Registers};
use warpscope_kernel::interp::shape::{BlockView, GridShape};
use warpscope_kernel::interp::start::{Start, StartError};
use warpscope_kernel::interp::trap::{Fault, Trap};
use warpscope_kernel::program::uniform::uniform_branches;
use warpscope_kernel::program::{Pc, Program};

/// The part of a machine that does not change while it runs.
#[derive(Debug)]
pub struct Machine {
    /// The kernel, through the passes of this machine.
    pub program: Program,
    /// Every key.
    pub config: Config,
    /// The launch, laid out in memory.
    pub start: Start,
    /// By PC, what the machine knows of each instruction.
    pub decoded: Vec<Decoded>,
    /// Static warps of an SM, and words of a set of them.
    pub max_warps: u32,
    /// See `max_warps`.
    pub static_words: usize,
    /// Entries of the warp table.
    pub entries: u32,
    /// Whether warps are re-formed at run time.
    pub reforms: bool,
    /// Whether threads can wait one by one, so that others of their warp go on.
    pub waits_by_thread: bool,
    /// Warps of a block.
    pub block_warps: u32,
    /// Cycles that an instruction of a warp takes to pass through the lanes of its slice.
    pub passes: u32,
    /// By PC, branches that make no warp of their block wait under TBC; empty for techniques that do not ask.
    pub uniform: Vec<bool>,
    /// By PC, the reconvergence points at which warps of an original gang may wait for each other.
    pub meeting_points: Vec<bool>,
}

impl Machine {
    /// Threads for which a block reserves room.
    pub fn block_threads(&self) -> u32 {
        (self.block_warps * self.config.warp_width).next_multiple_of(self.config.row_threads())
    }

    /// Returns a block as its threads see it.
    fn view(&self, ctaid: [u32; 3], sm: u16, clock: u64) -> BlockView<'_> {
        BlockView { shape: &self.start.shape, ctaid, sm: sm.into(), clock }
    }

    /// Prepares the instruction at `pc` for execution on the lanes of `active`.
    fn exec<'a>(
        &'a self,
        pc: Pc,
        block: BlockView<'a>,
        registers: &'a mut Registers,
        lanes: &'a Lanes<32>,
        active: u32,
    ) -> Exec<'a, 32> {
        let instruction = &self.program.instructions[pc as usize];
        Exec { instruction, lanes, active, registers, block, carry: self.program.planes - 1 }
    }
}

/// A machine and its state. A copy is a snapshot.
#[derive(Clone, Debug)]
pub struct Sim {
    /// The part that does not change; copies share it.
    pub machine: Rc<Machine>,
    /// The part that does.
    pub state: State,
}

/// Why a machine cannot be built.
#[derive(Debug, Error)]
pub enum SimError {
    /// The keys allow no machine, or none that holds a block.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The launch does not go with the program.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The run would take too much of the host's memory.
    #[error(transparent)]
    Memory(#[from] OverBudget),
}

impl Sim {
    /// Builds the machine for a job, before its first cycle: checks that they go together, and takes the program through the
    /// passes of this machine.
    pub fn of(job: &Job, config: Config) -> Result<Sim, SimError> {
        let Job { launch, before, .. } = job;
        let (program, _) = Sim::fit(job, &config)?;
        let start = Start::new(&program, launch, before, config.ptx_warp, config.sms)?;
        let max_warps = config.max_threads / config.row_threads() * config.slices;
        let entries = config.divergence.entries(max_warps, config.max_threads);
        let machine = Machine {
            decoded: program.instructions.iter().map(|i| Decoded::new(&program, i, &config)).collect(),
            max_warps,
            static_words: (max_warps as usize).div_ceil(64),
            entries,
            reforms: config.divergence.reforms(),
            waits_by_thread: config.divergence.waits_by_thread(),
            block_warps: start.shape.threads.div_ceil(config.warp_width),
            passes: (config.warp_width / (config.simd_width / config.slices).min(config.warp_width)).max(1),
            uniform: if config.skips_uniform() { uniform_branches(&program) } else { Vec::new() },
            meeting_points: meeting_points(&program),
            program,
            config,
            start,
        };
        let plane_words = (machine.program.planes as usize).div_ceil(64);
        let state = State::new(&machine.config, machine.start.global.clone(), plane_words, max_warps, entries);
        let mut sim = Sim { machine: Rc::new(machine), state };
        sim.dispatch_first();
        Ok(sim)
    }

    /// Checks that a machine can be built for a job, and returns the memory in bytes that its run takes.
    pub fn check(job: &Job, config: &Config) -> Result<u64, SimError> {
        Sim::fit(job, config).map(|(_, footprint)| footprint.bytes())
    }

    /// Checks that a job and a machine go together; returns the program after the passes of this machine.
    fn fit(job: &Job, config: &Config) -> Result<(Program, Footprint), SimError> {
        let Job { program, launch, .. } = job;
        config.validate()?;
        Start::check(program, launch)?;
        let program = program.clone().through(&config.passes(launch.grid, launch.block));
        let shape = GridShape::new(&program, launch, config.ptx_warp, config.sms);
        config.validate_launch(&program, &shape)?;
        let footprint = Footprint::of(config, &program, &shape, memory_bytes(&program, launch));
        footprint.check(config, BUDGET, 1)?;
        Ok((program, footprint))
    }

    /// Dispatches blocks before the first cycle; their events belong to it.
    fn dispatch_first(&mut self) {
        let mut sink = NullSink;
        let State { sms, uncore, .. } = &mut self.state;
        for (sm, state) in sms.iter_mut().enumerate() {
            let mut core = Core { machine: &self.machine, name: sm as u16, sm: state, uncore, cycle: 0, sink: &mut sink };
            core.dispatch();
        }
    }

    /// Whether all blocks have ended, or the kernel has trapped.
    pub fn finished(&self) -> bool {
        let uncore = &self.state.uncore;
        let all = uncore.blocks_done == self.machine.start.shape.blocks();
        uncore.trap.is_some() || all && !hooks::outlive_the_launch(&self.machine, &self.state.sms)
    }

    /// Returns why the run ended early, if it did.
    pub fn trap(&self) -> Option<&Trap> {
        self.state.uncore.trap.as_ref()
    }

    /// Simulates one cycle; does nothing once the run has finished.
    pub fn step<S: Sink>(&mut self, sink: &mut S) {
        if S::LISTENS { self.step_told(sink) } else { self.step_silently() }
    }

    /// Runs until the kernel finishes or `cycles` are simulated, skipping cycles in which nothing can happen.
    pub fn run<S: Sink>(&mut self, cycles: u64, sink: &mut S) {
        if S::LISTENS { self.run_told(cycles, sink) } else { self.run_silently(cycles) }
    }

    /// Steps as [`Sim::step`] does, with code compiled for this kind of listener: faster, but another copy of the machine.
    pub fn step_specialised<S: Sink>(&mut self, sink: &mut S) {
        if !self.finished() {
            self.cycle(1, u64::MAX, sink);
        }
    }

    /// Runs as [`Sim::run`] does, with code compiled for this kind of listener.
    pub fn run_specialised<S: Sink>(&mut self, cycles: u64, sink: &mut S) {
        let end = self.state.cycle.saturating_add(cycles);
        while !self.finished() && self.state.cycle < end {
            self.cycle(u64::MAX, end, sink);
        }
    }

    // Not generic, so that users of this crate do not compile the machine again.

    #[inline(never)]
    fn step_told(&mut self, listener: &mut dyn Listener) {
        self.step_specialised(&mut DynSink::new(listener));
    }

    #[inline(never)]
    fn run_told(&mut self, cycles: u64, listener: &mut dyn Listener) {
        self.run_specialised(cycles, &mut DynSink::new(listener));
    }

    #[inline(never)]
    fn step_silently(&mut self) {
        self.step_specialised(&mut NullSink);
    }

    #[inline(never)]
    fn run_silently(&mut self, cycles: u64) {
        self.run_specialised(cycles, &mut NullSink);
    }

    /// Simulates one cycle, and up to `most` while nothing happens, but none from `end` on.
    #[inline]
    fn cycle<S: Sink>(&mut self, most: u64, end: u64, sink: &mut S) {
        let State { cycle, sms, uncore } = &mut self.state;
        let machine = &*self.machine;
        let now = *cycle;
        if now == 0 && S::LISTENS {
            core::announce_blocks(machine, sms, sink);
        }
        let mut busy = core::complete(machine, sms, uncore, now, sink);
        for (name, sm) in sms.iter_mut().enumerate() {
            let mut core = Core { machine, name: name as u16, sm, uncore, cycle: now, sink };
            core.before_issue();
            busy |= core.issue();
            busy |= core.after_issue();
        }
        // Cycles are booked once it is known for how long nothing changes.
        for (name, sm) in sms.iter_mut().enumerate() {
            let core = Core { machine, name: name as u16, sm, uncore, cycle: now, sink };
            busy = busy || core.will_fetch() || core.will_dispatch() || core.will_change();
        }
        let mut repeat = 1;
        if !busy {
            let free = sms.iter().filter_map(|sm| core::next_free(sm, now));
            match free.chain(uncore.wheel.next_after(now)).min() {
                Some(next) => {
                    let next = sms.iter().filter_map(|sm| power::next_transition(sm, now)).fold(next, u64::min);
                    repeat = (next - now).min(most).min(end - now);
                }
                None => uncore.trap = Some(deadlock::deadlock(machine, sms)),
            }
        }
        for (name, sm) in sms.iter_mut().enumerate() {
            let mut core = Core { machine, name: name as u16, sm, uncore, cycle: now, sink };
            core.account(repeat);
            core.after_account(repeat);
            core.fetch();
            core.end_blocks();
            core.dispatch();
        }
        *cycle = now + repeat;
    }
}

/// Marks the instructions at which the sides of a branch that can diverge reconverge.
fn meeting_points(program: &Program) -> Vec<bool> {
    let mut points = vec![false; program.instructions.len()];
    for pc in 0..program.instructions.len() as Pc {
        if let Some(point) = program.reconvergence.at(pc).and_then(|meeting| points.get_mut(meeting.rpc? as usize)) {
            *point = true;
        }
    }
    points
}

/// Returns the trap of a run that did not end in time, at the loop in which it spins or at a warp that still runs.
pub fn too_long(sim: &Sim, cycles: u64) -> Trap {
    let program = &sim.machine.program;
    let running = sim
        .state
        .sms
        .iter()
        .flat_map(|sm| sm.sets.resident.iter(sm.sets.words).map(move |w| (sm, w)))
        .find(|(sm, w)| !sm.sets.exited.contains(*w));
    let mut trap = Trap::new(&Fault::TooLong(cycles));
    if let Some((pc, finding)) = spinning::spinning(sim) {
        trap.message = format!("{}; {finding}", trap.message);
        return trap.at(program, pc);
    }
    match running {
        Some((sm, warp)) => trap.at(program, sm.warps[warp as usize].place.pc),
        None => trap,
    }
}
