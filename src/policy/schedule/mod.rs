//! Which ready warp issues: one policy object for each scheduler of an SM.

pub mod block_priority;
mod greedy_oldest;
mod lowest_pc;
mod majority;
mod oldest;
mod round_robin;
mod two_level;

use super::divergence::Place;
use crate::sim::warp_set::WarpSet;
use greedy_oldest::GreedyOldest;
use lowest_pc::LowestPc;
use majority::Majority;
use oldest::Oldest;
use round_robin::RoundRobin;
use two_level::TwoLevel;

super::kinds! {
    /// The issue policies.
    ScheduleKind {
        /// Loose round robin.
        Lrr = "LRR",
        /// Greedy then oldest.
        Gto = "GTO",
        /// Two-level: an active set and a pending one.
        TwoLevel = "TLS",
        /// The PC that most threads are at.
        Majority = "Majority",
        /// The warp that has waited longest since it was formed.
        Oldest = "Oldest",
        /// The warp at the lowest PC.
        Lpc = "LPC",
    }
}

/// What a scheduler may look at.
pub struct IssueView<'a> {
    /// Its warps that could issue now.
    pub available: &'a WarpSet,
    /// Its warps that wait for memory, at a barrier, or have ended.
    pub long_wait: &'a WarpSet,
    /// Its resident warps.
    pub resident: &'a WarpSet,
    /// When each warp was dispatched or formed: lower is older.
    pub age: &'a [u64],
    /// Where a warp is, and with which lanes.
    pub place: &'a dyn Fn(u32) -> Place,
    /// Words of the sets that are in use.
    pub words: usize,
}

/// An issue policy with its memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    Lrr(RoundRobin),
    Gto(GreedyOldest),
    TwoLevel(TwoLevel),
    Majority(Majority),
    Oldest(Oldest),
    Lpc(LowestPc),
}

impl Schedule {
    pub fn new(kind: ScheduleKind, active: u32) -> Schedule {
        match kind {
            ScheduleKind::Lrr => Schedule::Lrr(RoundRobin::default()),
            ScheduleKind::Gto => Schedule::Gto(GreedyOldest::default()),
            ScheduleKind::TwoLevel => Schedule::TwoLevel(TwoLevel::new(active)),
            ScheduleKind::Majority => Schedule::Majority(Majority::default()),
            ScheduleKind::Oldest => Schedule::Oldest(Oldest),
            ScheduleKind::Lpc => Schedule::Lpc(LowestPc),
        }
    }

    /// Whether [`IssueView::long_wait`] matters to it; others find it empty.
    pub fn looks_at_waits(&self) -> bool {
        matches!(self, Schedule::TwoLevel(_))
    }

    /// The PC whose warps majority scheduling lets issue now.
    pub fn majority_pc(&self) -> Option<crate::program::Pc> {
        if let Schedule::Majority(policy) = self { policy.pc() } else { None }
    }

    /// The warp to issue, if one is available. Nothing changes when none is.
    #[inline]
    pub fn pick(&mut self, view: &IssueView) -> Option<u32> {
        match self {
            Schedule::Lrr(policy) => policy.pick(view),
            Schedule::Gto(policy) => policy.pick(view),
            Schedule::TwoLevel(policy) => policy.pick(view),
            Schedule::Majority(policy) => policy.pick(view),
            Schedule::Oldest(policy) => policy.pick(view),
            Schedule::Lpc(policy) => policy.pick(view),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn set(warps: &[u32]) -> WarpSet {
        let mut set = WarpSet::default();
        for &warp in warps {
            set.insert(warp);
        }
        set
    }

    /// Picks from one set after another; warps are the older the higher their number.
    pub fn check(name: &str, available: &[WarpSet], expected: &[Option<u32>]) {
        let kind = ScheduleKind::ALL.into_iter().find(|kind| kind.name() == name).expect("a policy of that name");
        let mut policy = Schedule::new(kind, 8);
        let nobody = WarpSet::default();
        let resident = set(&[0, 1, 2, 3]);
        let picks: Vec<Option<u32>> = available
            .iter()
            .map(|available| {
                policy.pick(&IssueView {
                    available,
                    long_wait: &nobody,
                    resident: &resident,
                    age: &[3, 2, 1, 0],
                    place: &|_| Place::default(),
                    words: 1,
                })
            })
            .collect();
        assert_eq!(picks, expected);
    }
}
