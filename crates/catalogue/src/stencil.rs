//! The five-point stencil.

use super::{Host, Mismatch};

const TILE: i32 = 16;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let input = host.read::<f32>(0)?;
    let mut out = host.read::<f32>(1)?;
    let (width, height, rate) = (host.value::<i32>(2)?, host.value::<i32>(3)?, host.value::<f32>(4)?);
    let [columns, rows] = [0, 1].map(|axis| host.grid()[axis].saturating_mul(TILE));
    for y in 0..height.min(rows) {
        for x in 0..width.min(columns) {
            let here = i64::from(y) * i64::from(width) + i64::from(x);
            let mut middle = input.at(here)?;
            if x > 0 && x < width - 1 && y > 0 && y < height - 1 {
                let row = i64::from(width);
                let around = input.at(here - 1)? + input.at(here + 1)? + input.at(here - row)? + input.at(here + row)?;
                middle += rate * (around - 4.0 * middle);
            }
            out.set(here, middle)?;
        }
    }
    host.write(1, &out)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    fn step(values: &str) -> Vec<f32> {
        let launch = format!(
            "grid = [1]\nblock = [16, 16]
            [[param]]\nbuffer = 'in'\ntype = 'f32'\nlen = 9\ninit = {{ values = {values} }}
            [[param]]\nbuffer = 'out'\ntype = 'f32'\nlen = 9
            [[param]]\ntype = 's32'\nvalue = 3
            [[param]]\ntype = 's32'\nvalue = 3
            [[param]]\ntype = 'f32'\nvalue = 0.25"
        );
        run::<f32>(super::reference, &launch, "out")
    }

    #[test]
    fn heat_flows_inwards_and_the_rim_keeps_its_temperature() {
        assert_eq!(step("[1, 1, 1, 1, 1, 1, 1, 1, 1]"), [1.0; 9]);
        assert_eq!(step("[0, 4, 0, 0, 8, 0, 0, 0, 0]"), [0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
