//! Section 3: how far apart the warps of a block end, and how much they stall meanwhile (tables 1 and 2).
//!
//! The counts of table 1 define the sets, so the claims judge other numbers.

use super::{BASE, Board, JUDGE};
use crate::papers::Claim;
use crate::papers::judge::average;
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::Report;

pub fn claims(board: &Board) -> Vec<Claim> {
    vec![sets(board), fairness(board), stalls(board), waiting(board)]
}

/// Formats a kernel's row of tables 1 and 2.
fn row(name: &str, report: &Report) -> String {
    let divergence = report.warp_divergence;
    let [instructions, cycles] = [divergence.instructions, divergence.cycles]
        .map(|over| format!("{} {} {} {}", over.over_50, over.over_25, over.over_10, over.over_5));
    let share = |share: Option<f64>| share.map_or_else(|| "-".to_string(), |share| format!("{share:.2}"));
    let (dwr, dws) = (share(divergence.dwr), share(divergence.dws));
    format!("{name} {}/{}: {instructions}; {cycles}; {dwr} {dws}", report.blocks, report.resident_blocks)
}

fn sets(board: &Board) -> Claim {
    let sizes = board.sets.0.each_ref().map(Vec::len);
    let has_runs = sizes.iter().sum::<usize>() > 0;
    let rows = board.sets.0.iter().zip(1..).map(|(set, number)| {
        let rows = set.iter().filter_map(|name| Some(row(name, board.report(name, "LRR")?)));
        format!("Set {number}: {}.", rows.collect::<Vec<_>>().join(" | "))
    });
    let rows = rows.collect::<Vec<_>>().join(" ");
    JUDGE.fact(
        "vtw.sets",
        "section 3, tables 1 and 2",
        "Warps of a block part in instructions and cycles, in cycles alone, in instructions alone, or not",
        "kernels in all four sets",
        has_runs.then(|| {
            let [one, two, three, four] = sizes;
            (format!("{one}, {two}, {three} and {four} kernels"), sizes.iter().all(|size| *size > 0))
        }),
        if has_runs {
            format!("Kernel, blocks/resident: blocks whose warps differ by 50, 25, 10, 5% in instructions; in cycles; DWR and DWS. {rows}")
        } else {
            String::new()
        },
    )
}

fn fairness(board: &Board) -> Claim {
    let all = board.sets.all();
    let dwr = |technique| average(&board.numbers(&all, technique, |report| report.warp_divergence.dwr));
    JUDGE.fact(
        "vtw.fairness",
        "section 3",
        "GTO is less fair to the warps of a block than LRR",
        "a longer divergent region (DWR) under GTO",
        dwr(BASE).zip(dwr("LRR")).map(|(gto, lrr)| (format!("{gto:.2} against {lrr:.2}"), gto > lrr)),
        String::new(),
    )
}

fn stalls(board: &Board) -> Claim {
    let dws = |set: &[&'static str]| average(&board.numbers(set, "LRR", |report| report.warp_divergence.dws));
    let (first, last) = (dws(&board.sets.both(0, 1)), dws(&board.sets.both(2, 3)));
    let each = board.sets.0.each_ref().map(|set| dws(set).map_or_else(|| "-".to_string(), |dws| format!("{dws:.2}")));
    JUDGE.fact(
        "vtw.dws",
        "section 3, table 2",
        "More of the stalls fall into the divergent region in the first two sets",
        "DWS of sets 1 and 2 above that of sets 3 and 4",
        first.zip(last).map(|(first, last)| (format!("{first:.2} against {last:.2}"), first > last)),
        if first.is_some() { format!("By set: {}.", each.join(", ")) } else { String::new() },
    )
}

/// Judges the time that warps wait at their block's end (sections 1 and 4.1).
fn waiting(board: &Board) -> Claim {
    let set = board.sets.both(0, 1);
    let share = |technique: &str, reasons: &[Reason]| {
        average(&board.numbers(&set, technique, |report| {
            let cycles: u64 = report.warp_cycles.sum(reasons.iter().copied());
            Some(cycles as f64 / report.resident_warp_cycles as f64)
        }))
    };
    let percent = |share: f64| format!("{:.1}%", 100.0 * share);
    let (before, after) = (share(BASE, &[Reason::Exit]), share("VTW", &[Reason::Exit, Reason::Ahead, Reason::Siblings]));
    let parts = (share("VTW", &[Reason::Exit]), share("VTW", &[Reason::Ahead]), share("VTW", &[Reason::Siblings]));
    let note = match parts {
        (Some(exit), Some(ahead), Some(siblings)) => format!(
            "Under VTW {} at the end, {} because a warp may be one block ahead of its siblings and no more (section 4.2.1), {} at shared memory (section 4.4).",
            percent(exit),
            percent(ahead),
            percent(siblings)
        ),
        _ => String::new(),
    };
    JUDGE.fact(
        "vtw.waiting",
        "sections 1 and 4.1",
        "Warps of kernels with divergence wait less for their siblings under VTW",
        "a smaller share of warp cycles than under GTO",
        before.zip(after).map(|(before, after)| (format!("{} against {}", percent(after), percent(before)), after < before)),
        note,
    )
}
