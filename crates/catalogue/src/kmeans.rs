//! k-means: assigns points to their nearest centres. Counts do not depend on the order of counting.

use super::{Host, Mismatch};

const STAGED: i32 = 512;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (points, centres) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let (mut membership, mut sizes, mut moved) = (host.read::<i32>(2)?, host.read::<i32>(3)?, host.read::<i32>(4)?);
    let [count, features, clusters] = [host.value::<i32>(5)?, host.value(6)?, host.value(7)?];
    if features.saturating_mul(clusters) > STAGED {
        return Err(Mismatch::Launch(format!("{clusters} centres of {features} features do not fit into {STAGED} words")));
    }
    for point in 0..count.min(host.threads_x()) {
        let (mut nearest, mut least) = (0, 3.4e38f32);
        for cluster in 0..clusters {
            let mut square = 0.0f32;
            for feature in 0..features {
                let at = i64::from(feature) * i64::from(count) + i64::from(point);
                let gap = points.at(at)? - centres.at(cluster * features + feature)?;
                square += gap * gap;
            }
            if square < least {
                (nearest, least) = (cluster, square);
            }
        }
        if membership.at(point)? != nearest {
            membership.set(point, nearest)?;
            moved.set(0, moved.at(0)?.wrapping_add(1))?;
        }
        sizes.set(nearest, sizes.at(nearest)?.wrapping_add(1))?;
    }
    host.write(2, &membership)?;
    host.write(3, &sizes)?;
    host.write(4, &moved)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn points_go_to_the_nearest_centre_and_are_counted() {
        let launch = "grid = [1]\nblock = [4]
            [[param]]\nbuffer = 'points'\ntype = 'f32'\ninit = { values = [0.0, 1.0, 9.0, 0.0, 0.0, 9.0] }
            [[param]]\nbuffer = 'centres'\ntype = 'f32'\ninit = { values = [8.0, 8.0, 1.0, 1.0] }
            [[param]]\nbuffer = 'membership'\ntype = 's32'\ninit = { values = [0, 1, 0] }
            [[param]]\nbuffer = 'sizes'\ntype = 's32'\nlen = 2
            [[param]]\nbuffer = 'moved'\ntype = 's32'\nlen = 1
            [[param]]\ntype = 's32'\nvalue = 3
            [[param]]\ntype = 's32'\nvalue = 2
            [[param]]\ntype = 's32'\nvalue = 2";
        assert_eq!(run::<i32>(super::reference, launch, "membership"), [1, 1, 0]);
        assert_eq!(run::<i32>(super::reference, launch, "sizes"), [1, 2]);
        assert_eq!(run::<i32>(super::reference, launch, "moved"), [1]);
    }
}
