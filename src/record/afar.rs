//! 64 warps over time, seen from afar: the reason that each had longest in every stretch of 8, 64 or 512 cycles, so that
//! drawing a hundred thousand cycles looks at as much as there are pixels.
//!
//! This is worked out all along, for every warp, so it is done for 64 of them at once. A number for each warp is kept in
//! *slices*: word k has bit k of all of their numbers, and adding and comparing go through the words as an adder goes through
//! its bits. Cycles are counted for each code in three lots, one for each length of stretch; at the end of a stretch the
//! largest is found, and its counts go on into the next longer one.

use super::track::{CODES, GONE};
use crate::event::Reasons;

/// Cycles of the stretches.
pub(super) const LEVELS: [u64; 3] = [8, 64, 512];
/// A code for each warp, in slices.
type Codes = [u64; 4];

/// For each code and each warp, a number of so many bits, in slices.
type Counts<const BITS: usize> = [[u64; BITS]; CODES];

#[derive(Clone, Debug, Default)]
pub(super) struct Afar {
    levels: [Vec<Codes>; LEVELS.len()],
    /// Cycles of the stretches that are not over yet; as many bits as the stretch's length has.
    short: Counts<4>,
    middle: Counts<7>,
    long: Counts<10>,
    /// What the warps do since a cycle that has not been counted yet.
    now: Reasons,
    since: u64,
}

impl Afar {
    /// What the warps do, as far as is known.
    pub fn now(&self) -> &Reasons {
        &self.now
    }

    /// From `cycle` on the warps do something else.
    pub fn change(&mut self, cycle: u64, now: &Reasons) {
        self.pass(cycle);
        self.now = *now;
    }

    /// What the warps do they do up to `end`.
    pub fn pass(&mut self, end: u64) {
        while self.since < end {
            let edge = self.since - self.since % LEVELS[0] + LEVELS[0];
            let stop = edge.min(end);
            self.count(stop - self.since);
            self.since = stop;
            if stop == edge {
                self.end_stretch();
            }
        }
    }

    /// Adds so many cycles, at most eight, to the code that each warp has.
    fn count(&mut self, cycles: u64) {
        let mut gone = u64::MAX;
        for code in 0..usize::from(GONE) {
            let warps = self.now[code];
            gone &= !warps;
            hold(&mut self.short[code], warps, cycles);
        }
        hold(&mut self.short[usize::from(GONE)], gone, cycles);
    }

    /// Finds who did what longest, on every level whose stretch is over.
    fn end_stretch(&mut self) {
        let Afar { levels: [short, middle, long], since, .. } = self;
        short.push(longest(&self.short));
        hand_over(&mut self.middle, &mut self.short);
        if since.is_multiple_of(LEVELS[1]) {
            middle.push(longest(&self.middle));
            hand_over(&mut self.long, &mut self.middle);
        }
        if since.is_multiple_of(LEVELS[2]) {
            long.push(longest(&self.long));
            self.long = Default::default();
        }
    }

    /// What a warp did longest in a range of stretches; `None` where nothing is known of any.
    pub fn longest(&self, level: usize, from: u64, to: u64, lane: u32) -> Option<u8> {
        let codes = &self.levels[level];
        let range = (from as usize).min(codes.len())..(to as usize).min(codes.len());
        match &codes[range] {
            [] => None,
            [one] => Some(code(one, lane)),
            some => Some(super::track::most(some.iter().map(|codes| (code(codes, lane), 1)))),
        }
    }

    /// What a warp did in a cycle, as well as it can be told from here.
    pub fn at(&self, cycle: u64, lane: u32) -> u8 {
        self.levels[0].get((cycle / LEVELS[0]) as usize).map_or(GONE, |codes| code(codes, lane))
    }
}

fn code(codes: &Codes, lane: u32) -> u8 {
    codes.iter().enumerate().fold(0, |code, (bit, slice)| code | ((slice >> lane & 1) as u8) << bit)
}

/// Adds `cycles` to the counts of these warps. Most often it is one.
#[inline(always)]
fn hold([ones, twos, fours, eights]: &mut [u64; 4], warps: u64, cycles: u64) {
    if warps == 0 {
        return;
    }
    for _ in 0..cycles {
        let two = *ones & warps;
        *ones ^= warps;
        let four = *twos & two;
        *twos ^= two;
        let eight = *fours & four;
        *fours ^= four;
        *eights ^= eight;
    }
}

/// Adds the counts of a stretch to those of a longer one, and begins anew.
fn hand_over<const LONG: usize, const SHORT: usize>(sums: &mut Counts<LONG>, counts: &mut Counts<SHORT>) {
    for (sum, count) in sums.iter_mut().zip(counts.iter_mut()) {
        if *count == [0; SHORT] {
            continue;
        }
        let mut carry = 0;
        for bit in 0..LONG {
            let (one, two) = (sum[bit], if bit < SHORT { count[bit] } else { 0 });
            sum[bit] = one ^ two ^ carry;
            carry = one & two | carry & (one ^ two);
        }
        *count = [0; SHORT];
    }
}

/// The code with the largest count, warp by warp; the first among equals.
fn longest<const BITS: usize>(counts: &Counts<BITS>) -> Codes {
    let mut codes = Codes::default();
    let mut best = [0; BITS];
    for (code, count) in counts.iter().enumerate() {
        if *count == [0; BITS] {
            continue;
        }
        let (mut larger, mut equal) = (0, u64::MAX);
        for bit in (0..BITS).rev() {
            larger |= equal & count[bit] & !best[bit];
            equal &= !(count[bit] ^ best[bit]);
        }
        for bit in 0..BITS {
            best[bit] = best[bit] & !larger | count[bit] & larger;
        }
        for (bit, slice) in codes.iter_mut().enumerate() {
            *slice = if code >> bit & 1 == 0 { *slice & !larger } else { *slice | larger };
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Reason;

    /// A small generator of numbers that look as if they were thrown.
    fn next(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed >> 33
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
                let code = next(&mut seed) as usize % CODES;
                if let Some(warps) = now.get_mut(code) {
                    *warps |= 1 << lane;
                }
                code as u8
            });
            afar.change(cycle, &now);
            let cycles = if next(&mut seed) & 15 == 0 { next(&mut seed) & 511 } else { 1 + (next(&mut seed) & 3) };
            codes.extend(std::iter::repeat_n(row, cycles as usize));
            cycle += cycles;
            if next(&mut seed) & 7 == 0 {
                afar.pass(cycle);
            }
        }
        afar.pass(cycle);
        for (level, cycles) in LEVELS.into_iter().enumerate() {
            assert_eq!(afar.levels[level].len(), codes.len() / cycles as usize);
            for (at, part) in codes.chunks_exact(cycles as usize).enumerate() {
                for lane in 0..64 {
                    let naive = super::super::track::most(part.iter().map(|row| (row[lane], 1)));
                    assert_eq!(code(&afar.levels[level][at], lane as u32), naive, "stretch {at} of {cycles}, lane {lane}");
                }
            }
        }
    }
}
