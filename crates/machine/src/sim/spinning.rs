//! Detects a run that does not end because its threads do nothing but spin.
//!
//! A thread **spins** when it returns to an instruction with the same values in all registers: unless another thread changes
//! memory, it does so for ever. [`spinning`] runs a copy of the machine for a while and checks whether every thread spins or
//! waits; it costs nothing while the machine runs.
//!
//! A thread that could issue and never does may be kept back by the order of warps: it holds the lock that the others spin on.
//! [`holder`] finds out by running another copy, in which every warp that is passed over for long goes first once.

use super::Sim;
use super::choice::Cause;
use super::footprint::Footprint;
use super::holders::slot_of;
use super::issue::fetched_or_not;
use super::state::Sm;
use crate::event::{Event, NullSink, Sink};
use crate::policy::patience::Patience;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use warpscope_kernel::interp::memory::{Global, Shared};
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::program::{Pc, Program};

/// Cycles for which the copy runs, and those after which it is first asked for progress.
const PROBE_CYCLES: u64 = 20_000;
const FIRST_CHECK: u64 = 256;

/// The most work for a copy, so that stopping a large machine takes no longer than a short run of it: cycles of one SM, and
/// registers of threads that are looked at.
const MOST_SM_CYCLES: u64 = 200_000;
const MOST_LOOKS: u64 = 4_000_000;

/// Machines with a larger snapshot, in bytes, are not copied: the copy takes as much again, and minutes to run.
const MOST_BYTES: u64 = 256 << 20;

/// The bound that is tried in the copy of [`holder`], and the one that its message proposes.
const TRIED_PATIENCE: u32 = 100;
const PROPOSED_PATIENCE: u32 = 1000;

/// A thread by SM, slot of its block and index in the block.
type ThreadName = (usize, u16, StorageThread);

/// What the probe has seen of a thread.
struct Watched {
    pc: Pc,
    registers: u64,
    has_moved: bool,
    spins: bool,
}

/// What the probe keeps.
#[derive(Default)]
struct Watch {
    threads: BTreeMap<ThreadName, Watched>,
    /// Where each warp of the table was when it was looked at last: its PC and lanes. While it is there, its threads are as they
    /// were.
    places: BTreeMap<(usize, u32), (Pc, u32)>,
    looks: u64,
}

/// Returns the first PC and a description of the loop, if threads do nothing but spin; `None` for a huge machine.
pub fn spinning(sim: &Sim) -> Option<(Pc, String)> {
    let machine = &sim.machine;
    if Footprint::of(&machine.config, &machine.program, &machine.start.shape, 0).snapshot_bytes() > MOST_BYTES {
        return None;
    }
    let mut probe = sim.clone();
    let mut watch = Watch::default();
    for cycle in 1..=PROBE_CYCLES {
        probe.step(&mut NullSink);
        let is_check = cycle >= FIRST_CHECK && cycle.is_power_of_two() || cycle == PROBE_CYCLES;
        if probe.finished() || is_check && has_progress(sim, &probe) {
            return None;
        }
        watch.look(&probe);
        if watch.looks > MOST_LOOKS || cycle * sim.state.sms.len() as u64 > MOST_SM_CYCLES {
            return None;
        }
    }
    let watched = &watch.threads;
    let first = watched.values().find(|thread| thread.spins)?.pc;
    let spinning = watched.values().filter(|thread| thread.spins).count();
    let stuck = watched.values().filter(|thread| !thread.has_moved).count();
    if spinning + stuck < watched.len() {
        return None;
    }
    let others = match stuck {
        0 => String::new(),
        1 => "; 1 thread waits or never issues".to_string(),
        _ => format!("; {stuck} threads wait or never issue"),
    };
    let threads = if spinning == 1 { "1 thread spins".to_string() } else { format!("{spinning} threads spin") };
    let program = &sim.machine.program;
    let holder = if stuck > 0 { holder(&probe, &watch.stuck_warps(&probe)) } else { None };
    Some((
        first,
        format!(
            "no progress: {threads} in {}, and memory does not change{others}{}",
            loop_at(program, first),
            holder.unwrap_or_default()
        ),
    ))
}

/// Whether a block has ended or memory has changed since the machine was copied.
fn has_progress(before: &Sim, now: &Sim) -> bool {
    before.state.uncore.blocks_done != now.state.uncore.blocks_done || memory(now).ne(memory(before))
}

/// Tells which of the stuck warps holds what the others wait for, and which order keeps it back, if a bound on that order helps.
fn holder(sim: &Sim, stuck: &BTreeSet<(usize, u32)>) -> Option<String> {
    let mut probe = sim.clone();
    for sm in &mut probe.state.sms {
        sm.patience = Patience::new(TRIED_PATIENCE);
        if let Some(gangs) = &mut sm.gangs {
            gangs.patience = Patience::new(TRIED_PATIENCE);
        }
    }
    let mut last = None;
    for _ in 0..PROBE_CYCLES.min(MOST_SM_CYCLES / sim.state.sms.len() as u64) {
        let mut issues = Issues { stuck, last: None };
        probe.step(&mut issues);
        // Only a warp that was stuck brings anything new.
        if let Some(issue) = issues.last {
            last = Some(issue);
            if probe.finished() || has_progress(sim, &probe) {
                break;
            }
        }
    }
    let (sm, warp, pc) = last?;
    if !has_progress(sim, &probe) {
        return None;
    }
    let program = &sim.machine.program;
    let waits_at = sim.state.sms[sm].warps[warp as usize].place.pc;
    let source = |pc: Pc| program.instructions[pc as usize].place.map(|place| format!(", source {}", program.place_name(place)));
    let key = if sim.state.sms[sm].gangs.is_some() { "gang_patience" } else { "schedule_patience" };
    let config = &sim.machine.config;
    Some(format!(
        ". Warp {warp} of SM {sm} holds what they wait for (it would change it at PC {pc}{}), and never issues at PC {waits_at}: {}. \
         A bound on that order lets it go on: `--set {key}={PROPOSED_PATIENCE}`",
        source(pc).unwrap_or_default(),
        rule(sim, sm, warp).unwrap_or_else(|| format!("the order of warps ({}) keeps it back", config.schedule.name()))
    ))
}

