//! How many lane-slots were lost on a line: the heat that is drawn beside it, and the same in words.

use warpscope_kernel::program::Pc;
use warpscope_lab::grouped;
use warpscope_machine::metrics::Cost;

/// Returns the cost of all instructions of a line.
pub fn cost(pcs: &[Pc], costs: &[Cost]) -> Cost {
    pcs.iter().filter_map(|&pc| costs.get(pc as usize)).sum()
}

/// Returns a line's loss in per cent of the largest; `None` if nothing was lost. Rounds up to steps of 5 %, because most
/// cycles would change the colour by less than can be seen.
pub fn heat(lost: u64, most: u64) -> Option<u8> {
    (lost > 0 && most > 0).then(|| ((lost * 20).div_ceil(most) * 5) as u8)
}

/// Says how many lane-slots were lost on a line, and how often it split a warp.
pub fn tell_cost(pcs: &[Pc], costs: &[Cost]) -> String {
    let cost = cost(pcs, costs);
    if cost.issues == 0 {
        return String::new();
    }
    let all: u64 = costs.iter().map(|cost| cost.lost).sum();
    let share = if all == 0 { 0.0 } else { cost.lost as f64 * 100.0 / all as f64 };
    format!(
        "{} lane-slots lost here ({share:.0} % of all), in {} issue{}{}",
        grouped(cost.lost),
        grouped(cost.issues),
        if cost.issues == 1 { "" } else { "s" },
        match cost.splits {
            0 => String::new(),
            1 => ", which split a warp once".into(),
            n => format!(", which split a warp {} times", grouped(n)),
        }
    )
}
