//! A timing wheel of completions, so that nothing is polled.
//!
//! Completions of one cycle come out in the order in which they were inserted.

use warpscope_kernel::program::Pc;

/// Slots of the wheel; a later completion stays in its slot for further turns.
const SLOTS: usize = 1024;
const NONE: u32 = u32::MAX;

/// What has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Done {
    /// An instruction's results are available.
    Write {
        /// The instruction.
        pc: Pc,
        /// Whether it loads.
        load: bool,
    },
    /// Fetched instructions are in the I-buffer.
    Fetch {
        /// How many.
        count: u8,
    },
    /// The outcome of a branch is known.
    Branch,
    /// A wait at a reconvergence point is over.
    Meeting,
}

/// A completion for one warp; `life` tells that warp from later users of its table entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Completion {
    /// The SM.
    pub sm: u16,
    /// The entry of its warp table.
    pub warp: u16,
    /// The generation of that entry.
    pub life: u32,
    /// What has completed.
    pub done: Done,
}

#[derive(Clone, Copy, Debug, Hash)]
struct Node {
    time: u64,
    next: u32,
    completion: Completion,
}

/// Completions by the cycle in which they are due: a timing wheel.
#[derive(Clone, Debug, Hash)]
pub struct Wheel {
    nodes: Vec<Node>,
    free: u32,
    /// First and last node of each slot.
    slots: Vec<(u32, u32)>,
    /// A bit for each slot that holds something.
    occupied: [u64; SLOTS / 64],
}

impl Default for Wheel {
    fn default() -> Wheel {
        Wheel { nodes: Vec::new(), free: NONE, slots: vec![(NONE, NONE); SLOTS], occupied: [0; SLOTS / 64] }
    }
}

impl Wheel {
    pub(crate) fn insert(&mut self, time: u64, completion: Completion) {
        let node = Node { time, next: NONE, completion };
        let at = if self.free == NONE {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        } else {
            let at = self.free;
            self.free = self.nodes[at as usize].next;
            self.nodes[at as usize] = node;
            at
        };
        self.append(time as usize % SLOTS, at);
    }

    fn append(&mut self, slot: usize, node: u32) {
        let (first, last) = self.slots[slot];
        if first == NONE {
            self.slots[slot] = (node, node);
            self.occupied[slot / 64] |= 1 << (slot % 64);
        } else {
            self.nodes[last as usize].next = node;
            self.slots[slot].1 = node;
        }
    }

    /// Calls `each` for every completion that is due at `time`; returns whether there was one.
    #[inline]
    pub fn take(&mut self, time: u64, mut each: impl FnMut(Completion)) -> bool {
        let slot = time as usize % SLOTS;
        if self.occupied[slot / 64] >> (slot % 64) & 1 == 0 {
            return false;
        }
        let (mut at, _) = std::mem::replace(&mut self.slots[slot], (NONE, NONE));
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        let mut any = false;
        while at != NONE {
            let Node { time: due, next, completion } = self.nodes[at as usize];
            if due == time {
                self.nodes[at as usize].next = self.free;
                self.free = at;
                each(completion);
                any = true;
            } else {
                self.nodes[at as usize].next = NONE;
                self.append(slot, at);
            }
            at = next;
        }
        any
    }

    /// Returns every pending completion with its time, in no particular order.
    pub fn pending(&self) -> impl Iterator<Item = (u64, Completion)> + '_ {
        self.slots.iter().flat_map(move |&(first, _)| {
            let mut at = first;
            std::iter::from_fn(move || {
                let node = *self.nodes.get(at as usize)?;
                at = node.next;
                Some((node.time, node.completion))
            })
        })
    }

    /// Returns the first time after `now` at which a completion is due.
    pub fn next_after(&self, now: u64) -> Option<u64> {
        let mut earliest: Option<u64> = None;
        let mut step = 1;
        while step <= SLOTS as u64 {
            let slot = (now + step) as usize % SLOTS;
            // Finds the next occupied slot, a word of slots at a time.
            let ahead = self.occupied[slot / 64] >> (slot % 64);
            if ahead == 0 {
                step += 64 - slot as u64 % 64;
                continue;
            }
            step += u64::from(ahead.trailing_zeros());
            let slot = (now + step) as usize % SLOTS;
            if step > SLOTS as u64 {
                break;
            }
            let mut at = self.slots[slot].0;
            while at != NONE {
                let node = &self.nodes[at as usize];
                if node.time == now + step {
                    return Some(node.time);
                }
                earliest = Some(earliest.map_or(node.time, |e| e.min(node.time)));
                at = node.next;
            }
            step += 1;
        }
        earliest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion(warp: u16) -> Completion {
        Completion { sm: 0, warp, life: 0, done: Done::Branch }
    }

    fn taken(wheel: &mut Wheel, time: u64) -> Vec<u16> {
        let mut warps = Vec::new();
        wheel.take(time, |c| warps.push(c.warp));
        warps
    }

    #[test]
    fn everything_comes_out_at_its_time_in_order() {
        let mut wheel = Wheel::default();
        for (time, warp) in [(5, 1), (5 + SLOTS as u64, 2), (5, 3), (9, 4), (5 + 2 * SLOTS as u64, 5)] {
            wheel.insert(time, completion(warp));
        }
        assert_eq!(wheel.next_after(0), Some(5));
        assert_eq!(taken(&mut wheel, 5), [1, 3]);
        assert_eq!(wheel.next_after(5), Some(9));
        assert_eq!(taken(&mut wheel, 9), [4]);
        assert_eq!(wheel.next_after(9), Some(5 + SLOTS as u64));
        assert_eq!(taken(&mut wheel, 5 + SLOTS as u64), [2]);
        wheel.insert(6 + SLOTS as u64, completion(6));
        assert_eq!(wheel.next_after(5 + SLOTS as u64), Some(6 + SLOTS as u64));
        assert_eq!(taken(&mut wheel, 6 + SLOTS as u64), [6]);
        assert_eq!(taken(&mut wheel, 5 + 2 * SLOTS as u64), [5]);
        assert_eq!(wheel.next_after(5000), None);
    }
}
