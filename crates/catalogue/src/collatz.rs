//! Collatz sequences.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let start = host.read::<u32>(0)?;
    let mut steps = host.read::<u32>(1)?;
    for i in 0..host.value::<i32>(2)?.min(host.threads_x()) {
        steps.set(i, steps_to_one(start.at(i)?))?;
    }
    host.write(1, &steps)
}

fn steps_to_one(mut n: u32) -> u32 {
    let mut taken = 0;
    while n > 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { n.wrapping_mul(3).wrapping_add(1) };
        taken += 1;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::steps_to_one;

    #[test]
    fn known_sequences_have_their_lengths() {
        let known = [(0, 0), (1, 0), (2, 1), (3, 7), (6, 8), (26, 10), (27, 111), (97, 118), (6171, 261)];
        for (start, steps) in known {
            assert_eq!(steps_to_one(start), steps, "from {start}");
        }
    }
}
