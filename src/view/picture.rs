//! Every resident warp at one cycle.

use crate::event::Reason;
use crate::policy::divergence::NEVER;
use crate::program::Pc;
use crate::sim::Sim;
use crate::sim::state::Sm;
use serde::Serialize;

/// What a lane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// It runs its warp's next instruction.
    Active,
    /// It waits for the other side of a branch.
    Masked,
    /// It waits at a barrier.
    Barrier,
    /// Its thread has ended.
    Exited,
    /// It never had a thread.
    Empty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct StackEntry {
    pub pc: Pc,
    /// Where it meets the entry below; none when only the kernel's end does.
    pub rpc: Option<Pc>,
    pub mask: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpPicture {
    pub sm: u16,
    pub warp: u16,
    /// The logical block, its slot, and the warp's number in it.
    pub block: u64,
    pub slot: u16,
    pub number: u16,
    pub first_thread: u32,
    /// Lanes of the machine's warps.
    pub width: u32,
    /// The next instruction.
    pub pc: Pc,
    /// Lanes that will run it.
    pub active: u32,
    /// Lanes whose thread has not ended.
    pub alive: u32,
    /// Lanes that hold a thread at all.
    pub present: u32,
    /// What it did in the last cycle; none before the first.
    pub reason: Option<Reason>,
    /// Bottom first.
    pub stack: Vec<StackEntry>,
}

impl WarpPicture {
    pub fn lane(&self, lane: u32) -> Lane {
        let bit = 1 << lane;
        if self.present & bit == 0 {
            Lane::Empty
        } else if self.alive & bit == 0 {
            Lane::Exited
        } else if self.active & bit == 0 {
            Lane::Masked
        } else if self.reason == Some(Reason::Barrier) {
            Lane::Barrier
        } else {
            Lane::Active
        }
    }
}

/// The machine at one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    pub cycle: u64,
    /// By SM, then by slot.
    pub warps: Vec<WarpPicture>,
}

impl Picture {
    pub fn of(sim: &Sim) -> Picture {
        let mut warps = Vec::new();
        for (name, sm) in sim.state.sms.iter().enumerate() {
            warps.extend(sm.sets.resident.iter(sim.machine.words).map(|warp| of_warp(sim, name as u16, sm, warp)));
        }
        Picture { cycle: sim.state.cycle, warps }
    }

    pub fn warp(&self, sm: u16, warp: u16) -> Option<&WarpPicture> {
        self.warps.iter().find(|w| w.sm == sm && w.warp == warp)
    }
}

/// What a static warp did in the last cycle.
pub(super) fn reason(sm: &Sm, warp: u32) -> Option<Reason> {
    let sets = &sm.sets.before[warp as usize / 64];
    Reason::ALL.into_iter().find(|&reason| sets[reason as usize] >> (warp % 64) & 1 != 0)
}

fn of_warp(sim: &Sim, name: u16, sm: &Sm, warp: u32) -> WarpPicture {
    let state = &sm.warps[warp as usize];
    let config = &sim.machine.config;
    let block = sm.blocks[usize::from(state.block)].as_ref();
    let ptx_warp = state.first_thread / config.ptx_warp;
    let gone = block.and_then(|block| block.exited_lanes.get(ptx_warp as usize)).copied().unwrap_or(0);
    let alive = state.lanes.mask & !(gone >> (state.first_thread % config.ptx_warp));
    let exited = sm.sets.exited.contains(warp);
    let stack = sm.divergence.stack(warp);
    WarpPicture {
        sm: name,
        warp: warp as u16,
        block: block.map_or(0, |block| block.index),
        slot: state.block,
        number: block.map_or(0, |block| warp as u16 - block.first_warp),
        first_thread: state.first_thread,
        width: config.warp_width,
        pc: state.place.pc,
        active: if exited { 0 } else { state.place.mask & alive },
        alive,
        present: state.lanes.mask,
        reason: reason(sm, warp),
        stack: stack
            .iter()
            .map(|entry| StackEntry { pc: entry.pc, rpc: (entry.rpc != NEVER).then_some(entry.rpc), mask: entry.mask })
            .collect(),
    }
}
