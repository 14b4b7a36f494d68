//! TBC: thread block compaction, a stack for each block (TBC section 3).
//!
//! All warps of a block share one reconvergence stack. An entry has a PC, a reconvergence PC, a block-wide mask (for each
//! static warp its lanes) and WCnt, the warps of it that are still on their way. The top entry's threads run, as warps that
//! the [`compactor`] made of its mask. A warp that executes a branch that may diverge, or comes to the entry's RPC, has
//! **arrived**: it leaves the warp table, once nothing of it is in flight, and WCnt goes down. Warps arrive in any order;
//! each adds its threads to the block-wide masks of the sides. When WCnt is zero the sides go on the stack, and the new top
//! entry is compacted: one warp a cycle.
//!
//! ```text
//!   an entry:  Pending ──top of the stack──► Running ──WCnt = 0, at a branch──► Waiting ──sides gone──► Pending
//!                                               └──────WCnt = 0, at its RPC──► popped
//!   a warp:    compactor ─► warp table ─► … ─► branch or RPC ─► drains ─► arrives
//! ```
//!
//! Figure 7, where threads 1, 6, 7 of the paper's counting take C and D is where all meet:
//!
//! ```text
//!   A runs            both at the branch     C: one warp          B: two warps          D, as before A
//!   [A - 2 1111 1111] [D - 0 1111 1111]      [D - 0 1111 1111]    [D - 0 1111 1111]     [D - 2 1111 1111]
//!                     [B D 0 .234 5..8]      [B D 0 .234 5..8]    [B D 2 .234 5..8]
//!                     [C D 0 1... .67.]      [C D 1 1... .67.]
//! ```
//!
//! - Both sides get an entry at every branch that may diverge, even if no thread takes one; an empty one is popped at once.
//!   A side that begins at the RPC needs none: its threads wait there already. A branch that the compiler marks as uniform
//!   (`bra.uni`), or that [`uniform`](crate::program::uniform) finds to be so, does not make anybody wait.
//! - A branch that meets where its entry does replaces the entry, as in [`pdom`](super::pdom): a loop does not fill the stack.
//! - Likely-convergence points (section 4): as in [`pdom_lcp`](super::pdom_lcp), with block-wide masks. An entry that comes to
//!   its LPC is merged into the likely-convergence entry, unless that one has begun to run.
//! - Warps that are sent different ways by uniform branches arrive at different places; then each place gets an entry of its
//!   own when the last has arrived.
//! - With the compactor switched off (`tbc_compaction = false`) static warps stay as they were compiled.
//! - What happens when all running warps of a block wait for others is in [`tbc_stall`](super::tbc_stall).

use super::block_stack::{Arrivals, BlockStack, EntryState, NOBODY, Side, Spot, add, take_away, threads, unite};
use super::{Edits, Flow, Meeting, Members, NEVER, NewBlock, Next, Place, Reforms, compactor};
use crate::event::Event;
use crate::program::Pc;
use std::collections::VecDeque;

