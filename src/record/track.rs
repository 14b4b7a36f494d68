//! One warp's reasons over time: near by the list of its changes, from afar what [`super::afar`] keeps.

use super::afar::{Afar, LEVELS};
use crate::event::Reason;

/// The code of a warp that is not resident; reasons have their position in [`Reason::ALL`].
pub const GONE: u8 = Reason::ALL.len() as u8;
/// How many codes there are.
pub(super) const CODES: usize = GONE as usize + 1;

/// A warp's changes from one reason to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// A cycle and the code from there on, packed: `cycle << 4 | code`.
    list: Vec<u64>,
    /// What held before the first change that is kept, and from where on changes are kept.
    before: Option<u8>,
    kept_from: u64,
}

impl Changes {
    #[inline]
    pub fn add(&mut self, cycle: u64, reason: Option<Reason>) {
        let code = reason.map_or(GONE, |reason| reason as u8);
        self.list.push(cycle << 4 | u64::from(code));
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// What holds up to a change.
    fn code_before(&self, change: usize) -> u8 {
        if change == 0 { self.before.unwrap_or(GONE) } else { (self.list[change - 1] & 15) as u8 }
    }

    /// Lets go of the older half of the changes.
    pub fn forget_half(&mut self) {
        let half = self.list.len() / 2;
        if half > 0 {
            self.before = Some((self.list[half - 1] & 15) as u8);
            self.kept_from = self.list[half] >> 4;
            self.list.drain(..half);
        }
    }
}

/// What is known of one warp slot.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    pub(super) changes: &'a Changes,
    /// It is one of these, in this place.
    pub(super) afar: &'a Afar,
    pub(super) lane: u32,
}

impl Track<'_> {
    /// Whether the slot never had a warp.
    pub fn is_empty(&self) -> bool {
        self.changes.list.is_empty() && self.changes.before.is_none()
    }

    /// What the warp did in a cycle.
    pub fn at(&self, cycle: u64) -> u8 {
        if cycle < self.changes.kept_from {
            return self.afar.at(cycle, self.lane);
        }
        self.changes.code_before(self.behind(cycle))
    }

    /// The position of the first change after `cycle`.
    fn behind(&self, cycle: u64) -> usize {
        self.changes.list.partition_point(|&change| change >> 4 <= cycle)
    }

    /// The first cycle after `cycle` from which on the warp does something else, and what.
    pub fn next_change(&self, cycle: u64) -> Option<(u64, u8)> {
        self.changes.list.get(self.behind(cycle)).map(|&change| (change >> 4, (change & 15) as u8))
    }

    /// Since when the warp does what it does in `cycle`, as far as is known.
    pub fn since(&self, cycle: u64) -> u64 {
        match self.behind(cycle) {
            0 => self.changes.kept_from,
            after => self.changes.list[after - 1] >> 4,
        }
    }

    /// The last change before `cycle` to a code that `wanted` likes.
    pub fn previous_change(&self, cycle: u64, wanted: impl Fn(u8) -> bool) -> Option<u64> {
        let list = &self.changes.list;
        let end = list.partition_point(|&change| change >> 4 < cycle);
        list[..end].iter().rev().find(|&&change| wanted((change & 15) as u8)).map(|&change| change >> 4)
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
                let (a, b) = (first / LEVELS[level], (last / LEVELS[level]).max(first / LEVELS[level] + 1));
                self.afar.longest(level, a, b, self.lane).unwrap_or_else(|| self.at(first))
            } else if first < self.changes.kept_from {
                self.at(first)
            } else {
                let last = last.min(end).max(first + 1);
                self.longest(first, last, &mut cursor)
            };
        }
    }

    /// The code that held longest in `from..to`. `cursor` remembers the place in the list between ascending calls.
    fn longest(&self, from: u64, to: u64, cursor: &mut usize) -> u8 {
        let list = &self.changes.list;
        if *cursor == 0 {
            *cursor = self.behind(from);
        }
        while list.get(*cursor).is_some_and(|&change| change >> 4 <= from) {
            *cursor += 1;
        }
        if list.get(*cursor).is_none_or(|&change| change >> 4 >= to) {
            return self.changes.code_before(*cursor);
        }
        let (mut at, mut start) = (*cursor, from);
        let spans = std::iter::from_fn(|| {
            if start >= to {
                return None;
            }
            let end = list.get(at).map_or(to, |&change| (change >> 4).min(to));
            let span = (self.changes.code_before(at), end - start);
            (start, at) = (end, at + 1);
            Some(span)
        });
        most(spans)
    }
}

/// The code with the largest weight; the first reason among equals.
pub(super) fn most(spans: impl Iterator<Item = (u8, u64)>) -> u8 {
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
    use super::super::Record;
    use super::*;
    use crate::event::{Event, Sink};

    /// Its only warp issues in cycle 3, waits for data until 20, issues in 20, is gone at 21.
    fn record() -> Record {
        let mut record = Record::new(1, 1);
        for (cycle, reason) in [(3, Some(Reason::Issued)), (4, Some(Reason::Data)), (20, Some(Reason::Issued)), (21, None)] {
            record.event(cycle, Event::Warp { sm: 0, warp: 0, reason });
        }
        record.close(24);
        record
    }

    #[test]
    fn what_held_in_each_cycle_is_kept() {
        let record = record();
        let track = record.nth(0);
        let codes: Vec<u8> = [0, 2, 3, 4, 19, 20, 21, 400].iter().map(|&cycle| track.at(cycle)).collect();
        assert_eq!(codes, [GONE, GONE, 0, 2, 2, 0, GONE, GONE]);
        assert_eq!(track.next_change(4), Some((20, 0)));
        assert_eq!(track.since(10), 4);
        assert_eq!(track.previous_change(20, |code| code == 2), Some(4));
    }

    #[test]
    fn columns_show_single_cycles_near_by_and_what_held_longest_from_afar() {
        let record = record();
        let track = record.nth(0);
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
    fn forgetting_keeps_the_view_from_afar() {
        let mut record = record();
        record.forget();
        let track = record.nth(0);
        assert_eq!(track.at(10), 2, "from the view in eights");
        assert_eq!((track.at(20), track.at(22)), (0, GONE));
    }
}
