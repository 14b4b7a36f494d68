//! A cascade of classifiers, the image that it examines, and its training.

use super::{Host, Mismatch, lengths};
use warpscope_kernel::launch::SplitMix64;

/// Integers per feature: x, y, the width and the height of a half, whether the halves are on top of each other, weight.
const BOX: usize = 6;
const STEP: i64 = 2;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (integral, boxes) = (host.read::<u32>(0)?, host.read::<i32>(1)?);
    let (stages, thresholds) = (host.read::<i32>(2)?, host.read::<i32>(3)?);
    let mut passed = host.read::<i32>(4)?;
    let (pitch, count) = (host.value::<i32>(5)?, host.value::<i32>(8)?);
    let [columns, rows] = [0, 1].map(|axis| host.grid()[axis].saturating_mul(host.block()[axis]));
    let image = Integral { at: |at| integral.at(at), pitch: i64::from(pitch) };
    let width = host.value::<i32>(6)?;
    for y in 0..host.value::<i32>(7)?.min(rows) {
        for x in 0..width.min(columns) {
            let mut stage = 0;
            while stage < count {
                let mut score = 0i32;
                for feature in stages.at(stage)?..stages.at(stage + 1)? {
                    let mut parts = [0; BOX];
                    for (part, at) in parts.iter_mut().zip(BOX as i64 * i64::from(feature)..) {
                        *part = boxes.at(at)?;
                    }
                    score = score.wrapping_add(image.feature([x, y].map(i64::from), &parts)?);
                }
                if score < thresholds.at(stage)? {
                    break;
                }
                stage += 1;
            }
            passed.set(i64::from(y) * i64::from(width) + i64::from(x), stage)?;
        }
    }
    host.write(4, &passed)
}

/// An integral image: at each place, the sum of all pixels above and left of it.
struct Integral<F> {
    at: F,
    pitch: i64,
}

impl<F: Fn(i64) -> Result<u32, Mismatch>> Integral<F> {
    /// Returns the difference of a feature's halves in a window, times the feature's weight.
    fn feature(&self, window: [i64; 2], parts: &[i32; BOX]) -> Result<i32, Mismatch> {
        let [x, y, width, height, over, weight] = *parts;
        let [width, height] = [width, height].map(i64::from);
        let (left, top) = (STEP * window[0] + i64::from(x), STEP * window[1] + i64::from(y));
        let one = self.pixels(left, top, width, height)?;
        let (left, top) = if over != 0 { (left, top + height) } else { (left + width, top) };
        let other = self.pixels(left, top, width, height)?;
        Ok(weight.wrapping_mul(one.wrapping_sub(other) as i32))
    }

    fn pixels(&self, x: i64, y: i64, width: i64, height: i64) -> Result<u32, Mismatch> {
        let corner = |x: i64, y: i64| (self.at)(y * self.pitch + x);
        let (below, above) = (y + height, y);
        let lower = corner(x + width, below)?.wrapping_sub(corner(x, below)?);
        Ok(lower.wrapping_sub(corner(x + width, above)?).wrapping_add(corner(x, above)?))
    }
}

/// Sizes that match the launches: windows in x and y that the cascade is trained on, rows of windows in the whole image, the side
/// of a window in pixels, the first feature of each stage.
const WINDOWS: [i64; 2] = [64, 48];
const ROWS: i64 = 384;
const SIDE: i64 = 20;
const STAGES: [usize; 7] = [0, 2, 5, 10, 18, 31, 51];
/// How many of ten windows that reach a stage fail it.
const STOPPED: usize = 6;

/// Returns the size in pixels of an image with that many rows of windows: the last window just fits.
fn size(rows: i64) -> [usize; 2] {
    [WINDOWS[0], rows].map(|count| (STEP * (count - 1) + SIDE) as usize)
}

