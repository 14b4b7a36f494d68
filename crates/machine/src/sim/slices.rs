//! Issue where the lanes are cut into slices (VWS section 4.1).
//!
//! Every slice has ports and units of its own and chooses among its own warps. The load/store units serve all slices: the
//! requests of one scheduler's slices in a cycle go to memory as one access of all their lanes, like that of a wide warp. So
//! memory instructions take effect one by one, wait until every slice has chosen, and are timed together.
//!
//! The port of slice s and scheduler k is number k · slices + s.

use super::core::Core;
use super::decode::Unit;
use super::issue::could_issue;
use super::memory::{AccessContext, LaneTimes, Requester, booked_space};
use crate::event::{Event, Sink, SlotUse};
use warpscope_kernel::interp::access::{Traffic, active};
use warpscope_kernel::interp::lanes::Lanes;
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::program::Pc;
use warpscope_kernel::ptx::op::{Kind, Op};
use warpscope_kernel::ptx::types::Space;

/// A memory instruction of neighbouring warps, issued in this cycle and not timed yet. Lanes are those of the whole row.
#[derive(Clone)]
pub struct SliceAccess {
    pub row: u32,
    /// The warps, as a mask of slices.
    pub warps: u32,
    pub pc: Pc,
    pub traffic: Traffic<32>,
    pub active: u32,
}

/// A gang as one row of lanes.
pub struct RowLanes {
    pub row: u32,
    /// Its first member, and all members as a mask of slices.
    pub warp: u32,
    pub members: u32,
    pub slot: u16,
    pub lanes: Lanes<32>,
    /// The active lanes.
    pub mask: u32,
    pub effect: RowEffect,
}

/// How a gang's instruction is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowEffect {
    /// By each member on its own: branches, barriers, exits, operations of PTX warps.
    Single,
    /// By all lanes at once; changes only registers.
    Plain,
    /// By all lanes at once, as one access to memory.
    Memory,
}

impl RowEffect {
    pub fn of(op: Op) -> RowEffect {
        match op.kind() {
            Kind::Memory => RowEffect::Memory,
            Kind::Alu | Kind::Quiet | Kind::Call => RowEffect::Plain,
            Kind::Branch | Kind::Host | Kind::End | Kind::Again | Kind::Trap => RowEffect::Single,
            Kind::ActiveMask | Kind::Barrier | Kind::Join | Kind::Dispatch | Kind::Converge => RowEffect::Single,
        }
    }
}

/// What accesses of one cycle must have in common to become one: write, atomic.
type AccessKind = (bool, bool);

