//! The host side of a reference: the launch, and its own copy of the buffers.
//!
//! Parameters are numbered from 0 by their place in the kernel's list, as in the launch file. A launch may have been edited by
//! hand, so nothing here panics: a launch that does not suit the reference is a [`Mismatch::Launch`].

use std::fmt;
use thiserror::Error;
use warpscope_kernel::launch::{BufferData, Launch, Param};
use warpscope_kernel::ptx::types::Type;

/// Why a run does not match the reference.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// The first element that differs.
    #[error("buffer `{buffer}`, element {index}: expected {expected}, found {found}; {differing} of {elements} elements differ")]
    Element {
        /// The buffer's name in the launch file.
        buffer: String,
        /// The place of the element in it.
        index: usize,
        /// What the reference leaves there.
        expected: String,
        /// What the run left there.
        found: String,
        /// How many elements of the buffer differ.
        differing: usize,
        /// How many elements the buffer has.
        elements: usize,
    },

    /// The reference does not support this launch.
    #[error("the reference cannot judge this launch: {0}")]
    Launch(String),
}

/// The launch and the buffers as the reference sees and changes them.
pub struct Host<'a> {
    launch: &'a Launch,
    pub(super) buffers: Vec<BufferData>,
}

impl<'a> Host<'a> {
    /// Starts from the buffers as they are before the kernel runs.
    pub fn new(launch: &'a Launch, before: &[BufferData]) -> Host<'a> {
        Host { launch, buffers: before.to_vec() }
    }

    /// Returns the number of blocks in x, y and z.
    pub fn grid(&self) -> [i32; 3] {
        self.launch.grid.map(|n| n as i32)
    }

    /// Returns the threads of a block in x, y and z.
    pub fn block(&self) -> [i32; 3] {
        self.launch.block.map(|n| n as i32)
    }

    /// Returns the threads of the grid in x.
    pub fn threads_x(&self) -> i32 {
        self.grid()[0].wrapping_mul(self.block()[0])
    }

    /// Returns the threads of a block in x, for kernels that need a power of two and have room for `most`.
    pub fn power_of_two(&self, most: i32) -> Result<i32, Mismatch> {
        let width = self.block()[0];
        if width > 0 && width <= most && (width as u32).is_power_of_two() {
            return Ok(width);
        }
        Err(Mismatch::Launch(format!("a block should have a power of two of threads, {most} at most, and has {width}")))
    }

    /// Refuses a block of another shape, for kernels whose tiles have a fixed size.
    pub fn want_block(&self, wanted: [i32; 3]) -> Result<(), Mismatch> {
        if self.block() == wanted {
            return Ok(());
        }
        Err(Mismatch::Launch(format!("a block should be {wanted:?} and is {:?}", self.block())))
    }

    /// Returns a parameter that is passed by value.
    pub fn value<T: Element>(&self, param: usize) -> Result<T, Mismatch> {
        match self.launch.params.get(param) {
            Some(Param::Value { ty, bits }) if ty.bytes() as usize == T::BYTES => Ok(T::read(&bits.to_le_bytes()[..T::BYTES])),
            _ => Err(Mismatch::Launch(format!("parameter {} should be a number of {} bytes", param + 1, T::BYTES))),
        }
    }

    /// Returns the elements of a parameter's buffer.
    pub fn read<T: Element>(&self, param: usize) -> Result<Array<T>, Mismatch> {
        let buffer = &self.buffers[self.index_of::<T>(param)?];
        Ok(Array { name: buffer.name.clone(), elements: buffer.bytes.chunks_exact(T::BYTES).map(T::read).collect() })
    }

    /// Writes the elements back to a parameter's buffer.
    pub fn write<T: Element>(&mut self, param: usize, array: &Array<T>) -> Result<(), Mismatch> {
        let index = self.index_of::<T>(param)?;
        for (bytes, element) in self.buffers[index].bytes.chunks_exact_mut(T::BYTES).zip(&array.elements) {
            element.write(bytes);
        }
        Ok(())
    }

    /// Compares every buffer with what a run left there.
    pub fn compare(&self, after: &[BufferData]) -> Result<(), Mismatch> {
        compare(&self.buffers, after)
    }

    fn index_of<T: Element>(&self, param: usize) -> Result<usize, Mismatch> {
        let wrong = || Mismatch::Launch(format!("parameter {} should be a buffer of elements of {} bytes", param + 1, T::BYTES));
        let Some(Param::Buffer(buffer)) = self.launch.params.get(param) else { return Err(wrong()) };
        let index = self.buffers.iter().position(|data| data.name == buffer.name).ok_or_else(wrong)?;
        if self.buffers[index].ty.bytes() as usize == T::BYTES { Ok(index) } else { Err(wrong()) }
    }
}

/// Compares buffers with those of the same name after a run; reports the first element that differs, and how many do.
pub fn compare(expected: &[BufferData], after: &[BufferData]) -> Result<(), Mismatch> {
    for expected in expected {
        let found = after.iter().find(|found| found.name == expected.name && found.bytes.len() == expected.bytes.len());
        let Some(found) = found else {
            return Err(Mismatch::Launch(format!(
                "the run left no buffer `{}` of {} bytes",
                expected.name,
                expected.bytes.len()
            )));
        };
        let width = (expected.ty.bytes() as usize).max(1);
        let pairs = expected.bytes.chunks(width).zip(found.bytes.chunks(width));
        let mut differing = pairs.enumerate().filter(|(_, (expected, found))| expected != found);
        if let Some((index, (expected_bytes, found_bytes))) = differing.next() {
            return Err(Mismatch::Element {
                buffer: expected.name.clone(),
                index,
                expected: show(expected.ty, expected_bytes),
                found: show(expected.ty, found_bytes),
                differing: 1 + differing.count(),
                elements: expected.bytes.len() / width,
            });
        }
    }
    Ok(())
}

/// A buffer's elements; an index outside is an error, not a panic.
pub struct Array<T> {
    name: String,
    elements: Vec<T>,
}

impl<T: Element> Array<T> {
    pub fn at(&self, index: impl Into<i64>) -> Result<T, Mismatch> {
        let index = index.into();
        let element = usize::try_from(index).ok().and_then(|index| self.elements.get(index));
        element.copied().ok_or_else(|| self.outside(index))
    }