/// Returns the integral of a random image with that many rows of windows; each pixel is the mean of 25 random values.
fn integral(rows: i64) -> Vec<u32> {
    let [width, height] = size(rows);
    let mut random = SplitMix64::new(55);
    let sharp: Vec<u32> = (0..(width + 4) * (height + 4)).map(|_| (random.draw() % 256) as u32).collect();
    let pixel = |x: usize, y: usize| (0..25).map(|i| sharp[(y + i / 5) * (width + 4) + x + i % 5]).sum::<u32>() / 25;
    let mut sums = vec![0; (width + 1) * (height + 1)];
    for y in 0..height {
        let mut row = 0;
        for x in 0..width {
            row += pixel(x, y);
            sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + row;
        }
    }
    sums
}

fn boxes() -> Vec<[i32; BOX]> {
    let mut random = SplitMix64::new(56);
    let mut below = |limit: i64| (random.draw() % limit as u64) as i64;
    let mut feature = || {
        let over = below(2);
        let (width, height) = (2 + below(8), 2 + below(8));
        let room = |half: i64, twice: bool| SIDE - if twice { 2 * half } else { half } + 1;
        let (x, y) = (below(room(width, over == 0)), below(room(height, over == 1)));
        [x, y, width, height, over, 1 + below(3)].map(|part| part as i32)
    };
    (0..STAGES[STAGES.len() - 1]).map(|_| feature()).collect()
}

/// Trains the thresholds stage by stage, so that four of ten windows that reach a stage pass it.
fn thresholds() -> Vec<i32> {
    let (sums, boxes) = (integral(WINDOWS[1]), boxes());
    let image = Integral { at: |at| Ok(sums[at as usize]), pitch: size(WINDOWS[1])[0] as i64 + 1 };
    let mut windows: Vec<[i64; 2]> = (0..WINDOWS[0] * WINDOWS[1]).map(|i| [i % WINDOWS[0], i / WINDOWS[0]]).collect();
    let mut thresholds = Vec::new();
    for stage in STAGES.windows(2) {
        let score = |window: &[i64; 2]| -> i32 {
            boxes[stage[0]..stage[1]].iter().filter_map(|parts| image.feature(*window, parts).ok()).sum()
        };
        let mut scores: Vec<i32> = windows.iter().map(score).collect();
        scores.sort_unstable();
        let threshold = scores[scores.len() * STOPPED / 10];
        windows.retain(|window| score(window) >= threshold);
        thresholds.push(threshold);
    }
    thresholds
}

pub fn file(name: &str) -> Option<Vec<u8>> {
    match name {
        "integral.bin" => Some(integral(WINDOWS[1]).into_iter().flat_map(u32::to_le_bytes).collect()),
        "whole.bin" => Some(integral(ROWS).into_iter().flat_map(u32::to_le_bytes).collect()),
        "boxes.bin" => Some(lengths::bytes(boxes().as_flattened())),
        "thresholds.bin" => Some(lengths::bytes(&thresholds())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::check_files;
    use warpscope_kernel::launch::Launch;

    #[test]
    fn the_files_are_the_image_and_the_cascade() {
        check_files("cascade", &["integral.bin", "whole.bin", "boxes.bin", "thresholds.bin"], file);
    }

    #[test]
    fn every_stage_stops_six_of_ten_windows_that_it_is_trained_on() {
        let cascade = find("cascade").expect("the workload");
        let launch = Launch::parse(cascade.full).expect("a launch");
        let mut host = Host::new(&launch, &launch.fill(&|name| cascade.read_file(name)).expect("buffers"));
        reference(&mut host).expect("the launch suits");
        let all = (WINDOWS[0] * WINDOWS[1]) as usize;
        let mut passed = host.read::<i32>(4).expect("stages");
        let passed = passed.slice_mut(0, all).expect("windows");
        let mut before = all;
        for stage in 0..STAGES.len() as i32 - 1 {
            let now = passed.iter().filter(|found| **found > stage).count();
            assert!((0.38..0.45).contains(&(now as f64 / before as f64)), "stage {stage}: {now} of {before}");
            before = now;
        }
    }
}
