//! The machine: a cycle-level SIMT core that steps.
//!
//! One step is one cycle, from the back of the pipe to its front, so that what a stage frees is there for the stage before
//! it in the next cycle and not in the same one:
//!
//! ```text
//! completions ─► issue (schedule, execute) ─► control-flow unit ─► account ─► fetch ─► block ends ─► dispatch
//! ```
//!
//! What an instruction does to registers and memory happens when it issues; everything else only decides when. On a kernel
//! without races the result therefore never depends on timing.
//!
//! [`Sim::step`] simulates one cycle. [`Sim::run`] does the same, but where nothing can happen before a known cycle it
//! jumps there and books the cycles between to the same reasons.
//!
//! What is rare or belongs to one technique is never inlined into the loop: a browser that has just loaded the page compiles
//! the loop while it already runs, and the less there is in it the sooner it is done.

pub mod cache;
pub mod collect;
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
use crate::event::{Anybody, Listener, Silence, Sink};
use crate::interp::alu::Exec;
use crate::interp::job::Job;
use crate::interp::lanes::{Lanes, Registers};
use crate::interp::shape::{BlockView, Shape};
use crate::interp::start::{Start, StartError};
use crate::interp::trap::{Fault, Trap};
use crate::launch::{BufferData, Launch};
use crate::program::uniform::uniform_branches;
use crate::program::{Pc, Program};
use core::Core;
use decode::Decoded;
use footprint::{BUDGET, Footprint, OverBudget, memory_bytes};
use state::State;
use std::rc::Rc;
use thiserror::Error;

/// What stays the same while a machine runs.
#[derive(Debug)]
pub struct Machine {
    pub program: Program,
    pub config: Config,
    pub start: Start,
    pub decoded: Vec<Decoded>,
    /// Static warps of an SM, and words of a set of them.
    pub max_warps: u32,
    pub static_words: usize,
    /// Entries of the warp table, and words of a set of them.
    pub entries: u32,
    pub words: usize,
    /// Warps are taken apart and put together at run time.
    pub reforms: bool,
    /// Warps of a block.
    pub block_warps: u32,
    /// Cycles that a warp's instruction takes to go through the lanes of its slice.
    pub passes: u32,
    /// Branches that make no warp of their block wait under TBC, by PC; none where nobody asks.
    pub uniform: Vec<bool>,
    /// Where, if warps of an original gang wait for each other at such points, branches meet: by PC.
    pub meeting_points: Vec<bool>,
}

impl Machine {
    /// Threads that a block takes room for.
    pub fn block_threads(&self) -> u32 {
        (self.block_warps * self.config.warp_width).next_multiple_of(self.config.row_threads())
    }

    /// A block as its threads see it.
    fn view(&self, ctaid: [u32; 3], sm: u16, clock: u64) -> BlockView<'_> {
        BlockView { shape: &self.start.shape, ctaid, sm: sm.into(), clock }
    }

    /// The instruction at `pc` on the lanes of `active`.
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
    pub machine: Rc<Machine>,
    pub state: State,
}

/// Why a machine cannot be built.
#[derive(Debug, Error)]
pub enum SimError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Memory(#[from] OverBudget),
}

impl Sim {
    /// A job on a machine, before its first cycle.
    pub fn of(job: &Job, config: Config) -> Result<Sim, SimError> {
        Sim::new(job.program.clone(), config, &job.launch, &job.before)
    }

