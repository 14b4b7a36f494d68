//! Global memory: buffers and module variables in one arena of copy-on-write pages.
//!
//! The arena begins at [`GLOBAL_BASE`]. Every region begins on a granule of 256 bytes, and at least one unused granule follows
//! it, so a bounds check is one table lookup: the number of valid bytes in the accessed granule. Aligned accesses never cross a
//! granule. A page is copied when it is written while another copy of the memory still refers to it, so copying the memory
//! costs only the pages written afterwards.

use super::word;
use crate::program::address::{GLOBAL_BASE, GRANULE, align_up};
use std::rc::Rc;

const PAGE: usize = 4096;

/// Global memory: regions of bytes with gaps between them, so that an access past the end of one does not meet the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Global {
    pages: Vec<Rc<[u8; PAGE]>>,
    /// Number of valid bytes in each granule.
    valid: Rc<Vec<u16>>,
    regions: Rc<Vec<Region>>,
}

/// A buffer of the launch or a variable of the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

impl Global {
    /// Adds a region with its contents and returns its address: the next free granule, or `at` if that lies behind all regions.
    pub fn add(&mut self, name: &str, contents: &[u8], at: Option<u64>) -> u64 {
        let address = self.add_zeros(name, contents.len() as u64, at);
        self.write(address, contents);
        address
    }

    /// Adds a region of zeros; its pages take no memory until they are written.
    pub fn add_zeros(&mut self, name: &str, bytes: u64, at: Option<u64>) -> u64 {
        let end = self.regions.last().map_or(GLOBAL_BASE, |last| align_up(last.address + last.bytes.max(1), GRANULE) + GRANULE);
        let address = at.filter(|&at| at >= end || self.regions.is_empty()).unwrap_or(end);
        let start = (address - GLOBAL_BASE) as usize;
        Rc::make_mut(&mut self.regions).push(Region { name: name.to_string(), address, bytes });
        let (granule, bytes) = (GRANULE as usize, bytes as usize);
        let valid = Rc::make_mut(&mut self.valid);
        valid.resize(start / granule + bytes.div_ceil(granule), 0);
        for (at, slot) in valid[start / granule..].iter_mut().enumerate() {
            *slot = (bytes - at * granule).min(granule) as u16;
        }
        let pages = (start + bytes).div_ceil(PAGE);
        let zeros = Rc::new([0; PAGE]);
        self.pages.resize_with(pages.max(self.pages.len()), || zeros.clone());
        address
    }

    /// Writes `contents` to a range that must lie inside the arena.
    pub fn write(&mut self, address: u64, contents: &[u8]) {
        let start = (address - GLOBAL_BASE) as usize;
        let mut from = 0;
        while from < contents.len() {
            let (page, offset) = ((start + from) / PAGE, (start + from) % PAGE);
            let n = (PAGE - offset).min(contents.len() - from);
            Rc::make_mut(&mut self.pages[page])[offset..offset + n].copy_from_slice(&contents[from..from + n]);
            from += n;
        }
    }

    /// Iterates over buffers and variables: address and size in bytes of each.
    pub fn regions(&self) -> impl Iterator<Item = (u64, u64)> {
        self.regions.iter().map(|region| (region.address, region.bytes))
    }

    /// Returns the contents of the named buffer; it hides a module variable of the same name, which lies below it.
    pub fn read_buffer(&self, name: &str) -> Option<Vec<u8>> {
        let region = self.regions.iter().rfind(|r| r.name == name)?;
        let start = (region.address - GLOBAL_BASE) as usize;
        let end = start + region.bytes as usize;
        let mut out = Vec::with_capacity(region.bytes as usize);
        let mut at = start;
        while at < end {
            let n = (PAGE - at % PAGE).min(end - at);
            out.extend_from_slice(&self.pages[at / PAGE][at % PAGE..at % PAGE + n]);
            at += n;
        }
        Some(out)
    }

    /// Returns the address of the region that [`Global::read_buffer`] reads.
    pub fn address_of(&self, name: &str) -> Option<u64> {
        self.regions.iter().rfind(|region| region.name == name).map(|region| region.address)
    }

    /// Returns the offset of an access into the arena, or `None` if it is out of bounds.
    #[inline(always)]
    fn offset(&self, address: u64, size: u32) -> Option<usize> {
        let offset = address.wrapping_sub(GLOBAL_BASE);
        let valid = *self.valid.get(usize::try_from(offset / GRANULE).ok()?)?;
        (offset % GRANULE + u64::from(size) <= u64::from(valid)).then_some(offset as usize)
    }

    /// Reads `size` bytes as a little-endian number; `None` outside of every region.
    #[inline(always)]
    pub fn load(&self, address: u64, size: u32) -> Option<u64> {
        let offset = self.offset(address, size)?;
        let start = offset % PAGE;
        self.pages.get(offset / PAGE)?.get(start..start + size as usize).map(word)
    }

    /// Writes the low `size` bytes of a value; `None`, and no write, outside of every region.
    #[inline(always)]
    pub fn store(&mut self, address: u64, size: u32, value: u64) -> Option<()> {
        let offset = self.offset(address, size)?;
        let start = offset % PAGE;
        let page = Rc::make_mut(self.pages.get_mut(offset / PAGE)?);
        page.get_mut(start..start + size as usize)?.copy_from_slice(value.to_le_bytes().get(..size as usize)?);
        Some(())
    }

    /// Returns the regions that begin nearest below and above an address, for messages.
    pub fn neighbours(&self, address: u64) -> (Option<&Region>, Option<&Region>) {
        let below = self.regions.iter().filter(|r| r.address <= address).max_by_key(|r| r.address);
        let above = self.regions.iter().filter(|r| r.address > address).min_by_key(|r| r.address);
        (below, above)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_stay_inside_their_region() {
        let mut memory = Global::default();
        let a = memory.add("a", &[1, 2, 3, 4, 5, 6], None);
        let b = memory.add("b", &[9; 256], None);
        assert_eq!(a % GRANULE, 0);
        assert_eq!(b % GRANULE, 0);
        assert_eq!(memory.load(a, 4), Some(0x0403_0201));
        assert_eq!(memory.load(a + 4, 4), None, "only two bytes are left");
        assert_eq!(memory.load(a + 4, 2), Some(0x0605));
        assert_eq!(memory.load(b + 252, 4), Some(0x0909_0909));
        assert_eq!(memory.load(b + 256, 1), None, "a whole granule is followed by a gap");
        assert_eq!(memory.load(0, 1), None);
        assert_eq!(memory.load(u64::MAX, 8), None);
        assert_eq!(memory.store(a, 2, 0xffff), Some(()));
        assert_eq!(memory.read_buffer("a"), Some(vec![0xff, 0xff, 3, 4, 5, 6]));
    }

    #[test]
    fn a_copy_does_not_see_later_writes() {
        let mut memory = Global::default();
        let a = memory.add("a", &[0; 10_000], None);
        let copy = memory.clone();
        assert_eq!(memory.store(a + 8000, 4, 7), Some(()));
        assert_eq!((memory.load(a + 8000, 4), copy.load(a + 8000, 4)), (Some(7), Some(0)));
    }

    #[test]
    fn an_empty_region_holds_nothing() {
        let mut memory = Global::default();
        let a = memory.add("a", &[], None);
        assert_eq!(memory.load(a, 1), None);
        assert_eq!(memory.read_buffer("a"), Some(Vec::new()));
    }
}
