//! TBC: thread block compaction, with a reconvergence stack per block (TBC section 3).
//!
//! All warps of a block share one reconvergence stack. An entry has a PC, a reconvergence PC (RPC), a block-wide mask (the lanes
//! of each static warp) and WCnt, the number of its warps that have not arrived. The threads of the top entry run, in warps that
//! the [`compactor`] forms from its mask. A warp **arrives** when it executes a branch that may diverge, or reaches the entry's
//! RPC: it leaves the warp table once nothing of it is in flight, and WCnt is decremented. Warps arrive in any order; each adds
//! its threads to the block-wide masks of the sides. When WCnt is zero the sides are pushed, and the new top entry is compacted:
//! one warp a cycle.
//!
//! ```text
//!   an entry:  Pending ──top of the stack──► Running ──WCnt = 0, at a branch──► Waiting ──sides gone──► Pending
//!                                               └──────WCnt = 0, at its RPC──► popped
//!   a warp:    compactor ─► warp table ─► … ─► branch or RPC ─► drains ─► arrives
//! ```
//!
//! Figure 7: threads 1, 6 and 7 in the paper's numbering take C, and all threads reconverge at D:
//!
//! ```text
//!   A runs            both at the branch     C: one warp          B: two warps          D, as before A
//!   [A - 2 1111 1111] [D - 0 1111 1111]      [D - 0 1111 1111]    [D - 0 1111 1111]     [D - 2 1111 1111]
//!                     [B D 0 .234 5..8]      [B D 0 .234 5..8]    [B D 2 .234 5..8]
//!                     [C D 0 1... .67.]      [C D 1 1... .67.]
//! ```
//!
//! - Both sides of a branch that may diverge get an entry, even if no thread takes one; an empty entry is popped at once. A side
//!   that begins at the RPC needs none: its threads wait there already. Warps do not wait at a branch that the compiler marks as
//!   uniform (`bra.uni`), or that [`uniform`](warpscope_kernel::program::uniform) finds to be so.
//! - A branch whose RPC is that of its entry replaces the entry, as in [`pdom`](super::pdom): a loop does not fill the stack.
//! - Likely-convergence points (section 4) work as in [`pdom_lcp`](super::pdom_lcp), with block-wide masks. An entry that reaches
//!   its LPC is merged into the likely-convergence entry, unless that one has begun to run.
//! - Warps that uniform branches send different ways arrive at different points. When the last has arrived, each point gets an
//!   entry of its own.
//! - With the compactor switched off (`tbc_compaction = false`) static warps stay as compiled.
//! - [`tbc_stall`](super::tbc_stall) handles a block all of whose running warps wait for other threads.

use super::block_stack::{ArrivalPoint, Arrivals, BlockStack, EntryState, NO_ENTRY, Side, add, take_away, threads, unite};
use super::{BranchInfo, ControlFlow, Edits, Flow, Members, NEVER, NewBlock, Next, Place, compactor};
use crate::event::Event;
use std::collections::VecDeque;
use warpscope_kernel::program::Pc;

/// A warp in the warp table: its stack entry and its threads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BufferedWarp {
    /// The place of its block on the SM.
    pub slot: u16,
    pub(crate) entry: u32,
    pub(crate) members: Members,
    rpc: Pc,
    lpc: Pc,
    /// Where it arrives when nothing of it is in flight any more.
    pending: Option<PendingArrival>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct PendingArrival {
    at: ArrivalPoint,
    sides: Option<[Pc; 2]>,
    groups: Vec<Place>,
}

/// The block-wide stacks of an SM, and the warps that their entries have in the warp table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tbc {
    pub(super) sm: u16,
    /// By block slot.
    pub(super) blocks: Vec<Option<BlockStack>>,
    /// By entry of the warp table.
    buffer: Vec<Option<BufferedWarp>>,
    /// Number of static warps of the SM. Further table entries are for sides that run because another side is stuck.
    statics: u16,
    /// Entries whose masks wait for the compactor, by block slot and entry id.
    queue: VecDeque<(u16, u32)>,
    likely: bool,
    compaction: bool,
}

impl Tbc {
    pub(crate) fn new(sm: u16, warps: u32, entries: u32, likely: bool, compaction: bool) -> Tbc {
        Tbc {
            sm,
            blocks: Vec::new(),
            buffer: vec![None; entries as usize],
            statics: warps as u16,
            queue: VecDeque::new(),
            likely,
            compaction,
        }
    }

