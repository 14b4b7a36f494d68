//! What 64 warps did over time: near by moment for moment, from afar as [`Afar`] keeps it.

use super::afar::{Afar, LEVELS};
use super::bitwise::{Codes, Counts, GONE, Sets, sets};
use super::moments::{Change, Moments};
use crate::event::Reasons;

/// 64 warp slots.
#[derive(Clone, Debug)]
pub struct Group {
    moments: Moments,
    /// From where on moments are kept.
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
        Group { moments: Moments::default(), kept_from: 0, afar: Afar::default(), now, now_sets: sets(&now), ever: 0 }
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
        self.moments.push(Change { cycle, codes: Codes::new(&self.now_sets) });
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
        let before = self.len();
        self.moments.forget_half();
        if self.len() < before {
            self.kept_from = self.moments.get(0).map_or(0, |first| first.cycle);
        }
    }

    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// From where on moments are kept.
    pub fn kept_from(&self) -> u64 {
        self.kept_from
    }

    /// Whether a slot ever had a warp.
    pub fn had(&self, lane: u32) -> bool {
        self.ever >> lane & 1 != 0
    }

    /// What they did in a cycle.
    pub fn at(&self, cycle: u64) -> Codes {
        if cycle < self.kept_from { self.afar.at(cycle) } else { *self.moments.codes_before(self.moments.behind(cycle)) }
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
        let mut next = self.moments.behind(from);
        if from < self.kept_from || self.moments.cycle_of(next).is_none_or(|cycle| cycle >= to) {
            return self.at(from);
        }
        let mut start = from;
        most(std::iter::from_fn(|| {
            if start >= to {
                return None;
            }
            let end = self.moments.cycle_of(next).map_or(to, |cycle| cycle.min(to));
            let span = (*self.moments.codes_before(next), end - start);
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
