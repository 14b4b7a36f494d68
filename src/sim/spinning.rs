//! Whether a run that does not end does nothing but spin.
//!
//! A thread **spins** when it comes back to the same instruction with the same values in all registers: as long as nobody
//! else changes memory it does so for ever. [`spinning`] lets a copy of the machine run on for a while and looks whether
//! every thread spins or waits; it costs nothing while the machine runs.

use super::Sim;
use super::holders::slot_of;
use super::state::Sm;
use crate::event::Silence;
use crate::interp::memory::{Global, Shared};
use crate::interp::thread::StorageThread;
use crate::program::{Pc, Program};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Cycles for which the copy runs on.
const PROBE_CYCLES: u64 = 20_000;

/// SM, slot of its block and index in the block.
type ThreadName = (usize, u16, StorageThread);

/// What the probe has seen of a thread.
struct Watched {
    pc: Pc,
    registers: u64,
    has_moved: bool,
    spins: bool,
}

/// Says which loop the threads of a machine spin in, if they do nothing else.
pub fn spinning(sim: &Sim) -> Option<(Pc, String)> {
    let mut probe = sim.clone();
    let mut watched: BTreeMap<ThreadName, Watched> = BTreeMap::new();
    for _ in 0..PROBE_CYCLES {
        probe.step(&mut Silence);
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
    Some((first, format!("nothing but spinning: {threads} in {}, and memory does not change{others}", loop_at(program, first))))
}

/// What threads can communicate through: global memory, and the shared memory of every resident block.
fn memory(sim: &Sim) -> impl Iterator<Item = (Option<&Global>, Option<&Shared>)> {
    let blocks = sim.state.sms.iter().flat_map(|sm| sm.blocks.iter().flatten());
    std::iter::once((Some(&sim.state.uncore.global), None)).chain(blocks.map(|block| (None, Some(&block.shared))))
}

/// Compares every thread that is in the warp table with what it was when the probe saw it first.
fn look(sim: &Sim, watched: &mut BTreeMap<ThreadName, Watched>) {
    for (name, sm) in sim.state.sms.iter().enumerate() {
        for warp in sm.sets.resident.iter(sim.machine.words).filter(|&warp| !sm.sets.exited.contains(warp)) {
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

/// The innermost loop around an instruction, in words.
fn loop_at(program: &Program, pc: Pc) -> String {
    let block = program.cfg.block_of[pc as usize] as usize;
    let around = program.cfg.loops().into_iter().filter(|l| l.body.contains(&block)).min_by_key(|l| l.body.len());
    let Some(innermost) = around else { return format!("the loop at PC {pc}") };
    let (first, last) = (program.cfg.blocks[innermost.header].start, program.cfg.blocks[innermost.latch].end - 1);
    let source = program.instructions[first as usize].place.map(|place| format!(", source {}", program.place_name(place)));
    format!("the loop from PC {first} to PC {last}{}", source.unwrap_or_default())
}
