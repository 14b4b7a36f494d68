//! What an issued instruction does: functionally at once, and in time through the scoreboard, units and memory.

use super::Machine;
use super::core::Core;
use super::decode::Unit;
use super::memory::{Around, Requester};
use super::wheel::{Completion, Done};
use crate::config::Scoreboard;
use crate::event::{Event, Sink};
use crate::interp::access::active;
use crate::interp::host_call;
use crate::interp::memory::Spaces;
use crate::interp::trap::{Fault, Trap};
use crate::policy::divergence::{Flow, Place, WarpName};
use crate::program::Pc;
use crate::ptx::op::Op;

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
    /// The warp stays where it is until its PTX warp has joined.
    Hold,
    /// A memory instruction: how long it holds its unit, and when its result is there.
    Memory {
        holds: u32,
        done: u64,
    },
}

impl<S: Sink> Core<'_, S> {
    /// Issues a warp's next instruction through a port; how many threads were active.
    pub fn issue_warp(&mut self, port: usize, warp: u32) -> u8 {
        let machine = self.machine;
        let Place { pc, mask } = self.sm.warps[warp as usize].place;
        let decoded = &machine.decoded[pc as usize];
        let (first_thread, block) = (self.sm.warps[warp as usize].first_thread, self.sm.warps[warp as usize].block);
        let index = self.sm.blocks[block as usize].as_ref().map_or(0, |b| b.index);
        if machine.config.ideal_fetch {
            self.emit(Event::Fetched { sm: self.name, warp: warp as u16, pc, count: 1, hit: true });
        }
        self.emit(Event::Issued { sm: self.name, warp: warp as u16, block: index, pc, mask, first_thread });
        let threads = mask.count_ones() as u8;
        let effect = match self.execute(warp, pc, mask) {
            Ok(effect) => effect,
            Err((lane, fault)) => {
                self.trap(warp, pc, lane, &fault);
                return threads;
            }
        };
        let passes = (machine.config.warp_width / machine.config.simd_width.min(machine.config.warp_width)).max(1);
        let mut holds = passes * decoded.interval;
        let mut done = self.cycle + u64::from(machine.config.read_latency + decoded.latency + passes - 1);
        if let Effect::Memory { holds: unit, done: at } = effect {
            holds = unit.max(passes);
            done = at.max(self.cycle + u64::from(passes));
        }
        if decoded.unit == Unit::Control {
            done = self.cycle + u64::from(passes);
        } else if let Some(free) = self.sm.units[decoded.unit as usize].iter_mut().find(|free| **free <= self.cycle) {
            *free = self.cycle + u64::from(holds);
        }
        let state = &mut self.sm.ports[port];
        (state.free, state.holder_threads) = (self.cycle + u64::from(passes), threads);
        if matches!(effect, Effect::Hold) {
            return threads;
        }
        self.track(warp, pc, done, matches!(effect, Effect::Memory { .. }));
        self.go_on(warp, pc, effect);
        threads
    }

    /// A warp that was held goes on behind the instruction at which it waited.
    pub fn resume(&mut self, warp: u32) {
        let pc = self.sm.warps[warp as usize].place.pc;
        let decoded = &self.machine.decoded[pc as usize];
        self.sm.sets.sync.remove(warp);
        self.sm.issued.freed_from_sync.insert(warp);
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
        }
        let load = memory && !decoded.writes.is_empty();
        state.in_flight += 1;
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
            Effect::Exit { mask } => Flow::Exit { mask: *mask },
            _ => Flow::Next,
        };
        let sink = &mut *self.sink;
        let mut emit = |event| {
            if S::LISTENS {
                sink.event(cycle, event);
            }
        };
        let place = self.sm.divergence.advance(name, flow, &mut emit);
        if let Effect::Exit { mask } = effect {
            self.exit_threads(warp, mask);
        }
        let Some(place) = place else {
            self.sm.sets.exited.insert(warp);
            self.sm.sets.wants_fetch.remove(warp);
            self.emit(Event::WarpExit { sm: self.name, warp: warp as u16 });
            return;
        };
        let state = &mut self.sm.warps[warp as usize];
        state.place = place;
        let branched = matches!(effect, Effect::Branch { .. } | Effect::Switch { .. });
        let jumped = place.pc != pc + 1;
        if !machine.config.ideal_fetch {
            state.filled = if jumped { 0 } else { state.filled.saturating_sub(1) };
            if state.filled == 0 {
                state.fetch_life = state.fetch_life.wrapping_add(1);
                self.sm.sets.unfetched.insert(warp);
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
        self.recheck(warp);
    }

    fn trap(&mut self, warp: u32, pc: Pc, lane: usize, fault: &Fault) {
        let state = &self.sm.warps[warp as usize];
        let shape = &self.machine.start.shape;
        let ctaid = self.sm.blocks[state.block as usize].as_ref().map_or([0; 3], |b| b.ctaid);
        let thread = shape.tid(state.lanes.threads[lane.min(31)]);
        let trap = Trap::new(fault).near(fault, &self.uncore.global).at(&self.machine.program, pc).thread(ctaid, thread);
        self.uncore.trap.get_or_insert(trap);
        self.emit(Event::Trap { sm: self.name, warp: warp as u16, pc });
    }

    /// The functional effect, for the lanes of `mask` that the guard lets through.
    fn execute(&mut self, warp: u32, pc: Pc, mask: u32) -> Result<Effect, (usize, Fault)> {
        let machine = self.machine;
        let program = &machine.program;
        let instruction = &program.instructions[pc as usize];
        let state = &self.sm.warps[warp as usize];
        let slot = state.block;
        let lanes = state.lanes;
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return Ok(Effect::Next) };
        let active_mask = match instruction.guard {
            None => mask,
            Some(guard) => {
                let holds = block.registers.predicate(guard.plane, &lanes);
                mask & if guard.negated { !holds } else { holds }
            }
        };
        let view = machine.view(block.ctaid, self.name, self.cycle);
        let mut exec = machine.exec(pc, view, &mut block.registers, &lanes, active_mask);
        match instruction.op {
            Op::Bra { uniform } => {
                let (taken, not_taken) = if uniform && active_mask != 0 { (mask, 0) } else { (active_mask, mask & !active_mask) };
                let mut sides = [Place::default(); 2];
                let mut count = 0;
                for (pc, mask) in [(instruction.target, taken), (pc + 1, not_taken)] {
                    if mask != 0 {
                        sides[count] = Place { pc, mask };
                        count += 1;
                    }
                }
                if instruction.guard.is_some() && !uniform {
                    self.emit(Event::Branch { sm: self.name, warp: warp as u16, pc, taken, not_taken, diverged: count > 1 });
                }
                return Ok(Effect::Branch { sides, count });
            }
            Op::BrxIdx => {
                let index = exec.get::<u32>(0);
                let table = &program.tables[instruction.target as usize];
                let mut groups: Vec<Place> = Vec::new();
                let mut add = |pc: Pc, mask: u32| match groups.iter_mut().find(|g| g.pc == pc) {
                    Some(group) => group.mask |= mask,
                    None => groups.push(Place { pc, mask }),
                };
                for lane in active(active_mask) {
                    let fault = (lane, Fault::BranchTable { index: index[lane], len: table.len() });
                    add(*table.get(index[lane] as usize).ok_or(fault)?, 1 << lane);
                }
                if mask & !active_mask != 0 {
                    add(pc + 1, mask & !active_mask);
                }
                let taken = groups[0].mask;
                self.emit(Event::Branch {
                    sm: self.name,
                    warp: warp as u16,
                    pc,
                    taken,
                    not_taken: mask & !taken,
                    diverged: groups.len() > 1,
                });
                return Ok(Effect::Switch { groups });
            }
            Op::Load(_) | Op::Store(_) | Op::Atom { .. } | Op::Printf | Op::AssertFail => {
                let mut spaces = Spaces {
                    global: &mut self.uncore.global,
                    shared: &mut block.shared,
                    local: &mut block.local,
                    constants: &program.constants,
                    params: &machine.start.params,
                };
                if matches!(instruction.op, Op::Printf | Op::AssertFail) {
                    for lane in active(active_mask) {
                        let thread = lanes.threads[lane];
                        if instruction.op == Op::AssertFail {
                            return Err((lane, host_call::assertion(&mut spaces, instruction, thread)));
                        }
                        let printed = host_call::print(&mut spaces, instruction, thread, &mut self.uncore.output);
                        printed.map_err(|fault| (lane, fault))?;
                    }
                    return Ok(Effect::Next);
                }
                let traffic = exec.memory(&mut spaces)?;
                let who = Requester {
                    sm: self.name,
                    warp: warp as u16,
                    pc,
                    threads: &lanes.threads,
                    block_threads: machine.start.shape.threads,
                    slot,
                    local_bytes: program.local_bytes,
                };
                let mut around =
                    Around { shared: &mut self.uncore.memory, config: &machine.config, now: self.cycle, sink: &mut *self.sink };
                let timing = self.sm.memory.time(&mut around, who, &traffic, active_mask);
                return Ok(Effect::Memory { holds: timing.holds, done: timing.done });
            }
            Op::Exit | Op::Ret => return Ok(Effect::Exit { mask: active_mask }),
            Op::Trap if active_mask != 0 => return Err((active_mask.trailing_zeros() as usize, Fault::Trap)),
            op if op.is_barrier() => {
                self.arrive(warp, pc, active_mask)?;
            }
            op if op.joins_warp() && active_mask != 0 => {
                return Ok(if self.join(warp, pc, active_mask)? { Effect::Next } else { Effect::Hold });
            }
            Op::ActiveMask => {
                let first = state.first_thread % machine.config.ptx_warp;
                exec.put(0, &[active_mask << first; 32]);
            }
            _ => {
                exec.alu();
            }
        }
        Ok(Effect::Next)
    }
}

/// A branch with the points where its sides meet again.
fn branch<'a>(machine: &Machine, pc: Pc, groups: &'a [Place]) -> Flow<'a> {
    let meeting = machine.program.reconvergence.at(pc);
    let (rpc, lpc) = meeting.map_or((None, None), |m| (m.rpc, m.lpc));
    Flow::Branch { groups, rpc, lpc }
}
