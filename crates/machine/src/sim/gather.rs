//! Threads that wait for each other, under any technique: block barriers, PTX-warp operations, exits.
//!
//! Arrivals are counted in threads of the logical block, so they do not depend on the divergence mechanism. A waiting thread
//! stays in the warp table with its whole warp, or is *parked* outside of it as a single thread where the technique asks for
//! that (`holders.rs`).

use super::core::Core;
use super::holders::holder;
use super::logical::{Assignment, Join};
use super::state::{AT_BARRIER, AT_SYNC, Warp};
use crate::event::{Event, Sink};
use warpscope_kernel::interp::access::active;
use warpscope_kernel::interp::barrier::Release;
use warpscope_kernel::interp::lanes::Lanes;
use warpscope_kernel::interp::thread::{LogicalThread, StorageThread};
use warpscope_kernel::interp::trap::Fault;
use warpscope_kernel::interp::warp::{Parts, add_lanes};
use warpscope_kernel::program::{Dst, Pc};
use warpscope_kernel::ptx::op::Op;

type LaneFault = (usize, Fault);

impl<S: Sink> Core<'_, S> {
    /// Lets the lanes of `mask`, threads of the block in `slot`, arrive at a barrier. Their warp waits unless that completes
    /// the barrier; or the waiting lanes are parked, and returned.
    #[inline(never)]
    pub fn arrive(&mut self, warp: u32, slot: u16, pc: Pc, mask: u32) -> Result<u32, LaneFault> {
        let machine = self.machine;
        self.sm.warps[warp as usize].barrier_pc = pc;
        let Warp { lanes, assignment: Assignment { iteration, .. }, .. } = self.sm.warps[warp as usize];
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return Ok(0) };
        let view = machine.view(block.of(iteration).ctaid, self.name, self.cycle);
        let logical = match &mut block.next {
            Some(next) if next.iteration == iteration => next,
            _ => &mut block.current,
        };
        let index = logical.index;
        let exec = machine.exec(pc, view, &mut block.registers, &lanes, mask);
        let mut releases = Vec::new();
        let (mut waits, mut barrier) = (0, 0);
        for lane in active(mask) {
            let arrival = exec.arrival(lane);
            barrier = arrival.id as u8;
            waits |= u32::from(arrival.waits) << lane;
            releases.extend(logical.barriers.arrive(lanes.logical(lane), arrival).map_err(|fault| (lane, fault))?);
        }
        if waits != 0 && !machine.waits_by_thread {
            let ptx_width = machine.config.ptx_warp;
            let first = lanes.logical(0);
            let exited = logical.exited_lanes[first.ptx_warp(ptx_width) as usize] >> first.ptx_lane(ptx_width);
            for lane in active(lanes.mask & !exited & !mask) {
                releases.extend(logical.barriers.stand_in(lanes.logical(lane), barrier.into()));
            }
        }
        let sm = self.name;
        self.tell_by_static_warp(warp, mask, |warp, mask| Event::BarrierArrive { sm, warp, block: index, barrier, mask });
        if waits != 0 {
            self.hit_barrier(slot, iteration);
        }
        let parked = if waits != 0 && self.parks(warp) { waits } else { 0 };
        if parked != 0 {
            self.park(warp, parked, pc, AT_BARRIER);
        } else if waits != 0 {
            self.sm.sets.barrier.insert(warp);
            self.hold(warp, true);
        }
        for release in releases {
            self.release(slot, iteration, &release);
        }
        Ok(parked)
    }

    /// Lets the other lanes of a warp arrive at a barrier with a count at which lanes of `parked` wait, because none of them can run
    /// before: such a barrier counts whole PTX warps.
    pub fn stand_in(&mut self, warp: u32, parked: u32) {
        let machine = self.machine;
        let Warp { block: slot, lanes, assignment: Assignment { iteration, .. }, .. } = self.sm.warps[warp as usize];
        let others = self.sm.divergence.view().live(warp as u16) & !parked;
        let first = parked.trailing_zeros() as usize;
        let pc = self.sm.statics.parked_at[self.thread(warp as u16, first)];
        let Some(block) = self.sm.blocks[usize::from(slot)].as_mut() else { return };
        let view = machine.view(block.of(iteration).ctaid, self.name, self.cycle);
        let logical = match &mut block.next {
            Some(next) if next.iteration == iteration => next,
            _ => &mut block.current,
        };
        let id = machine.exec(pc, view, &mut block.registers, &lanes, parked).arrival(first).id;
        let releases: Vec<Release> =
            active(others).filter_map(|lane| logical.barriers.stand_in(lanes.logical(lane), id)).collect();
        for release in releases {
            self.release(slot, iteration, &release);
        }
    }

    /// Notes that a warp of the block in `slot` has reached a barrier.
    fn hit_barrier(&mut self, slot: u16, iteration: u32) {
        if let Some(block) = self.sm.blocks[usize::from(slot)].as_mut() {
            block.of_mut(iteration).first_hit.get_or_insert(self.cycle);
        }
    }

    /// Releases the threads of a completed barrier.
    fn release(&mut self, slot: u16, iteration: u32, release: &Release) {
        let machine = self.machine;
        let width = machine.config.warp_width;
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return };
        let first_warp = block.first_warp;
        let logical = block.of_mut(iteration);
        logical.first_hit = None;
        let index = logical.index;
        let places: Vec<StorageThread> = release.threads.iter().map(|t| logical.place(LogicalThread(t), width)).collect();
        for thread in places {
            let warp = holder(machine, self.sm, first_warp, thread);
            let is_parked = warp >= AT_SYNC;
            let barrier_pc = if is_parked {
                self.sm.statics.parked_at[(u32::from(first_warp) * width + thread.0) as usize]
            } else {
                self.sm.warps[usize::from(warp)].barrier_pc
            };
            if is_parked {
                self.unpark(first_warp, thread, true);
            } else {
                self.leave_barrier(warp.into());
            }
            let barrier = &machine.program.instructions[barrier_pc as usize];
            if let Op::BarrierReduce(reduce) = barrier.op
                && let Some(&Dst::Register { plane, .. }) = barrier.dst.first()
                && let Some(block) = self.sm.blocks[slot as usize].as_mut()
            {
                block.registers.set_word(plane, thread, release.result(reduce));
            }
        }
        self.emit(Event::BarrierRelease { sm: self.name, block: index, barrier: release.id as u8 });
    }

    /// Lets the lanes of `mask`, threads of the block in `slot`, join an operation of their PTX warps; returns the lanes that
    /// still wait. Their warp is held, unless it parks them.
    #[inline(never)]
    pub fn join(&mut self, warp: u32, slot: u16, pc: Pc, mask: u32) -> Result<u32, LaneFault> {
        let machine = self.machine;
        let ptx_width = machine.config.ptx_warp;
        let instruction = &machine.program.instructions[pc as usize];
        let Warp { lanes, assignment: Assignment { iteration, .. }, .. } = self.sm.warps[warp as usize];
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return Ok(0) };
        let view = machine.view(block.of(iteration).ctaid, self.name, self.cycle);
        let exec = machine.exec(pc, view, &mut block.registers, &lanes, mask);
        let named = exec.get::<u32>(instruction.src.len() - 1);
        // Lanes of different PTX warps, and lanes that name different members, gather separately.
        let mut rest = mask;
        let mut waiting = 0;
        while rest != 0 {
            let leader = rest.trailing_zeros() as usize;
            let (members, ptx_warp) = (named[leader], lanes.logical(leader).ptx_warp(ptx_width));
            let (mut group, mut arrived) = (0u32, 0u32);
            for lane in active(rest) {
                if named[lane] != members || lanes.logical(lane).ptx_warp(ptx_width) != ptx_warp {
                    continue;
                }
                let own = lanes.logical(lane).ptx_lane(ptx_width);
                if members >> own & 1 == 0 {
                    return Err((lane, Fault::NotAMember { members, lane: own }));
                }
                group |= 1 << lane;
                arrived |= 1 << own;
            }
            rest &= !group;
            let Some(block) = self.sm.blocks[slot as usize].as_mut() else { continue };
            let joins = &mut block.of_mut(iteration).joins;
            let same = |join: &Join| {
                let op = machine.program.instructions[join.parts[0].0 as usize].op;
                join.ptx_warp == ptx_warp && join.members == members && op == instruction.op
            };
            let at = joins.iter().position(same).unwrap_or_else(|| {
                joins.push(Join { ptx_warp, members, parts: Parts::new() });
                joins.len() - 1
            });
            add_lanes(&mut joins[at].parts, pc, arrived);
            if !self.try_join(slot, iteration, at, Some(warp)) {
                waiting |= group;
            }
        }
        if waiting != 0 {
            if self.parks(warp) {
                self.park(warp, waiting, pc, AT_SYNC);
            } else {
                self.sm.sets.sync.insert(warp);
                self.hold(warp, true);
            }
        }
        Ok(waiting)
    }

    /// Performs a gathered operation if no live member is missing. Its held warps resume; `issuing` does so by itself.
    fn try_join(&mut self, slot: u16, iteration: u32, at: usize, issuing: Option<u32>) -> bool {
        let machine = self.machine;
        let ptx_width = machine.config.ptx_warp;
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return true };
        let logical = block.of_mut(iteration);
        let Join { ptx_warp, members, .. } = logical.joins[at];
        let arrived = logical.joins[at].arrived();
        if members & !logical.exited_lanes[ptx_warp as usize] & !arrived != 0 {
            return false;
        }
        let Join { parts, .. } = logical.joins.swap_remove(at);
        let pc = parts[0].0;
        let first = LogicalThread(ptx_warp * ptx_width);
        let (index, ctaid, place) = (logical.index, logical.ctaid, logical.place(first, machine.config.warp_width));
        let count = (machine.start.shape.threads - first.0).min(ptx_width);
        let lanes = Lanes::<32>::warp(place, count).assigned(first, count);
        let view = machine.view(ctaid, self.name, self.cycle);
        let code = &machine.program.instructions;
        let parts: Vec<_> = parts.into_iter().map(|(pc, lanes)| (&code[pc as usize], lanes)).collect();
        machine.exec(pc, view, &mut block.registers, &lanes, arrived).warp_at(&parts);
        let first_warp = block.first_warp;
        self.emit(Event::Joined { sm: self.name, block: index, pc, mask: arrived });
        for lane in active(arrived) {
            let holder = holder(machine, self.sm, first_warp, lanes.threads[lane]);
            let warp = u32::from(holder);
            if holder == AT_SYNC {
                self.unpark(first_warp, lanes.threads[lane], false);
            } else if holder < AT_SYNC
                && Some(warp) != issuing
                && self.sm.sets.sync.contains(warp)
                && !self.joins_more(slot, iteration, holder)
            {
                self.resume(warp);
            }
        }
        true
    }

    /// Whether threads of a held warp still wait in other gatherings.
    fn joins_more(&self, slot: u16, iteration: u32, warp: u16) -> bool {
        let (width, ptx_width) = (self.machine.config.warp_width, self.machine.config.ptx_warp);
        let Some(block) = self.sm.blocks[slot as usize].as_ref() else { return false };
        let logical = block.of(iteration);
        let thread = |join: &Join, lane: usize| logical.place(LogicalThread(join.ptx_warp * ptx_width + lane as u32), width);
        let waits = |join: &Join| {
            active(join.arrived()).any(|lane| holder(self.machine, self.sm, block.first_warp, thread(join, lane)) == warp)
        };
        logical.joins.iter().any(waits)
    }

    /// Moves a held warp behind the instruction at which it waited.
    fn resume(&mut self, warp: u32) {
        self.sm.sets.sync.remove(warp);
        self.sm.issued.freed_from_sync.insert(warp);
        self.hold(warp, false);
        self.go_on_held(warp);
    }

    /// Handles the exit of threads of a warp.
    #[inline]
    pub fn exit_threads(&mut self, warp: u32, mask: u32) {
        if !self.machine.keeps_warps() {
            return self.exit_members(warp, mask);
        }
        let state = &self.sm.warps[warp as usize];
        let Assignment { iteration, first, .. } = state.assignment;
        if self.machine.program.wrapper.is_none() {
            self.exit_of_block(state.block, iteration, first, mask);
        } else if mask != 0 {
            // All lanes agree on whether there is another logical block.
            self.leave(state.block);
        }
    }

    /// Handles the exit of threads of a table entry, static warp by static warp.
    #[inline(never)]
    fn exit_members(&mut self, warp: u32, mask: u32) {
        let is_virtual = self.machine.program.wrapper.is_some();
        let members = self.sm.warps[warp as usize].members.only(mask);
        for (origin, lanes) in members.parts() {
            let state = &mut self.sm.statics.warps[usize::from(origin)];
            state.live &= !lanes;
            let (slot, first, is_over) = (state.block, state.first_thread.own(), state.live == 0);
            let iteration = self.sm.blocks[usize::from(slot)].as_ref().map_or(0, |block| block.current.iteration);
            if is_over {
                self.emit(Event::WarpExit { sm: self.name, warp: origin });
            }
            if is_virtual {
                if is_over {
                    self.leave(slot);
                }
                continue;
            }
            self.exit_of_block(slot, iteration, first, lanes);
            if is_over {
                self.warp_ended(slot, iteration);
            }
        }
    }

    /// Notes that a static warp has exited: with `exits_wait` it counts as waiting at an implicit barrier at the block's end.
    pub fn warp_ended(&mut self, slot: u16, iteration: u32) {
        if self.machine.config.exits_wait {
            self.hit_barrier(slot, iteration);
        }
    }

    /// Handles the exit of the lanes of `mask` of a static warp whose first thread is `first`.
    pub fn exit_of_block(&mut self, slot: u16, iteration: u32, first: LogicalThread, mask: u32) {
        let ptx_width = self.machine.config.ptx_warp;
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return };
        let logical = block.of_mut(iteration);
        logical.exited += mask.count_ones();
        self.sm.ended += u32::from(logical.exited == self.machine.start.shape.threads);
        let ptx_warp = first.ptx_warp(ptx_width) as usize;
        logical.exited_lanes[ptx_warp] |= mask << first.ptx_lane(ptx_width);
        let releases: Vec<Release> = active(mask).flat_map(|lane| logical.barriers.exit(first.plus(lane as u32))).collect();
        for release in releases {
            self.release(slot, iteration, &release);
        }
        let mut at = 0;
        while let Some(join) = self.sm.blocks[slot as usize].as_ref().and_then(|b| b.of(iteration).joins.get(at)) {
            let concerned = join.ptx_warp as usize == ptx_warp;
            if !(concerned && self.try_join(slot, iteration, at, None)) {
                at += 1;
            }
        }
    }
}
