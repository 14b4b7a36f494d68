//! All-pairs gravity. The tiles do not change the order of the additions: body after body, from the first.

use super::{Host, Mismatch};

const SOFTENING: f32 = 0.01;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let bodies = host.read::<f32>(0)?;
    let mut accelerations = host.read::<f32>(1)?;
    let (count, threads) = (i64::from(host.value::<i32>(2)?), i64::from(host.block()[0]));
    if threads > 256 {
        return Err(Mismatch::Launch(format!("a tile holds 256 bodies, and the block has {threads} threads")));
    }
    let body = |i: i64| -> Result<[f32; 4], Mismatch> {
        Ok([bodies.at(4 * i)?, bodies.at(4 * i + 1)?, bodies.at(4 * i + 2)?, bodies.at(4 * i + 3)?])
    };
    // The kernel reads the last tile as a whole one too.
    let pulling: Vec<[f32; 4]> = (0..(count.max(0) + threads - 1) / threads * threads).map(body).collect::<Result<_, _>>()?;
    for i in 0..i64::from(host.grid()[0]) * threads {
        let me = body(i)?;
        let mut sum = [0.0f32; 4];
        for [x, y, z, mass] in &pulling {
            let (x, y, z) = (x - me[0], y - me[1], z - me[2]);
            let square = x * x + y * y + z * z + SOFTENING;
            let pull = mass * (1.0 / (square * square * square).sqrt());
            sum[0] += x * pull;
            sum[1] += y * pull;
            sum[2] += z * pull;
        }
        for (part, value) in (0..).zip(sum) {
            accelerations.set(4 * i + part, value)?;
        }
    }
    host.write(1, &accelerations)
}

#[cfg(test)]
mod tests {
    use crate::find;
    use crate::host::testing::run;

    #[test]
    fn two_bodies_pull_each_other_along_their_line_by_the_other_s_mass() {
        let pull = run::<f32>(
            super::reference,
            "grid = [1]\nblock = [2]
            [[param]]\nbuffer = 'bodies'\ntype = 'f32'\ninit = { values = [0, 0, 0, 4, 10, 0, 0, 1] }
            [[param]]\nbuffer = 'accelerations'\ntype = 'f32'\nlen = 8
            [[param]]\ntype = 's32'\nvalue = 2",
            "accelerations",
        );
        assert!((pull[0] - 0.01).abs() < 1e-5 && (pull[4] + 0.04).abs() < 1e-5, "{pull:?}");
        assert_eq!(pull[4], -4.0 * pull[0]);
        assert!([1, 2, 3, 5, 6, 7].iter().all(|&at| pull[at] == 0.0));
    }

    #[test]
    fn all_forces_together_are_none() {
        let small = find("nbody").expect("the workload").tiny.expect("a tiny launch");
        let bodies = run::<f32>(super::reference, small, "bodies");
        let accelerations = run::<f32>(super::reference, small, "accelerations");
        for axis in 0..3 {
            let forces = bodies.chunks(4).zip(accelerations.chunks(4)).map(|(body, pull)| body[3] * pull[axis]);
            assert!(forces.clone().map(f32::abs).sum::<f32>() > 100.0 && forces.sum::<f32>().abs() < 0.1);
        }
    }
}
