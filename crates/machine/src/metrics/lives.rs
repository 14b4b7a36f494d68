//! The lifetimes of the blocks of one SM: which warp works on which block, and when (VTW section 3).
//!
//! Blocks are those of the launch. Where a resident block runs several of them (VTW), a warp's part of a block lasts from the
//! cycle in which it is assigned the block to the one in which it is assigned the next, or in which the block ends.

use std::ops::Range;

/// A block that is being executed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Life {
    block: u64,
    first_warp: usize,
    parts: Vec<LifePart>,
    /// Cycles in which the SM had issued nothing, by the block's start, and by its first warp's end.
    stalls_at_start: u64,
    stalls_at_first_end: u64,
}

/// A warp's part of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LifePart {
    begun: Option<LifeMark>,
    ended: Option<LifeMark>,
}

/// A cycle, and what a warp has issued by then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifeMark {
    pub cycle: u64,
    pub issued: u64,
}

/// A block that has ended: minimum and maximum over its warps, and the stalls in its divergent region and in all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    pub instructions: (u64, u64),
    pub cycles: (u64, u64),
    pub stalls: (u64, u64),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lives {
    lives: Vec<Life>,
    /// Resident blocks, by slot, with their warps.
    homes: Vec<(u16, Range<usize>)>,
    pub resident_most: usize,
}

impl LifePart {
    fn is_open(self) -> bool {
        self.begun.is_some() && self.ended.is_none()
    }

    /// Returns the instructions and cycles that it took.
    fn took(self) -> Option<(u64, u64)> {
        let (begun, ended) = (self.begun?, self.ended?);
        Some((ended.issued - begun.issued, ended.cycle + 1 - begun.cycle))
    }
}

impl Life {
    fn part(&self, warp: usize) -> Option<LifePart> {
        self.parts.get(warp.checked_sub(self.first_warp)?).copied()
    }
}

impl Lives {
    /// Starts a resident block, which all of its warps begin.
    pub fn start(&mut self, now: u64, (slot, block): (u16, u64), warps: Range<usize>, stalls: u64) {
        self.homes.push((slot, warps.clone()));
        self.resident_most = self.resident_most.max(self.homes.len());
        let begun = Some(LifeMark { cycle: now, issued: 0 });
        self.push(block, warps, begun, stalls);
    }

    /// Starts the next block of the resident one in a slot, which its warps begin one by one.
    pub fn start_next(&mut self, slot: u16, block: u64, stalls: u64) {
        if let Some((_, warps)) = self.homes.iter().find(|(home, _)| *home == slot) {
            self.push(block, warps.clone(), None, stalls);
        }
    }

    fn push(&mut self, block: u64, warps: Range<usize>, begun: Option<LifeMark>, stalls: u64) {
        let (first_warp, parts) = (warps.start, vec![LifePart { begun, ended: None }; warps.len()]);
        self.lives.push(Life { block, first_warp, parts, stalls_at_start: stalls, stalls_at_first_end: stalls });
    }

    /// Assigns a block to a warp, which may have had it from the block's start.
    pub fn assign(&mut self, now: LifeMark, warp: usize, block: u64, stalls: u64) {
        let Some(at) = self.lives.iter().position(|life| life.block == block) else { return };
        if self.lives[at].part(warp).is_some_and(|part| part.begun.is_none()) {
            self.close(now, warp, stalls);
            let life = &mut self.lives[at];
            life.parts[warp - life.first_warp].begun = Some(now);
        }
    }

    /// Ends a warp's part of the block that it works on.
    pub fn close(&mut self, now: LifeMark, warp: usize, stalls: u64) {
        let works_on = |life: &&mut Life| life.part(warp).is_some_and(LifePart::is_open);
        let Some(life) = self.lives.iter_mut().find(works_on) else { return };
        if life.parts.iter().all(|part| part.ended.is_none()) {
            life.stalls_at_first_end = stalls;
        }
        life.parts[warp - life.first_warp].ended = Some(now);
    }

    /// Ends a block, with its parts that are still open; `issued` has the instructions of each warp of the SM.
    pub fn end(&mut self, cycle: u64, block: u64, issued: &[u64], stalls: u64) -> Option<Finished> {
        let at = self.lives.iter().position(|life| life.block == block)?;
        let first = self.lives[at].first_warp;
        let warps = first..first + self.lives[at].parts.len();
        for (warp, &issued) in warps.clone().zip(&issued[warps]) {
            if self.lives[at].part(warp).is_some_and(LifePart::is_open) {
                self.close(LifeMark { cycle, issued }, warp, stalls);
            }
        }
        let life = self.lives.swap_remove(at);
        let spread = |number: fn((u64, u64)) -> u64| {
            let numbers = life.parts.iter().filter_map(|part| part.took()).map(number);
            numbers.fold((u64::MAX, 0), |(low, high): (u64, u64), v| (low.min(v), high.max(v)))
        };
        Some(Finished {
            instructions: spread(|(instructions, _)| instructions),
            cycles: spread(|(_, cycles)| cycles),
            stalls: (stalls - life.stalls_at_first_end, stalls - life.stalls_at_start),
        })
    }

    /// Removes the resident block in a slot.
    pub fn leave(&mut self, slot: u16) {
        self.homes.retain(|(home, _)| *home != slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_virtual_block_is_measured_by_its_logical_ones() {
        let mut lives = Lives::default();
        let at = |cycle, issued| LifeMark { cycle, issued };
        lives.start(0, (3, 10), 4..6, 0);
        // Assigning a warp's first block again changes nothing. Warp 5 ends at 19, with 8 instructions, after two stalls.
        lives.assign(at(2, 1), 4, 10, 0);
        lives.start_next(3, 11, 2);
        lives.assign(at(19, 8), 5, 11, 2);
        assert_eq!(
            lives.end(79, 10, &[0, 0, 0, 0, 30, 20], 6),
            Some(Finished { instructions: (8, 30), cycles: (20, 80), stalls: (4, 6) })
        );
        // Warp 4 goes on at 80; both end at 99, for good.
        lives.assign(at(80, 31), 4, 11, 6);
        let both = [0, 0, 0, 0, 41, 48];
        [4, 5].into_iter().for_each(|warp| lives.close(at(99, both[warp]), warp, 9));
        assert_eq!(lives.end(99, 11, &both, 9), Some(Finished { instructions: (10, 40), cycles: (20, 81), stalls: (0, 7) }));
        assert_eq!((lives.end(99, 10, &both, 9), lives.resident_most), (None, 1), "it has ended, and was the only resident one");
    }
}