/// A warp in the table: which entry's, and who is in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Crew {
    pub slot: u16,
    pub entry: u32,
    pub members: Members,
    rpc: Pc,
    lpc: Pc,
    /// Where it arrives when nothing of it is in flight any more.
    going: Option<Going>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Going {
    at: Spot,
    sides: Option<[Pc; 2]>,
    groups: Vec<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tbc {
    pub(super) sm: u16,
    /// By block slot.
    pub(super) blocks: Vec<Option<BlockStack>>,
    /// By entry of the warp table.
    crews: Vec<Option<Crew>>,
    /// Static warps of the SM; entries of the table from here on are for sides that run because another is stuck.
    statics: u16,
    /// Masks that wait for the compactor, by block slot and entry.
    queue: VecDeque<(u16, u32)>,
    likely: bool,
    compaction: bool,
}

impl Tbc {
    pub fn new(sm: u16, warps: u32, entries: u32, likely: bool, compaction: bool) -> Tbc {
        Tbc {
            sm,
            blocks: Vec::new(),
            crews: vec![None; entries as usize],
            statics: warps as u16,
            queue: VecDeque::new(),
            likely,
            compaction,
        }
    }

    /// The stack of the block in a slot.
    pub fn block(&self, slot: u16) -> Option<&BlockStack> {
        self.blocks.get(usize::from(slot))?.as_ref()
    }

    /// The warp in an entry of the warp table: the warp buffer of figure 8.
    pub fn crew(&self, warp: u16) -> Option<&Crew> {
        self.crews.get(usize::from(warp))?.as_ref()
    }

    pub(super) fn stack(&mut self, slot: u16) -> Option<&mut BlockStack> {
        self.blocks.get_mut(usize::from(slot))?.as_mut()
    }

    /// A warp has arrived: its threads fill the masks of where they go.
    fn arrive(&mut self, warp: u16, crew: Crew, out: &mut Edits) {
        let (sm, slot) = (self.sm, crew.slot);
        let Some(going) = crew.going else { return };
        let Some(stack) = self.stack(slot) else { return };
        stack.look = true;
        let (first, n) = (stack.first_warp, usize::from(stack.warps));
        let depth = stack.entries.len();
        let Some(entry) = stack.entry(crew.entry) else { return };
        entry.wcnt -= 1;
        let (wcnt, is_last) = (entry.wcnt, entry.wcnt == 0);
        let known = entry.arrivals.iter().position(|a| a.at == going.at);
        let at = known.unwrap_or_else(|| {
            entry.arrivals.push(Arrivals { at: going.at, mask: vec![0; n], sides: Vec::new() });
            entry.arrivals.len() - 1
        });
        let inherited = if matches!(going.at, Spot::Branch { rpc, .. } if rpc == entry.rpc) { entry.lpc } else { NEVER };
        let arrivals = &mut entry.arrivals[at];
        add(&mut arrivals.mask, &crew.members, first);
        if let Spot::Branch { pc, rpc, lpc } = going.at {
            out.tell(Event::BlockArrive { sm, slot, warp, pc, wcnt });
            // The likely-convergence entry lies below the sides.
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
                going.sides.into_iter().flatten().for_each(|pc| {
                    side(arrivals, pc);
                });
            }
            for group in &going.groups {
                if let Some(at) = side(arrivals, group.pc) {
                    add(&mut arrivals.sides[at].mask, &crew.members.only(group.mask), first);
                }
            }
        } else {
            let pc = if going.at == Spot::Rpc { crew.rpc } else { crew.lpc };
            out.tell(Event::BlockArrive { sm, slot, warp, pc, wcnt });
        }
        if is_last {
            self.finish(slot, crew.entry, out);
        }
    }

    /// The last warp of an entry has arrived or ended.
    pub(super) fn finish(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let Some(stack) = self.stack(slot) else { return };
        let Some(entry) = stack.entry(id) else { return };
        let arrivals = std::mem::take(&mut entry.arrivals);
        // Each place goes on by itself; the first takes the entry, the others get one like it.
        let ids: Vec<u32> = (0..arrivals.len()).map(|n| if n == 0 { id } else { stack.sibling(id) }).collect();
        if arrivals.is_empty() {
            self.remove(slot, id, out);
        }
        for (id, arrivals) in ids.into_iter().zip(arrivals) {
            self.settle(slot, id, arrivals, out);
        }
        self.run_next(slot, out);
    }

    /// All threads of an entry are at one place.
    fn settle(&mut self, slot: u16, id: u32, arrivals: Arrivals, out: &mut Edits) {
        let Some(entry) = self.stack(slot).and_then(|stack| stack.entry(id)) else { return };
        entry.mask = arrivals.mask;
        match arrivals.at {
            Spot::Rpc => self.reach(slot, id, out),
            Spot::Lpc => self.merge(slot, id, out),
            Spot::Branch { rpc, lpc, .. } => self.branch(slot, id, rpc, lpc, &arrivals.sides, out),
        }
    }

    /// An entry is at its reconvergence point.
    fn reach(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let Some(stack) = self.stack(slot) else { return };
        let Some(entry) = stack.entry(id) else { return };
        let (parent, mask) = (entry.parent, std::mem::take(&mut entry.mask));
        stack.join(parent, &mask);
        self.remove(slot, id, out);
    }

    /// An entry is at its likely-convergence point.
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
            // The entry there has gone on: this one follows by itself.
            None => {
                if let Some(entry) = stack.entry(id) {
                    (entry.lpc, entry.lpos) = (NEVER, NOBODY);
                }
            }
        }
    }

    /// All threads of an entry have branched.
    fn branch(&mut self, slot: u16, id: u32, rpc: Pc, lpc: Pc, sides: &[Side], out: &mut Edits) {
        let sm = self.sm;
        let Some(stack) = self.stack(slot) else { return };
        let Some(at) = stack.entries.iter().position(|e| e.id == id) else { return };
        let n = usize::from(stack.warps);
        let entry = &mut stack.entries[at];
        let replaced = rpc == entry.rpc;
        let (mut side_lpc, mut side_lpos) = if replaced { (entry.lpc, entry.lpos) } else { (NEVER, NOBODY) };
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
        // The first side, the taken one, comes to lie on top.
        for side in sides.iter().rev() {
            let is_empty = side.mask.iter().all(|&mask| mask == 0);
            if is_empty {
                // Entries behind which nobody stands are popped at once.
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

    /// Takes an entry from the stack; the one that waits for it may go on.
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

    /// An entry whose sides have all come back goes on at its PC.
    fn resume_if_free(&mut self, slot: u16, id: u32, out: &mut Edits) {
        let sm = self.sm;
        let Some(entry) = self.stack(slot).and_then(|stack| stack.entry(id)) else { return };
        if entry.children > 0 || entry.state != EntryState::Waiting {
            return;
        }
        entry.state = EntryState::Pending;
        entry.reached.clear();
        let together = threads(&entry.mask);
        // A branch that all took the same way has parted nobody.
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

    /// The topmost entry that can run does, unless another one of the block runs already.
    pub(super) fn run_next(&mut self, slot: u16, out: &mut Edits) {
        loop {
            let Some(stack) = self.stack(slot) else { return };
            stack.look = true;
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

    /// An entry's mask goes to the compactor.
    pub(super) fn run(&mut self, slot: u16, id: u32) {
        let compaction = self.compaction;
        let Some(entry) = self.stack(slot).and_then(|stack| stack.entry(id)) else { return };
        entry.state = EntryState::Running;
        entry.todo.clone_from(&entry.mask);
        entry.wcnt = if compaction { compactor::warps(&entry.mask) } else { compactor::static_warps(&entry.mask) };
        self.queue.push_back((slot, id));
    }

    /// One warp from the compactor; whether there was one.
    fn compact(&mut self, out: &mut Edits) -> bool {
        let Some(&(slot, id)) = self.queue.front() else { return false };
        let Some(stack) = self.blocks.get_mut(usize::from(slot)).and_then(Option::as_mut) else { return false };
        let own = stack.first_warp..stack.first_warp + stack.warps;
        let more = self.statics..self.crews.len() as u16;
        let Some(warp) = own.chain(more).find(|&warp| self.crews[usize::from(warp)].is_none()) else { return false };
        let first = stack.first_warp;
        let Some(entry) = stack.entry(id) else { return false };
        let pick = if self.compaction { compactor::pick } else { compactor::pick_static };
        let members = pick(&mut entry.todo, first);
        if entry.todo.iter().all(|&mask| mask == 0) {
            self.queue.pop_front();
        }
        let (pc, rpc, lpc) = (entry.pc, entry.rpc, entry.lpc);
        self.crews[usize::from(warp)] = Some(Crew { slot, entry: id, members, rpc, lpc, going: None });
        out.form(self.sm, warp, pc, members);
        true
    }

    /// Threads of a warp are gone; whether any are left.
    fn exit(&mut self, warp: u16, mask: u32, out: &mut Edits) -> bool {
        let Some(crew) = self.crews[usize::from(warp)].as_mut() else { return false };
        let (slot, id, gone) = (crew.slot, crew.entry, crew.members.only(mask));
        crew.members.mask &= !mask;
        let is_left = crew.members.mask != 0;
        let Some(stack) = self.blocks[usize::from(slot)].as_mut() else { return is_left };
        for entry in &mut stack.entries {
            for (origin, lanes) in gone.parts() {
                entry.mask[usize::from(origin - stack.first_warp)] &= !lanes;
            }
        }
        if !is_left {
            self.crews[usize::from(warp)] = None;
            out.free(self.sm, warp);
            stack.look = true;
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

impl Reforms for Tbc {
    fn start_block(&mut self, block: NewBlock, out: &mut Edits) {
        let NewBlock { slot, first_warp, pc, masks } = block;
        let mut stack = BlockStack::new(first_warp, masks.len() as u16);
        let mut entry = stack.fresh(pc, NEVER, NOBODY, masks.to_vec());
        (entry.state, entry.wcnt) = (EntryState::Running, masks.len() as u16);
        let id = entry.id;
        stack.entries.push(entry);
        if self.blocks.len() <= usize::from(slot) {
            self.blocks.resize(usize::from(slot) + 1, None);
        }
        self.blocks[usize::from(slot)] = Some(stack);
        for (warp, &mask) in (first_warp..).zip(masks) {
            let members = Members::of(warp, mask);
            self.crews[usize::from(warp)] = Some(Crew { slot, entry: id, members, rpc: NEVER, lpc: NEVER, going: None });
            out.form(self.sm, warp, pc, members);
        }
    }

    fn end_block(&mut self, slot: u16) {
        self.blocks[usize::from(slot)] = None;
    }

    fn advance(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next {
        let pc = match flow {
            Flow::Next | Flow::Park { .. } => at.pc + 1,
            Flow::Branch { groups: [one], meeting: Meeting { may_diverge: false, .. } } => one.pc,
            Flow::Branch { groups, meeting } => {
                let Some(crew) = self.crews[usize::from(warp)].as_mut() else { return Next::Gone };
                // Threads that a uniform branch sends different ways meet where their entry does.
                let rpc = if meeting.may_diverge { meeting.rpc.unwrap_or(NEVER) } else { crew.rpc };
                let lpc = meeting.lpc.filter(|_| self.likely).unwrap_or(NEVER);
                let at = Spot::Branch { pc: at.pc, rpc, lpc };
                crew.going = Some(Going { at, sides: meeting.sides, groups: groups.to_vec() });
                return Next::Leaves;
            }
            Flow::Exit { mask } => {
                if !self.exit(warp, mask, out) {
                    return Next::Gone;
                }
                at.pc + 1
            }
        };
        let Some(crew) = self.crews[usize::from(warp)].as_mut() else { return Next::Gone };
        let spot = if pc == crew.rpc {
            Spot::Rpc
        } else if pc == crew.lpc {
            Spot::Lpc
        } else {
            return Next::Go(Place { pc, mask: crew.members.mask });
        };
        crew.going = Some(Going { at: spot, sides: None, groups: Vec::new() });
        Next::Leaves
    }

    fn left(&mut self, warp: u16, out: &mut Edits) {
        if let Some(crew) = self.crews[usize::from(warp)].take() {
            out.free(self.sm, warp);
            self.arrive(warp, crew, out);
        }
    }

    fn parks(&self, _warp: u16) -> bool {
        false
    }

    fn resume(&mut self, _members: Members, _pc: Pc, _out: &mut Edits) {}

    fn hold(&mut self, warp: u16, is_held: bool) {
        let Some(slot) = self.crew(warp).map(|crew| crew.slot) else { return };
        if let Some(stack) = self.stack(slot) {
            stack.held = if is_held { stack.held + 1 } else { stack.held - 1 };
            stack.look = true;
        }
    }

    fn cycle(&mut self, out: &mut Edits) -> bool {
        let unstuck = self.look_for_stalls(out);
        self.compact(out) | unstuck
    }
}

#[cfg(test)]
#[path = "tbc_tests.rs"]
mod tests;
