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

use super::board::{self, Keys};
use super::judge::{Judge, Speedups};
use super::{Claim, Results};
use crate::run::RunSpec;
use warpscope_catalogue::{self as catalogue, Size, Suite};
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
const SMALL_L2: Keys = &[("l2_bytes", "34952"), ("l2_ways", "8")];
const WITH_SMALL_L2: [&str; 4] = ["PDOM", "DWF", "DWF-WB", "TBC-LCP"];

pub fn runs() -> Vec<RunSpec> {
    let mut runs = Vec::new();
    for name in EXAMPLES.into_iter().chain(applications()) {
        runs.extend(TECHNIQUES.map(|technique| RunSpec::of(name, PRESET, technique)));
    }
    for name in applications() {
        runs.extend(ORDERS.map(|technique| RunSpec::of(name, PRESET, technique)));
        runs.extend(WITH_SMALL_L2.map(|technique| RunSpec::of(name, PRESET, technique).with(SMALL_L2)));
    }
    for (name, techniques) in NAMED {
        runs.extend(techniques.iter().map(|technique| RunSpec::of(name, PRESET, technique)));
    }
    runs.extend(["PDOM", "TBC"].map(|technique| RunSpec::of(EXAMPLES[0], FIGURE_7, technique).sized(Size::Tiny)));
    runs
}

/// Returns the runs of the divergent applications alone.
pub fn follow_ups(results: &Results) -> Vec<RunSpec> {
    let board = sorted(results);
    let small = board.sets.divergent.iter().map(|name| RunSpec::of(name, PRESET, ORDERS[0]).with(SMALL_L2));
    small.chain(dwf::runs(&board)).collect()
}

fn applications() -> impl Iterator<Item = &'static str> {
    catalogue::suite(Suite::Divergence).map(|workload| workload.name).filter(|name| !EXAMPLES.contains(name))
}

/// The paper's two sets.
struct Sets {
    divergent: Vec<&'static str>,
    coherent: Vec<&'static str>,
}

impl Sets {
    fn all(&self) -> Vec<&'static str> {
        self.divergent.iter().chain(&self.coherent).copied().collect()
    }
}

type Board<'a> = board::Board<'a, Sets>;

fn sorted(results: &Results) -> Board<'_> {
    board::Board::new(results, PRESET).sorted(|board| {
        let mut sets = Sets { divergent: Vec::new(), coherent: Vec::new() };
        for name in applications() {
            let Some(report) = board.report(name, "PDOM") else { continue };
            let set = if report.simd_efficiency < DIVERGENT_BELOW { &mut sets.divergent } else { &mut sets.coherent };
            set.push(name);
        }
        sets
    })
}

impl Board<'_> {
    /// Returns the speedup over PDOM of one workload, which stands for one of the paper's.
    fn one(&self, name: &'static str, technique: &str) -> Option<f64> {
        self.speedup(name, technique, "PDOM")
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

    /// Returns the share of issue slots in some classes, workload by workload.
    fn slots(&self, set: &[&'static str], technique: &str, classes: &[SlotClass]) -> Speedups {
        self.numbers(set, technique, |report| {
            let these = report.issue_slots.sum(classes.iter().cloned());
            Some(these as f64 / report.issue_slots.total().max(1) as f64)
        })
    }

    /// Returns the share of the used issue slots with 29 to 32 active threads, workload by workload.
    fn full_warps(&self, set: &[&'static str], technique: &str) -> Speedups {
        self.numbers(set, technique, |report| {
            let used = report.issue_slots.total() - report.issue_slots.sum(slots::UNUSED);
            Some(report.issue_slots.get(slots::FULL) as f64 / used.max(1) as f64)
        })
    }

    /// Returns the SIMD efficiency, workload by workload.
    fn efficiencies(&self, set: &[&'static str], technique: &str) -> Speedups {
        self.numbers(set, technique, |report| Some(report.simd_efficiency))
    }
}

pub fn judge(results: &Results) -> Vec<Claim> {
    let board = sorted(results);
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
