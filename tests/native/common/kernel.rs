//! A kernel bound to a launch, and the scalar reference's run of it.

use warpscope::interp::job::Job;
use warpscope::interp::memory::Global;
use warpscope::interp::reference::{self, ReferenceRun};
use warpscope::interp::start::Start;
use warpscope::launch::{BufferData, Launch};
use warpscope::program::{self, Program};
use warpscope::ptx::problem;

/// Far more than any of the tests' kernels needs.
const MOST_INSTRUCTIONS: u64 = 200_000_000;

/// A kernel with its launch, ready to run.
pub struct Kernel {
    pub text: String,
    pub program: Program,
    pub launch: Launch,
    /// The buffers as the launch fills them.
    pub before: Vec<BufferData>,
    pub start: Start,
}

impl Kernel {
    /// Binds a PTX text to a launch file; the error is the message that a user would read.
    pub fn new(text: &str, launch: &str, read_file: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Kernel, String> {
        let launch = Launch::parse(launch).map_err(|error| error.to_string())?;
        Kernel::with_launch(text, launch, read_file)
    }

    pub fn with_launch(
        text: &str,
        launch: Launch,
        read_file: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Kernel, String> {
        let program = program::load(text, launch.kernel.as_deref())
            .map_err(|problems| problem::render(&problems, "kernel.ptx", text, 3))?;
        let Job { program, launch, before } = Job::bind(program, launch, read_file).map_err(|error| error.to_string())?;
        let start = Start::new(&program, &launch, &before, 32, 1).map_err(|error| error.to_string())?;
        Ok(Kernel { text: text.to_string(), program, launch, before, start })
    }

    /// Runs it with the scalar reference to its end, or to its trap.
    pub fn run(&self) -> ReferenceRun {
        self.run_at_most(MOST_INSTRUCTIONS)
    }

    pub fn run_at_most(&self, instructions: u64) -> ReferenceRun {
        let mut outcome = reference::run(&self.program, &self.start, instructions);
        outcome.trap = outcome.trap.map(|trap| trap.in_text(&self.program, &self.text));
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
        // A variable in constant space does not change.
        let bytes = |before: &BufferData| global.read_buffer(&before.name).unwrap_or_else(|| before.bytes.clone());
        self.before.iter().map(|b| BufferData { name: b.name.clone(), ty: b.ty, bytes: bytes(b) }).collect()
    }
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
