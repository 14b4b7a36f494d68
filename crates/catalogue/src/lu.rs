//! The first step of a tiled LU decomposition. Each element's subtractions are in the order of the pivots.

use super::{Host, Mismatch};

const TILE: usize = 16;

type Tile = [[f32; TILE]; TILE];

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    host.want_block([TILE as i32, TILE as i32, 1])?;
    let input = host.read::<f32>(0)?;
    let mut out = host.read::<f32>(1)?;
    let n = i64::from(host.value::<i32>(2)?);
    let at = |[left, top]: [usize; 2], x: usize, y: usize| (top + y) as i64 * n + (left + x) as i64;
    let load = |corner| -> Result<Tile, Mismatch> {
        let mut tile = Tile::default();
        for (y, row) in tile.iter_mut().enumerate() {
            for (x, element) in row.iter_mut().enumerate() {
                *element = input.at(at(corner, x, y))?;
            }
        }
        Ok(tile)
    };
    let mut store = |corner, tile: &Tile| -> Result<(), Mismatch> {
        for (y, row) in tile.iter().enumerate() {
            for (x, element) in row.iter().enumerate() {
                out.set(at(corner, x, y), *element)?;
            }
        }
        Ok(())
    };

    let mut diagonal = load([0, 0])?;
    factor(&mut diagonal);
    store([0, 0], &diagonal)?;
    for block in 1..=host.grid()[0] as usize {
        let (right, below) = ([block * TILE, 0], [0, block * TILE]);
        let mut tile = load(right)?;
        solve_right(&diagonal, &mut tile);
        store(right, &tile)?;
        let mut tile = load(below)?;
        solve_below(&diagonal, &mut tile);
        store(below, &tile)?;
    }
    host.write(1, &out)
}

/// Factors A = L U in place: U on and above the diagonal, L below it; L's own diagonal is all ones.
fn factor(a: &mut Tile) {
    for k in 0..TILE {
        let pivot = a[k];
        for row in &mut a[k + 1..] {
            row[k] /= pivot[k];
            for x in k + 1..TILE {
                row[x] -= row[k] * pivot[x];
            }
        }
    }
}

/// Solves L X = B in place.
fn solve_right(diagonal: &Tile, b: &mut Tile) {
    for k in 0..TILE {
        let pivot = b[k];
        for (row, l) in b.iter_mut().zip(diagonal).skip(k + 1) {
            for (element, above) in row.iter_mut().zip(pivot) {
                *element -= l[k] * above;
            }
        }
    }
}

/// Solves X U = B in place.
fn solve_below(diagonal: &Tile, b: &mut Tile) {
    for row in b {
        for k in 0..TILE {
            row[k] /= diagonal[k][k];
            for x in k + 1..TILE {
                row[x] -= row[k] * diagonal[k][x];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::run;

    #[test]
    fn the_factors_multiply_to_the_matrix() {
        let small = find("lu").expect("the workload").small;
        let (given, found) = (run::<f32>(reference, small, "in"), run::<f32>(reference, small, "out"));
        let n = given.len().isqrt();
        let (l, u) = (|y: usize, k: usize| if k == y { 1.0 } else { found[y * n + k] }, |k: usize, x: usize| found[k * n + x]);
        for (y, x) in (0..n).flat_map(|y| (0..n).map(move |x| (y, x))).filter(|(y, x)| *y.min(x) < TILE) {
            let terms = (0..=y.min(x)).map(|k| f64::from(l(y, k)) * f64::from(u(k, x)));
            let product: f64 = terms.sum();
            assert!((product - f64::from(given[y * n + x])).abs() < 1e-3, "row {y}, column {x}: {product}");
        }
    }

    #[test]
    fn no_launch_of_the_catalogue_overflows() {
        let lu = find("lu").expect("the workload");
        for launch in [lu.small, lu.full] {
            assert!(run::<f32>(reference, launch, "out").iter().all(|x| x.abs() < 1e6));
        }
    }
}
