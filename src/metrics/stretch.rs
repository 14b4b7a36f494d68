//! Metrics of a stretch of cycles: what was counted at its end less what was counted at its beginning.
//!
//! Some numbers belong to the whole run and have no such difference: the deepest stack, how unequal the warps of a block were,
//! how long a lane was gated. A stretch leaves them out; [`OF_A_STRETCH`] names those that it has.

use super::{CacheCounts, Metrics};

/// The numbers of a report that are meaningful for a stretch.
pub const OF_A_STRETCH: &[&str] = &[
    "cycles",
    "warp_instructions",
    "thread_instructions",
    "ipc",
    "lane_efficiency",
    "simd_efficiency",
    "partial_warps",
    "branches",
    "divergent_branches",
    "branch_efficiency",
    "fetches",
    "fetches_per_cycle",
    "instruction_misses",
    "memory_transactions",
    "memory_bytes",
    "shared_bank_conflicts",
    "warps_formed",
    "threads_merged",
    "blocks",
];

impl CacheCounts {
    fn since(&self, earlier: &CacheCounts) -> CacheCounts {
        CacheCounts {
            accesses: self.accesses - earlier.accesses,
            hits: self.hits - earlier.hits,
            misses: self.misses - earlier.misses,
            mshr_merges: self.mshr_merges - earlier.mshr_merges,
        }
    }
}

impl Metrics {
    /// Returns the counts since an earlier cycle of the same run; numbers that do not add up are as before the first cycle.
    pub(super) fn since(&self, earlier: &Metrics) -> Metrics {
        let mut lanes = self.lanes.clone();
        lanes.offered -= earlier.lanes.offered;
        Metrics {
            width: self.width,
            is_virtual: self.is_virtual,
            warp_instructions: self.warp_instructions - earlier.warp_instructions,
            thread_instructions: self.thread_instructions - earlier.thread_instructions,
            branches: self.branches - earlier.branches,
            divergent_branches: self.divergent_branches - earlier.divergent_branches,
            slots_by_threads: std::array::from_fn(|at| self.slots_by_threads[at] - earlier.slots_by_threads[at]),
            slots_stalled: std::array::from_fn(|at| self.slots_stalled[at] - earlier.slots_stalled[at]),
            slots_memory: self.slots_memory - earlier.slots_memory,
            slots_idle: self.slots_idle - earlier.slots_idle,
            warp_cycles: std::array::from_fn(|at| self.warp_cycles[at] - earlier.warp_cycles[at]),
            fetches: self.fetches - earlier.fetches,
            instruction_misses: self.instruction_misses - earlier.instruction_misses,
            l1d: self.l1d.since(&earlier.l1d),
            l2: self.l2.since(&earlier.l2),
            memory_transactions: self.memory_transactions - earlier.memory_transactions,
            shared_bank_conflicts: self.shared_bank_conflicts - earlier.shared_bank_conflicts,
            warps_formed: self.warps_formed - earlier.warps_formed,
            threads_merged: self.threads_merged - earlier.threads_merged,
            blocks: self.blocks - earlier.blocks,
            lanes,
            ..Metrics::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::{DEFINITIONS, Report, ReportNumber};
    use crate::replay::Replay;

    #[test]
    fn counts_of_two_stretches_are_those_of_both_together() {
        let lesson = crate::lesson::all().iter().find(|lesson| lesson.id == "1-compaction").expect("a lesson");
        let mut run = Replay::new(lesson.sim("TBC").expect("it runs"));
        run.seek(u64::MAX);
        let (end, config) = (run.cycle(), run.sim().machine.config.clone());
        let tallies = [0, end / 3, end].map(|cycle| run.tally_at(cycle));
        let report =
            |from: usize, to: usize, cycles: u64| Report::new(&tallies[to].since(&tallies[from]).metrics, &config, cycles);
        let (first, second, all) = (report(0, 1, end / 3), report(1, 2, end - end / 3), report(0, 2, end));
        let whole = Report::new(&tallies[2].metrics, &config, end);
        for name in OF_A_STRETCH {
            assert!(DEFINITIONS.iter().any(|definition| definition.name == *name), "{name}");
            assert_eq!(all.number(name), whole.number(name), "{name}");
            if let (Some(ReportNumber::Count(a)), Some(ReportNumber::Count(b)), Some(ReportNumber::Count(sum))) =
                (first.number(name), second.number(name), all.number(name))
            {
                assert_eq!(a + b, sum, "{name}");
            }
        }
        for (part, both) in [(&first.warp_cycles, &all.warp_cycles), (&first.issue_slots, &all.issue_slots)] {
            assert!(part.0.iter().zip(&both.0).all(|((_, part), (_, both))| part <= both));
        }
    }
}
