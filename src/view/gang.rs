//! What there is to say of a warp that belongs to an original gang (VWS).

use super::WarpPicture;
use super::why::Witness;
use crate::policy::gang::Set;

/// The gang table's set of a warp's original gang, with that one's number and the warp's slice.
fn set(witness: &Witness, warp: &WarpPicture) -> Option<(Set, u32, u32)> {
    let gangs = witness.sim.state.sms.get(usize::from(warp.sm))?.gangs.as_ref()?;
    let row = gangs.row_of(warp.warp.into());
    Some((*gangs.sets.get(row as usize)?, row, u32::from(warp.warp) % gangs.slices))
}

/// `0, 1 and 7`
fn slices(mask: u8) -> String {
    let names: Vec<String> = (0..8).filter(|slice| mask >> slice & 1 != 0).map(|slice| slice.to_string()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// The name of a gang by its entry of the gang table, in pictures and sentences: `g0`.
pub fn gang_name(entry: usize) -> String {
    format!("g{entry}")
}

/// `gang g0`, of a warp's original gang.
fn gang(set: &Set, part: u8) -> String {
    set.entry_of(part).map_or("gang".to_string(), |entry| format!("gang {}", gang_name(entry)))
}

/// Which gang a warp is in, for an inspector.
pub fn fact(witness: &Witness, warp: &WarpPicture) -> Option<String> {
    let config = &witness.sim.machine.config;
    if config.slices == 1 {
        return None;
    }
    let slice = u32::from(warp.warp) % config.slices;
    let Some((set, row, _)) = set(witness, warp) else { return Some(format!("slice {slice}")) };
    let part = set.part_of(slice);
    Some(match part.count_ones() {
        0 => format!("slice {slice}, of original gang {row}; it has ended"),
        1 => format!("slice {slice}, by itself; of original gang {row}"),
        n if part == set.live() => format!("slice {slice}, in {} of original gang {row}, whole: {n} warps", gang(&set, part)),
        _ => format!("slice {slice}, in {} of slices {}; of original gang {row}", gang(&set, part), slices(part)),
    })
}

/// Why a warp waits because of its gang, following the cause to the member it waits for; nothing if it does not.
pub fn wait(witness: &Witness, name: &str, warp: &WarpPicture, further: u32) -> Option<Vec<String>> {
    let (set, row, slice) = set(witness, warp)?;
    let sm = &witness.sim.state.sms[usize::from(warp.sm)];
    let here = witness.at(warp.pc);
    if sm.sets.meeting.contains(warp.warp.into()) {
        return Some(vec![format!(
            "{name} waits where branches meet, {here}, for other parts of original gang {row}{}; at most {} cycles.",
            witness.waited(warp),
            witness.sim.machine.config.gang_wait
        )]);
    }
    if sm.sets.sync.contains(warp.warp.into()) {
        return None;
    }
    let part = set.part_of(slice);
    let slower = witness.picture.warps.iter().find(|other| {
        let is_mate = other.sm == warp.sm && u32::from(other.warp) / witness.sim.machine.config.slices == row;
        let its_slice = u32::from(other.warp) % witness.sim.machine.config.slices;
        is_mate && part >> its_slice & 1 != 0 && other.reason.is_some() && other.reason != warp.reason
    });
    let gang = format!("its {} (slices {} of original gang {row})", gang(&set, part), slices(part));
    let Some(slower) = slower else {
        return Some(vec![format!("{name} could have gone, {here}, but waited for others of {gang}, who are ready now.")]);
    };
    let mut sentences =
        vec![format!("{name} could go, {here}, but {gang} runs in lock-step and warp {} is not ready.", slower.warp)];
    sentences.extend(witness.cause(slower, further));
    Some(sentences)
}

/// Why a gang that could go did not, where its scheduler chose nobody else; nothing for a warp by itself.
pub fn passed_over(witness: &Witness, warp: &WarpPicture) -> Option<String> {
    let (set, row, slice) = set(witness, warp)?;
    let part = set.part_of(slice);
    (part.count_ones() > 1).then(|| {
        let gang = gang(&set, part);
        format!("its {gang} (slices {} of original gang {row}) needs all of its slices, and others issued in some", slices(part))
    })
}
