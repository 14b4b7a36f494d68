//! Thread Block Compaction (Fung and Aamodt, HPCA 2011): its evaluation in section 6, on the machine of its table 2.
//!
//! The paper sorts its benchmarks by SIMD efficiency under PDOM: below 76 per cent they are divergent, else coherent (section
//! 2.2.2). The same rule sorts the divergence suite here. The suite also has the paper's two code listings. They are no
//! applications, and each shows one effect; they are left out of both sets and count only in claims about that effect. Speedups
//! are ratios of cycles, their means harmonic.
//!
//! What the paper says of an application by name is tested on the workload that computes the same, also where that belongs to
//! another suite ([`NAMED`]).

mod applications;
mod dwf;
mod mechanisms;
mod named;
mod speeds;

use super::judge::{ClaimedEffect, Judge, Speedups};
use super::{Claim, Results, Run};
use warpscope_catalogue::{self as catalogue, Suite};
use warpscope_machine::metrics::Report;
use warpscope_machine::metrics::slots::{self, SlotClass};

const JUDGE: Judge = Judge { paper: "tbc" };
const PRESET: &str = "tbc";
/// The paper's code listings: example 1 and example 2.
const EXAMPLES: [&str; 2] = ["tbc_example1", "tbc_example2"];
/// SIMD efficiency below which a workload is divergent (section 2.2.2).
const DIVERGENT_BELOW: f64 = 0.76;
const TECHNIQUES: [&str; 6] = ["PDOM", "PDOM-LCP", "DWF", "DWF-WB", "TBC", "TBC-LCP"];
/// Other orders of blocks (figure 15), on applications.
const ORDERS: [&str; 2] = ["TBC-LCP-RRB", "TBC-LCP-SRR"];
/// Workloads of other suites that are the paper's own applications (HotSpot, heart wall detection, back propagation, AES, LIBOR),
/// or resemble one: `cascade` is face detection as in its reference, `trie` follows links as MUMMER-GPU does. They count in
/// claims about these applications, and in no set. Each has the techniques that these claims compare.
const NAMED: [(&str, &[&str]); 7] = [
    ("hotspot", &["PDOM", "DWF", "DWF-WB", "TBC-LCP"]),
    ("heartwall", &["PDOM", "DWF", "DWF-WB", "TBC-LCP"]),
    ("backprop", &["PDOM", "TBC-LCP"]),
    ("aes", &["PDOM", "TBC-LCP"]),
    ("libor", &["PDOM", "TBC-LCP", "TBC-LCP-RRB", "TBC-LCP-SRR"]),
    ("cascade", &["PDOM", "DWF", "DWF-WB", "TBC-LCP"]),
    ("trie", &TECHNIQUES),
];
/// The paper's speedup of DWF over PDOM on divergent applications.
const DWF_OVER_PDOM: f64 = 1.04;
/// The machine of figure 7, with warps of four.
const FIGURE_7: &str = "toy";
/// Section 6.4: 128 KB instead of 1 MB for each of 8 channels, divided among 30 cores; 8 ways.
const SMALL_L2: [(&str, &str); 2] = [("l2_bytes", "34952"), ("l2_ways", "8")];
const WITH_SMALL_L2: [&str; 4] = ["PDOM", "DWF", "DWF-WB", "TBC-LCP"];

pub fn runs() -> Vec<Run> {
    let mut runs = Vec::new();
    for name in EXAMPLES.into_iter().chain(applications()) {
        runs.extend(TECHNIQUES.map(|technique| Run::new(name, PRESET, technique)));
    }
    for name in applications() {
        runs.extend(ORDERS.map(|technique| Run::new(name, PRESET, technique)));
        runs.extend(WITH_SMALL_L2.map(|technique| Run::new(name, PRESET, technique).with(&SMALL_L2)));
    }
    for (name, techniques) in NAMED {
        runs.extend(techniques.iter().map(|technique| Run::new(name, PRESET, technique)));
    }
    runs.extend(["PDOM", "TBC"].map(|technique| Run::new(EXAMPLES[0], FIGURE_7, technique).with_tiny_launch()));
    runs
}

/// Returns the runs of the divergent applications alone.
pub fn follow_ups(results: &Results) -> Vec<Run> {
    let board = Board::new(results);
    let small = board.divergent.iter().map(|name| Run::new(name, PRESET, ORDERS[0]).with(&SMALL_L2));
    small.chain(dwf::runs(&board)).collect()
}

fn applications() -> impl Iterator<Item = &'static str> {
    catalogue::suite(Suite::Divergence).map(|workload| workload.name).filter(|name| !EXAMPLES.contains(name))
}

/// The results, sorted into the paper's two sets.
struct Board<'a> {
    results: &'a Results,
    divergent: Vec<&'static str>,
    coherent: Vec<&'static str>,
}

