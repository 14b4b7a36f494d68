//! What a report is made of besides single numbers.

use super::Metrics;
use crate::event::Reason;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Named numbers, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(pub Vec<(String, u64)>);

impl Counts {
    /// Returns the number of that name, or 0 if there is none.
    pub fn get(&self, name: &str) -> u64 {
        self.0.iter().find(|(known, _)| known == name).map_or(0, |(_, count)| *count)
    }
}

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, count)| (name, count)))
    }
}

/// Reads the map that serialising writes, and keeps its order.
impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Counts, D::Error> {
        let map = serde_json::Map::deserialize(deserializer)?;
        let count = |(name, value): (String, serde_json::Value)| value.as_u64().map(|count| (name, count));
        let counts: Option<Vec<_>> = map.into_iter().map(count).collect();
        counts.map(Counts).ok_or_else(|| serde::de::Error::custom("a count is a whole number"))
    }
}

/// A number of a report, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReportNumber {
    Count(u64),
    Ratio(f64),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct BarrierReport {
    pub phases: u64,
    pub rtru: f64,
    pub stall_fraction: f64,
}

pub fn barriers(metrics: &Metrics) -> BarrierReport {
    let waits: u64 = [Reason::Barrier, Reason::Exit].map(|reason| metrics.totals.warp_cycles[reason as usize]).iter().sum();
    let resident: u64 = metrics.totals.warp_cycles.iter().sum();
    BarrierReport {
        phases: metrics.block_folds.phases,
        rtru: metrics.block_folds.rtru(),
        stall_fraction: if resident == 0 { 0.0 } else { waits as f64 / resident as f64 },
    }
}

/// Gives counts their names.
pub fn named<const N: usize>(names: [&str; N], counts: [u64; N]) -> Counts {
    Counts(names.into_iter().map(str::to_string).zip(counts).collect())
}
