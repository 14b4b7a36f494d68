//! Prefix sums. Integer sums do not depend on the order of additions, so the reference just adds.

use super::{Host, Mismatch};

const THREADS: i32 = 512;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let input = host.read::<u32>(0)?;
    let (mut out, mut totals) = (host.read::<u32>(1)?, host.read::<u32>(2)?);
    let count = 2 * i64::from(host.power_of_two(THREADS)?);
    for block in 0..i64::from(host.grid()[0]) {
        let mut sum = 0u32;
        for i in block * count..(block + 1) * count {
            out.set(i, sum)?;
            sum = sum.wrapping_add(input.at(i)?);
        }
        totals.set(block, sum)?;
    }
    host.write(1, &out)?;
    host.write(2, &totals)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn each_block_begins_at_zero_and_leaves_its_total() {
        let launch = "grid = [2]\nblock = [2]
            [[param]]\nbuffer = 'in'\ntype = 'u32'\ninit = { values = [3, 1, 7, 0, 4, 1, 6, 3] }
            [[param]]\nbuffer = 'out'\ntype = 'u32'\nlen = 8
            [[param]]\nbuffer = 'totals'\ntype = 'u32'\nlen = 2";
        assert_eq!(run::<u32>(super::reference, launch, "out"), [0, 3, 4, 11, 0, 4, 5, 11]);
        assert_eq!(run::<u32>(super::reference, launch, "totals"), [11, 14]);
    }
}
