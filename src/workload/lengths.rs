//! Lengths with a heavy tail, as rows of sparse matrices, reads of sequencers and crowds have them: most are short, a few are
//! very long. A warp takes as long as its longest, so warps of one block end at very different times.

use crate::launch::SplitMix64;

/// Where each of `count` lists starts in an array that holds them one behind the other, and where the last one ends.
/// A list is as long as `length` makes of an even random number from 0 (never reached) to 1, and never longer than `most`.
pub(super) fn starts(seed: u64, count: usize, most: i32, length: fn(f64) -> f64) -> Vec<i32> {
    let mut random = SplitMix64::new(seed);
    let mut starts = vec![0];
    let mut end = 0;
    for _ in 0..count {
        end += (length(1.0 - random.unit()) as i32).min(most);
        starts.push(end);
    }
    starts
}

/// Integers as a launch's file has them.
pub(super) fn bytes(integers: &[i32]) -> Vec<u8> {
    integers.iter().flat_map(|integer| integer.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_lists_are_far_longer_than_most() {
        let starts = starts(1, 10_000, 500, |u| 2.0 / u);
        let mut lengths: Vec<i32> = starts.windows(2).map(|two| two[1] - two[0]).collect();
        lengths.sort_unstable();
        assert_eq!((lengths[0], lengths[9_999]), (2, 500));
        assert!((3..=4).contains(&lengths[5_000]) && (150..=250).contains(&lengths[9_900]), "{}", lengths[9_900]);
    }
}
