//! MRI-Q. Tiles do not change the order of the additions: sample after sample, from the first. Sines and cosines are the
//! simulated machine's functions, because no other function has their last bits.

use super::{Host, Mismatch};
use std::f32::consts::TAU;
use warpscope_kernel::interp::num::approx;

const THREADS: i32 = 256;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    if host.block()[0] > THREADS {
        return Err(Mismatch::Launch(format!("a tile holds {THREADS} samples, and the block has {} threads", host.block()[0])));
    }
    let position = [host.read::<f32>(0)?, host.read::<f32>(1)?, host.read::<f32>(2)?];
    let samples = host.read::<f32>(3)?;
    let (mut real, mut imaginary) = (host.read::<f32>(4)?, host.read::<f32>(5)?);
    let count = i64::from(host.value::<i32>(6)?);
    for voxel in 0..host.threads_x() {
        let [x, y, z] = [position[0].at(voxel)?, position[1].at(voxel)?, position[2].at(voxel)?];
        let (mut cosines, mut sines) = (0.0f32, 0.0f32);
        for k in 0..count {
            let [kx, ky, kz, strength] =
                [samples.at(4 * k)?, samples.at(4 * k + 1)?, samples.at(4 * k + 2)?, samples.at(4 * k + 3)?];
            let phase = TAU * (kx * x + ky * y + kz * z);
            cosines += strength * approx::cos(phase, false);
            sines += strength * approx::sin(phase, false);
        }
        real.set(voxel, cosines)?;
        imaginary.set(voxel, sines)?;
    }
    host.write(4, &real)?;
    host.write(5, &imaginary)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn a_quarter_of_a_wave_turns_a_cosine_into_a_sine() {
        let launch = "grid = [1]\nblock = [2]
            [[param]]\nbuffer = 'x'\ntype = 'f32'\ninit = { values = [0.0, 0.25] }
            [[param]]\nbuffer = 'y'\ntype = 'f32'\ninit = { values = [0.0, 0.0] }
            [[param]]\nbuffer = 'z'\ntype = 'f32'\ninit = { values = [0.0, 0.0] }
            [[param]]\nbuffer = 'samples'\ntype = 'f32'\ninit = { values = [1, 7, 7, 2, 1, 7, 7, 3] }
            [[param]]\nbuffer = 'real'\ntype = 'f32'\nlen = 2
            [[param]]\nbuffer = 'imaginary'\ntype = 'f32'\nlen = 2
            [[param]]\ntype = 's32'\nvalue = 2";
        let (real, imaginary) = (run::<f32>(super::reference, launch, "real"), run::<f32>(super::reference, launch, "imaginary"));
        assert!((real[0] - 5.0).abs() < 1e-5 && imaginary[0].abs() < 1e-5, "{real:?} {imaginary:?}");
        assert!(real[1].abs() < 1e-5 && (imaginary[1] - 5.0).abs() < 1e-5, "{real:?} {imaginary:?}");
    }
}
