//! The effect of an instruction on registers, memory and threads: warp by warp, and block by block where a warp holds threads
//! of several.

use super::core::Core;
use super::memory::{AccessContext, Requester};
use super::slices::SliceAccess;
use crate::event::{Event, Sink};
use crate::policy::divergence::Place;
use warpscope_kernel::interp::access::{Traffic, active};
use warpscope_kernel::interp::alu::Exec;
use warpscope_kernel::interp::host_call;
use warpscope_kernel::interp::lanes::Lanes;
use warpscope_kernel::interp::memory::Spaces;
use warpscope_kernel::interp::trap::Fault;
use warpscope_kernel::program::{Instruction, Pc, Program};
use warpscope_kernel::ptx::op::{Converge, Kind, Op};

/// What an instruction did to its warp, for the stages around it.
pub enum Effect {
    Next,
    /// Where the lanes of a branch go, the taken side first; `count` sides have lanes.
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
    /// These lanes execute an instruction of convergence barriers.
    Converge {
        what: Converge,
        mask: u32,
    },
    /// A memory instruction that is timed later, together with others of its cycle.
    Later,
    /// A memory instruction: how long it holds its unit, and when its result is available.
    Memory {
        holds: u32,
        done: u64,
    },
}

impl<S: Sink> Core<'_, S> {
    /// Executes an instruction on the lanes of `mask`, block by block, and returns its effect on the warp.
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

    /// Executes an instruction of a warp with threads of several blocks, with each block's own registers and memory.
    #[inline(never)]
    fn execute_mixed(&mut self, warp: u32, pc: Pc, mask: u32) -> Result<Effect, (usize, Fault)> {
        let state = &self.sm.warps[warp as usize];
        let (members, lanes) = (state.members, state.lanes);
        let mut slots = [0; 32];
        for (lane, origin) in members.lanes() {
            slots[lane] = self.sm.statics.warps[usize::from(origin)].block;
        }
        let mut rest = mask;
        let mut whole: Option<Executed> = None;
        while rest != 0 {
            let slot = slots[rest.trailing_zeros() as usize];
            let part = active(rest).filter(|&lane| slots[lane] == slot).fold(0, |part, lane| part | 1 << lane);
            rest &= !part;
            let mut outcome = self.perform(warp, &lanes, slot, pc, part)?;
            if let Executed::Memory { traffic, active: lanes } = &mut outcome {
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

    /// Executes an instruction on the threads of one block in a warp's lanes, for those of `mask` that the guard lets through.
    #[inline]
    pub fn perform(&mut self, warp: u32, lanes: &Lanes<32>, slot: u16, pc: Pc, mask: u32) -> Result<Executed, (usize, Fault)> {
        let machine = self.machine;
        let program = &machine.program;
        let instruction = &program.instructions[pc as usize];
        let iteration = self.sm.warps[warp as usize].assignment.iteration;
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return Ok(Executed::Next) };
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
                return Ok(Executed::Begin);
            }
            Op::NextThread => {
                let threads: [u32; 32] = std::array::from_fn(|lane| lanes.logical(lane).0);
                exec.put(0, &threads);
            }
            Op::Again => return Ok(Executed::Again { mask: active_mask }),
            // A uniform branch takes the whole warp where one thread goes; a dynamic warp has one such thread per static warp.
            Op::Bra { uniform } => {
                let all = uniform && active_mask != 0 && machine.keeps_warps();
                return Ok(Executed::Branch { taken: if all { mask } else { active_mask } });
            }
            Op::BrxIdx => return Ok(Executed::Switch { groups: switch(program, &exec, pc, mask)? }),
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
                    return call_host(&mut spaces, instruction, lanes, active_mask, output).map(|()| Executed::Next);
                }
                let traffic = exec.memory(&mut spaces)?;
                return Ok(Executed::Memory { traffic, active: active_mask });
            }
            Op::Exit | Op::Ret => return Ok(Executed::Exit { mask: active_mask }),
            Op::Converge(what) => return Ok(Executed::Converge { what, mask: active_mask }),
            Op::Trap if active_mask != 0 => return Err((active_mask.trailing_zeros() as usize, Fault::Trap)),
            op if op.is_barrier() => {
                let parked = self.arrive(warp, slot, pc, active_mask)?;
                return Ok(if parked == 0 { Executed::Next } else { Executed::Park { mask: parked } });
            }
            op if op.joins_warp() && active_mask != 0 => {
                let waiting = self.join(warp, slot, pc, active_mask)?;
                return Ok(match waiting {
                    0 => Executed::Next,
                    _ if self.parks(warp) => Executed::Park { mask: waiting },
                    _ => Executed::Hold,
                });
            }
            Op::ActiveMask => exec.put(0, &mates(lanes, active_mask, machine.config.ptx_warp)),
            op => match op.kind() {
                Kind::Alu | Kind::Quiet => {
                    exec.alu();
                }
                // No lane executes it.
                Kind::Join | Kind::Trap => {}
                // Calls have been inlined; the arms above handle all others.
                Kind::Call | Kind::Memory | Kind::Host | Kind::Branch | Kind::End | Kind::Again => {}
                Kind::Barrier | Kind::ActiveMask | Kind::Dispatch | Kind::Converge => {}
            },
        }
        Ok(Executed::Next)
    }

    /// Turns an instruction's outcome into the effect on its warp. `slots` are the block slots of the lanes, if they differ.
    #[inline]
    pub fn conclude(&mut self, warp: u32, pc: Pc, mask: u32, outcome: Executed, slots: Option<&[u16; 32]>) -> Effect {
        let machine = self.machine;
        let instruction = &machine.program.instructions[pc as usize];
        match outcome {
            Executed::Next => Effect::Next,
            Executed::Exit { mask } => Effect::Exit { mask },
            Executed::Again { mask } => Effect::Again { mask },
            Executed::Begin => Effect::Begin,
            Executed::Hold => Effect::Hold,
            Executed::Park { mask } => Effect::Park { mask },
            Executed::Converge { what, mask } => Effect::Converge { what, mask },
            Executed::Branch { taken } => {
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
            Executed::Switch { groups } => {
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
            Executed::Memory { traffic, active } if machine.config.slices > 1 => {
                let (slice, row) = (warp % machine.config.slices, warp / machine.config.slices);
                let shift = (slice * machine.config.warp_width) as usize;
                let mut shifted = traffic;
                shifted.targets.rotate_right(shift);
                let access = SliceAccess { row, warps: 1 << slice, pc, traffic: shifted, active: active << shift };
                self.sm.scratch.accesses.push(access);
                Effect::Later
            }
            Executed::Memory { traffic, active } => {
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
                let mut context = AccessContext {
                    shared: &mut self.uncore.memory,
                    config: &machine.config,
                    now: self.cycle,
                    passes: machine.passes,
                    sink: &mut *self.sink,
                };
                let timing = self.sm.memory.time(&mut context, who, &traffic, active);
                Effect::Memory { holds: timing.holds, done: timing.done }
            }
        }
    }
}

/// What an instruction did to the threads of one block.
#[expect(
    clippy::large_enum_variant,
    reason = "it lives for one instruction, and most of a memory-bound kernel's are the large one"
)]
pub enum Executed {
    Next,
    Branch { taken: u32 },
    Switch { groups: Vec<Place> },
    Exit { mask: u32 },
    Again { mask: u32 },
    Begin,
    Hold,
    Park { mask: u32 },
    Converge { what: Converge, mask: u32 },
    Memory { traffic: Traffic<32>, active: u32 },
}

