//! Independent accounts of a run, from the starts and ends of blocks, from issues, and from each warp's changes.
//!
//! Every cycle of every SM must be reported exactly once. The reasons of a cycle must add up to the warps of the resident blocks,
//! and equal those that the changes of single warps lead to. Every issue port must be reported once a cycle. Where warps re-form,
//! every thread must be in one warp at a time and run only in the warp that it was reported to be in, and no instruction may
//! issue for a thread twice in a cycle. Only the first disagreement is kept, in words, because later ones mostly follow from it.

use super::lane_books::LaneBooks;
use std::collections::{BTreeMap, BTreeSet};
use warpscope_machine::config::Config;
use warpscope_machine::event::{CacheOutcome, Event, Reason, SCATTERED, Sink, SlotUse};
use warpscope_machine::metrics::{CacheCounts, Metrics};
use warpscope_machine::sim::Sim;

const REASONS: usize = Reason::ALL.len();

#[derive(Clone, Debug, Default)]
pub struct Books {
    sms: Vec<SmBook>,
    trouble: Option<String>,
    issued: u64,
    issued_threads: u64,
    l1: CacheCounts,
    l2: CacheCounts,
    lanes: LaneBooks,
}

/// The accounts of one SM.
#[derive(Clone, Debug, Default)]
struct SmBook {
    /// Resident blocks, with their warps.
    blocks: Vec<(u64, u64)>,
    /// Warps times cycles, by the resident blocks.
    resident_warp_cycles: u64,
    /// The next cycle to be reported.
    next: u64,
    /// The reasons of the last reported cycle.
    counts: [u64; REASONS],
    /// Each warp's reason, and the cycle since which it holds.
    warps: Vec<Option<(Reason, u64)>>,
    /// How long warps had each reason, by their changes.
    durations: [u64; REASONS],
    ports: Vec<PortBook>,
    /// Static warps that have issued since the last reported cycle, and (`issued_lanes`) their lanes.
    issuers: BTreeSet<u16>,
    issued_lanes: BTreeMap<u16, u32>,
    /// Where warps re-form: the warp-table entry of each thread, the threads of each entry, and what an issue still has to
    /// account for.
    places: Vec<Option<u16>>,
    entries: BTreeMap<u16, Vec<(u16, u32)>>,
    unexplained: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct PortBook {
    next: u64,
    slots: u64,
    /// Slots in which an instruction issued or held the port.
    used: u64,
}

impl Books {
    pub fn of(config: &Config) -> Books {
        let mut books = Books::default();
        books.lanes.wakes_at_once = config.wakeup == 0;
        books
    }
}

impl Sink for Books {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        if let Event::L1 { outcome, .. } = event {
            count(&mut self.l1, outcome);
        }
        if let Event::L2 { outcome, .. } = event {
            count(&mut self.l2, outcome);
        }
        if let Event::Issued { mask, .. } = event {
            self.issued += 1;
            self.issued_threads += u64::from(mask.count_ones());
            if mask == 0 {
                self.note(cycle, "an instruction without threads".to_string());
            }
        }
        if let Err(trouble) = self.lanes.enter(cycle, &event) {
            self.note(cycle, trouble);
        }
        let Some(sm) = sm_of(&event) else { return };
        if self.sms.len() <= sm {
            self.sms.resize_with(sm + 1, SmBook::default);
        }
        if let Err(trouble) = self.sms[sm].enter(cycle, event) {
            self.note(cycle, format!("SM {sm}: {trouble}"));
        }
    }
}

impl Books {
    fn note(&mut self, cycle: u64, trouble: String) {
        self.trouble.get_or_insert_with(|| format!("cycle {cycle}: {trouble}"));
    }

