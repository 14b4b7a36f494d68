//! The history of one warp, for views that follow it.

use super::group::TrackGroup;

/// The history of one warp slot.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    pub(super) group: &'a TrackGroup,
    pub(super) lane: u32,
}

impl Track<'_> {
    /// Whether the slot never had a warp.
    pub fn is_empty(&self) -> bool {
        !self.group.had(self.lane)
    }

    /// Returns the warp's code in a cycle.
    pub fn at(&self, cycle: u64) -> u8 {
        self.group.at(cycle).get(self.lane)
    }

    /// Returns the warp's code from a change on.
    fn code_from(&self, change: usize) -> u8 {
        self.group.log().codes_before(change + 1).get(self.lane)
    }

    /// Returns the first cycle after `cycle` in which the warp's code changes, and the new code.
    pub fn next_change(&self, cycle: u64) -> Option<(u64, u8)> {
        let log = self.group.log();
        let next = log.changes(log.behind(cycle)..log.len(), self.lane).next()?;
        Some((log.cycle_of(next)?, self.code_from(next)))
    }

    /// Returns the cycle since which the warp has had its code of `cycle`, as far as is known.
    pub fn since(&self, cycle: u64) -> u64 {
        let log = self.group.log();
        let last = log.changes(0..log.behind(cycle), self.lane).next_back();
        last.and_then(|last| log.cycle_of(last)).unwrap_or(self.group.kept_from())
    }

    /// Returns the cycle of the last change before `cycle` to a code that `wanted` accepts.
    pub fn previous_change(&self, cycle: u64, wanted: impl Fn(u8) -> bool) -> Option<u64> {
        let log = self.group.log();
        let last = log.changes(0..log.before(cycle), self.lane).rfind(|&change| wanted(self.code_from(change)))?;
        log.cycle_of(last)
    }
}

#[cfg(test)]
mod tests {
    use crate::event::{Event, Reason, Sink};
    use crate::record::changes::PIECE;
    use crate::record::{GONE, Record};

    /// Warp 1 of two issues in cycle 3, waits for memory until 20, issues in 20, is gone at 21; warp 0 changes in other cycles.
    fn record() -> Record {
        let mut record = Record::new(1, 2);
        let (issued, data) = (Some(Reason::Issued), Some(Reason::Memory));
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
            "4 of the first 8 cycles wait for memory, 3 are before its time"
        );
        assert_eq!(columns(&record, -8.0, 8.0, 2), [GONE, 2]);
        assert_eq!(columns(&record, 0.0, 16.0, 2), [2, 2], "of two stretches");
    }

    #[test]
    fn forgetting_keeps_the_view_from_afar() {
        // The warp waits for memory and issues in turn, for 24 and 8 cycles.
        let mut record = Record::new(1, 2);
        let end = 5 * PIECE as u64 * 16;
        for cycle in (0..end).filter(|cycle| cycle % 32 == 0 || cycle % 32 == 24) {
            let reason = if cycle % 32 == 0 { Reason::Memory } else { Reason::Issued };
            record.event(cycle, Event::Warp { sm: 0, warp: 1, reason: Some(reason) });
        }
        record.close(end);
        let before: Vec<u8> = (0..end).map(|cycle| record.nth(1).at(cycle)).collect();
        assert_eq!((record.kept, before[23], before[24]), (5 * PIECE, 2, 0));
        record.forget();
        assert_eq!(record.kept, 3 * PIECE);
        let track = record.nth(1);
        assert!((0..end).all(|cycle| track.at(cycle) == before[cycle as usize]), "stretches of eight are all of one kind here");
        assert_eq!(columns(&record, 16.0, 8.0, 2), [2, 0]);
        let kept_from = 2 * PIECE as u64 * 16;
        assert_eq!((track.since(kept_from + 5), track.since(kept_from + 30)), (kept_from, kept_from + 24));
        assert_eq!(track.previous_change(kept_from + 100, |code| code == 0), Some(kept_from + 88));
        assert_eq!(track.next_change(end - 33), Some((end - 32, 2)));
    }
}
