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

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use thiserror::Error;
use warpscope_catalogue::{self as catalogue, Workload};
use warpscope_kernel::interp::job::Job;
use warpscope_machine::config::{Config, MachineSpec};
use warpscope_machine::metrics::Report;
use warpscope_machine::run::{self, RunSpec, Unfinished};
use warpscope_machine::sim::Sim;

/// A paper whose claims are tested.
pub struct Paper {
    /// Its name on the command line.
    pub id: &'static str,
    /// The title, the authors and where it appeared.
    pub title: &'static str,
    /// The runs that sort the workloads, and those that claims about all of them need.
    pub runs: fn() -> Vec<Run>,
    /// The runs for claims about some of the workloads, by the results of the first ones, and experiments.
    pub follow_ups: fn(&Results) -> Vec<Run>,
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

/// A workload's full launch on a machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// A kernel of the catalogue.
    pub workload: String,
    /// The machine that it runs on.
    pub machine: MachineSpec,
    /// Whether to run the tiny launch instead, which lessons and figures show.
    pub tiny: bool,
}

/// Limit on the cycles of a run; no run of the catalogue takes as many.
const MOST_CYCLES: u64 = 2_000_000_000;
/// The limit for code without the lock-step that it relies on, which may never end. With lock-step it takes fewer cycles.
const MOST_WITHOUT_LOCK_STEP: u64 = 6_000_000;

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

impl Run {
    /// Takes the full launch, and a machine without changed keys.
    pub fn new(workload: &str, preset: &str, technique: &str) -> Run {
        Run { workload: workload.into(), machine: MachineSpec::new(preset, technique, []), tiny: false }
    }

    /// Changes these keys, and no others.
    pub fn with(mut self, keys: &[(&str, &str)]) -> Run {
        self.machine.keys = keys.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        self
    }

    /// Takes the tiny launch, if the workload has one.
    pub fn with_tiny_launch(mut self) -> Run {
        self.tiny = true;
        self
    }

    /// Returns the text of the launch file.
    fn launch(&self, workload: &Workload) -> &'static str {
        workload.tiny.filter(|_| self.tiny).unwrap_or(workload.full)
    }

    /// Builds the configuration of the machine.
    pub fn config(&self) -> Result<Config, String> {
        self.machine.config().map_err(|error| error.to_string())
    }

    /// Loads the workload with its launch, and builds the machine before its first cycle.
    fn load(&self) -> Result<(&'static Workload, Job, Sim), RunError> {
        let unfit = |error: &dyn std::fmt::Display| RunError::Unfit(error.to_string());
        let named = catalogue::find(&self.workload).ok_or_else(|| unfit(&format!("there is no workload `{}`", self.workload)))?;
        let run = RunSpec::new(named.ptx, self.launch(named), self.machine.clone());
        let job = run.job(&|file| named.read_file(file)).map_err(|error| unfit(&error))?;
        let sim = run.sim(&job).map_err(|error| unfit(&error))?;
        Ok((named, job, sim))
    }

    /// Whether the code relies on lock-step and the machine does not keep it: the result is then unpredictable.
    fn loses_lock_step(&self) -> bool {
        let relies = catalogue::find(&self.workload).is_some_and(|workload| workload.lock_step);
        relies && self.config().is_ok_and(|config| !config.reunites_warps())
    }

    /// Describes the failure of this run.
    pub fn failure(&self, error: &RunError) -> String {
        format!("{} under {} on {}: {error}", self.workload, self.machine.technique, self.machine.preset)
    }

    /// Returns a hash of the program, the launch and the machine; runs with the same hash are the same. `None` for what cannot be
    /// run.
    pub fn key(&self) -> Option<u64> {
        let named = catalogue::find(&self.workload)?;
        let mut hasher = DefaultHasher::new();
        (named.name, named.ptx, self.launch(named), self.config().ok()?).hash(&mut hasher);
        Some(hasher.finish())
    }

    /// Returns the registers of a thread in the program that the machine runs.
    fn registers(&self) -> Option<u32> {
        self.load().ok().map(|(_, _, sim)| sim.machine.program.registers_needed)
    }

    /// Returns the memory in bytes that the run takes; none if it cannot be made.
    pub fn bytes(&self) -> u64 {
        let (Some(named), Ok(config)) = (catalogue::find(&self.workload), self.config()) else { return 0 };
        let run = RunSpec::new(named.ptx, self.launch(named), self.machine.clone());
        let job = run.job(&|file| named.read_file(file));
        job.ok().and_then(|job| Sim::check(&job, &config).ok()).unwrap_or(0)
    }

    /// Runs the launch to its end and checks what it left.
    pub fn perform(&self) -> Result<Report, RunError> {
        let (named, job, mut sim) = self.load()?;
        let most = if self.loses_lock_step() { MOST_WITHOUT_LOCK_STEP } else { MOST_CYCLES };
        let report = run::finish(&mut sim, most).map_err(|unfinished| match unfinished {
            Unfinished::Trapped(trap) => RunError::Failed(trap.to_string()),
            Unfinished::Endless(_) => RunError::Endless,
        })?;
        let after = job.after(&sim.state.uncore.global);
        named.check(&job.launch, &job.before, &after).map_err(|mismatch| RunError::Wrong(mismatch.to_string()))?;
        Ok(report)
    }
}

