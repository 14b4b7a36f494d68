//! The storage that techniques add to an SM, by the arithmetic of their papers.

use super::{BlockPriorityKind, Config, DispatchKind, ScheduleKind, ThreadIndexKind};

impl Config {
    /// Returns the bits of the warp priority table: a counter per block for its warps at the barrier (BAWS section 4.1.2).
    pub fn priority_table_bits(&self) -> u32 {
        if self.block_priority != BlockPriorityKind::MostWaiting {
            return 0;
        }
        let most_warps = self.max_threads / self.warp_width;
        self.max_blocks * most_warps.next_power_of_two().ilog2()
    }

    /// Returns the bytes for the assignment of logical blocks (VTW section 4.5). Per block: its logical block, and a count of
    /// warps that have not got the next one. Per GPU: the number of the last logical block assigned. Besides these, the storage
    /// for the choice of threads.
    pub fn dispatch_bytes(&self) -> u32 {
        if self.dispatch == DispatchKind::Plain {
            return 0;
        }
        let threads = match self.thread_index {
            ThreadIndexKind::SameLane => 0,
            ThreadIndexKind::SlowestLane => self.max_threads / self.warp_width,
            ThreadIndexKind::LowestToHighestLane => 1,
        };
        self.max_blocks * (4 + 1) + 4 + threads
    }

    /// Returns the bytes of the progress scheduler (VTW section 4.5). Per block: the count of its warps in the next iteration,
    /// its progress and its lowest iteration. Per warp: its progress and its iteration.
    pub fn progress_bytes(&self) -> u32 {
        if self.schedule != ScheduleKind::Progress {
            return 0;
        }
        self.max_blocks + 4 * 2 * (self.max_threads / self.warp_width + self.max_blocks)
    }

    /// Returns the bytes that the techniques in use add, where their papers state them.
    pub fn storage_bytes(&self) -> u32 {
        self.priority_table_bits().div_ceil(8) + self.dispatch_bytes() + self.progress_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigError, MachineSpec, apply_techniques};

    #[test]
    fn eight_counters_of_six_bits_are_six_bytes() -> Result<(), ConfigError> {
        let mut config = Config::preset("gtx480")?;
        assert_eq!(config.storage_bytes(), 0, "no table without MWF");
        apply_techniques(&mut config, "BAWS")?;
        assert_eq!((config.priority_table_bits(), config.storage_bytes()), (48, 6), "8 blocks, up to 48 warps each");
        config.max_blocks = 16;
        assert_eq!(config.storage_bytes(), 12);
        Ok(())
    }

    #[test]
    fn virtual_blocks_cost_what_their_paper_counts() -> Result<(), ConfigError> {
        for (technique, dispatch, schedule, all) in
            [("vGTO", 44, 0, 44), ("VTW", 44, 456, 500), ("VTW-LH", 45, 456, 501), ("VTW-SL", 92, 456, 548)]
        {
            let config = MachineSpec::new("gtx480", technique, []).config()?;
            let counted = (config.dispatch_bytes(), config.progress_bytes(), config.storage_bytes());
            assert_eq!(counted, (dispatch, schedule, all), "{technique}");
        }
        Ok(())
    }
}
