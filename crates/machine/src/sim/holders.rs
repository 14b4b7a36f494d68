//! Where a thread is: in its static warp for all of its life, or in any entry of the warp table.
//!
//! A machine that keeps warps as compiled has a table entry for each static warp, and a warp waits as a whole. Where warps
//! re-form, a thread is in any entry of the table, or *parked* outside of it, at a barrier or in an operation of its PTX warp,
//! until it is resumed. The stages call this module instead of asking which of the two cases it is.

use super::Machine;
use super::core::{Core, try_depart};
use super::state::{AT_BARRIER, AT_SYNC, Block, KEPT, Resumed, Sets, Sm, StaticWarp, Warp};
use crate::event::{Event, Sink};
use crate::policy::divergence::Members;
use std::ops::Range;
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::program::Pc;

/// Where the oldest thread of a static warp is.
pub enum Seat {
    /// In this entry of the table.
    Entry(u32),
    Parked {
        at_barrier: bool,
        pc: Pc,
    },
    /// The control-flow unit keeps it.
    Kept,
    Exited,
}

impl Machine {
    /// Whether a warp of the table is a static warp, with all of its threads.
    #[inline(always)]
    pub fn keeps_warps(&self) -> bool {
        !self.reforms
    }
}

/// Returns the table entry with a thread of the block whose warps begin at `first_warp`, or why the thread is in none.
pub fn holder(machine: &Machine, sm: &Sm, first_warp: u16, thread: StorageThread) -> u16 {
    let width = machine.config.warp_width;
    if !machine.waits_by_thread {
        first_warp + (thread.0 / width) as u16
    } else {
        sm.statics.at[(u32::from(first_warp) * width + thread.0) as usize]
    }
}

/// Returns where a static warp is, by its oldest thread that has not exited.
pub fn seat(machine: &Machine, sm: &Sm, warp: u16) -> Seat {
    if machine.keeps_warps() {
        return if sm.sets.exited.contains(warp.into()) { Seat::Exited } else { Seat::Entry(warp.into()) };
    }
    let live = sm.statics.warps[usize::from(warp)].live;
    if live == 0 {
        return Seat::Exited;
    }
    let thread = (u32::from(warp) * machine.config.warp_width + live.trailing_zeros()) as usize;
    let pc = sm.statics.parked_at[thread];
    match sm.statics.at[thread] {
        AT_BARRIER => Seat::Parked { at_barrier: true, pc },
        AT_SYNC => Seat::Parked { at_barrier: false, pc },
        entry if entry < AT_SYNC => Seat::Entry(entry.into()),
        _ => Seat::Kept,
    }
}

/// Returns the slot of the block to which the thread in a lane of a warp belongs.
pub fn slot_of(machine: &Machine, sm: &Sm, warp: &Warp, lane: usize) -> u16 {
    let origin = if machine.keeps_warps() { None } else { warp.members.lanes().find(|(at, _)| *at == lane) };
    origin.map_or(warp.block, |(_, origin)| sm.statics.warps[usize::from(origin)].block)
}

/// Returns the table entries in which threads of a block can be.
pub fn places(machine: &Machine, block: &Block) -> Range<u32> {
    let first = u32::from(block.first_warp);
    if machine.keeps_warps() { first..first + u32::from(block.warps) } else { 0..machine.entries }
}

/// Counts the warps of a block at its barrier, and by `exits_wait` those that have exited.
pub fn waiting(machine: &Machine, sets: &Sets, warps: &[Warp], statics: &[StaticWarp], slot: u16, block: &Block) -> u32 {
    let exits = machine.config.exits_wait;
    let own = u32::from(block.first_warp)..u32::from(block.first_warp + block.warps);
    if machine.keeps_warps() {
        let is_waiting = |&warp: &u32| sets.barrier.contains(warp) || exits && sets.exited.contains(warp);
        return own.filter(is_waiting).count() as u32;
    }
    // Table entries wait, and static warps exit.
    let there = sets.barrier.iter(sets.words).filter(|&warp| warps[warp as usize].block == slot);
    let gone = own.filter(|&warp| exits && statics[warp as usize].live == 0);
    (there.count() + gone.count()) as u32
}