impl<S: Sink> Core<'_, S> {
    /// Lets the slices of every scheduler issue, gangs before singletons; returns whether any did.
    #[inline(never)]
    pub fn issue_sliced(&mut self) -> bool {
        let slices = self.machine.config.slices as usize;
        let mut busy = false;
        // An issue by one slice neither enables nor blocks a warp of another slice in the same cycle.
        for word in 0..self.sm.sets.words {
            self.sm.scratch.could.bits[word] = could_issue(&self.sm.sets, &self.sm.issued, word);
        }
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

    /// Returns a gang as one row of lanes.
    pub fn row_lanes(&self, row: u32, members: u8, pc: Pc) -> RowLanes {
        let config = &self.machine.config;
        let first = row * config.slices;
        let lead = &self.sm.warps[(first + u32::from(members).trailing_zeros()) as usize];
        let mut mask = 0;
        for slice in (0..config.slices).filter(|slice| members >> slice & 1 != 0) {
            mask |= self.sm.warps[(first + slice) as usize].place.mask << (slice * config.warp_width);
        }
        let start = self.sm.warps[first as usize].first_thread;
        RowLanes {
            row,
            warp: first + u32::from(members).trailing_zeros(),
            members: members.into(),
            slot: lead.block,
            lanes: Lanes::warp(start, (self.machine.start.shape.threads - start.0).min(config.row_threads())),
            mask,
            effect: RowEffect::of(self.machine.program.instructions[pc as usize].op),
        }
    }

    /// Times the memory instructions of a scheduler's slices, as one access for each [`AccessKind`].
    fn access_memory(&mut self) {
        if self.sm.scratch.accesses.is_empty() {
            return;
        }
        let mut accesses = std::mem::take(&mut self.sm.scratch.accesses);
        let mut timed = 0u32;
        let mut holds = 0;
        for at in 0..accesses.len() {
            if timed >> at & 1 == 0 {
                let kind = kind(&accesses[at]);
                let together = (at..accesses.len()).filter(|&other| self::kind(&accesses[other]) == kind);
                let together = together.fold(0u32, |all, other| all | 1 << other);
                timed |= together;
                holds += self.access_together(&accesses, together, holds);
            }
        }
        let passes = self.machine.passes;
        let units = &mut self.sm.units[Unit::LdSt as usize];
        if let Some(unit) = units.iter_mut().find(|unit| unit.free <= self.cycle) {
            unit.free = self.cycle + u64::from(holds.max(passes));
        }
        accesses.clear();
        self.sm.scratch.accesses = accesses;
    }

    /// Times those of `together` as one access that begins `later` cycles on; returns the cycles for which it holds its unit.
    fn access_together(&mut self, accesses: &[SliceAccess], together: u32, later: u32) -> u32 {
        let machine = self.machine;
        let (width, slices) = (machine.config.warp_width, machine.config.slices);
        let first = &accesses[together.trailing_zeros() as usize];
        let mut traffic = first.traffic;
        let (mut threads, mut slots, mut mask) = ([StorageThread::default(); 32], [0; 32], 0u32);
        for at in active(together) {
            let access = &accesses[at];
            let warp = &self.sm.warps[(access.row * slices) as usize];
            mask |= access.active;
            traffic.size = traffic.size.max(access.traffic.size);
            for lane in active(access.active) {
                let mut target = access.traffic.targets[lane];
                if target.space == Space::Shared {
                    target.address += u64::from(warp.block) * u64::from(machine.start.shape.shared_bytes);
                }
                traffic.targets[lane] = target;
                (threads[lane], slots[lane]) = (StorageThread(warp.first_thread.0 + lane as u32), warp.block);
            }
        }
        let who = Requester {
            sm: self.name,
            warp: (first.row * slices + first.warps.trailing_zeros()) as u16,
            pc: first.pc,
            threads: &threads,
            block_threads: machine.start.shape.threads,
            slot: 0,
            slots: Some(&slots),
            local_bytes: machine.program.local_bytes,
        };
        let mut context = AccessContext {
            shared: &mut self.uncore.memory,
            config: &machine.config,
            now: self.cycle,
            passes: machine.passes,
            sink: &mut *self.sink,
        };
        let mut lanes = LaneTimes::default();
        let (timing, _) = self.sm.memory.serve(&mut context, who, &traffic, mask, later, &mut lanes);
        let own_lanes = u32::MAX >> (32 - width);
        for at in active(together) {
            let access = &accesses[at];
            for slice in active(access.warps) {
                let active_lanes = access.active & own_lanes << (slice as u32 * width);
                let done = active(active_lanes).map(|lane| lanes.done[lane]).max().unwrap_or(self.cycle + 1);
                let warp = access.row * slices + slice as u32;
                if active_lanes != 0 {
                    self.emit(Event::Memory {
                        sm: self.name,
                        warp: warp as u16,
                        pc: access.pc,
                        space: booked_space(&access.traffic, active_lanes),
                        write: access.traffic.write,
                        // A line counts for the warp that requested it first.
                        transactions: (lanes.opens & active_lanes).count_ones() as u16,
                        done,
                    });
                }
                self.finish_memory(warp, access.pc, done.max(self.cycle + u64::from(machine.passes)));
            }
        }
        timing.holds
    }
}

fn kind(access: &SliceAccess) -> AccessKind {
    (access.traffic.write, access.traffic.atomic)
}
