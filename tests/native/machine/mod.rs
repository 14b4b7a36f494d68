//! Kernels on the cycle-level machine, and the checks of their runs.
//!
//! - [`random`]: random configurations, for random kernels.
//! - [`setups`]: the configurations that tests loop over, from the tables of presets and techniques.
//! - [`books`]: a listener that keeps its own accounts of warps, ports and cycles and compares them with the machine's.
//! - [`lane_books`]: the same for busy and sleeping lanes.
//! - [`stream`]: event streams and states in a form in which runs and single steps can be compared.
//! - [`trace`]: a run as a table to read.

pub mod books;
mod lane_books;
pub mod random;
pub mod setups;
pub mod stream;
pub mod trace;

use crate::common::kernel::Kernel;
use books::Books;
use warpscope_kernel::interp::reference::{self, ReferenceRun};
use warpscope_kernel::launch::BufferData;
use warpscope_machine::config::Config;
use warpscope_machine::metrics::Metrics;
use warpscope_machine::sim::{Sim, SimError, too_long};

/// Far more than any of the tests' kernels needs.
pub const MOST_CYCLES: u64 = 50_000_000;

/// A run that has ended.
pub struct Finished {
    pub sim: Sim,
    pub metrics: Metrics,
}

/// Builds the machine with a kernel, before its first cycle.
pub fn load(kernel: &Kernel, config: &Config) -> Result<Sim, SimError> {
    Sim::of(&kernel.job, config.clone())
}

/// Runs a machine to its end and checks the accounts; the error says what went wrong.
pub fn finish(mut sim: Sim) -> Result<Finished, String> {
    let (mut metrics, mut books) = (Metrics::of(&sim.machine.config), Books::of(&sim.machine.config));
    sim.run(MOST_CYCLES, &mut (&mut metrics, &mut books));
    if !sim.finished() {
        return Err(too_long(&sim, MOST_CYCLES).to_string());
    }
    if let Some(trap) = sim.trap() {
        return Err(trap.to_string());
    }
    books.balance(&metrics, &sim)?;
    Ok(Finished { sim, metrics })
}

/// Runs the kernel with the scalar reference, with the configuration's size of a PTX warp.
pub fn reference(kernel: &Kernel, config: &Config) -> ReferenceRun {
    let start = kernel.job.start(config.ptx_warp, config.sms).expect("it has been bound before");
    reference::run(&kernel.job.program, &start, u64::MAX)
}

impl Finished {
    /// Returns the launch's buffers as the run left them.
    pub fn buffers(&self, kernel: &Kernel) -> Vec<BufferData> {
        kernel.buffers(&self.sim.state.uncore.global)
    }
}
