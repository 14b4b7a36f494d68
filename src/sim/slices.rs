//! Issue where the lanes are cut into slices (VWS section 4.1).
//!
//! Every slice has ports and units of its own and chooses among its own warps. The load/store units serve all slices: what
//! the slices of one scheduler ask for in a cycle goes to memory as one access of all their lanes, as if a wide warp had
//! asked. So memory instructions take effect one by one, wait until every slice has chosen, and are timed together.
//!
//! The port of slice s and scheduler k is number k · slices + s.

use super::core::Core;
use super::decode::Unit;
use super::memory::{Around, LaneTimes, Requester};
use crate::event::{Event, Sink, SlotUse};
use crate::interp::access::{Traffic, active};
use crate::program::Pc;
use crate::ptx::types::Space;

/// A memory instruction that has issued in this cycle and is not timed yet.
#[derive(Clone)]
pub struct Access {
    pub warp: u32,
    pub pc: Pc,
    pub traffic: Traffic<32>,
    pub active: u32,
}

/// What accesses of one cycle have in common, if they are to be one.
type AccessKind = (bool, bool);

impl<S: Sink> Core<'_, S> {
    /// Lets the slices of every scheduler issue, gangs before singletons; whether any did.
    pub fn issue_sliced(&mut self) -> bool {
        let slices = self.machine.config.slices as usize;
        let mut busy = false;
        for scheduler in 0..self.machine.config.schedulers as usize {
            let mut slots = [None; 32];
            if self.sm.gangs.is_some() {
                busy |= self.issue_gangs(scheduler, &mut slots);
            }
            for (slice, slot) in slots.iter().enumerate().take(slices) {
                let slot: SlotUse = match *slot {
                    Some(slot) => slot,
                    None => self.issue_port(scheduler * slices + slice, &mut busy),
                };
                self.sm.issued.ports.push(slot);
            }
            self.access_memory();
        }
        busy
    }

    /// Times the memory instructions of a scheduler's slices, as one access for each kind.
    fn access_memory(&mut self) {
        if self.sm.scratch.accesses.is_empty() {
            return;
        }
        let accesses = std::mem::take(&mut self.sm.scratch.accesses);
        let mut done = [0; 32];
        let mut timed = 0u32;
        let mut holds = 0;
        for (at, access) in accesses.iter().enumerate() {
            if timed >> at & 1 == 0 {
                let kind = kind(access);
                let together = (at..accesses.len()).filter(|&other| self::kind(&accesses[other]) == kind);
                let together = together.fold(0u32, |all, other| all | 1 << other);
                holds += self.access_together(&accesses, together, holds, &mut done);
                timed |= together;
            }
        }
        let passes = self.machine.passes();
        let units = &mut self.sm.units[Unit::LdSt as usize];
        if let Some(free) = units.iter_mut().find(|free| **free <= self.cycle) {
            *free = self.cycle + u64::from(holds.max(passes));
        }
        for (access, done) in accesses.iter().zip(done) {
            self.finish_memory(access.warp, access.pc, done.max(self.cycle + u64::from(passes)));
        }
        let mut accesses = accesses;
        accesses.clear();
        self.sm.scratch.accesses = accesses;
    }

    /// Times those of `together` as one access that begins so much later; for how long it holds its unit.
    fn access_together(&mut self, accesses: &[Access], together: u32, later: u32, done: &mut [u64; 32]) -> u32 {
        let machine = self.machine;
        let (width, slices) = (machine.config.warp_width, machine.config.slices);
        let first = &accesses[together.trailing_zeros() as usize];
        let mut traffic = first.traffic;
        let (mut threads, mut slots, mut mask) = ([0; 32], [0; 32], 0u32);
        for at in active(together) {
            let access = &accesses[at];
            let shift = (access.warp % slices * width) as usize;
            let warp = &self.sm.warps[access.warp as usize];
            mask |= access.active << shift;
            traffic.size = traffic.size.max(access.traffic.size);
            for lane in active(access.active) {
                let mut target = access.traffic.targets[lane];
                if target.space == Space::Shared {
                    target.address += u64::from(warp.block) * u64::from(machine.start.shape.shared_bytes);
                }
                traffic.targets[shift + lane] = target;
                (threads[shift + lane], slots[shift + lane]) = (warp.lanes.threads[lane], warp.block);
            }
        }
        let who = Requester {
            sm: self.name,
            warp: first.warp as u16,
            pc: first.pc,
            threads: &threads,
            block_threads: machine.start.shape.threads,
            slot: 0,
            slots: Some(&slots),
            local_bytes: machine.program.local_bytes,
        };
        let mut around =
            Around { shared: &mut self.uncore.memory, config: &machine.config, now: self.cycle, sink: &mut *self.sink };
        let mut lanes = LaneTimes::default();
        let (timing, _) = self.sm.memory.serve(&mut around, who, &traffic, mask, later, &mut lanes);
        for at in active(together) {
            let access = &accesses[at];
            let shift = (access.warp % slices * width) as usize;
            let own = active(access.active).map(|lane| lanes.done[shift + lane]).max();
            done[at] = own.unwrap_or(self.cycle + 1);
            if access.active != 0 {
                self.emit(Event::Memory {
                    sm: self.name,
                    warp: access.warp as u16,
                    pc: access.pc,
                    space: access.traffic.targets[access.active.trailing_zeros() as usize].space,
                    write: access.traffic.write,
                    // A line counts for the warp that asked for it first.
                    transactions: (lanes.opens >> shift & access.active).count_ones() as u16,
                    done: done[at],
                });
            }
        }
        timing.holds
    }
}

fn kind(access: &Access) -> AccessKind {
    (access.traffic.write, access.traffic.atomic)
}
