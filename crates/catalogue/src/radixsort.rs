//! One pass of a radix sort. A stable sort by digit has only one result, so the reference just sorts.

use super::{Host, Mismatch};

const EACH: i64 = 4;
const DIGITS: usize = 16;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (keys, payloads) = (host.read::<u32>(0)?, host.read::<u32>(1)?);
    let (mut sorted_keys, mut sorted_payloads) = (host.read::<u32>(2)?, host.read::<u32>(3)?);
    let mut histogram = host.read::<u32>(4)?;
    let shift = host.value::<i32>(5)?;
    let (blocks, threads) = (i64::from(host.grid()[0]), i64::from(host.block()[0]));
    if !(0..=28).contains(&shift) {
        return Err(Mismatch::Launch(format!("a key has no digit of four bits at bit {shift}")));
    }
    if !(DIGITS as i64..=256).contains(&threads) {
        return Err(Mismatch::Launch(format!("a block sorts with 16 to 256 threads, not with {threads}")));
    }
    let digit = |key: u32| (key >> shift) as usize % DIGITS;
    for block in 0..blocks {
        let first = block * threads * EACH;
        let mut pairs = Vec::new();
        for i in first..first + threads * EACH {
            pairs.push((keys.at(i)?, payloads.at(i)?));
        }
        pairs.sort_by_key(|(key, _)| digit(*key));

        let mut counts = [0; DIGITS];
        for (i, (key, payload)) in (first..).zip(pairs) {
            sorted_keys.set(i, key)?;
            sorted_payloads.set(i, payload)?;
            counts[digit(key)] += 1;
        }
        for (row, count) in (0..).zip(counts) {
            histogram.set(row * blocks + block, count)?;
        }
    }
    host.write(2, &sorted_keys)?;
    host.write(3, &sorted_payloads)?;
    host.write(4, &histogram)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::run;

    fn small(buffer: &str) -> Vec<u32> {
        run(reference, find("radixsort").expect("the workload").tiny.expect("a tiny launch"), buffer)
    }

    #[test]
    fn every_block_is_sorted_by_the_digit_and_equal_digits_keep_their_order() {
        let (keys, payloads) = (small("sorted_keys"), small("sorted_payloads"));
        let given = small("keys");
        for (keys, payloads) in keys.chunks(128).zip(payloads.chunks(128)) {
            let order: Vec<(u32, u32)> = keys.iter().map(|key| key % 16).zip(payloads.iter().copied()).collect();
            assert!(order.is_sorted());
            // The payloads number the keys.
            assert!(keys.iter().zip(payloads).all(|(key, payload)| *key == given[*payload as usize]));
        }
    }

    #[test]
    fn the_histogram_counts_each_block_s_digits_side_by_side() {
        let (keys, histogram) = (small("keys"), small("histogram"));
        for (at, count) in histogram.iter().enumerate() {
            let (digit, block) = (at / 2, at % 2);
            let found = keys[128 * block..128 * (block + 1)].iter().filter(|key| **key as usize % 16 == digit).count();
            assert_eq!(*count as usize, found);
        }
        assert_eq!(histogram.iter().sum::<u32>(), 256);
    }

    #[test]
    fn a_digit_beyond_the_key_and_an_oversized_block_are_refused() {
        let text = find("radixsort").expect("the workload").tiny.expect("a tiny launch");
        let judge = |text: &str| {
            let launch = warpscope_kernel::launch::Launch::parse(text).expect("a launch");
            let before = launch.fill(&|_| Err(String::new())).expect("buffers");
            reference(&mut Host::new(&launch, &before))
        };
        assert_eq!(judge(text), Ok(()));
        for (from, to) in [("value = 0", "value = 29"), ("value = 0", "value = -1"), ("block = [32", "block = [512")] {
            assert!(text.contains(from) && judge(&text.replace(from, to)).is_err(), "{to}");
        }
    }
}
