//! Issue: each port asks its schedule policy for a warp, and the warp's next instruction executes.

use super::core::Core;
use super::decode::UNITS;
use super::state::Sm;
use super::warp_set::WarpSet;
use crate::event::{Sink, SlotUse};
use crate::policy::schedule::IssueView;
use crate::policy::schedule::block_priority::BlockView;

/// Sets that one port's choice is worked out in. They mean nothing afterwards, and are no part of the machine's state.
#[derive(Default)]
pub struct Scratch {
    /// The port's warps whose next instruction could go, and those of them whose unit is free.
    candidates: WarpSet,
    available: WarpSet,
    resident: WarpSet,
    long_wait: WarpSet,
}

impl Clone for Scratch {
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Scratch")
    }
}

impl<S: Sink> Core<'_, S> {
    /// Lets every port issue; whether any did.
    pub fn issue(&mut self) -> bool {
        let mut busy = false;
        self.sm.issued.clear(self.machine.words);
        if self.machine.reforms {
            self.sm.statics.issued.clear(self.machine.static_words);
        }
        for port in 0..self.sm.ports.len() {
            let slot = self.issue_port(port, &mut busy);
            self.sm.issued.ports.push(slot);
        }
        busy
    }

    fn issue_port(&mut self, port: usize, busy: &mut bool) -> SlotUse {
        let words = self.machine.words;
        if self.sm.ports[port].free > self.cycle {
            return SlotUse::Threads(self.sm.ports[port].holder_threads);
        }
        choices(self.sm, port, self.cycle, words);
        if !self.sm.scratch.available.is_empty(words) {
            if self.sm.ports[port].schedule.looks_at_waits() {
                long_wait(self.sm, port, words);
            }
            let Sm { sets, ports, issued, scratch, age, warps, blocks, .. } = &mut *self.sm;
            let Scratch { available, resident, long_wait, .. } = &mut **scratch;
            let state = &mut ports[port];
            for word in 0..words {
                resident.bits[word] = sets.resident.bits[word] & state.warps.bits[word];
                issued.available.bits[word] |= available.bits[word];
            }
            if state.priority.matters() {
                let block = |warp: u32| {
                    let slot = warps[warp as usize].block;
                    (slot, blocks[usize::from(slot)].as_ref().map_or(u64::MAX, |block| block.index))
                };
                let view = BlockView { block: &block, slots: blocks.len() as u16, cycle: self.cycle, words };
                state.priority.narrow(available, &view);
            }
            let place = |warp: u32| warps[warp as usize].place;
            let view = IssueView { available, long_wait, resident, age, place: &place, words };
            if let Some(warp) = state.schedule.pick(&view) {
                *busy = true;
                self.sm.issued.warps.insert(warp);
                let threads = self.issue_warp(port, warp);
                return SlotUse::Threads(threads);
            }
            return SlotUse::Idle;
        }
        if !self.sm.scratch.candidates.is_empty(words) {
            return SlotUse::Stall;
        }
        if self.waits_for_memory(port) { SlotUse::Memory } else { SlotUse::Idle }
    }

    fn waits_for_memory(&self, port: usize) -> bool {
        let sets = &self.sm.sets;
        let mine = &self.sm.ports[port].warps;
        (0..self.machine.words).any(|word| {
            let waits = sets.data.bits[word] | sets.leaving.bits[word];
            sets.resident.bits[word] & mine.bits[word] & waits & sets.loading.bits[word] != 0
        })
    }
}

/// Works out the port's candidates, and those available.
#[inline]
fn choices(sm: &mut Sm, port: usize, cycle: u64, words: usize) {
    let Sm { sets, ports, issued, units, scratch, .. } = sm;
    let Scratch { candidates, available, .. } = &mut **scratch;
    let mine = &ports[port].warps;
    let mut free = [true; UNITS];
    for (kind, units) in units.iter().enumerate().take(UNITS - 1) {
        free[kind] = units.iter().any(|&at| at <= cycle);
    }
    for word in 0..words {
        let held = sets.exited.bits[word]
            | sets.barrier.bits[word]
            | sets.sync.bits[word]
            | sets.control.bits[word]
            | sets.leaving.bits[word]
            | sets.unfetched.bits[word]
            | sets.data.bits[word];
        let had_its_turn = issued.warps.bits[word] | issued.freed_from_barrier.bits[word] | issued.freed_from_sync.bits[word];
        let could = sets.resident.bits[word] & mine.bits[word] & !held & !had_its_turn;
        candidates.bits[word] = could;
        available.bits[word] = 0;
        for (kind, needs) in sets.needs.iter().enumerate() {
            if free[kind] {
                available.bits[word] |= could & needs.bits[word];
            }
        }
    }
}

/// Works out the port's warps that will not issue for long.
fn long_wait(sm: &mut Sm, port: usize, words: usize) {
    let Sm { sets, ports, scratch, .. } = sm;
    for word in 0..words {
        let memory = sets.data.bits[word] & sets.loading.bits[word];
        let waits = memory | sets.barrier.bits[word] | sets.sync.bits[word] | sets.exited.bits[word];
        scratch.long_wait.bits[word] = waits & ports[port].warps.bits[word];
    }
}
