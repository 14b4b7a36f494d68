//! The state of every resident warp at one cycle.

use super::Selection;
use serde::Serialize;
use warpscope_kernel::program::Pc;
use warpscope_machine::event::Reason;
use warpscope_machine::policy::divergence::NEVER;
use warpscope_machine::sim::Sim;
use warpscope_machine::sim::logical::{Assignment, LogicalThread, StorageThread};
use warpscope_machine::sim::state::{AT_BARRIER, AT_SYNC, KEPT, Sm, StaticWarp};

/// What a lane does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LaneActivity {
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

/// An entry of a reconvergence stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct StackEntry {
    /// Where its lanes go on, or the barrier at which they wait.
    pub pc: Pc,
    /// Its reconvergence point; `None` where its threads only meet at the kernel's end.
    pub rpc: Option<Pc>,
    /// Its likely-convergence point, where it may meet other entries before the RPC.
    pub lpc: Option<Pc>,
    /// Its lanes.
    pub mask: u32,
}

/// A static warp: where its threads are, and what it did in the last cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarpPicture {
    /// The SM that it is on.
    pub sm: u16,
    /// Its number on the SM.
    pub warp: u16,
    /// The logical block, its slot, and the warp's number in it.
    pub block: u64,
    /// The place of its block on the SM.
    pub slot: u16,
    pub(crate) number: u16,
    /// The thread of the block in lane 0, and the storage of that thread.
    pub first_thread: LogicalThread,
    #[serde(skip)]
    pub(crate) first_place: StorageThread,
    /// Width of the machine's warps in lanes.
    pub width: u32,
    /// The next instruction, or the barrier at which it waits; where the threads are apart, that of the oldest thread that is in a
    /// warp.
    pub pc: Pc,
    /// The warp-table entry of that thread; `None` while the technique keeps the thread.
    pub entry: Option<u16>,
    /// That entry has issued its last instruction: when everything in flight completes, its threads are regrouped.
    pub leaving: bool,
    /// PCs of the lanes that can run, with their masks; one PC, unless a technique has separated the lanes.
    pub places: Vec<(Pc, u32)>,
    /// Lanes that the technique keeps outside the warp table, by the PC where they will go on.
    pub kept: Vec<(Pc, u32)>,
    /// Lanes that will run their next instruction.
    pub active: u32,
    /// Lanes that wait at a barrier.
    pub at_barrier: u32,
    /// Lanes whose thread has not ended.
    pub alive: u32,
    /// Lanes that have a thread, ended or not.
    pub present: u32,
    /// What it did in the last cycle; none before the first.
    pub reason: Option<Reason>,
    /// Reconvergence stack, bottom first; empty where warps have no stack of their own.
    pub stack: Vec<StackEntry>,
}

impl WarpPicture {
    /// Returns what a lane does.
    pub fn lane(&self, lane: u32) -> LaneActivity {
        let bit = 1 << lane;
        if self.present & bit == 0 {
            LaneActivity::Empty
        } else if self.alive & bit == 0 {
            LaneActivity::Exited
        } else if self.at_barrier & bit != 0 {
            LaneActivity::Barrier
        } else if self.active & bit == 0 {
            LaneActivity::Masked
        } else {
            LaneActivity::Active
        }
    }

    /// Returns the runnable lanes at any of these PCs; where no lane is runnable, the kept lanes that will go on there.
    pub fn lanes_at(&self, pcs: &[Pc]) -> u32 {
        let places = if self.places.is_empty() { &self.kept } else { &self.places };
        places.iter().filter(|(pc, _)| pcs.contains(pc)).fold(0, |all, (_, mask)| all | mask)
    }
}

/// The machine at one cycle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// How many cycles have been executed.
    pub cycle: u64,
    /// Ordered by SM, then by warp slot.
    pub warps: Vec<WarpPicture>,
}

impl Picture {
    /// Takes the machine after its last cycle.
    pub fn of(sim: &Sim) -> Picture {
        let mut warps = Vec::new();
        for (name, sm) in sim.state.sms.iter().enumerate() {
            warps.extend(sm.statics.resident.iter(sim.machine.static_words).map(|warp| of_warp(sim, name as u16, sm, warp)));
        }
        Picture { cycle: sim.state.cycle, warps }
    }

