//! SRAD. All blocks find the same speckle and the same coefficients, so the reference works on the whole image.

use super::host::Array;
use super::reduce::fold;
use super::{Host, Mismatch};

const TILE: i32 = 16;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    host.want_block([TILE, TILE, 1])?;
    let pixels = host.read::<f32>(0)?;
    let mut out = host.read::<f32>(1)?;
    let image = Image { pixels, width: host.value(2)?, height: host.value(3)? };
    let (patch, rate) = ([host.value::<i32>(4)?, host.value(5)?], host.value::<f32>(6)?);
    let speckle = image.speckle(patch)?;
    let [columns, rows] = [0, 1].map(|axis| host.grid()[axis].saturating_mul(TILE));
    for y in 0..image.height.min(rows) {
        for x in 0..image.width.min(columns) {
            let here = image.at(x, y)?;
            let c = |x, y| image.coefficient(x, y, speckle);
            let flow = c(x, y)? * (image.at(x, y - 1)? - here)
                + c(x, y + 1)? * (image.at(x, y + 1)? - here)
                + c(x, y)? * (image.at(x - 1, y)? - here)
                + c(x + 1, y)? * (image.at(x + 1, y)? - here);
            out.set(image.index(x, y), here + 0.25 * rate * flow)?;
        }
    }
    host.write(1, &out)
}

struct Image {
    pixels: Array<f32>,
    width: i32,
    height: i32,
}

impl Image {
    fn index(&self, x: i32, y: i32) -> i64 {
        i64::from(y) * i64::from(self.width) + i64::from(x)
    }

    /// Returns a pixel; outside of the image, the nearest one on its rim.
    fn at(&self, x: i32, y: i32) -> Result<f32, Mismatch> {
        self.pixels.at(self.index(x.min(self.width.saturating_sub(1)).max(0), y.min(self.height.saturating_sub(1)).max(0)))
    }

    /// Returns the variance of a patch of even tissue over its squared mean.
    fn speckle(&self, [x, y]: [i32; 2]) -> Result<f32, Mismatch> {
        let mut samples = Vec::new();
        for t in 0..TILE * TILE {
            samples.push(self.at(x.saturating_add(t % TILE), y.saturating_add(t / TILE))?);
        }
        let squares = samples.iter().map(|sample| sample * sample).collect();
        let count = (TILE * TILE) as f32;
        let mean = fold(samples) / count;
        let variance = fold(squares) / count - mean * mean;
        Ok(variance / (mean * mean))
    }

    /// Returns how freely a pixel diffuses: 1 in even tissue, 0 across an edge.
    fn coefficient(&self, x: i32, y: i32, speckle: f32) -> Result<f32, Mismatch> {
        let here = self.at(x, y)?;
        let (north, south) = (self.at(x, y - 1)? - here, self.at(x, y + 1)? - here);
        let (west, east) = (self.at(x - 1, y)? - here, self.at(x + 1, y)? - here);
        let gradient = (north * north + south * south + west * west + east * east) / (here * here);
        let laplacian = (north + south + west + east) / here;
        let above = 0.5 * gradient - 0.0625 * (laplacian * laplacian);
        let below = 1.0 + 0.25 * laplacian;
        let variation = above / (below * below);
        let c: f32 = 1.0 / (1.0 + (variation - speckle) / (speckle * (1.0 + speckle)));
        Ok(c.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::host::testing::run;

    fn spread(pixels: &[f32]) -> f32 {
        let mean = pixels.iter().sum::<f32>() / pixels.len() as f32;
        pixels.iter().map(|pixel| (pixel - mean) * (pixel - mean)).sum()
    }

    #[test]
    fn speckle_fades_and_brightness_stays() {
        let small = find("srad").expect("the workload").small;
        let (before, after) = (run::<f32>(super::reference, small, "in"), run::<f32>(super::reference, small, "out"));
        assert!(after.iter().all(|pixel| (0.5..1.5).contains(pixel)));
        assert!(spread(&after) < 0.8 * spread(&before), "{} of {}", spread(&after), spread(&before));
    }
}
