//! Why VTW gains less here than in the paper: how its gain is spread over kernels, how many rounds of blocks launches have, how
//! many instructions the transformation saves, how many warps have work, and what a machine could gain at most.

use super::{BASE, Board};
use crate::papers::judge::geometric_mean;
use std::ops::Range;
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::Report;

/// The paper's kernels in the order of its tables: rounds (*Iters* of table 1), the speedup of VTW, and the share of instructions
/// that the transformed kernel executes (table 4). The first 16 are the first set.
const KERNELS: [(f64, f64, f64); 51] = [
    (172.0, 1.03, 1.05),
    (194.0, 1.01, 1.12),
    (44.0, 0.98, 0.90),
    (44.0, 1.00, 0.97),
    (10.0, 0.96, 1.00),
    (3.0, 0.97, 1.01),
    (3.0, 1.01, 1.01),
    (6.0, 0.98, 0.83),
    (7.0, 0.95, 0.97),
    (112.0, 1.14, 1.12),
    (2.0, 0.99, 0.85),
    (67.0, 0.95, 1.06),
    (58.0, 1.03, 1.00),
    (31.0, 1.37, 0.72),
    (14.0, 0.97, 1.04),
    (46.0, 1.01, 1.05),
    (116.0, 0.96, 1.05),
    (46.0, 0.94, 0.96),
    (37.0, 0.99, 0.99),
    (11.0, 1.01, 0.85),
    (11.0, 0.95, 0.86),
    (10.0, 1.04, 1.05),
    (10.0, 1.06, 1.04),
    (3.0, 1.00, 1.00),
    (10.0, 1.01, 0.97),
    (11.0, 1.02, 0.94),
    (1.0, 1.00, 1.05),
    (5.0, 1.76, 1.00),
    (10.0, 1.03, 1.09),
    (183.0, 1.07, 0.91),
    (37.0, 0.99, 1.00),
    (27.0, 0.95, 0.93),
    (2.0, 1.13, 0.90),
    (46.0, 0.99, 0.96),
    (183.0, 1.24, 1.03),
    (5.0, 1.01, 0.95),
    (1.0, 1.06, 0.93),
    (6.0, 0.91, 1.14),
    (1.0, 1.14, 0.90),
    (1.0, 1.27, 0.69),
    (2.0, 0.99, 1.00),
    (5.0, 1.07, 0.96),
    (3.0, 1.03, 1.01),
    (24.0, 1.61, 0.77),
    (3.0, 1.51, 0.78),
    (12.0, 1.32, 0.86),
    (9.0, 1.04, 0.96),
    (9.0, 1.00, 1.05),
    (9.0, 0.98, 1.08),
    (2.0, 0.98, 1.15),
    (5.0, 1.02, 1.06),
];
const FIRST_SET: usize = 16;
/// The speedup from which a gain is large.
const LARGE: f64 = 1.1;
/// The share of instructions below which a transformed kernel saves many.
pub const MOST: f64 = 0.88;

pub fn note(board: &Board) -> String {
    let all: Vec<Kernel> = board.sets.all().into_iter().filter_map(|name| Kernel::new(board, name)).collect();
    if all.is_empty() {
        return String::new();
    }
    format!("{}{}{}{}{}", spread(&all), rounds(&all), instructions(&all), living(board), bound(board))
}

/// The numbers of a kernel that are compared with the paper's.
pub struct Kernel {
    rounds: f64,
    speedup: f64,
    instructions: f64,
}

impl Kernel {
    pub fn new(board: &Board, name: &'static str) -> Option<Kernel> {
        let (base, vtw) = (board.report(name, BASE)?, board.report(name, "VTW")?);
        Some(Kernel {
            rounds: (base.blocks as f64 / base.resident_blocks as f64).ceil(),
            speedup: base.cycles as f64 / vtw.cycles as f64,
            instructions: vtw.warp_instructions as f64 / base.warp_instructions as f64,
        })
    }

    /// Returns some of the paper's kernels, by their positions in its tables.
    pub fn of_paper(places: Range<usize>) -> Vec<Kernel> {
        KERNELS[places].iter().map(|&(rounds, speedup, instructions)| Kernel { rounds, speedup, instructions }).collect()
    }

    fn all_of_paper() -> Vec<Kernel> {
        Kernel::of_paper(0..KERNELS.len())
    }

    pub fn gains_much(&self) -> bool {
        self.speedup >= LARGE
    }

    /// Whether the transformed kernel omits many of the instructions.
    pub fn saves_much(&self) -> bool {
        self.instructions < MOST
    }
}

/// Formats the mean gain and the number of the kernels that satisfy a condition.
pub fn such(kernels: &[Kernel], is_such: impl Fn(&Kernel) -> bool) -> String {
    let count = kernels.iter().filter(|kernel| is_such(kernel)).count();
    match mean_gain(kernels, is_such) {
        Some(mean) => format!("{mean:.3} ({count} kernel{})", if count == 1 { "" } else { "s" }),
        None => "none".to_string(),
    }
}

