//! Which threads of its next logical block a virtual warp takes (VTW section 4.2.2).
//!
//! The warps of a virtual block come one after the other for their part of the next logical block. *SameLane* gives a warp the
//! place that it has. *LowestToHighestLane* gives the first to come warp 0, the second warp 1, and so on. *SlowestLane* sorts
//! the warps of the block before by their progress when the first has finished, and gives the first to come the number of the
//! slowest: that one is likely to be slow again, and so begins early.

use crate::config::ThreadIndexKind;

/// How far a warp of a logical block has come, when the first of them has finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runner {
    /// Its number in the logical block.
    pub number: u16,
    /// Instructions that it has issued for that block.
    pub progress: u32,
}

/// The numbers of a logical block's warps that are still to be given out, by one of the three rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadIndices {
    /// In the order in which they are given out; nothing where each warp keeps its own.
    order: Vec<u16>,
    given: usize,
}

impl ThreadIndices {
    /// For the block after the one that these warps run, which the first of them has finished.
    pub fn new(kind: ThreadIndexKind, mut runners: Vec<Runner>) -> ThreadIndices {
        match kind {
            ThreadIndexKind::SameLane => return ThreadIndices::default(),
            ThreadIndexKind::SlowestLane => runners.sort_by_key(|runner| (runner.progress, runner.number)),
            ThreadIndexKind::LowestToHighestLane => runners.sort_by_key(|runner| runner.number),
        }
        ThreadIndices { order: runners.iter().map(|runner| runner.number).collect(), given: 0 }
    }

    /// The number for the next warp to come, whose place in the virtual block is `own`.
    pub fn take(&mut self, own: u16) -> u16 {
        let number = self.order.get(self.given).copied().unwrap_or(own);
        self.given += 1;
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Warps 0 to 3 with 30, 10, 40 and 10 instructions; they finish in the order 2, 0, 3, 1.
    fn given(kind: ThreadIndexKind) -> Vec<u16> {
        let runners = [30, 10, 40, 10].into_iter().enumerate();
        let runners = runners.map(|(number, progress)| Runner { number: number as u16, progress }).collect();
        let mut indices = ThreadIndices::new(kind, runners);
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
