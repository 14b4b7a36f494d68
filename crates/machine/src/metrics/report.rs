//! What a report is made of besides single numbers.

use super::Metrics;
use crate::event::{Reason, StallCause};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::marker::PhantomData;

/// What a list of [`Counts`] counts.
pub trait Counted {
    /// The key in results.
    fn name(&self) -> Cow<'static, str>;
}

impl Counted for Reason {
    fn name(&self) -> Cow<'static, str> {
        self.key().into()
    }
}

impl Counted for StallCause {
    fn name(&self) -> Cow<'static, str> {
        self.key().into()
    }
}

/// Numbers of things of one kind, in a fixed order, by their names in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts<K> {
    list: Vec<(String, u64)>,
    of: PhantomData<K>,
}

impl<K> Default for Counts<K> {
    fn default() -> Counts<K> {
        Counts { list: Vec::new(), of: PhantomData }
    }
}

impl<K: Counted> Counts<K> {
    /// Lists counts in this order.
    pub fn new(counts: impl IntoIterator<Item = (K, u64)>) -> Counts<K> {
        let list = counts.into_iter().map(|(key, count)| (key.name().into_owned(), count)).collect();
        Counts { list, of: PhantomData }
    }

    /// Returns how many there are of one thing: 0 if the list does not have it.
    pub fn get(&self, key: K) -> u64 {
        let name = key.name();
        self.list.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
    }

    /// Returns how many there are of some things together.
    pub fn sum(&self, keys: impl IntoIterator<Item = K>) -> u64 {
        keys.into_iter().map(|key| self.get(key)).sum()
    }
}

impl<K> Counts<K> {
    /// Returns the names with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.list.iter().map(|(name, count)| (name.as_str(), *count))
    }

    /// Returns how many there are in all.
    pub fn total(&self) -> u64 {
        self.list.iter().map(|(_, count)| count).sum()
    }
}

impl<K> Serialize for Counts<K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Reads the map that serialising writes, and keeps its order.
impl<'de, K> Deserialize<'de> for Counts<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Counts<K>, D::Error> {
        let map = serde_json::Map::deserialize(deserializer)?;
        let count = |(name, value): (String, serde_json::Value)| value.as_u64().map(|count| (name, count));
        let list: Option<Vec<_>> = map.into_iter().map(count).collect();
        let list = list.ok_or_else(|| serde::de::Error::custom("a count is a whole number"))?;
        Ok(Counts { list, of: PhantomData })
    }
}

/// A number of a report, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReportNumber {
    /// A number of things, or of cycles.
    Count(u64),
    /// A quotient.
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
