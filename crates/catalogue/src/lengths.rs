//! Lengths with a heavy tail, as in rows of sparse matrices, reads of sequencers and crowds: most are short, a few are very long.
//! A warp takes as long as its longest list, so warps of one block end at very different times.

use warpscope_kernel::launch::SplitMix64;

/// Returns where each of `count` lists starts in an array that holds one behind the other, and where the last one ends. The
/// length of a list is `length` of a uniform random number from 0 (exclusive) to 1, and at most `most`.
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

/// Returns integers in the format of a launch's file.
pub(super) fn bytes(integers: &[i32]) -> Vec<u8> {
    integers.iter().flat_map(|integer| integer.to_le_bytes()).collect()
}

/// Returns a launch's file of where lists start: `starts.bin` for the full launch, `few.bin` for the small one.
pub(super) fn file(name: &str, full: fn() -> Vec<i32>, few: fn() -> Vec<i32>) -> Option<Vec<u8>> {
    match name {
        "starts.bin" => Some(bytes(&full())),
        "few.bin" => Some(bytes(&few())),
        _ => None,
    }
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
