//! Threads that wait for each other, whatever technique moves them: barriers of a block, operations of a PTX warp, exits.
//!
//! Arrivals are counted in threads of the logical block, so no divergence mechanism can get them wrong in its own way.

use super::core::Core;
use super::state::Join;
use crate::event::{Event, Sink};
use crate::interp::access::active;
use crate::interp::barrier::Release;
use crate::interp::lanes::Lanes;
use crate::interp::trap::Fault;
use crate::program::{Dst, Pc};
use crate::ptx::op::Op;

type LaneFault = (usize, Fault);

impl<S: Sink> Core<'_, S> {
    /// The lanes of `mask` arrive at a barrier; their warp waits, unless that completes it.
    pub fn arrive(&mut self, warp: u32, pc: Pc, mask: u32) -> Result<(), LaneFault> {
        let machine = self.machine;
        self.sm.warps[warp as usize].barrier_pc = pc;
        let (slot, lanes) = (self.sm.warps[warp as usize].block, self.sm.warps[warp as usize].lanes);
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return Ok(()) };
        let index = block.index;
        let exec = machine.exec(pc, machine.view(block.ctaid, self.name, self.cycle), &mut block.registers, &lanes, mask);
        let mut releases = Vec::new();
        let (mut waits, mut barrier) = (false, 0);
        for lane in active(mask) {
            let arrival = exec.arrival(lane);
            barrier = arrival.id as u8;
            waits |= arrival.waits;
            releases.extend(block.barriers.arrive(lanes.threads[lane], arrival).map_err(|fault| (lane, fault))?);
        }
        if mask != 0 {
            self.emit(Event::BarrierArrive { sm: self.name, warp: warp as u16, block: index, barrier, mask });
        }
        if waits {
            self.sm.sets.barrier.insert(warp);
        }
        for release in releases {
            self.release(slot, &release);
        }
        Ok(())
    }

    /// Lets the threads of a completed barrier go on.
    fn release(&mut self, slot: u16, release: &Release) {
        let machine = self.machine;
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return };
        for thread in release.threads.iter() {
            let warp = u32::from(block.first_warp) + thread / machine.config.warp_width;
            self.sm.sets.barrier.remove(warp);
            self.sm.issued.freed_from_barrier.insert(warp);
            let barrier = &machine.program.instructions[self.sm.warps[warp as usize].barrier_pc as usize];
            if let Op::BarrierReduce(reduce) = barrier.op
                && let Some(&Dst::Register { plane, .. }) = barrier.dst.first()
            {
                block.registers.set_word(plane, thread, release.result(reduce));
            }
        }
        let (index, barrier) = (block.index, release.id as u8);
        self.emit(Event::BarrierRelease { sm: self.name, block: index, barrier });
    }

    /// The lanes of `mask` come to an operation that their PTX warp must join; whether all are there and it has happened.
    pub fn join(&mut self, warp: u32, pc: Pc, mask: u32) -> Result<bool, LaneFault> {
        let machine = self.machine;
        let ptx_width = machine.config.ptx_warp;
        let instruction = &machine.program.instructions[pc as usize];
        let state = &self.sm.warps[warp as usize];
        let (slot, lanes, first) = (state.block, state.lanes, state.first_thread);
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return Ok(true) };
        let exec = machine.exec(pc, machine.view(block.ctaid, self.name, self.cycle), &mut block.registers, &lanes, mask);
        let named = exec.get::<u32>(instruction.src.len() - 1);
        // Lanes that name different members are different gatherings.
        let mut rest = mask;
        let mut waiting = false;
        while rest != 0 {
            let leader = rest.trailing_zeros() as usize;
            let members = named[leader];
            let group = active(rest).filter(|&lane| named[lane] == members).fold(0u32, |group, lane| group | 1 << lane);
            rest &= !group;
            for lane in active(group) {
                let own = (first + lane as u32) % ptx_width;
                if members >> own & 1 == 0 {
                    return Err((lane, Fault::NotAMember { members, lane: own }));
                }
            }
            let ptx_warp = first / ptx_width;
            let arrived = group << (first % ptx_width);
            let Some(block) = self.sm.blocks[slot as usize].as_mut() else { continue };
            let is_barrier = instruction.op == Op::WarpBarrier;
            let same = |j: &Join| {
                let place = j.pc == pc || is_barrier && machine.program.instructions[j.pc as usize].op == Op::WarpBarrier;
                j.ptx_warp == ptx_warp && j.members == members && place
            };
            let at = block.joins.iter().position(same).unwrap_or_else(|| {
                block.joins.push(Join { ptx_warp, pc, members, arrived: 0 });
                block.joins.len() - 1
            });
            block.joins[at].arrived |= arrived;
            waiting |= !self.try_join(slot, at, Some(warp));
        }
        if waiting {
            self.sm.sets.sync.insert(warp);
        }
        Ok(!waiting)
    }

    /// Performs a gathered operation if nobody is missing any more. Its held warps go on; `issuing` does so by itself.
    fn try_join(&mut self, slot: u16, at: usize, issuing: Option<u32>) -> bool {
        let machine = self.machine;
        let (width, ptx_width) = (machine.config.warp_width, machine.config.ptx_warp);
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return true };
        let join = block.joins[at];
        if join.members & !block.exited_lanes[join.ptx_warp as usize] & !join.arrived != 0 {
            return false;
        }
        block.joins.swap_remove(at);
        let first = join.ptx_warp * ptx_width;
        let lanes = Lanes::<32>::warp(first, (machine.start.shape.threads - first).min(ptx_width));
        let view = machine.view(block.ctaid, self.name, self.cycle);
        machine.exec(join.pc, view, &mut block.registers, &lanes, join.arrived).warp();
        let (index, first_warp) = (block.index, u32::from(block.first_warp));
        // Lanes that still wait in another gathering of their PTX warp, and hold their warp back.
        let others = block.joins.iter().filter(|j| j.ptx_warp == join.ptx_warp).fold(0, |lanes, j| lanes | j.arrived);
        self.emit(Event::Joined { sm: self.name, block: index, pc: join.pc, mask: join.arrived });
        let part = if width >= 32 { u32::MAX } else { (1 << width) - 1 };
        for at in 0..ptx_width / width {
            let warp = first_warp + first / width + at;
            let lanes_in = |mask: u32| mask >> (at * width) & part != 0;
            if lanes_in(join.arrived) && !lanes_in(others) && Some(warp) != issuing && self.sm.sets.sync.contains(warp) {
                self.resume(warp);
            }
        }
        true
    }

    /// Threads are gone: barriers and gatherings no longer wait for them.
    pub fn exit_threads(&mut self, warp: u32, mask: u32) {
        let ptx_width = self.machine.config.ptx_warp;
        let state = &self.sm.warps[warp as usize];
        let (slot, first) = (state.block, state.first_thread);
        let Some(block) = self.sm.blocks[slot as usize].as_mut() else { return };
        block.exited += mask.count_ones();
        self.sm.ended += u32::from(block.exited == self.machine.start.shape.threads);
        let ptx_warp = (first / ptx_width) as usize;
        block.exited_lanes[ptx_warp] |= mask << (first % ptx_width);
        let releases: Vec<Release> = active(mask).flat_map(|_| block.barriers.exit()).collect();
        for release in releases {
            self.release(slot, &release);
        }
        let mut at = 0;
        while let Some(join) = self.sm.blocks[slot as usize].as_ref().and_then(|b| b.joins.get(at)) {
            let concerned = join.ptx_warp as usize == ptx_warp;
            if !(concerned && self.try_join(slot, at, None)) {
                at += 1;
            }
        }
    }
}
