//! Variants of gangs: the scheduler, gangs per cycle, how gangs split and meet (figures 11 and 13 to 16).

use super::{ANY_GANGS, BASE, BASE_8, Board, FAIR, JUDGE, Keys, ONE_GANG, WAITS};
use crate::papers::Claim;
use crate::papers::judge::{Speedups, each, mean};
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::Report;

/// Returns the speed of each workload with the lowest PC first, over big gangs first.
fn lowest_pc(board: &Board) -> Speedups {
    board.speedups(&board.sets.all(), "I-VWS-LPC", "I-VWS")
}

/// Returns the workloads that the lowest PC first does not make slower.
pub(super) fn unharmed_by_lowest_pc(board: &Board) -> Speedups {
    lowest_pc(board).into_iter().filter(|(_, speedup)| *speedup >= 1.0).collect()
}

/// Tells what their runs have in common: whether a fair order helps without gangs too, waits at barriers, and larger gangs.
fn why_unharmed(board: &Board, unharmed: &Speedups) -> String {
    let names: Vec<&'static str> = unharmed.iter().map(|(name, _)| *name).collect();
    let fair = board.speedups(&names, ("WS4", FAIR), "WS4");
    if fair.is_empty() {
        return String::new();
    }
    let told = |technique: &str, quantity: fn(&Report) -> Option<String>| -> String {
        let each = names.iter().filter_map(|name| Some(format!("{name} {}", quantity(board.report(name, technique)?)?)));
        each.collect::<Vec<_>>().join(", ")
    };
    let at_barriers = |report: &Report| {
        Some(format!(
            "{:.0}%",
            100.0 * report.warp_cycles.get(Reason::Barrier) as f64 / report.resident_warp_cycles.max(1) as f64
        ))
    };
    let gangs = |report: &Report| report.gangs.as_ref().map(|gangs| format!("{:.2}", gangs.mean_size));
    format!(
        " Without gangs, warps of 4 in a fair order (LRR) instead of the oldest first: {}. Share of warp-cycles at barriers: {}. \
         Average size of gangs: {} with big gangs first, {} with the lowest PC first.",
        fair.iter().map(|(name, speedup)| format!("{name} {speedup:.3}")).collect::<Vec<_>>().join(", "),
        told("I-VWS", at_barriers),
        told("I-VWS", gangs),
        told("I-VWS-LPC", gangs),
    )
}

