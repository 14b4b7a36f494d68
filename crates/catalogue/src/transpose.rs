//! Matrix transpose.

use super::{Host, Mismatch};

const TILE: i32 = 32;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let input = host.read::<f32>(0)?;
    let mut out = host.read::<f32>(1)?;
    let (width, height) = (host.value::<i32>(2)?, host.value::<i32>(3)?);
    let [columns, rows] = [0, 1].map(|axis| host.grid()[axis].saturating_mul(TILE));
    for y in 0..i64::from(height.min(rows)) {
        for x in 0..i64::from(width.min(columns)) {
            out.set(x * i64::from(height) + y, input.at(y * i64::from(width) + x)?)?;
        }
    }
    host.write(1, &out)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn rows_become_columns() {
        let out = run::<f32>(
            super::reference,
            "grid = [1]\nblock = [32, 8]
            [[param]]\nbuffer = 'in'\ntype = 'f32'\ninit = { values = [1, 2, 3, 4, 5, 6] }
            [[param]]\nbuffer = 'out'\ntype = 'f32'\nlen = 6
            [[param]]\ntype = 's32'\nvalue = 3
            [[param]]\ntype = 's32'\nvalue = 2",
            "out",
        );
        assert_eq!(out, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
