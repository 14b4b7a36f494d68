//! The two code examples of the Thread Block Compaction paper.

use super::{Host, Mismatch};

/// Example 1: one branch, two sides.
pub fn example1(host: &mut Host) -> Result<(), Mismatch> {
    let takes_c = host.read::<i32>(0)?;
    let mut out = host.read::<i32>(1)?;
    let (y, z) = (host.value::<i32>(2)?, host.value::<i32>(3)?);
    let width = host.block()[0];
    for block in 0..host.grid()[0] {
        for t in 0..width {
            let result = if takes_c.at(t)? == 0 { y.wrapping_add(t) } else { z.wrapping_sub(t) };
            out.set(i64::from(block) * i64::from(width) + i64::from(t), result)?;
        }
    }
    host.write(1, &out)
}

/// Example 2: a loop with a break.
pub fn example2(host: &mut Host) -> Result<(), Mismatch> {
    let data = host.read::<i32>(0)?;
    let mut result = host.read::<i32>(1)?;
    let mut stop = host.read::<i32>(2)?;
    let (k, y) = (host.value::<i32>(3)?, host.value::<i32>(4)?);
    let threads = host.threads_x();
    for t in 0..threads {
        let mut i = 0;
        while i < k {
            let here = i64::from(i) * i64::from(threads) + i64::from(t);
            match data.at(here)? {
                ..=0 => result.set(here, y)?,
                1 => break,
                _ => {}
            }
            i += 1;
        }
        stop.set(t, i)?;
    }
    host.write(1, &result)?;
    host.write(2, &stop)
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::host::testing::run;

    #[test]
    fn figure_7s_threads_take_block_c() {
        let small = find("tbc_example1").expect("the workload").tiny.expect("a tiny launch");
        // Threads 1, 6 and 7, counted from one, leave z - t; the others y + t.
        assert_eq!(run::<i32>(super::example1, small, "out"), [200, 101, 102, 103, 104, 195, 194, 107]);
    }

    #[test]
    fn figure_10s_threads_3_and_4_break_and_the_others_go_on() {
        let small = find("tbc_example2").expect("the workload").tiny.expect("a tiny launch");
        assert_eq!(run::<i32>(super::example2, small, "stop"), [2, 2, 0, 0]);
        assert_eq!(run::<i32>(super::example2, small, "result"), [7, 0, 0, 0, 0, 0, 0, 0]);
    }
}
