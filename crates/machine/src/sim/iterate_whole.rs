//! Virtual blocks that go on to their next logical block as a whole, where warps re-form (VTW section 4.4).
//!
//! Only threads of one iteration are compacted with each other, so no thread of a virtual block begins the next logical block
//! before all have ended the current one.

use super::core::Core;
use super::logical::StorageThread;
use crate::event::{Event, Sink};
use warpscope_kernel::interp::lanes::Lanes;

impl<S: Sink> Core<'_, S> {
    /// Ends the logical block for the lanes of `mask` of a warp, each in its static warp.
    pub fn end_iteration_whole(&mut self, warp: u32, mask: u32) {
        let members = self.sm.warps[warp as usize].members.only(mask);
        for (origin, lanes) in members.parts() {
            let state = &mut self.sm.statics.warps[usize::from(origin)];
            state.live &= !lanes;
            let (slot, first) = (state.block, state.first_thread.own());
            let iteration = self.sm.blocks[usize::from(slot)].as_ref().map_or(0, |block| block.current.iteration);
            self.exit_of_block(slot, iteration, first, lanes);
        }
    }

    /// Moves all threads of a virtual block, in their static warps, to its next logical block or to their end.
    pub fn turn_whole(&mut self, slot: u16, iteration: u32) {
        let machine = self.machine;
        let (width, threads) = (machine.config.warp_width, machine.start.shape.threads);
        let drawn = self.draw(slot, iteration);
        let Some(block) = self.sm.blocks[usize::from(slot)].as_ref() else { return };
        let (first_warp, warps, index) = (block.first_warp, block.warps, block.current.index);
        for at in 0..u32::from(warps) {
            let first = StorageThread(at * width);
            let lanes = Lanes::<32>::warp(first, (threads - first.0).min(width));
            let warp = first_warp + at as u16;
            self.sm.statics.warps[usize::from(warp)].live = lanes.mask;
            if drawn {
                self.freshen(slot, &lanes);
                let first_thread = first.own().0;
                self.emit(Event::Assigned { sm: self.name, slot, warp, block: index, iteration, first_thread });
            }
        }
        self.unit(|unit, _| unit.end_block(slot));
        self.start_warps(slot, first_warp, self.head());
    }
}
