//! A kernel bound to a launch, and the scalar reference's run of it.

use warpscope_catalogue::Workload;
use warpscope_kernel::interp::job::Job;
use warpscope_kernel::interp::memory::Global;
use warpscope_kernel::interp::reference::{self, ReferenceRun};
use warpscope_kernel::interp::start::Start;
use warpscope_kernel::launch::{BufferData, Launch};
use warpscope_kernel::ptx::{self, problem};
use warpscope_machine::run::{Draft, ReadFile};

/// Far more than any of the tests' kernels needs.
const MOST_INSTRUCTIONS: u64 = 200_000_000;

/// A kernel with its launch, ready to run.
pub struct Kernel {
    pub text: String,
    pub job: Job,
    pub start: Start,
}

impl Kernel {
    /// Binds a PTX text to a launch file; the error is the message that a user would read.
    pub fn new(text: &str, launch: &str, read_file: ReadFile) -> Result<Kernel, String> {
        let launch = Launch::parse(launch).map_err(|error| error.to_string())?;
        Kernel::with_launch(text, launch, read_file)
    }

    pub fn with_launch(text: &str, launch: Launch, read_file: ReadFile) -> Result<Kernel, String> {
        let (module, problems) = ptx::parse(text);
        let draft =
            Draft::new(&module, &problems, launch).map_err(|problems| problem::render(&problems, "kernel.ptx", text, 3))?;
        let job = draft.fill(read_file).map_err(|error| error.to_string())?;
        let start = job.start(32, 1).map_err(|error| error.to_string())?;
        Ok(Kernel { text: text.to_string(), job, start })
    }

    /// Runs it with the scalar reference to its end, or to its trap.
    pub fn run(&self) -> ReferenceRun {
        self.run_at_most(MOST_INSTRUCTIONS)
    }

    pub fn run_at_most(&self, instructions: u64) -> ReferenceRun {
        let mut outcome = reference::run(&self.job.program, &self.start, instructions);
        outcome.trap = outcome.trap.map(|trap| trap.in_text(&self.job.program, &self.text));
        outcome
    }

    /// Runs it with the scalar reference; returns the buffers that it leaves, or the trap's message.
    pub fn finish(&self) -> Result<Vec<BufferData>, String> {
        let outcome = self.run();
        match outcome.trap {
            None => Ok(self.buffers(&outcome.global)),
            Some(trap) => Err(trap.to_string()),
        }
    }

    /// Returns the launch's buffers as a run left them.
    pub fn buffers(&self, global: &Global) -> Vec<BufferData> {
        self.job.after(global)
    }
}

/// Returns a workload with its small launch.
pub fn small(workload: &Workload) -> Job {
    let draft = Draft::read(workload.ptx, workload.small).expect("sound texts");
    draft.fill(&|file| workload.read_file(file)).expect("its files")
}

/// Refuses every file, for launches without files.
pub fn no_files(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("there is no file {name}"))
}

/// Returns the little-endian 64-bit words of a buffer.
pub fn words64(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect()
}

/// Returns the little-endian 32-bit words of a buffer.
pub fn words32(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}
