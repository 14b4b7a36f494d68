//! The scalar reference: runs blocks one after another and, between barriers, the threads of a block one by one.
//!
//! The memory that it leaves is compared with that of every machine. It models no time, no caches and no warps but the PTX
//! warps of shuffles and votes. A thread runs until it exits, reaches a barrier, or reaches an operation that its PTX warp must
//! join. After a long turn without any of these, other threads run, so that threads that wait for each other through memory
//! make progress.
//!
//! `activemask` returns the threads that run together, which a scalar machine cannot know. A thread that executes it waits
//! until no other thread of its warp can make progress. The threads that wait at the same PC then count as together, as on a
//! machine that reconverges as early as it can.
//!
//! [`Order::LockStep`] instead runs a PTX warp one instruction at a time, with all threads at the lowest PC together. Code that
//! relies on lock-step without saying so expects this order. On a race-free kernel both orders leave the same memory.

use super::access::{Traffic, active};
use super::alu::Exec;
use super::barrier::{Barriers, Release, ThreadSet};
use super::host_call;
use super::lanes::{Lanes, Registers};
use super::memory::{Global, Local, Shared, Spaces};
use super::shape::{BlockView, GridShape};
use super::start::Start;
use super::thread::StorageThread;
use super::trap::{Fault, Trap};
use super::warp::{Parts, add_lanes};
use crate::program::{Pc, Program};
use crate::ptx::op::{Kind, Op};

/// Instructions that a thread runs before the other threads of its warp get a turn.
const TURN: u32 = 20_000;

/// The result of a run.
#[derive(Debug)]
pub struct ReferenceRun {
    /// Global memory as the run left it.
    pub global: Global,
    /// Instructions executed, each counted once for every thread that executed it.
    pub thread_instructions: u64,
    /// Text that the kernel printed.
    pub output: Vec<u8>,
    /// Why the run stopped early, if it did.
    pub trap: Option<Trap>,
}

/// The order in which the threads of a PTX warp run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// One thread after another, each until it waits for others.
    Threads,
    /// One instruction at a time, all threads at the lowest PC together.
    LockStep,
}

/// A listener for the events of a reference run.
pub trait Observer {
    /// A block begins.
    fn block(&mut self, _block: u64, _threads: u32) {}
    /// A thread of the block has accessed memory.
    fn access(&mut self, _thread: u32, _pc: Pc, _traffic: &Traffic<1>) {}
    /// A barrier has released threads.
    fn released(&mut self, _threads: &ThreadSet) {}
    /// Threads of the PTX warp that begins at `first` have executed an operation together.
    fn joined(&mut self, _first: u32, _mask: u32) {}
}

/// A listener that ignores all events.
impl Observer for () {}

/// Runs the whole grid, or up to `most` thread instructions.
pub fn run(program: &Program, start: &Start, most: u64) -> ReferenceRun {
    observe(program, start, most, Order::Threads, &mut ())
}

/// Runs the whole grid in the given order and reports events to `observer`.
pub fn observe(program: &Program, start: &Start, most: u64, order: Order, observer: &mut impl Observer) -> ReferenceRun {
    let mut run = Run::new(program, start, most, order, observer);
    let mut trap = None;
    for block in 0..start.shape.blocks() {
        if let Err(fault) = run.block(block) {
            trap = Some(*fault);
            break;
        }
    }
    ReferenceRun { global: run.global, thread_instructions: run.executed, output: run.output, trap }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Ready,
    /// Waits at the barrier of this number.
    Barrier(u32),
    /// Waits at an operation that its PTX warp must join, with this member mask.
    Join(u32),
    /// Waits at an `activemask`.
    Ask,
    Done,
}

struct Run<'a, O> {
    observer: &'a mut O,
    order: Order,
    program: &'a Program,
    shape: &'a GridShape,
    params: &'a [u8],
    global: Global,
    shared: Shared,
    local: Local,
    registers: Registers,
    barriers: Barriers,
    pcs: Vec<Pc>,
    status: Vec<Status>,
    ctaid: [u32; 3],
    executed: u64,
    most: u64,
    output: Vec<u8>,
}