    /// Returns the stack of the block in a slot.
    pub fn block(&self, slot: u16) -> Option<&BlockStack> {
        self.blocks.get(usize::from(slot))?.as_ref()
    }

    /// Returns the warp in an entry of the warp table: the warp buffer of figure 8.
    pub fn buffered(&self, warp: u16) -> Option<&BufferedWarp> {
        self.buffer.get(usize::from(warp))?.as_ref()
    }

    pub(super) fn stack(&mut self, slot: u16) -> Option<&mut BlockStack> {
        self.blocks.get_mut(usize::from(slot))?.as_mut()
    }

    /// Records the arrival of a warp: adds its threads to the masks of its arrival point and sides.
    fn arrive(&mut self, warp: u16, buffered: BufferedWarp, out: &mut Edits) {
        let (sm, slot) = (self.sm, buffered.slot);
        let Some(pending) = buffered.pending else { return };
        let Some(stack) = self.stack(slot) else { return };
        stack.check_stall = true;
        let (first, n) = (stack.first_warp, usize::from(stack.warps));
        let depth = stack.entries.len();
        let Some(entry) = stack.entry(buffered.entry) else { return };
        entry.wcnt -= 1;
        let (wcnt, is_last) = (entry.wcnt, entry.wcnt == 0);
        let known = entry.arrivals.iter().position(|a| a.at == pending.at);
        let at = known.unwrap_or_else(|| {
            entry.arrivals.push(Arrivals { at: pending.at, mask: vec![0; n], sides: Vec::new() });
            entry.arrivals.len() - 1
        });
        let inherited =
            if matches!(pending.at, ArrivalPoint::Branch { rpc, .. } if rpc == entry.rpc) { entry.lpc } else { NEVER };
        let arrivals = &mut entry.arrivals[at];
        add(&mut arrivals.mask, &buffered.members, first);
        if let ArrivalPoint::Branch { pc, rpc, lpc } = pending.at {
            out.tell(Event::BlockArrive { sm, slot, warp, pc, wcnt });
            // The likely-convergence entry is below the sides.
            let needs_likely = lpc != NEVER && lpc != inherited;
            let depth = depth + usize::from(needs_likely);
            if known.is_none() && needs_likely {
                out.tell(Event::BlockPush { sm, slot, depth: depth as u16, pc: lpc, rpc });
            }
            let mut side = |arrivals: &mut Arrivals, pc: Pc| -> Option<usize> {
                if pc == rpc {
                    return None;
                }
                Some(arrivals.sides.iter().position(|side| side.pc == pc).unwrap_or_else(|| {
                    arrivals.sides.push(Side { pc, mask: vec![0; n] });
                    if pc != lpc {
                        let depth = depth + arrivals.sides.len() - usize::from(arrivals.sides.iter().any(|s| s.pc == lpc));
                        out.tell(Event::BlockPush { sm, slot, depth: depth as u16, pc, rpc });
                    }
                    arrivals.sides.len() - 1
                }))
            };
            if known.is_none() {
                pending.sides.into_iter().flatten().for_each(|pc| {
                    side(arrivals, pc);
                });
            }
            for group in &pending.groups {
                if let Some(at) = side(arrivals, group.pc) {
                    add(&mut arrivals.sides[at].mask, &buffered.members.only(group.mask), first);
                }
            }
        } else {
            let pc = if pending.at == ArrivalPoint::Rpc { buffered.rpc } else { buffered.lpc };
            out.tell(Event::BlockArrive { sm, slot, warp, pc, wcnt });
        }
        if is_last {
            self.finish(slot, buffered.entry, out);
        }
    }

    /// Handles an entry whose last warp has arrived or exited.
    pub(super) fn finish(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let Some(stack) = self.stack(slot) else { return };
        let Some(entry) = stack.entry(id) else { return };
        let arrivals = std::mem::take(&mut entry.arrivals);
        // Each arrival point continues by itself: the first keeps the entry, the others get siblings of it.
        let ids: Vec<u32> = (0..arrivals.len()).map(|n| if n == 0 { id } else { stack.sibling(id) }).collect();
        if arrivals.is_empty() {
            self.remove(slot, id, out);
        }
        for (id, arrivals) in ids.into_iter().zip(arrivals) {
            self.settle(slot, id, arrivals, out);
        }
        self.run_next(slot, out);
    }

