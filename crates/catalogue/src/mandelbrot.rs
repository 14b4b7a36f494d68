//! The Mandelbrot set.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let mut steps = host.read::<i32>(0)?;
    let (width, height) = (host.value::<i32>(1)?, host.value::<i32>(2)?);
    let (left, top, pitch) = (host.value::<f32>(3)?, host.value::<f32>(4)?, host.value::<f32>(5)?);
    let limit = host.value::<i32>(6)?;
    let [columns, rows] = [0, 1].map(|axis| host.grid()[axis].saturating_mul(host.block()[axis]));
    for py in 0..height.min(rows) {
        for px in 0..width.min(columns) {
            let n = escape_steps(left + pitch * px as f32, top + pitch * py as f32, limit);
            steps.set(i64::from(py) * i64::from(width) + i64::from(px), n)?;
        }
    }
    host.write(0, &steps)
}

/// Counts the steps of z = z² + c that stay within the circle of radius 2.
fn escape_steps(cx: f32, cy: f32, limit: i32) -> i32 {
    let (mut x, mut y) = (0.0f32, 0.0f32);
    let mut n = 0;
    while n < limit && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::escape_steps;

    #[test]
    fn points_inside_stay_and_points_outside_leave() {
        assert_eq!(escape_steps(0.0, 0.0, 99), 99);
        assert_eq!(escape_steps(-1.0, 0.0, 99), 99); // 0, -1, 0, -1, …
        assert_eq!(escape_steps(1.0, 0.0, 99), 3); // 0, 1, 2, 5
        assert_eq!(escape_steps(3.0, 0.0, 99), 1);
    }
}
