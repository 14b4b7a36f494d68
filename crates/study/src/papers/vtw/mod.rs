//! Taming Warp Divergence (Anantpur and Govindarajan, CGO 2017): the divergence of section 3 and the evaluation of section 5,
//! on the machine of its table 3.
//!
//! The kernels are the whole catalogue, without the two listings of the TBC paper and without launches whose blocks are all
//! resident at once: they have no next block to continue with. Measured divergence sorts the kernels into the paper's four sets
//! ([`sets`]). Performance is GTO's cycles over a technique's, and means are geometric.

mod divergence;
mod limits;
mod programs;
mod sets;
mod speed;
mod stalls;
mod why;

use super::board::{self, Keys};
use super::judge::{Judge, Speedups, geometric_mean};
use super::{Claim, Results, STAGES};
use crate::run::RunSpec;
use sets::KernelSets;
use warpscope_catalogue as catalogue;

const JUDGE: Judge = Judge { paper: "vtw" };
const PRESET: &str = "gtx480";
const LISTINGS: [&str; 2] = ["tbc_example1", "tbc_example2"];
const BASE: &str = "GTO";
const TECHNIQUES: [&str; 7] = [BASE, "LRR", "vGTO", "vLRR", "VTW", "VTW-SL", "VTW-LH"];
/// Experiments that the paper does not have. Division as fast as multiplication: the loop over blocks divides to compute indices
/// of two dimensions.
const QUICK_DIVISION: Keys = &[("div_latency", "5"), ("div_interval", "2")];
/// Instructions are always available: the loop over blocks moves code to other places in its lines of the I-cache.
const IDEAL_FETCH: Keys = &[("ideal_fetch", "true")];
/// More registers: the transformed kernel may need more of them, and then fewer blocks are resident.
const MORE_REGISTERS: Keys = &[("registers", "65536")];
/// All three, on every kernel: the loop costs as little as possible.
const CHEAP_LOOP: Keys = &[("div_latency", "5"), ("div_interval", "2"), ("ideal_fetch", "true"), ("registers", "65536")];
/// Four times the memory bandwidth.
const WIDE_MEMORY: Keys = &[("dram_bytes_per_cycle", "67.58")];
/// No hoisting: a hoisted value may need a register for the whole loop. GTO has no such loop.
const NO_HOISTING: Keys = &[("hoist", "false")];
/// Room for twice the blocks, under GTO alone: an upper bound on the gain from filling slots earlier ([`limits`]).
const TWICE_THE_SLOTS: Keys =
    &[("max_threads", "3072"), ("max_blocks", "16"), ("registers", "65536"), ("shared_memory", "98304")];
/// The experiments on kernels that VTW slows.
const EXPERIMENTS: [(&str, Keys); 6] = [
    ("division as fast as multiplication", QUICK_DIVISION),
    ("instructions that are always there", IDEAL_FETCH),
    ("twice the registers", MORE_REGISTERS),
    ("all three", CHEAP_LOOP),
    ("four times the memory bandwidth", WIDE_MEMORY),
    ("nothing computed before the loop", NO_HOISTING),
];

fn kernels() -> impl Iterator<Item = &'static str> {
    catalogue::all().iter().map(|workload| workload.name).filter(|name| !LISTINGS.contains(name))
}

pub fn runs() -> Vec<RunSpec> {
    let mut runs = Vec::new();
    for name in kernels() {
        runs.extend(TECHNIQUES.map(|technique| RunSpec::of(name, PRESET, technique)));
        runs.extend([BASE, "VTW"].map(|technique| RunSpec::of(name, PRESET, technique).with(CHEAP_LOOP)));
        runs.extend([BASE, "VTW"].map(|technique| RunSpec::of(name, PRESET, technique).with(STAGES)));
        runs.push(RunSpec::of(name, PRESET, "VTW").with(NO_HOISTING));
        runs.push(RunSpec::of(name, PRESET, BASE).with(TWICE_THE_SLOTS));
    }
    runs
}

