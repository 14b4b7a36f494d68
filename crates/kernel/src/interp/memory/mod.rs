//! The memories behind the PTX state spaces, and the checks of every access.
//!
//! Loads and stores are little-endian. An access must be aligned to its size and lie inside an existing object: a buffer or
//! variable in global memory, the block's shared memory, the thread's local memory, the module's constants or the launch's
//! parameters. Reading shared memory that no thread has written is a fault too.

mod global;
mod shared;

pub use global::{Global, Region};
pub use shared::Shared;

use super::thread::StorageThread;
use super::trap::Fault;
use crate::program::address::{self, NULL_PAGE};
use crate::ptx::types::Space;

/// The memories that the threads of one block can access.
pub struct Spaces<'a> {
    /// Buffers and module variables, shared by all blocks.
    pub global: &'a mut Global,
    /// The memory of the block that executes.
    pub shared: &'a mut Shared,
    /// Every resident thread's own memory.
    pub local: &'a mut Local,
    /// The module's constants, which no thread may write.
    pub constants: &'a [u8],
    /// The kernel's parameters, which no thread may write.
    pub params: &'a [u8],
}

/// The local memory of all threads of a block, stored by thread.
#[derive(Clone, Debug, Default, Hash)]
pub struct Local {
    bytes: Vec<u8>,
    per_thread: usize,
}

impl Local {
    /// Returns zeroed memory of `per_thread` bytes for each thread.
    pub fn new(per_thread: u32, threads: u32) -> Local {
        let per_thread = (per_thread as usize).next_multiple_of(16);
        Local { bytes: vec![0; per_thread * threads as usize], per_thread }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// Sets the local memory of one thread to zero.
    pub fn clear_thread(&mut self, thread: StorageThread) {
        self.bytes[thread.0 as usize * self.per_thread..][..self.per_thread].fill(0);
    }

    fn slice(&mut self, thread: StorageThread, address: u64, size: usize) -> Option<&mut [u8]> {
        let end = usize::try_from(address).ok()?.checked_add(size)?;
        let start = thread.0 as usize * self.per_thread;
        (end <= self.per_thread).then(|| &mut self.bytes[start + end - size..start + end])
    }
}

/// The resolved address of an access that has passed the alignment and null checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Never [`Space::Generic`], except in the placeholder of an inactive lane.
    pub space: Space,
    /// Address within `space`.
    pub address: u64,
}

impl Spaces<'_> {
    /// Resolves an address to its space; faults if it is null or not aligned to `size`, the bytes of the whole access.
    #[inline]
    pub fn target(&self, space: Space, address: u64, size: u32) -> Result<Target, Fault> {
        let (space, address) = if space == Space::Generic { address::resolve(address) } else { (space, address) };
        if address & u64::from(size - 1) != 0 {
            return Err(Fault::Misaligned { space, address, size });
        }
        if space == Space::Global && address < NULL_PAGE {
            return Err(Fault::Null { address, size });
        }
        Ok(Target { space, address })
    }

    /// Reads `size` bytes (1, 2, 4 or 8).
    #[inline]
    pub fn load(&mut self, thread: StorageThread, target: Target, size: u32) -> Result<u64, Fault> {
        let Target { space, address } = target;
        let outside = Fault::OutOfBounds { space, address, size, write: false };
        match space {
            Space::Global | Space::Generic => self.global.load(address, size).ok_or(outside),
            Space::Shared => self.shared.load(address, size),
            Space::Local => self.local.slice(thread, address, size as usize).map(|b| word(b)).ok_or(outside),
            Space::Const => part(self.constants, address, size).ok_or(outside),
            Space::Param => part(self.params, address, size).ok_or(outside),
        }
    }

    /// Writes the low `size` bytes of `value`.
    #[inline]
    pub fn store(&mut self, thread: StorageThread, target: Target, size: u32, value: u64) -> Result<(), Fault> {
        let Target { space, address } = target;
        let outside = Fault::OutOfBounds { space, address, size, write: true };
        match space {
            Space::Global | Space::Generic => self.global.store(address, size, value).ok_or(outside),
            Space::Shared => self.shared.store(address, size, value).ok_or(outside),
            Space::Local => {
                let place = self.local.slice(thread, address, size as usize).ok_or(outside)?;
                place.copy_from_slice(&value.to_le_bytes()[..size as usize]);
                Ok(())
            }
            Space::Const | Space::Param => Err(Fault::ReadOnly { space, address, size }),
        }
    }
}

fn part(bytes: &[u8], address: u64, size: u32) -> Option<u64> {
    let start = usize::try_from(address).ok()?;
    bytes.get(start..start.checked_add(size as usize)?).map(word)
}

/// Reads up to eight little-endian bytes as a word.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
        [a] => a.into(),
        [a, b] => u16::from_le_bytes([a, b]).into(),
        _ => {
            let mut word = [0; 8];
            let n = bytes.len().min(8);
            word[..n].copy_from_slice(&bytes[..n]);
            u64::from_le_bytes(word)
        }
    }
}

/// Reads the zero-terminated text at a generic address; stops at an unreadable byte or after 4096 bytes.
pub fn text(spaces: &mut Spaces, thread: StorageThread, address: u64) -> Vec<u8> {
    const MOST: u64 = 4096;
    let byte = |at: u64| {
        let target = spaces.target(Space::Generic, at, 1).ok()?;
        spaces.load(thread, target, 1).ok().filter(|&byte| byte != 0).map(|byte| byte as u8)
    };
    (address..address.saturating_add(MOST)).map_while(byte).collect()
}
