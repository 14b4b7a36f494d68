//! Motion search, and its two pictures: the second is the first with its parts moved.

use super::{Host, Mismatch};
use warpscope_kernel::launch::SplitMix64;

/// Side of a tile in pixels.
const TILE: i32 = 4;
/// Largest displacement in x or in y, in pixels.
const REACH: i32 = 4;
/// Side of a part that moves as one, in pixels.
const PART: usize = 16;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (now, before, moves) = (host.read::<u8>(0)?, host.read::<u8>(1)?, host.read::<i32>(2)?);
    let (mut best, mut cost) = (host.read::<i32>(3)?, host.read::<i32>(4)?);
    let [width, height, count, good] = [5, 6, 7, 8].map(|param| host.value::<i32>(param));
    let (width, height, count, good) = (width?, height?, count?, good?);
    let tiles_x = width / TILE;
    for tile in 0..(tiles_x * (height / TILE)).min(host.threads_x() / (TILE * TILE)) {
        let (mut least, mut chosen) = (1 << 30, 0);
        for i in 0..count {
            let mut sum = 0;
            for pixel in 0..TILE * TILE {
                let (x, y) = (tile % tiles_x * TILE + pixel % TILE, tile / tiles_x * TILE + pixel / TILE);
                let from_x = (x + moves.at(2 * i)?).max(0).min(width - 1);
                let from_y = (y + moves.at(2 * i + 1)?).max(0).min(height - 1);
                sum += (i32::from(now.at(y * width + x)?) - i32::from(before.at(from_y * width + from_x)?)).abs();
            }
            if sum < least {
                (least, chosen) = (sum, i);
                if sum <= good {
                    break;
                }
            }
        }
        best.set(tile, chosen)?;
        cost.set(tile, least)?;
    }
    host.write(3, &best)?;
    host.write(4, &cost)
}

/// Returns all displacements, the nearest first.
fn moves() -> Vec<(i32, i32)> {
    let all = (-REACH..=REACH).flat_map(|y| (-REACH..=REACH).map(move |x| (x, y)));
    let mut all: Vec<(i32, i32)> = all.collect();
    all.sort_by_key(|(x, y)| x * x + y * y);
    all
}

/// Makes a picture of soft blobs and the next one, in which most parts come from elsewhere and some are new.
fn pictures(width: usize, height: usize) -> (Vec<u8>, Vec<u8>) {
    let mut random = SplitMix64::new(3);
    let coarse: Vec<i32> = (0..(width / 4 + 2) * (height / 4 + 2)).map(|_| (random.draw() % 200) as i32).collect();
    let corner = |x: usize, y: usize| coarse[y * (width / 4 + 2) + x];
    let soft = |x: usize, y: usize| {
        let (right, down) = ((x % 4) as i32, (y % 4) as i32);
        let row = |y| (4 - right) * corner(x / 4, y) + right * corner(x / 4 + 1, y);
        ((4 - down) * row(y / 4) + down * row(y / 4 + 1)) / 16
    };
    let before: Vec<u8> = (0..width * height).map(|at| (soft(at % width, at / width) + 20) as u8).collect();

    let (parts_x, parts_y) = (width.div_ceil(PART), height.div_ceil(PART));
    // The displacement of each part; one part in eight is new.
    let from: Vec<Option<(i32, i32)>> = (0..parts_x * parts_y)
        .map(|_| {
            let mut by = || (random.draw() % (2 * REACH as u64 + 1)) as i32 - REACH;
            let from = (by(), by());
            (!random.draw().is_multiple_of(8)).then_some(from)
        })
        .collect();
    let now = (0..width * height).map(|at| {
        let (x, y) = (at % width, at / width);
        let noise = random.draw();
        match from[y / PART * parts_x + x / PART] {
            Some((dx, dy)) => {
                let clamp = |at: usize, by: i32, size: usize| (at as i32 + by).max(0).min(size as i32 - 1) as usize;
                before[clamp(y, dy, height) * width + clamp(x, dx, width)] + u8::from(noise.is_multiple_of(4))
            }
            None => (noise % 240) as u8,
        }
    });
    let now = now.collect();
    (now, before)
}

/// Makes the pictures of the full and of the small launch, and the list of displacements.
pub fn file(name: &str) -> Option<Vec<u8>> {
    match name {
        "moves.bin" => Some(moves().iter().flat_map(|(x, y)| [x.to_le_bytes(), y.to_le_bytes()]).flatten().collect()),
        "now.bin" => Some(pictures(96, 48).0),
        "before.bin" => Some(pictures(96, 48).1),
        "now32.bin" => Some(pictures(32, 16).0),
        "before32.bin" => Some(pictures(32, 16).1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::check_files;

    #[test]
    fn the_pictures_files_are_the_pictures() {
        check_files("blockmatch", &["moves.bin", "now.bin", "before.bin", "now32.bin", "before32.bin"], file);
    }

    #[test]
    fn displacements_go_from_near_to_far() {
        let moves = moves();
        assert_eq!((moves.len(), moves[0], moves[80]), (81, (0, 0), (4, 4)));
    }
}
