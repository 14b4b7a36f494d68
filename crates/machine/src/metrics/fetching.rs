//! Whether the fetch stage serves the warp that issues next (BAWS section 4.2).
//!
//! A fetch is *used next* if the first instruction that its warp's scheduler issues afterwards belongs to that warp. The other
//! fetches are the mismatch between the two stages that critical-fetch-first is meant to remove.

use crate::config::Config;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FetchFolds {
    /// Fetches whose warp issued next.
    pub used_next: u64,
    slices: u32,
    schedulers: u32,
    /// For each port of each SM, the fetches since it last issued, by cycle and warp.
    waiting: Vec<Vec<(u64, u16)>>,
}

impl FetchFolds {
    pub fn new(config: &Config) -> FetchFolds {
        let ports = config.issue_ports() * config.sms;
        FetchFolds {
            used_next: 0,
            slices: config.slices,
            schedulers: config.schedulers,
            waiting: vec![Vec::new(); ports as usize],
        }
    }

    fn of(&mut self, sm: u16, warp: u16) -> Option<&mut Vec<(u64, u16)>> {
        let (slices, warp) = (self.slices.max(1), u32::from(warp));
        let port = warp / slices % self.schedulers.max(1) * slices + warp % slices;
        self.waiting.get_mut((u32::from(sm) * slices * self.schedulers + port) as usize)
    }

    pub fn fetched(&mut self, cycle: u64, sm: u16, warp: u16) {
        if let Some(waiting) = self.of(sm, warp) {
            waiting.push((cycle, warp));
        }
    }

    #[inline]
    pub fn issued(&mut self, cycle: u64, sm: u16, warp: u16) {
        let mut used = 0;
        if let Some(waiting) = self.of(sm, warp)
            && !waiting.is_empty()
        {
            // A fetch follows issue within a cycle, so it is for the next one.
            used = waiting.iter().filter(|fetch| **fetch == (fetch.0, warp) && fetch.0 < cycle).count() as u64;
            waiting.retain(|fetch| fetch.0 >= cycle);
        }
        self.used_next += used;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fetch_counts_if_its_warp_issues_before_others_of_its_scheduler() {
        let mut folds = FetchFolds::new(&Config { schedulers: 2, ..Config::default() });
        folds.fetched(0, 0, 4);
        folds.issued(1, 0, 3);
        assert_eq!(folds.used_next, 0, "warp 3 has the other scheduler");
        folds.issued(2, 0, 4);
        assert_eq!(folds.used_next, 1);
        folds.issued(3, 0, 4);
        assert_eq!(folds.used_next, 1, "a fetch counts once");
        folds.fetched(4, 0, 6);
        folds.fetched(5, 0, 8);
        folds.issued(6, 0, 8);
        folds.issued(7, 0, 6);
        assert_eq!(folds.used_next, 2, "warp 6 was fetched for, and warp 8 issued");
    }
}
