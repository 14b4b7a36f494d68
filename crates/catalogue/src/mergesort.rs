//! Merge sort of a block. The result does not depend on how the kernel merges, so the reference just sorts.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let mut numbers = host.read::<i32>(0)?;
    let count = 2 * host.block()[0] as usize;
    if !count.is_power_of_two() {
        return Err(Mismatch::Launch(format!(
            "a block of {} threads sorts {count} numbers, which is no power of two",
            count / 2
        )));
    }
    let blocks = host.grid()[0] as usize;
    for block in 0..blocks {
        numbers.slice_mut(block * count, count)?.sort_unstable();
    }
    let mut out = host.read::<i32>(1)?;
    for i in 0..(blocks * count) as i64 {
        out.set(i, numbers.at(i)?)?;
    }
    host.write(1, &out)
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::host::testing::run;

    #[test]
    fn every_block_is_sorted_by_itself() {
        let sorted = run::<i32>(super::reference, find("mergesort").expect("the workload").tiny.expect("a tiny launch"), "out");
        for block in sorted.chunks(32) {
            assert!(block.is_sorted());
        }
        assert!(!sorted.is_sorted());
    }
}
