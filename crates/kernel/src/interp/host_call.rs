//! Calls from the device to the host: `vprintf` and `__assertfail`. Their arguments lie in the caller's call frame.

use super::memory::{Spaces, Target, text};
use super::printf;
use super::thread::StorageThread;
use super::trap::Fault;
use crate::program::address::align_up;
use crate::program::{Instruction, Src};
use crate::ptx::types::Space;

/// Bytes of kernel output after which a run drops the text of further calls.
const MOST_OUTPUT: usize = 1 << 20;

/// Prints for one thread: appends the text to `output` and stores the number of arguments as the call's result.
pub fn print(spaces: &mut Spaces, instruction: &Instruction, thread: StorageThread, output: &mut Vec<u8>) -> Result<(), Fault> {
    let (format, arguments) = (frame_word(spaces, instruction, 0, thread, 8), frame_word(spaces, instruction, 1, thread, 8));
    let format = text(spaces, thread, format);
    let (out, count) = printf::format(&format, &mut FrameArguments { spaces, thread, at: arguments });
    if output.len() < MOST_OUTPUT {
        output.extend(out);
    }
    match instruction.src.get(2) {
        Some(&Src::Immediate(address)) => spaces.store(thread, Target { space: Space::Local, address }, 4, count.into()),
        _ => Ok(()),
    }
}

/// Returns the fault for a failed assertion, with its message and source line.
pub fn assertion(spaces: &mut Spaces, instruction: &Instruction, thread: StorageThread) -> Fault {
    let [message, file, function] = [0, 1, 3].map(|at| {
        let address = frame_word(spaces, instruction, at, thread, 8);
        String::from_utf8_lossy(&text(spaces, thread, address)).into_owned()
    });
    let line = frame_word(spaces, instruction, 2, thread, 4);
    Fault::Assertion(format!("{message} ({file}:{line}, in {function})"))
}

/// Reads the value at source `at`, an address in the thread's call frame.
fn frame_word(spaces: &mut Spaces, instruction: &Instruction, at: usize, thread: StorageThread, size: u32) -> u64 {
    let Some(&Src::Immediate(address)) = instruction.src.get(at) else { return 0 };
    spaces.load(thread, Target { space: Space::Local, address }, size).unwrap_or(0)
}

/// The arguments of one `vprintf` call, read from its argument buffer.
struct FrameArguments<'a, 'b> {
    spaces: &'a mut Spaces<'b>,
    thread: StorageThread,
    at: u64,
}

impl printf::PrintfArguments for FrameArguments<'_, '_> {
    fn next(&mut self, size: u32) -> u64 {
        self.at = align_up(self.at, size.into());
        let value =
            self.spaces.target(Space::Generic, self.at, size).and_then(|target| self.spaces.load(self.thread, target, size));
        self.at = self.at.wrapping_add(size.into());
        value.unwrap_or(0)
    }

    fn text(&mut self, address: u64) -> Vec<u8> {
        text(self.spaces, self.thread, address)
    }
}
