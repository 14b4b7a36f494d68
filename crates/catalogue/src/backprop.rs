//! Back-propagation through one layer. A unit's error is summed in sixteen shares, which are then folded.

use super::reduce::fold;
use super::{Host, Mismatch};

const UNITS: i32 = 16;
const RATE: f32 = 0.3;
const MOMENTUM: f32 = 0.3;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    host.want_block([UNITS, UNITS, 1])?;
    let (hidden, deltas) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let (mut weights, mut changes) = (host.read::<f32>(2)?, host.read::<f32>(3)?);
    let mut errors = host.read::<f32>(4)?;
    let outputs = host.value::<i32>(5)?;
    for unit in 0..host.grid()[0].saturating_mul(UNITS) {
        let value = hidden.at(unit)?;
        let mut shares = vec![0.0f32; UNITS as usize];
        for output in 0..outputs {
            let at = i64::from(unit) * i64::from(outputs) + i64::from(output);
            let (delta, weight) = (deltas.at(output)?, weights.at(at)?);
            shares[(output % UNITS) as usize] += delta * weight;
            let change = RATE * delta * value + MOMENTUM * changes.at(at)?;
            weights.set(at, weight + change)?;
            changes.set(at, change)?;
        }
        errors.set(unit, value * (1.0 - value) * fold(shares))?;
    }
    host.write(2, &weights)?;
    host.write(3, &changes)?;
    host.write(4, &errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::run;

    /// A unit's error is the slope of the loss over the unit's input. The loss here is the sum of the outputs' inputs, each times
    /// its delta.
    #[test]
    fn errors_are_the_slope_of_the_loss() {
        let small = find("backprop").expect("the workload").small;
        let (hidden, deltas, errors) = (
            run::<f32>(reference, small, "hidden"),
            run::<f32>(reference, small, "deltas"),
            run::<f32>(reference, small, "errors"),
        );
        let (weights, changes) = (run::<f32>(reference, small, "weights"), run::<f32>(reference, small, "changes"));
        let outputs = deltas.len();
        for (unit, value) in hidden.iter().enumerate() {
            let before = |output: usize| weights[unit * outputs + output] - changes[unit * outputs + output];
            let loss = |value: f64| (0..outputs).map(|k| value * f64::from(before(k)) * f64::from(deltas[k])).sum::<f64>();
            let input = (f64::from(*value) / (1.0 - f64::from(*value))).ln();
            let sigmoid = |input: f64| 1.0 / (1.0 + (-input).exp());
            let slope = (loss(sigmoid(input + 1e-5)) - loss(sigmoid(input - 1e-5))) / 2e-5;
            assert!((slope - f64::from(errors[unit])).abs() < 1e-4, "unit {unit}: {slope}, found {}", errors[unit]);
        }
    }
}
