//! Explains why no warp can ever issue again.

use super::Machine;
use super::holders::{Seat, seat};
use super::state::Sm;
use crate::policy::divergence::its::SplitState;
use warpscope_kernel::interp::barrier::ThreadSet;
use warpscope_kernel::interp::trap::{Fault, Trap};
use warpscope_kernel::program::Pc;

/// What keeps a static warp from going on, by its oldest thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stuck {
    Barrier(Pc),
    Sync(Pc),
    Exited,
    Otherwise,
}

/// Returns the trap of a deadlock, which says which warps wait where.
#[inline(never)]
pub fn deadlock(machine: &Machine, sms: &[Sm]) -> Trap {
    let mut parts = Vec::new();
    let mut pc = None;
    for sm in sms {
        for block in sm.blocks.iter().flatten() {
            let stuck: Vec<Stuck> = (block.first_warp..block.first_warp + block.warps).map(|w| stuck(machine, sm, w)).collect();
            let list = |is: &dyn Fn(&Stuck) -> bool| {
                let mut named = ThreadSet::default();
                stuck.iter().enumerate().filter(|(_, s)| is(s)).for_each(|(warp, _)| named.insert(warp as u32));
                named
            };
            let logical = [Some(&block.current), block.next.as_ref()].into_iter().flatten();
            let waits = logical
                .flat_map(|block| block.barriers.waiting().map(|(id, waiting, missing)| (block.index, id, waiting, missing)));
            for (index, id, waiting, missing) in waits {
                let mut warps = ThreadSet::default();
                waiting.iter().for_each(|thread| warps.insert(thread / machine.config.warp_width));
                parts.push(format!(
                    "barrier {id} of block {index} can never complete: {} at it (threads {}), {missing} more threads would have to arrive",
                    some(&warps, "waits", "wait"),
                    waiting.ranges()
                ));
            }
            let own = block.first_warp..block.first_warp + block.warps;
            let of_splits: Vec<String> = own.flat_map(|warp| blocked_splits(machine, sm, warp)).collect();
            let joining = list(&|s| matches!(s, Stuck::Sync(_)));
            if !of_splits.is_empty() {
                parts.push(of_splits.join(", "));
            } else if !joining.is_empty() {
                parts.push(format!(
                    "{} in a warp operation of block {} for threads that never arrive",
                    some(&joining, "waits", "wait"),
                    block.current.index
                ));
            }
            let exited = list(&|s| *s == Stuck::Exited);
            if !exited.is_empty() {
                parts.push(format!("{} exited from block {}", some(&exited, "has", "have"), block.current.index));
            }
            let at_barrier = stuck.iter().find_map(|s| if let Stuck::Barrier(pc) = s { Some(*pc) } else { None });
            let in_join = stuck.iter().find_map(|s| if let Stuck::Sync(pc) = s { Some(*pc) } else { None });
            pc = pc.or(at_barrier).or(in_join);
        }
    }
    let trap = Trap::new(&Fault::Deadlock(parts.join("; ")));
    match pc {
        Some(pc) => trap.at(&machine.program, pc),
        None => trap,
    }
}

fn stuck(machine: &Machine, sm: &Sm, warp: u16) -> Stuck {
    match seat(machine, sm, warp) {
        Seat::Exited => Stuck::Exited,
        Seat::Parked { at_barrier: true, pc } => Stuck::Barrier(pc),
        Seat::Parked { at_barrier: false, pc } => Stuck::Sync(pc),
        Seat::Entry(entry) if sm.sets.barrier.contains(entry) => Stuck::Barrier(sm.warps[entry as usize].barrier_pc),
        Seat::Entry(entry) if sm.sets.sync.contains(entry) => Stuck::Sync(sm.warps[entry as usize].place.pc),
        Seat::Entry(_) | Seat::Kept => Stuck::Otherwise,
    }
}

/// Says of each split of a warp that waits at a convergence barrier where it waits, and for whom.
fn blocked_splits(machine: &Machine, sm: &Sm, warp: u16) -> Vec<String> {
    let Some(splits) = sm.divergence.its().and_then(|its| its.warp(warp)) else { return Vec::new() };
    let lanes = |mask: u32| {
        let mut set = ThreadSet::default();
        (0..32).filter(|lane| mask >> lane & 1 != 0).for_each(|lane| set.insert(lane));
        format!("lane{} {}", if set.len() == 1 { "" } else { "s" }, set.ranges())
    };
    let place = |pc: Pc| {
        let line = machine.program.instructions.get(pc as usize).and_then(|instruction| instruction.place);
        line.map_or(format!("PC {pc}"), |place| format!("PC {pc}, {}", machine.program.place_name(place)))
    };
    let blocked = splits.splits.iter().filter_map(|split| {
        let SplitState::Blocked(barrier) = split.state else { return None };
        let missing = splits.missing(barrier);
        let whom = splits.splits.iter().filter(|other| other.mask & missing != 0);
        let whom: Vec<String> =
            whom.map(|other| format!("{}, which wait at {}", lanes(other.mask & missing), place(other.pc))).collect();
        let (who, register) = (lanes(split.mask), barrier.register);
        Some(format!("{who} of warp {warp} wait at B{register} ({}) for {}", place(split.pc), whom.join(" and ")))
    });
    blocked.collect()
}

/// Names warps with their verb: `warp 3 waits`, `warps 0-1 wait`.
fn some(warps: &ThreadSet, one: &str, many: &str) -> String {
    let (noun, verb) = if warps.len() == 1 { ("warp", one) } else { ("warps", many) };
    format!("{noun} {} {verb}", warps.ranges())
}
