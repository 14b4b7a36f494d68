//! What an issued instruction does: functionally at once, and in time through the scoreboard, units and memory.

use super::Machine;
use super::collect::Collectors;
use super::core::Core;
use super::core::takes_instructions;
use super::decode::Unit;
use super::memory::{Around, Requester};
use super::slices::{Access, RowEffect, RowLanes};
use super::state::Warp;
use super::wheel::{Completion, Done};
use crate::config::Scoreboard;
use crate::event::{Event, Sink};
use crate::interp::access::{Traffic, active};
use crate::interp::alu::Exec;
use crate::interp::host_call;
use crate::interp::lanes::Lanes;
use crate::interp::memory::Spaces;
use crate::interp::trap::{Fault, Trap};
use crate::policy::divergence::{Divergence, Flow, Meeting, Place, WarpName};
use crate::program::{Instruction, Pc, Program};
use crate::ptx::op::{Kind, Op};

/// What an instruction did, for the stages around it.
enum Effect {
    Next,
    /// Where the lanes of a branch go; the taken side comes first, and a side without lanes is not there.
    Branch {
        sides: [Place; 2],
        count: usize,
    },
    /// Where the lanes of an indexed branch go.
    Switch {
        groups: Vec<Place>,
    },
    Exit {
        mask: u32,
    },
    /// These lanes jump to the head of the loop over logical blocks.
    Again {
        mask: u32,
    },
    /// The warp goes on with the lanes of its new logical block.
    Begin,
    /// The warp stays where it is until its PTX warp has joined.
    Hold,
    /// These lanes wait outside of the warp table.
    Park {
        mask: u32,
    },
    /// A memory instruction that is timed together with others of its cycle.
    Later,
    /// A memory instruction: how long it holds its unit, and when its result is there.
    Memory {
        holds: u32,
        done: u64,
    },
}

