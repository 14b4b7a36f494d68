//! Race detection: finds conflicting accesses that nothing orders, while the scalar reference runs.
//!
//! Two accesses **conflict** when different threads touch the same bytes, at least one writes, not both are atomic, and nothing
//! orders them: no barrier for threads of one block, and no operation that joins the PTX warp for threads of one warp. The
//! memory that a kernel with a conflict leaves depends on which access comes first:
//!
//! - within a PTX warp, the kernel **depends on lock-step**: it assumes that a warp's threads execute each instruction
//!   together, without saying so (`__syncwarp`);
//! - between warps or blocks, it is a race.
//!
//! Ordering through atomics and fences is not tracked, so a conflict can explain a result that differs but proves nothing by
//! itself.

use super::access::Traffic;
use super::barrier::ThreadSet;
use super::reference::Observer;
use crate::program::Pc;
use crate::ptx::types::Space;
use std::collections::HashMap;

/// Limit on the number of tracked bytes; accesses to further bytes are ignored.
const MOST_BYTES: usize = 8 << 20;

/// One access of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The thread's block, numbered along x, then y, then z.
    pub block: u64,
    /// The thread within its block, numbered in the same order.
    pub thread: u32,
    /// The instruction that made the access.
    pub pc: Pc,
    /// Whether it wrote; an atomic both reads and writes.
    pub write: bool,
    atomic: bool,
    /// Sequence number of the thread's latest barrier release before the access; `joins`: of its latest PTX-warp operation.
    barriers: u32,
    joins: u32,
}

/// Two conflicting accesses, in the order in which the scalar reference made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The access that the scalar reference made first.
    pub first: Touch,
    /// The access that found the bytes touched.
    pub second: Touch,
    /// Global or shared: no other space can have conflicts.
    pub space: Space,
    /// The first byte that both touched.
    pub address: u64,
}

impl Conflict {
    /// Returns whether both threads belong to one PTX warp.
    pub fn is_within_warp(&self, ptx_warp: u32) -> bool {
        self.first.block == self.second.block && self.first.thread / ptx_warp == self.second.thread / ptx_warp
    }
}

/// The latest accesses to a byte: its last write, and the last reads of two threads since then.
#[derive(Clone, Copy, Debug, Default)]
struct Shadow {
    write: Option<Touch>,
    reads: [Option<Touch>; 2],
}

/// Tracks the accesses of a run and records conflicts.
#[derive(Default)]
pub struct Races {
    shadows: HashMap<(Space, u64), Shadow>,
    block: u64,
    /// For each thread of the block: the sequence number of its latest barrier release, and of its latest PTX-warp operation.
    barriers: Vec<u32>,
    joins: Vec<u32>,
    releases: u32,
    /// The first conflict, and the first between two threads of one PTX warp.
    pub first: Option<Conflict>,
    /// The first conflict within a PTX warp: there the kernel relies on lock-step.
    pub first_within_warp: Option<Conflict>,
    /// The last conflict at each address of global memory.
    last: HashMap<u64, Conflict>,
    ptx_warp: u32,
}

impl Races {
    /// Tracks accesses of a launch whose PTX warps have that many threads.
    pub fn new(ptx_warp: u32) -> Races {
        Races { ptx_warp, ..Races::default() }
    }

    /// Returns the last conflict at the first byte of a global memory range that has one.
    pub fn at(&self, address: u64, bytes: u64) -> Option<Conflict> {
        (address..address + bytes).find_map(|byte| self.last.get(&byte)).copied()
    }

    fn is_ordered(&self, before: &Touch, now: &Touch) -> bool {
        let same_warp = before.thread / self.ptx_warp == now.thread / self.ptx_warp;
        before.block == now.block && (now.barriers > before.barriers || same_warp && now.joins > before.joins)
    }

    fn conflicts(&self, before: &Touch, now: &Touch) -> bool {
        let same_thread = (before.block, before.thread) == (now.block, now.thread);
        !same_thread && (before.write || now.write) && !(before.atomic && now.atomic) && !self.is_ordered(before, now)
    }

    fn note(&mut self, conflict: Conflict) {
        self.first.get_or_insert(conflict);
        if conflict.is_within_warp(self.ptx_warp) {
            self.first_within_warp.get_or_insert(conflict);
        }
        if conflict.space == Space::Global {
            self.last.insert(conflict.address, conflict);
        }
    }

    fn touch(&mut self, space: Space, address: u64, now: Touch) {
        if self.shadows.len() >= MOST_BYTES && !self.shadows.contains_key(&(space, address)) {
            return;
        }
        let shadow = self.shadows.get(&(space, address)).copied().unwrap_or_default();
        let earlier = [shadow.write, shadow.reads[0], shadow.reads[1]];
        if let Some(first) = earlier.into_iter().flatten().find(|before| self.conflicts(before, &now)) {
            self.note(Conflict { first, second: now, space, address });
        }
        let shadow = self.shadows.entry((space, address)).or_default();
        match shadow.reads {
            _ if now.write => *shadow = Shadow { write: Some(now), reads: [None; 2] },
            [Some(last), _] if (last.block, last.thread) != (now.block, now.thread) => shadow.reads = [Some(now), Some(last)],
            _ => shadow.reads[0] = Some(now),
        }
    }
}

impl Observer for Races {
    fn block(&mut self, block: u64, threads: u32) {
        self.block = block;
        self.barriers = vec![0; threads as usize];
        self.joins = vec![0; threads as usize];
        // Each block has its own shared memory.
        self.shadows.retain(|(space, _), _| *space == Space::Global);
    }

    fn access(&mut self, thread: u32, pc: Pc, traffic: &Traffic<1>) {
        let target = traffic.targets[0];
        if !matches!(target.space, Space::Global | Space::Shared) {
            return;
        }
        let (barriers, joins) = (self.barriers[thread as usize], self.joins[thread as usize]);
        let (write, atomic) = (traffic.write, traffic.atomic);
        let now = Touch { block: self.block, thread, pc, write, atomic, barriers, joins };
        for byte in 0..u64::from(traffic.size) {
            self.touch(target.space, target.address + byte, now);
        }
    }

    fn released(&mut self, threads: &ThreadSet) {
        self.releases += 1;
        threads.iter().for_each(|thread| self.barriers[thread as usize] = self.releases);
    }

    fn joined(&mut self, first: u32, mask: u32) {
        self.releases += 1;
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            self.joins[(first + lane) as usize] = self.releases;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thread_number_of_two_blocks_is_two_threads() {
        let mut races = Races::new(32);
        let touch = |block, write| Touch { block, thread: 0, pc: 0, write, atomic: false, barriers: 0, joins: 0 };
        races.touch(Space::Global, 64, touch(0, false));
        races.touch(Space::Global, 64, touch(1, false));
        races.touch(Space::Global, 64, touch(1, true));
        let conflict = races.first.expect("block 0 read what block 1 writes");
        assert_eq!((conflict.first.block, conflict.second.block), (0, 1));
    }
}
