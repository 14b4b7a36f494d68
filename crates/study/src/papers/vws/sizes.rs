//! Which warp size suits which applications, and how long gangs last: figures 2, 4, 7, 8 and 18.

use super::{ARRIVE, BASE, Board, IMPATIENT, JUDGE, Keys, READINGS, STAYS, fetches, told};
use crate::papers::Claim;
use crate::papers::judge::{Speedups, each, mean};
use warpscope_machine::metrics::Report;

/// Judges figures 2, 4, 7 and 8.
pub fn sizes(board: &Board) -> Vec<Claim> {
    let (divergent, convergent, insensitive) =
        (&board.sets.divergent[..], &board.sets.convergent[..], &board.sets.insensitive[..]);
    let ivws = board.speedups(divergent, "I-VWS", BASE);
    let against_ws4 = board.speedups(divergent, "I-VWS", "WS4");
    let ws4_convergent = board.speedups(convergent, "WS4", BASE);
    let ivws_convergent = board.speedups(convergent, "I-VWS", BASE);
    let evws = board.speedups(divergent, "E-VWS", "I-VWS");
    let impatient = board.speedups(convergent, IMPATIENT, BASE);
    let impatient_divergent = board.speedups(divergent, IMPATIENT, "I-VWS");
    let arriving = board.speedups(convergent, (IMPATIENT, ARRIVE), BASE);
    let one = |name: &'static str, over: &str| board.speedup(name, IMPATIENT, over);
    let unrepaired = board
        .speedup("raytrace", "I-VWS-ImpatientMem", "I-VWS")
        .map_or_else(String::new, |speedup| format!(" Without reformation: {speedup:.3}."));
    let transactions = board.ratios(convergent, "WS4", BASE, |report| report.memory_transactions as f64);
    let even = board.speedups(insensitive, "I-VWS", BASE);
    let read = |keys: Keys, quantity: fn(&Report) -> f64| board.ratios(divergent, ("E-VWS", keys), "I-VWS", quantity);
    let side_by_side = |quantity: fn(&Report) -> f64| {
        let list = READINGS.map(|(name, keys)| format!("{name} {}", told(mean(&read(keys, quantity)))));
        list.join(", ")
    };
    let ws4_divergent = board.speedups(divergent, "WS4", BASE);
    let lanes = [BASE, "WS16", "WS8", "WS4"]
        .map(|technique| (technique, board.average(divergent, technique, |report| report.lane_efficiency)));
    let lanes_of = |technique: &str| board.average(convergent, technique, |report| report.lane_efficiency);
    let lanes_convergent = (lanes_of(BASE), lanes_of("WS4"));
    let misses =
        board.ratios(convergent, "WS4", BASE, |report| report.l1d.misses as f64 / report.thread_instructions.max(1) as f64);
    let tracks: Speedups = board
        .sets
        .all()
        .into_iter()
        .filter_map(|name| {
            let speed = |technique: &str| board.speedup(name, technique, BASE);
            Some((name, speed("I-VWS")? / speed("WS4")?.max(1.0)))
        })
        .collect();
    vec![
        JUDGE
            .effect(
                "vws.divergent",
                "abstract, section 6.1, figure 7",
                "I-VWS is 35% faster than warps of 32 on divergent applications",
                1.35,
            )
            .judge(mean(&ivws), each(&ivws)),
        JUDGE.fact(
            "vws.like-ws4",
            "section 6.1",
            "I-VWS is within 3% of warps of 4 on divergent applications",
            "0.97 to 1.03 times their speed",
            mean(&against_ws4).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.03)),
            each(&against_ws4),
        ),
        JUDGE
            .effect(
                "vws.ws4-convergent",
                "section 6.1, figure 7",
                "Warps of 4 are 27% slower than warps of 32 on convergent applications",
                0.73,
            )
            .judge_size(
                mean(&ws4_convergent),
                format!(
                    "Narrower warps: of 8 {}, of 16 {}. {}.",
                    told(mean(&board.speedups(convergent, "WS8", BASE))),
                    told(mean(&board.speedups(convergent, "WS16", BASE))),
                    each(&ws4_convergent)
                ),
            ),
        JUDGE
            .effect(
                "vws.ws4-divergent",
                "section 6.1 (derived: I-VWS gains 35% and is within 3% of it), figure 7",
                "Warps of 4 are about 39% faster than warps of 32 on divergent applications",
                1.39,
            )
            .judge_size(
                mean(&ws4_divergent),
                format!(
                    "Narrower warps: of 8 {}, of 16 {}. {}.",
                    told(mean(&board.speedups(divergent, "WS8", BASE))),
                    told(mean(&board.speedups(divergent, "WS16", BASE))),
                    each(&ws4_divergent)
                ),
            ),
        JUDGE.fact(
            "vws.lanes",
            "section 1, figure 2",
            "The narrower its warps, the more lanes a divergent application uses",
            "more with each step from 32 to 4",
            lanes.iter().map(|(_, used)| *used).collect::<Option<Vec<f64>>>().map(|used| {
                let list = lanes.iter().zip(&used).map(|((name, _), used)| format!("{name} {:.0}%", 100.0 * used));
                (list.collect::<Vec<_>>().join(", "), used.windows(2).all(|pair| pair[1] > pair[0]))
            }),
            "Threads issued over lanes, in cycles with an issue; averages.".to_string(),
        ),
        JUDGE.fact(
            "vws.lanes-convergent",
            "section 1, figure 2",
            "and the fewer lanes a convergent application uses",
            "fewer with warps of 4 than with warps of 32",
            lanes_convergent
                .0
                .zip(lanes_convergent.1)
                .map(|(wide, narrow)| (format!("{BASE} {:.1}%, WS4 {:.1}%", 100.0 * wide, 100.0 * narrow), narrow < wide)),
            "Threads issued over lanes, in cycles with an issue; averages.".to_string(),
        ),
        JUDGE.fact(
            "vws.misses",
            "section 3.1, figure 4",
            "All convergent applications have more misses of the L1 cache with narrow warps",
            "more with warps of 4 on each",
            (!misses.is_empty()).then(|| (each(&misses), misses.iter().all(|(_, ratio)| *ratio > 1.0))),
            "Misses for each thread instruction with warps of 4 over those with warps of 32.".to_string(),
        ),
        JUDGE.fact(
            "vws.tracks",
            "section 6.1, figure 8",
            "On every application I-VWS tracks warps of 4 where those gain, and loses nothing where they lose",
            "0.95 or more of the faster of warps of 4 and of 32, on each",
            (!tracks.is_empty()).then(|| {
                let behind = falls_behind(&tracks);
                let list = if behind.is_empty() { "on all".to_string() } else { format!("not on {}", each(&behind)) };
                (list, behind.is_empty())
            }),
            format!("{}.{}", each(&tracks), behind(board, &tracks)),
        ),
        JUDGE.fact(
            "vws.slip",
            "section 3.1, figure 4",
            "Convergent applications make more memory accesses with narrow warps: memory convergence slip",
            "more transactions with warps of 4 on each",
            (!transactions.is_empty()).then(|| (each(&transactions), transactions.iter().all(|(_, ratio)| *ratio > 1.0))),
            "Transactions of warps of 4 over those of warps of 32.".to_string(),
        ),
        JUDGE.fact(
            "vws.convergent",
            "abstract, section 6.1, figure 7",
            "I-VWS costs convergent applications nothing",
            "0.98 to 1.02",
            mean(&ivws_convergent).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            format!("{}.", each(&ivws_convergent)),
        ),
        JUDGE.fact(
            "vws.insensitive",
            "section 6.1, figure 7",
            "I-VWS costs the others nothing either",
            "0.98 to 1.02",
            mean(&even).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            each(&even),
        ),
        JUDGE.slightly(
            "vws.elastic",
            "section 6.1, figure 7",
            "Putting gangs together again (E-VWS) makes divergent applications a little slower than I-VWS",
            false,
            mean(&evws),
            format!("{}.", each(&evws)),
        ),
        JUDGE.slightly(
            "vws.elastic-arrive",
            "section 6.1, figure 7",
            "The same, if parts meet only where they arrive at the same PC in the same cycle",
            false,
            mean(&read(ARRIVE, faster)),
            format!(
                "Readings of sections 4.5 and 6.1 side by side, against I-VWS on the divergent workloads. \
                 Speed: {}. Fetches: {}.",
                side_by_side(faster),
                side_by_side(fetches)
            ),
        ),
        JUDGE
            .effect(
                "vws.impatient-convergent",
                "section 6.1, figure 7",
                "Splitting gangs where loads part (E-VWS-ImpatientMem) makes convergent applications 22% slower than warps of 32",
                0.78,
            )
            .judge(
                mean(&impatient),
                format!(
                    "{}. Without reformation: {}.{}",
                    each(&impatient),
                    each(&board.speedups(convergent, "I-VWS-ImpatientMem", BASE)),
                    repair(board)
                ),
            ),
        JUDGE
            .effect(
                "vws.impatient-arrive",
                "section 6.1, figure 7",
                "The same, if parts meet only where they arrive at the same PC in the same cycle",
                0.78,
            )
            .judge(mean(&arriving), format!("{}.", each(&arriving))),
        JUDGE.fact(
            "vws.impatient-radixsort",
            "section 6.1, figure 7",
            "It makes radix sort significantly slower",
            "below 0.95 against warps of 32",
            one("radixsort", BASE).map(|speedup| (format!("{speedup:.3}"), speedup < 0.95)),
            board
                .speedup("radixsort", (IMPATIENT, ARRIVE), BASE)
                .map_or_else(String::new, |speedup| format!("If only parts meet that arrive together: {speedup:.3}.")),
        ),
        JUDGE
            .effect("vws.impatient-divergent", "section 6.1", "and divergent ones 2% faster than I-VWS", 1.02)
            .judge(mean(&impatient_divergent), format!("{}.", each(&impatient_divergent))),
        JUDGE.fact(
            "vws.impatient-raytrace",
            "section 6.1, figure 7",
            "It helps ray tracing, a divergent application",
            "more than 1% faster than I-VWS",
            one("raytrace", "I-VWS").map(|speedup| (format!("{speedup:.3}"), speedup > 1.01)),
            board.report("raytrace", IMPATIENT).and_then(|report| report.gangs.as_ref()).map_or_else(String::new, |gangs| {
                format!("Splits of gangs: {}, of which {} for memory.{unrepaired}", gangs.splits, gangs.memory_splits)
            }),
        ),
    ]
}