    /// Continues an entry all of whose threads have arrived at one point.
    fn settle(&mut self, slot: u16, id: u32, arrivals: Arrivals, out: &mut Edits) {
        let Some(entry) = self.stack(slot).and_then(|stack| stack.entry(id)) else { return };
        entry.mask = arrivals.mask;
        match arrivals.at {
            ArrivalPoint::Rpc => self.reach(slot, id, out),
            ArrivalPoint::Lpc => self.merge(slot, id, out),
            ArrivalPoint::Branch { rpc, lpc, .. } => self.branch(slot, id, rpc, lpc, &arrivals.sides, out),
        }
    }

    /// Pops an entry that is at its reconvergence point; its threads join the entry that waits there.
    fn reach(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let Some(stack) = self.stack(slot) else { return };
        let Some(entry) = stack.entry(id) else { return };
        let (parent, mask) = (entry.parent, std::mem::take(&mut entry.mask));
        stack.join(parent, &mask);
        self.remove(slot, id, out);
    }

    /// Merges an entry that is at its likely-convergence point into the entry that waits there.
    fn merge(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let sm = self.sm;
        let Some(stack) = self.stack(slot) else { return };
        let Some(entry) = stack.entry(id) else { return };
        let (pc, lpos, mask) = (entry.lpc, entry.lpos, entry.mask.clone());
        (entry.pc, entry.state) = (pc, EntryState::Pending);
        let position = stack.entries.iter().position(|e| e.id == lpos && e.state == EntryState::Pending && e.pc == pc);
        match position {
            Some(at) => {
                let likely = &mut stack.entries[at].mask;
                let waited = threads(likely);
                unite(likely, &mask);
                out.tell(Event::BlockMerge { sm, slot, position: at as u16, pc, threads: threads(&mask) });
                if waited > 0 {
                    out.tell(Event::BlockMet { sm, slot, pc, threads: threads(likely) });
                }
                self.remove(slot, id, out);
            }
            // The likely-convergence entry has begun to run or is gone: this entry continues by itself.
            None => {
                if let Some(entry) = stack.entry(id) {
                    (entry.lpc, entry.lpos) = (NEVER, NO_ENTRY);
                }
            }
        }
    }

    /// Pushes the sides of a branch that all threads of an entry have executed.
    fn branch(&mut self, slot: u16, id: u32, rpc: Pc, lpc: Pc, sides: &[Side], out: &mut Edits) {
        let sm = self.sm;
        let Some(stack) = self.stack(slot) else { return };
        let Some(at) = stack.entries.iter().position(|e| e.id == id) else { return };
        let n = usize::from(stack.warps);
        let entry = &mut stack.entries[at];
        let replaced = rpc == entry.rpc;
        let (mut side_lpc, mut side_lpos) = if replaced { (entry.lpc, entry.lpos) } else { (NEVER, NO_ENTRY) };
        let mut waits = entry.mask.clone();
        sides.iter().for_each(|side| take_away(&mut waits, &side.mask));
        let parent = if replaced { entry.parent } else { id };
        let above = if replaced {
            stack.entries.remove(at);
            out.tell(Event::BlockPop { sm, slot, depth: stack.entries.len() as u16 });
            at
        } else {
            (entry.pc, entry.state, entry.reached, entry.met) = (rpc, EntryState::Waiting, vec![0; n], false);
            at + 1
        };
        let mut new = Vec::new();
        if lpc != NEVER && lpc != side_lpc {
            let mut likely = stack.fresh(lpc, rpc, parent, vec![0; n]);
            (likely.lpc, likely.lpos) = (side_lpc, side_lpos);
            (side_lpc, side_lpos) = (lpc, likely.id);
            new.push(likely);
        }
        // The first side, the taken one, is pushed last.
        for side in sides.iter().rev() {
            let is_empty = side.mask.iter().all(|&mask| mask == 0);
            if is_empty {
                // An entry without threads is popped at once.
                out.tell(Event::BlockPop { sm, slot, depth: (stack.entries.len() + new.len()) as u16 });
                continue;
            }
            let mut entry = stack.fresh(side.pc, rpc, parent, side.mask.clone());
            (entry.lpc, entry.lpos) = (side_lpc, side_lpos);
            new.push(entry);
        }
        stack.join(parent, &waits);
        if let Some(parent) = stack.entry(parent) {
            parent.children += new.len() as u16;
            parent.children -= u16::from(replaced);
        }
        // Sides that begin at the likely-convergence point wait there already.
        let at_lpc: Vec<u32> = new.iter().filter(|e| e.pc == side_lpc && e.lpos == side_lpos).map(|e| e.id).collect();
        stack.entries.splice(above..above, new);
        for id in at_lpc {
            self.merge(slot, id, out);
        }
        self.resume_if_free(slot, parent, out);
    }

