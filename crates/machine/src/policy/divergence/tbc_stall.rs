//! Stall handling of TBC: what happens when every running warp of a block waits for other threads.
//!
//! The paper runs one side of a branch after the other. If a side waits at a barrier, or in an operation of its PTX warp, for
//! threads of the other side, this is a deadlock, which per-warp stacks do not have: warps that the program sends different ways
//! on purpose, as producers and consumers, meet at barriers. So when all warps of a block in the table are held, other threads of
//! the block run beside them, from the first of these sources that has any:
//!
//! 1. the topmost entry that waits for its turn;
//! 2. threads that have arrived at a branch or a reconvergence point while others of their entry are held: they continue as an
//!    entry of their own, which meets the others at their common RPC;
//! 3. threads that have reached a reconvergence point and wait there for sides that are held.

use super::Edits;
use super::block_stack::{BlockStack, EntryState, NO_ENTRY, take_away, unite};
use super::tbc::Tbc;

impl Tbc {
    /// Checks the blocks marked for a check, and lets other threads of stuck ones run; returns whether any do.
    pub(super) fn look_for_stalls(&mut self, out: &mut Edits) -> bool {
        let mut any = false;
        for slot in 0..self.blocks.len() as u16 {
            let Some(stack) = self.stack(slot) else { continue };
            if std::mem::take(&mut stack.check_stall) && stack.is_stuck() {
                any |= self.unstick(slot, out);
            }
        }
        any
    }

    fn unstick(&mut self, slot: u16, out: &mut Edits) -> bool {
        let Some(stack) = self.stack(slot) else { return false };
        let pending = stack.entries.iter().rfind(|e| e.state == EntryState::Pending && e.mask.iter().any(|&m| m != 0));
        if let Some(id) = pending.map(|entry| entry.id) {
            self.run(slot, id);
            return true;
        }
        if let Some(id) = stack.split_arrived() {
            self.finish(slot, id, out);
            return true;
        }
        if let Some(id) = stack.split_reached() {
            self.run(slot, id);
            return true;
        }
        false
    }
}

impl BlockStack {
    /// Whether all warps that have not arrived are held.
    fn is_stuck(&self) -> bool {
        let running = self.entries.iter().filter(|e| e.state == EntryState::Running).map(|e| e.wcnt).sum::<u16>();
        running > 0 && running == self.held
    }

    /// Splits the arrived threads of a running entry into an entry of their own.
    fn split_arrived(&mut self) -> Option<u32> {
        let entry = self.entries.iter_mut().rfind(|e| e.state == EntryState::Running && !e.arrivals.is_empty())?;
        let (id, arrivals) = (entry.id, std::mem::take(&mut entry.arrivals));
        let sibling = self.sibling(id);
        for part in &arrivals {
            take_away(&mut self.entry(id)?.mask, &part.mask);
            unite(&mut self.entry(sibling)?.mask, &part.mask);
        }
        self.entry(sibling)?.arrivals = arrivals;
        Some(sibling)
    }

    /// Splits the threads that wait at a reconvergence point into an entry of their own.
    fn split_reached(&mut self) -> Option<u32> {
        let entry = self.entries.iter_mut().rfind(|e| e.state == EntryState::Waiting && e.reached.iter().any(|&m| m != 0))?;
        let (id, reached) = (entry.id, std::mem::take(&mut entry.reached));
        take_away(&mut entry.mask, &reached);
        entry.met = false;
        let sibling = self.sibling(id);
        self.entry(sibling)?.mask = reached;
        (sibling != NO_ENTRY).then_some(sibling)
    }
}
