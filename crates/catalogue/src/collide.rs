//! Collisions in the cells of a grid, and the starts of the cells.

use super::{Host, Mismatch, lengths};

/// Sizes that match the launches.
const CELLS: usize = 16384;
const MOST: i32 = 48;
const FEW: usize = 250;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (balls, starts) = (host.read::<f32>(0)?, host.read::<i32>(1)?);
    let mut hits = host.read::<i32>(2)?;
    let ball = |i: i32| -> Result<[f32; 4], Mismatch> {
        let at = 4 * i64::from(i);
        Ok([balls.at(at)?, balls.at(at + 1)?, balls.at(at + 2)?, balls.at(at + 3)?])
    };
    for cell in 0..host.value::<i32>(3)?.min(host.threads_x()) {
        let balls = (starts.at(cell)?..starts.at(cell + 1)?).map(ball).collect::<Result<Vec<_>, _>>()?;
        let pairs = balls.iter().enumerate().flat_map(|(i, a)| balls[i + 1..].iter().map(move |b| (a, b)));
        hits.set(cell, pairs.filter(|(a, b)| touch(a, b)).count() as i32)?;
    }
    host.write(2, &hits)
}

fn touch(a: &[f32; 4], b: &[f32; 4]) -> bool {
    let (x, y, z) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    let reach = a[3] + b[3];
    x * x + y * y + z * z < reach * reach
}

pub fn file(name: &str) -> Option<Vec<u8>> {
    lengths::file(
        name,
        || lengths::starts(53, CELLS, MOST, |u| 2.0 / u.sqrt()),
        || lengths::starts(65, FEW, 16, |u| 1.0 / u.sqrt()),
    )
}

#[cfg(test)]
mod tests {
    use crate::host::testing::{check_files, run};

    #[test]
    fn the_files_have_the_starts() {
        check_files("collide", &["starts.bin", "few.bin"], super::file);
    }

    #[test]
    fn balls_of_one_cell_collide_and_those_of_two_do_not() {
        let hits = run::<i32>(
            super::reference,
            "grid = [1]\nblock = [4]
            [[param]]\nbuffer = 'balls'\ntype = 'f32'
            init = { values = [0, 0, 0, 1, 1.5, 0, 0, 1, 3, 0, 0, 1, 3, 0, 0, 1, 3, 1, 0, 1] }
            [[param]]\nbuffer = 'starts'\ntype = 's32'\ninit = { values = [0, 3, 5] }
            [[param]]\nbuffer = 'hits'\ntype = 's32'\nlen = 2
            [[param]]\ntype = 's32'\nvalue = 2",
            "hits",
        );
        assert_eq!(hits, [2, 1]);
    }
}
