//! What an instruction does to registers, memory and threads, at once: warp by warp, and block by block where a warp has
//! threads of several.

use super::core::Core;
use super::memory::{Around, Requester};
use super::slices::Access;
use crate::event::{Event, Sink};
use crate::interp::access::{Traffic, active};
use crate::interp::alu::Exec;
use crate::interp::host_call;
use crate::interp::lanes::Lanes;
use crate::interp::memory::Spaces;
use crate::interp::trap::Fault;
use crate::policy::divergence::Place;
use crate::program::{Instruction, Pc, Program};
use crate::ptx::op::{Kind, Op};

/// What an instruction did, for the stages around it.
pub enum Effect {
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
    /// The effect of an instruction on the lanes of `mask`, block by block, and what it means for the warp.
    #[inline]
    pub fn execute(&mut self, warp: u32, pc: Pc, mask: u32) -> Result<Effect, (usize, Fault)> {
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
    pub fn perform(&mut self, warp: u32, lanes: &Lanes<32>, slot: u16, pc: Pc, mask: u32) -> Result<Outcome, (usize, Fault)> {
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
    pub fn conclude(&mut self, warp: u32, pc: Pc, mask: u32, outcome: Outcome, slots: Option<&[u16; 32]>) -> Effect {
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
pub enum Outcome {
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
