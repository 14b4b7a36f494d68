//! The scoreboard: what the papers claim, and what this simulator measures.
//!
//! A [`Paper`] is data: the runs that test its claims, the experiments that some of their results call for, and a function from
//! all results to [`Claim`]s. The caller performs the runs, in any order and on any number of threads or workers, and asks for
//! the verdicts. No verdict depends on the order, so every scoreboard of one build is the same.
//!
//! # Adding a paper
//! Write its file, with the runs and a claim for each testable sentence, and add its row to [`PAPERS`].

mod baws;
mod board;
mod judge;
pub mod markdown;
mod origami;
mod tbc;
mod vtw;
mod vws;

use crate::run::{RunError, RunSpec};
use serde::Serialize;
use std::collections::BTreeMap;
use warpscope_machine::metrics::Report;

/// A paper whose claims are tested.
pub struct Paper {
    /// Its name on the command line.
    pub id: &'static str,
    /// The title, the authors and where it appeared.
    pub title: &'static str,
    /// The runs that sort the workloads, and those that claims about all of them need.
    pub runs: fn() -> Vec<RunSpec>,
    /// The runs for claims about some of the workloads, by the results of the first ones, and experiments.
    pub follow_ups: fn(&Results) -> Vec<RunSpec>,
    /// Judges every claim by the results.
    pub judge: fn(&Results) -> Vec<Claim>,
}

/// The papers in the order of their years.
pub static PAPERS: &[Paper] = &[
    Paper {
        id: "tbc",
        title: "Thread Block Compaction for Efficient SIMT Control Flow (Fung and Aamodt, HPCA 2011)",
        runs: tbc::runs,
        follow_ups: tbc::follow_ups,
        judge: tbc::judge,
    },
    Paper {
        id: "vws",
        title: "A Variable Warp Size Architecture (Rogers, Johnson, O'Connor and Keckler, ISCA 2015)",
        runs: vws::runs,
        follow_ups: vws::follow_ups,
        judge: vws::judge,
    },
    Paper {
        id: "baws",
        title: "Barrier-Aware Warp Scheduling for Throughput Processors (Liu, Yu, Eeckhout et al., ICS 2016)",
        runs: baws::runs,
        follow_ups: baws::follow_ups,
        judge: baws::judge,
    },
    Paper {
        id: "origami",
        title: "Origami: Folding Warps for Energy Efficient GPUs (Abdel-Majeed, Wong, Kuang and Annavaram, ICS 2016)",
        runs: origami::runs,
        follow_ups: |_| Vec::new(),
        judge: origami::judge,
    },
    Paper {
        id: "vtw",
        title: "Taming Warp Divergence (Anantpur and Govindarajan, CGO 2017)",
        runs: vtw::runs,
        follow_ups: vtw::follow_ups,
        judge: vtw::judge,
    },
];

/// Returns the paper of that name, ignoring case.
pub fn find(id: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.id.eq_ignore_ascii_case(id))
}

/// The stages of GPGPU-Sim's GTX 480 that the preset `gtx480` leaves out and `gtx480x15` has: decode, operand collectors with their
/// result buses, instructions through the L2 cache. Papers whose simulator has them are also judged with them.
const STAGES: &[(&str, &str)] = &[
    ("fetch_latency", "2"),
    ("branch_latency", "0"),
    ("icache_l2", "true"),
    ("read_latency", "6"),
    ("collectors", "6"),
    ("logic_latency", "1"),
    ("mul_latency", "4"),
];

/// Runs, each with its report or its error.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The outcome of every run that has been made.
    pub runs: BTreeMap<RunSpec, Result<Report, RunError>>,
    /// The runs that have been asked for.
    #[cfg(test)]
    asked: std::cell::RefCell<std::collections::BTreeSet<RunSpec>>,
}

impl FromIterator<(RunSpec, Result<Report, RunError>)> for Results {
    fn from_iter<I: IntoIterator<Item = (RunSpec, Result<Report, RunError>)>>(runs: I) -> Results {
        let mut results = Results::default();
        results.runs.extend(runs);
        results
    }
}

impl Results {
    /// Returns the report of a run that succeeded.
    pub fn of(&self, run: &RunSpec) -> Option<&Report> {
        #[cfg(test)]
        self.asked.borrow_mut().insert(run.clone());
        self.runs.get(run)?.as_ref().ok()
    }

    /// Returns the error of a run that failed.
    pub fn error(&self, run: &RunSpec) -> Option<&RunError> {
        #[cfg(test)]
        self.asked.borrow_mut().insert(run.clone());
        self.runs.get(run)?.as_ref().err()
    }

    /// Describes the runs that failed although they should have succeeded.
    pub fn failures(&self) -> Vec<String> {
        let failed = |(run, report): (&RunSpec, &Result<Report, RunError>)| {
            let error = report.as_ref().err().filter(|error| matches!(error, RunError::Unfit(_)) || !run.loses_lock_step())?;
            Some(run.failure(error))
        };
        self.runs.iter().filter_map(failed).collect()
    }
}

/// What the measurement says about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Verdict {
    /// What is measured is what the paper says, within a band that the claim names.
    #[serde(rename = "holds")]
    Holds,
    /// The direction is right, the size is not.
    #[serde(rename = "holds in direction")]
    HoldsInDirection,
    /// What is measured is something else.
    #[serde(rename = "does not hold")]
    DoesNotHold,
    /// Nothing that runs here can decide it.
    #[serde(rename = "not testable")]
    NotTestable,
}

impl Verdict {
    /// Returns the words for tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::HoldsInDirection => "holds in direction",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotTestable => "not testable",
        }
    }
}

