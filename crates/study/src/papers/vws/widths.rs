//! Speed and memory accesses by warp size: figures 1(b), 2 and 4.

use super::{BASE, Board, JUDGE, Keys, NEAR_DRAM, SAME};
use crate::papers::Claim;
use crate::papers::judge::{each, mean};
use warpscope_machine::metrics::Report;

/// The warp sizes of figures 1(b) and 2, the widest first.
pub(super) const WIDTHS: [&str; 4] = [BASE, "WS16", "WS8", "WS4"];

/// Judges figures 1(b), 2 and 4.
pub fn widths(board: &Board) -> Vec<Claim> {
    let mut claims = speeds(board);
    claims.extend(accesses(board));
    claims
}

/// Judges the speed of each set by warp size.
fn speeds(board: &Board) -> Vec<Claim> {
    let by_width = |set: &[&'static str], keys: Keys| -> Option<Vec<f64>> {
        WIDTHS.iter().map(|technique| mean(&board.speedups_with(set, keys, technique, BASE))).collect()
    };
    let told = |means: &[f64]| {
        WIDTHS.iter().zip(means).map(|(technique, mean)| format!("{technique} {mean:.3}")).collect::<Vec<_>>().join(", ")
    };
    let steps = |set: &[&'static str], fine: fn(f64, f64) -> bool| {
        by_width(set, &[]).map(|means| (told(&means), means.windows(2).all(|pair| fine(pair[0], pair[1]))))
    };
    let apart = |set: &[&'static str]| -> String {
        let lists = WIDTHS[1..].iter().map(|technique| format!("{technique}: {}.", each(&board.speedups(set, *technique, BASE))));
        if set.is_empty() { String::new() } else { lists.collect::<Vec<_>>().join(" ") }
    };
    let near = |means: &Option<Vec<f64>>| {
        means.as_ref().map_or_else(String::new, |means| format!(" With DRAM that answers in a cycle: {}.", told(means)))
    };
    vec![
        JUDGE.fact(
            "vws.widths-divergent",
            "section 1, figures 1(b) and 2",
            "The narrower its warps, the faster a divergent application runs",
            "faster with each step from 32 to 4",
            steps(&board.sets.divergent, |wide, narrow| narrow > wide),
            apart(&board.sets.divergent),
        ),
        JUDGE.fact(
            "vws.widths-convergent",
            "section 1, figures 1(b) and 2",
            "and the slower a convergent application runs",
            "slower with each step from 32 to 4",
            steps(&board.sets.convergent, |wide, narrow| narrow < wide),
            format!("{}{}", apart(&board.sets.convergent), near(&by_width(&board.sets.convergent, NEAR_DRAM))),
        ),
        JUDGE.fact(
            "vws.widths-insensitive",
            "section 1, figures 1(b) and 2",
            "The speed of an insensitive application does not depend on the warp size",
            "0.98 to 1.02 with warps of 16, 8 and 4",
            by_width(&board.sets.insensitive, &[])
                .map(|means| (told(&means), means.iter().all(|mean| (mean - 1.0).abs() <= SAME))),
            apart(&board.sets.insensitive),
        ),
    ]
}

/// Judges accesses, hits, misses and MSHR merges of the L1 cache.
fn accesses(board: &Board) -> Vec<Claim> {
    // The narrow warps' number over the wide ones', for each thread instruction.
    let ratios = |set: &[&'static str], quantity: fn(&Report) -> u64| {
        let share = |report: &Report| quantity(report) as f64 / report.thread_instructions.max(1) as f64;
        board.ratios(set, "WS4", BASE, share)
    };
    let ratio = |name: &'static str, quantity| ratios(&[name], quantity).pop().map(|(_, ratio)| ratio);
    let merges = |technique: &str| board.report("radixsort", technique).map(|report| report.l1d.mshr_merges);
    let hits = ratio("raytrace", |report| report.l1d.hits);
    let misses = ratio("raytrace", |report| report.l1d.misses);
    let all = ratio("raytrace", |report| report.l1d.accesses);
    let faster = board.speedup("raytrace", "WS4", BASE);
    let local = ratios(&board.sets.insensitive, |report| report.l1d.misses);
    vec![
        JUDGE.fact(
            "vws.mshr-merges",
            "section 3.1, figure 4",
            "Radix sort has more MSHR merges with narrow warps",
            "more with warps of 4 than with warps of 32",
            merges("WS4").zip(merges(BASE)).map(|(narrow, wide)| (format!("WS4 {narrow}, {BASE} {wide}"), narrow > wide)),
            "Accesses to lines that are on their way to the L1 cache.".to_string(),
        ),
        JUDGE.fact(
            "vws.raytrace-hits",
            "section 3.1, figure 4",
            "Ray tracing, though divergent, makes more memory accesses with narrow warps, and has more cache hits",
            "more accesses and more hits with warps of 4 than with warps of 32",
            all.zip(hits).map(|(all, hits)| (format!("accesses {all:.2}, hits {hits:.2}"), all > 1.0 && hits > 1.0)),
            "Those of warps of 4 over those of warps of 32, for each thread instruction.".to_string(),
        ),
        JUDGE.fact(
            "vws.raytrace-misses",
            "section 3.1, figure 4",
            "It has more misses too, and more lanes in use outweigh them",
            "more misses with warps of 4 than with warps of 32, and more than 2% faster",
            misses
                .zip(faster)
                .map(|(misses, faster)| (format!("misses {misses:.2}, speed {faster:.2}"), misses > 1.0 && faster > 1.0 + SAME)),
            String::new(),
        ),
        JUDGE.fact(
            "vws.locality-insensitive",
            "section 3.1, figure 4",
            "The L1 locality of insensitive applications does not depend on the warp size",
            "0.95 to 1.05 times the misses with warps of 4, on each",
            (!local.is_empty()).then(|| (each(&local), local.iter().all(|(_, ratio)| (ratio - 1.0).abs() <= 0.05))),
            format!("Misses for each thread instruction with warps of 4 over those with warps of 32.{}", few(board)),
        ),
    ]
}

/// Lists how many misses the ratios for insensitive workloads are of.
fn few(board: &Board) -> String {
    let misses = |report: &Report| 1000.0 * report.l1d.misses as f64 / report.thread_instructions.max(1) as f64;
    let list = board
        .sets
        .insensitive
        .iter()
        .filter_map(|name| board.report(name, BASE).map(|report| format!("{name} {:.3}", misses(report))));
    let list: Vec<String> = list.collect();
    if list.is_empty() { String::new() } else { format!(" For 1000 thread instructions with warps of 32: {}.", list.join(", ")) }
}
