//! Gangs: small warps of neighbouring slices that run in lock-step (VWS section 4).
//!
//! An **original gang** is what a 32-wide warp would be: the warps that the slices hold side by side, numbered like a row.
//! All of them start as one gang. When they no longer want the same instruction the gang **splits**: members with a common
//! PC stay together as smaller gangs, a member alone at its PC becomes a **singleton**, which its slice schedules by itself.
//! Parts of an original gang may be put together again (**reformation**); warps of different original gangs never are.
//!
//! ```text
//!   slices   0 1 2 3 4 5 6 7          slices   0 1 2 3 4 5 6 7
//!   PCs      a a a a a a a a    ─►    PCs      a a b c c c d a
//!   gang 0   ■ ■ ■ ■ ■ ■ ■ ■          gang 0   ■ ■           ■
//!                                     gang 1         ■ ■ ■
//!                                     singletons   2       6
//! ```
//!
//! The **gang table** has a set for each original gang and four entries a set: eight warps make at most four gangs of two
//! ([`ENTRIES`]). Stacks, scoreboards and I-buffers stay with the warps; whether a gang is ready is whether its members are.
//!
//! This file is the table. [`split`] is the rule that takes gangs apart, [`reform`] the one that joins them, [`schedule`] the
//! order in which they issue, [`patience`] the bound on how long they keep others waiting. What the stages of the machine do with it is in `sim/gang.rs`.

pub mod patience;
pub mod reform;
pub mod schedule;
pub mod split;

use crate::config::GangScheduleKind;
use crate::policy::warp_set::WarpSet;
use schedule::GangSchedule;

/// Gangs that one original gang can be in: pairs of eight warps.
pub const ENTRIES: usize = 4;
/// The most slices that a gang can span.
pub const MOST: usize = 8;

/// A set of the gang table: one original gang. Masks have a bit for each slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set {
    /// The members of each gang; 0 where the entry is not in use.
    pub gangs: [u8; ENTRIES],
    /// Warps that are in no gang.
    pub singles: u8,
}

impl Set {
    /// Everybody who has not ended.
    pub fn live(&self) -> u8 {
        self.gangs.iter().fold(self.singles, |all, gang| all | gang)
    }

    /// Whether there is more than one part.
    pub fn is_apart(&self) -> bool {
        self.gangs.iter().filter(|gang| **gang != 0).count() + self.singles.count_ones() as usize > 1
    }

    /// Gangs and singletons, as masks, by entry and then by slice.
    pub fn parts(self) -> impl Iterator<Item = u8> {
        let singles = (0..MOST).map(move |slice| self.singles & 1 << slice);
        self.gangs.into_iter().chain(singles).filter(|&part| part != 0)
    }

    /// The part that a slice's warp is in.
    pub fn part_of(self, slice: u32) -> u8 {
        self.parts().find(|part| part >> slice & 1 != 0).unwrap_or(0)
    }

    /// The entry that holds exactly this gang.
    pub fn entry_of(&self, gang: u8) -> Option<usize> {
        self.gangs.iter().position(|&members| members == gang && members != 0)
    }
}

/// The gang table of an SM, with the memory of whoever decides by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Gangs {
    pub sets: Vec<Set>,
    pub slices: u32,
    /// Warps that are in no gang, whom their slices schedule.
    pub singles: WarpSet,
    /// Original gangs of which a warp has moved.
    pub moved: WarpSet,
    /// Original gangs of which a load has come back.
    pub answered: WarpSet,
    /// One for each scheduler of a slice: gang n belongs to scheduler n modulo their number.
    pub schedules: Vec<GangSchedule>,
    /// The gang behind the last one that was fetched for.
    pub next_fetch: u32,
    /// Some gang has another size than at the end of the cycle before.
    pub resized: bool,
    pub reform: reform::Reformation,
    pub patience: patience::Patience,
}

impl Gangs {
    pub fn new(rows: u32, slices: u32, schedulers: u32, kind: GangScheduleKind, patience: u32) -> Gangs {
        Gangs {
            sets: vec![Set::default(); rows as usize],
            slices,
            singles: WarpSet::default(),
            moved: WarpSet::default(),
            answered: WarpSet::default(),
            schedules: vec![GangSchedule::new(kind); schedulers as usize],
            next_fetch: 0,
            resized: false,
            reform: reform::Reformation::default(),
            patience: patience::Patience::new(patience),
        }
    }

    /// The original gang that a warp belongs to.
    pub fn row_of(&self, warp: u32) -> u32 {
        warp / self.slices
    }

    /// The warps of a mask of slices.
    pub fn warps(&self, row: u32, mask: u8) -> impl Iterator<Item = u32> + use<> {
        let first = row * self.slices;
        (0..MOST as u32).filter(move |slice| mask >> slice & 1 != 0).map(move |slice| first + slice)
    }

    /// A block's warps start: all that there are of an original gang together.
    pub fn start(&mut self, row: u32, mask: u8) {
        let mut set = Set::default();
        if mask.count_ones() > 1 {
            set.gangs[0] = mask
        } else {
            set.singles = mask
        }
        self.put(row, set);
    }

    /// Replaces a set, keeping account of who is alone.
    pub fn put(&mut self, row: u32, set: Set) {
        self.sets[row as usize] = set;
        self.resized = true;
        for slice in 0..self.slices {
            self.singles.set(row * self.slices + slice, set.singles >> slice & 1 != 0);
        }
    }

    /// Warps that are alive by the size of the gang they are in, singletons first (VWS figure 18).
    pub fn sizes(&self) -> [u16; MOST] {
        let mut sizes = [0; MOST];
        for set in &self.sets {
            for part in set.parts() {
                let size = part.count_ones();
                sizes[size as usize - 1] += size as u16;
            }
        }
        sizes
    }

    /// The next gang, going round, with members that want instructions: its original gang and those members.
    pub fn next_to_fetch(&mut self, wants: &WarpSet) -> Option<(u32, u8)> {
        let (rows, first) = (self.sets.len() as u32, self.next_fetch / ENTRIES as u32);
        // The row that the search begins in is looked at twice: from the entry it begins with, and at last before it.
        for step in 0..=rows {
            let row = (first + step) % rows;
            let wanting = wants.row(row * self.slices, self.slices) as u8;
            if wanting == 0 {
                continue;
            }
            let from = if step == 0 { self.next_fetch as usize % ENTRIES } else { 0 };
            let gangs = self.sets[row as usize].gangs;
            if let Some(entry) = (from..ENTRIES).find(|&entry| gangs[entry] & wanting != 0) {
                self.next_fetch = row * ENTRIES as u32 + entry as u32 + 1;
                return Some((row, gangs[entry] & wanting));
            }
        }
        None
    }
}