impl<S: Sink> Core<'_, S> {
    /// Issues a warp's next instruction through a port; how many threads were active.
    pub fn issue_warp(&mut self, port: usize, warp: u32) -> u8 {
        let Place { pc, mask } = self.sm.warps[warp as usize].place;
        self.tell_issue(warp, pc, mask, true);
        let threads = mask.count_ones() as u8;
        match self.execute(warp, pc, mask) {
            Ok(effect) => self.leave_port(port, warp, pc, threads, effect),
            Err((lane, fault)) => self.trap(warp, pc, lane, &fault),
        }
        threads
    }

    /// A member of a gang issues what all of them do. Where the instruction is one that a row of lanes can execute at once,
    /// the member that leads does so for all.
    #[inline(never)]
    pub fn issue_member(&mut self, port: usize, warp: u32, gang: &RowLanes, leads: bool) -> u8 {
        let Place { pc, mask } = self.sm.warps[warp as usize].place;
        self.tell_issue(warp, pc, mask, leads);
        let effect = match gang.effect {
            RowEffect::Single => self.execute(warp, pc, mask),
            RowEffect::Plain if leads => self.perform(gang.warp, &gang.lanes, gang.slot, pc, gang.mask).map(|_| Effect::Next),
            RowEffect::Plain => Ok(Effect::Next),
            RowEffect::Memory if leads => self.perform(gang.warp, &gang.lanes, gang.slot, pc, gang.mask).map(|outcome| {
                if let Outcome::Memory { traffic, active } = outcome {
                    let warps = gang.members;
                    self.sm.scratch.accesses.push(Access { row: gang.row, warps, pc, traffic, active });
                }
                Effect::Later
            }),
            RowEffect::Memory => Ok(Effect::Later),
        };
        let threads = mask.count_ones() as u8;
        match effect {
            Ok(effect) => self.leave_port(port, warp, pc, threads, effect),
            // Lanes of the row are those of the member that they fall to.
            Err((lane, fault)) if !matches!(gang.effect, RowEffect::Single) => {
                let width = self.machine.config.warp_width as usize;
                let first = gang.row * self.machine.config.slices;
                self.trap(first + (lane / width) as u32, pc, lane % width, &fault);
            }
            Err((lane, fault)) => self.trap(warp, pc, lane, &fault),
        }
        threads
    }

    #[inline]
    fn tell_issue(&mut self, warp: u32, pc: Pc, mask: u32, leads: bool) {
        let machine = self.machine;
        let Warp { block, assignment, .. } = self.sm.warps[warp as usize];
        // Where warps re-form, the logical block is that of the entry's first thread.
        let index = self.sm.blocks[block as usize].as_ref().map_or(0, |b| b.of(assignment.iteration).index);
        if machine.config.ideal_fetch && leads {
            self.emit(Event::Fetched { sm: self.name, warp: warp as u16, pc, count: 1, hit: true });
        }
        let first_thread = self.first_thread(assignment);
        self.emit(Event::Issued { sm: self.name, warp: warp as u16, block: index, pc, mask, first_thread });
        self.sm.warps[warp as usize].progress += 1;
        self.has_issued(warp);
    }

    /// The instruction holds its port and its unit, and the warp goes on.
    #[inline(always)]
    fn leave_port(&mut self, port: usize, warp: u32, pc: Pc, threads: u8, effect: Effect) {
        let machine = self.machine;
        let decoded = &machine.decoded[pc as usize];
        let passes = machine.passes;
        let mut holds = passes * decoded.interval;
        let mut done = self.cycle + u64::from(machine.config.read_latency + decoded.latency + passes - 1);
        if let Effect::Memory { holds: unit, done: at } = effect {
            holds = unit.max(passes);
            done = at.max(self.cycle + u64::from(passes));
        }
        let state = &mut self.sm.ports[port];
        (state.free, state.holder_threads) = (self.cycle + u64::from(passes), threads);
        if matches!(effect, Effect::Later) {
            return;
        }
        let collected = if self.sm.collectors.is_some() && Collectors::serve(decoded.unit) {
            Some(self.collect(decoded.latency + passes - 1, holds))
        } else {
            None
        };
        if decoded.unit == Unit::Control {
            done = self.cycle + u64::from(passes);
        } else if let Some(waits) = collected {
            done += waits;
        } else if let Some(chosen) = self.sm.chosen.take() {
            done += u64::from(self.take_lanes(chosen, warp, pc));
        } else {
            self.take_unit(decoded.unit, port, holds);
        }
        if matches!(effect, Effect::Hold) {
            return;
        }
        self.track(warp, pc, done, matches!(effect, Effect::Memory { .. }));
        self.go_on(warp, pc, effect);
    }

    /// An instruction goes through the operand collectors; how long it waits there.
    #[inline(never)]
    fn collect(&mut self, latency: u32, holds: u32) -> u64 {
        let Some(collectors) = &mut self.sm.collectors else { return 0 };
        let waits = collectors.enter(self.cycle, latency, holds);
        let free = collectors.free();
        for unit in [Unit::Int, Unit::Fp] {
            self.sm.units[unit as usize].iter_mut().for_each(|pipeline| pipeline.free = free);
        }
        waits
    }

    /// A unit of the port's slice takes nothing else for so many cycles.
    #[inline(always)]
    fn take_unit(&mut self, unit: Unit, port: usize, holds: u32) {
        if self.machine.config.one_pipeline {
            let free = self.cycle + u64::from(holds);
            self.sm.units.iter_mut().flatten().for_each(|pipeline| pipeline.free = free);
            return;
        }
        let slices = self.machine.config.slices as usize;
        let units = &mut self.sm.units[unit as usize];
        let each = if unit == Unit::LdSt { units.len() } else { units.len() / slices };
        let from = if unit == Unit::LdSt { 0 } else { port % slices * each };
        if let Some(taken) = units[from..from + each].iter_mut().find(|pipeline| pipeline.free <= self.cycle) {
            taken.free = self.cycle + u64::from(holds);
        }
    }

    /// A memory instruction of a slice has been timed.
    pub fn finish_memory(&mut self, warp: u32, pc: Pc, done: u64) {
        self.track(warp, pc, done, true);
        self.go_on(warp, pc, Effect::Next);
    }

    /// A warp that was held moves behind the instruction at which it waited.
    pub fn go_on_held(&mut self, warp: u32) {
        let pc = self.sm.warps[warp as usize].place.pc;
        let decoded = &self.machine.decoded[pc as usize];
        self.track(warp, pc, self.cycle + u64::from(self.machine.config.read_latency + decoded.latency), false);
        self.go_on(warp, pc, Effect::Next);
    }

    /// The scoreboard learns what is in flight.
    fn track(&mut self, warp: u32, pc: Pc, done: u64, memory: bool) {
        let decoded = &self.machine.decoded[pc as usize];
        let simple = self.machine.config.scoreboard == Scoreboard::Simple;
        if decoded.writes.is_empty() && !simple || done <= self.cycle + 1 && simple && decoded.writes.is_empty() {
            return;
        }
        let state = &mut self.sm.warps[warp as usize];
        for &(word, bits) in &decoded.writes {
            state.pending[word as usize] |= bits;
            if decoded.memory {
                state.from_memory[word as usize] |= bits;
            }
        }
        let load = memory && !decoded.writes.is_empty();
        state.in_flight += 1;
        state.accesses += u16::from(decoded.memory);
        if load {
            state.loads += 1;
            self.sm.sets.loading.insert(warp);
        }
        let completion = Completion { sm: self.name, warp: warp as u16, life: state.life, done: Done::Write { pc, load } };
        self.uncore.wheel.insert(done.max(self.cycle + 1), completion);
    }

    /// Moves the warp to where it goes next.
    fn go_on(&mut self, warp: u32, pc: Pc, effect: Effect) {
        let name = WarpName { sm: self.name, warp: warp as u16 };
        let (machine, cycle) = (self.machine, self.cycle);
        let flow = match &effect {
            Effect::Branch { sides, count } => branch(machine, pc, &sides[..*count]),
            Effect::Switch { groups } => branch(machine, pc, groups),
            Effect::Exit { mask } | Effect::Again { mask } => Flow::Exit { mask: *mask },
            Effect::Park { mask } => Flow::Park { mask: *mask },
            _ => Flow::Next,
        };
        let branched = matches!(effect, Effect::Branch { .. } | Effect::Switch { .. } | Effect::Again { .. });
        let Divergence::Pdom(pdom) = &mut self.sm.divergence else {
            let again = matches!(effect, Effect::Again { .. });
            return self.go_on_reforming(warp, pc, flow, branched, again);
        };
        if matches!(effect, Effect::Begin) {
            let place = Place { pc: pc + 1, mask: self.sm.warps[warp as usize].lanes.mask };
            self.sm.divergence.start(name, place);
            return self.move_to(warp, pc, place, false);
        }
        let sink = &mut *self.sink;
        let mut emit = |event| {
            if S::LISTENS {
                sink.event(cycle, event);
            }
        };
        let place = pdom.advance(name, flow, &mut emit);
        if let Effect::Exit { mask } = effect {
            self.exit_threads(warp, mask);
        }
        if let Effect::Again { mask } = effect {
            self.end_iteration(warp, mask);
            let again = Place { pc: self.head(), mask: self.sm.warps[warp as usize].lanes.mask };
            if place.is_none() {
                self.sm.divergence.start(name, again);
            }
            return self.move_to(warp, pc, place.unwrap_or(again), true);
        }
        let Some(place) = place else {
            self.sm.sets.exited.insert(warp);
            self.sm.sets.wants_fetch.remove(warp);
            let Warp { block, assignment, .. } = self.sm.warps[warp as usize];
            self.warp_ended(block, assignment.iteration);
            self.emit(Event::WarpExit { sm: self.name, warp: warp as u16 });
            self.moved(warp);
            return;
        };
        self.move_to(warp, pc, place, branched);
    }

    /// The warp's next instruction is at a place; it has to be fetched, and behind a branch the outcome must be known.
    #[inline]
    pub fn move_to(&mut self, warp: u32, pc: Pc, place: Place, branched: bool) {
        let machine = self.machine;
        let state = &mut self.sm.warps[warp as usize];
        (state.place, state.came) = (place, self.cycle);
        let jumped = place.pc != pc + 1;
        if !machine.config.ideal_fetch {
            if jumped {
                (state.filled, state.fetching) = (0, false);
                state.fetch_life = state.fetch_life.wrapping_add(1);
            } else {
                state.filled = state.filled.saturating_sub(1);
            }
            if state.filled == 0 {
                self.sm.sets.unfetched.insert(warp);
            }
            if takes_instructions(machine, state) {
                self.sm.sets.wants_fetch.insert(warp);
            }
        }
        if branched && machine.config.branch_latency > 0 {
            self.sm.sets.control.insert(warp);
            self.sm.sets.wants_fetch.remove(warp);
            let completion =
                Completion { sm: self.name, warp: warp as u16, life: self.sm.warps[warp as usize].life, done: Done::Branch };
            self.uncore.wheel.insert(self.cycle + u64::from(machine.config.branch_latency), completion);
        }
        self.moved(warp);
        self.look_ahead(warp);
    }

    #[inline(never)]
    fn trap(&mut self, warp: u32, pc: Pc, lane: usize, fault: &Fault) {
        let state = &self.sm.warps[warp as usize];
        let shape = &self.machine.start.shape;
        let block = self.sm.blocks[state.block as usize].as_ref();
        let ctaid = block.map_or([0; 3], |b| b.of(state.assignment.iteration).ctaid);
        let thread = shape.tid(state.lanes.logical(lane.min(31)));
        let trap = Trap::new(fault).near(fault, &self.uncore.global).at(&self.machine.program, pc).thread(ctaid, thread);
        self.uncore.trap.get_or_insert(trap);
        self.emit(Event::Trap { sm: self.name, warp: warp as u16, pc });
    }

    /// The effect of an instruction on the lanes of `mask`, block by block, and what it means for the warp.
    #[inline]
    fn execute(&mut self, warp: u32, pc: Pc, mask: u32) -> Result<Effect, (usize, Fault)> {
        let state = &self.sm.warps[warp as usize];
        let (slot, is_mixed) = (state.block, state.mixed);
        if !is_mixed {
            let lanes = state.lanes;
            let outcome = self.perform(warp, &lanes, slot, pc, mask)?;
            return Ok(self.conclude(warp, pc, mask, outcome, None));
        }
        self.execute_mixed(warp, pc, mask)
    }

    /// Threads of several blocks share the warp: each block's do the same with their own registers and memory.
    #[inline(never)]
    fn execute_mixed(&mut self, warp: u32, pc: Pc, mask: u32) -> Result<Effect, (usize, Fault)> {
        let state = &self.sm.warps[warp as usize];
        let (members, lanes) = (state.members, state.lanes);
        let mut slots = [0; 32];
        for (lane, origin) in members.lanes() {
            slots[lane] = self.sm.statics.warps[usize::from(origin)].block;
        }
        let mut rest = mask;
        let mut whole: Option<Outcome> = None;
        while rest != 0 {
            let slot = slots[rest.trailing_zeros() as usize];
            let part = active(rest).filter(|&lane| slots[lane] == slot).fold(0, |part, lane| part | 1 << lane);
            rest &= !part;
            let mut outcome = self.perform(warp, &lanes, slot, pc, part)?;
            if let Outcome::Memory { traffic, active: lanes } = &mut outcome {
                traffic.shift_shared(*lanes, u64::from(slot) * u64::from(self.machine.start.shape.shared_bytes));
            }
            whole = Some(match whole {
                None => outcome,
                Some(first) => first.and(outcome),
            });
        }
        let Some(outcome) = whole else { return Ok(Effect::Next) };
        Ok(self.conclude(warp, pc, mask, outcome, Some(&slots)))
    }

    /// What an instruction does to the threads of one block in a warp's lanes, for those of `mask` that the guard lets through.
    #[inline]
    fn perform(&mut self, warp: u32, lanes: &Lanes<32>, slot: u16, pc: Pc, mask: u32) -> Result<Outcome, (usize, Fault)> {
        let machine = self.machine;
        let program = &machine.program;
        let instruction = &program.instructions[pc as usize];
        let iteration = self.sm.warps[warp as usize].assignment.iteration;
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return Ok(Outcome::Next) };
        let active_mask = match instruction.guard {
            None => mask,
            Some(guard) => {
                let holds = block.registers.predicate(guard.plane, lanes);
                mask & if guard.negated { !holds } else { holds }
            }
        };
        let view = machine.view(block.of(iteration).ctaid, self.name, self.cycle);
        let mut exec = machine.exec(pc, view, &mut block.registers, lanes, active_mask);
        match instruction.op {
            Op::NextBlock => {
                self.next_block(warp, slot, pc, active_mask);
                return Ok(Outcome::Begin);
            }
            Op::NextThread => {
                let threads: [u32; 32] = std::array::from_fn(|lane| lanes.logical(lane).0);
                exec.put(0, &threads);
            }
            Op::Again => return Ok(Outcome::Again { mask: active_mask }),
            // A uniform branch takes the warp where one thread goes. A warp of several static ones has several such threads.
            Op::Bra { uniform } => {
                let all = uniform && active_mask != 0 && machine.keeps_warps();
                return Ok(Outcome::Branch { taken: if all { mask } else { active_mask } });
            }
            Op::BrxIdx => return Ok(Outcome::Switch { groups: switch(program, &exec, pc, mask)? }),
            Op::Load(_) | Op::Store(_) | Op::Atom { .. } | Op::Printf | Op::AssertFail => {
                let mut spaces = Spaces {
                    global: &mut self.uncore.global,
                    shared: &mut block.shared,
                    local: &mut block.local,
                    constants: &program.constants,
                    params: &machine.start.params,
                };
                if matches!(instruction.op, Op::Printf | Op::AssertFail) {
                    let output = &mut self.uncore.output;
                    return call_host(&mut spaces, instruction, lanes, active_mask, output).map(|()| Outcome::Next);
                }
                let traffic = exec.memory(&mut spaces)?;
                return Ok(Outcome::Memory { traffic, active: active_mask });
            }
            Op::Exit | Op::Ret => return Ok(Outcome::Exit { mask: active_mask }),
            Op::Trap if active_mask != 0 => return Err((active_mask.trailing_zeros() as usize, Fault::Trap)),
            op if op.is_barrier() => {
                let parked = self.arrive(warp, slot, pc, active_mask)?;
                return Ok(if parked == 0 { Outcome::Next } else { Outcome::Park { mask: parked } });
            }
            op if op.joins_warp() && active_mask != 0 => {
                let waiting = self.join(warp, slot, pc, active_mask)?;
                return Ok(match waiting {
                    0 => Outcome::Next,
                    _ if self.parks(warp) => Outcome::Park { mask: waiting },
                    _ => Outcome::Hold,
                });
            }
            Op::ActiveMask => exec.put(0, &mates(lanes, active_mask, machine.config.ptx_warp)),
            op => match op.kind() {
                Kind::Alu | Kind::Quiet => {
                    exec.alu();
                }
                // For no lane at all.
                Kind::Join | Kind::Trap => {}
                // Calls have been expanded; all others have had their turn above.
                Kind::Call | Kind::Memory | Kind::Host | Kind::Branch | Kind::End | Kind::Again => {}
                Kind::Barrier | Kind::ActiveMask | Kind::Dispatch => {}
            },
        }
        Ok(Outcome::Next)
    }

    /// What an instruction's outcome means for its warp. `slots` are the block slots of the lanes, if they differ.
    #[inline]
    fn conclude(&mut self, warp: u32, pc: Pc, mask: u32, outcome: Outcome, slots: Option<&[u16; 32]>) -> Effect {
        let machine = self.machine;
        let instruction = &machine.program.instructions[pc as usize];
        match outcome {
            Outcome::Next => Effect::Next,
            Outcome::Exit { mask } => Effect::Exit { mask },
            Outcome::Again { mask } => Effect::Again { mask },
            Outcome::Begin => Effect::Begin,
            Outcome::Hold => Effect::Hold,
            Outcome::Park { mask } => Effect::Park { mask },
            Outcome::Branch { taken } => {
                let not_taken = mask & !taken;
                let mut sides = [Place::default(); 2];
                let mut count = 0;
                for (pc, mask) in [(instruction.target, taken), (pc + 1, not_taken)] {
                    if mask != 0 {
                        sides[count] = Place { pc, mask };
                        count += 1;
                    }
                }
                if instruction.guard.is_some() && !matches!(instruction.op, Op::Bra { uniform: true }) {
                    self.emit(Event::Branch { sm: self.name, warp: warp as u16, pc, taken, not_taken, diverged: count > 1 });
                }
                Effect::Branch { sides, count }
            }
            Outcome::Switch { groups } => {
                let taken = groups[0].mask;
                self.emit(Event::Branch {
                    sm: self.name,
                    warp: warp as u16,
                    pc,
                    taken,
                    not_taken: mask & !taken,
                    diverged: groups.len() > 1,
                });
                Effect::Switch { groups }
            }
            Outcome::Memory { traffic, active } if machine.config.slices > 1 => {
                let (slice, row) = (warp % machine.config.slices, warp / machine.config.slices);
                let shift = (slice * machine.config.warp_width) as usize;
                let mut shifted = traffic;
                shifted.targets.rotate_right(shift);
                let access = Access { row, warps: 1 << slice, pc, traffic: shifted, active: active << shift };
                self.sm.scratch.accesses.push(access);
                Effect::Later
            }
            Outcome::Memory { traffic, active } => {
                let state = &self.sm.warps[warp as usize];
                let who = Requester {
                    sm: self.name,
                    warp: warp as u16,
                    pc,
                    threads: &state.lanes.threads,
                    block_threads: machine.start.shape.threads,
                    slot: state.block,
                    slots,
                    local_bytes: machine.program.local_bytes,
                };
                let mut around =
                    Around { shared: &mut self.uncore.memory, config: &machine.config, now: self.cycle, sink: &mut *self.sink };
                let timing = self.sm.memory.time(&mut around, who, &traffic, active);
                Effect::Memory { holds: timing.holds, done: timing.done }
            }
        }
    }
}

