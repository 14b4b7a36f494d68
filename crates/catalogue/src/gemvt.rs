//! A transposed matrix times vectors. The reference sums row by row, as the kernel does.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (matrix, x) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let mut y = host.read::<f32>(2)?;
    let (rows, columns) = (host.value::<i32>(3)?, host.value::<i32>(4)?);
    for vector in 0..host.grid()[1] {
        for column in 0..columns.min(host.threads_x()) {
            let mut sum = 0.0f32;
            for row in 0..rows {
                let element = matrix.at(i64::from(row) * i64::from(columns) + i64::from(column))?;
                sum += element * x.at(i64::from(vector) * i64::from(rows) + i64::from(row))?;
            }
            y.set(i64::from(vector) * i64::from(columns) + i64::from(column), sum)?;
        }
    }
    host.write(2, &y)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn columns_are_added_up_for_each_vector() {
        let after = run::<f32>(
            super::reference,
            "grid = [1, 2]\nblock = [4]
            [[param]]\nbuffer = 'matrix'\ntype = 'f32'\ninit = { values = [1.0, 2.0, 3.0, 10.0, 20.0, 30.0] }
            [[param]]\nbuffer = 'x'\ntype = 'f32'\ninit = { values = [1.0, 0.5, 0.0, 2.0] }
            [[param]]\nbuffer = 'y'\ntype = 'f32'\ninit = { values = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0] }
            [[param]]\ntype = 's32'\nvalue = 2
            [[param]]\ntype = 's32'\nvalue = 3",
            "y",
        );
        assert_eq!(after, [6.0, 12.0, 18.0, 20.0, 40.0, 60.0]);
    }
}
