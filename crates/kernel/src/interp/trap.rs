//! Run-time errors of kernels, with the thread and the instruction at which they happen.

use super::memory::{Global, Region};
use crate::program::{Pc, Program};
use crate::ptx::types::Space;
use serde::Serialize;
use thiserror::Error;

/// A run-time error of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error, Hash)]
pub enum Fault {
    /// An access close to address 0, where no buffer lies.
    #[error("null pointer: an access of {size} bytes at {address:#x}")]
    Null {
        /// The address that the thread computed.
        address: u64,
        /// The size of the access in bytes.
        size: u32,
    },
    /// An address that is no multiple of the access's size.
    #[error("misaligned access: {size} bytes at {space} address {address:#x}, which is not a multiple of {size}")]
    Misaligned {
        /// The space that the access names, or that a generic address lies in.
        space: Space,
        /// The address within that space.
        address: u64,
        /// The size of the access in bytes.
        size: u32,
    },
    /// An access outside of every buffer or variable of its space.
    #[error("out of bounds: {} of {size} bytes at {space} address {address:#x}", if *.write { "a write" } else { "a read" })]
    OutOfBounds {
        /// The space that the access names, or that a generic address lies in.
        space: Space,
        /// The address within that space.
        address: u64,
        /// The size of the access in bytes.
        size: u32,
        /// Whether it was to write.
        write: bool,
    },
    /// A write to constants or parameters.
    #[error("write to {space} memory, which is read-only: {size} bytes at {address:#x}")]
    ReadOnly {
        /// The space that cannot be written.
        space: Space,
        /// The address within that space.
        address: u64,
        /// The size of the access in bytes.
        size: u32,
    },
    /// Whether a thread has written depends on the order of threads where the kernel does not order them.
    #[error("{}: {size} bytes at {address:#x} are read before any thread has written them", UNINITIALISED)]
    Uninitialised {
        /// The address within the block's shared memory.
        address: u64,
        /// The size of the access in bytes.
        size: u32,
    },
    /// The kernel executed `trap` or `brkpt`.
    #[error("the kernel executed `trap`")]
    Trap,
    /// A device-side `assert` failed; its text, place and function.
    #[error("assertion failed: {0}")]
    Assertion(String),
    /// The index of a `brx.idx` has no target.
    #[error("branch table index {index} is past its {len} targets")]
    BranchTable {
        /// The index that the thread computed.
        index: u32,
        /// The targets of the table.
        len: usize,
    },
    /// A barrier with a number that no block has.
    #[error("barrier {0} does not exist: a block has barriers 0 to 15")]
    BarrierId(u32),
    /// A thread executed a warp operation whose mask leaves it out.
    #[error("the member mask {members:#010x} of a warp operation does not name its own lane {lane}")]
    NotAMember {
        /// The member mask.
        members: u32,
        /// The lane that executed it, within its PTX warp.
        lane: u32,
    },
    /// No thread can go on: who waits, where, and for whom.
    #[error("{0}")]
    Deadlock(String),
    /// The run reached this limit of cycles.
    #[error("the run did not end within --max-cycles {0}: an endless loop? (if not, raise --max-cycles)")]
    TooLong(u64),
}

/// How the message of [`Fault::Uninitialised`] begins.
const UNINITIALISED: &str = "uninitialised shared memory";

/// A fault, with the thread and the place where it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Hash)]
pub struct Trap {
    /// The fault, in a sentence.
    pub message: String,
    /// `%ctaid` and `%tid` of the thread, if the fault is that of one thread.
    pub block: Option<[u32; 3]>,
    pub(crate) thread: Option<[u32; 3]>,
    /// The instruction, if the fault is that of one.
    pub pc: Option<Pc>,
    /// The CUDA source line, if the PTX has line information.
    pub source: Option<String>,
    /// Line of the PTX text.
    pub ptx_line: Option<usize>,
    /// The instruction's text.
    pub instruction: Option<String>,
}

impl Trap {
    /// Returns a trap without a thread and a place.
    pub fn new(fault: &Fault) -> Trap {
        Trap { message: fault.to_string(), block: None, thread: None, pc: None, source: None, ptx_line: None, instruction: None }
    }

    /// Names the thread: its block's index and its own within the block.
    pub fn thread(mut self, block: [u32; 3], thread: [u32; 3]) -> Trap {
        (self.block, self.thread) = (Some(block), Some(thread));
        self
    }

    /// Names the instruction, with the source line that it comes from.
    pub fn at(mut self, program: &Program, pc: Pc) -> Trap {
        self.pc = Some(pc);
        self.source = program.instructions.get(pc as usize).and_then(|i| i.place).map(|place| program.place_name(place));
        self
    }

    /// Names the buffer that an access to global memory missed: the one before it, and the one behind it if that is nearer.
    pub fn near(mut self, fault: &Fault, global: &Global) -> Trap {
        let Fault::OutOfBounds { space: Space::Global, address, .. } = *fault else { return self };
        let (below, above) = global.neighbours(address);
        let past = below.map(|region| address.saturating_sub(region.address + region.bytes));
        if let (Some(Region { name, bytes, .. }), Some(past)) = (below, past) {
            self.message.push_str(&match past {
                0 => format!(", at the end of `{name}` ({bytes} bytes)"),
                _ => format!(", {past} bytes past the end of `{name}` ({bytes} bytes)"),
            });
        }
        if let Some(Region { name, address: start, bytes }) = above
            && past.is_none_or(|past| start - address < past)
        {
            let joint = if past.is_some() { " and" } else { "," };
            self.message.push_str(&format!("{joint} {} bytes before `{name}` ({bytes} bytes)", start - address));
        }
        self
    }

    /// Whether a thread read shared memory that no thread had written.
    pub fn is_uninitialised(&self) -> bool {
        self.message.starts_with(UNINITIALISED)
    }

    /// Adds the PTX line and the instruction as written, from the text that the program was built from.
    pub fn in_text(mut self, program: &Program, text: &str) -> Trap {
        if let Some(instruction) = self.pc.and_then(|pc| program.instructions.get(pc as usize)) {
            self.ptx_line = Some(crate::ptx::problem::line_column(text, instruction.span.start as usize).0);
            let written = || instruction.span.text(text).split_whitespace().collect::<Vec<_>>().join(" ");
            self.instruction = Some(instruction.text.as_ref().map_or_else(written, |made| made.to_string()));
        }
        self
    }
}

impl std::fmt::Display for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        if let (Some([bx, by, bz]), Some([tx, ty, tz])) = (self.block, self.thread) {
            write!(f, "\n  thread ({tx}, {ty}, {tz}) of block ({bx}, {by}, {bz})")?;
        }
        if let Some(pc) = self.pc {
            write!(f, "\n  at PC {pc}")?;
            if let Some(line) = self.ptx_line {
                write!(f, ", PTX line {line}")?;
            }
            if let Some(source) = &self.source {
                write!(f, ", source {source}")?;
            }
            if let Some(instruction) = &self.instruction {
                write!(f, "\n  {instruction}")?;
            }
        }
        Ok(())
    }
}