    /// Removes an entry from the stack; the entry that waits for it may continue.
    fn remove(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let sm = self.sm;
        let Some(stack) = self.stack(slot) else { return };
        let Some(at) = stack.entries.iter().position(|e| e.id == id) else { return };
        let parent = stack.entries.remove(at).parent;
        out.tell(Event::BlockPop { sm, slot, depth: stack.entries.len() as u16 });
        if let Some(entry) = stack.entry(parent) {
            entry.children -= 1;
        }
        self.resume_if_free(slot, parent, out);
    }

    /// Lets an entry continue at its PC when all of its sides have returned.
    fn resume_if_free(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let sm = self.sm;
        let Some(entry) = self.stack(slot).and_then(|stack| stack.entry(id)) else { return };
        if entry.children > 0 || entry.state != EntryState::Waiting {
            return;
        }
        entry.state = EntryState::Pending;
        entry.reached.clear();
        let together = threads(&entry.mask);
        // Threads that all took the same side were never apart, so they do not meet.
        if entry.met {
            out.tell(Event::BlockMet { sm, slot, pc: entry.pc, threads: together });
        }
        if together == 0 {
            self.remove(slot, id, out);
        } else if entry.pc == entry.rpc {
            self.reach(slot, id, out);
        } else if entry.pc == entry.lpc {
            self.merge(slot, id, out);
        }
    }

    /// Runs the topmost entry that can run, unless another entry of the block is running.
    pub(super) fn run_next(&mut self, slot: u16, out: &mut Edits) {
        loop {
            let Some(stack) = self.stack(slot) else { return };
            stack.check_stall = true;
            if stack.entries.iter().any(|e| e.state == EntryState::Running) {
                return;
            }
            let Some(entry) = stack.entries.iter().rfind(|e| e.state == EntryState::Pending) else { return };
            let (id, is_empty) = (entry.id, entry.mask.iter().all(|&mask| mask == 0));
            if is_empty {
                self.remove(slot, id, out);
            } else {
                return self.run(slot, id);
            }
        }
    }

    /// Runs an entry: queues its mask for the compactor.
    pub(super) fn run(&mut self, slot: u16, id: u32) {
        let compaction = self.compaction;
        let Some(entry) = self.stack(slot).and_then(|stack| stack.entry(id)) else { return };
        entry.state = EntryState::Running;
        entry.todo.clone_from(&entry.mask);
        entry.wcnt = if compaction { compactor::warps(&entry.mask) } else { compactor::static_warps(&entry.mask) };
        self.queue.push_back((slot, id));
    }

    /// Forms one warp by the compactor; returns whether there was one to form.
    fn compact(&mut self, out: &mut Edits) -> bool {
        let Some(&(slot, id)) = self.queue.front() else { return false };
        let Some(stack) = self.blocks.get_mut(usize::from(slot)).and_then(Option::as_mut) else { return false };
        let own = stack.first_warp..stack.first_warp + stack.warps;
        let more = self.statics..self.buffer.len() as u16;
        let Some(warp) = own.chain(more).find(|&warp| self.buffer[usize::from(warp)].is_none()) else { return false };
        let first = stack.first_warp;
        let Some(entry) = stack.entry(id) else { return false };
        let pick = if self.compaction { compactor::pick } else { compactor::pick_static };
        let members = pick(&mut entry.todo, first);
        if entry.todo.iter().all(|&mask| mask == 0) {
            self.queue.pop_front();
        }
        let (pc, rpc, lpc) = (entry.pc, entry.rpc, entry.lpc);
        self.buffer[usize::from(warp)] = Some(BufferedWarp { slot, entry: id, members, rpc, lpc, pending: None });
        out.form(self.sm, warp, pc, members);
        true
    }