/// A claim of a paper, what is measured here, and the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Its name: the paper's, then the claim's own.
    pub id: &'static str,
    /// The paper's name on the command line.
    pub paper: &'static str,
    /// Section, figure or table.
    #[serde(rename = "where")]
    pub place: &'static str,
    /// What the paper says, in a sentence.
    pub claim: &'static str,
    /// What would have to be measured for it to hold.
    pub expected: String,
    /// What is measured.
    pub measured: String,
    /// What follows from the two.
    pub verdict: Verdict,
    /// What the numbers are based on, and why they are far from the paper's where they are.
    pub note: String,
}

/// The scoreboard as printed in JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Scoreboard {
    /// Every claim of the papers that were asked for, in their order.
    pub claims: Vec<Claim>,
}

/// Returns the harmonic mean, which the papers use for speedups.
pub fn harmonic_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| 1.0 / value).sum();
    (!values.is_empty()).then(|| values.len() as f64 / sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::{DefaultHasher, Hash, Hasher};
    use warpscope_catalogue as catalogue;
    use warpscope_machine::config::Config;
    use warpscope_machine::metrics::Metrics;

    #[test]
    fn every_run_of_a_paper_can_be_made() {
        for paper in PAPERS {
            assert!(find(paper.id).is_some_and(|found| std::ptr::eq(found, paper)));
            let runs = (paper.runs)();
            for (at, run) in runs.iter().enumerate() {
                assert!(catalogue::find(run.name()).is_some(), "{run:?}");
                assert_eq!(run.config().err(), None, "{run:?}");
                assert!(!runs[..at].contains(run), "{run:?} twice");
            }
        }
    }

    /// Makes up a report for a run, such that workloads come into every set.
    fn made_up(run: &RunSpec) -> Report {
        let hash = |what: &str| {
            let mut hasher = DefaultHasher::new();
            what.hash(&mut hasher);
            hasher.finish()
        };
        let (run, workload) = (hash(&format!("{run:?}")), hash(run.name()));
        let mut report = Report::new(&Metrics::default(), &Config::default(), 1000 + run % 200);
        report.barriers.stall_fraction = if workload % 3 == 0 { 0.5 } else { 0.01 };
        report.simd_efficiency = if workload % 2 == 0 { 0.5 } else { 0.9 };
        (report.blocks, report.resident_blocks) = (10, 4);
        report
    }

    /// A run costs seconds: each one must be there for a claim.
    #[test]
    fn no_run_is_made_in_vain() {
        for paper in PAPERS {
            let mut results = Results::default();
            results.runs.extend((paper.runs)().into_iter().map(|run| (run.clone(), Ok(made_up(&run)))));
            let follow_ups = (paper.follow_ups)(&results);
            assert_eq!(follow_ups.is_empty(), paper.id == "origami", "{}", paper.id);
            results.runs.extend(follow_ups.into_iter().map(|run| (run.clone(), Ok(made_up(&run)))));
            (paper.judge)(&results);
            let asked = results.asked.borrow();
            let in_vain: Vec<&RunSpec> = results.runs.keys().filter(|run| !asked.contains(run)).collect();
            assert!(in_vain.is_empty(), "{}: nothing asks for {} runs: {in_vain:#?}", paper.id, in_vain.len());
        }
    }

    #[test]
    fn the_stages_are_those_of_the_whole_gpu() {
        let whole = Config::preset("gtx480x15").expect("a preset");
        let one = RunSpec::of("saxpy", "gtx480", "").with(STAGES).config().expect("a sound machine");
        let Config { sms, l2_bytes, dram_bytes_per_cycle, dram_queue, .. } = one;
        assert_eq!(Config { sms, l2_bytes, dram_bytes_per_cycle, dram_queue, ..whole }, one);
    }

    #[test]
    fn another_key_of_the_machine_is_another_run() {
        let run = RunSpec::of("saxpy", "tbc", "PDOM");
        assert!(run.key().is_some());
        assert_eq!(run.key(), RunSpec::of("saxpy", "tbc", "PDOM").with(&[("simd_width", "8")]).key(), "the preset's own value");
        assert_ne!(run.key(), run.clone().with(&[("simd_width", "16")]).key());
        assert_ne!(run.key(), RunSpec::of("sobel", "tbc", "PDOM").key());
        assert_eq!(RunSpec::of("nothing", "tbc", "PDOM").key(), None);
    }

    #[test]
    fn claims_have_names_of_their_own_and_do_without_results() {
        for paper in PAPERS {
            let claims = (paper.judge)(&Results::default());
            assert!(claims.len() >= 4);
            for (at, claim) in claims.iter().enumerate() {
                assert_eq!(claim.paper, paper.id);
                assert!(claims[..at].iter().all(|other| other.id != claim.id), "{} twice", claim.id);
                assert_eq!(claim.verdict, Verdict::NotTestable, "{} without a run", claim.id);
            }
        }
    }

    #[test]
    fn only_code_that_relies_on_lock_step_may_be_wrong_and_only_where_there_is_none() {
        let wrong = |workload: &str, technique: &str| {
            let run = RunSpec::of(workload, "tbc", technique);
            Results::from_iter([(run, Err(RunError::Wrong("a pixel".to_string())))]).failures().len()
        };
        assert_eq!((wrong("rayqueue", "DWF"), wrong("rayqueue", "DWF-WB"), wrong("raytrace", "DWF")), (0, 1, 1));
    }

    #[test]
    fn the_mean_of_speedups_is_harmonic() {
        assert_eq!(harmonic_mean(&[]), None);
        assert!(harmonic_mean(&[1.0, 2.0]).is_some_and(|mean| (mean - 4.0 / 3.0).abs() < 1e-12));
    }
}
