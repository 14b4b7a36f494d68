//! Issue: each port asks its schedule policy for a warp, and the warp's next instruction executes.

use super::core::{Core, Issued};
use super::decode::UNITS;
use super::warp_set::WarpSet;
use crate::event::{Sink, SlotUse};
use crate::policy::schedule::IssueView;

impl<S: Sink> Core<'_, S> {
    /// Lets every port issue; whether any did.
    pub fn issue(&mut self) -> bool {
        let mut busy = false;
        let ports = self.sm.ports.len();
        let mut slots = std::mem::take(&mut self.sm.issued.ports);
        slots.clear();
        self.sm.issued = Issued { ports: slots, ..Issued::default() };
        for port in 0..ports {
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
        let (candidates, available) = self.choices(port);
        if !available.is_empty(words) {
            let long_wait = if self.sm.ports[port].schedule.looks_at_waits() { self.long_wait(port) } else { WarpSet::default() };
            let state = &mut self.sm.ports[port];
            let mut resident = WarpSet::default();
            for word in 0..words {
                resident.bits[word] = self.sm.sets.resident.bits[word] & state.warps.bits[word];
                self.sm.issued.available.bits[word] |= available.bits[word];
            }
            let view = IssueView { available: &available, long_wait: &long_wait, resident: &resident, age: &self.sm.age, words };
            if let Some(warp) = state.schedule.pick(&view) {
                *busy = true;
                self.sm.issued.warps.insert(warp);
                let threads = self.issue_warp(port, warp);
                return SlotUse::Threads(threads);
            }
            return SlotUse::Idle;
        }
        if !candidates.is_empty(words) {
            return SlotUse::Stall;
        }
        if self.waits_for_memory(port) { SlotUse::Memory } else { SlotUse::Idle }
    }

    /// The port's warps whose next instruction could go, and those of them whose unit is free.
    #[inline]
    fn choices(&self, port: usize) -> (WarpSet, WarpSet) {
        let sets = &self.sm.sets;
        let mine = &self.sm.ports[port].warps;
        let issued = &self.sm.issued;
        let mut free = [true; UNITS];
        for (kind, units) in self.sm.units.iter().enumerate().take(UNITS - 1) {
            free[kind] = units.iter().any(|&at| at <= self.cycle);
        }
        let (mut candidates, mut available) = (WarpSet::default(), WarpSet::default());
        for word in 0..self.machine.words {
            let held = sets.exited.bits[word]
                | sets.barrier.bits[word]
                | sets.sync.bits[word]
                | sets.control.bits[word]
                | sets.unfetched.bits[word]
                | sets.data.bits[word];
            let had_its_turn = issued.warps.bits[word] | issued.freed_from_barrier.bits[word] | issued.freed_from_sync.bits[word];
            let could = sets.resident.bits[word] & mine.bits[word] & !held & !had_its_turn;
            candidates.bits[word] = could;
            for (kind, needs) in sets.needs.iter().enumerate() {
                if free[kind] {
                    available.bits[word] |= could & needs.bits[word];
                }
            }
        }
        (candidates, available)
    }

    /// The port's warps that will not issue for long.
    fn long_wait(&self, port: usize) -> WarpSet {
        let sets = &self.sm.sets;
        let mine = &self.sm.ports[port].warps;
        let mut set = WarpSet::default();
        for word in 0..self.machine.words {
            let memory = sets.data.bits[word] & sets.loading.bits[word];
            set.bits[word] = (memory | sets.barrier.bits[word] | sets.sync.bits[word] | sets.exited.bits[word]) & mine.bits[word];
        }
        set
    }

    fn waits_for_memory(&self, port: usize) -> bool {
        let sets = &self.sm.sets;
        let mine = &self.sm.ports[port].warps;
        (0..self.machine.words)
            .any(|word| sets.resident.bits[word] & mine.bits[word] & sets.data.bits[word] & sets.loading.bits[word] != 0)
    }
}