/// What an instruction did to threads.
#[expect(
    clippy::large_enum_variant,
    reason = "it lives for one instruction, and most of a memory-bound kernel's are the large one"
)]
enum Outcome {
    Next,
    Branch { taken: u32 },
    Switch { groups: Vec<Place> },
    Exit { mask: u32 },
    Again { mask: u32 },
    Begin,
    Hold,
    Park { mask: u32 },
    Memory { traffic: Traffic<32>, active: u32 },
}

impl Outcome {
    /// Together with the outcome of the same instruction for other lanes.
    fn and(self, other: Outcome) -> Outcome {
        match (self, other) {
            (Outcome::Branch { taken: a }, Outcome::Branch { taken: b }) => Outcome::Branch { taken: a | b },
            (Outcome::Switch { mut groups }, Outcome::Switch { groups: more }) => {
                more.into_iter().for_each(|place| add_place(&mut groups, place.pc, place.mask));
                Outcome::Switch { groups }
            }
            (Outcome::Exit { mask: a }, Outcome::Exit { mask: b }) => Outcome::Exit { mask: a | b },
            (Outcome::Again { mask: a }, Outcome::Again { mask: b }) => Outcome::Again { mask: a | b },
            (Outcome::Park { mask: a }, Outcome::Park { mask: b }) => Outcome::Park { mask: a | b },
            (Outcome::Memory { mut traffic, active: a }, Outcome::Memory { traffic: more, active: b }) => {
                active(b).for_each(|lane| traffic.targets[lane] = more.targets[lane]);
                Outcome::Memory { traffic, active: a | b }
            }
            (Outcome::Next, other) => other,
            (one, _) => one,
        }
    }
}

