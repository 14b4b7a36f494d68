//! Coalescing: the lines that an access needs, and the bytes of each that move.

use crate::config::Config;

/// Distinct lines in the order of their first lane.
#[derive(Default)]
pub struct Lines {
    lines: [u64; 32],
    /// The sectors of each line that a store touches, if `store_sector` is set.
    sectors: [u64; 32],
    pub len: usize,
}

impl Lines {
    /// Adds a line; returns its position, and whether it is new.
    #[inline(always)]
    pub fn add(&mut self, line: u64) -> (usize, bool) {
        // Neighbouring lanes mostly share a line, so the search begins at the last one.
        if let Some(at) = self.lines[..self.len].iter().rposition(|&known| known == line) {
            return (at, false);
        }
        self.lines[self.len] = line;
        self.len += 1;
        (self.len - 1, true)
    }

    /// Marks the sectors of a line that a store of `size` bytes touches.
    pub fn touch(&mut self, at: usize, address: u64, size: u32, config: &Config) {
        let within = address % u64::from(config.l1d_line);
        let sector = |byte: u64| (byte.min(u64::from(config.l1d_line) - 1) / u64::from(config.store_sector)).min(63);
        for sector in sector(within)..=sector(within + u64::from(size.max(1)) - 1) {
            self.sectors[at] |= 1 << sector;
        }
    }

    /// Returns the bytes of a line that move.
    pub fn bytes(&self, at: usize, config: &Config) -> u32 {
        match self.sectors[at].count_ones() {
            0 => config.l1d_line,
            sectors => (sectors * config.store_sector).min(config.l1d_line),
        }
    }

    /// Returns the parts of a line that move, each with its offset and its bytes.
    pub fn written(&self, at: usize, config: &Config) -> impl Iterator<Item = (u64, u32)> {
        let (sectors, size) = match self.sectors[at] {
            0 => (1, config.l1d_line),
            sectors => (sectors, config.store_sector),
        };
        (0..64).filter(move |sector| sectors >> sector & 1 != 0).map(move |sector| (sector * u64::from(size), size))
    }

    pub fn all(&self) -> &[u64] {
        &self.lines[..self.len]
    }
}
