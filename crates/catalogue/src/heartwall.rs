//! Tracking of points on the heart's wall from one frame to the next, and the making of the frame and the templates. Each column
//! is summed first, then the sums of the columns are added; among equal scores the first counts.

use super::host::Array;
use super::{Host, Mismatch};
use warpscope_kernel::launch::SplitMix64;

const SIDE: i32 = 13;
const SHIFTS: i32 = 11;
const WINDOW: i32 = SIDE + SHIFTS - 1;
const PIXELS: f32 = (SIDE * SIDE) as f32;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    if host.block()[0] < SHIFTS * SHIFTS {
        return Err(Mismatch::Launch(format!("a block needs a thread for each of {} shifts", SHIFTS * SHIFTS)));
    }
    let frame = Frame { pixels: host.read::<u8>(0)?, width: host.value(5)?, height: host.value(6)? };
    let (templates, points) = (host.read::<u8>(1)?, host.read::<i32>(2)?);
    let (mut moved, mut scores) = (host.read::<i32>(3)?, host.read::<f32>(4)?);
    for point in 0..host.grid()[0] {
        let wanted = (0..SIDE * SIDE)
            .map(|i| Ok(f32::from(templates.at(i64::from(point) * i64::from(SIDE * SIDE) + i64::from(i))?)))
            .collect::<Result<Vec<f32>, Mismatch>>()?;
        let left = points.at(2 * point)?.saturating_sub(WINDOW / 2);
        let top = points.at(2 * point + 1)?.saturating_sub(WINDOW / 2);
        let (mean, energy) = template_sums(&wanted);
        let mut best = (0, 0, f32::NEG_INFINITY);
        for dx in 0..SHIFTS {
            for dy in 0..SHIFTS {
                let score = frame.score(left.saturating_add(dx), top.saturating_add(dy), &wanted, mean, energy)?;
                if score > best.2 {
                    best = (dx, dy, score);
                }
            }
        }
        moved.set(2 * point, left.wrapping_add(best.0 + SIDE / 2))?;
        moved.set(2 * point + 1, top.wrapping_add(best.1 + SIDE / 2))?;
        scores.set(point, best.2)?;
    }
    host.write(3, &moved)?;
    host.write(4, &scores)
}

/// Returns the mean of a template's pixels, and the sum of their squared differences from it.
fn template_sums(wanted: &[f32]) -> (f32, f32) {
    let (mut sum, mut square) = (0.0f32, 0.0f32);
    for column in 0..SIDE as usize {
        let pixels = wanted.iter().skip(column).step_by(SIDE as usize);
        sum += pixels.clone().fold(0.0, |sum, pixel| sum + pixel);
        square += pixels.fold(0.0, |sum, pixel| sum + pixel * pixel);
    }
    let mean = sum / PIXELS;
    (mean, square - sum * mean)
}

struct Frame {
    pixels: Array<u8>,
    width: i32,
    height: i32,
}

impl Frame {
    /// Returns how well a template fits at a position, 1 at most; -1 where it crosses the rim.
    fn score(&self, left: i32, top: i32, wanted: &[f32], mean: f32, energy: f32) -> Result<f32, Mismatch> {
        let inside = |at: i32, size: i32| at >= 0 && at.saturating_add(SIDE) <= size;
        if !inside(left, self.width) || !inside(top, self.height) {
            return Ok(-1.0);
        }
        let (mut sum, mut square, mut product) = (0.0f32, 0.0f32, 0.0f32);
        for (i, wanted) in (0..).zip(wanted) {
            let (x, y) = (left + i % SIDE, top + i / SIDE);
            let pixel = f32::from(self.pixels.at(i64::from(y) * i64::from(self.width) + i64::from(x))?);
            sum += pixel;
            square += pixel * pixel;
            product += pixel * wanted;
        }
        let here = square - sum * sum / PIXELS;
        Ok((product - sum * mean) / (here * energy).sqrt())
    }
}

