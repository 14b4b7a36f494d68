//! The one description of a run: which kernel, with which launch, on which machine, for how many cycles at most.
//!
//! Scoreboards, sweeps, comparisons, lessons and thumbnails hold a [`RunSpec`] each; workers receive it as JSON. It names a kernel
//! of the catalogue, or has the texts of any other. [`RunSpec::prepare`] is the way to the first cycle, [`RunSpec::perform`] the way
//! to the numbers of the whole run.

use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use thiserror::Error;
use warpscope_catalogue::{self as catalogue, Size, Workload};
use warpscope_kernel::interp::job::Job;
use warpscope_machine::config::{Config, MachineSpec};
use warpscope_machine::metrics::Report;
use warpscope_machine::run::{self, Unfinished};
use warpscope_machine::sim::Sim;

/// Limit on the cycles of a run for which none is given; no launch of the catalogue takes as many.
const MOST_CYCLES: u64 = 2_000_000_000;
/// The limit for code without the lock-step that it relies on, which may never end. With lock-step it takes fewer cycles.
const MOST_WITHOUT_LOCK_STEP: u64 = 6_000_000;

/// A kernel and its launch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum KernelSpec {
    /// A kernel of the catalogue with one of its launches; the small one where it has none of that size.
    Catalogue {
        /// Its name.
        name: String,
        /// Which of its launches.
        size: Size,
    },
    /// Texts of any kernel.
    Texts {
        /// The PTX.
        ptx: Arc<str>,
        /// The launch file. It names the kernel to run if the PTX has several.
        launch: Arc<str>,
        /// The catalogue kernel whose files the launch may name.
        files: Option<String>,
    },
}

/// A run as a person asks for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunSpec {
    /// What is run.
    pub kernel: KernelSpec,
    /// What it is run on.
    pub machine: MachineSpec,
    /// The cycles after which it is given up.
    pub most_cycles: u64,
}

/// Why a run has no report.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum RunError {
    /// The texts or the machine are invalid, or the machine cannot hold the launch.
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

    fn unfit(error: impl std::fmt::Display) -> RunError {
        RunError::Unfit(error.to_string())
    }
}

impl RunSpec {
    /// Returns the run of a catalogue kernel's full launch.
    pub fn of(workload: &str, preset: &str, technique: &str) -> RunSpec {
        let kernel = KernelSpec::Catalogue { name: workload.into(), size: Size::Full };
        RunSpec { kernel, machine: MachineSpec::new(preset, technique, []), most_cycles: MOST_CYCLES }
    }

    /// Returns the run of a kernel's texts, which cannot read files.
    pub fn of_texts(ptx: impl Into<Arc<str>>, launch: impl Into<Arc<str>>, machine: MachineSpec) -> RunSpec {
        let kernel = KernelSpec::Texts { ptx: ptx.into(), launch: launch.into(), files: None };
        RunSpec { kernel, machine, most_cycles: MOST_CYCLES }
    }

    /// Changes keys of the machine, and no others.
    pub fn with(mut self, keys: &[(&str, &str)]) -> RunSpec {
        self.machine.keys = keys.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        self
    }

    /// Takes a catalogue kernel's launch of another size.
    pub fn sized(mut self, wanted: Size) -> RunSpec {
        if let KernelSpec::Catalogue { size, .. } = &mut self.kernel {
            *size = wanted;
        }
        self
    }

    /// Returns the name of the catalogue kernel, or of that from which the texts began.
    pub fn name(&self) -> &str {
        match &self.kernel {
            KernelSpec::Catalogue { name, .. } => name,
            KernelSpec::Texts { files, .. } => files.as_deref().unwrap_or("a kernel of one's own"),
        }
    }

