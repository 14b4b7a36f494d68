//! The launch of a kernel: grid, block, parameters, and the device buffers with their initial contents.
//!
//! A launch is a TOML file:
//!
//! ```toml
//! kernel = "scale"            # the .entry; may be left out when the module has one
//! grid = [16, 1, 1]           # one to three numbers
//! block = [256, 1, 1]
//! shared = 0                  # dynamic shared memory, bytes
//!
//! [[param]]                   # in the kernel's order
//! buffer = "x"                # a device buffer, passed as its address
//! type = "f32"
//! len = 4096                  # elements
//! init = { random = { seed = 7, min = -1.0, max = 1.0 } }
//!
//! [[param]]
//! type = "u32"                # a number, passed by value
//! value = 4096
//!
//! [[param]]
//! hex = "01000000 02000000"   # a struct, passed by value: its bytes (or `bytes = [1, 0, 0, 0]`)
//!
//! [[param]]
//! buffer = "x"                # the same buffer again,
//! offset = 16                 # passed as the address of its element 16
//!
//! [[global]]                  # a `__device__` or `__constant__` variable of the module
//! name = "table"              # as the PTX spells it
//! type = "f32"                # the variable's own unless given
//! init = { values = [1, 2] }  # its first elements; without it, the PTX's initial values stay
//! ```
//!
//! A buffer that is passed twice is described once and then named alone: `buffer = "x"`. Without `init` it is zeros; without
//! `len` it is as long as its `values`.
//!
//! [`Launch::parse`] reads the text and refuses what cannot be launched on any GPU; [`Launch::check`] compares the launch with
//! the parameters that a kernel declares; [`Launch::fill`] makes the initial contents of the buffers ([`Init`]). The machine is
//! unknown here: addresses and the limits of a particular core are given elsewhere.

mod check;
mod error;
mod file;
mod fill;
mod number;

pub use check::ParamShape;
pub use error::{LaunchError, LaunchPlace};
pub use fill::{BufferData, SplitMix64};
pub use number::LaunchNumber;

use crate::ptx::types::Type;
use serde::Deserialize;

/// The most blocks of a grid in each direction, on every GPU so far.
pub const MAX_GRID: [u32; 3] = [(1 << 31) - 1, 65_535, 65_535];
/// The most threads of a block in each direction.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// The most threads that a block may have.
pub const MAX_BLOCK_THREADS: u64 = 1024;
/// The most blocks that a grid may have.
pub const MAX_GRID_BLOCKS: u64 = (1 << 31) - 1;
/// The most dynamic shared memory that any GPU so far gives a block: 227 KB.
pub const MAX_SHARED_BYTES: u32 = 227 * 1024;
/// The most that all buffers may hold together: 1 GiB.
pub const MAX_BUFFER_BYTES: u64 = 1 << 30;

/// A kernel's launch as its file describes it, checked as far as possible without the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// The `.entry` to run; `None` selects the only kernel of a module.
    pub kernel: Option<String>,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared: u32,
    /// In the kernel's order.
    pub params: Vec<Param>,
    /// Module variables that the launch sets or reads back.
    pub globals: Vec<VariableInit>,
}

/// The value of one parameter of the kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    /// A device buffer, passed as its address. The same name again is the same buffer.
    Buffer(Buffer),
    /// The address of an element of a buffer.
    Inside {
        /// The buffer, described as if it were passed whole.
        buffer: Buffer,
        /// The element whose address is passed.
        offset: u64,
    },
    /// A number, passed by value; `bits` holds it in its low `ty.bytes()` bytes.
    Value {
        /// The type that gives the value its size.
        ty: Type,
        /// The value in its low bytes; the rest is zero.
        bits: u64,
    },
    /// A struct, passed by value.
    Bytes(Vec<u8>),
}

/// A device buffer: `len` elements of a type, and their initial contents.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name that the launch file gives it; buffers with one name are one.
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// The number of its elements.
    pub len: u64,
    /// How it is filled before the kernel starts.
    pub init: Init,
}

impl Buffer {
    /// Returns its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.len.saturating_mul(u64::from(self.ty.bytes()))
    }
}

/// The settings of a launch for a module variable (`.global` or `.const` in PTX).
#[derive(Clone, Debug, PartialEq)]
pub struct VariableInit {
    /// The variable's name in the PTX.
    pub name: String,
    /// The type of its elements; `None` takes the variable's own.
    pub ty: Option<Type>,
    /// Elements that are set, from the first on; `None` sets all of them, or as many as there are values.
    pub len: Option<u64>,
    /// Initial contents; `None` keeps the PTX's.
    pub init: Option<Init>,
}

/// How a buffer is filled before the kernel starts. Every variant is deterministic.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Init {
    /// Every byte zero.
    Zeros,
    /// `start + index * step`; integers wrap round in their type, floats are computed in `f64` and rounded.
    Iota {
        /// The first element.
        #[serde(default = "LaunchNumber::zero")]
        start: LaunchNumber,
        /// What each element is greater than the one before it.
        #[serde(default = "LaunchNumber::one")]
        step: LaunchNumber,
    },
    /// One [`SplitMix64`] draw per element: integers `min + draw % (max - min)`, so `max` itself is never drawn;
    /// floats `min + (max - min) * (draw >> 11) / 2^53`, computed in `f64` and rounded.
    Random {
        /// The state with which the draws begin.
        seed: u64,
        /// The least value.
        min: LaunchNumber,
        /// The upper bound, which integers never reach.
        max: LaunchNumber,
    },
    /// These values, then zeros up to the buffer's length.
    Values(Vec<LaunchNumber>),
    /// The bytes of a file (little-endian), exactly as long as the buffer.
    File(String),
}

impl Launch {
    /// Reads a launch file.
    pub fn parse(toml_text: &str) -> Result<Launch, LaunchError> {
        file::parse(toml_text)
    }

    /// Returns the number of blocks in the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    /// Returns the number of threads in one block.
    pub fn block_threads(&self) -> u64 {
        self.block.iter().map(|&n| u64::from(n)).product()
    }

    /// Returns the buffers, each once, in the order in which the parameters first name them.
    pub fn buffers(&self) -> Vec<&Buffer> {
        let mut buffers: Vec<&Buffer> = Vec::new();
        for param in &self.params {
            if let Param::Buffer(buffer) | Param::Inside { buffer, .. } = param
                && buffers.iter().all(|known| known.name != buffer.name)
            {
                buffers.push(buffer);
            }
        }
        buffers
    }

    /// Makes the initial contents of each of [`Launch::buffers`]. `read_file` returns the contents of a file that the launch
    /// names, or why it cannot: from the disk beside the launch file, from a workload's folder, …
    pub fn fill(&self, read_file: &dyn Fn(&str) -> Result<Vec<u8>, String>) -> Result<Vec<BufferData>, LaunchError> {
        self.buffers().into_iter().map(|buffer| fill::fill(buffer, read_file)).collect()
    }
}