/// Returns the experiments on the kernels that VTW slows, to explain why.
pub fn follow_ups(results: &Results) -> Vec<RunSpec> {
    let board = sorted(results);
    let each = |name: &'static str| {
        EXPERIMENTS
            .iter()
            .flat_map(move |(_, keys)| [BASE, "VTW"].map(|technique| RunSpec::of(name, PRESET, technique).with(keys)))
    };
    speed::slower(&board, &board.sets.all()).into_iter().flat_map(|(name, _)| each(name)).collect()
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = sorted(results);
    let mut claims = divergence::claims(&board);
    claims.extend(speed::claims(&board));
    claims.extend(stalls::claims(&board));
    claims.extend(programs::claims(&board));
    claims
}

type Board<'a> = board::Board<'a, KernelSets>;

fn sorted(results: &Results) -> Board<'_> {
    board::Board::new(results, PRESET).sorted(|board| {
        let mut sets = KernelSets::default();
        for name in kernels() {
            let Some(report) = board.report(name, "LRR") else { continue };
            if report.blocks > report.resident_blocks {
                sets.add(name, report);
            }
        }
        sets
    })
}

impl Board<'_> {
    /// Formats the means of the four sets and of all kernels beside the paper's.
    fn by_set(&self, paper: &[f64; 5], ratios: impl Fn(&[&'static str]) -> Speedups) -> String {
        let all = self.sets.all();
        let sets = self.sets.0.iter().map(Vec::as_slice).chain([all.as_slice()]);
        let names = ["set 1", "set 2", "set 3", "set 4", "all"];
        let told = sets
            .zip(names)
            .zip(paper)
            .filter_map(|((set, name), paper)| geometric_mean(&ratios(set)).map(|mean| format!("{name} {mean:.3} ({paper:.2})")));
        let told = told.collect::<Vec<_>>().join(", ");
        if told.is_empty() { told } else { format!("Beside the paper's in brackets: {told}.") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_machine::config::Config;
    use warpscope_machine::metrics::{Metrics, Report};

    /// "Four times the memory bandwidth" is four times the preset's.
    #[test]
    fn wide_memory_is_four_times_as_wide() {
        let rate = |keys| RunSpec::of("", PRESET, BASE).with(keys).config().map(|config| config.dram_bytes_per_cycle.as_f64());
        assert_eq!(rate(WIDE_MEMORY), rate(&[]).map(|rate| 4.0 * rate));
    }

    /// Returns the report of a kernel of ten blocks with that many cycles and resident blocks.
    fn report(cycles: u64, resident_blocks: u64) -> Report {
        Report { blocks: 10, resident_blocks, ..Report::new(&Metrics::default(), &Config::default(), cycles) }
    }

    /// Only kernels that VTW slows are examined, with all experiments under GTO and under VTW.
    #[test]
    fn experiments_are_made_where_vtw_loses() {
        let mut results = Results::default();
        for (name, cycles) in [("spmv", 1100), ("saxpy", 1000)] {
            let kernel = |technique, cycles| (RunSpec::of(name, PRESET, technique), Ok(report(cycles, 4)));
            results.runs.extend([kernel(BASE, 1000), kernel("LRR", 1000), kernel("VTW", cycles)]);
        }
        let runs = follow_ups(&results);
        assert_eq!(runs.len(), 2 * EXPERIMENTS.len());
        assert!(runs.iter().all(|run| run.name() == "spmv" && run.config().is_ok_and(|config| config.validate().is_ok())));
    }

    #[test]
    fn performance_is_the_geometric_mean_over_launches_of_several_rounds() {
        let cycles = |technique| if technique == BASE { 1210 } else { 1000 };
        let kernel =
            |name: &str, technique: &str, cycles, resident| (RunSpec::of(name, PRESET, technique), Ok(report(cycles, resident)));
        let mut results = Results::default();
        for technique in [BASE, "LRR", "VTW"] {
            results.runs.extend([
                kernel("spmv", technique, cycles(technique), 4),
                kernel("saxpy", technique, 1000, 4),
                kernel("nbody", technique, 5 * cycles(technique), 10),
            ]);
        }
        let claims = judge(&results);
        let measured = |id| claims.iter().find(|claim| claim.id == id).map(|claim| claim.measured.as_str());
        assert_eq!(measured("vtw.vtw"), Some("1.100"), "the mean of 1.21 and 1; all of nbody's blocks are resident");
        assert_eq!(measured("vtw.sets"), Some("0, 0, 0 and 2 kernels"));
        assert_eq!(measured("vtw.vgto"), Some("not measured"));
    }
}
