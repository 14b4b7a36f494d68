//! A step of falling particles.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (mut places, mut velocities) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let mut energies = host.read::<f32>(2)?;
    let count = host.value::<i32>(3)?.min(host.threads_x());
    let (step, drag) = (host.value::<f32>(4)?, host.value::<f32>(5)?);
    let (gravity, ground) = (host.value::<f32>(6)?, host.value::<f32>(7)?);
    for i in 0..i64::from(count) {
        let [x, y, z, mass] = [0, 1, 2, 3].map(|part| places.at(4 * i + part));
        let [vx, vy, vz, life] = [0, 1, 2, 3].map(|part| velocities.at(4 * i + part));
        let (x, y, z, mass) = (x?, y?, z?, mass?);
        let (mut vx, mut vy, mut vz, life) = (vx?, vy?, vz?, life?);

        let slowing = drag / mass;
        vx -= step * (slowing * vx);
        vy -= step * (slowing * vy + gravity);
        vz -= step * (slowing * vz);
        vy = vy.max((ground - y) / step);

        let place = [x + step * vx, (y + step * vy).max(ground), z + step * vz, mass];
        let velocity = [vx, vy, vz, (life - step).max(0.0)];
        for part in 0..4 {
            places.set(4 * i + part as i64, place[part])?;
            velocities.set(4 * i + part as i64, velocity[part])?;
        }
        energies.set(i, 0.5 * mass * (vx * vx + vy * vy + vz * vz))?;
    }
    host.write(0, &places)?;
    host.write(1, &velocities)?;
    host.write(2, &energies)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    /// Three particles of mass 2, two of which move for half a second: one high up, one about to reach the floor.
    const LAUNCH: &str = "grid = [1]\nblock = [3]
        [[param]]\nbuffer = 'places'\ntype = 'f32'\ninit = { values = [0, 100, 0, 2, 1, 1, 1, 2, 9, 9, 9, 2] }
        [[param]]\nbuffer = 'velocities'\ntype = 'f32'\ninit = { values = [4, 0, 0, 1, 0, -8, 0, 0.25, 9, 9, 9, 9] }
        [[param]]\nbuffer = 'energies'\ntype = 'f32'\nlen = 3
        [[param]]\ntype = 's32'\nvalue = 2
        [[param]]\ntype = 'f32'\nvalue = 0.5
        [[param]]\ntype = 'f32'\nvalue = 1.0
        [[param]]\ntype = 'f32'\nvalue = 10.0
        [[param]]\ntype = 'f32'\nvalue = 0.0";

    #[test]
    fn particles_slow_down_fall_and_stop_at_the_floor() {
        let places = run::<f32>(super::reference, LAUNCH, "places");
        assert_eq!(places, [1.5, 97.5, 0.0, 2.0, 1.0, 0.0, 1.0, 2.0, 9.0, 9.0, 9.0, 2.0]);
        let velocities = run::<f32>(super::reference, LAUNCH, "velocities");
        assert_eq!(velocities, [3.0, -5.0, 0.0, 0.5, 0.0, -2.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0]);
        assert_eq!(run::<f32>(super::reference, LAUNCH, "energies"), [34.0, 4.0, 0.0]);
    }
}