impl<'a> Board<'a> {
    fn new(results: &'a Results) -> Board<'a> {
        let mut board = Board { results, divergent: Vec::new(), coherent: Vec::new() };
        for name in applications() {
            let Some(report) = board.report(name, "PDOM") else { continue };
            let set = if report.simd_efficiency < DIVERGENT_BELOW { &mut board.divergent } else { &mut board.coherent };
            set.push(name);
        }
        board
    }

    fn report(&self, workload: &str, technique: &str) -> Option<&'a Report> {
        self.results.of(&Run::new(workload, PRESET, technique))
    }

    fn all(&self) -> Vec<&'static str> {
        self.divergent.iter().chain(&self.coherent).copied().collect()
    }

    /// Returns the speedup of a technique over another, for each workload that both ran.
    fn speedups(&self, set: &[&'static str], technique: &str, over: &str) -> Speedups {
        let cycles = |workload: &str, technique: &str| self.report(workload, technique).map(|report| report.cycles as f64);
        set.iter().filter_map(|name| Some((*name, cycles(name, over)? / cycles(name, technique)?))).collect()
    }

    /// Returns the speedup of a technique over PDOM, both on a machine with other keys.
    fn speedups_with(&self, set: &[&'static str], keys: &[(&str, &str)], technique: &str) -> Speedups {
        let cycles = |workload: &str, technique: &str| {
            let run = Run::new(workload, PRESET, technique).with(keys);
            self.results.of(&run).map(|report| report.cycles as f64)
        };
        set.iter().filter_map(|name| Some((*name, cycles(name, "PDOM")? / cycles(name, technique)?))).collect()
    }

    /// Returns the speedup over PDOM of one workload, which stands for one of the paper's.
    fn one(&self, name: &'static str, technique: &str) -> Option<f64> {
        self.speedups(&[name], technique, "PDOM").pop().map(|(_, speedup)| speedup)
    }

    /// Returns a quantity as a share of PDOM's cycles, averaged over a set, over the same of PDOM. Every workload has the same
    /// weight, however long it runs and however small PDOM's quantity is.
    fn ratio_of_shares(&self, set: &[&'static str], technique: &str, quantity: impl Fn(&Report) -> f64) -> Option<f64> {
        let sum = |technique: &str| {
            let share = |name: &&'static str| {
                Some(quantity(self.report(name, technique)?) / self.report(name, "PDOM")?.cycles.max(1) as f64)
            };
            set.iter().map(share).sum::<Option<f64>>().filter(|&sum| sum > 0.0)
        };
        if set.is_empty() { None } else { Some(sum(technique)? / sum("PDOM")?) }
    }

    /// Returns a quantity over that of PDOM, workload by workload.
    fn ratios(&self, set: &[&'static str], technique: &str, quantity: impl Fn(&Report) -> f64) -> Speedups {
        let ratio = |name: &&'static str| {
            let pdom = self.report(name, "PDOM").map(&quantity).filter(|&value| value > 0.0)?;
            Some((*name, quantity(self.report(name, technique)?) / pdom))
        };
        set.iter().filter_map(ratio).collect()
    }

    /// Returns the share of issue slots in some classes, workload by workload.
    fn slots(&self, set: &[&'static str], technique: &str, classes: &[SlotClass]) -> Speedups {
        let share = |name: &&'static str| {
            let report = self.report(name, technique)?;
            let these = report.issue_slots.sum(classes.iter().cloned());
            Some((*name, these as f64 / report.issue_slots.total().max(1) as f64))
        };
        set.iter().filter_map(share).collect()
    }
}

/// Returns the share of the used issue slots with 29 to 32 active threads, workload by workload.
fn full_warps(board: &Board, set: &[&'static str], technique: &str) -> Speedups {
    let share = |name: &&'static str| {
        let report = board.report(name, technique)?;
        let used = report.issue_slots.total() - report.issue_slots.sum(slots::UNUSED);
        Some((*name, report.issue_slots.get(slots::FULL) as f64 / used.max(1) as f64))
    };
    set.iter().filter_map(share).collect()
}

/// Formats shares as `name 50%, …`.
fn percents(shares: &Speedups) -> String {
    shares.iter().map(|(name, share)| format!("{name} {:.0}%", 100.0 * share)).collect::<Vec<_>>().join(", ")
}

fn average(values: &Speedups) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().map(|(_, value)| value).sum::<f64>() / values.len() as f64)
}

fn effect(id: &'static str, place: &'static str, claim: &'static str, expected: f64) -> ClaimedEffect {
    ClaimedEffect { judge: JUDGE, id, place, claim, expected }
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = Board::new(results);
    let mut claims = speeds::speeds(&board);
    claims.extend(speeds::priorities(&board));
    claims.extend(speeds::small_caches(&board));
    claims.extend(mechanisms::mechanisms(&board));
    claims.extend(applications::applications(&board));
    claims.extend(applications::persistent_threads(&board));
    claims.extend(named::named(&board));
    claims.extend(applications::untestable());
    claims
}