impl<S: Sink> Core<'_, S> {
    /// Emits an event about lanes of a warp, once for each static warp that they belong to.
    pub fn tell_by_static_warp(&mut self, warp: u32, mask: u32, event: impl Fn(u16, u32) -> Event) {
        if mask == 0 {
            return;
        }
        if self.machine.keeps_warps() {
            self.emit(event(warp as u16, mask));
        } else if S::LISTENS {
            let members = self.sm.warps[warp as usize].members.only(mask);
            for (origin, mask) in members.parts() {
                self.emit(event(origin, mask));
            }
        }
    }

    /// Whether threads of this warp wait one by one, outside of the warp table.
    pub fn parks(&mut self, warp: u32) -> bool {
        self.unit(|unit, _| unit.parks(warp as u16))
    }

    /// Returns the static warps of a warp's lanes.
    fn members(&self, warp: u32) -> Members {
        let Warp { members, lanes, .. } = &self.sm.warps[warp as usize];
        if self.machine.keeps_warps() { Members::of(warp as u16, lanes.mask) } else { *members }
    }

    /// Parks lanes outside of the table, at the instruction at `pc`.
    pub fn park(&mut self, warp: u32, mask: u32, pc: Pc, why: u16) {
        let members = self.members(warp).only(mask);
        for (lane, origin) in members.lanes() {
            let thread = self.thread(origin, lane);
            (self.sm.statics.at[thread], self.sm.statics.parked_at[thread]) = (why, pc);
        }
        for (origin, mask) in members.parts() {
            self.emit(Event::Parked { sm: self.name, warp: warp as u16, origin, mask });
        }
    }

    /// Returns the lanes of a warp that stays as compiled whose threads are parked for a reason.
    pub fn parked(&self, warp: u32, why: u16) -> u32 {
        let width = self.machine.config.warp_width as usize;
        let threads = &self.sm.statics.at[warp as usize * width..(warp as usize + 1) * width];
        threads.iter().enumerate().filter(|(_, at)| **at == why).fold(0, |all, (lane, _)| all | 1 << lane)
    }

    /// Resumes a parked thread behind the instruction at which it waited, together with others of its static warp.
    pub fn unpark(&mut self, first_warp: u16, StorageThread(thread): StorageThread, from_barrier: bool) {
        let width = self.machine.config.warp_width;
        let at = (u32::from(first_warp) * width + thread) as usize;
        let (origin, lane) = (first_warp + (thread / width) as u16, thread % width);
        let pc = self.sm.statics.parked_at[at] + 1;
        self.sm.statics.at[at] = KEPT;
        let members = Members::of(origin, 1 << lane);
        match self.sm.resumed.last_mut() {
            Some(last) if last.pc == pc && last.from_barrier == from_barrier && last.members.origins[0] == origin => {
                last.members.add(&members);
            }
            _ => self.sm.resumed.push(Resumed { members, pc, from_barrier }),
        }
    }

    /// Tells the control-flow unit whether a warp of the table waits for others.
    pub fn hold(&mut self, warp: u32, is_held: bool) {
        self.unit(|unit, _| unit.hold(warp as u16, is_held));
    }

    /// Lets a warp of the table go on from a barrier.
    pub fn leave_barrier(&mut self, warp: u32) {
        if self.machine.reforms && self.sm.sets.barrier.contains(warp) {
            self.sm.sets.barrier.remove(warp);
            self.hold(warp, false);
            try_depart(self.sm, warp as u16);
        }
        self.sm.sets.barrier.remove(warp);
        self.sm.issued.freed_from_barrier.insert(warp);
    }
}
