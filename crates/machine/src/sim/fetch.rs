//! Fetch: which warp gets instructions, from an instruction cache that may miss.

use super::cache::{ALL_SECTORS, Lookup};
use super::core::Core;
use super::facts::Facts;
use super::issue::Scratch;
use super::memory::AccessContext;
use super::state::Sm;
use super::wheel::{Completion, Done};
use crate::config::Config;
use crate::event::{Event, Sink};
use crate::policy::fetch::FetchView;
use crate::policy::view::IssueView;
use warpscope_kernel::program::Pc;

impl<S: Sink> Core<'_, S> {
    /// Whether [`Core::fetch`] would do anything.
    pub fn will_fetch(&self) -> bool {
        !self.machine.config.ideal_fetch && !self.sm.sets.wants_fetch.is_empty(self.sm.sets.words)
    }

    /// Fetches for gangs first, then for each slice's own warps, beginning behind the slice that was served last.
    pub fn fetch(&mut self) {
        if !self.will_fetch() {
            return;
        }
        let mut ports = self.machine.config.icache_ports;
        self.fetch_for_gangs(&mut ports);
        if !self.singleton_wants_fetch() {
            return;
        }
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

    /// Fetches for a warp of a slice that is in no gang; returns whether it did.
    fn fetch_for_slice(&mut self, slice: u32, ports: &mut u32) -> bool {
        let config = &self.machine.config;
        // With no port left, only the slice's own cache can serve.
        let Some(warp) = self.choose_to_fetch(slice, *ports == 0) else { return false };
        let pc = self.fetch_pc(warp);
        let l0i = &mut self.sm.l0i;
        let mut line_bytes = config.icache_line;
        let mut own = None;
        if let Some(cache) = l0i.get_mut(slice as usize) {
            line_bytes = config.l0i_line;
            let line = line_of(pc, line_bytes, config);
            // A line in flight counts as a hit: the warp that missed brings it for all warps of the slice.
            let ready = self.cycle + u64::from(config.fetch_latency);
            own = Some(match cache.look_up(line, self.cycle) {
                Lookup::Hit => (line, Some(ready)),
                Lookup::Coming(arrives) => (line, Some(ready.max(arrives))),
                Lookup::Miss => (line, None),
            });
        }
        let (hit, ready) = match own {
            Some((_, Some(ready))) => (true, ready),
            _ if *ports == 0 => return false,
            _ => {
                *ports -= 1;
                self.sm.first_slice = (slice + 1) % config.slices;
                self.look_up(self.line_of(warp, config.icache_line))
            }
        };
        if let Some((line, there)) = own {
            if there.is_none() {
                self.sm.l0i[slice as usize].insert(line, self.cycle, ready, ALL_SECTORS);
            }
            self.emit(Event::SliceFetch { sm: self.name, slice: slice as u16, hit: there.is_some() });
        }
        self.sm.fetch[slice as usize].fetched(warp);
        let count = self.bring(warp, line_bytes, ready);
        self.emit(Event::Fetched { sm: self.name, warp: warp as u16, pc, count, hit });
        true
    }

    /// Returns the warp of a slice, in no gang, that the fetch policy chooses.
    #[inline]
    fn choose_to_fetch(&mut self, slice: u32, from_l0: bool) -> Option<u32> {
        let (machine, words) = (self.machine, self.sm.sets.words);
        let config = &machine.config;
        let Sm { sets, fetch, gangs, ports, warps, blocks, age, scratch, statics, l0i, patience, .. } = &mut *self.sm;
        let Scratch { wanting, stalled, nobody, .. } = &mut **scratch;
        for word in 0..words {
            let alone = gangs.as_ref().map_or(u64::MAX, |gangs| gangs.singles.bits[word]);
            let own = ports.iter().skip(slice as usize).step_by(config.slices as usize);
            let own = if config.slices > 1 { own.fold(0, |all, port| all | port.warps.bits[word]) } else { u64::MAX };
            wanting.bits[word] = sets.wants_fetch.bits[word] & own & alone;
            stalled.bits[word] = sets.stalled(word);
        }
        patience.narrow(wanting, words);
        if from_l0 {
            let cache = l0i.get(slice as usize)?;
            let all = *wanting;
            for warp in all.iter(words) {
                let state = &warps[warp as usize];
                let pc = state.place.pc + u32::from(state.filled);
                let line = line_of(pc, config.l0i_line, config);
                wanting.set(warp, cache.holds(line));
            }
        }
        let slow_phase = self.uncore.next_block >= machine.start.shape.blocks();
        let facts = Facts { warps, blocks, sets, statics: &statics.warps, machine, slow_phase };
        let (slots, cycle) = (blocks.len() as u16, self.cycle);
        let issue = IssueView {
            available: wanting,
            ready: wanting,
            unfetched: nobody,
            long_wait: nobody,
            resident: &sets.resident,
            age,
            warps: &facts,
            slots,
            cycle: cycle + 1,
            words,
        };
        let issue_rank = |warp: u32| ports[config.port_of(warp) as usize].scheduler.rank(warp, &issue);
        let view = FetchView { issue: &issue, stalled, issue_rank: &issue_rank };
        fetch[slice as usize].first(&view)
    }

    /// Returns the next PC to fetch for a warp, behind the instructions in its I-buffer.
    pub fn fetch_pc(&self, warp: u32) -> Pc {
        let state = &self.sm.warps[warp as usize];
        state.place.pc + u32::from(state.filled)
    }

    pub fn line_of(&self, warp: u32, line_bytes: u32) -> u64 {
        line_of(self.fetch_pc(warp), line_bytes, &self.machine.config)
    }

    /// Looks a line up in the SM's instruction cache; returns whether it hit, and when its instructions can issue.
    pub fn look_up(&mut self, line: u64) -> (bool, u64) {
        let config = &self.machine.config;
        let latency = u64::from(config.fetch_latency);
        match self.sm.icache.look_up(line, self.cycle) {
            Lookup::Hit => (true, self.cycle + latency),
            Lookup::Coming(arrives) => (false, arrives + latency),
            Lookup::Miss => {
                let arrives = if config.icache_l2 {
                    let mut context = AccessContext {
                        shared: &mut self.uncore.memory,
                        config,
                        now: self.cycle,
                        passes: self.machine.passes,
                        sink: &mut *self.sink,
                    };
                    self.sm.memory.instructions(&mut context, line)
                } else {
                    self.cycle + u64::from(config.icache_miss_latency)
                };
                self.sm.icache.insert(line, self.cycle, arrives, ALL_SECTORS);
                (false, arrives + latency)
            }
        }
    }

    /// Schedules the arrival of instructions for a warp; returns how many.
    pub fn bring(&mut self, warp: u32, line_bytes: u32, ready: u64) -> u8 {
        let config = &self.machine.config;
        let pc = self.fetch_pc(warp);
        let state = &mut self.sm.warps[warp as usize];
        state.fetching = true;
        let per_line = 1 << line_shift(line_bytes, config);
        let in_line = per_line - (pc & (per_line - 1));
        let left = self.machine.decoded.len() as u32 - pc;
        let room = config.ibuffer - u32::from(state.filled);
        let count = config.fetch_instructions.min(room).min(in_line).min(left) as u8;
        self.sm.sets.wants_fetch.remove(warp);
        let completion = Completion { sm: self.name, warp: warp as u16, life: state.fetch_life, done: Done::Fetch { count } };
        self.uncore.wheel.insert(ready, completion);
        count
    }
}

/// Returns the line that contains an instruction.
#[inline(always)]
fn line_of(pc: Pc, line_bytes: u32, config: &Config) -> u64 {
    u64::from(pc >> line_shift(line_bytes, config))
}

/// Returns the binary logarithm of the instructions in a line: sizes are powers of two, so nothing needs to be divided.
#[inline(always)]
fn line_shift(line_bytes: u32, config: &Config) -> u32 {
    line_bytes.trailing_zeros() - config.instruction_bytes.trailing_zeros()
}
