//! A kernel bound to a launch with filled buffers: the input of every run, on a machine or by the reference.

use super::memory::Global;
use super::start::{Start, StartError};
use crate::launch::{BufferData, Launch, LaunchError};
use crate::program::Program;

/// A kernel and its launch, bound to each other: what a run needs apart from the machine.
#[derive(Clone, Debug)]
pub struct Job {
    /// The kernel as compiled, before a machine's own passes.
    pub program: Program,
    /// The launch, checked against the kernel's parameters.
    pub launch: Launch,
    /// Initial contents of the buffers and of the module variables that the launch sets.
    pub before: Vec<BufferData>,
}

impl Job {
    /// Fills the buffers of a launch and the module variables that it sets.
    pub fn bind(
        mut program: Program,
        launch: Launch,
        read_file: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Job, LaunchError> {
        let mut before = launch.fill(read_file)?;
        for global in &launch.globals {
            let Some(variable) = program.variables.iter().find(|variable| variable.name == global.name) else {
                let known: Vec<String> = program.variables.iter().map(|variable| format!("`{}`", variable.name)).collect();
                let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
                let message = format!("the module has no `.global` or `.const` variable of this name; it has {known}");
                return Err(LaunchError::Global { name: global.name.clone(), message });
            };
            let data = global.fill(variable.ty, variable.image(), read_file)?;
            program.set_variable(&data.name, data.bytes.clone());
            before.push(data);
        }
        Ok(Job { program, launch, before })
    }

    /// Builds the initial state of a run, for PTX warps of `ptx_warp` threads and a machine of `sms` SMs.
    pub fn start(&self, ptx_warp: u32, sms: u32) -> Result<Start, StartError> {
        Start::new(&self.program, &self.launch, &self.before, ptx_warp, sms)
    }

    /// Returns the buffers as a run left them; a variable in constant space keeps its initial contents.
    pub fn after(&self, global: &Global) -> Vec<BufferData> {
        let bytes = |before: &BufferData| global.read_buffer(&before.name).unwrap_or_else(|| before.bytes.clone());
        self.before.iter().map(|b| BufferData { name: b.name.clone(), ty: b.ty, bytes: bytes(b) }).collect()
    }
}
