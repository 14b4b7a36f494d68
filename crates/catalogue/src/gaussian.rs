//! Gaussian elimination. Each element's subtractions are in the order of the pivots.

use super::{Host, Mismatch};

const TILE: i32 = 16;
const ROWS: i32 = 32;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    host.want_block([TILE, TILE, 1])?;
    let mut systems = host.read::<f32>(0)?;
    let n = host.value::<i32>(1)?;
    if !(1..=ROWS).contains(&n) {
        return Err(Mismatch::Launch(format!("a system has 1 to {ROWS} equations, not {n}")));
    }
    let n = n as usize;
    for block in 0..host.grid()[0] as usize {
        eliminate(systems.slice_mut(block * n * (n + 1), n * (n + 1))?, n);
    }
    host.write(0, &systems)
}

/// Brings `n` rows of `n` coefficients and a right-hand side to triangular form.
fn eliminate(a: &mut [f32], n: usize) {
    let columns = n + 1;
    for k in 0..n - 1 {
        let (above, below) = a.split_at_mut((k + 1) * columns);
        let pivot = &above[k * columns..];
        for row in below.chunks_exact_mut(columns) {
            let factor = row[k] / pivot[k];
            for column in k..columns {
                row[column] -= factor * pivot[column];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use warpscope_kernel::launch::Launch;

    /// Solves the triangular system by back substitution.
    fn solve(a: &[f32], n: usize) -> Vec<f64> {
        let at = |row: usize, column: usize| f64::from(a[row * (n + 1) + column]);
        let mut x = vec![0.0; n];
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|column| at(row, column) * x[column]).sum();
            x[row] = (at(row, n) - known) / at(row, row);
        }
        x
    }

    #[test]
    fn the_triangular_systems_have_the_solutions_of_the_full_ones() {
        let gaussian = find("gaussian").expect("the workload");
        for text in [gaussian.small, gaussian.full] {
            let launch = Launch::parse(text).expect("a launch");
            let mut host = Host::new(&launch, &launch.fill(&|_| Err("no files".into())).expect("buffers"));
            let n = host.value::<i32>(1).expect("a number") as usize;
            let mut before = host.read::<f32>(0).expect("floats");
            reference(&mut host).expect("the launch suits");
            let mut after = host.read::<f32>(0).expect("floats");
            let size = n * (n + 1);
            for system in 0..host.grid()[0] as usize {
                let x = solve(after.slice_mut(system * size, size).expect("a system"), n);
                for row in before.slice_mut(system * size, size).expect("a system").chunks(n + 1) {
                    let left: f64 = row.iter().zip(&x).map(|(a, x)| f64::from(*a) * x).sum();
                    let scale: f64 = row.iter().zip(&x).map(|(a, x)| (f64::from(*a) * x).abs()).sum();
                    assert!((left - f64::from(row[n])).abs() < 0.01 * scale, "system {system}: {left}, not {}", row[n]);
                }
            }
        }
    }
}
