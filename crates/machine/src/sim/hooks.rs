//! Where techniques take part in a cycle: the stages call these functions, which alone ask what parts a machine has.
//!
//! Warps that re-form (DWF, TBC) leave the table when they are dispersed and come back through the control-flow unit. Gangs
//! (VWS) split before issue and merge after it. Lanes (Origami) are gated and woken before issue and reported after it.
//! Virtual blocks (VTW) turn to their next logical block when all threads of the current one have ended.

use super::Machine;
use super::core::{Core, try_depart};
use super::logical::Assignment;
use super::state::{Block, Sm, Warp};
use crate::config::GatingKind;
use crate::event::{Event, Reasons, SCATTERED, Sink};
use crate::policy::divergence::Place;
use std::ops::Range;

impl Machine {
    /// Whether resident blocks run several logical blocks, and each warp goes on to the next by itself.
    pub fn iterates_by_warp(&self) -> bool {
        self.program.wrapper.is_some() && self.keeps_warps()
    }
}

impl<S: Sink> Core<'_, S> {
    #[inline(always)]
    fn lanes_sleep(&self) -> bool {
        self.machine.config.gating != GatingKind::Off
    }

    /// Runs the techniques' work before issue.
    #[inline(always)]
    pub fn before_issue(&mut self) {
        if self.machine.reforms {
            self.depart();
            self.sm.statics.issued.clear(self.machine.static_words);
        }
        if self.machine.config.gangs {
            self.split_on_memory();
        }
        if self.lanes_sleep() {
            self.power();
        }
    }

    /// Runs the techniques' work after issue; returns whether it changed anything.
    #[inline(always)]
    pub fn after_issue(&mut self) -> bool {
        let mut busy = false;
        if self.lanes_sleep() {
            self.tell_lanes();
        }
        if self.machine.reforms || !self.sm.resumed.is_empty() {
            busy |= self.control_flow();
        }
        if self.machine.config.gangs {
            busy |= self.regroup();
        }
        busy
    }

    /// Whether a technique will act in the next cycle. A warp that waits for lanes requests them again in every cycle.
    #[inline(always)]
    pub fn will_change(&self) -> bool {
        self.waits_for_lanes() || self.will_merge()
    }

    /// Updates the techniques after the accounts of this cycle and of the `repeat - 1` that are like it.
    #[inline(always)]
    pub fn after_account(&mut self, repeat: u64) {
        if self.lanes_sleep() {
            self.pass_over_lanes(self.cycle + repeat - 1);
        }
        if self.machine.config.gangs {
            self.note_passed_over(repeat);
        }
        if self.sm.patience.is_bound() {
            self.note_waiting(repeat);
        }
        if self.machine.config.gang_reform
            && let Some(gangs) = self.sm.gangs.as_mut()
        {
            gangs.skip_checks(repeat - 1);
        }
    }

    /// Called when a warp has reached its next instruction.
    #[inline(always)]
    pub fn at_next_instruction(&mut self, warp: u32) {
        if self.machine.iterates_by_warp() {
            self.check_siblings(warp);
        }
    }

    /// Gives lanes of a warp their next logical block; returns which lanes get an answer, and whether there is a block.
    pub fn ask_for_block(&mut self, warp: u32, slot: u16, mask: u32) -> (u32, bool) {
        if self.machine.iterates_by_warp() {
            let more = self.take_block(warp, slot);
            return (self.sm.warps[warp as usize].lanes.mask, more);
        }
        let over = self.sm.blocks[usize::from(slot)].as_ref().is_none_or(|block| block.over);
        (mask, !over)
    }

    /// Called when a logical block of the virtual block in `slot`, whose warps are `own`, has ended.
    pub fn logical_ended(&mut self, slot: u16, own: Range<u32>, iteration: u32) {
        if self.machine.iterates_by_warp() {
            own.for_each(|warp| self.check_siblings(warp));
        } else {
            self.turn_whole(slot, iteration + 1);
        }
    }

    /// Returns the reasons of 64 static warps: their own, or those of the table entries that hold their threads.
    #[inline(always)]
    pub fn reasons_in(&self, word: usize) -> Reasons {
        if self.machine.reforms { self.reasons_of_threads(word) } else { self.reasons(word) }
    }

    /// Returns the first thread of a warp that issues, or [`SCATTERED`] where warps re-form.
    #[inline(always)]
    pub fn first_thread(&self, assignment: Assignment) -> u32 {
        if self.machine.reforms { SCATTERED } else { assignment.first.0 }
    }

    /// Called when a warp of the table has issued.
    #[inline(always)]
    pub fn has_issued(&mut self, warp: u32) {
        if self.machine.reforms {
            self.mark_issued(warp);
        }
    }

    /// Called when a warp has reached another place, or has ended.
    #[inline(always)]
    pub fn moved(&mut self, warp: u32) {
        if let Some(gangs) = self.sm.gangs.as_mut() {
            gangs.moved.insert(warp);
        }
    }

    /// Called when all static warps of a block have started.
    #[inline(always)]
    pub fn block_started(&mut self, slot: u16, first_warp: u32) {
        let (machine, slices) = (self.machine, self.machine.config.slices);
        if machine.reforms {
            self.start_warps(slot, first_warp as u16, 0);
        }
        if let Some(gangs) = self.sm.gangs.as_mut() {
            for at in (0..machine.block_warps).step_by(slices as usize) {
                let members = (machine.block_warps - at).min(slices);
                gangs.start((first_warp + at) / slices, (0xff >> (8 - members)) as u8);
            }
        }
    }

    /// Whether all warps of a resident block are done with it.
    pub fn has_ended(&self, block: &Block) -> bool {
        match self.machine.program.wrapper {
            Some(_) => block.left >= u32::from(block.warps),
            None => block.current.exited >= self.machine.start.shape.threads,
        }
    }

    /// Called before the machine checks whether the block in a slot has ended.
    pub fn before_end(&mut self, slot: usize) {
        if self.machine.program.wrapper.is_some() {
            self.turn(slot);
        }
    }

    /// Called when a static warp of an ended block is no longer resident.
    pub fn static_warp_ended(&mut self, warp: u32) {
        if !self.machine.reforms {
            self.sm.sets.resident.remove(warp);
            self.sm.sets.wants_fetch.remove(warp);
        }
    }

    /// Whether freeing a slot completes a block of the launch; logical blocks are counted when they end.
    pub fn ends_with_its_slot(&self) -> bool {
        self.machine.program.wrapper.is_none()
    }
}

