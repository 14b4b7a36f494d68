//! Swaptions on random paths of interest rates. Exponentials are the simulated machine's function, because no other function has
//! its last bits.

use super::host::Array;
use super::{Host, Mismatch};
use warpscope_kernel::interp::num::approx;

/// Most rates of a path.
const RATES: i32 = 24;
const PERIOD: f32 = 0.25;
const START: f32 = 0.05;

pub fn reference(host: &mut Host) -> Result<(), Mismatch> {
    let (shocks, volatility) = (host.read::<f32>(0)?, host.read::<f32>(1)?);
    let (maturity, strike) = (host.read::<i32>(2)?, host.read::<f32>(3)?);
    let mut values = host.read::<f32>(4)?;
    let (paths, swaptions) = (host.value::<i32>(5)?, host.value::<i32>(6)?);
    let (count, steps) = (host.value::<i32>(7)?, host.value::<i32>(8)?);
    if !(1..=RATES).contains(&count) || !(0..count).contains(&steps) {
        return Err(Mismatch::Launch(format!("there are at most {RATES} rates and fewer steps, not {count} and {steps}")));
    }
    let steps = steps as usize;
    for path in 0..paths.min(host.threads_x()) {
        let mut rates = vec![START; count as usize];
        for step in 0..steps {
            let shock = shocks.at(step as i64 * i64::from(paths) + i64::from(path))?;
            advance(&mut rates[step + 1..], 0.5 * shock, &volatility)?;
        }
        let mut value = 0.0f32;
        let swaps = swaps(&rates[steps..]);
        for swaption in 0..swaptions {
            let period = usize::try_from(i64::from(maturity.at(swaption)?) - 1).ok().and_then(|last| swaps.get(last));
            let Some((bond, annuity)) = period else {
                return Err(Mismatch::Launch(format!("swaption {swaption} matures beyond the {} periods", swaps.len())));
            };
            let swap = bond + strike.at(swaption)? * annuity - 1.0;
            if swap < 0.0 {
                value += -100.0 * swap;
            }
        }
        values.set(path, rates[..steps].iter().fold(value, |value, rate| value / (1.0 + PERIOD * rate)))?;
    }
    host.write(4, &values)
}

/// Moves the rates that are still open by one period.
fn advance(open: &mut [f32], shock: f32, volatility: &Array<f32>) -> Result<(), Mismatch> {
    let mut drift = 0.0f32;
    for (period, rate) in (0..).zip(open) {
        let sigma = volatility.at(period)?;
        let scaled = PERIOD * sigma;
        drift += scaled * *rate / (1.0 + PERIOD * *rate);
        *rate *= exp(scaled * drift + sigma * (shock - 0.5 * scaled));
    }
    Ok(())
}

/// Returns the exponential as CUDA's `__expf` computes it.
fn exp(x: f32) -> f32 {
    approx::ex2(x * std::f32::consts::LOG2_E, false)
}

/// Returns, for a bond repaid after each period, its price and the value of interest at rate one until then.
fn swaps(rates: &[f32]) -> Vec<(f32, f32)> {
    let (mut price, mut sum) = (1.0f32, 0.0f32);
    let periods = rates.iter().map(|rate| {
        price /= 1.0 + PERIOD * rate;
        sum += PERIOD * price;
        (price, sum)
    });
    periods.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::host::testing::run;

    #[test]
    fn a_swap_at_the_market_rate_is_worth_nothing() {
        for (bond, annuity) in swaps(&[START; 16]) {
            assert!((bond + START * annuity - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn portfolios_are_worth_something_on_most_paths_and_never_less_than_nothing() {
        let values = run::<f32>(reference, find("libor").expect("the workload").full, "values");
        assert!(values.iter().all(|value| (0.0..200.0).contains(value)));
        assert!(values.iter().filter(|value| **value > 0.0).count() > values.len() / 2);
    }
}
