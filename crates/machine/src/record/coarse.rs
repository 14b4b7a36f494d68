//! The history of 64 warps at low resolution: the reason that each warp had longest in every stretch of 8, 64 or 512 cycles.
//! Drawing a hundred thousand cycles then reads no more than there are pixels.
//!
//! The levels are computed while the run advances. Each level counts cycles by reason; at the end of a stretch the largest count
//! is stored, and the counts are added to those of the next longer stretch.

use super::bitwise::{BitCounts, Codes, WarpBits};

/// Length of the stretches of each level, in cycles.
pub const LEVELS: [u64; 3] = [8, 64, 512];

#[derive(Clone, Debug, Default)]
pub struct CoarseHistory {
    levels: [Vec<Codes>; LEVELS.len()],
    /// Counts of the stretches that have not ended yet; each has as many bits as its length needs.
    short: BitCounts<4>,
    middle: BitCounts<7>,
    long: BitCounts<10>,
    /// Cycles before this one are counted.
    since: u64,
}

impl CoarseHistory {
    /// Counts the warps' current reasons up to cycle `end`.
    pub fn pass(&mut self, sets: &WarpBits, end: u64) {
        while self.since < end {
            let edge = self.since - self.since % LEVELS[0] + LEVELS[0];
            let stop = edge.min(end);
            self.short.add(sets, stop - self.since);
            self.since = stop;
            if stop == edge {
                self.end_stretch();
            }
        }
    }

    /// Stores the most frequent reasons on every level whose stretch has ended.
    fn end_stretch(&mut self) {
        let [short, middle, long] = &mut self.levels;
        short.push(self.short.most());
        self.middle.take(&mut self.short);
        if self.since.is_multiple_of(LEVELS[1]) {
            middle.push(self.middle.most());
            self.long.take(&mut self.middle);
        }
        if self.since.is_multiple_of(LEVELS[2]) {
            long.push(self.long.most());
            self.long = BitCounts::default();
        }
    }

    /// Returns stretches `from..to` of a level, as far as they are known.
    pub fn stretches(&self, level: usize, from: u64, to: u64) -> &[Codes] {
        let codes = &self.levels[level];
        &codes[(from as usize).min(codes.len())..(to as usize).min(codes.len())]
    }

    /// Returns the warps' reasons in a cycle, at the resolution of the shortest stretches.
    pub fn at(&self, cycle: u64) -> Codes {
        self.levels[0].get((cycle / LEVELS[0]) as usize).copied().unwrap_or_else(Codes::gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Reason;
    use crate::record::bitwise::{GONE, sets};

    /// Returns the next number of a small pseudo-random generator.
    fn next(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed >> 33
    }

    /// Returns the most frequent code, the lowest among equals.
    fn most(codes: impl Iterator<Item = u8>) -> u8 {
        let mut counts = [0; 16];
        codes.for_each(|code| counts[usize::from(code)] += 1);
        (0..=GONE).rev().max_by_key(|code| counts[usize::from(*code)]).expect("codes")
    }

    #[test]
    fn the_view_from_afar_is_what_held_longest_however_it_was_come_by() {
        // The distance between changes is one cycle to hundreds; there are ties.
        let mut coarse = CoarseHistory::default();
        let mut codes: Vec<[u8; 64]> = Vec::new();
        let (mut cycle, mut seed) = (0, 7);
        while codes.len() < 6000 {
            let mut now = [0; Reason::ALL.len()];
            let row: [u8; 64] = std::array::from_fn(|lane| {
                let code = (next(&mut seed) % u64::from(GONE + 1)) as u8;
                if code != GONE {
                    now[usize::from(code)] |= 1 << lane;
                }
                code
            });
            let cycles = if next(&mut seed) & 15 == 0 { next(&mut seed) & 511 } else { 1 + (next(&mut seed) & 3) };
            codes.extend(std::iter::repeat_n(row, cycles as usize));
            coarse.pass(&sets(&now), cycle + cycles / 2);
            coarse.pass(&sets(&now), cycle + cycles);
            cycle += cycles;
        }
        for (level, cycles) in LEVELS.into_iter().enumerate() {
            assert_eq!(coarse.levels[level].len(), codes.len() / cycles as usize);
            for (at, part) in codes.chunks_exact(cycles as usize).enumerate() {
                for lane in 0..64 {
                    let naive = most(part.iter().map(|row| row[lane]));
                    assert_eq!(coarse.levels[level][at].get(lane as u32), naive, "stretch {at} of {cycles}, lane {lane}");
                }
            }
        }
    }
}
