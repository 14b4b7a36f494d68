//! Tiled matrix multiply. The tiles do not change the order of the additions: along the depth, from the left.

use super::{Host, Mismatch};

const TILE: i64 = 16;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (a, b) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let mut c = host.read::<f32>(2)?;
    let (depth, columns) = (i64::from(host.value::<i32>(3)?), i64::from(host.value::<i32>(4)?));
    for row in 0..i64::from(host.grid()[1]) * TILE {
        for column in 0..i64::from(host.grid()[0]) * TILE {
            let mut sum = 0.0f32;
            for k in 0..depth {
                sum += a.at(row * depth + k)? * b.at(k * columns + column)?;
            }
            c.set(row * columns + column, sum)?;
        }
    }
    host.write(2, &c)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn a_matrix_times_the_identity_is_itself() {
        let identity: Vec<String> = (0..256).map(|i| if i % 17 == 0 { "1" } else { "0" }.to_string()).collect();
        let launch = format!(
            "grid = [1]\nblock = [16, 16]
            [[param]]\nbuffer = 'a'\ntype = 'f32'\nlen = 256\ninit = {{ iota = {{}} }}
            [[param]]\nbuffer = 'b'\ntype = 'f32'\ninit = {{ values = [{}] }}
            [[param]]\nbuffer = 'c'\ntype = 'f32'\nlen = 256
            [[param]]\ntype = 's32'\nvalue = 16
            [[param]]\ntype = 's32'\nvalue = 16",
            identity.join(", ")
        );
        let iota: Vec<f32> = (0..256).map(|i| i as f32).collect();
        assert_eq!(run::<f32>(super::reference, &launch, "c"), iota);
    }
}
