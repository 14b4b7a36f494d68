//! 64 warps over time, seen from afar: the reason that each had longest in every stretch of 8, 64 or 512 cycles, so that
//! drawing a hundred thousand cycles looks at as much as there are pixels.
//!
//! This is worked out all along. Cycles are counted in three lots, one for each length of stretch; at the end of a stretch
//! the largest count is found, and the counts go on into the next longer one.

use super::bitwise::{Codes, Counts, Sets};

/// Cycles of the stretches.
pub const LEVELS: [u64; 3] = [8, 64, 512];

#[derive(Clone, Debug, Default)]
pub struct Afar {
    levels: [Vec<Codes>; LEVELS.len()],
    /// Cycles of the stretches that are not over yet; as many bits as their length has.
    short: Counts<4>,
    middle: Counts<7>,
    long: Counts<10>,
    /// What comes before is counted.
    since: u64,
}

impl Afar {
    /// The warps do this up to `end`.
    pub fn pass(&mut self, sets: &Sets, end: u64) {
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

    /// Finds who did what longest, on every level whose stretch is over.
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
            self.long = Counts::default();
        }
    }

    /// The stretches of a level from one on, and up to another, as far as they are known.
    pub fn stretches(&self, level: usize, from: u64, to: u64) -> &[Codes] {
        let codes = &self.levels[level];
        &codes[(from as usize).min(codes.len())..(to as usize).min(codes.len())]
    }

    /// What the warps did in a cycle, as well as it can be told from here.
    pub fn at(&self, cycle: u64) -> Codes {
        self.levels[0].get((cycle / LEVELS[0]) as usize).copied().unwrap_or_else(Codes::gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Reason;
    use crate::record::bitwise::{GONE, sets};

    /// A small generator of numbers that look as if they were thrown.
    fn next(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed >> 33
    }

    /// The code that most of them are, the lowest of equals.
    fn most(codes: impl Iterator<Item = u8>) -> u8 {
        let mut counts = [0; 16];
        codes.for_each(|code| counts[usize::from(code)] += 1);
        (0..=GONE).rev().max_by_key(|code| counts[usize::from(*code)]).expect("codes")
    }

    #[test]
    fn the_view_from_afar_is_what_held_longest_however_it_was_come_by() {
        // Changes at every distance from one cycle to hundreds, ties among them.
        let mut afar = Afar::default();
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
            afar.pass(&sets(&now), cycle + cycles / 2);
            afar.pass(&sets(&now), cycle + cycles);
            cycle += cycles;
        }
        for (level, cycles) in LEVELS.into_iter().enumerate() {
            assert_eq!(afar.levels[level].len(), codes.len() / cycles as usize);
            for (at, part) in codes.chunks_exact(cycles as usize).enumerate() {
                for lane in 0..64 {
                    let naive = most(part.iter().map(|row| row[lane]));
                    assert_eq!(afar.levels[level][at].get(lane as u32), naive, "stretch {at} of {cycles}, lane {lane}");
                }
            }
        }
    }
}