    /// Compares these accounts with those of the metrics, at the end of a run.
    pub fn balance(&self, metrics: &Metrics, sim: &Sim) -> Result<(), String> {
        if let Some(trouble) = &self.trouble {
            return Err(trouble.clone());
        }
        let (config, cycles) = (&sim.machine.config, sim.state.cycle);
        self.lanes.balance(metrics, config, cycles)?;
        let (sms, ports) = (u64::from(config.sms), u64::from(config.issue_ports()));
        let slots: u64 = metrics.totals.slots_by_threads.iter().sum::<u64>()
            + metrics.totals.slots_stall()
            + metrics.totals.slots_memory
            + metrics.totals.slots_idle;
        same("issue slots and cycles × ports × SMs", slots, cycles * ports * sms)?;
        let told: u64 = self.sms.iter().flat_map(|sm| &sm.ports).map(|port| port.slots).sum();
        same("issue slots and those told of", slots, told)?;
        let used: u64 = self.sms.iter().flat_map(|sm| &sm.ports).map(|port| port.used).sum();
        same("used issue slots and those told of", metrics.totals.slots_by_threads.iter().sum(), used)?;
        same("SMs told of", self.sms.len() as u64, sms)?;
        for (name, sm) in self.sms.iter().enumerate() {
            same(&format!("cycles of SM {name} told of"), sm.next, cycles)?;
            same(&format!("ports of SM {name}"), sm.ports.len() as u64, ports)?;
        }
        let resident: u64 = self.sms.iter().map(|sm| sm.resident_warp_cycles).sum();
        same("warp cycles and warps of resident blocks × cycles", metrics.totals.warp_cycles.iter().sum(), resident)?;
        for (at, reason) in Reason::ALL.into_iter().enumerate() {
            let by_changes: u64 = self.sms.iter().map(|sm| sm.durations_until(cycles)[at]).sum();
            same(
                &format!("warp cycles `{}` and those by changes of warps", reason.key()),
                metrics.totals.warp_cycles[at],
                by_changes,
            )?;
        }
        same("warp instructions", metrics.totals.warp_instructions, self.issued)?;
        same("thread instructions", metrics.totals.thread_instructions, self.issued_threads)?;
        if !config.divergence.reforms() {
            same("warp cycles `issued` and warp instructions", metrics.totals.warp_cycles[Reason::Issued as usize], self.issued)?;
        }
        for (name, sm) in self.sms.iter().enumerate() {
            same(&format!("threads of SM {name} left in warps"), sm.places.iter().flatten().count() as u64, 0)?;
        }
        if metrics.totals.thread_instructions > metrics.totals.warp_instructions * u64::from(config.warp_width) {
            return Err("more thread instructions than lanes".to_string());
        }
        for (name, counts, own) in [("L1", metrics.totals.l1d, self.l1), ("L2", metrics.totals.l2, self.l2)] {
            same(&format!("{name} accesses and outcomes"), counts.accesses, counts.hits + counts.misses + counts.mshr_merges)?;
            if counts != own {
                return Err(format!("{name}: {counts:?} counted, {own:?} told of"));
            }
        }
        same(
            "L1 accesses and transactions",
            metrics.totals.l1d.accesses,
            if config.ideal_memory { 0 } else { metrics.totals.memory_transactions },
        )?;
        same("blocks", metrics.totals.blocks, sim.machine.start.shape.blocks())
    }
}

