//! The shared memory of one block, with a record of which bytes have been written.

use super::super::trap::Fault;
use super::word;
use crate::ptx::types::Space;

/// The shared memory of a block, which knows for every byte whether a thread has written it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shared {
    bytes: Vec<u8>,
    /// One bit per byte: whether a thread has written it.
    written: Vec<u64>,
}

impl Shared {
    /// Returns memory that no thread has written.
    pub fn new(bytes: u32) -> Shared {
        Shared { bytes: vec![0; bytes as usize], written: vec![0; (bytes as usize).div_ceil(64)] }
    }

    /// Clears contents and written bits for the next block.
    pub fn clear(&mut self) {
        self.bytes.fill(0);
        self.written.fill(0);
    }

    #[inline(always)]
    fn range(&self, address: u64, size: u32) -> Option<std::ops::Range<usize>> {
        let start = usize::try_from(address).ok()?;
        let end = start.checked_add(size as usize)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    #[inline(always)]
    pub(crate) fn load(&self, address: u64, size: u32) -> Result<u64, Fault> {
        let Some(range) = self.range(address, size) else {
            return Err(Fault::OutOfBounds { space: Space::Shared, address, size, write: false });
        };
        // The written bits of an aligned access of up to eight bytes lie in one word.
        let bits = ((1u64 << size) - 1) << (range.start % 64);
        if self.written[range.start / 64] & bits != bits {
            return Err(Fault::Uninitialised { address, size });
        }
        Ok(word(&self.bytes[range]))
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, address: u64, size: u32, value: u64) -> Option<()> {
        let range = self.range(address, size)?;
        self.written[range.start / 64] |= ((1u64 << size) - 1) << (range.start % 64);
        self.bytes[range].copy_from_slice(value.to_le_bytes().get(..size as usize)?);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_wrote_cannot_be_read() {
        let mut shared = Shared::new(16);
        assert!(matches!(shared.load(0, 4), Err(Fault::Uninitialised { .. })));
        assert_eq!(shared.store(0, 2, 0xbeef), Some(()));
        assert!(matches!(shared.load(0, 4), Err(Fault::Uninitialised { .. })), "half of it is missing");
        assert_eq!(shared.load(0, 2), Ok(0xbeef));
        assert_eq!(shared.store(16, 1, 0), None);
        assert!(matches!(shared.load(16, 1), Err(Fault::OutOfBounds { .. })));
        shared.clear();
        assert!(shared.load(0, 2).is_err());
    }
}
