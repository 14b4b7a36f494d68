//! Accesses that nothing orders, found while the scalar reference runs.
//!
//! Two accesses **conflict** when different threads touch the same bytes, at least one writes, not both are atomic, and
//! nothing orders them: no barrier between them for threads of a block, no operation that joins the PTX warp for threads of
//! a warp. What a kernel with a conflict leaves depends on who comes first:
//!
//! - within a PTX warp, the kernel **depends on lock-step**: it expects that a warp's threads do one instruction after the
//!   other together, without saying so (`__syncwarp`);
//! - between warps or blocks it is a race.
//!
//! Orders through atomics and fences are not followed, so a conflict explains a result that differs; by itself it proves
//! nothing.

use super::access::Traffic;
use super::barrier::ThreadSet;
use super::reference::Observer;
use crate::program::Pc;
use crate::ptx::types::Space;
use std::collections::HashMap;

/// Bytes that are followed; whatever comes later is not looked at.
const MOST_BYTES: usize = 8 << 20;

/// One thread's access to some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub block: u64,
    pub thread: u32,
    pub pc: Pc,
    pub write: bool,
    atomic: bool,
    /// How many barriers and warp operations of its block had completed for the thread.
    barriers: u32,
    joins: u32,
}

/// Two accesses that nothing orders, in the order in which the scalar reference made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub first: Touch,
    pub second: Touch,
    pub space: Space,
    pub address: u64,
}

impl Conflict {
    /// Whether both threads are of one PTX warp.
    pub fn is_within_warp(&self, ptx_warp: u32) -> bool {
        self.first.block == self.second.block && self.first.thread / ptx_warp == self.second.thread / ptx_warp
    }
}

/// What is known of a byte: its last write, and the last reads of two threads since.
#[derive(Clone, Copy, Debug, Default)]
struct Shadow {
    write: Option<Touch>,
    reads: [Option<Touch>; 2],
}

/// Follows the accesses of a run.
#[derive(Default)]
pub struct Races {
    shadows: HashMap<(Space, u64), Shadow>,
    block: u64,
    /// By thread of the block.
    barriers: Vec<u32>,
    joins: Vec<u32>,
    releases: u32,
    /// The first conflict of all, and of two threads of one PTX warp.
    pub first: Option<Conflict>,
    pub first_within_warp: Option<Conflict>,
    /// By address of global memory: the last conflict there.
    last: HashMap<u64, Conflict>,
    ptx_warp: u32,
}

impl Races {
    pub fn new(ptx_warp: u32) -> Races {
        Races { ptx_warp, ..Races::default() }
    }

    /// The last conflict at some bytes of global memory.
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
            [Some(last), _] if last.thread != now.thread => shadow.reads = [Some(now), Some(last)],
            _ => shadow.reads[0] = Some(now),
        }
    }
}

impl Observer for Races {
    fn block(&mut self, block: u64, threads: u32) {
        self.block = block;
        self.barriers = vec![0; threads as usize];
        self.joins = vec![0; threads as usize];
        // Another block has shared memory of its own.
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
