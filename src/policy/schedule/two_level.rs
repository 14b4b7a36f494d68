//! Two-level scheduling: warps issue from a small active set in round robin; one that comes to wait for memory or at a
//! barrier leaves it, and the warp that has been pending longest and can go on takes its place (Origami section 4.1, after
//! Gebhart et al.).

use super::IssueView;
use std::collections::VecDeque;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TwoLevel {
    size: u32,
    /// In turn: the front has waited longest for its turn.
    active: VecDeque<u32>,
    /// In the order in which they left the active set or arrived.
    pending: VecDeque<u32>,
}

impl TwoLevel {
    pub fn new(size: u32) -> TwoLevel {
        TwoLevel { size, active: VecDeque::new(), pending: VecDeque::new() }
    }

    #[inline(never)]
    pub fn pick(&mut self, view: &IssueView) -> Option<u32> {
        // The sets are only brought up to date when something can issue, so that cycles in which nothing can change nothing.
        if view.available.is_empty(view.words) {
            return None;
        }
        self.update(view);
        let at = self.active.iter().position(|&warp| view.available.contains(warp))?;
        let warp = self.active.remove(at)?;
        self.active.push_back(warp);
        Some(warp)
    }

    fn update(&mut self, view: &IssueView) {
        self.active.retain(|&warp| view.resident.contains(warp));
        self.pending.retain(|&warp| view.resident.contains(warp));
        let (stay, leave): (VecDeque<u32>, Vec<u32>) = {
            let (leave, stay): (Vec<u32>, Vec<u32>) = self.active.iter().partition(|&&warp| view.long_wait.contains(warp));
            (stay.into(), leave)
        };
        self.active = stay;
        self.pending.extend(leave);
        for warp in view.resident.iter(view.words) {
            if !self.active.contains(&warp) && !self.pending.contains(&warp) {
                self.pending.push_back(warp);
            }
        }
        while (self.active.len() as u32) < self.size {
            let Some(at) = self.pending.iter().position(|&warp| !view.long_wait.contains(warp)) else { break };
            if let Some(warp) = self.pending.remove(at) {
                self.active.push_back(warp);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::set;
    use super::super::{IssueView, Schedule, ScheduleKind};

    #[test]
    fn a_warp_that_waits_for_memory_makes_room() {
        let mut policy = Schedule::new(ScheduleKind::TwoLevel, 2);
        let resident = set(&[0, 1, 2, 3]);
        let age = [0; 4];
        let mut pick = |available: &[u32], waiting: &[u32]| {
            let (available, long_wait) = (set(available), set(waiting));
            policy.pick(&IssueView {
                available: &available,
                long_wait: &long_wait,
                resident: &resident,
                age: &age,
                place: &|_| Default::default(),
                words: 1,
            })
        };
        assert_eq!(pick(&[0, 1, 2, 3], &[]), Some(0), "the active set is 0 and 1");
        assert_eq!(pick(&[0, 1, 2, 3], &[]), Some(1));
        assert_eq!(pick(&[1, 2, 3], &[0]), Some(1), "2 has come in behind 1, whose turn it is");
        assert_eq!(pick(&[1, 2, 3], &[0]), Some(2));
        assert_eq!(pick(&[0, 3], &[]), None, "0 and 3 could, but 1 and 2 are active");
        assert_eq!(pick(&[0, 3], &[1, 2]), Some(3), "3 has been pending since before 0 left");
    }
}
