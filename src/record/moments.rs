//! The cycles in which any of 64 warps changed from one reason to another, with the reasons of all from there on: most cycles
//! change several. Kept in pieces, so that a list of millions grows without being copied, which would hold up the page.

use super::bitwise::Codes;
use std::ops::Range;

/// From a cycle on.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub cycle: u64,
    pub codes: Codes,
}

/// Changes that are kept in one piece of memory.
pub const PIECE: usize = 1024;

/// Changes in their order.
#[derive(Clone, Debug)]
pub struct Moments {
    /// What held before the first of them.
    before: Codes,
    /// All but the last are full.
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Piece {
    /// The warps that any of its moments is a change of: whoever follows one warp passes over the other pieces.
    changed: u64,
    moments: Vec<Change>,
}

impl Default for Moments {
    fn default() -> Moments {
        Moments { before: Codes::gone(), pieces: Vec::new() }
    }
}

impl Moments {
    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.moments.len())
    }

    pub fn push(&mut self, moment: Change) {
        let changed = moment.codes.differ(self.codes_before(self.len()));
        match self.pieces.last_mut() {
            Some(last) if last.moments.len() < PIECE => {
                last.changed |= changed;
                last.moments.push(moment);
            }
            _ => {
                let mut moments = Vec::with_capacity(PIECE);
                moments.push(moment);
                self.pieces.push(Piece { changed, moments });
            }
        }
    }

    pub fn get(&self, at: usize) -> Option<&Change> {
        self.pieces.get(at / PIECE)?.moments.get(at % PIECE)
    }

    /// What holds up to a moment.
    pub fn codes_before(&self, at: usize) -> &Codes {
        at.checked_sub(1).and_then(|before| self.get(before)).map_or(&self.before, |moment| &moment.codes)
    }

    /// From which cycle on a moment's reasons hold.
    pub fn cycle_of(&self, at: usize) -> Option<u64> {
        self.get(at).map(|moment| moment.cycle)
    }

    /// The position of the first moment after `cycle`.
    pub fn behind(&self, cycle: u64) -> usize {
        self.before(cycle.saturating_add(1))
    }

    /// How many of the first have a cycle before this one.
    pub fn before(&self, cycle: u64) -> usize {
        let full = self.pieces.partition_point(|piece| piece.moments.last().is_some_and(|last| last.cycle < cycle));
        let Some(piece) = self.pieces.get(full) else { return self.len() };
        full * PIECE + piece.moments.partition_point(|moment| moment.cycle < cycle)
    }

    /// Those of a range of them that are a change of one warp.
    pub fn changes(&self, range: Range<usize>, lane: u32) -> impl DoubleEndedIterator<Item = usize> {
        let pieces = range.start / PIECE..range.end.div_ceil(PIECE);
        let has = move |warps: u64| warps >> lane & 1 != 0;
        let pieces = pieces.filter(move |&piece| self.pieces.get(piece).is_some_and(|piece| has(piece.changed)));
        let inside = move |piece: usize| range.start.max(piece * PIECE)..range.end.min((piece + 1) * PIECE);
        let changed = move |at: &usize| has(self.codes_before(at + 1).differ(self.codes_before(*at)));
        pieces.flat_map(inside).filter(changed)
    }

    /// Lets go of the older half, piece by piece.
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
            let mut moments = Moments::default();
            (0..count).for_each(|at| moments.push(Change { cycle: 2 * at as u64, codes: Codes::gone() }));
            assert_eq!(moments.len(), count);
            for at in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, 4 * PIECE] {
                assert_eq!(moments.before(2 * at as u64), at.min(count), "{at} of {count}");
                assert_eq!(moments.before(2 * at as u64 + 1), (at + 1).min(count), "{at} of {count}");
                assert_eq!(moments.get(at).map(|moment| moment.cycle), (at < count).then_some(2 * at as u64));
            }
        }
    }

    #[test]
    fn the_changes_of_one_warp_are_found_in_both_directions() {
        // Warp 0 changes in every moment, warp 5 in every 700th, warp 6 never.
        let mut moments = Moments::default();
        let codes = |at: usize| {
            let mut sets = [0; GONE as usize + 1];
            sets[at % 2] |= 1;
            sets[2 + at / 700 % 2] |= 1 << 5;
            sets[GONE as usize] = !(1 | 1 << 5);
            Codes::new(&sets)
        };
        let count = 5 * PIECE + 7;
        (0..count).for_each(|at| moments.push(Change { cycle: at as u64, codes: codes(at) }));
        let of = |moments: &Moments, range: Range<usize>, lane| moments.changes(range, lane).collect::<Vec<_>>();
        let rare: Vec<usize> = (0..count).step_by(700).collect();
        assert_eq!(of(&moments, 0..count, 5), rare);
        assert!(moments.changes(0..count, 5).rev().eq(rare.iter().rev().copied()));
        assert_eq!(of(&moments, 701..2101, 5), [1400, 2100]);
        assert_eq!(of(&moments, 700..2100, 5), [700, 1400]);
        assert_eq!(
            (of(&moments, 0..count, 0).len(), of(&moments, 0..count, 6).len(), of(&moments, 9..9, 0).len()),
            (count, 0, 0)
        );
        moments.forget_half();
        assert_eq!(moments.len(), count - 3 * PIECE);
        let left: Vec<usize> = rare.iter().filter_map(|at| at.checked_sub(3 * PIECE)).collect();
        assert_eq!(of(&moments, 0..moments.len(), 5), left, "what was before is still known");
    }
}
