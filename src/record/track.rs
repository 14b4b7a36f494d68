//! One warp's reasons over time, and the same seen from afar.
//!
//! Near by, a track is the list of its changes. From afar, it is the reason that held longest in each stretch of 8, 64 or
//! 512 cycles, so that drawing a hundred thousand cycles looks at as much as there are pixels.

use crate::event::Reason;

/// The code of a warp that is not resident; reasons have their position in [`Reason::ALL`].
pub const GONE: u8 = 9;

/// Cycles that a code of each level stands for.
const LEVELS: [u64; 3] = [8, 64, 512];

#[derive(Clone, Debug, Default)]
pub struct Track {
    /// A cycle and the code from there on, packed: `cycle << 4 | code`.
    changes: Vec<u64>,
    /// What held before the first change that is kept, and from where on changes are kept.
    before: Option<u8>,
    kept_from: u64,
    levels: [Vec<u8>; LEVELS.len()],
    digested: Digested,
}

/// How far the view from afar has come.
#[derive(Clone, Debug, Default)]
struct Digested {
    /// The first change behind the last stretch of the lowest level.
    next: usize,
    /// Cycles by code since the last stretch of the middle level: a byte for each code, even ones and odd ones.
    middle: [u64; 2],
    /// Cycles by code since the last stretch of the highest level.
    highest: [u16; 16],
}

/// Every other four bits.
const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;

impl Track {
    pub fn change(&mut self, cycle: u64, reason: Option<Reason>) {
        let code = reason.map_or(GONE, |reason| reason as u8);
        self.changes.push(cycle << 4 | u64::from(code));
    }

    pub fn changes(&self) -> usize {
        self.changes.len()
    }

    /// Whether the warp was ever resident.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.before.is_none()
    }

    /// What the warp did in a cycle.
    pub fn at(&self, cycle: u64) -> u8 {
        if cycle < self.kept_from {
            return self.levels[0].get((cycle / LEVELS[0]) as usize).copied().unwrap_or(GONE);
        }
        match self.changes.partition_point(|&change| change >> 4 <= cycle) {
            0 => self.before.unwrap_or(GONE),
            after => (self.changes[after - 1] & 15) as u8,
        }
    }

    /// The first cycle after `cycle` from which on the warp does something else, and what.
    pub fn next_change(&self, cycle: u64) -> Option<(u64, u8)> {
        let at = self.changes.partition_point(|&change| change >> 4 <= cycle);
        self.changes.get(at).map(|&change| (change >> 4, (change & 15) as u8))
    }

    /// Since when the warp does what it does in `cycle`, as far as is known.
    pub fn since(&self, cycle: u64) -> u64 {
        match self.changes.partition_point(|&change| change >> 4 <= cycle) {
            0 => self.kept_from,
            after => self.changes[after - 1] >> 4,
        }
    }

    /// The last change before `cycle` to a code that `wanted` likes.
    pub fn previous_change(&self, cycle: u64, wanted: impl Fn(u8) -> bool) -> Option<u64> {
        let end = self.changes.partition_point(|&change| change >> 4 < cycle);
        self.changes[..end].iter().rev().find(|&&change| wanted((change & 15) as u8)).map(|&change| change >> 4)
    }

    /// Writes one code for each of `out.len()` columns of `per_column` cycles, beginning with column `skip` behind `from`;
    /// what lies behind `end` is [`GONE`].
    pub fn columns(&self, from: f64, per_column: f64, skip: usize, end: u64, out: &mut [u8]) {
        let level = LEVELS.iter().rposition(|&cycles| per_column >= cycles as f64);
        let mut cursor = 0;
        for (column, code) in out.iter_mut().enumerate() {
            let start = from + (skip + column) as f64 * per_column;
            let (first, last) = (start.max(0.0) as u64, (start + per_column).max(0.0).ceil() as u64);
            *code = if start + per_column <= 0.0 || first >= end {
                GONE
            } else if let Some(level) = level {
                let codes = &self.levels[level];
                let (a, b) = (first / LEVELS[level], (last / LEVELS[level]).max(first / LEVELS[level] + 1));
                let range = (a as usize).min(codes.len())..(b as usize).min(codes.len());
                if range.is_empty() { self.at(first) } else { most(codes[range].iter().map(|&code| (code, 1))) }
            } else if first < self.kept_from {
                self.at(first)
            } else {
                let last = last.min(end).max(first + 1);
                self.longest(first, last, &mut cursor)
            };
        }
    }

    /// The code that held longest in `from..to`. `cursor` remembers the place in the list between ascending calls.
    fn longest(&self, from: u64, to: u64, cursor: &mut usize) -> u8 {
        if *cursor == 0 {
            *cursor = self.changes.partition_point(|&change| change >> 4 <= from);
        }
        while self.changes.get(*cursor).is_some_and(|&change| change >> 4 <= from) {
            *cursor += 1;
        }
        if self.changes.get(*cursor).is_none_or(|&change| change >> 4 >= to) {
            return self.code_before(*cursor);
        }
        let (mut at, mut start) = (*cursor, from);
        let spans = std::iter::from_fn(|| {
            if start >= to {
                return None;
            }
            let end = self.changes.get(at).map_or(to, |&change| (change >> 4).min(to));
            let span = (self.code_before(at), end - start);
            (start, at) = (end, at + 1);
            Some(span)
        });
        most(spans)
    }

    /// Works out the view from afar for all whole stretches before `end`, in one walk over the changes. This is done for every
    /// warp all along, so what held how long is counted in parts of words.
    pub fn digest(&mut self, end: u64) {
        let [stretch, middle, highest] = LEVELS;
        let mut start = self.levels[0].len() as u64 * stretch;
        let mut next = self.digested.next;
        let mut code = self.code_before(next);
        while start + stretch <= end {
            let stop = start + stretch;
            // Cycles of this stretch by code, four bits each.
            let mut held = 0u64;
            let mut best = code;
            // They only grow, so whoever leads after the last span has led since its own last span.
            let mut hold = |code: u8, cycles: u64| {
                held += cycles << (4 * code);
                let of = |code: u8| held >> (4 * code) & 15;
                if (of(code), best) > (of(best), code) {
                    best = code;
                }
            };
            while let Some(&change) = self.changes.get(next)
                && change >> 4 < stop
            {
                hold(code, (change >> 4) - start);
                (start, code) = (change >> 4, (change & 15) as u8);
                next += 1;
            }
            hold(code, stop - start);
            self.levels[0].push(best);
            start = stop;
            let sums = &mut self.digested.middle;
            *sums = [sums[0] + (held & EVEN), sums[1] + (held >> 4 & EVEN)];
            if stop.is_multiple_of(middle) {
                let held = std::mem::take(sums).map(u64::to_le_bytes);
                let of = |code: usize| held[code % 2][code / 2];
                let longest = (0..=GONE).rev().max_by_key(|&code| of(code.into()));
                self.levels[1].push(longest.unwrap_or(GONE));
                self.digested.highest.iter_mut().enumerate().for_each(|(code, sum)| *sum += u16::from(of(code)));
            }
            if stop.is_multiple_of(highest) {
                let held = std::mem::take(&mut self.digested.highest);
                self.levels[2].push(most(held.iter().enumerate().map(|(code, &cycles)| (code as u8, cycles.into()))));
            }
        }
        self.digested.next = next;
    }

    /// What holds up to a change.
    fn code_before(&self, change: usize) -> u8 {
        if change == 0 { self.before.unwrap_or(GONE) } else { (self.changes[change - 1] & 15) as u8 }
    }

    /// Lets go of the older half of the changes; the view from afar stays.
    pub fn forget_half(&mut self) {
        // What has not been digested yet is needed for that.
        let half = (self.changes.len() / 2).min(self.digested.next);
        if half > 0 {
            self.before = Some((self.changes[half - 1] & 15) as u8);
            self.kept_from = self.changes[half] >> 4;
            self.changes.drain(..half);
            self.digested.next -= half;
        }
    }
}

