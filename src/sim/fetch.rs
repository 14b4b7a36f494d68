//! Fetch: which warp gets instructions, from an instruction cache that may miss.

use super::cache::Look;
use super::core::Core;
use super::wheel::{Completion, Done};
use crate::event::{Event, Sink};

impl<S: Sink> Core<'_, S> {
    /// Whether [`Core::fetch`] would do anything.
    pub fn will_fetch(&self) -> bool {
        !self.machine.config.ideal_fetch && !self.sm.sets.wants_fetch.is_empty(self.machine.words)
    }

    pub fn fetch(&mut self) {
        if !self.will_fetch() {
            return;
        }
        for _ in 0..self.machine.config.fetch_ports {
            let Some(warp) = self.sm.fetch.pick(&self.sm.sets.wants_fetch, self.machine.words) else { return };
            self.fetch_warp(warp);
        }
    }

    fn fetch_warp(&mut self, warp: u32) {
        let config = &self.machine.config;
        let pc = self.sm.warps[warp as usize].place.pc;
        let per_line = config.icache_line / config.instruction_bytes;
        let line = u64::from(pc / per_line);
        let in_line = per_line - pc % per_line;
        let left = self.machine.decoded.len() as u32 - pc;
        let count = config.fetch_instructions.min(config.ibuffer).min(in_line).min(left) as u8;
        let latency = u64::from(config.fetch_latency);
        let (hit, ready) = match self.sm.icache.look(line, self.cycle) {
            Look::Hit => (true, self.cycle + latency),
            Look::Coming(arrives) => (false, arrives + latency),
            Look::Miss => {
                let arrives = self.cycle + u64::from(config.icache_miss_latency);
                self.sm.icache.insert(line, self.cycle, arrives);
                (false, arrives + latency)
            }
        };
        self.sm.sets.wants_fetch.remove(warp);
        let completion = Completion {
            sm: self.name,
            warp: warp as u16,
            life: self.sm.warps[warp as usize].fetch_life,
            done: Done::Fetch { count },
        };
        self.uncore.wheel.insert(ready, completion);
        self.emit(Event::Fetched { sm: self.name, warp: warp as u16, pc, count, hit });
    }
}
