//! Sobel's edge filter.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let input = host.read::<u8>(0)?;
    let mut out = host.read::<u8>(1)?;
    let (width, height) = (i64::from(host.value::<i32>(2)?), i64::from(host.value::<i32>(3)?));
    let [columns, rows] = [0, 1].map(|axis| i64::from(host.grid()[axis]) * i64::from(host.block()[axis]));
    for y in 0..height.min(rows) {
        for x in 0..width.min(columns) {
            let pixel = |dx: i64, dy: i64| -> Result<i32, Mismatch> {
                let (x, y) = ((x + dx).max(0).min(width - 1), (y + dy).max(0).min(height - 1));
                input.at(y * width + x).map(i32::from)
            };
            let (mut along_x, mut along_y) = (0, 0);
            for (side, weight) in [(-1, 1), (0, 2), (1, 1)] {
                along_x += weight * (pixel(1, side)? - pixel(-1, side)?);
                along_y += weight * (pixel(side, 1)? - pixel(side, -1)?);
            }
            let steep = ((along_x * along_x + along_y * along_y) as f32).sqrt();
            out.set(y * width + x, steep.min(255.0) as u8)?;
        }
    }
    host.write(1, &out)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    fn filter(values: &str) -> Vec<u8> {
        let launch = format!(
            "grid = [1]\nblock = [4, 3]
            [[param]]\nbuffer = 'in'\ntype = 'u8'\ninit = {{ values = {values} }}
            [[param]]\nbuffer = 'out'\ntype = 'u8'\nlen = 12
            [[param]]\ntype = 's32'\nvalue = 4
            [[param]]\ntype = 's32'\nvalue = 3"
        );
        run::<u8>(super::reference, &launch, "out")
    }

    #[test]
    fn an_even_image_has_no_edges_not_even_at_its_rim() {
        assert_eq!(filter("[7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]"), [0; 12]);
    }

    #[test]
    fn an_edge_shows_on_both_of_its_sides_and_white_is_the_most() {
        assert_eq!(filter("[0, 0, 9, 9, 0, 0, 9, 9, 0, 0, 9, 9]"), [0, 36, 36, 0, 0, 36, 36, 0, 0, 36, 36, 0]);
        assert_eq!(filter("[0, 0, 0, 0, 0, 0, 0, 0, 99, 99, 99, 99]"), [0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn a_slope_counts_both_ways() {
        // The image rises by 3 a pixel along x and by 4 along y; the filter makes these 24 and 32.
        assert_eq!(filter("[0, 3, 6, 9, 4, 7, 10, 13, 8, 11, 14, 17]")[5], 40);
    }
}
