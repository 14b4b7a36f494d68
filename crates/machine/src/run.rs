//! The one way to prepare a run, from what a person gives to a machine before its first cycle, and to take it to its end.
//!
//! ```text
//! kernel text ──► module ─┐
//! launch text ──► launch ─┴─► Draft (the kernel that the launch names) ─► Job (buffers filled) ─┐
//! preset, techniques, keys ─► MachineSpec ─► Config ────────────────────────────────────────────┴─► passes ─► Sim
//! ```
//!
//! [`prepare`] goes the whole way. Callers that read a text for other purposes too, or have limits of their own, take the same
//! steps one by one: [`Draft`], then [`MachineSpec::config`] and [`Sim::of`], which applies the program passes. [`finish`] is for
//! callers that want the numbers of a whole run or the reason why there are none.

use crate::config::MachineSpec;
use crate::metrics::{Metrics, Report};
use crate::sim::{Sim, SimError};
use thiserror::Error;
use warpscope_kernel::interp::job::Job;
use warpscope_kernel::interp::start::{Start, StartError};
use warpscope_kernel::interp::trap::Trap;
use warpscope_kernel::launch::{Launch, LaunchError};
use warpscope_kernel::program::{self, Program};
use warpscope_kernel::ptx::{self, Module, Problem};

/// Why a run cannot be prepared.
#[derive(Debug, Error)]
pub enum SpecError {
    /// The PTX has problems, or no kernel of the launch's name.
    #[error("the kernel has {}", count(.0))]
    Kernel(Vec<Problem>),
    /// The launch cannot be read, or does not go with the kernel.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The machine is invalid, or cannot run the kernel with this launch.
    #[error(transparent)]
    Machine(#[from] SimError),
}

/// Formats the number of problems and the message of the first: `1 problem: …`.
fn count(problems: &[Problem]) -> String {
    let first = problems.first().map(|problem| problem.message.as_str()).unwrap_or_default();
    let noun = if problems.len() == 1 { "problem" } else { "problems" };
    format!("{} {noun}: {first}", problems.len())
}

/// Reads a file that a launch names.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// Reads a kernel and its launch, fills the buffers, and builds the machine before its first cycle.
pub fn prepare(ptx: &str, launch: &str, machine: &MachineSpec, read_file: ReadFile) -> Result<(Job, Sim), SpecError> {
    let job = Draft::read(ptx, launch)?.fill(read_file)?;
    let sim = Sim::of(&job, machine.config().map_err(SimError::from)?)?;
    Ok((job, sim))
}

/// Why a run has no numbers.
#[derive(Debug, Error)]
pub enum Unfinished {
    /// The kernel trapped.
    #[error("{0}")]
    Trapped(Box<Trap>),
    /// The kernel had not ended after this many cycles.
    #[error("it has not ended after {0} cycles")]
    Endless(u64),
}

/// Runs a machine until its kernel ends, for at most `most` cycles, and returns the numbers of the run.
pub fn finish(sim: &mut Sim, most: u64) -> Result<Report, Unfinished> {
    let mut metrics = Metrics::of(&sim.machine.config);
    sim.run_specialised(most, &mut metrics);
    match sim.trap() {
        Some(trap) => Err(Unfinished::Trapped(Box::new(trap.clone()))),
        None if !sim.finished() => Err(Unfinished::Endless(most)),
        None => Ok(Report::new(&metrics, &sim.machine.config, sim.state.cycle)),
    }
}

/// A kernel and the launch that names it, before buffers are filled.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The kernel.
    pub program: Program,
    /// The launch, checked against the kernel's parameters.
    pub launch: Launch,
}

impl Draft {
    /// Reads the two texts; problems of the launch come first.
    pub fn read(ptx: &str, launch: &str) -> Result<Draft, SpecError> {
        let launch = Launch::parse(launch)?;
        let (module, problems) = ptx::parse(ptx);
        Draft::new(&module, &problems, launch).map_err(SpecError::Kernel)
    }

    /// Builds the kernel that the launch names from a parsed text with its problems.
    pub fn new(module: &Module, problems: &[Problem], launch: Launch) -> Result<Draft, Vec<Problem>> {
        let program = program::load_parsed(module, problems, launch.kernel.as_deref())?;
        Ok(Draft { program, launch })
    }

    /// Checks that the kernel can run with the launch.
    pub fn check(&self) -> Result<(), StartError> {
        Start::check(&self.program, &self.launch)
    }

    /// Fills the launch's buffers and the module variables that it sets.
    pub fn fill(self, read_file: ReadFile) -> Result<Job, LaunchError> {
        Job::bind(self.program, self.launch, read_file)
    }
}

/// Helpers for the tests of this crate.
#[cfg(test)]
pub mod testing {
    use super::*;

    /// Builds a machine like `toy` that runs a catalogue kernel with its tiny launch, before its first cycle.
    pub fn toy(kernel: &str, technique: &str, keys: &[(&str, &str)]) -> Sim {
        let workload = warpscope_catalogue::find(kernel).expect("a workload");
        let machine = MachineSpec::new("toy", technique, keys.iter().copied());
        let launch = workload.tiny.expect("a tiny launch");
        prepare(workload.ptx, launch, &machine, &|file| workload.read_file(file)).expect("a machine that fits").1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_catalogue as catalogue;

    #[test]
    fn an_error_says_which_part_is_wrong() {
        let saxpy = catalogue::find("saxpy").expect("a workload");
        let on = |preset: &str, technique: &str, ptx: &str, launch: &str| {
            prepare(ptx, launch, &MachineSpec::new(preset, technique, []), &|file| saxpy.read_file(file)).map(|_| ())
        };
        let texts = |ptx: &str, launch: &str| on("gtx480", "", ptx, launch);
        assert!(matches!(texts(saxpy.ptx, "grid = 0"), Err(SpecError::Launch(_))));
        assert!(matches!(texts("nothing", "grid = 0"), Err(SpecError::Launch(_))), "the launch first");
        assert!(matches!(texts("nothing", saxpy.small), Err(SpecError::Kernel(problems)) if !problems.is_empty()));
        let machine = |preset: &str, technique: &str| on(preset, technique, saxpy.ptx, saxpy.small);
        assert!(matches!(machine("toy", "nothing"), Err(SpecError::Machine(SimError::Config(_)))));
        assert!(
            matches!(machine("toy", ""), Err(SpecError::Machine(SimError::Config(_)))),
            "blocks of saxpy are too large for it"
        );
        assert!(machine("gtx480", "").is_ok());
    }

    #[test]
    fn one_parsed_text_serves_every_launch() {
        let kernel = |name: &str| format!(".visible .entry {name}()\n{{\nret;\n}}\n");
        let (module, problems) =
            ptx::parse(&format!(".version 8.0\n.target sm_90\n.address_size 64\n{}{}", kernel("one"), kernel("two")));
        let draft = |named: &str| {
            let launch = Launch::parse(&format!("{named}\ngrid = [1]\nblock = [1]\n")).expect("a launch");
            Draft::new(&module, &problems, launch).map(|draft| draft.program.kernel)
        };
        assert_eq!(draft("kernel = 'one'"), Ok("one".to_string()));
        assert_eq!(draft("kernel = 'two'"), Ok("two".to_string()));
        for unknown in ["", "kernel = 'three'"] {
            assert!(draft(unknown).is_err_and(|problems| problems[0].trouble == ptx::Trouble::Choice), "{unknown}");
        }
    }
}
