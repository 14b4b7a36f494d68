//! Issue: each port asks its schedule policy for a warp, and the warp's next instruction executes.

use super::choice::{self, PassedOver};
use super::core::{Core, Issued};
use super::decode::{UNITS, Unit};
use super::facts::Facts;
use super::power::first_awake;
use super::slices::SliceAccess;
use super::state::{Sets, Sm};
use crate::config::Config;
use crate::event::{Sink, SlotUse, StallCause};
use crate::policy::gang::schedule::ReadyGang;
use crate::policy::view::IssueView;
use crate::policy::warp_set::WarpSet;

/// Scratch sets for the choice of one port. They mean nothing afterwards, and are no part of the machine's state.
#[derive(Default)]
pub struct Scratch {
    /// The port's warps that only a busy unit can hold back, and those of them whose unit is free.
    candidates: WarpSet,
    available: WarpSet,
    resident: WarpSet,
    unfetched: WarpSet,
    long_wait: WarpSet,
    /// Warps of a slice that accept a fetch, and warps of the SM that could not issue even with instructions.
    pub wanting: WarpSet,
    pub stalled: WarpSet,
    /// Always empty.
    pub nobody: WarpSet,
    /// Where lanes are cut into slices: warps whose next instruction could issue in this cycle, and candidate gangs.
    pub could: WarpSet,
    pub gangs: Vec<ReadyGang>,
    /// The warps that ports have passed over, in a cycle in which they are kept.
    pub choices: Option<Vec<PassedOver>>,
    /// Memory instructions that slices have issued and that are not timed yet.
    pub accesses: Vec<SliceAccess>,
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

impl std::hash::Hash for Scratch {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl<S: Sink> Core<'_, S> {
    /// Lets every port issue; returns whether any did.
    pub fn issue(&mut self) -> bool {
        let mut busy = false;
        self.sm.issued.clear(self.sm.sets.words);
        if self.machine.config.slices > 1 {
            return self.issue_sliced();
        }
        let ports = self.sm.ports.len();
        // A unit that all ports share goes to a late warp first, whichever port it has.
        let first = if self.sm.patience.is_bound() { self.port_of_late() } else { 0 };
        self.sm.issued.ports.resize(ports, SlotUse::Idle);
        for port in (first..ports).chain(0..first) {
            self.sm.issued.ports[port] = self.issue_port(port, &mut busy);
        }
        busy
    }

    /// Returns the port of the first late warp that only a unit can hold back, or else the first port.
    #[inline(never)]
    fn port_of_late(&self) -> usize {
        let late = self.sm.patience.late();
        let could = |word: usize| late.bits[word] & could_issue(&self.sm.sets, &self.sm.issued, word);
        let warp = (0..self.sm.sets.words).find_map(|word| {
            let bits = could(word);
            (bits != 0).then(|| word as u32 * 64 + bits.trailing_zeros())
        });
        warp.map_or(0, |warp| self.machine.config.port_of(warp) as usize)
    }

    /// Lets a port choose among its warps that are in no gang, and returns how it is used in this cycle.
    pub fn issue_port(&mut self, port: usize, busy: &mut bool) -> SlotUse {
        let words = self.sm.sets.words;
        if self.sm.ports[port].free > self.cycle {
            return SlotUse::Threads(self.sm.ports[port].holder_threads);
        }
        choices(self.sm, port, &self.machine.config, self.cycle, words);
        if !self.sm.scratch.available.is_empty(words) {
            if self.sm.ports[port].scheduler.looks_at_waits() {
                long_wait(self.sm, port, words);
            }
            if self.sm.ports[port].scheduler.looks_at_fetch() {
                unfetched(self.sm, port, words);
            }
            let Sm { sets, ports, issued, scratch, age, warps, blocks, gangs, statics, gating, units, chosen, patience, .. } =
                &mut *self.sm;
            let Scratch { candidates, available, resident, unfetched, long_wait, choices, .. } = &mut **scratch;
            let all = if S::KEEPS_CHOICES { *available } else { WarpSet::default() };
            let state = &mut ports[port];
            for word in 0..words {
                resident.bits[word] = sets.resident.bits[word] & state.warps.bits[word];
                issued.available.bits[word] |= available.bits[word];
            }
            if let Some(gangs) = gangs {
                gangs.patience.narrow(available, words);
            }
            let is_late = patience.narrow(available, words);
            let slow_phase = self.uncore.next_block >= self.machine.start.shape.blocks();
            let facts = Facts { warps, blocks, sets, statics: &statics.warps, machine: self.machine, slow_phase };
            let (slots, cycle) = (blocks.len() as u16, self.cycle);
            let ready = candidates;
            let view = IssueView { available, ready, unfetched, long_wait, resident, age, warps: &facts, slots, cycle, words };
            state.scheduler.arrange(&view);
            if is_late {
                state.scheduler.promote(&view);
            }
            let first = match gating {
                None => state.scheduler.first(&view),
                Some(gating) => {
                    let first = first_awake(&state.scheduler, &view, gating, units, &mut issued.asleep);
                    *chosen = first.and_then(|(_, chosen)| chosen);
                    first.map(|(warp, _)| warp)
                }
            };
            if S::KEEPS_CHOICES
                && let Some(choices) = choices
            {
                let mut awake = all;
                (0..words).for_each(|word| awake.bits[word] &= !issued.asleep.bits[word]);
                choice::keep(choices, self.name, &state.scheduler, &view, &awake, first);
            }
            if let Some(warp) = first {
                state.scheduler.issued(warp, &view);
                *busy = true;
                self.sm.issued.warps.insert(warp);
                let threads = self.issue_warp(port, warp);
                return SlotUse::Threads(threads);
            }
            return if self.sm.issued.asleep.is_empty(words) { SlotUse::Idle } else { SlotUse::Stall(StallCause::Lane) };
        }
        if !self.sm.scratch.candidates.is_empty(words) {
            return SlotUse::Stall(self.stall_cause());
        }
        if self.waits_for_memory(port) { SlotUse::Memory } else { SlotUse::Idle }
    }

