//! Needleman-Wunsch, row by row: a cell's score does not depend on the order in which the other cells are computed.

use super::{Host, Mismatch};

const ROWS: i32 = 128;
const MATCHED: u8 = 0;
const FROM_ABOVE: u8 = 1;
const FROM_LEFT: u8 = 2;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (a, b) = (host.read::<u8>(0)?, host.read::<u8>(1)?);
    let (mut from, mut scores) = (host.read::<u8>(2)?, host.read::<i32>(3)?);
    let (columns, same) = (i64::from(host.value::<i32>(4)?), host.value::<i32>(5)?);
    let (other, gap) = (host.value::<i32>(6)?, host.value::<i32>(7)?);
    let rows = i64::from(host.block()[0]);
    if rows > i64::from(ROWS) || columns < 1 {
        return Err(Mismatch::Launch(format!(
            "a block aligns at most {ROWS} letters with one or more, not {rows} with {columns}"
        )));
    }
    b.at(i64::from(host.grid()[0]) * columns - 1)?;
    for block in 0..i64::from(host.grid()[0]) {
        // The scores of the row above, with the rim to the left first.
        let mut above: Vec<i32> = (0..=columns as i32).map(|column| gap.wrapping_mul(-column)).collect();
        for row in 0..rows {
            let letter = a.at(block * rows + row)?;
            let mut scores_here = vec![gap.wrapping_mul(-(row as i32 + 1))];
            for (column, pair) in (0..columns).zip(above.windows(2)) {
                let fits = letter == b.at(block * columns + column)?;
                let left = scores_here[column as usize].wrapping_sub(gap);
                let ways = [pair[0].wrapping_add(if fits { same } else { other }), pair[1].wrapping_sub(gap), left];
                let (source, best) = best_of(ways);
                let line = block * (rows + columns - 1) + row + column;
                from.set(line * rows + row, source)?;
                scores_here.push(best);
            }
            above = scores_here;
        }
        scores.set(block, above[columns as usize])?;
    }
    host.write(2, &from)?;
    host.write(3, &scores)
}

/// Returns the best of the three ways into a cell and its score; among equals, the first.
fn best_of([matched, above, left]: [i32; 3]) -> (u8, i32) {
    let mut best = (MATCHED, matched);
    for way in [(FROM_ABOVE, above), (FROM_LEFT, left)] {
        if way.1 > best.1 {
            best = way;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::run;

    /// Aligns 0 1 2 3 with 0 2 3: the 1 faces a gap.
    const LAUNCH: &str = "grid = [1]\nblock = [4]
        [[param]]\nbuffer = 'a'\ntype = 'u8'\ninit = { values = [0, 1, 2, 3] }
        [[param]]\nbuffer = 'b'\ntype = 'u8'\ninit = { values = [0, 2, 3] }
        [[param]]\nbuffer = 'from'\ntype = 'u8'\nlen = 24
        [[param]]\nbuffer = 'scores'\ntype = 's32'\nlen = 1
        [[param]]\ntype = 's32'\nvalue = 3
        [[param]]\ntype = 's32'\nvalue = 2
        [[param]]\ntype = 's32'\nvalue = -1
        [[param]]\ntype = 's32'\nvalue = 1";

    #[test]
    fn three_matches_and_a_gap() {
        assert_eq!(run::<i32>(reference, LAUNCH, "scores"), [5]);
        let from = run::<u8>(reference, LAUNCH, "from");
        let cell = |row: usize, column: usize| from[(row + column) * 4 + row];
        assert_eq!([cell(3, 2), cell(2, 1), cell(1, 0), cell(0, 0)], [MATCHED, MATCHED, FROM_ABOVE, MATCHED]);
    }
}
