//! What keeps VTW from gaining more on one set of kernels: how the paper's gain is spread over its set, what filling slots
//! earlier could gain at most, and how many instructions the transformation saves.
//!
//! VTW gives the slot of a warp that has ended to a warp of a later block. [`TWICE_THE_SLOTS`] under GTO shows the most that this
//! can gain: there a later block need not wait for another to end, and nothing is transformed.

use super::why::{Kernel, MOST, mean_gain, such};
use super::{BASE, Board, Keys, NO_HOISTING, TWICE_THE_SLOTS, speed};
use crate::papers::judge::{each, geometric_mean};
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::Report;

/// Speedup below which more slots do not help, because the kernel does not wait for them.
const NO_HELP: f64 = 1.02;
/// Positions of each set's kernels in the paper's tables.
const IN_PAPER: [std::ops::Range<usize>; 4] = [0..16, 16..36, 36..39, 39..51];

/// Returns the note on a set, given by its number from 1.
pub fn note(board: &Board, number: usize) -> String {
    let set = board.sets.0[number - 1].as_slice();
    format!("{}{}{}", spread(board, number), slots(board, set), instructions(board, set))
}

/// Describes the paper's means and ours, with and without the kernels that gain much, and those that save many instructions.
fn spread(board: &Board, number: usize) -> String {
    let here: Vec<Kernel> = board.sets.0[number - 1].iter().filter_map(|name| Kernel::new(board, name)).collect();
    if here.is_empty() {
        return String::new();
    }
    let paper = Kernel::of_paper(IN_PAPER[number - 1].clone());
    let told = |kernels: &[Kernel]| {
        format!(
            "{} where VTW gains a tenth or more, {} elsewhere; {} where more than {:.0}% of the instructions go, {} elsewhere",
            such(kernels, Kernel::gains_much),
            such(kernels, |kernel| !kernel.gains_much()),
            such(kernels, Kernel::saves_much),
            100.0 * (1.0 - MOST),
            such(kernels, |kernel| !kernel.saves_much()),
        )
    };
    format!(" In the paper this set has {}. Here: {}.{}", told(&paper), told(&here), limit(&paper, &here))
}

/// Describes which kernels the paper's gain comes from, if it comes from some of them alone.
fn limit(paper: &[Kernel], here: &[Kernel]) -> String {
    let count = |kernels: &[Kernel], is_such: fn(&Kernel) -> bool| kernels.iter().filter(|kernel| is_such(kernel)).count();
    let is_gone = |is_such: fn(&Kernel) -> bool| {
        mean_gain(paper, |kernel| !is_such(kernel)).is_some_and(|rest| rest < NO_HELP) && count(paper, is_such) > 0
    };
    let (kind, is_such): (&str, fn(&Kernel) -> bool) = if is_gone(Kernel::saves_much) {
        ("that lose so many instructions", Kernel::saves_much)
    } else if is_gone(Kernel::gains_much) {
        ("that gain a tenth or more", Kernel::gains_much)
    } else {
        return String::new();
    };
    format!(
        " So the paper's gain is that of the {} of its {} kernels {kind}; here such are {} of {}.",
        count(paper, is_such),
        paper.len(),
        count(here, is_such),
        here.len()
    )
}

/// Describes what filling slots earlier could gain.
fn slots(board: &Board, set: &[&'static str]) -> String {
    let twice = board.speedups(set, (BASE, TWICE_THE_SLOTS), BASE);
    let Some(mean) = geometric_mean(&twice) else { return String::new() };
    let no_help = twice.iter().filter(|(_, ratio)| *ratio < NO_HELP).count();
    let waiting = |report: &Report| report.warp_cycles.get(Reason::Exit) as f64 / report.resident_warp_cycles as f64;
    let base = || set.iter().filter_map(|name| Some((*name, board.report(name, BASE)?)));
    let waits: Vec<f64> = base().map(|(_, report)| waiting(report)).collect();
    let used = base().map(|(name, report)| format!("{name} {:.0}%", 100.0 * speed::used(report))).collect::<Vec<_>>();
    format!(
        " The most that warps of later blocks can give: with twice the threads, blocks, registers and shared memory GTO is \
         {mean:.3} times as fast ({}), and on {no_help} of {} kernels it gains less than {:.0}%, so there slots are not what is \
         missing. Warps that wait for their siblings to end are {:.1}% of the warp cycles of GTO. Issue slots or memory \
         bandwidth in use, whichever is more: {}.",
        each(&twice),
        twice.len(),
        100.0 * (NO_HELP - 1.0),
        100.0 * waits.iter().sum::<f64>() / waits.len().max(1) as f64,
        used.join(", "),
    )
}

/// Describes how many instructions the loop over blocks adds, and how many hoisting saves.
fn instructions(board: &Board, set: &[&'static str]) -> String {
    let share = |keys: Keys| geometric_mean(&board.ratios(set, ("VTW", keys), BASE, |report| report.warp_instructions as f64));
    share(&[]).zip(share(NO_HOISTING)).map_or_else(String::new, |(with, without)| {
        format!(" Instructions over GTO's: {without:.3} with the loop alone, {with:.3} with what is computed before it.")
    })
}