/// Describes how much of its splits for memory E-VWS-ImpatientMem repairs: by how many merges, and what is left of the slowdown
/// where only parts that arrive together meet, as section 6.1 says.
fn repair(board: &Board) -> String {
    let set: Vec<&'static str> =
        board.sets.convergent.iter().copied().filter(|name| board.report(name, (IMPATIENT, ARRIVE)).is_some()).collect();
    let told = |technique: &str, keys: Keys| {
        let gangs = |name: &&'static str| board.report(name, (technique, keys))?.gangs.as_ref();
        let (mut splits, mut merges) = (0, 0);
        set.iter()
            .filter_map(gangs)
            .for_each(|gangs| (splits, merges) = (splits + gangs.memory_splits, merges + gangs.reformations));
        let speedups = board.speedups(&set, (technique, keys), BASE);
        mean(&speedups).map(|mean| format!("{mean:.3} ({splits} splits for memory, {merges} merges)"))
    };
    match (told(IMPATIENT, &[]), told(IMPATIENT, ARRIVE), told("I-VWS-ImpatientMem", &[])) {
        (Some(any), Some(arrive), Some(none)) => format!(
            " On {}: {any} where parts meet whenever they are at the same PC, {arrive} where only parts meet that arrive in the same \
             cycle, {none} without reformation.",
            set.join(", ")
        ),
        _ => String::new(),
    }
}