/// Whether resident warps still have to exit after all blocks of the launch are done: those of a virtual block exit only after
/// its last logical block.
#[inline(always)]
pub fn outlive_the_launch(machine: &Machine, sms: &[Sm]) -> bool {
    machine.program.wrapper.is_some() && sms.iter().any(|sm| sm.blocks.iter().any(Option::is_some))
}

/// Called when a load of a warp has come back.
#[inline(always)]
pub fn load_is_back(sm: &mut Sm, warp: u16) {
    if let Some(gangs) = sm.gangs.as_mut() {
        let row = gangs.row_of(warp.into());
        gangs.answered.insert(row);
    }
}

/// Called when the result of a warp's instruction is available.
#[inline(always)]
pub fn result_is_there(machine: &Machine, sm: &mut Sm, warp: u16) {
    if machine.reforms {
        try_depart(sm, warp);
    }
}

/// Announces the warps that are resident before the first cycle, where those can re-form.
pub fn announce_warps<S: Sink>(machine: &Machine, sm: &Sm, name: u16, sink: &mut S) {
    if !machine.reforms {
        return;
    }
    for warp in sm.sets.resident.iter(sm.sets.words) {
        let (Warp { place: Place { pc, mask }, members, .. }, warp) = (&sm.warps[warp as usize], warp as u16);
        sink.event(0, Event::Formed { sm: name, warp, pc: *pc, mask: *mask });
        for (origin, mask) in members.parts() {
            sink.event(0, Event::Member { sm: name, warp, origin, mask });
        }
    }
}
