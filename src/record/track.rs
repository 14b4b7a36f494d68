//! What 64 warps did over time, and one of them.
//!
//! Near by it is the list of the cycles in which any of them changed from one reason to another, with the reasons of all from
//! there on: most cycles change several. From afar it is what [`super::afar`] keeps.

use super::afar::{Afar, LEVELS};
use super::slices::{Codes, Counts, GONE, Sets, sets};
use crate::event::Reasons;

/// From a cycle on.
#[derive(Clone, Copy, Debug)]
struct Moment {
    cycle: u64,
    codes: Codes,
}

/// 64 warp slots.
#[derive(Clone, Debug)]
pub struct Group {
    moments: Vec<Moment>,
    /// What held before the first moment that is kept, and from where on they are kept.
    before: Codes,
    kept_from: u64,
    afar: Afar,
    /// What they do, as far as is known.
    now: Reasons,
    now_sets: Sets,
    /// Slots that ever had a warp.
    ever: u64,
}

impl Default for Group {
    fn default() -> Group {
        let now = Reasons::default();
        Group {
            moments: Vec::new(),
            before: Codes::gone(),
            kept_from: 0,
            afar: Afar::default(),
            now,
            now_sets: sets(&now),
            ever: 0,
        }
    }
}

impl Group {
    pub fn now(&self) -> &Reasons {
        &self.now
    }

    /// From `cycle` on they do this; whether that is something else.
    pub fn change(&mut self, cycle: u64, now: &Reasons) -> bool {
        if self.now == *now {
            return false;
        }
        self.close(cycle);
        (self.now, self.now_sets) = (*now, sets(now));
        self.ever |= !self.now_sets[usize::from(GONE)];
        self.moments.push(Moment { cycle, codes: Codes::new(&self.now_sets) });
        true
    }

    /// What they do they do up to `end`.
    pub fn close(&mut self, end: u64) {
        self.afar.pass(&self.now_sets, end);
    }

    /// How many moments are kept.
    pub fn len(&self) -> usize {
        self.moments.len()
    }

    /// Lets go of the older half of the moments; the view from afar stays.
    pub fn forget_half(&mut self) {
        let half = self.moments.len() / 2;
        if half > 0 {
            self.before = self.moments[half - 1].codes;
            self.kept_from = self.moments[half].cycle;
            self.moments.drain(..half);
        }
    }

    /// The position of the first moment after `cycle`.
    fn behind(&self, cycle: u64) -> usize {
        self.moments.partition_point(|moment| moment.cycle <= cycle)
    }

    /// What holds up to a moment.
    fn codes_before(&self, moment: usize) -> &Codes {
        if moment == 0 { &self.before } else { &self.moments[moment - 1].codes }
    }

    /// What they did in a cycle.
    fn at(&self, cycle: u64) -> Codes {
        if cycle < self.kept_from { self.afar.at(cycle) } else { *self.codes_before(self.behind(cycle)) }
    }

    /// What they did longest in each of `count` columns of `per_column` cycles, beginning with column `skip` behind `from`; what
    /// lies behind `end` is [`GONE`].
    pub fn columns(&self, from: f64, per_column: f64, skip: usize, end: u64, count: usize) -> Vec<Codes> {
        let level = LEVELS.iter().rposition(|&cycles| per_column >= cycles as f64);
        let column = |column: usize| {
            let start = from + (skip + column) as f64 * per_column;
            let (first, last) = (start.max(0.0) as u64, (start + per_column).max(0.0).ceil() as u64);
            if start + per_column <= 0.0 || first >= end {
                return Codes::gone();
            }
            if let Some(level) = level {
                let (a, b) = (first / LEVELS[level], (last / LEVELS[level]).max(first / LEVELS[level] + 1));
                return match self.afar.stretches(level, a, b) {
                    [] => self.at(first),
                    [one] => *one,
                    some => most(some.iter().map(|codes| (*codes, 1))),
                };
            }
            self.longest(first, last.min(end).max(first + 1))
        };
        (0..count).map(column).collect()
    }

    /// What held longest in `from..to`.
    fn longest(&self, from: u64, to: u64) -> Codes {
        let mut next = self.behind(from);
        if from < self.kept_from || self.moments.get(next).is_none_or(|moment| moment.cycle >= to) {
            return self.at(from);
        }
        let mut start = from;
        most(std::iter::from_fn(|| {
            if start >= to {
                return None;
            }
            let end = self.moments.get(next).map_or(to, |moment| moment.cycle.min(to));
            let span = (*self.codes_before(next), end - start);
            (start, next) = (end, next + 1);
            Some(span)
        }))
    }
}

