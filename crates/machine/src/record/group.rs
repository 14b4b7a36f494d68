//! The history of 64 warps: recent changes cycle by cycle, and the whole run at the low resolution of [`CoarseHistory`].

use super::bitwise::{BitCounts, Codes, GONE, WarpBits, sets};
use super::changes::{Change, ChangeLog};
use super::coarse::{CoarseHistory, LEVELS};
use crate::event::Reasons;

/// The history of 64 warp slots.
#[derive(Clone, Debug)]
pub struct TrackGroup {
    log: ChangeLog,
    /// Changes are kept from this cycle on.
    kept_from: u64,
    coarse: CoarseHistory,
    /// The latest reasons that are known.
    now: Reasons,
    now_sets: WarpBits,
    /// Slots that have ever held a warp.
    ever: u64,
}

impl Default for TrackGroup {
    fn default() -> TrackGroup {
        let now = Reasons::default();
        TrackGroup {
            log: ChangeLog::default(),
            kept_from: 0,
            coarse: CoarseHistory::default(),
            now,
            now_sets: sets(&now),
            ever: 0,
        }
    }
}

impl TrackGroup {
    pub fn now(&self) -> &Reasons {
        &self.now
    }

    /// Records the warps' reasons from `cycle` on; returns whether they changed.
    pub fn change(&mut self, cycle: u64, now: &Reasons) -> bool {
        if self.now == *now {
            return false;
        }
        self.close(cycle);
        (self.now, self.now_sets) = (*now, sets(now));
        self.ever |= !self.now_sets[usize::from(GONE)];
        self.log.push(Change { cycle, codes: Codes::new(&self.now_sets) });
        true
    }

    /// Extends every warp's current reason to cycle `end`.
    pub fn close(&mut self, end: u64) {
        self.coarse.pass(&self.now_sets, end);
    }

    /// Returns how many changes are kept.
    pub fn len(&self) -> usize {
        self.log.len()
    }

    /// Drops the older half of the changes; the low-resolution history stays.
    pub fn forget_half(&mut self) {
        let before = self.len();
        self.log.forget_half();
        if self.len() < before {
            self.kept_from = self.log.get(0).map_or(0, |first| first.cycle);
        }
    }

    pub fn log(&self) -> &ChangeLog {
        &self.log
    }

    /// Returns the cycle from which on changes are kept.
    pub fn kept_from(&self) -> u64 {
        self.kept_from
    }

    /// Whether a slot has ever held a warp.
    pub fn had(&self, lane: u32) -> bool {
        self.ever >> lane & 1 != 0
    }

    /// Returns the warps' reasons in a cycle.
    pub fn at(&self, cycle: u64) -> Codes {
        if cycle < self.kept_from { self.coarse.at(cycle) } else { *self.log.codes_before(self.log.behind(cycle)) }
    }

    /// Returns the reasons that held longest in each of `count` columns of `per_column` cycles. The first column lies `skip`
    /// columns after `from`; what lies after `end` is [`GONE`].
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
                return match self.coarse.stretches(level, a, b) {
                    [] => self.at(first),
                    [one] => *one,
                    some => most(some.iter().map(|codes| (*codes, 1))),
                };
            }
            self.longest(first, last.min(end).max(first + 1))
        };
        (0..count).map(column).collect()
    }

    /// Returns the reason that each warp had longest in `from..to`.
    fn longest(&self, from: u64, to: u64) -> Codes {
        let mut next = self.log.behind(from);
        if from < self.kept_from || self.log.cycle_of(next).is_none_or(|cycle| cycle >= to) {
            return self.at(from);
        }
        let mut start = from;
        most(std::iter::from_fn(|| {
            if start >= to {
                return None;
            }
            let end = self.log.cycle_of(next).map_or(to, |cycle| cycle.min(to));
            let span = (*self.log.codes_before(next), end - start);
            (start, next) = (end, next + 1);
            Some(span)
        }))
    }
}

/// Returns each warp's longest reason, the first among equals, over a hundred cycles or stretches at most.
fn most(spans: impl Iterator<Item = (Codes, u64)>) -> Codes {
    let mut counts = BitCounts::<7>::default();
    spans.for_each(|(codes, times)| counts.add_codes(&codes, times));
    counts.most()
}
