//! Hand-made warps for tests of issue and fetch policies.

use super::Scheduler;
use crate::config::{Config, ScheduleKind};
use crate::policy::divergence::Place;
use crate::policy::view::{BlockFacts, IssueView, Unit, VirtualBlockFacts, WarpProgress, Warps};
use crate::policy::warp_set::WarpSet;

pub fn set(warps: &[u32]) -> WarpSet {
    let mut set = WarpSet::default();
    for &warp in warps {
        set.insert(warp);
    }
    set
}

/// The warps of an SM, as a test sets them up.
#[derive(Clone, Debug)]
pub struct TestWarps {
    pub ages: Vec<u64>,
    pub places: Vec<Place>,
    pub units: Vec<Unit>,
    pub blocks: Vec<BlockFacts>,
    pub buffered: Vec<u8>,
    pub progress: Vec<WarpProgress>,
    pub iterations: Vec<VirtualBlockFacts>,
    pub unfetched: WarpSet,
    pub long_wait: WarpSet,
    /// Warps that are not resident.
    pub absent: WarpSet,
    pub cycle: u64,
    pub slots: u16,
}

impl TestWarps {
    /// Creates `count` warps of one block; a higher number is older.
    pub fn new(count: usize) -> TestWarps {
        TestWarps {
            ages: (0..count as u64).rev().collect(),
            places: vec![Place::default(); count],
            units: vec![Unit::Int; count],
            blocks: vec![BlockFacts::default(); count],
            buffered: vec![0; count],
            progress: vec![WarpProgress::default(); count],
            iterations: vec![VirtualBlockFacts::default(); count],
            unfetched: WarpSet::default(),
            long_wait: WarpSet::default(),
            absent: WarpSet::default(),
            cycle: 0,
            slots: 1,
        }
    }

    /// Whether a warp is not resident or will not issue for long.
    pub fn holds(&self, warp: u32) -> bool {
        self.absent.contains(warp) || self.long_wait.contains(warp)
    }

    /// Calls `show` with a view of these warps in which some are available.
    pub fn with_view<T>(&self, available: &WarpSet, show: impl FnOnce(&IssueView) -> T) -> T {
        self.with_ready(available, available, show)
    }

    /// As [`TestWarps::with_view`]; warps in `ready` but not in `available` wait only for a unit.
    pub fn with_ready<T>(&self, available: &WarpSet, ready: &WarpSet, show: impl FnOnce(&IssueView) -> T) -> T {
        let resident = (0..self.ages.len() as u32).filter(|&warp| !self.absent.contains(warp));
        let resident = set(&resident.collect::<Vec<_>>());
        show(&IssueView {
            available,
            ready,
            unfetched: &self.unfetched,
            long_wait: &self.long_wait,
            resident: &resident,
            age: &self.ages,
            warps: self,
            slots: self.slots,
            cycle: self.cycle,
            words: self.ages.len().div_ceil(64),
        })
    }

    /// Lets a scheduler choose and issue one of the available warps.
    pub fn pick(&self, scheduler: &mut Scheduler, available: &[u32]) -> Option<u32> {
        self.pick_of(scheduler, available, available)
    }

    /// As [`TestWarps::pick`]; warps in `ready` but not in `available` wait only for a unit.
    pub fn pick_of(&self, scheduler: &mut Scheduler, available: &[u32], ready: &[u32]) -> Option<u32> {
        self.with_ready(&set(available), &set(ready), |view| {
            scheduler.arrange(view);
            let warp = scheduler.first(view)?;
            scheduler.issued(warp, view);
            Some(warp)
        })
    }
}

impl Warps for TestWarps {
    fn place(&self, warp: u32) -> Place {
        self.places[warp as usize]
    }

    fn unit(&self, warp: u32) -> Unit {
        self.units[warp as usize]
    }

    fn buffered(&self, warp: u32) -> u8 {
        self.buffered[warp as usize]
    }

    fn block(&self, warp: u32) -> BlockFacts {
        self.blocks[warp as usize]
    }

    fn has_block(&self, slot: u16) -> bool {
        self.blocks.iter().any(|block| block.slot == slot)
    }

    fn progress(&self, warp: u32) -> WarpProgress {
        self.progress[warp as usize]
    }

    fn iterations(&self, warp: u32) -> VirtualBlockFacts {
        self.iterations[warp as usize]
    }
}

/// Creates a scheduler with an issue policy and no block priority.
pub fn scheduler(schedule: ScheduleKind) -> Scheduler {
    Scheduler::new(&Config { schedule, tls_active: 2, ..Config::default() })
}

/// Checks the picks from a sequence of available sets, of four warps.
pub fn check(schedule: ScheduleKind, available: &[&[u32]], expected: &[Option<u32>]) {
    let (warps, mut scheduler) = (TestWarps::new(4), scheduler(schedule));
    let picks: Vec<Option<u32>> = available.iter().map(|available| warps.pick(&mut scheduler, available)).collect();
    assert_eq!(picks, expected);
}
