//! Gangs: narrow warps of neighbouring slices that run in lock-step (VWS section 4).
//!
//! An **original gang** corresponds to a 32-wide warp: the warps that lie side by side in the slices, one row of the warp table.
//! All of them start as one gang. When their next instructions differ the gang **splits**: members with a common PC stay together
//! as smaller gangs, and a member alone at its PC becomes a **singleton**, which its slice schedules by itself. Parts of an
//! original gang may be merged again (**reformation**); warps of different original gangs are never merged.
//!
//! ```text
//!   slices   0 1 2 3 4 5 6 7          slices   0 1 2 3 4 5 6 7
//!   PCs      a a a a a a a a    ─►    PCs      a a b c c c d a
//!   gang 0   ■ ■ ■ ■ ■ ■ ■ ■          gang 0   ■ ■           ■
//!                                     gang 1         ■ ■ ■
//!                                     singletons   2       6
//! ```
//!
//! The **gang table** has one set per original gang, with four entries each: eight warps form at most four gangs of two
//! ([`ENTRIES`]). Each warp keeps its own stack, scoreboard and I-buffer; a gang is ready when all of its members are.
//!
//! This file is the table. [`split`] takes gangs apart, [`reform`] merges them, [`schedule`] orders them for issue, and
//! [`patience`](super::patience) bounds how long they keep other warps waiting. The pipeline stages that use the table are in
//! `sim/gang.rs`.

pub(crate) mod reform;
pub(crate) mod schedule;
pub(crate) mod split;

use crate::config::GangScheduleKind;
use crate::policy::patience::Patience;
use crate::policy::warp_set::WarpSet;
use schedule::GangSchedule;

/// Entries per set: eight warps form at most four gangs of two.
pub const ENTRIES: usize = 4;
/// The most slices that a gang can span, and so its most members.
pub const MAX_SLICES: usize = 8;

/// One set of the gang table: the parts of one original gang. Masks have a bit per slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GangSet {
    /// Members of each gang; 0 for an unused entry.
    pub gangs: [u8; ENTRIES],
    /// Warps that are in no gang.
    pub singles: u8,
}

impl GangSet {
    /// Returns the warps that have not exited.
    pub fn live(&self) -> u8 {
        self.gangs.iter().fold(self.singles, |all, gang| all | gang)
    }

    /// Whether the original gang is split into more than one part.
    pub fn is_apart(&self) -> bool {
        self.gangs.iter().filter(|gang| **gang != 0).count() + self.singles.count_ones() as usize > 1
    }

    /// Iterates over the parts as masks: gangs by entry, then singletons by slice.
    pub fn parts(self) -> impl Iterator<Item = u8> {
        let singles = (0..MAX_SLICES).map(move |slice| self.singles & 1 << slice);
        self.gangs.into_iter().chain(singles).filter(|&part| part != 0)
    }

    /// Returns the part that contains the warp of a slice.
    pub fn part_of(self, slice: u32) -> u8 {
        self.parts().find(|part| part >> slice & 1 != 0).unwrap_or(0)
    }

    /// Returns the entry that holds exactly this gang.
    pub fn entry_of(&self, gang: u8) -> Option<usize> {
        self.gangs.iter().position(|&members| members == gang && members != 0)
    }
}

/// The gang table of an SM, with the state of the gang policies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gangs {
    /// The gangs of each original gang.
    pub sets: Vec<GangSet>,
    /// Slices of the lanes, which is the size of an original gang.
    pub slices: u32,
    /// Warps that are in no gang, which their slices schedule.
    pub singles: WarpSet,
    /// Warps that have moved to another PC or exited since the last check for control splits.
    pub moved: WarpSet,
    /// Original gangs of which a load has returned since the last check for memory splits.
    pub answered: WarpSet,
    /// One for each scheduler of a slice; original gang n belongs to scheduler n modulo their number.
    pub schedules: Vec<GangSchedule>,
    /// The table entry at which the search for the next gang to fetch for begins.
    pub next_fetch: u32,
    /// Whether a set has been replaced since the gang sizes were last reported.
    pub resized: bool,
    pub(crate) reform: reform::Reformation,
    pub(crate) patience: Patience,
}