fn add_place(groups: &mut Vec<Place>, pc: Pc, mask: u32) {
    match groups.iter_mut().find(|g| g.pc == pc) {
        Some(group) => group.mask |= mask,
        None => groups.push(Place { pc, mask }),
    }
}

/// Where the lanes of an indexed branch go.
#[inline(never)]
fn switch(program: &Program, exec: &Exec<32>, pc: Pc, mask: u32) -> Result<Vec<Place>, (usize, Fault)> {
    let index = exec.get::<u32>(0);
    let table = &program.tables[exec.instruction.target as usize];
    let mut groups: Vec<Place> = Vec::new();
    for lane in active(exec.active) {
        let fault = (lane, Fault::BranchTable { index: index[lane], len: table.len() });
        add_place(&mut groups, *table.get(index[lane] as usize).ok_or(fault)?, 1 << lane);
    }
    if mask & !exec.active != 0 {
        add_place(&mut groups, pc + 1, mask & !exec.active);
    }
    Ok(groups)
}

/// What the host does for the lanes of `mask`, one after the other.
#[inline(never)]
fn call_host(
    spaces: &mut Spaces,
    instruction: &Instruction,
    lanes: &Lanes<32>,
    mask: u32,
    output: &mut Vec<u8>,
) -> Result<(), (usize, Fault)> {
    for lane in active(mask) {
        let thread = lanes.threads[lane];
        if instruction.op == Op::AssertFail {
            return Err((lane, host_call::assertion(spaces, instruction, thread)));
        }
        host_call::print(spaces, instruction, thread, output).map_err(|fault| (lane, fault))?;
    }
    Ok(())
}

