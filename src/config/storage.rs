//! What techniques add to an SM in storage, by their papers' own arithmetic.

use super::{BlockPriorityKind, Config};

impl Config {
    /// Bits of the warp priority table: for each block a counter of its warps at the barrier (BAWS section 4.1.2).
    pub fn priority_table_bits(&self) -> u32 {
        if self.block_priority != BlockPriorityKind::MostWaiting {
            return 0;
        }
        let most_warps = self.max_threads / self.warp_width;
        self.max_blocks * most_warps.next_power_of_two().ilog2()
    }

    /// Bytes that the techniques in use add, where their papers say how many.
    pub fn storage_bytes(&self) -> u32 {
        self.priority_table_bits().div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigError, apply_techniques};

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
}
