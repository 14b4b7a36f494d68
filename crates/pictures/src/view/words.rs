//! How sentences about a machine name lanes, warps, gangs, numbers of things and cycles.

/// Lists the lanes of a mask as ranges: `0-3, 7`.
pub fn lanes(mask: u32) -> String {
    let mut parts = Vec::new();
    let mut lane = 0;
    while lane < 32 {
        if mask >> lane & 1 == 0 {
            lane += 1;
            continue;
        }
        let run = (mask >> lane).trailing_ones();
        let last = lane + run - 1;
        parts.push(if run == 1 { lane.to_string() } else { format!("{lane}-{last}") });
        lane += run;
    }
    if parts.is_empty() { "none".into() } else { parts.join(", ") }
}

/// Lists lanes as [`lanes`] does, with the noun: `lanes 0-3, 7`.
pub fn the_lanes(mask: u32) -> String {
    format!("lane{} {}", if mask.count_ones() == 1 { "" } else { "s" }, lanes(mask))
}

/// Names warps: `warp 1`, `warps 1, 4 and 3 more`.
pub(super) fn the_warps(warps: impl Iterator<Item = u16>) -> String {
    let all: Vec<String> = warps.map(|warp| warp.to_string()).collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => format!("warp {one}"),
        few if few.len() <= 6 => format!("warps {}", few.join(", ")),
        many => format!("warps {} and {} more", many[..5].join(", "), many.len() - 5),
    }
}

/// Returns the name of a gang: its original gang and its entry in that one's set of the gang table, as in `2.g0`.
pub fn gang_name(row: u32, entry: usize) -> String {
    format!("{row}.g{entry}")
}

/// Returns a number with its noun: `1 warp`, `2 warps`.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Returns the time from the beginning of cycle `now` to the end of cycle `due`: `3 cycles`.
pub(super) fn in_cycles(due: u64, now: u64) -> String {
    match due.saturating_sub(now) + 1 {
        1 => "1 cycle".to_string(),
        n => format!("{n} cycles"),
    }
}

/// Returns how long something has lasted, as an aside: ` (3 cycles so far)`; nothing for a first cycle.
pub(super) fn cycles_so_far(n: u64) -> String {
    match n {
        0 | 1 => String::new(),
        n => format!(" ({n} cycles so far)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_written_as_ranges() {
        assert_eq!(lanes(0), "none");
        assert_eq!(lanes(1), "0");
        assert_eq!(lanes(u32::MAX), "0-31");
        assert_eq!(lanes(0b1000_1111), "0-3, 7");
        assert_eq!(lanes(1 << 31 | 1), "0, 31");
    }

    #[test]
    fn many_warps_are_not_all_named() {
        assert_eq!(the_warps([].into_iter()), "");
        assert_eq!(the_warps([3].into_iter()), "warp 3");
        assert_eq!(the_warps([3, 4].into_iter()), "warps 3, 4");
        assert_eq!(the_warps(0..20), "warps 0, 1, 2, 3, 4 and 15 more");
    }
}
