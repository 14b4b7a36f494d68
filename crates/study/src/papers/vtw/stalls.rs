//! Section 5.2: cycles in which no scheduler of an SM issues (table 6).

use super::{BASE, Board, JUDGE};
use crate::papers::Claim;
use crate::papers::judge::{Speedups, geometric_mean};
use warpscope_machine::metrics::Report;

/// The paper's means over its four sets and over all kernels.
const LRR: [f64; 5] = [1.12, 1.04, 0.96, 1.00, 1.05];
const VGTO: [f64; 5] = [1.05, 1.11, 1.00, 0.88, 1.02];
const VLRR: [f64; 5] = [1.13, 1.02, 1.01, 0.89, 1.02];
const VTW: [f64; 5] = [0.96, 0.95, 0.90, 0.87, 0.93];
const VTW_SL: [f64; 5] = [0.95, 0.95, 0.90, 0.87, 0.93];
const VTW_LH: [f64; 5] = [0.95, 0.94, 0.90, 0.87, 0.93];
/// Share of stall cycles below which a ratio of stalls says little about the time.
const FEW: f64 = 0.02;

fn ratios(board: &Board, set: &[&'static str], technique: &str) -> Speedups {
    let ratios = board.ratios(set, technique, BASE, |report| report.stall_cycles);
    // The geometric mean knows no zero.
    ratios.into_iter().filter(|(_, ratio)| *ratio > 0.0).collect()
}

pub fn claims(board: &Board) -> Vec<Claim> {
    let all = board.sets.all();
    let mean = |id, claim, technique: &str, paper: &[f64; 5], note: String| {
        let sets = board.by_set(paper, |set| ratios(board, set, technique));
        let measured = geometric_mean(&ratios(board, &all, technique));
        JUDGE.effect(id, "section 5.2, table 6", claim, paper[4]).judge(measured, format!("{sets}{note}"))
    };
    let plain = |id, claim, technique, paper| mean(id, claim, technique, paper, String::new());
    let means = ["VTW", BASE, "LRR", "vGTO", "vLRR"].map(|technique| geometric_mean(&ratios(board, &all, technique)));
    let fewest = means.into_iter().collect::<Option<Vec<f64>>>().map(|means| {
        let told = format!("VTW {:.2}, LRR {:.2}, vGTO {:.2}, vLRR {:.2}", means[0], means[2], means[3], means[4]);
        (told, means[1..].iter().all(|other| means[0] < *other))
    });
    vec![
        mean("vtw.stalls", "VTW has 7% fewer stall cycles than GTO", "VTW", &VTW, weight(board, "VTW")),
        plain("vtw.stalls-sl", "So has VTW with SlowestLane", "VTW-SL", &VTW_SL),
        plain("vtw.stalls-lh", "So has VTW with LowestToHighestLane", "VTW-LH", &VTW_LH),
        plain("vtw.stalls-lrr", "LRR has 5% more stall cycles than GTO", "LRR", &LRR),
        mean("vtw.stalls-vgto", "vGTO has 2% more stall cycles than GTO", "vGTO", &VGTO, weight(board, "vGTO")),
        mean("vtw.stalls-vlrr", "vLRR has 2% more stall cycles than GTO", "vLRR", &VLRR, weight(board, "vLRR")),
        JUDGE.fact(
            "vtw.fewest-stalls",
            "section 5.2, table 6",
            "VTW has fewer stall cycles than GTO and LRR, on the original and on the transformed kernel",
            "less than each",
            fewest,
            String::new(),
        ),
    ]
}

/// Describes the mean without kernels that hardly stall, and the ratio of the sums: a mean of ratios gives a few cycles the
/// weight of many.
fn weight(board: &Board, technique: &str) -> String {
    let stalled = |report: &Report| report.stall_cycles / report.cycles as f64;
    let has_stalls = |name: &&'static str| board.report(name, BASE).is_some_and(|report| stalled(report) >= FEW);
    let all = board.sets.all();
    let some: Vec<&'static str> = all.iter().copied().filter(has_stalls).collect();
    let sum =
        |technique| all.iter().filter_map(|name| board.report(name, technique)).map(|report| report.stall_cycles).sum::<f64>();
    geometric_mean(&ratios(board, &some, technique)).map_or_else(String::new, |mean| {
        format!(
            " Of the {} kernels that stall for {:.0}% of their time or more under GTO: {mean:.2}. All stalls together: {:.2}.",
            some.len(),
            100.0 * FEW,
            sum(technique) / sum(BASE)
        )
    })
}
