//! The stack that all warps of a block share (TBC section 3.1): entries with block-wide masks, and the warps that have arrived.
//!
//! This file has the data and its upkeep; [`tbc`](super::tbc) decides what is pushed and popped, and when.

use super::{Members, NEVER};
use warpscope_kernel::program::Pc;

/// A block-wide mask: the lanes of each static warp of the block.
pub type BlockMask = Vec<u32>;

/// The id that stands for no entry.
pub const NO_ENTRY: u32 = u32::MAX;

/// What the threads of an entry do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryState {
    /// The entry runs when it is the topmost one that can.
    Pending,
    /// The entry's warps are in the warp table.
    Running,
    /// The entry's threads wait at its PC for the sides above.
    Waiting,
}

/// An entry of a block-wide stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockEntry {
    /// Identifies the entry within its block's stack, independent of its position.
    pub id: u32,
    /// The entry that waits at this one's RPC (`parent`), and the number of entries that this one waits for (`children`).
    pub parent: u32,
    pub(crate) children: u16,
    /// What its threads do.
    pub state: EntryState,
    /// Where its threads begin, or go on.
    pub pc: Pc,
    /// Where they end: the entry below goes on there.
    pub rpc: Pc,
    /// The likely-convergence point and the id of the entry that waits there; [`NEVER`] and [`NO_ENTRY`] without one.
    pub lpc: Pc,
    pub(crate) lpos: u32,
    /// Number of warps that have not arrived.
    pub wcnt: u16,
    /// Its threads.
    pub mask: BlockMask,
    /// Threads that the compactor has not formed into warps yet.
    pub todo: BlockMask,
    /// In state `Waiting`: threads that have reached its PC, and whether they came in more than one group.
    pub reached: BlockMask,
    pub(crate) met: bool,
    /// Arrived threads by arrival point; usually there is only one point.
    pub arrivals: Vec<Arrivals>,
}

/// The threads of an entry that have arrived at one point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Arrivals {
    /// The point.
    pub at: ArrivalPoint,
    /// The threads.
    pub mask: BlockMask,
    /// The known sides of the branch; their masks fill up as warps arrive.
    pub sides: Vec<Side>,
}

/// One side of a branch, with the threads that take it so far.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Side {
    /// Its first instruction.
    pub pc: Pc,
    /// Its threads.
    pub mask: BlockMask,
}

/// Where warps of an entry arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrivalPoint {
    /// The entry's reconvergence point.
    Rpc,
    /// Its likely-convergence point.
    Lpc,
    /// A branch, with the points where its sides reconverge.
    Branch {
        /// The branch.
        pc: Pc,
        /// Where its sides reconverge; [`NEVER`] if only at the kernel's end.
        rpc: Pc,
        /// Where they may meet earlier; [`NEVER`] if nowhere.
        lpc: Pc,
    },
}

/// The stack of one block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockStack {
    /// The block's first static warp.
    pub first_warp: u16,
    /// How many it has.
    pub warps: u16,
    /// Bottom first.
    pub entries: Vec<BlockEntry>,
    next_id: u32,
    /// Warps in the warp table that are held at a barrier or for their PTX warp.
    pub held: u16,
    /// Whether to check the block for a stall, because the state of its warps has changed.
    pub(super) check_stall: bool,
}

impl BlockStack {
    pub(super) fn new(first_warp: u16, warps: u16) -> BlockStack {
        BlockStack { first_warp, warps, entries: Vec::new(), next_id: 0, held: 0, check_stall: false }
    }

    pub(super) fn entry(&mut self, id: u32) -> Option<&mut BlockEntry> {
        self.entries.iter_mut().rfind(|entry| entry.id == id)
    }

    pub(super) fn fresh(&mut self, pc: Pc, rpc: Pc, parent: u32, mask: BlockMask) -> BlockEntry {
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1) % NO_ENTRY;
        BlockEntry {
            id,
            parent,
            children: 0,
            state: EntryState::Pending,
            pc,
            rpc,
            lpc: NEVER,
            lpos: NO_ENTRY,
            wcnt: 0,
            mask,
            todo: Vec::new(),
            reached: Vec::new(),
            met: false,
            arrivals: Vec::new(),
        }
    }

    /// Returns lanes of a static warp that are in no warp of the table, and where they wait: at their entry's PC, or where they
    /// have arrived.
    pub(super) fn waiting(&self, warp: u16) -> Vec<(Pc, u32)> {
        self.kept(warp, false)
    }

    /// Returns the same lanes, with the PC at which they continue: behind a branch, that of their side.
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
                    ArrivalPoint::Rpc => kept.push((entry.rpc, lanes(&arrivals.mask))),
                    ArrivalPoint::Lpc => kept.push((entry.lpc, lanes(&arrivals.mask))),
                    ArrivalPoint::Branch { .. } if behind_branches => {
                        kept.extend(arrivals.sides.iter().map(|side| (side.pc, lanes(&side.mask))));
                    }
                    ArrivalPoint::Branch { pc, .. } => kept.push((pc, lanes(&arrivals.mask))),
                }
            }
        }
        kept.retain(|(_, lanes)| *lanes != 0);
        kept
    }

    /// Adds threads to those that wait at an entry's PC.
    pub(super) fn join(&mut self, id: u32, mask: &BlockMask) {
        if let Some(entry) = self.entry(id) {
            entry.met |= threads(mask) > 0 && threads(&entry.reached) > 0;
            unite(&mut entry.reached, mask);
        }
    }

    /// Inserts an entry without threads above another, with the same RPC, LPC and parent.
    pub(super) fn sibling(&mut self, id: u32) -> u32 {
        let Some(at) = self.entries.iter().position(|e| e.id == id) else { return NO_ENTRY };
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
