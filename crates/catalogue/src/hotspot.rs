//! HotSpot. Overlapping tiles do not change a cell's arithmetic, so the reference advances the whole chip.

use super::{Host, Mismatch};

const TILE: i32 = 16;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    host.want_block([TILE, TILE, 1])?;
    let (power, input) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let mut out = host.read::<f32>(2)?;
    let (width, height, steps) = (host.value::<i32>(3)?, host.value::<i32>(4)?, host.value::<i32>(5)?);
    let [rate, across, along, upwards, ambient] =
        [host.value::<f32>(6)?, host.value(7)?, host.value(8)?, host.value(9)?, host.value(10)?];
    if !(1..TILE / 2).contains(&steps) {
        return Err(Mismatch::Launch(format!("a tile lasts for 1 to {} steps, not for {steps}", TILE / 2 - 1)));
    }
    let at = |x: i32, y: i32| i64::from(y) * i64::from(width) + i64::from(x);
    let mut heat = Vec::new();
    for y in 0..height {
        for x in 0..width {
            heat.push(input.at(at(x, y))?);
        }
    }
    for _ in 0..steps {
        let now = heat.clone();
        let cell = |x: i32, y: i32| now[at(x.clamp(0, width - 1), y.clamp(0, height - 1)) as usize];
        for y in 0..height {
            for x in 0..width {
                let here = cell(x, y);
                let flow = power.at(at(x, y))?
                    + (cell(x, y + 1) + cell(x, y - 1) - 2.0 * here) * along
                    + (cell(x + 1, y) + cell(x - 1, y) - 2.0 * here) * across
                    + (ambient - here) * upwards;
                heat[at(x, y) as usize] = here + rate * flow;
            }
        }
    }
    let [columns, rows] = [0, 1].map(|axis| host.grid()[axis].saturating_mul(TILE - 2 * steps));
    for y in 0..height.min(rows) {
        for x in 0..width.min(columns) {
            out.set(at(x, y), heat[at(x, y) as usize])?;
        }
    }
    host.write(2, &out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::testing::run;
    use warpscope_kernel::launch::Launch;

    fn launch(steps: i32) -> String {
        let value = |ty: &str, value: &str| format!("[[param]]\ntype = '{ty}'\nvalue = {value}\n");
        let numbers = [value("s32", "3"), value("s32", "1"), value("s32", &steps.to_string())].concat();
        let rates = ["0.25", "0.5", "0.5", "0.0", "80.0"].map(|rate| value("f32", rate)).concat();
        format!(
            "grid = [1]\nblock = [16, 16]
            [[param]]\nbuffer = 'power'\ntype = 'f32'\ninit = {{ values = [0.0, 0.0, 4.0] }}
            [[param]]\nbuffer = 'in'\ntype = 'f32'\ninit = {{ values = [8.0, 8.0, 8.0] }}
            [[param]]\nbuffer = 'out'\ntype = 'f32'\nlen = 3\n{numbers}{rates}"
        )
    }

    #[test]
    fn the_heat_of_one_cell_spreads_a_cell_a_step() {
        assert_eq!(run::<f32>(reference, &launch(1), "out"), [8.0, 8.0, 9.0]);
        assert_eq!(run::<f32>(reference, &launch(2), "out"), [8.0, 8.125, 9.875]);
    }

    #[test]
    fn as_many_steps_as_eat_up_the_tile_are_refused() {
        for steps in [0, 8] {
            let launch = Launch::parse(&launch(steps)).expect("a launch");
            let before = launch.fill(&|_| Err(String::new())).expect("buffers");
            assert!(matches!(reference(&mut Host::new(&launch, &before)), Err(Mismatch::Launch(_))), "{steps} steps");
        }
    }
}
