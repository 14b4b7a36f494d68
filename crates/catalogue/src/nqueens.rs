//! The number of ways to place n queens. The reference searches by recursion.

use super::{Host, Mismatch};

const THREADS: i32 = 128;
/// Limits on the rows that are left to the search, and on the rows of a board.
const OPEN: i32 = 5;
const ROWS: i32 = 16;

/// Squares of the next row that queens threaten: straight ahead, to the left and to the right.
#[derive(Clone, Copy, Default)]
struct Threats {
    columns: u32,
    left: u32,
    right: u32,
}

impl Threats {
    fn all(self) -> u32 {
        self.columns | self.left | self.right
    }

    fn with(self, queen: u32) -> Threats {
        Threats { columns: self.columns | queen, left: (self.left | queen) << 1, right: (self.right | queen) >> 1 }
    }
}

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let mut ways = host.read::<u32>(0)?;
    let (n, placed) = (host.value::<i32>(1)?, host.value::<i32>(2)?);
    if !(1..=ROWS).contains(&n) || !(0..n).contains(&placed) || n - placed > OPEN || host.block()[0] > THREADS {
        return Err(Mismatch::Launch(format!(
            "a board has at most {ROWS} rows, {OPEN} of them open, not {n} with {placed} queens placed; a block {THREADS} threads"
        )));
    }
    let tasks = i64::from(n).pow(placed as u32);
    for task in 0..tasks.min(i64::from(host.threads_x())) {
        let begun = (0..placed as u32).try_fold(Threats::default(), |threats, row| {
            let queen = 1 << (task / i64::from(n).pow(row) % i64::from(n));
            (threats.all() & queen == 0).then(|| threats.with(queen))
        });
        if let Some(threats) = begun {
            ways.set(task, count(threats, n, n - placed))?;
        }
    }
    host.write(0, &ways)
}

/// Counts the ways in which queens fill the rows that are left.
fn count(threats: Threats, n: i32, rows: i32) -> u32 {
    if rows == 0 {
        return 1;
    }
    let free = |column: &i32| threats.all() & 1 << column == 0;
    (0..n).filter(free).map(|column| count(threats.with(1 << column), n, rows - 1)).sum()
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::host::testing::run;

    #[test]
    fn the_ways_are_as_many_as_is_known() {
        let nqueens = find("nqueens").expect("the workload");
        assert_eq!(run::<u32>(super::reference, nqueens.small, "ways").iter().sum::<u32>(), 92);
        assert_eq!(run::<u32>(super::reference, nqueens.full, "ways").iter().sum::<u32>(), 724);
    }
}
