//! Hand-made warps for tests of policies.

use super::Scheduler;
use crate::config::{Config, ScheduleKind};
use crate::policy::divergence::Place;
use crate::policy::view::{BlockFacts, IssueView, Unit, VirtualFacts, WarpProgress, Warps};
use crate::policy::warp_set::WarpSet;

pub fn set(warps: &[u32]) -> WarpSet {
    let mut set = WarpSet::default();
    for &warp in warps {
        set.insert(warp);
    }
    set
}

/// The warps of an SM, as a test wants them.
#[derive(Clone, Debug)]
pub struct TestWarps {
    pub ages: Vec<u64>,
    pub places: Vec<Place>,
    pub units: Vec<Unit>,
    pub blocks: Vec<BlockFacts>,
    pub buffered: Vec<u8>,
    pub progress: Vec<WarpProgress>,
    pub iterations: Vec<VirtualFacts>,
    pub long_wait: WarpSet,
    pub cycle: u64,
    pub slots: u16,
}

impl TestWarps {
    /// So many warps of one block; warps are the older the higher their number.
    pub fn new(count: usize) -> TestWarps {
        TestWarps {
            ages: (0..count as u64).rev().collect(),
            places: vec![Place::default(); count],
            units: vec![Unit::Int; count],
            blocks: vec![BlockFacts::default(); count],
            buffered: vec![0; count],
            progress: vec![WarpProgress::default(); count],
            iterations: vec![VirtualFacts::default(); count],
            long_wait: WarpSet::default(),
            cycle: 0,
            slots: 1,
        }
    }

    /// Shows a policy these warps, some of them available.
    pub fn with_view<T>(&self, available: &WarpSet, show: impl FnOnce(&IssueView) -> T) -> T {
        self.with_ready(available, available, show)
    }

    /// The same, with more of them ready, but for a unit.
    pub fn with_ready<T>(&self, available: &WarpSet, ready: &WarpSet, show: impl FnOnce(&IssueView) -> T) -> T {
        let resident = set(&(0..self.ages.len() as u32).collect::<Vec<_>>());
        show(&IssueView {
            available,
            ready,
            long_wait: &self.long_wait,
            resident: &resident,
            age: &self.ages,
            warps: self,
            slots: self.slots,
            cycle: self.cycle,
            words: self.ages.len().div_ceil(64),
        })
    }

    /// Lets a scheduler choose among the available warps.
    pub fn pick(&self, scheduler: &mut Scheduler, available: &[u32]) -> Option<u32> {
        self.pick_of(scheduler, available, available)
    }

    /// The same, with more of them ready, but for a unit.
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

    fn iterations(&self, warp: u32) -> VirtualFacts {
        self.iterations[warp as usize]
    }
}

/// A scheduler with a policy and no priority between blocks.
pub fn scheduler(schedule: ScheduleKind) -> Scheduler {
    Scheduler::new(&Config { schedule, tls_active: 2, ..Config::default() })
}

/// Picks from one set of four warps after another.
pub fn check(schedule: ScheduleKind, available: &[&[u32]], expected: &[Option<u32>]) {
    let (warps, mut scheduler) = (TestWarps::new(4), scheduler(schedule));
    let picks: Vec<Option<u32>> = available.iter().map(|available| warps.pick(&mut scheduler, available)).collect();
    assert_eq!(picks, expected);
}