    /// Returns the static warp of that number, if it is resident.
    pub fn warp(&self, sm: u16, warp: u16) -> Option<&WarpPicture> {
        self.warps.iter().find(|w| w.sm == sm && w.warp == warp)
    }

    /// Returns the warp that pictures show large: the selected one, the first of the selected block, or the first of its SM.
    pub fn focus(&self, selection: Option<Selection>) -> Option<&WarpPicture> {
        let chosen = match selection {
            Some(Selection::Block { sm, slot }) => self.warps.iter().find(|w| (w.sm, w.slot) == (sm, slot)),
            other => other.and_then(Selection::warp).and_then(|(sm, warp)| self.warp(sm, warp)),
        };
        let sm = selection.map_or(0, Selection::sm);
        chosen.or_else(|| self.warps.iter().find(|warp| warp.sm == sm))
    }
}

/// Returns what a static warp did in the last cycle.
pub fn reason_of(sm: &Sm, warp: u32) -> Option<Reason> {
    let sets = &sm.sets.before[warp as usize / 64];
    Reason::ALL.into_iter().find(|&reason| sets[reason as usize] >> (warp % 64) & 1 != 0)
}

fn of_warp(sim: &Sim, name: u16, sm: &Sm, warp: u32) -> WarpPicture {
    let config = &sim.machine.config;
    let state = &sm.statics.warps[warp as usize];
    let block = sm.blocks[usize::from(state.block)].as_ref();
    let own = Assignment { first: state.first_thread.own(), block: block.map_or(0, |block| block.current.index), iteration: 0 };
    let assignment = if sim.machine.reforms { own } else { sm.warps[warp as usize].assignment };
    let threads = sim.machine.start.shape.threads.saturating_sub(assignment.first.0).min(config.warp_width);
    let present = if threads >= 32 { u32::MAX } else { (1 << threads) - 1 };
    let whereabouts = if sim.machine.reforms {
        scattered(config.warp_width, sm, warp)
    } else if sim.machine.waits_by_thread {
        split(config.warp_width, sm, warp)
    } else {
        together(sm, warp)
    };
    WarpPicture {
        sm: name,
        warp: warp as u16,
        block: assignment.block,
        slot: state.block,
        number: block.map_or(0, |block| warp as u16 - block.first_warp),
        first_thread: assignment.first,
        first_place: state.first_thread,
        width: config.warp_width,
        pc: whereabouts.pc,
        leaving: whereabouts.entry.is_some_and(|entry| sm.sets.leaving.contains(entry.into())),
        entry: whereabouts.entry,
        active: whereabouts.places.iter().fold(0, |all, (_, mask)| all | mask) & !whereabouts.at_barrier,
        places: whereabouts.places,
        kept: whereabouts.kept,
        at_barrier: whereabouts.at_barrier,
        alive: if sim.machine.reforms { state.live } else { sm.divergence.view().live(warp as u16) },
        present,
        reason: reason_of(sm, warp),
        stack: stack(sm, warp),
    }
}

/// Returns a warp's stack; its top stands where the warp does.
fn stack(sm: &Sm, warp: u32) -> Vec<StackEntry> {
    let point = |pc: Pc| (pc != NEVER).then_some(pc);
    let entries = sm.divergence.stack(warp);
    let mut shown: Vec<StackEntry> = entries
        .iter()
        .map(|entry| StackEntry { pc: entry.pc, rpc: point(entry.rpc), lpc: point(entry.lpc), mask: entry.mask })
        .collect();
    if let Some(top) = shown.last_mut().filter(|_| sm.sets.barrier.contains(warp)) {
        top.pc = standing(sm, warp);
    }
    shown
}

/// Returns where an entry of the warp table stands: at its next instruction, or at the barrier that it waits at, which it has issued.
fn standing(sm: &Sm, entry: u32) -> Pc {
    let state = &sm.warps[entry as usize];
    if sm.sets.barrier.contains(entry) { state.barrier_pc } else { state.place.pc }
}

/// Where the threads of a static warp are.
struct Whereabouts {
    pc: Pc,
    entry: Option<u16>,
    places: Vec<(Pc, u32)>,
    kept: Vec<(Pc, u32)>,
    at_barrier: u32,
}

