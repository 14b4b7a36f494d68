//! Detects a run that does not end because its threads do nothing but spin.
//!
//! A thread **spins** when it returns to an instruction with the same values in all registers: unless another thread changes
//! memory, it does so for ever. [`spinning`] runs a copy of the machine for a while and checks whether every thread spins or
//! waits; it costs nothing while the machine runs.

use super::Sim;
use super::footprint::Footprint;
use super::holders::slot_of;
use super::state::Sm;
use crate::event::NullSink;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use warpscope_kernel::interp::memory::{Global, Shared};
use warpscope_kernel::interp::thread::StorageThread;
use warpscope_kernel::program::{Pc, Program};

/// Cycles for which the copy runs.
const PROBE_CYCLES: u64 = 20_000;

/// Machines with a larger snapshot, in bytes, are not copied: the copy takes as much again, and minutes to run.
const MOST_BYTES: u64 = 256 << 20;

/// A thread by SM, slot of its block and index in the block.
type ThreadName = (usize, u16, StorageThread);

/// What the probe has seen of a thread.
struct Watched {
    pc: Pc,
    registers: u64,
    has_moved: bool,
    spins: bool,
}

/// Returns the first PC and a description of the loop, if threads do nothing but spin; `None` for a huge machine.
pub fn spinning(sim: &Sim) -> Option<(Pc, String)> {
    let machine = &sim.machine;
    if Footprint::of(&machine.config, &machine.program, &machine.start.shape, 0).snapshot_bytes() > MOST_BYTES {
        return None;
    }
    let mut probe = sim.clone();
    let mut watched: BTreeMap<ThreadName, Watched> = BTreeMap::new();
    for _ in 0..PROBE_CYCLES {
        probe.step(&mut NullSink);
        if probe.finished() {
            return None;
        }
        look(&probe, &mut watched);
    }
    if memory(&probe).ne(memory(sim)) {
        return None;
    }
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
    Some((first, format!("no progress: {threads} in {}, and memory does not change{others}", loop_at(program, first))))
}

/// Returns the memory by which threads can communicate: global memory, and shared memory of every resident block.
fn memory(sim: &Sim) -> impl Iterator<Item = (Option<&Global>, Option<&Shared>)> {
    let blocks = sim.state.sms.iter().flat_map(|sm| sm.blocks.iter().flatten());
    std::iter::once((Some(&sim.state.uncore.global), None)).chain(blocks.map(|block| (None, Some(&block.shared))))
}

/// Compares every thread in the warp table with its state when the probe first saw it.
fn look(sim: &Sim, watched: &mut BTreeMap<ThreadName, Watched>) {
    for (name, sm) in sim.state.sms.iter().enumerate() {
        for warp in sm.sets.resident.iter(sm.sets.words).filter(|&warp| !sm.sets.exited.contains(warp)) {
            let entry = &sm.warps[warp as usize];
            for lane in (0..32).filter(|lane| entry.place.mask >> lane & 1 != 0) {
                let (slot, thread) = (slot_of(&sim.machine, sm, entry, lane), entry.lanes.threads[lane]);
                let registers = || registers(sim, sm, slot, thread);
                let seen = watched.entry((name, slot, thread)).or_insert_with(|| Watched {
                    pc: entry.place.pc,
                    registers: registers(),
                    has_moved: false,
                    spins: false,
                });
                if entry.place.pc != seen.pc {
                    seen.has_moved = true;
                } else if seen.has_moved && !seen.spins {
                    seen.spins = registers() == seen.registers;
                }
            }
        }
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
