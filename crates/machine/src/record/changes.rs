//! The cycles in which any of 64 warps changed its reason, with the reasons of all 64 from there on: most such cycles change
//! several. The list is kept in pieces, so that it grows to millions without a copy, which would hold up the page.

use super::bitwise::Codes;
use std::ops::Range;

/// The reasons of 64 warps from a cycle on.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub cycle: u64,
    pub codes: Codes,
}

/// Changes in one piece of memory.
pub const PIECE: usize = 1024;

/// Changes in the order of their cycles.
#[derive(Clone, Debug)]
pub struct ChangeLog {
    /// The reasons before the first change.
    before: Codes,
    /// All but the last are full.
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    /// The warps that change anywhere in this piece; a search for one warp skips pieces without it.
    changed: u64,
    changes: Vec<Change>,
}

impl Default for ChangeLog {
    fn default() -> ChangeLog {
        ChangeLog { before: Codes::gone(), pieces: Vec::new() }
    }
}

impl ChangeLog {
    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.changes.len())
    }

    pub fn push(&mut self, change: Change) {
        let changed = change.codes.differ(self.codes_before(self.len()));
        match self.pieces.last_mut() {
            Some(last) if last.changes.len() < PIECE => {
                last.changed |= changed;
                last.changes.push(change);
            }
            _ => {
                let mut changes = Vec::with_capacity(PIECE);
                changes.push(change);
                self.pieces.push(Piece { changed, changes });
            }
        }
    }

    pub fn get(&self, at: usize) -> Option<&Change> {
        self.pieces.get(at / PIECE)?.changes.get(at % PIECE)
    }

    /// Returns the reasons that hold up to the change at `at`.
    pub fn codes_before(&self, at: usize) -> &Codes {
        at.checked_sub(1).and_then(|before| self.get(before)).map_or(&self.before, |change| &change.codes)
    }

    /// Returns the cycle from which on a change holds.
    pub fn cycle_of(&self, at: usize) -> Option<u64> {
        self.get(at).map(|change| change.cycle)
    }

    /// Returns the position of the first change after `cycle`.
    pub fn behind(&self, cycle: u64) -> usize {
        self.before(cycle.saturating_add(1))
    }

    /// Returns how many changes have a cycle before this one.
    pub fn before(&self, cycle: u64) -> usize {
        let full = self.pieces.partition_point(|piece| piece.changes.last().is_some_and(|last| last.cycle < cycle));
        let Some(piece) = self.pieces.get(full) else { return self.len() };
        full * PIECE + piece.changes.partition_point(|change| change.cycle < cycle)
    }

    /// Returns the positions in `range` whose change is one of this warp.
    pub fn changes(&self, range: Range<usize>, lane: u32) -> impl DoubleEndedIterator<Item = usize> {
        let pieces = range.start / PIECE..range.end.div_ceil(PIECE);
        let has = move |warps: u64| warps >> lane & 1 != 0;
        let pieces = pieces.filter(move |&piece| self.pieces.get(piece).is_some_and(|piece| has(piece.changed)));
        let inside = move |piece: usize| range.start.max(piece * PIECE)..range.end.min((piece + 1) * PIECE);
        let changed = move |at: &usize| has(self.codes_before(at + 1).differ(self.codes_before(*at)));
        pieces.flat_map(inside).filter(changed)
    }

    /// Drops the older half, piece by piece.
    pub fn forget_half(&mut self) {
        let half = self.pieces.len() / 2;
        self.before = *self.codes_before(half * PIECE);
        self.pieces.drain(..half);
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitwise::GONE;
    use super::*;

    #[test]
    fn places_are_found_in_pieces_full_and_not() {
        for count in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE - 1] {
            let mut log = ChangeLog::default();
            (0..count).for_each(|at| log.push(Change { cycle: 2 * at as u64, codes: Codes::gone() }));
            assert_eq!(log.len(), count);
            for at in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, 4 * PIECE] {
                assert_eq!(log.before(2 * at as u64), at.min(count), "{at} of {count}");
                assert_eq!(log.before(2 * at as u64 + 1), (at + 1).min(count), "{at} of {count}");
                assert_eq!(log.get(at).map(|change| change.cycle), (at < count).then_some(2 * at as u64));
            }
        }
    }

    #[test]
    fn the_changes_of_one_warp_are_found_in_both_directions() {
        // Warp 0 changes every time, warp 5 every 700th time, warp 6 never.
        let mut log = ChangeLog::default();
        let codes = |at: usize| {
            let mut sets = [0; GONE as usize + 1];
            sets[at % 2] |= 1;
            sets[2 + at / 700 % 2] |= 1 << 5;
            sets[GONE as usize] = !(1 | 1 << 5);
            Codes::new(&sets)
        };
        let count = 5 * PIECE + 7;
        (0..count).for_each(|at| log.push(Change { cycle: at as u64, codes: codes(at) }));
        let of = |log: &ChangeLog, range: Range<usize>, lane| log.changes(range, lane).collect::<Vec<_>>();
        let rare: Vec<usize> = (0..count).step_by(700).collect();
        assert_eq!(of(&log, 0..count, 5), rare);
        assert!(log.changes(0..count, 5).rev().eq(rare.iter().rev().copied()));
        assert_eq!(of(&log, 701..2101, 5), [1400, 2100]);
        assert_eq!(of(&log, 700..2100, 5), [700, 1400]);
        assert_eq!((of(&log, 0..count, 0).len(), of(&log, 0..count, 6).len(), of(&log, 9..9, 0).len()), (count, 0, 0));
        log.forget_half();
        assert_eq!(log.len(), count - 3 * PIECE);
        let left: Vec<usize> = rare.iter().filter_map(|at| at.checked_sub(3 * PIECE)).collect();
        assert_eq!(of(&log, 0..log.len(), 5), left, "what was before is still known");
    }
}