impl<'a, O: Observer> Run<'a, O> {
    fn new(program: &'a Program, start: &'a Start, most: u64, order: Order, observer: &'a mut O) -> Run<'a, O> {
        let threads = start.shape.threads;
        Run {
            observer,
            order,
            program,
            shape: &start.shape,
            params: &start.params,
            global: start.global.clone(),
            shared: Shared::new(start.shape.shared_bytes),
            local: Local::new(program.local_bytes, threads),
            registers: Registers::new(program.planes, threads),
            barriers: Barriers::new(threads, start.shape.ptx_warp),
            pcs: vec![0; threads as usize],
            status: vec![Status::Ready; threads as usize],
            ctaid: [0; 3],
            executed: 0,
            most,
            output: Vec::new(),
        }
    }

    fn block(&mut self, block: u64) -> Result<(), Box<Trap>> {
        let threads = self.shape.threads;
        self.ctaid = self.shape.ctaid(block);
        self.shared.clear();
        self.local.clear();
        self.registers.clear();
        self.registers.set_params(&self.program.param_registers, self.params);
        self.barriers = Barriers::new(threads, self.shape.ptx_warp);
        self.observer.block(block, threads);
        self.pcs.fill(0);
        self.status.fill(Status::Ready);
        loop {
            let mut progress = false;
            for first in (0..threads).step_by(self.shape.ptx_warp as usize) {
                progress |= self.warp(first, (first + self.shape.ptx_warp).min(threads))?;
            }
            if self.status.iter().all(|s| *s == Status::Done) {
                return Ok(());
            }
            if !progress {
                return Err(Box::new(Trap::new(&self.deadlock()).at(self.program, self.first_waiting_pc())));
            }
        }
    }

    /// Runs the threads of one PTX warp until all of them wait, exit or have had a turn; returns whether any made progress.
    fn warp(&mut self, first: u32, end: u32) -> Result<bool, Box<Trap>> {
        let mut progress = false;
        for turn in 0.. {
            let mut moved = false;
            let together = self.together_at(first, end, turn);
            for thread in first..end {
                let goes = together.is_none_or(|pc| self.pcs[thread as usize] == pc);
                if goes && self.status[thread as usize] == Status::Ready {
                    self.thread(thread, if together.is_some() { 1 } else { TURN })?;
                    moved = true;
                }
            }
            let joined = self.join(first, end);
            // `activemask` is answered only when no other thread of the warp makes progress.
            if !joined && !moved {
                progress |= self.answer(first, end);
                return Ok(progress);
            }
            progress = true;
            let had_its_turn = self.order == Order::Threads || turn >= 2 * TURN;
            if had_its_turn && !joined && (first..end).any(|t| self.status[t as usize] == Status::Ready) {
                return Ok(true);
            }
        }
        Ok(progress)
    }

    /// Returns the PC whose threads run next in lock-step, `None` in [`Order::Threads`].
    /// It is the lowest PC or, after a long turn, the highest, because other threads may wait for the threads there.
    fn together_at(&self, first: u32, end: u32, turn: u32) -> Option<Pc> {
        if self.order == Order::Threads {
            return None;
        }
        let ready = (first..end).filter(|&t| self.status[t as usize] == Status::Ready).map(|t| self.pcs[t as usize]);
        if turn < TURN { ready.min() } else { ready.max() }
    }

    /// Runs one thread until it must wait, exits, or has executed `turn` instructions.
    fn thread(&mut self, thread: u32, turn: u32) -> Result<(), Box<Trap>> {
        let program = self.program;
        let place = StorageThread(thread);
        let lanes = Lanes::one(place);
        let block = BlockView { shape: self.shape, ctaid: self.ctaid, sm: 0, clock: self.executed };
        let mut pc = self.pcs[thread as usize];
        let trap =
            |fault: &Fault, pc: Pc| Box::new(Trap::new(fault).at(program, pc).thread(block.ctaid, block.shape.tid(place.own())));
        for _ in 0..turn {
            let Some(instruction) = program.instructions.get(pc as usize) else {
                self.status[thread as usize] = Status::Done;
                break;
            };
            if self.executed >= self.most {
                return Err(trap(&Fault::TooLong(self.most), pc));
            }
            self.executed += 1;
            if let Some(guard) = instruction.guard
                && (self.registers.word(guard.plane, place) != 0) == guard.negated
            {
                pc += 1;
                continue;
            }
            let mut exec = Exec {
                instruction,
                lanes: &lanes,
                active: 1,
                registers: &mut self.registers,
                block: BlockView { clock: self.executed, ..block },
                carry: program.planes - 1,
            };
            match instruction.op {
                Op::Bra { .. } => {
                    pc = instruction.target;
                    continue;
                }
                Op::BrxIdx => {
                    let index = exec.get::<u32>(0)[0];
                    let table = &program.tables[instruction.target as usize];
                    let target = table.get(index as usize);
                    pc = *target.ok_or_else(|| trap(&Fault::BranchTable { index, len: table.len() }, pc))?;
                    continue;
                }
                Op::Load(_) | Op::Store(_) | Op::Atom { .. } => {
                    let mut spaces = Spaces {
                        global: &mut self.global,
                        shared: &mut self.shared,
                        local: &mut self.local,
                        constants: &program.constants,
                        params: self.params,
                    };
                    match exec.memory(&mut spaces) {
                        Ok(traffic) => self.observer.access(thread, pc, &traffic),
                        Err((_, fault)) => return Err(Box::new(trap(&fault, pc).near(&fault, &self.global))),
                    }
                }
                Op::Exit | Op::Ret => {
                    self.status[thread as usize] = Status::Done;
                    for release in self.barriers.exit(place.own()) {
                        self.release(&release);
                    }
                    break;
                }
                Op::Trap => return Err(trap(&Fault::Trap, pc)),
                Op::AssertFail => {
                    return Err(trap(&host_call::assertion(&mut self.spaces(), instruction, place), pc));
                }
                Op::Printf => {
                    let mut output = std::mem::take(&mut self.output);
                    let result = host_call::print(&mut self.spaces(), instruction, place, &mut output);
                    self.output = output;
                    result.map_err(|fault| trap(&fault, pc))?;
                }
                Op::ActiveMask => {
                    self.status[thread as usize] = Status::Ask;
                    break;
                }
                op if op.joins_warp() => {
                    let members = exec.get::<u32>(instruction.src.len() - 1)[0];
                    let lane = thread % self.shape.ptx_warp;
                    if members >> lane & 1 == 0 {
                        return Err(trap(&Fault::NotAMember { members, lane }, pc));
                    }
                    self.status[thread as usize] = Status::Join(members);
                    break;
                }
                op if op.is_barrier() => {
                    let arrival = exec.arrival(0);
                    self.status[thread as usize] = if arrival.waits { Status::Barrier(arrival.id) } else { Status::Ready };
                    let release = self.barriers.arrive(place.own(), arrival).map_err(|fault| trap(&fault, pc))?;
                    pc += 1;
                    self.pcs[thread as usize] = pc;
                    if let Some(release) = release {
                        self.release(&release);
                    }
                    if arrival.waits {
                        break;
                    }
                    continue;
                }
                op => match op.kind() {
                    Kind::Alu | Kind::Quiet | Kind::Converge => {
                        exec.alu();
                    }
                    // Only machines put a kernel into a loop over logical blocks; the reference runs blocks one by one.
                    Kind::Again | Kind::Dispatch => return Err(trap(&Fault::Trap, pc)),
                    Kind::Call | Kind::Memory | Kind::Host | Kind::Branch | Kind::End | Kind::Trap => {}
                    Kind::Barrier | Kind::Join | Kind::ActiveMask => {}
                },
            }
            pc += 1;
        }
        self.pcs[thread as usize] = pc;
        Ok(())
    }

    /// Releases the threads of a completed barrier; their PCs are already past it.
    fn release(&mut self, release: &Release) {
        self.observer.released(&release.threads);
        for thread in release.threads.iter() {
            self.status[thread as usize] = Status::Ready;
            let instruction = &self.program.instructions[self.pcs[thread as usize] as usize - 1];
            if let Op::BarrierReduce(reduce) = instruction.op
                && let Some(&crate::program::Dst::Register { plane, .. }) = instruction.dst.first()
            {
                self.registers.set_word(plane, StorageThread(thread), release.result(reduce));
            }
        }
    }

    /// Executes the joined operations of a PTX warp whose members have all arrived; returns whether there was one.
    fn join(&mut self, first: u32, end: u32) -> bool {
        let mut joined = false;
        for thread in first..end {
            let Status::Join(members) = self.status[thread as usize] else { continue };
            let op = |t: u32| self.program.instructions[self.pcs[t as usize] as usize].op;
            let mut together = 0u32;
            let complete = (first..end).filter(|t| members >> (t - first) & 1 != 0).all(|t| match self.status[t as usize] {
                Status::Done => true,
                Status::Join(theirs) => {
                    together |= 1 << (t - first);
                    theirs == members && op(t) == op(thread)
                }
                _ => false,
            });
            if complete {
                self.together(first, end, together);
                joined = true;
            }
        }
        joined
    }

    /// Answers the `activemask` of the threads that wait at the lowest PC; returns whether there were any.
    fn answer(&mut self, first: u32, end: u32) -> bool {
        let asking = |run: &Self, t: u32| run.status[t as usize] == Status::Ask;
        let Some(pc) = (first..end).filter(|&t| asking(self, t)).map(|t| self.pcs[t as usize]).min() else { return false };
        let mask =
            (first..end).filter(|&t| asking(self, t) && self.pcs[t as usize] == pc).fold(0, |mask, t| mask | 1 << (t - first));
        self.together(first, end, mask);
        true
    }

    /// Executes one operation for several threads of a PTX warp, each at its own PC, and makes them ready.
    fn together(&mut self, first: u32, end: u32, mask: u32) {
        let lanes = Lanes::<32>::warp(StorageThread(first), end - first);
        let mut parts = Parts::new();
        for lane in active(mask) {
            add_lanes(&mut parts, self.pcs[first as usize + lane], 1 << lane);
        }
        let code = &self.program.instructions;
        let parts: Vec<_> = parts.into_iter().map(|(pc, lanes)| (&code[pc as usize], lanes)).collect();
        let Some(&(instruction, _)) = parts.first() else { return };
        let mut exec = Exec {
            instruction,
            lanes: &lanes,
            active: mask,
            registers: &mut self.registers,
            block: BlockView { shape: self.shape, ctaid: self.ctaid, sm: 0, clock: self.executed },
            carry: self.program.planes - 1,
        };
        exec.warp_at(&parts);
        self.observer.joined(first, mask);
        for thread in (first..end).filter(|t| mask >> (t - first) & 1 != 0) {
            self.status[thread as usize] = Status::Ready;
            self.pcs[thread as usize] += 1;
        }
    }

    fn spaces(&mut self) -> Spaces<'_> {
        Spaces {
            global: &mut self.global,
            shared: &mut self.shared,
            local: &mut self.local,
            constants: &self.program.constants,
            params: self.params,
        }
    }

