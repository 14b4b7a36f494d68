//! Explains why no warp can ever issue again.

use super::Machine;
use super::holders::{Seat, seat};
use super::state::Sm;
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
            let joining = list(&|s| matches!(s, Stuck::Sync(_)));
            if !joining.is_empty() {
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

/// Names warps with their verb: `warp 3 waits`, `warps 0-1 wait`.
fn some(warps: &ThreadSet, one: &str, many: &str) -> String {
    let (noun, verb) = if warps.len() == 1 { ("warp", one) } else { ("warps", many) };
    format!("{noun} {} {verb}", warps.ranges())
}
