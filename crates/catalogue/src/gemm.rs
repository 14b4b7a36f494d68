//! Matrix multiply. The reference sums in the kernel's order.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (a, b) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let mut c = host.read::<f32>(2)?;
    let n = i64::from(host.value::<i32>(3)?);
    let [columns, rows] = [0, 1].map(|axis| i64::from(host.grid()[axis]) * i64::from(host.block()[axis]));
    if columns < n || rows < n {
        return Err(Mismatch::Launch(format!("{columns} times {rows} threads are fewer than the {n} times {n} elements")));
    }
    for row in 0..n {
        for column in 0..n {
            let mut sum = 0.0f32;
            for k in 0..n {
                sum += a.at(row * n + k)? * b.at(k * n + column)?;
            }
            c.set(row * n + column, sum)?;
        }
    }
    host.write(2, &c)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn rows_meet_columns() {
        let after = run::<f32>(
            super::reference,
            "grid = [1, 2]\nblock = [2]
            [[param]]\nbuffer = 'a'\ntype = 'f32'\ninit = { values = [1.0, 2.0, 3.0, 4.0] }
            [[param]]\nbuffer = 'b'\ntype = 'f32'\ninit = { values = [5.0, 6.0, 7.0, 8.0] }
            [[param]]\nbuffer = 'c'\ntype = 'f32'\ninit = { values = [0.0, 0.0, 0.0, 0.0] }
            [[param]]\ntype = 's32'\nvalue = 2",
            "c",
        );
        assert_eq!(after, [19.0, 22.0, 43.0, 50.0]);
    }
}