    // ---- When nothing moves ----

    fn first_waiting_pc(&self) -> Pc {
        let waiting = self.status.iter().position(|s| !matches!(s, Status::Done | Status::Ready)).unwrap_or(0);
        let behind = matches!(self.status[waiting], Status::Barrier(_)) as Pc;
        self.pcs[waiting].saturating_sub(behind)
    }

    /// Describes why no thread of the block can make progress.
    fn deadlock(&self) -> Fault {
        let mut parts = Vec::new();
        for (id, waiting, missing) in self.barriers.waiting() {
            parts.push(format!(
                "barrier {id} can never complete: threads {} wait at it, {missing} more would have to arrive",
                waiting.ranges()
            ));
        }
        let set = |wanted: &dyn Fn(&Status) -> bool| {
            let mut threads = ThreadSet::default();
            for (thread, _) in self.status.iter().enumerate().filter(|(_, s)| wanted(s)) {
                threads.insert(thread as u32);
            }
            threads
        };
        let joining = set(&|s| matches!(s, Status::Join(_)));
        if !joining.is_empty() {
            parts.push(format!("threads {} wait in a warp operation for members that never arrive", joining.ranges()));
        }
        let done = set(&|s| *s == Status::Done);
        if !done.is_empty() {
            parts.push(format!("threads {} have exited", done.ranges()));
        }
        Fault::Deadlock(parts.join("; "))
    }
}