impl Executed {
    /// Combines it with the outcome of the same instruction for other lanes.
    fn and(self, other: Executed) -> Executed {
        match (self, other) {
            (Executed::Branch { taken: a }, Executed::Branch { taken: b }) => Executed::Branch { taken: a | b },
            (Executed::Switch { mut groups }, Executed::Switch { groups: more }) => {
                more.into_iter().for_each(|place| add_place(&mut groups, place.pc, place.mask));
                Executed::Switch { groups }
            }
            (Executed::Exit { mask: a }, Executed::Exit { mask: b }) => Executed::Exit { mask: a | b },
            (Executed::Again { mask: a }, Executed::Again { mask: b }) => Executed::Again { mask: a | b },
            (Executed::Park { mask: a }, Executed::Park { mask: b }) => Executed::Park { mask: a | b },
            (Executed::Memory { mut traffic, active: a }, Executed::Memory { traffic: more, active: b }) => {
                active(b).for_each(|lane| traffic.targets[lane] = more.targets[lane]);
                Executed::Memory { traffic, active: a | b }
            }
            (Executed::Next, other) => other,
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

/// Groups the lanes of an indexed branch by their target.
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

/// Performs a host call for the lanes of `mask`, one after the other.
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

/// Returns, for each lane of `mask`, those lanes of its PTX warp that execute with it.
#[inline(never)]
fn mates(lanes: &Lanes<32>, mask: u32, width: u32) -> [u32; 32] {
    let of = |lane: usize| lanes.logical(lane).ptx_warp(width);
    let here = |lane: usize| {
        let mates = active(mask).filter(|&mate| of(mate) == of(lane));
        mates.fold(0u32, |mask, mate| mask | 1 << lanes.logical(mate).ptx_lane(width))
    };
    std::array::from_fn(|lane| if mask >> lane & 1 != 0 { here(lane) } else { 0 })
}
