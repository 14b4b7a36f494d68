//! The load that narrow warps put on the front end, and what gangs save of it: figures 5, 9, 10, 12, 15 and 17.

use super::{ARRIVE, BASE, Board, IMPATIENT, JUDGE, Keys, ONE_PORT, ONE_PORT_L0, STAYS, TWO_PORTS, TWO_PORTS_L0, WAITS, fetches};
use crate::papers::Claim;
use crate::papers::judge::{each, mean};
use warpscope_catalogue::{self as catalogue, Class};
use warpscope_machine::metrics::Report;

/// Judges figures 5, 9, 10, 12, 15 and 17.
pub fn front_end(board: &Board) -> Vec<Claim> {
    let (divergent, convergent) = (&board.sets.divergent[..], &board.sets.convergent[..]);
    let mut together = convergent.to_vec();
    together.extend(&board.sets.insensitive);
    let average = |technique: &str, set: &[&'static str]| board.average(set, technique, fetches);
    let share = |one: &str, other: &str, set: &[&'static str]| Some(average(one, set)? / average(other, set)?);
    let per_cycle = |technique: &str| board.numbers(divergent, technique, |report| Some(fetches(report)));
    let memory_splits = |technique: &str| {
        let of = |name: &&'static str| {
            let gangs = board.report(name, technique)?.gangs.as_ref()?;
            Some(format!("{name} {}", gangs.memory_splits))
        };
        let list: Vec<String> = divergent.iter().filter_map(of).collect();
        format!("Averages of fetches per cycle. Splits for memory: {}.", list.join(", "))
    };
    let orders =
        ["I-VWS-GTO", "I-VWS-LRR", "I-VWS-LPC", "I-VWS-LGTO"].map(|technique| (technique, share(technique, "I-VWS", divergent)));
    let linear = board.ratios(&together, "WS4", BASE, fetches);
    let narrow = |keys: Keys| mean(&board.speedups(divergent, ("I-VWS", keys), "I-VWS"));
    let indifferent = ["1 port", "2 ports"]
        .into_iter()
        .zip([ONE_PORT_L0, TWO_PORTS_L0])
        .filter_map(|(name, keys)| Some((name, mean(&board.speedups(&together, ("I-VWS", keys), "I-VWS"))?)));
    let indifferent: Vec<(&str, f64)> = indifferent.collect();
    let l0_hits =
        board.numbers(divergent, ("I-VWS", TWO_PORTS_L0), |report| Some(report.l0_hits as f64 / report.fetches.max(1) as f64));
    let ports = [("1 port", ONE_PORT), ("2 ports", TWO_PORTS), ("1 port, L0", ONE_PORT_L0), ("2 ports, L0", TWO_PORTS_L0)];
    let ports: Vec<(&str, f64)> = ports.iter().filter_map(|(name, keys)| narrow(keys).map(|mean| (*name, mean))).collect();
    vec![
        JUDGE.fact(
            "vws.fetches-linear",
            "section 3.2, figure 5",
            "Fetches of convergent and insensitive applications grow nearly as much as warps shrink",
            "6.4 to 8 times as many per cycle with warps of 4 as with warps of 32",
            mean(&linear).map(|times| (format!("{times:.2}"), (6.4..=8.0).contains(&times))),
            format!("{}.{}", each(&linear), growth(board, &together)),
        ),
        JUDGE.effect("vws.fetches", "section 6.2, figure 9", "I-VWS needs 57% fewer fetches a cycle than warps of 4 on divergent applications", 0.43)
            .judge(share("I-VWS", "WS4", divergent), format!("Averages of fetches per cycle. I-VWS: {}. Warps of 4: {}.", each(&per_cycle("I-VWS")), each(&per_cycle("WS4")))),
        JUDGE.effect("vws.fetches-elastic", "section 6.2, figure 9", "E-VWS needs 55% fewer still", 0.45)
            .judge(share("E-VWS", "I-VWS", divergent), "Averages of fetches per cycle.".to_string()),
        JUDGE.fact(
            "vws.fetches-convergent",
            "section 6.2, figure 9",
            "On convergent and insensitive applications I-VWS fetches as warps of 32 do",
            "at most 1.05 times as often",
            share("I-VWS", BASE, &together).map(|ratio| (format!("{ratio:.2}"), ratio <= 1.05)),
            format!(
                "{}.{}",
                each(&board.ratios(&together, "I-VWS", BASE, fetches)),
                by_gangs(board, &together, |set| mean(&board.ratios(set, "I-VWS", BASE, fetches)))
            ),
        ),
        JUDGE.fact(
            "vws.fetches-impatient-convergent",
            "section 6.2, figure 9",
            "Splitting for memory (E-VWS-ImpatientMem) makes them fetch significantly more",
            "1.1 times as often as E-VWS or more",
            share(IMPATIENT, "E-VWS", &together).map(|ratio| (format!("{ratio:.2}"), ratio >= 1.1)),
            format!("{}.{}", each(&board.ratios(&together, IMPATIENT, "E-VWS", fetches)), arriving(board, &together)),
        ),
        JUDGE.effect(
            "vws.fetches-group",
            "section 6.5, figure 17",
            "Splitting in groups for memory (GroupMem) costs 41% more fetches",
            1.41,
        )
        .judge(share("I-VWS-GroupMem", "I-VWS", divergent), memory_splits("I-VWS-GroupMem")),
        JUDGE.effect(
            "vws.fetches-impatient",
            "section 6.5, figure 17",
            "and splitting altogether (ImpatientMem) 69%",
            1.69,
        )
        .judge(share("I-VWS-ImpatientMem", "I-VWS", divergent), memory_splits("I-VWS-ImpatientMem")),
        JUDGE.fact(
            "vws.fetches-elastic-impatient",
            "section 6.2, figure 9",
            "On divergent applications E-VWS-ImpatientMem fetches more than E-VWS, and not more than I-VWS",
            "between the two",
            match (average("E-VWS", divergent), average("E-VWS-ImpatientMem", divergent), average("I-VWS", divergent)) {
                (Some(elastic), Some(impatient), Some(ivws)) => Some((
                    format!("E-VWS {elastic:.2}, E-VWS-ImpatientMem {impatient:.2}, I-VWS {ivws:.2} fetches a cycle"),
                    impatient > elastic && impatient <= ivws,
                )),
                _ => None,
            },
            String::new(),
        ),
        JUDGE.fact(
            "vws.fetches-orders",
            "section 6.3, figure 12",
            "The gang scheduler has little effect on fetches",
            "each within 10% of I-VWS on divergent applications",
            orders.iter().map(|(_, share)| *share).collect::<Option<Vec<f64>>>().map(|shares| {
                let list = orders.iter().zip(&shares).map(|((name, _), share)| format!("{name} {share:.2}"));
                (list.collect::<Vec<_>>().join(", "), shares.iter().all(|share| (share - 1.0).abs() <= 0.1))
            }),
            "Fetches per cycle over those of I-VWS, averages.".to_string(),
        ),
        JUDGE.fact(
            "vws.fetches-sync",
            "section 6.4, figure 15",
            "Waiting where branches meet saves few fetches on divergent applications",
            "0.90 to 1.00 of E-VWS's",
            share("E-VWS-Sync20", "E-VWS", divergent).map(|ratio| (format!("{ratio:.2}"), (0.9..=1.0).contains(&ratio))),
            String::new(),
        ),
        JUDGE.fact(
            "vws.fetches-sync-trend",
            "section 6.4, figure 15",
            "and a longer wait saves minimally more",
            "never more with a longer wait of 5, 20 and 50 cycles, and no more than 10 points apart",
            by_wait(board).map(|shares| {
                let list = shares.iter().map(|(technique, share)| format!("{technique} {share:.3}")).collect::<Vec<_>>().join(", ");
                let falls = shares.windows(2).all(|pair| pair[1].1 <= pair[0].1);
                (list, falls && shares[0].1 - shares[shares.len() - 1].1 <= 0.1)
            }),
            "Fetches per cycle over those of E-VWS, averages.".to_string(),
        ),
        JUDGE.fact(
            "vws.ports",
            "sections 4.6 and 6.2, figure 10",
            "Two ports of the instruction cache with L0 caches of 256 bytes reach 95% of the speed of eight ports on divergent applications",
            "0.95 or more, and more than without L0 caches",
            (ports.len() == 4).then(|| {
                let list = ports.iter().map(|(name, mean)| format!("{name} {mean:.2}")).collect::<Vec<_>>().join(", ");
                (list, ports[3].1 >= 0.95 && ports[3].1 > ports[1].1 && ports[2].1 > ports[0].1)
            }),
            format!(
                "Speeds over eight ports with L0 caches; with two ports and L0 caches: {}. Fetches that hit the L0 caches: {}.",
                each(&board.speedups(divergent, ("I-VWS", TWO_PORTS_L0), "I-VWS")),
                each(&l0_hits)
            ),
        ),
        JUDGE.fact(
            "vws.ports-convergent",
            "section 6.2",
            "Convergent and insensitive applications do not mind fewer ports of the instruction cache",
            "0.99 to 1.01 with one port and with two, with L0 caches",
            (indifferent.len() == 2).then(|| {
                let list = indifferent.iter().map(|(name, mean)| format!("{name} {mean:.3}")).collect::<Vec<_>>().join(", ");
                (list, indifferent.iter().all(|(_, mean)| (mean - 1.0).abs() <= 0.01))
            }),
            format!(
                "Speeds over eight ports. 1 port: {}.{}",
                each(&board.speedups(&together, ("I-VWS", ONE_PORT_L0), "I-VWS")),
                by_gangs(board, &together, |set| mean(&board.speedups(set, ("I-VWS", ONE_PORT_L0), "I-VWS")))
            ),
        ),
    ]
}

/// Returns the fetches a cycle with each wait at reconvergence points, over those of E-VWS.
fn by_wait(board: &Board) -> Option<Vec<(&'static str, f64)>> {
    let average = |technique| board.average(&board.sets.divergent, technique, fetches);
    let share = |technique| Some((technique, average(technique)? / average("E-VWS")?));
    WAITS.into_iter().map(share).collect()
}

/// Describes how fetches grow where threads diverge already with warps of 32, and where they do not; and how they grow in all,
/// for an application that is slower with narrow warps needs more fetches, but not so many more a cycle.
fn growth(board: &Board, set: &[&'static str]) -> String {
    let of = |set: &[&'static str], quantity: fn(&Report) -> f64| mean(&board.ratios(set, "WS4", BASE, quantity));
    let (diverging, coherent): (Vec<&'static str>, Vec<&'static str>) =
        set.iter().copied().partition(|name| catalogue::find(name).is_some_and(|workload| workload.class == Class::Divergent));
    let in_all = of(set, |report| report.fetches as f64);
    let coherent_times = of(&coherent, fetches).zip(of(&coherent, |report| report.fetches as f64));
    let Some((in_all, (times, times_in_all))) = in_all.zip(coherent_times) else { return String::new() };
    let without = if diverging.is_empty() {
        "On all".to_string()
    } else {
        format!("Without {}, whose threads diverge", diverging.join(", "))
    };
    format!(
        " Fetches in all, whatever the cycles: {in_all:.2} times as many. {without}: {times:.2} times as many per cycle, {times_in_all:.2} in all."
    )
}

/// Gives a mean where warps stay in their original gangs, which section 6.2 takes for granted, and where they do not.
fn by_gangs(board: &Board, set: &[&'static str], of: impl Fn(&[&'static str]) -> Option<f64>) -> String {
    let (stay, leave) = board.by_gangs(set);
    of(&stay).zip(of(&leave)).map_or_else(String::new, |(staying, leaving)| {
        format!(
            " Where warps stay in their original gangs for {:.0}% of their cycles or more ({}): {staying:.3}; elsewhere ({}): {leaving:.3}.",
            100.0 * STAYS,
            stay.join(", "),
            leave.join(", ")
        )
    })
}

/// Describes the fetches where split parts meet again only if they arrive in the same cycle.
fn arriving(board: &Board, set: &[&'static str]) -> String {
    let ratios = board.ratios(set, (IMPATIENT, ARRIVE), "E-VWS", fetches);
    mean(&ratios).map_or_else(String::new, |mean| {
        format!(" Where only parts meet that arrive in the same cycle: {mean:.2} times as often ({}).", each(&ratios))
    })
}