impl SmBook {
    fn enter(&mut self, cycle: u64, event: Event) -> Result<(), String> {
        match event {
            Event::BlockStart { block, warps, .. } => self.blocks.push((block, warps.into())),
            Event::BlockEnd { block, .. } => {
                let at = self
                    .blocks
                    .iter()
                    .position(|&(there, _)| there == block)
                    .ok_or(format!("block {block} ends and was not there"))?;
                self.blocks.remove(at);
            }
            Event::Issued { warp, mask, first_thread, .. } => {
                same("threads of an instruction that are nobody's", self.unexplained.count_ones().into(), 0)?;
                if first_thread == SCATTERED {
                    self.unexplained = mask;
                } else {
                    self.issuers.insert(warp);
                }
            }
            Event::IssuedFor { warp, origin, mask, .. } => {
                self.issuers.insert(origin);
                if mask & !self.unexplained != 0 {
                    return Err(format!("warp {warp} issues for lanes {mask:b} of warp {origin}, which are not active"));
                }
                self.unexplained &= !mask;
                let before = self.issued_lanes.entry(origin).or_default();
                if *before & mask != 0 {
                    return Err(format!("threads {mask:b} of warp {origin} issue twice"));
                }
                *before |= mask;
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    let there = *self.place(origin, lane);
                    if there != Some(warp) {
                        return Err(format!("lane {lane} of warp {origin} runs in entry {warp} and was told to be in {there:?}"));
                    }
                }
            }
            Event::Member { warp, origin, mask, .. } => {
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    if let Some(before) = self.place(origin, lane).replace(warp) {
                        return Err(format!("lane {lane} of warp {origin} comes to entry {warp} and is still in {before}"));
                    }
                }
                self.entries.entry(warp).or_default().push((origin, mask));
            }
            Event::Parked { warp, origin, mask, .. } => {
                self.leave(warp, origin, mask);
            }
            Event::Left { warp, .. } => {
                for (origin, mask) in self.entries.remove(&warp).unwrap_or_default() {
                    self.leave(warp, origin, mask);
                }
            }
            Event::Cycle { counts, repeat, .. } => return self.cycle(cycle, counts.0.map(u64::from), repeat),
            Event::Warp { warp, reason, .. } => return self.change(cycle, warp.into(), reason),
            Event::Slot { port, slot, repeat, .. } => return self.slot(cycle, port.into(), slot, repeat),
            _ => {}
        }
        Ok(())
    }

    /// Returns the warp-table entry that a thread is in.
    fn place(&mut self, origin: u16, lane: u8) -> &mut Option<u16> {
        let at = usize::from(origin) * 32 + usize::from(lane);
        if self.places.len() <= at {
            self.places.resize(at + 1, None);
        }
        &mut self.places[at]
    }

    fn leave(&mut self, warp: u16, origin: u16, mask: u32) {
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            self.place(origin, lane).take_if(|there| *there == warp);
        }
    }

    fn cycle(&mut self, cycle: u64, counts: [u64; REASONS], repeat: u64) -> Result<(), String> {
        same("the cycle told of and the next", cycle, std::mem::replace(&mut self.next, cycle + repeat))?;
        let warps: u64 = self.blocks.iter().map(|(_, warps)| warps).sum();
        self.resident_warp_cycles += warps * repeat;
        self.counts = counts;
        same("reasons and resident warps", counts.iter().sum(), warps)?;
        self.issued_lanes.clear();
        let issuers = std::mem::take(&mut self.issuers).len() as u64;
        same("warps with the reason `issued` and those that did", counts[Reason::Issued as usize], issuers)?;
        same("threads of an instruction that are nobody's", self.unexplained.count_ones().into(), 0)?;
        if repeat > 1 && counts[Reason::Issued as usize] > 0 {
            return Err("an issue repeated".to_string());
        }
        Ok(())
    }

    fn change(&mut self, cycle: u64, warp: usize, reason: Option<Reason>) -> Result<(), String> {
        if self.warps.len() <= warp {
            self.warps.resize(warp + 1, None);
        }
        let before = std::mem::replace(&mut self.warps[warp], reason.map(|reason| (reason, cycle)));
        if let Some((old, since)) = before {
            self.durations[old as usize] += cycle - since;
        }
        if before.map(|(old, _)| old) == reason { Err(format!("warp {warp} changes to the reason it had")) } else { Ok(()) }
    }

    fn slot(&mut self, cycle: u64, port: usize, slot: SlotUse, repeat: u64) -> Result<(), String> {
        // Slots are reported after the changes of a cycle, so those are complete by now.
        if port == 0 {
            let mut counts = [0; REASONS];
            for (reason, _) in self.warps.iter().flatten() {
                counts[*reason as usize] += 1;
            }
            if counts != self.counts {
                return Err(format!("reasons {:?}, by changes of warps {counts:?}", self.counts));
            }
        }
        if self.ports.len() <= port {
            self.ports.resize(port + 1, PortBook::default());
        }
        let book = &mut self.ports[port];
        same(&format!("the slot of port {port} and the next"), cycle, std::mem::replace(&mut book.next, cycle + repeat))?;
        book.slots += repeat;
        book.used += if matches!(slot, SlotUse::Threads(_)) { repeat } else { 0 };
        if slot == SlotUse::Threads(0) { Err("a slot used by no thread".to_string()) } else { Ok(()) }
    }

    fn durations_until(&self, end: u64) -> [u64; REASONS] {
        let mut durations = self.durations;
        for (reason, since) in self.warps.iter().flatten() {
            durations[*reason as usize] += end - since;
        }
        durations
    }
}

fn count(counts: &mut CacheCounts, outcome: CacheOutcome) {
    counts.accesses += 1;
    *match outcome {
        CacheOutcome::Hit => &mut counts.hits,
        CacheOutcome::Miss => &mut counts.misses,
        CacheOutcome::Merged => &mut counts.mshr_merges,
    } += 1;
}

fn same(what: &str, found: u64, wanted: u64) -> Result<(), String> {
    if found == wanted { Ok(()) } else { Err(format!("{what}: {found} and {wanted}")) }
}

/// Returns the SM that an event's accounts belong to.
fn sm_of(event: &Event) -> Option<usize> {
    match *event {
        Event::Cycle { sm, .. }
        | Event::Warp { sm, .. }
        | Event::Slot { sm, .. }
        | Event::Issued { sm, .. }
        | Event::IssuedFor { sm, .. }
        | Event::Member { sm, .. }
        | Event::Left { sm, .. }
        | Event::Parked { sm, .. }
        | Event::BlockStart { sm, .. }
        | Event::BlockEnd { sm, .. } => Some(sm.into()),
        _ => None,
    }
}