/// Judges figures 11 and 13 to 16.
pub fn choices(board: &Board) -> Vec<Claim> {
    let (divergent, convergent) = (&board.sets.divergent[..], &board.sets.convergent[..]);
    let over = |technique: &str, keys: Keys, set: &[&'static str]| board.speedups(set, (technique, keys), "I-VWS");
    let one = over("I-VWS", ONE_GANG, divergent);
    let any = over("I-VWS", ANY_GANGS, divergent);
    let sizes = board.numbers(divergent, "I-VWS", |report| Some(report.gangs.as_ref()?.mean_size));
    let orders = [("GTO", "I-VWS-GTO"), ("LRR", "I-VWS-LRR"), ("LPC", "I-VWS-LPC"), ("LGTO", "I-VWS-LGTO")]
        .map(|(name, technique)| (name, mean(&over(technique, &[], divergent))));
    let sync_convergent = board.speedups(convergent, "E-VWS-Sync20", "E-VWS");
    let sync_insensitive = board.speedups(&board.sets.insensitive, "E-VWS-Sync20", "E-VWS");
    let group_divergent = over("I-VWS-GroupMem", &[], divergent);
    let impatient_divergent = over("I-VWS-ImpatientMem", &[], divergent);
    let little = over("I-VWS-LGTO", &[], divergent);
    let (lowest, unharmed) = (lowest_pc(board), unharmed_by_lowest_pc(board));
    let group = board.speedups(convergent, "I-VWS-GroupMem", BASE);
    let impatient = board.speedups(convergent, "I-VWS-ImpatientMem", BASE);
    let sync = board.speedups(divergent, "E-VWS-Sync20", "E-VWS");
    let eight = board.speedups(divergent, ("I-VWS", BASE_8), BASE);
    vec![
        JUDGE
            .effect(
                "vws.one-gang",
                "section 6.3, figure 13",
                "One gang a cycle instead of two costs divergent applications 10%",
                0.90,
            )
            .judge(mean(&one), format!("{}. Average size of gangs, singletons included: {}.", each(&one), each(&sizes))),
        JUDGE.fact(
            "vws.any-gangs",
            "section 6.3, figure 13",
            "Any number of gangs a cycle gives within 1% of two",
            "0.99 to 1.01",
            mean(&any).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.01)),
            each(&any),
        ),
        JUDGE.fact(
            "vws.orders",
            "section 6.3, figure 11",
            "Divergent applications are sensitive to the gang scheduler, and big gangs first is the best of them",
            "all others at most 1 against I-VWS, one of them below 0.95",
            orders.iter().map(|(_, mean)| *mean).collect::<Option<Vec<f64>>>().map(|means| {
                let list = orders.iter().zip(&means).map(|((name, _), mean)| format!("{name} {mean:.3}"));
                let fine = means.iter().all(|mean| *mean <= 1.0) && means.iter().any(|mean| *mean < 0.95);
                (list.collect::<Vec<_>>().join(", "), fine)
            }),
            String::new(),
        ),
        JUDGE.fact(
            "vws.little-gangs",
            "section 6.3, figure 11",
            "Little gangs first (LGTO) is slower than big gangs first on divergent applications",
            "below 0.99",
            mean(&little).map(|mean| (format!("{mean:.3}"), mean < 0.99)),
            each(&little),
        ),
        JUDGE.fact(
            "vws.lowest-pc",
            "section 6.3, figure 11",
            "The lowest PC first (LPC) makes all applications slower",
            "below 1 on each",
            (!lowest.is_empty()).then(|| {
                let not: Vec<String> = unharmed.iter().map(|(name, speedup)| format!("{name} {speedup:.3}")).collect();
                let list = if not.is_empty() { String::new() } else { format!("; not on {}", not.join(", ")) };
                (format!("slower on {} of {}{list}", lowest.len() - not.len(), lowest.len()), not.is_empty())
            }),
            format!("{}.{}", each(&lowest), why_unharmed(board, &unharmed)),
        ),
        JUDGE.fact(
            "vws.split-memory",
            "section 6.5, figure 16",
            "Splitting for memory, in groups or altogether, has a large cost on convergent applications",
            "at least one 0.89 or less against warps of 32 (half of the 22% of section 6.1), none above 1",
            mean(&group).zip(mean(&impatient)).map(|(group, impatient)| {
                let text = format!("GroupMem {group:.3}, ImpatientMem {impatient:.3}");
                (text, group.max(impatient) < 1.0 && group.min(impatient) <= 0.89)
            }),
            format!("GroupMem: {}. ImpatientMem: {}.", each(&group), each(&impatient)),
        ),
        JUDGE.fact(
            "vws.split-memory-divergent",
            "section 6.5, figure 16",
            "Splitting for memory has a small advantage on some divergent applications",
            "one of them 1% to 10% faster than with I-VWS",
            (!group_divergent.is_empty()).then(|| {
                let both = group_divergent.iter().chain(&impatient_divergent);
                let best = both.map(|(_, speedup)| *speedup).fold(0.0, f64::max);
                (format!("{best:.4} at best"), (1.01..=1.1).contains(&best))
            }),
            format!("GroupMem: {}. ImpatientMem: {}.", each(&group_divergent), each(&impatient_divergent)),
        ),
        JUDGE.fact(
            "vws.group-radixsort",
            "section 6.5, figure 16",
            "Splitting in groups (GroupMem) creates problems in radix sort",
            "below 0.98 against I-VWS",
            board.speedup("radixsort", "I-VWS-GroupMem", "I-VWS").map(|speedup| (format!("{speedup:.3}"), speedup < 0.98)),
            board
                .speedup("radixsort", "I-VWS-ImpatientMem", "I-VWS")
                .map_or_else(String::new, |speedup| format!("Splitting altogether (ImpatientMem): {speedup:.3}.")),
        ),
        JUDGE.fact(
            "vws.sync-convergent",
            "section 6.4, figure 14",
            "Convergent applications are largely unaffected by such waits",
            "0.98 to 1.02 against E-VWS",
            mean(&sync_convergent).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            format!("{}.", each(&sync_convergent)),
        ),
        JUDGE.fact(
            "vws.sync-insensitive",
            "section 6.4, figure 14",
            "and so are insensitive ones",
            "0.98 to 1.02 against E-VWS",
            mean(&sync_insensitive).map(|mean| (format!("{mean:.3}"), (mean - 1.0).abs() <= 0.02)),
            format!("{}.", each(&sync_insensitive)),
        ),
        JUDGE.fact(
            "vws.sync",
            "section 6.4, figures 14 and 15",
            "Waiting for each other where branches meet makes divergent applications slower",
            "below 0.99 against E-VWS",
            mean(&sync).map(|mean| (format!("{mean:.3}"), mean < 0.99)),
            format!("{}.{}", each(&sync), waits(board)),
        ),
        JUDGE.fact(
            "vws.base-8",
            "section 8",
            "Gangs of warps of 8 keep most of the gain on divergent applications",
            "more than half of I-VWS's gain",
            mean(&eight)
                .zip(mean(&board.speedups(divergent, "I-VWS", BASE)))
                .map(|(eight, four)| (format!("{eight:.2} against {four:.2}"), eight - 1.0 > (four - 1.0) / 2.0)),
            each(&eight),
        ),
    ]
}

/// Describes E-VWS with each wait at reconvergence points against E-VWS without.
fn waits(board: &Board) -> String {
    let against = |technique: &str| {
        let speedups = board.speedups(&board.sets.divergent, technique, "E-VWS");
        mean(&speedups).map_or_else(String::new, |mean| format!(" {technique}: {mean:.3} ({}).", each(&speedups)))
    };
    WAITS.map(against).concat()
}