fn faster(report: &Report) -> f64 {
    1.0 / report.cycles as f64
}

/// The part of the faster static warp size's speed from which I-VWS tracks it.
const TRACKS: f64 = 0.95;

fn falls_behind(tracks: &Speedups) -> Speedups {
    tracks.iter().filter(|(_, ratio)| *ratio < TRACKS).copied().collect()
}

/// Describes the workloads on which I-VWS falls behind: whether their gangs split, and whether they gain where gangs re-form.
fn behind(board: &Board, tracks: &Speedups) -> String {
    let told = |(name, _): &(&'static str, f64)| {
        let gangs = board.report(name, "I-VWS")?.gangs.as_ref()?;
        let speed = |technique: &str| board.speedup(name, technique, BASE);
        let transactions = |technique: &str| board.ratio(name, technique, BASE, |report| report.memory_transactions as f64);
        Some(format!(
            " On {name}, where warps of 4 are {:.2} times as fast as warps of 32, I-VWS splits gangs {} times; {:.0}% of warp-cycles \
             are in original gangs, and transactions are {:.2} times those of warps of 32. Under E-VWS, which re-forms gangs, they \
             are {:.0}% and {:.2} times, and it is {:.2} times as fast as I-VWS.",
            speed("WS4")?,
            gangs.splits,
            100.0 * board.original(name, "I-VWS")?,
            transactions("I-VWS")?,
            100.0 * board.original(name, "E-VWS")?,
            transactions("E-VWS")?,
            speed("E-VWS")? / speed("I-VWS")?,
        ))
    };
    falls_behind(tracks).iter().filter_map(told).collect()
}