/// The frame's size in pixels, as the launches give it.
const SIZE: [i32; 2] = [128, 96];
/// 20 points on the inside of the wall, 31 on its outside, as in the Rodinia suite.
const RINGS: [(i32, [i32; 2]); 2] = [(20, [38, 24]), (31, [56, 40])];

/// The position of a point in the last frame, and in this one.
struct Track {
    was: [i32; 2],
    is: [i32; 2],
}

/// Makes points on two ellipses around the middle; each moves by up to four pixels each way and keeps its template in the frame.
fn tracks() -> Vec<Track> {
    let mut random = SplitMix64::new(46);
    let mut tracks = Vec::new();
    for (count, radii) in RINGS {
        for k in 0..count {
            let direction = direction(f64::from(4 * k) / f64::from(count));
            let was = [0, 1].map(|axis| SIZE[axis] / 2 + (f64::from(radii[axis]) * direction[axis]).round() as i32);
            let is = [0, 1].map(|axis| {
                let step = (random.draw() % 9) as i32 - 4;
                (was[axis] + step).clamp(SIDE / 2, SIZE[axis] - 1 - SIDE / 2)
            });
            tracks.push(Track { was, is });
        }
    }
    tracks
}

/// Returns a point of the unit circle for 0 to 4 quarters, with square roots only, which every machine rounds alike.
fn direction(quarters: f64) -> [f64; 2] {
    let along = quarters.fract();
    let length = ((1.0 - along) * (1.0 - along) + along * along).sqrt();
    let (x, y) = ((1.0 - along) / length, along / length);
    match quarters as u32 {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    }
}

/// Makes speckle: random pixels, each the mean of nine, as the beam blurs them.
fn speckle() -> Vec<u8> {
    let [width, height] = SIZE.map(|n| n as usize);
    let mut random = SplitMix64::new(47);
    let sharp: Vec<u64> = (0..(width + 2) * (height + 2)).map(|_| random.draw() % 256).collect();
    let blurred = |x: usize, y: usize| (0..9).map(|i| sharp[(y + i / 3) * (width + 2) + x + i % 3]).sum::<u64>() / 9;
    (0..width * height).map(|at| blurred(at % width, at / width) as u8).collect()
}

/// Returns the frame, the points in the last frame, or the templates around them, which differ slightly from this frame.
pub fn file(name: &str) -> Option<Vec<u8>> {
    match name {
        "frame.bin" => Some(speckle()),
        "points.bin" => Some(tracks().iter().flat_map(|track| track.was).flat_map(i32::to_le_bytes).collect()),
        "templates.bin" => {
            let frame = speckle();
            let mut random = SplitMix64::new(48);
            let templates = tracks().into_iter().flat_map(|track| {
                let corner = track.is.map(|at| at - SIDE / 2);
                (0..SIDE * SIDE).map(move |i| (corner[1] + i / SIDE) * SIZE[0] + corner[0] + i % SIDE)
            });
            Some(templates.map(|at| frame[at as usize] / 2 + 50 + (random.draw() % 16) as u8).collect())
        }
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
    fn the_files_are_the_frame_the_points_and_the_templates() {
        check_files("heartwall", &["frame.bin", "points.bin", "templates.bin"], file);
    }

    #[test]
    fn every_point_is_found_where_it_moved() {
        let heartwall = find("heartwall").expect("the workload");
        let launch = Launch::parse(heartwall.full).expect("a launch");
        let mut host = Host::new(&launch, &launch.fill(&|name| heartwall.read_file(name)).expect("buffers"));
        reference(&mut host).expect("the launch suits");
        let (moved, scores) = (host.read::<i32>(3).expect("places"), host.read::<f32>(4).expect("scores"));
        for (point, track) in (0..).zip(tracks()) {
            assert_eq!([moved.at(2 * point), moved.at(2 * point + 1)], track.is.map(Ok), "point {point}");
            assert!(scores.at(point).is_ok_and(|score| (0.8..1.0).contains(&score)));
        }
    }
}
