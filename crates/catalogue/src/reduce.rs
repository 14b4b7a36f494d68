//! Block reduction. The reference folds sums in the kernel's order, because float addition is not associative.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let input = host.read::<f32>(0)?;
    let mut sums = host.read::<f32>(1)?;
    let count = host.value::<i32>(2)?;
    let width = host.block()[0];
    for block in 0..host.grid()[0] {
        let mut part = Vec::new();
        for t in 0..width {
            let mut sum = 0.0f32;
            for i in (block * width + t..count).step_by(host.threads_x() as usize) {
                sum += input.at(i)?;
            }
            part.push(sum);
        }
        sums.set(block, fold(part))?;
    }
    host.write(1, &sums)
}

/// Adds the upper half to the lower until one sum is left.
pub(super) fn fold(mut part: Vec<f32>) -> f32 {
    let mut half = part.len() / 2;
    while half > 0 {
        for t in 0..half {
            part[t] += part[t + half];
        }
        half /= 2;
    }
    part[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::run;

    #[test]
    fn folding_adds_everything_once() {
        assert_eq!(fold((0..256).map(|i| i as f32).collect()), 32640.0);
        assert_eq!(fold(vec![3.5]), 3.5);
    }

    #[test]
    fn each_block_sums_its_share_of_the_numbers_0_to_99() {
        let sums = run::<f32>(
            reference,
            "grid = [2]\nblock = [4]
            [[param]]\nbuffer = 'in'\ntype = 'f32'\nlen = 100\ninit = { iota = {} }
            [[param]]\nbuffer = 'sums'\ntype = 'f32'\nlen = 2
            [[param]]\ntype = 's32'\nvalue = 100",
            "sums",
        );
        let share = |block: u32| (0..100).filter(|i| i / 4 % 2 == block).sum::<u32>() as f32;
        assert_eq!(sums, [share(0), share(1)]);
        assert_eq!(sums[0] + sums[1], 4950.0);
    }
}