/// Locates the threads where warps stay as compiled: static warp n is entry n of the warp table.
fn together(sm: &Sm, warp: u32) -> Whereabouts {
    let state = &sm.warps[warp as usize];
    let place = state.place;
    let mut mask = if sm.sets.exited.contains(warp) { 0 } else { place.mask };
    let mut at_barrier = 0;
    if let Some(block) = sm.blocks[usize::from(state.block)].as_ref().filter(|_| sm.sets.barrier.contains(warp)) {
        // If a barrier stands before a reconvergence point, the mask behind it also holds lanes of the other side.
        let logical = block.of(state.assignment.iteration);
        let thread = |lane: &u32| state.assignment.first.plus(*lane).0;
        let waits = |lane: &u32| logical.barriers.waiting().any(|(_, threads, _)| threads.contains(thread(lane)));
        at_barrier = (0..32).filter(|lane| mask >> lane & 1 != 0).filter(waits).fold(0, |all, lane| all | 1 << lane);
        mask = at_barrier;
    }
    let pc = standing(sm, warp);
    let places = if mask == 0 { Vec::new() } else { vec![(pc, mask)] };
    Whereabouts { pc, entry: Some(warp as u16), places, kept: Vec::new(), at_barrier }
}

/// Locates the threads where warps stay as compiled, but wait thread by thread: those of the split that runs, and those at barriers.
fn split(width: u32, sm: &Sm, warp: u32) -> Whereabouts {
    let state = &sm.warps[warp as usize];
    let runs = !sm.sets.exited.contains(warp) && !sm.sets.barrier.contains(warp) && !sm.sets.sync.contains(warp);
    let at = |lane: u32| (warp * width + lane) as usize;
    let waits = |lane: &u32| sm.statics.at[at(*lane)] == AT_BARRIER;
    let alive = sm.divergence.view().live(warp as u16);
    let at_barrier = (0..width).filter(waits).fold(0, |all, lane| all | 1 << lane) & alive;
    let mut places = if runs { vec![(state.place.pc, state.place.mask)] } else { Vec::new() };
    let mut pc = state.place.pc;
    if at_barrier != 0 {
        let barrier = sm.statics.parked_at[at(at_barrier.trailing_zeros())];
        places.push((barrier, at_barrier));
        pc = if runs { pc } else { barrier };
    }
    Whereabouts { pc, entry: Some(warp as u16), places, kept: Vec::new(), at_barrier }
}

/// Locates the threads where warps re-form: every thread has a place of its own.
fn scattered(width: u32, sm: &Sm, warp: u32) -> Whereabouts {
    let mut found = Whereabouts { pc: 0, entry: None, places: Vec::new(), kept: Vec::new(), at_barrier: 0 };
    let StaticWarp { live, block, .. } = sm.statics.warps[warp as usize];
    let mut kept = 0;
    for lane in (0..width).filter(|lane| live >> lane & 1 != 0) {
        let thread = (warp * width + lane) as usize;
        let oldest = lane == live.trailing_zeros();
        let pc = match sm.statics.at[thread] {
            AT_BARRIER => {
                found.at_barrier |= 1 << lane;
                sm.statics.parked_at[thread]
            }
            AT_SYNC => sm.statics.parked_at[thread],
            KEPT => {
                kept |= 1 << lane;
                continue;
            }
            entry => {
                if oldest {
                    found.entry = Some(entry);
                }
                if sm.sets.barrier.contains(entry.into()) {
                    found.at_barrier |= 1 << lane;
                }
                standing(sm, entry.into())
            }
        };
        if oldest {
            found.pc = pc;
        }
        match found.places.iter_mut().find(|(known, _)| *known == pc) {
            Some((_, mask)) => *mask |= 1 << lane,
            None => found.places.push((pc, 1 << lane)),
        }
    }
    if kept != 0 {
        found.kept = sm.divergence.view().going_on(warp as u16, block);
        found.kept.iter_mut().for_each(|(_, mask)| *mask &= kept);
        found.kept.retain(|(_, mask)| *mask != 0);
    }
    // If the technique keeps the oldest thread, the warp's PC is that of lanes with a place, else that of kept lanes.
    if kept >> (live.trailing_zeros() % 32) & 1 != 0 {
        found.pc = found.places.iter().chain(&found.kept).next().map_or(0, |(pc, _)| *pc);
    }
    found
}