/// For each lane of `mask` those of its thread's own PTX warp that are here too.
#[inline(never)]
fn mates(lanes: &Lanes<32>, mask: u32, width: u32) -> [u32; 32] {
    let of = |lane: usize| lanes.logical(lane).ptx_warp(width);
    let here = |lane: usize| {
        let mates = active(mask).filter(|&mate| of(mate) == of(lane));
        mates.fold(0u32, |mask, mate| mask | 1 << lanes.logical(mate).ptx_lane(width))
    };
    std::array::from_fn(|lane| if mask >> lane & 1 != 0 { here(lane) } else { 0 })
}

/// A branch with the points where its sides meet again.
fn branch<'a>(machine: &Machine, pc: Pc, groups: &'a [Place]) -> Flow<'a> {
    let Some(meeting) = machine.program.reconvergence.at(pc) else {
        return Flow::Branch { groups, meeting: Meeting::default() };
    };
    if groups.len() == 1 && machine.uniform.get(pc as usize) == Some(&true) {
        return Flow::Branch { groups, meeting: Meeting::default() };
    }
    let instruction = &machine.program.instructions[pc as usize];
    let sides = matches!(instruction.op, Op::Bra { .. }).then_some([instruction.target, pc + 1]);
    Flow::Branch { groups, meeting: Meeting { may_diverge: true, sides, rpc: meeting.rpc, lpc: meeting.lpc } }
}