/// Says which warp the scheduler takes instead of one that it keeps back.
fn rule(sim: &Sim, sm: usize, warp: u32) -> Option<String> {
    let (mut probe, config) = (sim.clone(), &sim.machine.config);
    let passed_over = (0..TRIED_PATIENCE).find_map(|_| {
        let choices = probe.step_with_choices();
        choices.into_iter().find(|passed| usize::from(passed.sm) == sm && u32::from(passed.warp) == warp)
    });
    Some(match passed_over?.cause {
        Cause::Warp { chosen, words, .. } => {
            format!("the scheduler ({}) takes warp {chosen}, {words}", config.schedule.name())
        }
        Cause::Gang { words, .. } => format!("the scheduler takes a gang, {words}"),
        Cause::HeldBack => format!("the scheduler ({}) does not let it issue", config.schedule.name()),
    })
}

/// Listens for the issues of warps that were stuck.
struct Issues<'a> {
    stuck: &'a BTreeSet<(usize, u32)>,
    last: Option<(usize, u32, Pc)>,
}

impl Sink for Issues<'_> {
    fn event(&mut self, _: u64, event: Event) {
        if let Event::Issued { sm, warp, pc, .. } = event
            && self.stuck.contains(&(usize::from(sm), warp.into()))
        {
            self.last = Some((sm.into(), warp.into(), pc));
        }
    }
}

/// Returns the memory by which threads can communicate: global memory, and shared memory of every resident block.
fn memory(sim: &Sim) -> impl Iterator<Item = (Option<&Global>, Option<&Shared>)> {
    let blocks = sim.state.sms.iter().flat_map(|sm| sm.blocks.iter().flatten());
    std::iter::once((Some(&sim.state.uncore.global), None)).chain(blocks.map(|block| (None, Some(&block.shared))))
}

impl Watch {
    /// Compares the threads of every warp that has moved with their state when the probe first saw them.
    fn look(&mut self, sim: &Sim) {
        for (name, sm) in sim.state.sms.iter().enumerate() {
            for warp in sm.sets.resident.iter(sm.sets.words).filter(|&warp| !sm.sets.exited.contains(warp)) {
                let entry = &sm.warps[warp as usize];
                let place = (entry.place.pc, entry.place.mask);
                if self.places.insert((name, warp), place) != Some(place) {
                    (0..32).filter(|lane| place.1 >> lane & 1 != 0).for_each(|lane| {
                        self.look_at((name, slot_of(&sim.machine, sm, entry, lane), entry.lanes.threads[lane]), place.0, sim, sm);
                    });
                }
            }
        }
    }

    fn look_at(&mut self, name: ThreadName, pc: Pc, sim: &Sim, sm: &Sm) {
        let (_, slot, thread) = name;
        let planes = u64::from(sim.machine.program.planes);
        self.looks += 1;
        let Some(seen) = self.threads.get_mut(&name) else {
            self.looks += planes;
            let registers = registers(sim, sm, slot, thread);
            self.threads.insert(name, Watched { pc, registers, has_moved: false, spins: false });
            return;
        };
        if pc != seen.pc {
            seen.has_moved = true;
        } else if seen.has_moved && !seen.spins {
            self.looks += planes;
            seen.spins = registers(sim, sm, slot, thread) == seen.registers;
        }
    }

    /// Returns the warps that could issue but for the order in which ports and units are given, and have not moved.
    fn stuck_warps(&self, sim: &Sim) -> BTreeSet<(usize, u32)> {
        let mut stuck = BTreeSet::new();
        for (name, sm) in sim.state.sms.iter().enumerate() {
            for warp in sm.sets.resident.iter(sm.sets.words) {
                let entry = &sm.warps[warp as usize];
                let mut threads = (0..32).filter(|lane| entry.place.mask >> lane & 1 != 0).filter_map(|lane| {
                    self.threads.get(&(name, slot_of(&sim.machine, sm, entry, lane), entry.lanes.threads[lane]))
                });
                let is_ready = fetched_or_not(&sm.sets, warp as usize / 64) >> (warp % 64) & 1 != 0;
                if is_ready && threads.all(|thread| !thread.has_moved) {
                    stuck.insert((name, warp));
                }
            }
        }
        stuck
    }
}

fn registers(sim: &Sim, sm: &Sm, slot: u16, thread: StorageThread) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(block) = &sm.blocks[usize::from(slot)] {
        (0..sim.machine.program.planes).for_each(|plane| block.registers.word(plane, thread).hash(&mut hasher));
    }
    hasher.finish()
}

/// Describes the innermost loop around an instruction.
fn loop_at(program: &Program, pc: Pc) -> String {
    let block = program.cfg.block_of[pc as usize] as usize;
    let around = program.cfg.loops().into_iter().filter(|l| l.body.contains(&block)).min_by_key(|l| l.body.len());
    let Some(innermost) = around else { return format!("the loop at PC {pc}") };
    let (first, last) = (program.cfg.blocks[innermost.header].start, program.cfg.blocks[innermost.latch].end - 1);
    let source = program.instructions[first as usize].place.map(|place| format!(", source {}", program.place_name(place)));
    format!("the loop from PC {first} to PC {last}{}", source.unwrap_or_default())
}