    /// Binds a program, a launch and a configuration, and checks that they go together.
    pub fn new(program: Program, config: Config, launch: &Launch, buffers: &[BufferData]) -> Result<Sim, SimError> {
        config.validate()?;
        Start::check(&program, launch)?;
        let program = program.through(&config.passes(launch.grid, launch.block));
        let shape = Shape::new(&program, launch, config.ptx_warp, config.sms);
        config.validate_launch(&program, &shape)?;
        Footprint::of(&config, &program, &shape, memory_bytes(&program, launch)).check(&config, BUDGET, 1)?;
        let start = Start::new(&program, launch, buffers, config.ptx_warp, config.sms)?;
        let max_warps = config.max_threads / config.row_threads() * config.slices;
        let entries = config.divergence.entries(max_warps, config.max_threads);
        let machine = Machine {
            decoded: program.instructions.iter().map(|i| Decoded::new(&program, i, &config)).collect(),
            max_warps,
            static_words: (max_warps as usize).div_ceil(64),
            entries,
            words: (entries as usize).div_ceil(64),
            reforms: config.divergence.reforms(),
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

    /// Blocks that fit are resident before the first cycle; their events belong to it.
    fn dispatch_first(&mut self) {
        let mut silence = Silence;
        let State { sms, uncore, .. } = &mut self.state;
        for (sm, state) in sms.iter_mut().enumerate() {
            let mut core = Core { machine: &self.machine, name: sm as u16, sm: state, uncore, cycle: 0, sink: &mut silence };
            core.dispatch();
        }
    }

    /// All blocks have ended, or the kernel has trapped.
    pub fn finished(&self) -> bool {
        let uncore = &self.state.uncore;
        let all = uncore.blocks_done == self.machine.start.shape.blocks();
        uncore.trap.is_some() || all && !hooks::outlive_the_launch(&self.machine, &self.state.sms)
    }

    pub fn trap(&self) -> Option<&Trap> {
        self.state.uncore.trap.as_ref()
    }

    /// Simulates one cycle; nothing once the run has finished.
    pub fn step<S: Sink>(&mut self, sink: &mut S) {
        if S::LISTENS { self.step_told(sink) } else { self.step_silently() }
    }

    /// Runs until it finishes or has simulated `cycles` of them, jumping where nothing can happen.
    pub fn run<S: Sink>(&mut self, cycles: u64, sink: &mut S) {
        if S::LISTENS { self.run_told(cycles, sink) } else { self.run_silently(cycles) }
    }

    /// As [`Sim::step`], with a machine whose code is made for this kind of listener: faster, and as much code again.
    pub fn step_specialised<S: Sink>(&mut self, sink: &mut S) {
        if !self.finished() {
            self.cycle(1, u64::MAX, sink);
        }
    }

    /// As [`Sim::run`], with a machine whose code is made for this kind of listener.
    pub fn run_specialised<S: Sink>(&mut self, cycles: u64, sink: &mut S) {
        let end = self.state.cycle.saturating_add(cycles);
        while !self.finished() && self.state.cycle < end {
            self.cycle(u64::MAX, end, sink);
        }
    }

    // Not generic, so that users of this crate do not compile the machine again.

    #[inline(never)]
    fn step_told(&mut self, listener: &mut dyn Listener) {
        self.step_specialised(&mut Anybody::new(listener));
    }

    #[inline(never)]
    fn run_told(&mut self, cycles: u64, listener: &mut dyn Listener) {
        self.run_specialised(cycles, &mut Anybody::new(listener));
    }

    #[inline(never)]
    fn step_silently(&mut self) {
        self.step_specialised(&mut Silence);
    }

    #[inline(never)]
    fn run_silently(&mut self, cycles: u64) {
        self.run_specialised(cycles, &mut Silence);
    }

    /// One cycle, and up to `most` in all while nothing happens, but not past `end`.
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
        // Accounts are settled when it is known how long nothing changes.
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

/// The instructions at which sides of a branch that can diverge meet again.
fn meeting_points(program: &Program) -> Vec<bool> {
    let mut points = vec![false; program.instructions.len()];
    for pc in 0..program.instructions.len() as Pc {
        if let Some(point) = program.reconvergence.at(pc).and_then(|meeting| points.get_mut(meeting.rpc? as usize)) {
            *point = true;
        }
    }
    points
}

/// The trap of a run that did not end in time, naming a warp that still runs.
pub fn too_long(sim: &Sim, cycles: u64) -> Trap {
    let program = &sim.machine.program;
    let running = sim
        .state
        .sms
        .iter()
        .flat_map(|sm| sm.sets.resident.iter(sim.machine.words).map(move |w| (sm, w)))
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
