//! Which power-gated lane a warp waits for, since when that lane is off, and when it is on again.

use super::Explainer;
use crate::view::WarpPicture;
use warpscope_machine::policy::view::Unit;

/// Describes the sleeping lane that keeps a warp waiting longest, on the SP that is ready first, as part of a sentence.
pub fn sleeping_lane(why: &Explainer, warp: &WarpPicture) -> Option<String> {
    let sim = why.sim;
    let sm = sim.state.sms.get(usize::from(warp.sm))?;
    let gating = sm.gating.as_ref()?;
    let unit = sim.machine.decoded.get(warp.pc as usize)?.unit;
    let cycle = why.picture.cycle.saturating_sub(1);
    let lanes = gating.placement(unit, warp.active, cycle).lanes();
    let banks = sm.units[unit as usize].iter().enumerate().filter_map(|(sp, pipeline)| Some((sp, pipeline.lanes.as_ref()?)));
    let asleep = banks.filter_map(|(sp, bank)| bank.sleeper(lanes, cycle, gating).map(|(lane, state)| (sp, lane, state)));
    let (sp, lane, state) = asleep.min_by_key(|(sp, _, state)| (state.ready_at(cycle, &gating.rules), *sp))?;
    let pipeline = if unit == Unit::Int { "INT" } else { "FP" };
    let since = state.off_since.map_or(String::new(), |since| format!(", off since cycle {since}"));
    let on = match state.wakes {
        Some((from, on)) if from > cycle => {
            format!("; it stays off until break-even in cycle {from}, and is on at cycle {on}")
        }
        Some((_, on)) => format!("; it wakes and is on at cycle {on}"),
        None => String::new(),
    };
    Some(format!("lane {lane} of the {pipeline} pipeline of SP {sp}{since}{on}"))
}