impl Gangs {
    pub(crate) fn new(rows: u32, slices: u32, schedulers: u32, kind: GangScheduleKind, patience: u32) -> Gangs {
        Gangs {
            sets: vec![GangSet::default(); rows as usize],
            slices,
            singles: WarpSet::default(),
            moved: WarpSet::default(),
            answered: WarpSet::default(),
            schedules: vec![GangSchedule::new(kind); schedulers as usize],
            next_fetch: 0,
            resized: false,
            reform: reform::Reformation::default(),
            patience: Patience::new(patience),
        }
    }

    /// Returns the original gang that a warp belongs to.
    pub fn row_of(&self, warp: u32) -> u32 {
        // Their number is a power of two.
        warp >> self.slices.trailing_zeros()
    }

    /// Iterates over the warps of an original gang that are in a mask of slices.
    pub fn warps(&self, row: u32, mask: u8) -> impl Iterator<Item = u32> + use<> {
        let first = row * self.slices;
        (0..MAX_SLICES as u32).filter(move |slice| mask >> slice & 1 != 0).map(move |slice| first + slice)
    }

    /// Starts the warps of an original gang that a block provides, all as one gang.
    pub fn start(&mut self, row: u32, mask: u8) {
        let mut set = GangSet::default();
        if mask.count_ones() > 1 {
            set.gangs[0] = mask
        } else {
            set.singles = mask
        }
        self.put(row, set);
    }

    /// Replaces a set and updates the singletons.
    pub fn put(&mut self, row: u32, set: GangSet) {
        self.sets[row as usize] = set;
        self.resized = true;
        let first = row * self.slices;
        self.singles.remove_row(first, self.slices);
        self.singles.insert_row(first, set.singles.into());
    }

    /// Returns the number of live warps by the size of their gang, singletons first (VWS figure 18).
    pub fn sizes(&self) -> [u16; MAX_SLICES] {
        let mut sizes = [0; MAX_SLICES];
        for set in &self.sets {
            for part in set.parts() {
                let size = part.count_ones();
                sizes[size as usize - 1] += size as u16;
            }
        }
        sizes
    }

    /// Returns the next gang in round-robin order with members to fetch for: its original gang and those members.
    pub fn next_to_fetch(&mut self, wants: &WarpSet) -> Option<(u32, u8)> {
        let rows = self.sets.len() as u32;
        let words = (rows * self.slices).div_ceil(64) as usize;
        let mut wanting = WarpSet::default();
        (0..words).for_each(|word| wanting.bits[word] = wants.bits[word] & !self.singles.bits[word]);
        let (first, entry) = (self.next_fetch / ENTRIES as u32 % rows, self.next_fetch as usize % ENTRIES);
        // The search ends with the entries of its first row that it began behind.
        let behind = wanting.row(first * self.slices, self.slices);
        let mut next = self.fetch_in(first, entry, behind as u8);
        let mut from = first * self.slices;
        while next.is_none() {
            wanting.remove_row(from, self.slices);
            let Some(warp) = wanting.next_from(from, words) else { break };
            let row = self.row_of(warp);
            from = row * self.slices;
            next = self.fetch_in(row, 0, wanting.row(from, self.slices) as u8);
        }
        let (at, members) = next.or_else(|| self.fetch_in(first, 0, behind as u8))?;
        self.next_fetch = at + 1;
        Some((at / ENTRIES as u32, members))
    }

    /// Returns the first gang of a row, from an entry on, with members that want a fetch: its position in the table, and those.
    fn fetch_in(&self, row: u32, from: usize, wanting: u8) -> Option<(u32, u8)> {
        let gangs = &self.sets[row as usize].gangs;
        let entry = (from..ENTRIES).find(|&entry| gangs[entry] & wanting != 0)?;
        Some((row * ENTRIES as u32 + entry as u32, gangs[entry] & wanting))
    }
}