    /// Returns the catalogue kernel.
    fn workload(&self) -> Option<&'static Workload> {
        match &self.kernel {
            KernelSpec::Catalogue { name, .. } => catalogue::find(name),
            KernelSpec::Texts { .. } => None,
        }
    }

    /// Returns PTX, launch and the kernel whose files the launch may name.
    fn texts(&self) -> Result<(&str, &str, Option<&'static Workload>), RunError> {
        match &self.kernel {
            KernelSpec::Catalogue { name, size } => {
                let named = catalogue::find(name).ok_or_else(|| RunError::Unfit(format!("there is no workload `{name}`")))?;
                Ok((named.ptx, named.launch(*size).unwrap_or(named.small), Some(named)))
            }
            KernelSpec::Texts { ptx, launch, files } => Ok((ptx, launch, files.as_deref().and_then(catalogue::find))),
        }
    }

    /// Builds the configuration of the machine.
    pub fn config(&self) -> Result<Config, String> {
        self.machine.config().map_err(|error| error.to_string())
    }

    /// Reads the kernel and its launch, and fills the buffers.
    pub fn job(&self) -> Result<Job, RunError> {
        let (ptx, launch, files) = self.texts()?;
        let read_file = |name: &str| match files {
            Some(workload) => workload.read_file(name),
            None => Err(format!("the file {name} cannot be read: only kernels of the catalogue have files")),
        };
        run::Draft::read(ptx, launch).and_then(|draft| Ok(draft.fill(&read_file)?)).map_err(RunError::unfit)
    }

    /// Reads the kernel and its launch, and builds the machine before its first cycle.
    pub fn prepare(&self) -> Result<(Job, Sim), RunError> {
        let job = self.job()?;
        let sim = Sim::of(&job, self.machine.config().map_err(RunError::unfit)?).map_err(RunError::unfit)?;
        Ok((job, sim))
    }

    /// Whether the code relies on lock-step and the machine does not keep it: the result is then unpredictable.
    pub fn loses_lock_step(&self) -> bool {
        let relies = self.workload().is_some_and(|workload| workload.lock_step);
        relies && self.config().is_ok_and(|config| !config.reunites_warps())
    }

    /// Describes the failure of this run.
    pub fn failure(&self, error: &RunError) -> String {
        format!("{} under {} on {}: {error}", self.name(), self.machine.technique, self.machine.preset)
    }

    /// Returns a hash of the program, the launch and the machine; runs with the same hash are the same. `None` for what cannot be
    /// run.
    pub fn key(&self) -> Option<u64> {
        let (ptx, launch, files) = self.texts().ok()?;
        let mut hasher = DefaultHasher::new();
        (files.map(|named| named.name), ptx, launch, self.config().ok()?, self.most_cycles).hash(&mut hasher);
        Some(hasher.finish())
    }

    /// Returns the memory in bytes that the run takes; none if it cannot be made.
    pub fn bytes(&self) -> u64 {
        let needed = |config: Config| Sim::check(&self.job().ok()?, &config).ok();
        self.config().ok().and_then(needed).unwrap_or(0)
    }

    /// Runs the launch to its end, and checks what a kernel of the catalogue leaves.
    pub fn perform(&self) -> Result<Report, RunError> {
        let (job, mut sim) = self.prepare()?;
        let most = if self.loses_lock_step() { self.most_cycles.min(MOST_WITHOUT_LOCK_STEP) } else { self.most_cycles };
        let report = run::finish(&mut sim, most).map_err(|unfinished| match unfinished {
            Unfinished::Trapped(trap) => RunError::Failed(trap.to_string()),
            Unfinished::Endless(_) => RunError::Endless,
        })?;
        if let Some(named) = self.workload() {
            let after = job.after(&sim.state.uncore.global);
            named.check(&job.launch, &job.before, &after).map_err(|mismatch| RunError::Wrong(mismatch.to_string()))?;
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalogue_kernel_and_its_texts_are_the_same_run_on_the_way_to_the_first_cycle() {
        let named = catalogue::find("saxpy").expect("a workload");
        let by_name = RunSpec::of("saxpy", "gtx480", "PDOM").sized(Size::Small);
        let by_text = RunSpec::of_texts(named.ptx, named.small, by_name.machine.clone());
        let cycles = |run: &RunSpec| run.perform().map(|report| report.cycles);
        assert!(cycles(&by_name).is_ok());
        assert_eq!(cycles(&by_name), cycles(&by_text));
        assert_eq!(by_name.bytes(), by_text.bytes());
    }

    #[test]
    fn what_cannot_run_says_why() {
        let error = |run: RunSpec| run.perform().expect_err("it cannot run");
        assert_eq!(error(RunSpec::of("nothing", "tbc", "PDOM")).to_string(), "there is no workload `nothing`");
        assert_eq!(error(RunSpec::of("saxpy", "nothing", "")).status(), "refused");
        assert_eq!(error(RunSpec::of_texts("nonsense", "grid = [1]", MachineSpec::default())).status(), "refused");
        let short = RunSpec { most_cycles: 10, ..RunSpec::of("saxpy", "tbc", "PDOM") };
        assert_eq!(error(short), RunError::Endless);
    }
}
