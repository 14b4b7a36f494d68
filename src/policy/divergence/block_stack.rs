//! The stack that all warps of a block share (TBC section 3.1): its entries, with block-wide masks and what has arrived.
//!
//! Only data and its upkeep; what goes on it and when is [`tbc`](super::tbc)'s.

use super::{Members, NEVER};
use crate::program::Pc;

/// A block-wide mask: for each static warp of the block, its lanes.
pub type BlockMask = Vec<u32>;

/// No entry.
pub const NOBODY: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryState {
    /// Its threads run when it is the topmost that can.
    Pending,
    Running,
    /// Its threads wait at its PC for the sides above.
    Waiting,
}

/// An entry of a block-wide stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockEntry {
    /// Tells it from others of the block, wherever it lies.
    pub id: u32,
    /// The entry that waits at this one's RPC, and how many wait for that one's turn.
    pub parent: u32,
    pub children: u16,
    pub state: EntryState,
    pub pc: Pc,
    pub rpc: Pc,
    /// The likely-convergence point and the entry that waits there; [`NEVER`] and [`NOBODY`] where there is none.
    pub lpc: Pc,
    pub lpos: u32,
    /// Warps that have not arrived.
    pub wcnt: u16,
    pub mask: BlockMask,
    /// What the compactor has not made warps of yet.
    pub todo: BlockMask,
    /// While it waits: threads that have reached its PC, and whether they came in more than one group.
    pub reached: BlockMask,
    pub met: bool,
    /// Where its warps have arrived: mostly one place.
    pub arrivals: Vec<Arrivals>,
}

/// Threads of an entry that have arrived at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arrivals {
    pub at: Spot,
    pub mask: BlockMask,
    /// The sides of the branch, as far as they are known: the two entries that fill up as warps arrive.
    pub sides: Vec<Side>,
}

/// One side of a branch that is being filled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Side {
    pub pc: Pc,
    pub mask: BlockMask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    /// The entry's reconvergence point.
    Rpc,
    /// Its likely-convergence point.
    Lpc,
    /// Behind a branch, with the points where its sides meet.
    Branch { pc: Pc, rpc: Pc, lpc: Pc },
}

/// The stack of one block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockStack {
    pub first_warp: u16,
    pub warps: u16,
    /// Bottom first.
    pub entries: Vec<BlockEntry>,
    next_id: u32,
    /// Warps in the table that wait at barriers or for their PTX warps.
    pub held: u16,
    /// Something has happened after which all warps might be waiting.
    pub(super) look: bool,
}

impl BlockStack {
    pub(super) fn new(first_warp: u16, warps: u16) -> BlockStack {
        BlockStack { first_warp, warps, entries: Vec::new(), next_id: 0, held: 0, look: false }
    }

    pub(super) fn entry(&mut self, id: u32) -> Option<&mut BlockEntry> {
        self.entries.iter_mut().rfind(|entry| entry.id == id)
    }

    pub(super) fn fresh(&mut self, pc: Pc, rpc: Pc, parent: u32, mask: BlockMask) -> BlockEntry {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1) % NOBODY;
        BlockEntry {
            id,
            parent,
            children: 0,
            state: EntryState::Pending,
            pc,
            rpc,
            lpc: NEVER,
            lpos: NOBODY,
            wcnt: 0,
            mask,
            todo: Vec::new(),
            reached: Vec::new(),
            met: false,
            arrivals: Vec::new(),
        }
    }

    /// Lanes of a static warp that are in no warp of the table, and where they are: at their entry's PC until its turn comes,
    /// or where they have arrived until the others have.
    pub(super) fn waiting(&self, warp: u16) -> Vec<(Pc, u32)> {
        self.kept(warp, false)
    }

    /// The same lanes, and where they will go on: those that have arrived at a branch on their side of it.
    pub(super) fn going_on(&self, warp: u16) -> Vec<(Pc, u32)> {
        self.kept(warp, true)
    }

    fn kept(&self, warp: u16, behind_branches: bool) -> Vec<(Pc, u32)> {
        let lanes = |mask: &BlockMask| mask.get(usize::from(warp - self.first_warp)).copied().unwrap_or(0);
        let mut kept = Vec::new();
        for entry in &self.entries {
            match entry.state {
                EntryState::Pending => kept.push((entry.pc, lanes(&entry.mask))),
                EntryState::Waiting => kept.push((entry.pc, lanes(&entry.reached))),
                EntryState::Running => kept.push((entry.pc, lanes(&entry.todo))),
            }
            for arrivals in &entry.arrivals {
                match arrivals.at {
                    Spot::Rpc => kept.push((entry.rpc, lanes(&arrivals.mask))),
                    Spot::Lpc => kept.push((entry.lpc, lanes(&arrivals.mask))),
                    Spot::Branch { .. } if behind_branches => {
                        kept.extend(arrivals.sides.iter().map(|side| (side.pc, lanes(&side.mask))));
                    }
                    Spot::Branch { pc, .. } => kept.push((pc, lanes(&arrivals.mask))),
                }
            }
        }
        kept.retain(|(_, lanes)| *lanes != 0);
        kept
    }

    /// Threads have come to where an entry waits for them.
    pub(super) fn join(&mut self, id: u32, mask: &BlockMask) {
        if let Some(entry) = self.entry(id) {
            entry.met |= threads(mask) > 0 && threads(&entry.reached) > 0;
            unite(&mut entry.reached, mask);
        }
    }

    /// An entry beside another, without threads so far, that meets the same others.
    pub(super) fn sibling(&mut self, id: u32) -> u32 {
        let Some(at) = self.entries.iter().position(|e| e.id == id) else { return NOBODY };
        let BlockEntry { pc, rpc, lpc, lpos, parent, .. } = self.entries[at];
        let mask = vec![0; usize::from(self.warps)];
        let sibling = BlockEntry { lpc, lpos, ..self.fresh(pc, rpc, parent, mask) };
        let id = sibling.id;
        self.entries.insert(at + 1, sibling);
        if let Some(parent) = self.entry(parent) {
            parent.children += 1;
        }
        id
    }
}

pub(super) fn add(mask: &mut BlockMask, members: &Members, first: u16) {
    for (origin, lanes) in members.parts() {
        mask[usize::from(origin - first)] |= lanes;
    }
}

pub(super) fn unite(mask: &mut BlockMask, other: &BlockMask) {
    mask.resize(mask.len().max(other.len()), 0);
    for (mask, other) in mask.iter_mut().zip(other) {
        *mask |= other;
    }
}

pub(super) fn take_away(mask: &mut BlockMask, other: &BlockMask) {
    for (mask, other) in mask.iter_mut().zip(other) {
        *mask &= !other;
    }
}

pub(super) fn threads(mask: &BlockMask) -> u16 {
    mask.iter().map(|lanes| lanes.count_ones() as u16).sum()
}