/// Why a run has no report.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum RunError {
    /// The configuration is invalid, or the machine cannot hold the launch.
    #[error("{0}")]
    Unfit(String),
    /// The kernel trapped.
    #[error("{0}")]
    Failed(String),
    /// The kernel did not end within the limit of cycles.
    #[error("it does not end")]
    Endless,
    /// The kernel left other results than its reference.
    #[error("{0}")]
    Wrong(String),
}

impl RunError {
    /// Returns one word for tables.
    pub fn status(&self) -> &'static str {
        match self {
            RunError::Unfit(_) => "refused",
            RunError::Failed(_) => "trapped",
            RunError::Endless => "endless",
            RunError::Wrong(_) => "wrong",
        }
    }
}

/// Runs, each with its report or its error.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The outcome of every run that has been made.
    pub runs: BTreeMap<Run, Result<Report, RunError>>,
    /// The runs that have been asked for.
    #[cfg(test)]
    asked: std::cell::RefCell<std::collections::BTreeSet<Run>>,
}

impl FromIterator<(Run, Result<Report, RunError>)> for Results {
    fn from_iter<I: IntoIterator<Item = (Run, Result<Report, RunError>)>>(runs: I) -> Results {
        let mut results = Results::default();
        results.runs.extend(runs);
        results
    }
}

impl Results {
    /// Returns the report of a run that succeeded.
    pub fn of(&self, run: &Run) -> Option<&Report> {
        #[cfg(test)]
        self.asked.borrow_mut().insert(run.clone());
        self.runs.get(run)?.as_ref().ok()
    }

    /// Returns the error of a run that failed.
    pub fn error(&self, run: &Run) -> Option<&RunError> {
        #[cfg(test)]
        self.asked.borrow_mut().insert(run.clone());
        self.runs.get(run)?.as_ref().err()
    }

    /// Describes the runs that failed although they should have succeeded.
    pub fn failures(&self) -> Vec<String> {
        let failed = |(run, report): (&Run, &Result<Report, RunError>)| {
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
    use warpscope_machine::metrics::Metrics;

    #[test]
    fn every_run_of_a_paper_can_be_made() {
        for paper in PAPERS {
            assert!(find(paper.id).is_some_and(|found| std::ptr::eq(found, paper)));
            let runs = (paper.runs)();
            for (at, run) in runs.iter().enumerate() {
                assert!(catalogue::find(&run.workload).is_some(), "{run:?}");
                assert_eq!(run.config().err(), None, "{run:?}");
                assert!(!runs[..at].contains(run), "{run:?} twice");
            }
        }
    }

    /// Makes up a report for a run, such that workloads come into every set.
    fn made_up(run: &Run) -> Report {
        let hash = |what: &str| {
            let mut hasher = DefaultHasher::new();
            what.hash(&mut hasher);
            hasher.finish()
        };
        let (run, workload) = (hash(&format!("{run:?}")), hash(&run.workload));
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
            let in_vain: Vec<&Run> = results.runs.keys().filter(|run| !asked.contains(run)).collect();
            assert!(in_vain.is_empty(), "{}: nothing asks for {} runs: {in_vain:#?}", paper.id, in_vain.len());
        }
    }

    #[test]
    fn the_stages_are_those_of_the_whole_gpu() {
        let whole = Config::preset("gtx480x15").expect("a preset");
        let one = Run::new("saxpy", "gtx480", "").with(STAGES).config().expect("a sound machine");
        let Config { sms, l2_bytes, dram_bytes_per_cycle, dram_queue, .. } = one;
        assert_eq!(Config { sms, l2_bytes, dram_bytes_per_cycle, dram_queue, ..whole }, one);
    }

    #[test]
    fn another_key_of_the_machine_is_another_run() {
        let run = Run::new("saxpy", "tbc", "PDOM");
        assert!(run.key().is_some());
        assert_eq!(run.key(), Run::new("saxpy", "tbc", "PDOM").with(&[("simd_width", "8")]).key(), "the preset's own value");
        assert_ne!(run.key(), run.clone().with(&[("simd_width", "16")]).key());
        assert_ne!(run.key(), Run::new("sobel", "tbc", "PDOM").key());
        assert_eq!(Run::new("nothing", "tbc", "PDOM").key(), None);
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
            let run = Run::new(workload, "tbc", technique);
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