/// Returns the mean gain of the kernels that satisfy a condition.
pub fn mean_gain(kernels: &[Kernel], is_such: impl Fn(&Kernel) -> bool) -> Option<f64> {
    geometric_mean(&kernels.iter().filter(|kernel| is_such(kernel)).map(|kernel| ("", kernel.speedup)).collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = |at: usize| values.get(at).copied().unwrap_or_default();
    (middle(values.len().saturating_sub(1) / 2) + middle(values.len() / 2)) / 2.0
}

/// Describes how the paper's mean comes from a few kernels.
fn spread(all: &[Kernel]) -> String {
    let told = |kernels: &[Kernel]| {
        let middle = median(kernels.iter().map(|kernel| kernel.speedup).collect());
        let (large, others) = (such(kernels, Kernel::gains_much), such(kernels, |k| !k.gains_much()));
        format!("the median is {middle:.2}, those that gain a tenth or more have {large}, the others {others}")
    };
    format!(" The paper's mean is that of a few kernels: {}; here {}.", told(&Kernel::all_of_paper()), told(all))
}

/// Describes the rounds of blocks. With few rounds the launch's end, where no next block is left, has much weight.
fn rounds(all: &[Kernel]) -> String {
    let (of_paper, of) =
        (Kernel::all_of_paper(), |kernels: &[Kernel]| median(kernels.iter().map(|kernel| kernel.rounds).collect()));
    let paper = of(&of_paper);
    format!(
        " Blocks over resident blocks: {paper} in the median of table 1, {} in that of its set 1, {} here; where there are fewer than {paper} VTW has {}, elsewhere {}.",
        of(&of_paper[..FIRST_SET]),
        of(all),
        such(all, |kernel| kernel.rounds < paper),
        such(all, |kernel| kernel.rounds >= paper),
    )
}

/// Describes the saved instructions. The paper's compiler saves more.
fn instructions(all: &[Kernel]) -> String {
    let told = |kernels: &[Kernel]| {
        let (fewer, others) = (such(kernels, Kernel::saves_much), such(kernels, |k| !k.saves_much()));
        format!("{fewer} and {others}")
    };
    format!(
        " Where more than {:.0}% of the instructions go, and elsewhere: {} in the paper, {} here.",
        100.0 * (1.0 - MOST),
        told(&Kernel::all_of_paper()),
        told(all)
    )
}

/// Describes how many warps on an SM have work left in their block, or need not wait for those that have.
fn living(board: &Board) -> String {
    let set = &board.sets.0[0];
    let mean = |technique: &str| {
        let living = |report: &Report| {
            let waiting = report.warp_cycles.sum([Reason::Exit, Reason::Ahead, Reason::Siblings]);
            (report.resident_warp_cycles - waiting) as f64 / (report.cycles as f64 * report.sms as f64)
        };
        geometric_mean(&board.numbers(set, technique, |report| Some(living(report))))
    };
    mean(BASE).zip(mean("VTW")).map_or_else(String::new, |(gto, vtw)| {
        format!(
            " Warps of an SM that need not wait for their siblings at the end, on set 1: {gto:.1} under GTO, {vtw:.1} under VTW."
        )
    })
}

/// Describes how far issue slots and memory bandwidth bound the gain.
fn bound(board: &Board) -> String {
    let limit = |name: &'static str| Some((name, 1.0 / super::speed::used(board.report(name, BASE)?)));
    let bounds: Vec<_> = board.sets.all().into_iter().filter_map(limit).filter(|(_, bound)| bound.is_finite()).collect();
    let close = bounds.iter().filter(|(_, bound)| *bound < LARGE).count();
    format!(
        " Of {} kernels {close} cannot gain a tenth unless instructions or L2 misses go: they use so much of the issue slots or of the memory bandwidth.",
        bounds.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_fourth_set_gains_where_instructions_go() {
        let set = Kernel::of_paper(39..51);
        assert_eq!(such(&set, Kernel::saves_much), "1.421 (4 kernels)");
        assert_eq!(such(&set, |kernel| !kernel.saves_much()), "1.013 (8 kernels)");
    }

    /// The mean and the counts of the table are those of the paper's text and of the last line of its table 4.
    #[test]
    fn the_papers_mean_is_that_of_its_kernels() {
        let speedups: Vec<_> = KERNELS.iter().map(|(_, speedup, _)| ("", *speedup)).collect();
        assert_eq!(geometric_mean(&speedups).map(|mean| format!("{mean:.2}")).as_deref(), Some("1.06"));
        assert_eq!(KERNELS.iter().filter(|(_, speedup, _)| *speedup < 0.95).count(), 2, "slower by more than 5 per cent");
        assert_eq!(median(KERNELS.map(|(_, speedup, _)| speedup).into()), 1.01);
    }
}
