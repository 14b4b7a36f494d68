//! SAXPY.

use super::{Host, Mismatch};

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let a = host.value::<f32>(0)?;
    let x = host.read::<f32>(1)?;
    let mut y = host.read::<f32>(2)?;
    for i in 0..host.value::<i32>(3)?.min(host.threads_x()) {
        y.set(i, a * x.at(i)? + y.at(i)?)?;
    }
    host.write(2, &y)
}

#[cfg(test)]
mod tests {
    use crate::host::testing::run;

    #[test]
    fn only_the_first_count_elements_change() {
        let after = run::<f32>(
            super::reference,
            "grid = [2]\nblock = [2]
            [[param]]\ntype = 'f32'\nvalue = 2.0
            [[param]]\nbuffer = 'x'\ntype = 'f32'\ninit = { values = [1.0, 2.0, 3.0, 4.0] }
            [[param]]\nbuffer = 'y'\ntype = 'f32'\ninit = { values = [0.5, 0.5, 0.5, 0.5] }
            [[param]]\ntype = 's32'\nvalue = 3",
            "y",
        );
        assert_eq!(after, [2.5, 4.5, 6.5, 0.5]);
    }
}