    pub fn set(&mut self, index: impl Into<i64>, value: T) -> Result<(), Mismatch> {
        let index = index.into();
        match usize::try_from(index).ok().and_then(|index| self.elements.get_mut(index)) {
            Some(element) => *element = value,
            None => return Err(self.outside(index)),
        }
        Ok(())
    }

    pub fn slice_mut(&mut self, from: usize, len: usize) -> Result<&mut [T], Mismatch> {
        let outside = self.outside(from.saturating_add(len) as i64);
        self.elements.get_mut(from..from.saturating_add(len)).ok_or(outside)
    }

    fn outside(&self, index: i64) -> Mismatch {
        Mismatch::Launch(format!("buffer `{}` has {} elements, and element {index} is used", self.name, self.elements.len()))
    }
}

/// A type that references compute with.
pub trait Element: Copy {
    const BYTES: usize;
    fn read(bytes: &[u8]) -> Self;
    fn write(self, bytes: &mut [u8]);
}

macro_rules! elements {
    ($($ty:ty)*) => {$(
        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();

            fn read(bytes: &[u8]) -> Self {
                let mut whole = [0; size_of::<$ty>()];
                whole.copy_from_slice(bytes);
                Self::from_le_bytes(whole)
            }

            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

elements! { u8 u32 i32 f32 }

/// Formats an element for a message. Floats come with their bits, because two different floats may look alike.
fn show(ty: Type, bytes: &[u8]) -> String {
    let mut whole = [0; 8];
    for (to, from) in whole.iter_mut().zip(bytes) {
        *to = *from;
    }
    let bits = u64::from_le_bytes(whole);
    match ty {
        Type::F32 => format!("{:?} ({bits:#010x})", f32::from_bits(bits as u32)),
        Type::F64 => format!("{:?} ({bits:#018x})", f64::from_bits(bits)),
        Type::S8 => (bits as i8).to_string(),
        Type::S16 => (bits as i16).to_string(),
        Type::S32 => (bits as i32).to_string(),
        Type::S64 => (bits as i64).to_string(),
        _ => bits.to_string(),
    }
}

impl fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("buffers", &self.buffers.len()).finish_non_exhaustive()
    }
}

/// Helpers for the references' own tests.
#[cfg(test)]
pub mod testing {
    use super::*;

    /// Checks that the files in the workload's folder are those that the catalogue makes. Set `UPDATE_FILES` to write them.
    #[expect(clippy::disallowed_methods, reason = "a test of files reads files")]
    pub fn check_files(workload: &str, names: &[&str], file: fn(&str) -> Option<Vec<u8>>) {
        for name in names {
            let bytes = file(name).unwrap_or_else(|| panic!("{workload} makes no file {name}"));
            let path = format!("{}/../../static/kernels/{workload}/{name}", env!("CARGO_MANIFEST_DIR"));
            if std::env::var_os("UPDATE_FILES").is_some() {
                std::fs::write(&path, &bytes).unwrap_or_else(|error| panic!("{path}: {error}"));
            }
            let found = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(found == bytes, "{path} holds something else; UPDATE_FILES=1 writes it again");
        }
    }

    /// Runs a reference on a launch without files, and returns what it leaves in a buffer.
    pub fn run<T: Element>(reference: fn(&mut Host) -> Result<(), Mismatch>, launch: &str, buffer: &str) -> Vec<T> {
        let launch = Launch::parse(launch).unwrap_or_else(|error| panic!("{error}"));
        let before = launch.fill(&|_| Err("no files here".into())).unwrap_or_else(|error| panic!("{error}"));
        let mut host = Host::new(&launch, &before);
        reference(&mut host).unwrap_or_else(|error| panic!("{error}"));
        let data = host.buffers.iter().find(|data| data.name == buffer).expect("the buffer");
        data.bytes.chunks_exact(T::BYTES).map(T::read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCH: &str =
        "grid = [1]\nblock = [1]\n[[param]]\nbuffer = 'x'\ntype = 'f32'\nlen = 2\n[[param]]\ntype = 's32'\nvalue = -5\n";

    #[test]
    fn a_mismatch_says_buffer_index_expected_and_found() {
        let launch = Launch::parse(LAUNCH).expect("a launch");
        let before = launch.fill(&|_| Err(String::new())).expect("buffers");
        let mut host = Host::new(&launch, &before);
        let mut x = host.read::<f32>(0).expect("floats");
        x.set(1, 1.5).expect("inside");
        host.write(0, &x).expect("written");
        let said = host.compare(&before).expect_err("a mismatch").to_string();
        assert_eq!(said, "buffer `x`, element 1: expected 1.5 (0x3fc00000), found 0.0 (0x00000000); 1 of 2 elements differ");
        let after = host.buffers.clone();
        assert_eq!(host.compare(&after), Ok(()));
        assert!(matches!(host.compare(&[]), Err(Mismatch::Launch(_))));
    }

    #[test]
    fn wrong_places_and_types_are_errors() {
        let launch = Launch::parse(LAUNCH).expect("a launch");
        let before = launch.fill(&|_| Err(String::new())).expect("buffers");
        let host = Host::new(&launch, &before);
        assert_eq!(host.value::<i32>(1), Ok(-5));
        assert!(host.value::<i32>(0).is_err() && host.value::<u8>(1).is_err() && host.value::<i32>(9).is_err());
        assert!(host.read::<u8>(0).is_err() && host.read::<u32>(1).is_err() && host.read::<u32>(9).is_err());
        let x = host.read::<f32>(0).expect("floats");
        assert!(x.at(2).is_err() && x.at(-1).is_err() && x.at(1).is_ok());
    }

    #[test]
    fn blocks_that_do_not_suit_a_kernel_are_errors() {
        let width = |block: &str, most| {
            let launch = Launch::parse(&LAUNCH.replace("block = [1]", block)).expect("a launch");
            let host = Host::new(&launch, &[]);
            (host.power_of_two(most).ok(), host.want_block([16, 16, 1]).is_ok())
        };
        assert_eq!(width("block = [64]", 64), (Some(64), false));
        assert_eq!(width("block = [64]", 32), (None, false));
        assert_eq!(width("block = [48]", 64), (None, false));
        assert_eq!(width("block = [16, 16]", 64), (Some(16), true));
    }
}
