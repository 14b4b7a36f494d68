//! The position of a shape on its way from one place to another.

/// Returns the point `part` (0 to 1) of the way from `from` through all `points`, in order, to `to`. The way is a smooth curve
/// through each of them that stays inside their bounding rectangle.
pub fn along(from: (f32, f32), points: &[(f32, f32)], to: (f32, f32), part: f32) -> (f32, f32) {
    let mix = |a: (f32, f32), b: (f32, f32), part: f32| (a.0 + (b.0 - a.0) * part, a.1 + (b.1 - a.1) * part);
    if points.is_empty() || part <= 0.0 || part >= 1.0 {
        return if part >= 1.0 { to } else { mix(from, to, part.max(0.0)) };
    }
    let all: Vec<(f32, f32)> = [from].iter().chain(points).chain([&to]).copied().collect();
    let lengths: Vec<f32> = all.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).collect();
    // Each stretch takes time in proportion to its length.
    let mut left = part * lengths.iter().sum::<f32>();
    let mut at = 0;
    while at + 1 < lengths.len() && left > lengths[at] {
        left -= lengths[at];
        at += 1;
    }
    let near = |at: usize, back: usize| all[at.saturating_sub(back)];
    let (before, a, b, after) = (near(at, 1), all[at], all[at + 1], all[(at + 2).min(all.len() - 1)]);
    let share = if lengths[at] > 0.0 { left / lengths[at] } else { 0.0 };
    let inside = |value: f32, pick: fn(&(f32, f32)) -> f32| {
        let (low, high) = all.iter().map(pick).fold((f32::MAX, f32::MIN), |(low, high), v| (low.min(v), high.max(v)));
        value.clamp(low, high)
    };
    let x = inside(spline(before.0, a.0, b.0, after.0, share), |point| point.0);
    let y = inside(spline(before.1, a.1, b.1, after.1, share), |point| point.1);
    (x, y)
}

/// Evaluates a Catmull-Rom spline between `a` and `b`.
fn spline(before: f32, a: f32, b: f32, after: f32, t: f32) -> f32 {
    let (t2, t3) = (t * t, t * t * t);
    0.5 * (2.0 * a + (b - before) * t + (2.0 * before - 5.0 * a + 4.0 * b - after) * t2 + (3.0 * (a - b) - before + after) * t3)
}

#[cfg(test)]
mod tests {
    use super::along;

    #[test]
    fn a_way_goes_through_its_points_and_stays_around_them() {
        let (from, points, to) = ((0.0, 0.0), [(30.0, 0.0), (30.0, 40.0)], (0.0, 40.0));
        // The stretches are 30, 40 and 30 long.
        let close = |(x, y): (f32, f32), (a, b): (f32, f32)| (x - a).abs() < 0.01 && (y - b).abs() < 0.01;
        for (part, expected) in [(0.0, from), (0.3, points[0]), (0.7, points[1]), (1.0, to)] {
            let here = along(from, &points, to, part);
            assert!(close(here, expected), "{part}: {here:?}");
        }
        for step in 0..=100 {
            let (x, y) = along(from, &points, to, step as f32 / 100.0);
            assert!((0.0..=30.0).contains(&x) && (0.0..=40.0).contains(&y), "{x} {y}");
        }
        assert!(close(along(from, &[], to, 0.5), (0.0, 20.0)), "without points it is straight");
        assert!(close(along(from, &[from], from, 0.5), from), "a way of no length is no trouble");
    }
}
