//! Sentences about a warp's gang (VWS): which gang it is in, and why it waits for other members.

use super::Explainer;
use crate::view::WarpPicture;
use crate::view::words::gang_name;
use warpscope_machine::policy::gang::GangSet;

/// Returns the gang table's set of a warp's original gang, the number of that gang, and the warp's slice.
fn set(explainer: &Explainer, warp: &WarpPicture) -> Option<(GangSet, u32, u32)> {
    let gangs = explainer.sim.state.sms.get(usize::from(warp.sm))?.gangs.as_ref()?;
    let row = gangs.row_of(warp.warp.into());
    Some((*gangs.sets.get(row as usize)?, row, u32::from(warp.warp) % gangs.slices))
}

/// Lists the slices of a mask: `0, 1 and 7`.
fn slices(mask: u8) -> String {
    let names: Vec<String> = (0..8).filter(|slice| mask >> slice & 1 != 0).map(|slice| slice.to_string()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Names the gang that has the slices `part` of an original gang: `gang 2.g0`.
fn gang(set: &GangSet, row: u32, part: u8) -> String {
    set.entry_of(part).map_or("gang".to_string(), |entry| format!("gang {}", gang_name(row, entry)))
}

/// Returns which gang a warp is in, for the inspector; `None` on a machine without slices.
pub fn fact(explainer: &Explainer, warp: &WarpPicture) -> Option<String> {
    let config = &explainer.sim.machine.config;
    if config.slices == 1 {
        return None;
    }
    let slice = u32::from(warp.warp) % config.slices;
    let Some((set, row, _)) = set(explainer, warp) else { return Some(format!("slice {slice}")) };
    let part = set.part_of(slice);
    Some(match part.count_ones() {
        0 => format!("slice {slice}, of original gang {row}; it has ended"),
        1 => format!("slice {slice}, a singleton; of original gang {row}"),
        n if part == set.live() => {
            format!("slice {slice}, in {} of original gang {row}, whole: {n} warps", gang(&set, row, part))
        }
        _ => format!("slice {slice}, in {} of slices {}; of original gang {row}", gang(&set, row, part), slices(part)),
    })
}

/// Explains a warp that waits because of its gang, and the cause in the member that it waits for; `None` if it waits otherwise.
pub fn wait(explainer: &Explainer, name: &str, warp: &WarpPicture, further: u32) -> Option<Vec<String>> {
    let (set, row, slice) = set(explainer, warp)?;
    let sm = &explainer.sim.state.sms[usize::from(warp.sm)];
    let here = explainer.at(warp.pc);
    if sm.sets.meeting.contains(warp.warp.into()) {
        return Some(vec![format!(
            "{name} waits at a reconvergence point, {here}, for other parts of original gang {row}{}; at most {} cycles.",
            explainer.waited(warp),
            explainer.sim.machine.config.gang_wait
        )]);
    }
    if sm.sets.sync.contains(warp.warp.into()) {
        return None;
    }
    let part = set.part_of(slice);
    let slower = explainer.picture.warps.iter().find(|other| {
        let is_mate = other.sm == warp.sm && u32::from(other.warp) / explainer.sim.machine.config.slices == row;
        let its_slice = u32::from(other.warp) % explainer.sim.machine.config.slices;
        is_mate && part >> its_slice & 1 != 0 && other.reason.is_some() && other.reason != warp.reason
    });
    let gang = format!("its {} (slices {} of original gang {row})", gang(&set, row, part), slices(part));
    let Some(slower) = slower else {
        return Some(vec![format!("{name} could have issued, {here}, but waited for others of {gang}, which are ready now.")]);
    };
    let mut sentences =
        vec![format!("{name} could issue, {here}, but {gang} runs in lock-step and warp {} is not ready.", slower.warp)];
    sentences.extend(explainer.cause(slower, further));
    Some(sentences)
}

/// Explains why the gang scheduler passed over the gang of a warp for another one, both given as original gang and slices.
pub fn passed_over(explainer: &Explainer, own: (u32, u8), chosen: (u32, u8), words: &str) -> String {
    let most = explainer.sim.machine.config.gangs_per_cycle;
    let named = |(row, part): (u32, u8)| format!("slices {} of original gang {row}", slices(part));
    // Gangs that share no slice could have issued together, were it not for the limit.
    if own.1 & chosen.1 != 0 {
        let instead = format!("the gang scheduler chose the gang of {}, {words}", named(chosen));
        format!("its gang ({}) needs all of its slices, and {instead}", named(own))
    } else {
        let limit = if most == 1 { "1 gang".to_string() } else { format!("{most} gangs") };
        format!("the gang scheduler issues at most {limit} a cycle and chose the one of {}, {words}", named(chosen))
    }
}