    /// Returns what holds back the port's candidates, none of which has a free unit.
    fn stall_cause(&self) -> StallCause {
        let needs = &self.sm.sets.needs[Unit::LdSt as usize];
        let candidates = &self.sm.scratch.candidates;
        let want_memory = (0..self.sm.sets.words).any(|word| candidates.bits[word] & needs.bits[word] != 0);
        match self.sm.memory.held(self.cycle) {
            Some(hold) if want_memory || self.machine.config.one_pipeline => hold.cause,
            _ => StallCause::Unit,
        }
    }

    /// Whether an access holds the load/store unit until memory has room for it.
    pub fn memory_is_full(&self) -> bool {
        self.sm.memory.held(self.cycle).is_some_and(|hold| hold.cause == StallCause::MemoryFull)
    }

    fn waits_for_memory(&self, port: usize) -> bool {
        let sets = &self.sm.sets;
        let mine = &self.sm.ports[port].warps;
        (0..self.sm.sets.words).any(|word| {
            let waits = sets.data.bits[word] | sets.leaving.bits[word];
            sets.resident.bits[word] & mine.bits[word] & waits & sets.loading.bits[word] != 0
        })
    }
}

/// Returns those of 64 warps that only a port or a unit can hold back.
#[inline(always)]
pub fn could_issue(sets: &Sets, issued: &Issued, word: usize) -> u64 {
    let had_its_turn = issued.warps.bits[word] | issued.freed_from_barrier.bits[word] | issued.freed_from_sync.bits[word];
    fetched_or_not(sets, word) & !sets.unfetched.bits[word] & !had_its_turn
}

/// As [`could_issue`], with those whose instructions have not been fetched, and whatever this cycle's issues were.
#[inline(always)]
pub fn fetched_or_not(sets: &Sets, word: usize) -> u64 {
    sets.resident.bits[word] & !sets.held(word)
}

/// Whether a unit of a kind accepts an instruction from a slice.
#[inline(always)]
pub fn unit_is_free(sm: &Sm, kind: usize, slice: usize, config: &Config, cycle: u64) -> bool {
    let units = &sm.units[kind];
    let own = if kind == Unit::LdSt as usize || config.slices == 1 {
        &units[..]
    } else {
        let each = if kind == Unit::Sfu as usize { config.sfu_units } else { config.sp_units } as usize;
        &units[slice * each..(slice + 1) * each]
    };
    own.iter().any(|pipeline| pipeline.free <= cycle)
}

/// Works out the port's candidates, and those whose unit is free.
#[inline]
fn choices(sm: &mut Sm, port: usize, config: &Config, cycle: u64, words: usize) {
    let slice = port % config.slices as usize;
    let mut free = [true; UNITS];
    for (kind, free) in free.iter_mut().enumerate().take(UNITS - 1) {
        *free = unit_is_free(sm, kind, slice, config, cycle);
    }
    // Branches take the pipeline too where there is only one, and the SP units where operands are collected.
    if config.one_pipeline {
        free[Unit::Control as usize] = free[Unit::LdSt as usize];
    } else if config.collectors > 0 {
        free[Unit::Control as usize] = free[Unit::Int as usize];
    }
    let Sm { sets, ports, issued, scratch, gangs, .. } = sm;
    let Scratch { candidates, available, could: of_slices, .. } = &mut **scratch;
    let mine = &ports[port].warps;
    for word in 0..words {
        let all = if config.slices > 1 { of_slices.bits[word] } else { could_issue(sets, issued, word) };
        let mut could = all & mine.bits[word];
        let mut own = could;
        if let Some(gangs) = gangs {
            // The port does not choose among members of gangs.
            could &= !issued.in_step.bits[word];
            own = could & gangs.singles.bits[word];
        }
        candidates.bits[word] = could;
        available.bits[word] = 0;
        for (kind, needs) in sets.needs.iter().enumerate() {
            if free[kind] {
                available.bits[word] |= own & needs.bits[word];
            }
        }
    }
}

/// Works out the port's warps that wait only for their instructions.
fn unfetched(sm: &mut Sm, port: usize, words: usize) {
    let Sm { sets, ports, scratch, .. } = sm;
    for word in 0..words {
        let wait = fetched_or_not(sets, word) & sets.unfetched.bits[word];
        scratch.unfetched.bits[word] = wait & ports[port].warps.bits[word];
    }
}

/// Works out the port's warps that cannot issue for a long time.
fn long_wait(sm: &mut Sm, port: usize, words: usize) {
    let Sm { sets, ports, scratch, .. } = sm;
    for word in 0..words {
        scratch.long_wait.bits[word] = sets.held_for_long(word) & ports[port].warps.bits[word];
    }
}
