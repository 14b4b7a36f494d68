//! Sparse matrix times vector, and the starts of the rows.

use super::{Host, Mismatch, lengths};

/// Sizes that match the launches. As with in-degrees of the web, the number of rows falls off with about the square of their
/// length.
const ROWS: usize = 24576;
const LONGEST: i32 = 256;
const FEW: usize = 250;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (starts, columns) = (host.read::<i32>(0)?, host.read::<i32>(1)?);
    let (values, x) = (host.read::<f32>(2)?, host.read::<f32>(3)?);
    let mut y = host.read::<f32>(4)?;
    for row in 0..host.value::<i32>(5)?.min(host.threads_x()) {
        let mut sum = 0.0f32;
        for at in starts.at(row)?..starts.at(row + 1)? {
            sum += values.at(at)? * x.at(columns.at(at)?)?;
        }
        y.set(row, sum)?;
    }
    host.write(4, &y)
}

pub fn file(name: &str) -> Option<Vec<u8>> {
    lengths::file(name, || lengths::starts(50, ROWS, LONGEST, |u| 1.0 / u), || lengths::starts(66, FEW, 64, |u| 1.0 / u))
}

#[cfg(test)]
mod tests {
    use crate::host::testing::{check_files, run};

    #[test]
    fn the_files_have_the_starts() {
        check_files("spmv", &["starts.bin", "few.bin"], super::file);
    }

    #[test]
    fn rows_of_any_length_are_added_up() {
        let y = run::<f32>(
            super::reference,
            "grid = [1]\nblock = [4]
            [[param]]\nbuffer = 'starts'\ntype = 's32'\ninit = { values = [0, 2, 2, 3] }
            [[param]]\nbuffer = 'columns'\ntype = 's32'\ninit = { values = [0, 2, 1] }
            [[param]]\nbuffer = 'values'\ntype = 'f32'\ninit = { values = [1.0, 2.0, 3.0] }
            [[param]]\nbuffer = 'x'\ntype = 'f32'\ninit = { values = [10.0, 100.0, 1000.0] }
            [[param]]\nbuffer = 'y'\ntype = 'f32'\ninit = { values = [7.0, 7.0, 7.0] }
            [[param]]\ntype = 's32'\nvalue = 3",
            "y",
        );
        assert_eq!(y, [2010.0, 0.0, 300.0]);
    }
}
