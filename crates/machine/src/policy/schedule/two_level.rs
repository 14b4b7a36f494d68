//! Two-level scheduling: warps issue from a small active set in round robin (Origami section 4.1, after Gebhart et al.). A warp
//! that begins to wait for memory or at a barrier leaves the set, and the longest-pending warp that can continue takes its place.

use super::Rank;
use crate::policy::view::IssueView;
use crate::policy::warp_set::WarpSet;
use std::collections::VecDeque;

/// Says why a warp comes before a pending one, which cannot issue at all.
pub const IN_ACTIVE_SET: &str = "which is in the active set";

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TwoLevel {
    size: u32,
    /// In round-robin order: the front has waited longest for its turn.
    active: VecDeque<u32>,
    /// In the order in which warps left the active set or arrived on the SM.
    pending: VecDeque<u32>,
}

impl TwoLevel {
    pub fn new(size: u32) -> TwoLevel {
        TwoLevel { size, active: VecDeque::new(), pending: VecDeque::new() }
    }

    /// Updates the sets in cycles in which a warp can issue; other cycles leave them unchanged.
    #[inline(never)]
    pub fn arrange(&mut self, view: &IssueView) {
        if view.available.is_empty(view.words) {
            return;
        }
        let TwoLevel { active, pending, .. } = self;
        pending.retain(|&warp| view.resident.contains(warp));
        active.retain(|&warp| {
            let leaves = view.long_wait.contains(warp);
            if leaves && view.resident.contains(warp) {
                pending.push_back(warp);
            }
            !leaves && view.resident.contains(warp)
        });
        let mut arrived = *view.resident;
        active.iter().chain(&*pending).for_each(|&warp| arrived.remove(warp));
        pending.extend(arrived.iter(view.words));
        while (self.active.len() as u32) < self.size {
            let Some(at) = self.pending.iter().position(|&warp| !view.long_wait.contains(warp)) else { break };
            self.active.extend(self.pending.remove(at));
        }
    }

    /// Moves the first of these warps into the active set, if none of them is in it, in the place of the one that issued last.
    pub fn promote(&mut self, warps: &WarpSet) {
        let TwoLevel { active, pending, .. } = self;
        if active.iter().any(|&warp| warps.contains(warp)) {
            return;
        }
        if let Some(warp) = pending.iter().position(|&warp| warps.contains(warp)).and_then(|at| pending.remove(at)) {
            pending.extend(active.pop_back());
            active.push_back(warp);
        }
    }

    /// Returns the available warp whose turn it is.
    pub fn first(&self, available: &WarpSet) -> Option<u32> {
        self.active.iter().copied().find(|&warp| available.contains(warp))
    }

    /// Returns the warp's position in the active set; `None` for a pending warp.
    pub fn rank(&self, warp: u32) -> Option<Rank> {
        self.active.iter().position(|&active| active == warp).map(|at| [at as u64, 0])
    }

    pub fn issued(&mut self, warp: u32) {
        self.active.retain(|&active| active != warp);
        self.active.push_back(warp);
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_view::{TestWarps, scheduler, set};
    use crate::config::ScheduleKind;

    #[test]
    fn a_warp_that_waits_for_memory_makes_room() {
        let mut two_level = scheduler(ScheduleKind::TwoLevel);
        let mut pick = |available: &[u32], waiting: &[u32]| {
            TestWarps { long_wait: set(waiting), ..TestWarps::new(4) }.pick(&mut two_level, available)
        };
        assert_eq!(pick(&[0, 1, 2, 3], &[]), Some(0), "the active set is 0 and 1");
        assert_eq!(pick(&[0, 1, 2, 3], &[]), Some(1));
        assert_eq!(pick(&[1, 2, 3], &[0]), Some(1), "2 has come in behind 1, whose turn it is");
        assert_eq!(pick(&[1, 2, 3], &[0]), Some(2));
        assert_eq!(pick(&[0, 3], &[]), None, "0 and 3 could, but 1 and 2 are active");
        assert_eq!(pick(&[0, 3], &[1, 2]), Some(3), "3 has been pending since before 0 left");
    }

    #[test]
    fn a_pending_warp_that_has_waited_for_too_long_takes_the_place_of_the_last() {
        let mut policy = super::TwoLevel { size: 2, active: [4, 5].into(), pending: [6, 7].into() };
        let late = set(&[7]);
        policy.promote(&late);
        assert_eq!((&policy.active, &policy.pending), (&[4, 7].into(), &[6, 5].into()));
        let before = policy.clone();
        policy.promote(&late);
        assert_eq!(policy, before, "it is in the active set");
    }
}
