//! Virtual blocks: how their warps go from one logical block to the next (VTW sections 4.2 and 4.4).
//!
//! A warp whose threads have all jumped to the head of the loop takes its next logical block there: one that a sibling has
//! drawn before it, or a new one from the dispenser that the whole GPU shares. It may be one logical block ahead of its
//! siblings, and waits rather than be two ahead. A warp that is ahead also waits at an access to shared memory until its
//! siblings have ended their block, because a virtual block has one shared memory for all of its logical blocks.
//!
//! This file has what all virtual blocks need, and those that go on warp by warp; [`super::iterate_whole`] has the others.

use super::core::Core;
use super::logical::{Assignment, Logical, LogicalThread, StorageThread};
use super::state::Warp;
use crate::config::ThreadIndexKind;
use crate::event::{Event, Sink};
use crate::policy::dispatch::{ThreadIndices, WarpRecord};
use warpscope_kernel::interp::access::active;
use warpscope_kernel::interp::lanes::Lanes;
use warpscope_kernel::program::Pc;
use warpscope_kernel::ptx::op::Op;
use warpscope_kernel::ptx::types::Space;

impl<S: Sink> Core<'_, S> {
    /// The head of the loop over logical blocks.
    pub fn head(&self) -> Pc {
        self.machine.program.wrapper.as_ref().map_or(0, |wrapper| wrapper.head)
    }

    /// Threads for which a resident block has storage: whole warps where these can hold other threads than their own.
    pub fn stored_threads(&self) -> u32 {
        let machine = self.machine;
        let threads = machine.start.shape.threads;
        if machine.iterates_by_warp() { machine.block_warps * machine.config.warp_width } else { threads }
    }

    /// Returns how many lanes the static warp that begins at `first` starts with. Lanes that may hold threads of another warp
    /// later run the code in front of the loop over blocks, too.
    pub fn first_lanes(&self, first: StorageThread) -> u32 {
        let machine = self.machine;
        let (width, own) = (machine.config.warp_width, machine.start.shape.threads - first.0);
        let moves = machine.program.wrapper.is_some() && machine.config.thread_index != ThreadIndexKind::SameLane;
        if moves { width } else { own.min(width) }
    }

    /// Works out whether a warp's next instruction has to wait for siblings.
    pub fn check_siblings(&mut self, warp: u32) {
        let state = &self.sm.warps[warp as usize];
        let Some(block) = self.sm.blocks[usize::from(state.block)].as_ref() else { return };
        let op = self.machine.program.instructions[state.place.pc as usize].op;
        let iteration = state.assignment.iteration;
        let is_ahead = state.begun && iteration > block.current.iteration;
        let shares = is_ahead && touches_shared(op, self.machine.start.shape.shared_bytes);
        // A sibling that has ended its block and not taken the next yet is behind, too.
        let is_behind = |sibling: &Warp| sibling.assignment.iteration < iteration;
        let siblings = usize::from(block.first_warp)..usize::from(block.first_warp + block.warps);
        let would_be_two = || is_ahead || state.begun && self.sm.warps[siblings].iter().any(is_behind);
        let waits = op == Op::NextBlock && would_be_two();
        self.sm.sets.siblings.set(warp, shares);
        self.sm.sets.ahead.set(warp, waits);
    }

    /// Gives the lanes of `mask`, threads of the block in `slot`, their next logical block.
    #[inline(never)]
    pub fn next_block(&mut self, warp: u32, slot: u16, pc: Pc, mask: u32) {
        let machine = self.machine;
        let (mask, more) = self.ask_for_block(warp, slot, mask);
        let lanes = self.sm.warps[warp as usize].lanes;
        let iteration = self.sm.warps[warp as usize].assignment.iteration;
        let Some(block) = self.sm.blocks[usize::from(slot)].as_mut() else { return };
        let (index, view) = (block.of(iteration).index, machine.view([0; 3], self.name, self.cycle));
        let mut exec = machine.exec(pc, view, &mut block.registers, &lanes, mask);
        exec.put(0, &[index as u32; 32]);
        exec.put_mask(1, if more { mask } else { 0 });
    }

    /// Assigns a warp its next logical block and threads of it; returns whether there is one.
    pub fn take_block(&mut self, warp: u32, slot: u16) -> bool {
        let width = self.machine.config.warp_width;
        let threads = self.machine.start.shape.threads;
        let Assignment { iteration, .. } = self.sm.warps[warp as usize].assignment;
        if self.sm.warps[warp as usize].begun {
            if !self.draw(slot, iteration + 1) {
                return false;
            }
            let Some(block) = self.sm.blocks[usize::from(slot)].as_mut() else { return false };
            let own = warp as u16 - block.first_warp;
            let logical = block.of_mut(iteration + 1);
            let number = logical.indices.take(own);
            logical.seats[usize::from(number)] = own;
            let first = LogicalThread(u32::from(number) * width);
            let assignment = Assignment { block: logical.index, iteration: iteration + 1, first };
            self.sm.warps[warp as usize].assignment = assignment;
        }
        let state = &mut self.sm.warps[warp as usize];
        let Assignment { block, iteration, first } = state.assignment;
        state.lanes = state.lanes.assigned(first, (threads - first.0).min(width));
        (state.begun, state.progress) = (true, 0);
        let lanes = state.lanes;
        self.freshen(slot, &lanes);
        let (sm, warp) = (self.name, warp as u16);
        self.emit(Event::Assigned { sm, slot, warp, block, iteration, first_thread: first.0 });
        // A sibling that waited only for this warp can go on.
        let own = self.sm.blocks[usize::from(slot)].as_ref().map(|block| block.first_warp..block.first_warp + block.warps);
        for sibling in own.into_iter().flatten().map(u32::from) {
            if self.sm.sets.ahead.contains(sibling) {
                self.check_siblings(sibling);
            }
        }
        true
    }

    /// Draws the logical block of an iteration for a resident block that lacks it; returns whether there is one.
    pub fn draw(&mut self, slot: u16, iteration: u32) -> bool {
        let machine = self.machine;
        let Some(block) = self.sm.blocks[usize::from(slot)].as_mut() else { return false };
        if block.current.iteration == iteration || block.next.is_some() {
            return true;
        }
        block.over |= self.uncore.next_block >= machine.start.shape.blocks();
        if block.over {
            return false;
        }
        let index = self.uncore.next_block;
        self.uncore.next_block += 1;
        let mut logical = Logical::new(&machine.start.shape, &machine.config, index, iteration);
        // A warp number of the iteration before that no warp has taken yet has made no progress.
        let mut records: Vec<WarpRecord> = (0..block.warps).map(|number| WarpRecord { number, progress: 0 }).collect();
        for state in &self.sm.warps[usize::from(block.first_warp)..usize::from(block.first_warp + block.warps)] {
            if machine.iterates_by_warp() && state.assignment.iteration + 1 == iteration {
                records[(state.assignment.first.0 / machine.config.warp_width) as usize].progress = state.progress;
            }
        }
        logical.indices = ThreadIndices::new(machine.config.thread_index, records);
        logical.seats = (0..block.warps).collect();
        if block.current.ended {
            block.current = logical;
            block.shared.clear();
        } else {
            block.next = Some(logical);
        }
        self.emit(Event::LogicalStart { sm: self.name, slot, block: index, iteration });
        true
    }

    /// Resets the registers and local memory that a thread may read before it writes them.
    pub fn freshen(&mut self, slot: u16, lanes: &Lanes<32>) {
        let Some(wrapper) = &self.machine.program.wrapper else { return };
        let Some(block) = self.sm.blocks[usize::from(slot)].as_mut() else { return };
        for thread in active(lanes.mask).map(|lane| lanes.threads[lane]) {
            wrapper.cleared.iter().for_each(|&plane| block.registers.set_word(plane, thread, 0));
            block.local.clear_thread(thread);
        }
    }

    /// Ends the logical block for the lanes of `mask` of a warp.
    pub fn end_iteration(&mut self, warp: u32, mask: u32) {
        if !self.machine.keeps_warps() {
            return self.end_iteration_whole(warp, mask);
        }
        let state = &self.sm.warps[warp as usize];
        let Assignment { iteration, first, .. } = state.assignment;
        self.exit_of_block(state.block, iteration, first, mask);
    }

    /// Counts a warp of the virtual block in `slot` as exited for good.
    pub fn leave(&mut self, slot: u16) {
        let Some(block) = self.sm.blocks[usize::from(slot)].as_mut() else { return };
        block.left += 1;
        self.sm.ended += u32::from(block.left == u32::from(block.warps));
    }

    /// Ends, after a cycle, a logical block whose threads have all ended, and makes room for the one after it.
    pub fn turn(&mut self, slot: usize) {
        let threads = self.machine.start.shape.threads;
        let Some(block) = self.sm.blocks[slot].as_mut() else { return };
        if block.current.exited < threads || block.current.ended {
            return;
        }
        block.current.ended = true;
        let (index, iteration) = (block.current.index, block.current.iteration);
        self.uncore.blocks_done += 1;
        if let Some(next) = block.next.take() {
            block.current = next;
            block.shared.clear();
        }
        let own = u32::from(block.first_warp)..u32::from(block.first_warp + block.warps);
        self.emit(Event::LogicalEnd { sm: self.name, slot: slot as u16, block: index, iteration });
        self.logical_ended(slot as u16, own, iteration);
    }
}

/// Whether an operation may touch the block's shared memory of `bytes`.
fn touches_shared(op: Op, bytes: u32) -> bool {
    let space = match op {
        Op::Load(access) | Op::Store(access) => access.space,
        Op::Atom { space, .. } => space,
        _ => return false,
    };
    match space {
        Space::Shared => true,
        Space::Generic => bytes > 0,
        Space::Global | Space::Local | Space::Const | Space::Param => false,
    }
}
