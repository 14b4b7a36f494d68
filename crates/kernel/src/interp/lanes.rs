//! The threads that execute an instruction together, and their registers.
//!
//! Registers are stored by plane, then by thread: the same register of neighbouring threads is contiguous, so an operation on a
//! whole warp is a loop over short arrays that the compiler vectorises. The scalar interpreter is the same code with one lane.
//!
//! On wasm32, register reads and writes are not inlined: inlining them into every operation would bloat the module.

use super::thread::{LogicalThread, StorageThread};
use super::value::Value;
use crate::program::Plane;
use crate::program::passes::native::ParamRegister;

/// Lanes of the widest warp. The length of a plane is a multiple of it, and one more row follows the last plane, so that this
/// many lanes can be read at once starting at any thread.
const ROW: usize = 32;

/// Up to `W` threads of one block: their storage, and the threads of the launch that they execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lanes<const W: usize> {
    /// Each lane's thread, by the place of its registers.
    pub threads: [StorageThread; W],
    /// Lanes that hold a thread.
    pub mask: u32,
    /// The storage threads are consecutive: lane i is `threads[0] + i`.
    contiguous: bool,
    /// The number of a lane's logical thread minus that of its storage thread, wrapping.
    apart: u32,
}

impl Lanes<1> {
    pub(crate) fn one(thread: StorageThread) -> Lanes<1> {
        Lanes { threads: [thread], mask: 1, contiguous: true, apart: 0 }
    }
}

impl<const W: usize> Lanes<W> {
    /// Puts `count` storage threads from `first` on into lanes `0..count`, each with its own logical thread.
    pub fn warp(first: StorageThread, count: u32) -> Lanes<W> {
        let mask = if count >= 32 { u32::MAX } else { (1 << count) - 1 };
        let threads = std::array::from_fn(|lane| StorageThread(first.0 + lane as u32));
        Lanes { threads, mask, contiguous: W <= ROW, apart: 0 }
    }

    /// Returns the same lanes with `count` logical threads from `first` on.
    pub fn assigned(self, first: LogicalThread, count: u32) -> Lanes<W> {
        let mask = if count >= 32 { u32::MAX } else { (1 << count) - 1 };
        Lanes { mask, apart: first.0.wrapping_sub(self.threads[0].0), ..self }
    }

    /// Returns the thread of the launch that a lane holds.
    #[inline(always)]
    pub fn logical(&self, lane: usize) -> LogicalThread {
        LogicalThread(self.threads[lane].0.wrapping_add(self.apart))
    }

    /// Puts any thread in any lane; lanes outside of `mask` are empty.
    pub fn gathered(threads: [StorageThread; W], mask: u32) -> Lanes<W> {
        Lanes { threads, mask, contiguous: false, apart: 0 }
    }
}

/// The registers of all threads of a block.
#[derive(Clone, Debug, Hash)]
pub struct Registers {
    words: Vec<u32>,
    stride: usize,
}

impl Registers {
    /// Returns registers of `planes` words for each thread, all zero.
    pub fn new(planes: u32, threads: u32) -> Registers {
        let stride = (threads as usize).next_multiple_of(ROW);
        Registers { words: vec![0; stride * planes as usize + ROW], stride }
    }

    /// Sets all registers to zero for the next block.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Writes parameters, in all threads, into the registers that hold them from the start.
    pub fn set_params(&mut self, param_registers: &[ParamRegister], params: &[u8]) {
        for register in param_registers {
            for at in 0..register.planes {
                let bytes = params.get((register.offset + 4 * at) as usize..).and_then(|rest| rest.first_chunk());
                let word = bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes));
                let start = (register.plane + at) as usize * self.stride;
                self.words[start..start + self.stride].fill(word);
            }
        }
    }

    /// Reads one 32-bit word of a thread.
    #[inline(always)]
    pub fn word(&self, plane: Plane, thread: StorageThread) -> u32 {
        self.words[plane as usize * self.stride + thread.0 as usize]
    }

    /// Writes one 32-bit word of a thread.
    #[inline(always)]
    pub fn set_word(&mut self, plane: Plane, thread: StorageThread, word: u32) {
        self.words[plane as usize * self.stride + thread.0 as usize] = word;
    }

    #[inline(always)]
    fn row<const W: usize>(&self, plane: Plane, lanes: &Lanes<W>) -> [u32; W] {
        let start = plane as usize * self.stride;
        if lanes.contiguous {
            let first = start + lanes.threads[0].0 as usize;
            let mut row = [0; W];
            row.copy_from_slice(&self.words[first..first + W]);
            row
        } else {
            let words = &self.words[start..start + self.stride];
            std::array::from_fn(|lane| words.get(lanes.threads[lane].0 as usize).copied().unwrap_or(0))
        }
    }

    #[inline(always)]
    fn set_row<const W: usize>(&mut self, plane: Plane, lanes: &Lanes<W>, mask: u32, row: &[u32; W]) {
        let start = plane as usize * self.stride;
        if lanes.contiguous && (W == 1 || mask.count_ones() as usize == W) {
            let first = start + lanes.threads[0].0 as usize;
            self.words[first..first + W].copy_from_slice(row);
        } else {
            let mut rest = mask;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                self.words[start + lanes.threads[lane].0 as usize] = row[lane];
            }
        }
    }

    /// Reads a register in every lane; empty lanes read an arbitrary value.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn read<T: Value, const W: usize>(&self, plane: Plane, lanes: &Lanes<W>) -> [T; W] {
        let low = self.row(plane, lanes);
        if T::WIDE {
            let high = self.row(plane + 1, lanes);
            std::array::from_fn(|lane| T::from_words(low[lane], high[lane]))
        } else {
            std::array::from_fn(|lane| T::from_words(low[lane], 0))
        }
    }

    /// Writes a register in the lanes of `mask`.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn write<T: Value, const W: usize>(&mut self, plane: Plane, lanes: &Lanes<W>, mask: u32, values: &[T; W]) {
        self.set_row(plane, lanes, mask, &std::array::from_fn(|lane| values[lane].low()));
        if T::WIDE {
            self.set_row(plane + 1, lanes, mask, &std::array::from_fn(|lane| values[lane].high()));
        }
    }

    /// Returns the lanes in which the predicate is true.
    #[cfg_attr(target_arch = "wasm32", inline(never))]
    #[cfg_attr(not(target_arch = "wasm32"), inline(always))]
    pub fn predicate<const W: usize>(&self, plane: Plane, lanes: &Lanes<W>) -> u32 {
        let row = self.row(plane, lanes);
        let mut mask = 0;
        for (lane, &word) in row.iter().enumerate() {
            mask |= ((word != 0) as u32) << lane;
        }
        mask
    }
}