    /// Removes exited threads from a warp and from all masks; returns whether the warp has any left.
    fn exit(&mut self, warp: u16, mask: u32, out: &mut Edits) -> bool {
        let Some(buffered) = self.buffer[usize::from(warp)].as_mut() else { return false };
        let (slot, id, gone) = (buffered.slot, buffered.entry, buffered.members.only(mask));
        buffered.members.mask &= !mask;
        let is_left = buffered.members.mask != 0;
        let Some(stack) = self.blocks[usize::from(slot)].as_mut() else { return is_left };
        for entry in &mut stack.entries {
            for (origin, lanes) in gone.parts() {
                entry.mask[usize::from(origin - stack.first_warp)] &= !lanes;
            }
        }
        if !is_left {
            self.buffer[usize::from(warp)] = None;
            out.free(self.sm, warp);
            stack.check_stall = true;
            let is_last = stack.entry(id).is_some_and(|entry| {
                entry.wcnt -= 1;
                entry.wcnt == 0
            });
            if is_last {
                self.finish(slot, id, out);
            }
        }
        is_left
    }
}

impl ControlFlow for Tbc {
    fn start_block(&mut self, block: NewBlock, out: &mut Edits) {
        let NewBlock { slot, first_warp, pc, masks } = block;
        let mut stack = BlockStack::new(first_warp, masks.len() as u16);
        let mut entry = stack.fresh(pc, NEVER, NO_ENTRY, masks.to_vec());
        (entry.state, entry.wcnt) = (EntryState::Running, masks.len() as u16);
        let id = entry.id;
        stack.entries.push(entry);
        if self.blocks.len() <= usize::from(slot) {
            self.blocks.resize(usize::from(slot) + 1, None);
        }
        self.blocks[usize::from(slot)] = Some(stack);
        for (warp, &mask) in (first_warp..).zip(masks) {
            let members = Members::of(warp, mask);
            self.buffer[usize::from(warp)] =
                Some(BufferedWarp { slot, entry: id, members, rpc: NEVER, lpc: NEVER, pending: None });
            out.form(self.sm, warp, pc, members);
        }
    }

    fn end_block(&mut self, slot: u16) {
        self.blocks[usize::from(slot)] = None;
    }

    fn advance(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next {
        let pc = match flow {
            Flow::Next | Flow::Park { .. } | Flow::Converge { .. } => at.pc + 1,
            Flow::Branch { groups: [one], info: BranchInfo { may_diverge: false, .. } } => one.pc,
            Flow::Branch { groups, info } => {
                let Some(buffered) = self.buffer[usize::from(warp)].as_mut() else { return Next::Gone };
                // Threads that a uniform branch sends different ways reconverge at the RPC of their entry.
                let rpc = if info.may_diverge { info.rpc.unwrap_or(NEVER) } else { buffered.rpc };
                let lpc = info.lpc.filter(|_| self.likely).unwrap_or(NEVER);
                let at = ArrivalPoint::Branch { pc: at.pc, rpc, lpc };
                buffered.pending = Some(PendingArrival { at, sides: info.sides, groups: groups.to_vec() });
                return Next::Leaves;
            }
            Flow::Exit { mask } => {
                if !self.exit(warp, mask, out) {
                    return Next::Gone;
                }
                at.pc + 1
            }
        };
        let Some(buffered) = self.buffer[usize::from(warp)].as_mut() else { return Next::Gone };
        let point = if pc == buffered.rpc {
            ArrivalPoint::Rpc
        } else if pc == buffered.lpc {
            ArrivalPoint::Lpc
        } else {
            return Next::Go(Place { pc, mask: buffered.members.mask });
        };
        buffered.pending = Some(PendingArrival { at: point, sides: None, groups: Vec::new() });
        Next::Leaves
    }

    fn left(&mut self, warp: u16, out: &mut Edits) {
        if let Some(buffered) = self.buffer[usize::from(warp)].take() {
            out.free(self.sm, warp);
            self.arrive(warp, buffered, out);
        }
    }

    fn hold(&mut self, warp: u16, is_held: bool) {
        let Some(slot) = self.buffered(warp).map(|buffered| buffered.slot) else { return };
        if let Some(stack) = self.stack(slot) {
            stack.held = if is_held { stack.held + 1 } else { stack.held - 1 };
            stack.check_stall = true;
        }
    }

    fn cycle(&mut self, out: &mut Edits) -> bool {
        let unstuck = self.look_for_stalls(out);
        self.compact(out) | unstuck
    }

    fn waiting(&self, warp: u16, slot: u16) -> Vec<(Pc, u32)> {
        self.block(slot).map_or_else(Vec::new, |stack| stack.waiting(warp))
    }

    fn going_on(&self, warp: u16, slot: u16) -> Vec<(Pc, u32)> {
        self.block(slot).map_or_else(Vec::new, |stack| stack.going_on(warp))
    }
}

#[cfg(test)]
#[path = "tbc_tests.rs"]
mod tests;
