//! Lanes that were available when the machine issued, for a utilisation that is comparable across warp widths.
//!
//! The lanes of a scheduler are a **row**, which one wide warp fills, or a narrow warp of each slice. Whenever a warp of a row
//! issues, all lanes of the row are offered: eight warps of 4 that issue in one cycle use a row as one warp of 32 does, and
//! one warp of 4 alone uses an eighth of it.

use crate::config::Config;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneFolds {
    /// Lanes of a row, its slices, and rows of an SM.
    row_threads: u64,
    slices: u32,
    schedulers: u32,
    /// The cycle and SM of the last issue, and the rows of that SM that have issued in it.
    at: (u64, u16),
    rows: u64,
}

impl LaneFolds {
    pub fn new(config: &Config) -> LaneFolds {
        LaneFolds {
            row_threads: config.row_threads().into(),
            slices: config.slices,
            schedulers: config.schedulers,
            ..LaneFolds::default()
        }
    }

    /// Returns the lanes that are offered when a warp issues: its row's, unless another warp of the row has issued before it.
    #[inline(always)]
    pub fn issued(&mut self, cycle: u64, sm: u16, warp: u16) -> u64 {
        if self.slices > 1 && self.has_issued(cycle, sm, warp) {
            return 0;
        }
        self.row_threads
    }

    /// Whether another warp of the same row has issued in this cycle.
    fn has_issued(&mut self, cycle: u64, sm: u16, warp: u16) -> bool {
        if self.at != (cycle, sm) {
            (self.at, self.rows) = ((cycle, sm), 0);
        }
        let row = 1 << (u32::from(warp) / self.slices % self.schedulers % 64);
        let has = self.rows & row != 0;
        self.rows |= row;
        has
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::apply_techniques;

    fn folds(technique: &str, schedulers: &str) -> LaneFolds {
        let mut config = Config::preset("vws").expect("a preset");
        apply_techniques(&mut config, technique).expect("a technique");
        config.set("schedulers", schedulers).expect("a key");
        LaneFolds::new(&config)
    }

    #[test]
    fn warps_of_a_row_that_issue_together_share_its_lanes() {
        let mut narrow = folds("WS4", "1");
        assert_eq!((0..8).map(|warp| narrow.issued(5, 0, warp)).sum::<u64>(), 32);
        assert_eq!([narrow.issued(6, 0, 3), narrow.issued(6, 1, 3)], [32, 32], "another cycle, another SM");
        assert_eq!(folds("WS32", "1").issued(5, 0, 0), 32);
    }

    #[test]
    fn every_scheduler_has_lanes_of_its_own() {
        let mut two = folds("WS4", "2");
        let offered = [0, 8, 17].map(|warp| two.issued(5, 0, warp));
        assert_eq!(offered, [32, 32, 0], "warps 0 and 17 are of the first scheduler");
    }
}
