//! Fetch: which warp gets instructions, from an instruction cache that may miss.

use super::cache::Look;
use super::core::Core;
use super::state::Sm;
use super::wheel::{Completion, Done};
use crate::event::{Event, Sink};

impl<S: Sink> Core<'_, S> {
    /// Whether [`Core::fetch`] would do anything.
    pub fn will_fetch(&self) -> bool {
        !self.machine.config.ideal_fetch && !self.sm.sets.wants_fetch.is_empty(self.machine.words)
    }

    /// Gangs come first, then every slice for its own warps, the one behind the last that was served first.
    pub fn fetch(&mut self) {
        if !self.will_fetch() {
            return;
        }
        let mut ports = self.machine.config.icache_ports;
        self.fetch_for_gangs(&mut ports);
        let slices = self.machine.config.slices;
        let first = self.sm.first_slice;
        for slice in (0..slices).map(|step| (first + step) % slices) {
            for _ in 0..self.machine.config.fetch_ports {
                if !self.fetch_for_slice(slice, &mut ports) {
                    break;
                }
            }
        }
    }

    /// As many gangs as can issue in a cycle, each once for all of its members that have nothing to issue.
    fn fetch_for_gangs(&mut self, ports: &mut u32) {
        let config = &self.machine.config;
        let kept = u32::from(self.late_warp_wants_fetch());
        for _ in 0..config.gangs_per_cycle * config.schedulers {
            let Some(gangs) = self.sm.gangs.as_mut().filter(|_| *ports > kept) else { return };
            let wants = &self.sm.sets.wants_fetch;
            let Some((row, members)) = gangs.next_to_fetch(wants) else { return };
            let (first, slices) = (row * gangs.slices, gangs.slices);
            let lead = first + members.trailing_zeros();
            let line = self.line_of(lead, config.icache_line);
            let (hit, ready) = self.look_up(line);
            *ports -= 1;
            let mut count = 0;
            for warp in (0..slices).filter(|slice| members >> slice & 1 != 0).map(|slice| first + slice) {
                count = self.bring(warp, config.icache_line, ready);
            }
            let pc = self.sm.warps[lead as usize].place.pc;
            self.emit(Event::Fetched { sm: self.name, warp: lead as u16, pc, count, hit });
        }
    }

    /// Whether a singleton that gangs have passed over for too long has nothing to issue: a port is kept for it.
    fn late_warp_wants_fetch(&self) -> bool {
        self.sm.gangs.as_ref().is_some_and(|gangs| {
            let late = |word: usize| gangs.patience.late().bits[word] & gangs.singles.bits[word];
            (0..self.machine.words).any(|word| late(word) & self.sm.sets.wants_fetch.bits[word] != 0)
        })
    }

    /// One fetch for a warp of a slice that is in no gang; whether there was one.
    fn fetch_for_slice(&mut self, slice: u32, ports: &mut u32) -> bool {
        let (machine, words) = (self.machine, self.machine.words);
        let config = &machine.config;
        let Sm { sets, fetch, gangs, ports: issue_ports, l0i, warps, scratch, .. } = &mut *self.sm;
        let mut wanting = &sets.wants_fetch;
        if config.slices > 1 {
            for word in 0..words {
                let own = issue_ports.iter().skip(slice as usize).step_by(config.slices as usize);
                let own = own.fold(0, |all, port| all | port.warps.bits[word]);
                let alone = gangs.as_ref().map_or(u64::MAX, |gangs| gangs.singles.bits[word]);
                scratch.wanting.bits[word] = sets.wants_fetch.bits[word] & own & alone;
            }
            wanting = &scratch.wanting;
        }
        let Some(warp) = fetch[slice as usize].next(wanting, words) else { return false };
        let pc = warps[warp as usize].place.pc;
        let mut line_bytes = config.icache_line;
        let mut own = None;
        if let Some(cache) = l0i.get_mut(slice as usize) {
            line_bytes = config.l0i_line;
            let line = u64::from(pc / (line_bytes / config.instruction_bytes));
            own = Some((line, cache.look(line, self.cycle) == Look::Hit));
        }
        let (hit, ready) = match own {
            Some((_, true)) => (true, self.cycle + u64::from(config.fetch_latency)),
            _ if *ports == 0 => return false,
            _ => {
                *ports -= 1;
                self.sm.first_slice = (slice + 1) % config.slices;
                self.look_up(self.line_of(warp, config.icache_line))
            }
        };
        if let Some((line, is_there)) = own {
            if !is_there {
                self.sm.l0i[slice as usize].insert(line, self.cycle, ready);
            }
            self.emit(Event::SliceFetch { sm: self.name, slice: slice as u16, hit: is_there });
        }
        self.sm.fetch[slice as usize].fetched(warp);
        let count = self.bring(warp, line_bytes, ready);
        self.emit(Event::Fetched { sm: self.name, warp: warp as u16, pc, count, hit });
        true
    }

    fn line_of(&self, warp: u32, line_bytes: u32) -> u64 {
        u64::from(self.sm.warps[warp as usize].place.pc / (line_bytes / self.machine.config.instruction_bytes))
    }

    /// Looks for a line in the cache that all share: whether it is there, and when its instructions can issue.
    fn look_up(&mut self, line: u64) -> (bool, u64) {
        let config = &self.machine.config;
        let latency = u64::from(config.fetch_latency);
        match self.sm.icache.look(line, self.cycle) {
            Look::Hit => (true, self.cycle + latency),
            Look::Coming(arrives) => (false, arrives + latency),
            Look::Miss => {
                let arrives = self.cycle + u64::from(config.icache_miss_latency);
                self.sm.icache.insert(line, self.cycle, arrives);
                (false, arrives + latency)
            }
        }
    }

    /// Instructions for a warp are on their way; how many.
    fn bring(&mut self, warp: u32, line_bytes: u32, ready: u64) -> u8 {
        let config = &self.machine.config;
        let state = &self.sm.warps[warp as usize];
        let per_line = line_bytes / config.instruction_bytes;
        let in_line = per_line - state.place.pc % per_line;
        let left = self.machine.decoded.len() as u32 - state.place.pc;
        let count = config.fetch_instructions.min(config.ibuffer).min(in_line).min(left) as u8;
        self.sm.sets.wants_fetch.remove(warp);
        let completion = Completion { sm: self.name, warp: warp as u16, life: state.fetch_life, done: Done::Fetch { count } };
        self.uncore.wheel.insert(ready, completion);
        count
    }
}
