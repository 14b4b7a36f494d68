//! The initial state of a run: filled memory, laid-out parameters and the shape of the launch.

use super::memory::Global;
use super::shape::GridShape;
use crate::launch::{Buffer, BufferData, Launch, LaunchError, Param};
use crate::program::Program;
use crate::ptx::types::Space;
use thiserror::Error;

/// A launch bound to a program.
#[derive(Clone, Debug)]
pub struct Start {
    /// Sizes of grid and block, and of what each needs.
    pub shape: GridShape,
    /// Buffers and module variables with their initial contents.
    pub global: Global,
    /// Contents of the parameter space.
    pub params: Vec<u8>,
}

/// Why a program cannot run with a launch.
#[derive(Debug, Error)]
pub enum StartError {
    /// The launch does not go with the kernel's parameters.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The block has another shape than the kernel was compiled for (`.reqntid`, `.maxntid`).
    #[error("kernel `{kernel}` {what} {allowed:?}, the launch has blocks of {given:?}")]
    Threads {
        /// The kernel's name.
        kernel: String,
        /// What the kernel demands, as a part of the sentence.
        what: &'static str,
        /// The shape, or the largest, that the kernel declares.
        allowed: [u32; 3],
        /// The shape that the launch gives.
        given: [u32; 3],
    },
    /// A thread would need more local memory than any GPU has for it.
    #[error("kernel `{kernel}` needs {bytes} bytes of local memory a thread; no GPU gives a thread more than {MOST_LOCAL_BYTES}")]
    Local {
        /// The kernel's name.
        kernel: String,
        /// What a thread needs.
        bytes: u32,
    },
}

/// The most local memory that any GPU gives a thread, in bytes (CUDA programming guide, technical specifications by compute
/// capability).
const MOST_LOCAL_BYTES: u32 = 512 << 10;

impl Start {
    /// Checks the launch against the kernel.
    pub fn check(program: &Program, launch: &Launch) -> Result<(), StartError> {
        launch.check(&program.kernel, &program.params)?;
        check_threads(program, launch)?;
        if program.local_bytes > MOST_LOCAL_BYTES {
            return Err(StartError::Local { kernel: program.kernel.clone(), bytes: program.local_bytes });
        }
        Ok(())
    }

    /// Checks the launch against the kernel and lays out memory: module variables, then the launch's buffers.
    ///
    /// `buffers` includes the module variables that the launch sets, as [`Job::bind`](super::job::Job::bind) collects them; the
    /// program holds their contents.
    pub fn new(program: &Program, launch: &Launch, buffers: &[BufferData], ptx_warp: u32, sms: u32) -> Result<Start, StartError> {
        Start::check(program, launch)?;
        let mut global = Global::default();
        for variable in program.variables.iter().filter(|variable| variable.space == Space::Global) {
            let address = global.add_zeros(&variable.name, variable.bytes, Some(variable.address));
            variable.init.iter().for_each(|(offset, bytes)| global.write(address + offset, bytes));
        }
        // Module variables have an address already.
        let is_variable = |name: &str| launch.globals.iter().any(|global| global.name == name);
        let addresses: Vec<(&str, u64)> = buffers
            .iter()
            .filter(|buffer| !is_variable(&buffer.name))
            .map(|b| (b.name.as_str(), global.add(&b.name, &b.bytes, None)))
            .collect();
        let mut params = vec![0; program.param_bytes as usize];
        for ((param, shape), &offset) in launch.params.iter().zip(&program.params).zip(&program.param_offsets) {
            let address =
                |buffer: &Buffer| addresses.iter().find(|(name, _)| *name == buffer.name).map_or(0, |&(_, address)| address);
            let bytes = match param {
                Param::Buffer(buffer) => address(buffer).to_le_bytes().to_vec(),
                Param::Inside { buffer, offset } => {
                    (address(buffer) + offset * u64::from(buffer.ty.bytes())).to_le_bytes().to_vec()
                }
                Param::Value { bits, .. } => bits.to_le_bytes().to_vec(),
                Param::Bytes(bytes) => bytes.clone(),
            };
            let n = bytes.len().min(shape.bytes as usize);
            params[offset as usize..][..n].copy_from_slice(&bytes[..n]);
        }
        Ok(Start { shape: GridShape::new(program, launch, ptx_warp, sms), global, params })
    }
}

fn check_threads(program: &Program, launch: &Launch) -> Result<(), StartError> {
    let Some(allowed) = program.max_threads else { return Ok(()) };
    let product = |block: [u32; 3]| block.iter().map(|&n| u64::from(n)).product::<u64>();
    let fits = if program.required_threads { launch.block == allowed } else { product(launch.block) <= product(allowed) };
    if fits {
        return Ok(());
    }
    let what = if program.required_threads { "needs blocks (.reqntid) of" } else { "allows blocks (.maxntid) of at most" };
    Err(StartError::Threads { kernel: program.kernel.clone(), what, allowed, given: launch.block })
}