/// Judges figure 18.
pub fn gang_sizes(board: &Board) -> Vec<Claim> {
    let gangs = |name: &str| board.report(name, "I-VWS").and_then(|report| report.gangs.as_ref());
    // The share of warps in whole gangs in the first cycle with warps, and of singletons in the last span but one.
    let course = |name: &&'static str| {
        let over_time = &gangs(name)?.over_time;
        let last = over_time.warps.get(over_time.warps.len().checked_sub(2)?)?;
        let first = over_time.first.map(|warps| warps as f64);
        let share = |warps: &[f64], size: usize| warps[size - 1] / warps.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        Some((*name, share(&first, first.len()), share(last, 1)))
    };
    let courses: Vec<(&str, f64, f64)> = board.sets.divergent.iter().filter_map(course).collect();
    let original: Speedups =
        board.sets.convergent.iter().filter_map(|name| Some((*name, board.original(name, "I-VWS")?))).collect();
    let leave: Vec<String> = original
        .iter()
        .filter(|(_, share)| *share < STAYS)
        .filter_map(|(name, _)| {
            let splits = gangs(name)?.splits;
            let divergent = board.report(name, BASE)?.divergent_branches;
            let elastic = 100.0 * board.original(name, "E-VWS")?;
            Some(format!(
                " {name}: {divergent} divergent branches with warps of 32, {splits} splits of gangs, {elastic:.0}% under E-VWS."
            ))
        })
        .collect();
    vec![
        JUDGE.fact(
            "vws.gangs-part",
            "section 6.6, figure 18",
            "Divergent applications begin in whole gangs, and most end with most warps alone",
            "all warps in whole gangs in the first cycle on each, more singletons than not at the end on most",
            (!courses.is_empty()).then(|| {
                let alone = courses.iter().filter(|(_, _, last)| *last > 0.5).count();
                let begin = courses.iter().filter(|(_, first, _)| *first == 1.0).count();
                let text = format!("whole at first on {begin} of {}, alone at the end on {alone}", courses.len());
                (text, begin == courses.len() && alone * 2 > courses.len())
            }),
            courses
                .iter()
                .map(|(name, first, last)| {
                    format!("{name} {:.0}% whole at first, {:.0}% alone at the end", 100.0 * first, 100.0 * last)
                })
                .collect::<Vec<_>>()
                .join("; "),
        ),
        JUDGE.fact(
            "vws.gangs-stay",
            "section 6.6",
            "In convergent applications warps stay in their original gangs throughout",
            "95% of warp-cycles or more, on each",
            (!original.is_empty()).then(|| (each(&original), original.iter().all(|(_, share)| *share >= STAYS))),
            format!("Share of warp-cycles in gangs of eight, or all where no gang splits.{}", leave.concat()),
        ),
        JUDGE.untestable(
            "vws.survey",
            "section 1, figures 1(a) and 8",
            "The survey of 165 applications",
            "a third each gains, loses and does not mind",
            "The traces are not public; the catalogue has its own workloads.",
        ),
    ]
}
