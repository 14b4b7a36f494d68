//! Why Origami costs more time here than in the paper: how much of it is folding, and which programs pay for it.
//!
//! A folded warp occupies its pipeline for twice as long. That costs nothing while the pipeline would have been idle, and costs
//! time where every issue slot counts. Two experiments that the paper does not have: Origami with its scheduler, shifting and
//! gating but [`NO_FOLDING`], and the machine with [`TWICE_THE_WARPS`], in case there are too few warps to hide what folding
//! adds.

use super::{Board, Keys, PRESET, programs};
use crate::papers::judge::{Speedups, average, each_percent};
use crate::run::RunSpec;
use warpscope_machine::metrics::Report;

const NO_FOLDING: Keys = &[("fold_aggressive", "0"), ("fold_conservative", "0")];
const TWICE_THE_WARPS: Keys =
    &[("max_threads", "3072"), ("max_blocks", "16"), ("registers", "65536"), ("shared_memory", "98304")];
/// Share of issue slots in use from which a program is busy.
const BUSY: f64 = 0.75;

pub fn runs() -> Vec<RunSpec> {
    let of = |name| {
        [
            RunSpec::of(name, PRESET, "Origami").with(NO_FOLDING),
            RunSpec::of(name, PRESET, "Origami").with(TWICE_THE_WARPS),
            RunSpec::of(name, PRESET, "NoPG").with(TWICE_THE_WARPS),
        ]
    };
    programs().flat_map(of).collect()
}

/// Returns the share of its issue slots that a program uses.
fn used(report: &Report) -> f64 {
    let slots: u64 = report.issue_slots.total();
    report.warp_instructions as f64 / slots.max(1) as f64
}

/// Returns the note on Origami's time from the experiments.
pub fn note(board: &Board) -> String {
    let unfolded = average(&board.times(("Origami", NO_FOLDING), "NoPG"));
    let twice = average(&board.times(("Origami", TWICE_THE_WARPS), ("NoPG", TWICE_THE_WARPS)));
    let here = average(&board.times("Origami", "NoPG"));
    let Some(((unfolded, twice), here)) = unfolded.zip(twice).zip(here) else { return String::new() };
    let cause = if here - twice < (here - 1.0) / 4.0 { "Too few warps are not the cause" } else { "More warps help" };
    let uses = board.numbers(&board.sets, "NoPG", |report| Some(used(report)));
    let is_busy = |name: &str| uses.iter().any(|(known, share)| *known == name && *share >= BUSY);
    let (busy, others): (Speedups, Speedups) = board.times("Origami", "NoPG").into_iter().partition(|(name, _)| is_busy(name));
    let told =
        |times: &Speedups| average(times).map_or_else(|| "none".to_string(), |mean| format!("{} with {mean:.3}", times.len()));
    format!(
        " Without folding it would be {unfolded:.3}. {cause}: with twice as many resident it is {twice:.3}. \
         Programs that use {:.0}% or more of their issue slots without gating: {}; the others: {}. Issue slots used: {}.",
        100.0 * BUSY,
        told(&busy),
        told(&others),
        each_percent(&uses)
    )
}
