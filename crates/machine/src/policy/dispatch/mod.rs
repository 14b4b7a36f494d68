//! Thread-index policies: which threads of its next logical block a virtual warp takes (VTW section 4.2.2).
//!
//! The warps of a virtual block finish one after the other, and each takes one warp's threads of the next logical block. With
//! *SameLane* a warp takes the threads at its own position. With *LowestToHighestLane* the first warp to finish takes warp 0, the
//! second warp 1, and so on. With *SlowestLane* the warps of the previous block are sorted by progress when the first of them
//! finishes, and the first to finish takes the number of the slowest: those threads are likely to be slow again, and so begin
//! early.

use crate::config::ThreadIndexKind;

/// The progress of one warp of a logical block, at the time the first of its warps finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarpRecord {
    /// The warp's number in the logical block.
    pub number: u16,
    /// Instructions that it has issued for that logical block.
    pub progress: u32,
}

/// Assigns the warp numbers of one logical block, by one of the three policies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadIndices {
    /// Warp numbers in the order of assignment; empty where each warp keeps its own number.
    order: Vec<u16>,
    given: usize,
}

impl ThreadIndices {
    /// Creates the assignment for the next logical block from the progress of the warps in the current one.
    pub fn new(kind: ThreadIndexKind, mut records: Vec<WarpRecord>) -> ThreadIndices {
        match kind {
            ThreadIndexKind::SameLane => return ThreadIndices::default(),
            ThreadIndexKind::SlowestLane => records.sort_by_key(|record| (record.progress, record.number)),
            ThreadIndexKind::LowestToHighestLane => records.sort_by_key(|record| record.number),
        }
        ThreadIndices { order: records.iter().map(|record| record.number).collect(), given: 0 }
    }

    /// Returns the number for the next warp to finish, whose position in the virtual block is `own`.
    pub fn take(&mut self, own: u16) -> u16 {
        let number = self.order.get(self.given).copied().unwrap_or(own);
        self.given += 1;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Warps 0 to 3 have issued 30, 10, 40 and 10 instructions; they finish in the order 2, 0, 3, 1.
    fn given(kind: ThreadIndexKind) -> Vec<u16> {
        let records = [30, 10, 40, 10].into_iter().enumerate();
        let records = records.map(|(number, progress)| WarpRecord { number: number as u16, progress }).collect();
        let mut indices = ThreadIndices::new(kind, records);
        [2, 0, 3, 1].map(|own| indices.take(own)).to_vec()
    }

    #[test]
    fn a_warp_keeps_its_lane() {
        assert_eq!(given(ThreadIndexKind::SameLane), [2, 0, 3, 1]);
    }

    #[test]
    fn the_slowest_warps_number_goes_first() {
        assert_eq!(given(ThreadIndexKind::SlowestLane), [1, 3, 0, 2], "of equals the lower number");
    }

    #[test]
    fn numbers_go_from_the_lowest_to_the_highest() {
        assert_eq!(given(ThreadIndexKind::LowestToHighestLane), [0, 1, 2, 3]);
    }
}
