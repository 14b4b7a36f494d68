//! The cycles in which any of 64 warps changed from one reason to another, with the reasons of all from there on: most cycles
//! change several. Kept in pieces, so that a list of millions grows without being copied, which would hold up the page.

use super::bitwise::Codes;

/// From a cycle on.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    pub cycle: u64,
    pub codes: Codes,
}

/// Moments that are kept in one piece of memory.
pub const PIECE: usize = 1024;

/// Moments in their order.
#[derive(Clone, Debug, Default)]
pub struct Moments {
    /// All but the last are full.
    pieces: Vec<Vec<Moment>>,
}

impl Moments {
    pub fn len(&self) -> usize {
        self.pieces.last().map_or(0, |last| (self.pieces.len() - 1) * PIECE + last.len())
    }

    pub fn push(&mut self, moment: Moment) {
        match self.pieces.last_mut() {
            Some(last) if last.len() < PIECE => last.push(moment),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(moment);
                self.pieces.push(piece);
            }
        }
    }

    pub fn get(&self, at: usize) -> Option<&Moment> {
        self.pieces.get(at / PIECE)?.get(at % PIECE)
    }

    /// How many of the first have a cycle before this one.
    pub fn before(&self, cycle: u64) -> usize {
        let full = self.pieces.partition_point(|piece| piece.last().is_some_and(|last| last.cycle < cycle));
        let Some(piece) = self.pieces.get(full) else { return self.len() };
        full * PIECE + piece.partition_point(|moment| moment.cycle < cycle)
    }

    /// Lets go of the older half, piece by piece; what held last in it.
    pub fn forget_half(&mut self) -> Option<Codes> {
        let gone: Vec<Vec<Moment>> = self.pieces.drain(..self.pieces.len() / 2).collect();
        Some(gone.last()?.last()?.codes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_pieces_full_and_not() {
        for count in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE - 1] {
            let mut moments = Moments::default();
            (0..count).for_each(|at| moments.push(Moment { cycle: 2 * at as u64, codes: Codes::gone() }));
            assert_eq!(moments.len(), count);
            for at in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE, 4 * PIECE] {
                assert_eq!(moments.before(2 * at as u64), at.min(count), "{at} of {count}");
                assert_eq!(moments.before(2 * at as u64 + 1), (at + 1).min(count), "{at} of {count}");
                assert_eq!(moments.get(at).map(|moment| moment.cycle), (at < count).then_some(2 * at as u64));
            }
        }
    }
}