/// The code with the largest weight; the first reason among equals.
fn most(spans: impl Iterator<Item = (u8, u64)>) -> u8 {
    let mut weights = [0u64; 16];
    spans.for_each(|(code, weight)| weights[usize::from(code & 15)] += weight);
    let mut best = 0;
    for code in 1..16 {
        if weights[code] > weights[best] {
            best = code;
        }
    }
    best as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Issues in cycle 3, waits for data until 20, issues in 20, is gone at 21.
    fn track() -> Track {
        let mut track = Track::default();
        track.change(3, Some(Reason::Issued));
        track.change(4, Some(Reason::Data));
        track.change(20, Some(Reason::Issued));
        track.change(21, None);
        track
    }

    #[test]
    fn what_held_in_each_cycle_is_kept() {
        let track = track();
        let codes: Vec<u8> = [0, 2, 3, 4, 19, 20, 21, 400].iter().map(|&cycle| track.at(cycle)).collect();
        assert_eq!(codes, [GONE, GONE, 0, 2, 2, 0, GONE, GONE]);
        assert_eq!(track.next_change(4), Some((20, 0)));
        assert_eq!(track.since(10), 4);
        assert_eq!(track.previous_change(20, |code| code == 2), Some(4));
    }

    #[test]
    fn columns_show_single_cycles_near_by_and_what_held_longest_from_afar() {
        let mut track = track();
        track.digest(24);
        let mut out = [0; 6];
        track.columns(2.0, 1.0, 0, 24, &mut out);
        assert_eq!(out, [GONE, 0, 2, 2, 2, 2]);
        let mut out = [0; 4];
        track.columns(0.0, 8.0, 0, 24, &mut out);
        assert_eq!(out, [2, 2, 2, GONE], "4 of the first 8 cycles wait for data, 3 are before its time");
        let mut out = [0; 2];
        track.columns(-8.0, 8.0, 0, 24, &mut out);
        assert_eq!(out, [GONE, 2]);
    }

    #[test]
    fn the_view_from_afar_is_what_held_longest_however_it_was_come_by() {
        // Changes at every distance from one cycle to hundreds, ties among them.
        let mut track = Track::default();
        let (mut cycle, mut seed) = (0, 7u64);
        let mut codes = Vec::new();
        let mut digested = 0;
        while codes.len() < 6000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let reason = Reason::ALL[(seed >> 40) as usize % Reason::ALL.len()];
            track.change(cycle, Some(reason));
            let cycles = if seed >> 60 == 0 { seed >> 33 & 511 } else { 1 + (seed >> 33 & 3) };
            codes.extend(std::iter::repeat_n(reason as u8, cycles as usize));
            cycle += cycles;
            if seed >> 50 & 7 == 0 {
                track.digest(cycle);
            }
            if cycle > digested + 2000 {
                digested = cycle;
                track.forget_half();
            }
        }
        track.digest(cycle);
        for (level, cycles) in LEVELS.into_iter().enumerate() {
            let naive: Vec<u8> =
                codes.chunks_exact(cycles as usize).map(|part| most(part.iter().map(|&code| (code, 1)))).collect();
            assert_eq!(track.levels[level], naive, "in stretches of {cycles}");
        }
    }

    #[test]
    fn forgetting_keeps_the_view_from_afar() {
        let mut track = track();
        track.digest(24);
        track.forget_half();
        assert_eq!(track.at(10), 2, "from the view in eights");
        assert_eq!((track.at(20), track.at(22)), (0, GONE));
    }
}
