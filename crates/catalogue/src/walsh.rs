//! The fast Walsh transform. The groups of a stage are independent, so their order does not matter.

use super::{Host, Mismatch};

const THREADS: i32 = 512;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let mut numbers = host.read::<f32>(0)?;
    let mut out = host.read::<f32>(1)?;
    let size = 4 * host.power_of_two(THREADS)? as usize;
    for block in 0..host.grid()[0] as usize {
        transform(numbers.slice_mut(block * size, size)?);
        for i in block * size..(block + 1) * size {
            out.set(i as i64, numbers.at(i as i64)?)?;
        }
    }
    host.write(1, &out)
}

/// Applies stages of radix four, and one of radix two if the size is no power of four.
fn transform(s: &mut [f32]) {
    let mut size = s.len();
    while size >= 4 {
        for group in s.chunks_mut(size) {
            let stride = size / 4;
            for i in 0..stride {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| group[i + k * stride]);
                let (even, odd) = ((a + c, b + d), (a - c, b - d));
                group[i] = even.0 + even.1;
                group[i + stride] = even.0 - even.1;
                group[i + 2 * stride] = odd.0 + odd.1;
                group[i + 3 * stride] = odd.0 - odd.1;
            }
        }
        size /= 4;
    }
    if size == 2 {
        for pair in s.chunks_mut(2) {
            (pair[0], pair[1]) = (pair[0] + pair[1], pair[0] - pair[1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::transform;

    /// Computes the transform by its definition: the sign is the parity of the bits that both indices have set.
    fn plainly(s: &[f32]) -> Vec<f32> {
        let sign = |i: usize, k: usize| if (i & k).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
        (0..s.len()).map(|i| s.iter().enumerate().map(|(k, x)| sign(i, k) * x).sum()).collect()
    }

    #[test]
    fn the_stages_make_the_transform() {
        for size in [4, 8, 16, 32, 128] {
            let given: Vec<f32> = (0..size).map(|i| ((i * 7 + 3) % 11) as f32).collect();
            let mut found = given.clone();
            transform(&mut found);
            assert_eq!(found, plainly(&given), "{size} numbers");
        }
    }
}
