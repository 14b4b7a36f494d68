//! Blocks: which ones fit on an SM, where their warps go, and when they end.

use super::core::Core;
use super::logical::{Assignment, Logical};
use super::state::{Block, StaticWarp};
use crate::event::{Event, Sink};
use crate::policy::divergence::{Members, Place};
use warpscope_kernel::interp::lanes::{Lanes, Registers};
use warpscope_kernel::interp::memory::{Local, Shared};
use warpscope_kernel::interp::thread::StorageThread;

impl<S: Sink> Core<'_, S> {
    /// Registers that a block takes.
    fn block_registers(&self) -> u32 {
        self.machine.program.registers_needed.max(1) * self.machine.block_threads()
    }

    /// Returns the slot and the first warp for the next block, if one is left and fits.
    #[inline(never)]
    fn room(&self) -> Option<(usize, u32)> {
        let (machine, config) = (self.machine, &self.machine.config);
        if self.uncore.next_block >= machine.start.shape.blocks() {
            return None;
        }
        let slot = self.sm.blocks.iter().position(Option::is_none)?;
        if self.sm.registers_used + self.block_registers() > config.registers
            || self.sm.shared_used + machine.start.shape.shared_bytes > config.shared_memory
            || self.sm.threads_used + machine.block_threads() > config.max_threads
        {
            return None;
        }
        // Neighbouring warp slots that begin at the first slice: the lowest free run that is long enough.
        let warps = machine.block_threads() / config.warp_width;
        let mut run = 0;
        for first in (0..machine.max_warps).step_by(config.slices as usize) {
            let is_free = (first..first + config.slices).all(|warp| !self.sm.statics.resident.contains(warp));
            run = if is_free { run + config.slices } else { 0 };
            if run == warps {
                return Some((slot, first + config.slices - warps));
            }
        }
        None
    }

    /// Whether [`Core::dispatch`] or [`Core::end_blocks`] would do anything.
    pub fn will_dispatch(&self) -> bool {
        self.sm.ended > 0 || self.sm.may_dispatch && self.room().is_some()
    }

    /// Starts as many blocks as fit; with several SMs, one block a cycle and SM, so that the SMs share the work.
    pub fn dispatch(&mut self) {
        if !self.sm.may_dispatch {
            return;
        }
        while let Some((slot, first_warp)) = self.room() {
            self.start_block(slot, first_warp);
            if self.machine.config.sms > 1 {
                return;
            }
        }
        self.sm.may_dispatch = false;
    }

    #[inline(never)]
    fn start_block(&mut self, slot: usize, first_warp: u32) {
        let machine = self.machine;
        let (config, shape, program) = (&machine.config, &machine.start.shape, &machine.program);
        let index = self.uncore.next_block;
        self.uncore.next_block += 1;
        let mut registers = Registers::new(program.planes, self.stored_threads());
        registers.set_params(&program.param_registers, &machine.start.params);
        self.sm.blocks[slot] = Some(Block {
            first_warp: first_warp as u16,
            warps: machine.block_warps as u16,
            registers,
            shared: Shared::new(shape.shared_bytes),
            local: Local::new(program.local_bytes, self.stored_threads()),
            index,
            current: Logical::new(shape, config, index, 0),
            next: None,
            over: false,
            left: 0,
        });
        self.sm.registers_used += self.block_registers();
        self.sm.shared_used += shape.shared_bytes;
        self.sm.threads_used += machine.block_threads();
        self.emit(Event::BlockStart {
            sm: self.name,
            slot: slot as u16,
            block: index,
            first_warp: first_warp as u16,
            warps: machine.block_warps as u16,
        });
        for at in 0..machine.block_warps {
            self.start_warp(slot as u16, first_warp + at, StorageThread(at * config.warp_width), index);
        }
        self.block_started(slot as u16, first_warp);
    }

    fn start_warp(&mut self, slot: u16, warp: u32, first_thread: StorageThread, block: u64) {
        let machine = self.machine;
        let lanes = Lanes::<32>::warp(first_thread, self.first_lanes(first_thread));
        self.sm.statics.resident.insert(warp);
        self.sm.statics.warps[warp as usize] = StaticWarp { block: slot, first_thread, live: lanes.mask };
        if !machine.keeps_warps() {
            return;
        }
        let place = Place { pc: 0, mask: lanes.mask };
        self.unit(|unit, _| unit.start(warp as u16, place));
        if machine.waits_by_thread {
            self.seat_at_home(&Members::of(warp as u16, lanes.mask));
        }
        let state = &mut self.sm.warps[warp as usize];
        state.assignment = Assignment { block, iteration: 0, first: first_thread.own() };
        (state.begun, state.progress) = (false, 0);
        (state.block, state.first_thread, state.lanes, state.place) = (slot, first_thread, lanes, place);
        state.life = state.life.wrapping_add(1);
        state.fetch_life = state.fetch_life.wrapping_add(1);
        (state.filled, state.fetching) = (0, false);
        (state.in_flight, state.accesses, state.loads) = (0, 0, 0);
        state.pending.fill(0);
        state.from_memory.fill(0);
        self.sm.age[warp as usize] = self.uncore.dispatched;
        self.uncore.dispatched += 1;
        let sets = &mut self.sm.sets;
        sets.admit(warp);
        for set in [&mut sets.siblings, &mut sets.ahead] {
            set.remove(warp);
        }
        for set in [&mut sets.exited, &mut sets.barrier, &mut sets.sync, &mut sets.meeting, &mut sets.control, &mut sets.loading]
        {
            set.remove(warp);
        }
        sets.unfetched.set(warp, !machine.config.ideal_fetch);
        sets.wants_fetch.set(warp, !machine.config.ideal_fetch);
        self.look_ahead(warp);
    }

    /// Frees the slots of blocks whose threads have all exited.
    #[inline]
    pub fn end_blocks(&mut self) {
        if self.sm.ended > 0 {
            self.free_slots();
        }
    }

    #[inline(never)]
    fn free_slots(&mut self) {
        (self.sm.ended, self.sm.may_dispatch) = (0, true);
        for slot in 0..self.sm.blocks.len() {
            self.before_end(slot);
            if !self.sm.blocks[slot].as_ref().is_some_and(|block| self.has_ended(block)) {
                continue;
            }
            let Some(block) = self.sm.blocks[slot].take() else { continue };
            for warp in u32::from(block.first_warp)..u32::from(block.first_warp + block.warps) {
                self.sm.statics.resident.remove(warp);
                self.static_warp_ended(warp);
            }
            self.unit(|unit, _| unit.end_block(slot as u16));
            self.sm.registers_used -= self.block_registers();
            self.sm.shared_used -= self.machine.start.shape.shared_bytes;
            self.sm.threads_used -= self.machine.block_threads();
            self.uncore.blocks_done += u64::from(self.ends_with_its_slot());
            self.emit(Event::BlockEnd { sm: self.name, slot: slot as u16, block: block.index });
        }
    }
}