/// What each warp did longest, of a hundred cycles or stretches at most; the first reason among equals.
fn most(spans: impl Iterator<Item = (Codes, u64)>) -> Codes {
    let mut counts = Counts::<7>::default();
    spans.for_each(|(codes, times)| counts.add_codes(&codes, times));
    counts.most()
}

/// One warp slot.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    pub(super) group: &'a Group,
    pub(super) lane: u32,
}

impl Track<'_> {
    /// Whether the slot never had a warp.
    pub fn is_empty(&self) -> bool {
        self.group.ever >> self.lane & 1 == 0
    }

    /// What the warp did in a cycle.
    pub fn at(&self, cycle: u64) -> u8 {
        self.group.at(cycle).get(self.lane)
    }

    fn code_before(&self, moment: usize) -> u8 {
        self.group.codes_before(moment).get(self.lane)
    }

    /// The first cycle after `cycle` from which on the warp does something else, and what.
    pub fn next_change(&self, cycle: u64) -> Option<(u64, u8)> {
        let next = self.group.behind(cycle);
        let now = self.code_before(next);
        let moments = self.group.moments[next..].iter().map(|moment| (moment.cycle, moment.codes.get(self.lane)));
        moments.into_iter().find(|&(_, code)| code != now)
    }

    /// Since when the warp does what it does in `cycle`, as far as is known.
    pub fn since(&self, cycle: u64) -> u64 {
        let next = self.group.behind(cycle);
        let now = self.code_before(next);
        match (0..next).rev().find(|&moment| self.code_before(moment) != now) {
            Some(moment) => self.group.moments[moment].cycle,
            None => self.group.kept_from,
        }
    }

    /// The last change before `cycle` to a code that `wanted` likes.
    pub fn previous_change(&self, cycle: u64, wanted: impl Fn(u8) -> bool) -> Option<u64> {
        let end = self.group.moments.partition_point(|moment| moment.cycle < cycle);
        let changed = |&moment: &usize| {
            let now = self.code_before(moment + 1);
            wanted(now) && now != self.code_before(moment)
        };
        (0..end).rev().find(changed).map(|moment| self.group.moments[moment].cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Record;
    use super::*;
    use crate::event::{Event, Reason, Sink};

    /// Warp 1 of two issues in cycle 3, waits for data until 20, issues in 20, is gone at 21; the other changes elsewhere.
    fn record() -> Record {
        let mut record = Record::new(1, 2);
        let (issued, data) = (Some(Reason::Issued), Some(Reason::Data));
        for (cycle, warp, reason) in [(3, 1, issued), (4, 1, data), (6, 0, data), (9, 0, issued), (20, 1, issued), (21, 1, None)]
        {
            record.event(cycle, Event::Warp { sm: 0, warp, reason });
        }
        record.close(24);
        record
    }

    fn columns(record: &Record, from: f64, per_column: f64, count: usize) -> Vec<u8> {
        record.columns(0, from, per_column, 0..count).iter().map(|codes| codes.get(1)).collect()
    }

    #[test]
    fn what_held_in_each_cycle_is_kept() {
        let record = record();
        let track = record.nth(1);
        let codes: Vec<u8> = [0, 2, 3, 4, 19, 20, 21, 400].iter().map(|&cycle| track.at(cycle)).collect();
        assert_eq!(codes, [GONE, GONE, 0, 2, 2, 0, GONE, GONE]);
        assert_eq!(track.next_change(4), Some((20, 0)), "the other's changes are not this one's");
        assert_eq!(track.next_change(21), None);
        assert_eq!([track.since(3), track.since(10), track.since(2)], [3, 4, 0]);
        assert_eq!(track.previous_change(20, |code| code == 2), Some(4));
        assert_eq!(track.previous_change(20, |code| code == 5), None);
    }

    #[test]
    fn columns_show_single_cycles_near_by_and_what_held_longest_from_afar() {
        let record = record();
        assert_eq!(columns(&record, 2.0, 1.0, 6), [GONE, 0, 2, 2, 2, 2]);
        assert_eq!(columns(&record, 2.0, 3.0, 3), [0, 2, 2], "a cycle of each: the first code");
        assert_eq!(
            columns(&record, 0.0, 8.0, 4),
            [2, 2, 2, GONE],
            "4 of the first 8 cycles wait for data, 3 are before its time"
        );
        assert_eq!(columns(&record, -8.0, 8.0, 2), [GONE, 2]);
        assert_eq!(columns(&record, 0.0, 16.0, 2), [2, 2], "of two stretches");
    }

    #[test]
    fn forgetting_keeps_the_view_from_afar() {
        let mut record = record();
        record.forget();
        let track = record.nth(1);
        assert_eq!(track.at(5), 2, "from the view in eights");
        assert_eq!((track.at(20), track.at(22)), (0, GONE));
        assert_eq!(columns(&record, 4.0, 1.0, 2), [2, 2]);
    }
}
