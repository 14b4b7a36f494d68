//! Sparse matrix times vector by eight threads a row, and the starts of the rows.

use super::{Host, Mismatch, lengths};

/// Threads that share a row.
const TOGETHER: usize = 8;
/// Sizes that match the launches.
const ROWS: usize = 1024;
const LONGEST: i32 = 256;
const FEW: usize = 32;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (starts, columns) = (host.read::<i32>(0)?, host.read::<i32>(1)?);
    let (values, x) = (host.read::<f32>(2)?, host.read::<f32>(3)?);
    let mut y = host.read::<f32>(4)?;
    for row in 0..host.value::<i32>(5)?.min(host.threads_x() / TOGETHER as i32) {
        let mut sums = [0.0f32; TOGETHER];
        let start = starts.at(row)?;
        for at in start..starts.at(row + 1)? {
            sums[(at - start) as usize % TOGETHER] += values.at(at)? * x.at(columns.at(at)?)?;
        }
        // Halves are added onto each other, as shuffles do.
        for apart in [4, 2, 1] {
            (0..apart).for_each(|lane| sums[lane] += sums[lane + apart]);
        }
        y.set(row, sums[0])?;
    }
    host.write(4, &y)
}

/// Returns the length of a row: as the web's in-degrees are distributed, but no shorter than there are threads.
fn length(random: f64) -> f64 {
    TOGETHER as f64 / random
}

pub fn file(name: &str) -> Option<Vec<u8>> {
    lengths::file(name, || lengths::starts(70, ROWS, LONGEST, length), || lengths::starts(71, FEW, 64, length))
}

#[cfg(test)]
mod tests {
    use crate::host::testing::{check_files, run};

    #[test]
    fn the_files_have_the_starts() {
        check_files("spmv8", &["starts.bin", "few.bin"], super::file);
    }

    #[test]
    fn a_row_is_added_up_by_eighths() {
        // The first row's first and ninth value meet before the others; in another order the small ones would be lost.
        let y = run::<f32>(
            super::reference,
            "grid = [1]\nblock = [16]
            [[param]]\nbuffer = 'starts'\ntype = 's32'\ninit = { values = [0, 9, 11] }
            [[param]]\nbuffer = 'columns'\ntype = 's32'\ninit = { values = [0, 1, 1, 1, 1, 1, 1, 1, 2, 0, 1] }
            [[param]]\nbuffer = 'values'\ntype = 'f32'\ninit = { values = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 2.0] }
            [[param]]\nbuffer = 'x'\ntype = 'f32'\ninit = { values = [100000000.0, 1.0, -100000000.0] }
            [[param]]\nbuffer = 'y'\ntype = 'f32'\ninit = { values = [0.0, 0.0, 0.0] }
            [[param]]\ntype = 's32'\nvalue = 2",
            "y",
        );
        assert_eq!(y, [7.0, 50_000_002.0, 0.0]);
    }
}
