//! Scalar products. The reference folds sums in the kernel's order.

use super::reduce::fold;
use super::{Host, Mismatch};

const THREADS: i32 = 512;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (a, b) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let mut products = host.read::<f32>(2)?;
    let (pairs, elements) = (host.value::<u32>(3)?, host.value::<u32>(4)?);
    let width = host.power_of_two(THREADS)? as u32;
    for pair in 0..pairs {
        let first = i64::from(pair) * i64::from(elements);
        let mut part = Vec::new();
        for t in 0..width {
            let mut sum = 0.0f32;
            for i in (t..elements).step_by(width as usize) {
                sum += a.at(first + i64::from(i))? * b.at(first + i64::from(i))?;
            }
            part.push(sum);
        }
        products.set(pair, fold(part))?;
    }
    host.write(2, &products)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn each_pair_has_its_own_product() {
        let products = run::<f32>(
            super::reference,
            "grid = [1]\nblock = [4]
            [[param]]\nbuffer = 'a'\ntype = 'f32'\nlen = 20\ninit = { iota = {} }
            [[param]]\nbuffer = 'b'\ntype = 'f32'\nlen = 20\ninit = { iota = { start = 1.0, step = 0.0 } }
            [[param]]\nbuffer = 'products'\ntype = 'f32'\nlen = 2
            [[param]]\ntype = 'u32'\nvalue = 2
            [[param]]\ntype = 'u32'\nvalue = 10",
            "products",
        );
        assert_eq!(products, [45.0, 145.0]);
    }
}
