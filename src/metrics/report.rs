//! The report of a run: its numbers as they are printed.

use super::VirtualBlocks;
use super::blocks::WarpDivergence;
use super::gangs::GangReport;
use super::power::PowerReport;
use super::{CacheCounts, DEFINITIONS, Metrics, slots};
use crate::config::Config;
use crate::config::area::area;
use crate::event::{Reason, StallCause};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Results of a run on the machine, in the order of [`DEFINITIONS`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub cycles: u64,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    pub ipc: f64,
    pub lane_efficiency: f64,
    pub simd_efficiency: f64,
    pub partial_warps: f64,
    pub branches: u64,
    pub divergent_branches: u64,
    pub branch_efficiency: f64,
    pub sms: u32,
    pub issue_ports: u32,
    pub issue_slots: Counts,
    pub stalls: Counts,
    pub warp_cycles: Counts,
    pub resident_warp_cycles: u64,
    pub fetches: u64,
    pub fetches_per_cycle: f64,
    pub fetches_used_next: u64,
    pub instruction_misses: u64,
    pub l0_hits: u64,
    pub l1d: CacheCounts,
    pub l2: CacheCounts,
    pub memory_transactions: u64,
    pub memory_bytes: u64,
    pub shared_bank_conflicts: u64,
    pub max_stack_depth: u64,
    pub warps_formed: u64,
    pub threads_merged: u64,
    pub barriers: Barriers,
    pub warp_divergence: WarpDivergence,
    pub stall_cycles: f64,
    pub resident_blocks: u64,
    pub virtual_blocks: Option<VirtualBlocks>,
    pub gangs: Option<GangReport>,
    pub power: Option<PowerReport>,
    pub leakage_saved: f64,
    pub area_mm2: f64,
    pub storage_bytes: u32,
    pub blocks: u64,
}

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
pub struct Barriers {
    pub phases: u64,
    pub rtru: f64,
    pub stall_fraction: f64,
}

impl Report {
    pub fn new(metrics: &Metrics, config: &Config, cycles: u64) -> Report {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let resident: u64 = metrics.warp_cycles.iter().sum();
        let full = metrics.slots_by_threads.get(config.warp_width as usize - 1).copied().unwrap_or(0);
        let power = metrics.power.report(cycles);
        let at_barriers = [Reason::Barrier, Reason::Exit].map(|reason| metrics.warp_cycles[reason as usize]);
        Report {
            cycles,
            warp_instructions: metrics.warp_instructions,
            thread_instructions: metrics.thread_instructions,
            ipc: share(metrics.thread_instructions, cycles),
            lane_efficiency: share(metrics.thread_instructions, metrics.lanes.offered),
            simd_efficiency: share(metrics.thread_instructions, metrics.warp_instructions * u64::from(config.warp_width)),
            partial_warps: share(metrics.warp_instructions.saturating_sub(full), metrics.warp_instructions),
            branches: metrics.branches,
            divergent_branches: metrics.divergent_branches,
            branch_efficiency: if metrics.branches == 0 {
                1.0
            } else {
                1.0 - share(metrics.divergent_branches, metrics.branches)
            },
            sms: config.sms,
            issue_ports: config.issue_ports(),
            issue_slots: issue_slots(metrics, config.warp_width),
            stalls: Counts(StallCause::ALL.map(|c| (c.key().to_string(), metrics.slots_stalled[c as usize])).to_vec()),
            warp_cycles: Counts(Reason::ALL.map(|r| (r.key().to_string(), metrics.warp_cycles[r as usize])).to_vec()),
            resident_warp_cycles: resident,
            fetches: metrics.fetches,
            fetches_per_cycle: share(metrics.fetches, cycles * u64::from(config.sms)),
            fetches_used_next: metrics.fetching.used_next,
            instruction_misses: metrics.instruction_misses,
            l0_hits: metrics.gangs.l0_hits,
            l1d: metrics.l1d,
            l2: metrics.l2,
            memory_transactions: metrics.memory_transactions,
            memory_bytes: metrics.memory_transactions * u64::from(config.l1d_line),
            shared_bank_conflicts: metrics.shared_bank_conflicts,
            max_stack_depth: metrics.max_stack_depth.max(config.divergence.has_stack().into()),
            warps_formed: metrics.warps_formed,
            threads_merged: metrics.threads_merged,
            barriers: Barriers {
                phases: metrics.block_folds.phases,
                rtru: metrics.block_folds.rtru(),
                stall_fraction: share(at_barriers.iter().sum(), resident),
            },
            warp_divergence: metrics.block_folds.warp_divergence(),
            stall_cycles: share(metrics.block_folds.stalls(), config.sms.into()),
            resident_blocks: metrics.block_folds.resident_blocks(),
            virtual_blocks: metrics.is_virtual.then_some(metrics.virtual_blocks),
            gangs: metrics.gangs.report(cycles),
            power,
            leakage_saved: power.map_or(0.0, |power| power.leakage_saved()),
            area_mm2: area(config).sm_mm2,
            storage_bytes: config.storage_bytes(),
            blocks: metrics.blocks,
        }
    }

    /// Returns the issue slots with a stall of the memory pipeline (TBC figures 2(b), 13(b) and 14(b)).
    pub fn memory_stalls(&self) -> u64 {
        StallCause::ALL.into_iter().filter(|cause| cause.is_memory()).map(|cause| self.stalls.get(cause.key())).sum()
    }

    /// Returns the number of that name, if it is a single one.
    pub fn number(&self, name: &str) -> Option<ReportNumber> {
        let definition = DEFINITIONS.iter().find(|definition| definition.name == name)?;
        definition.value.map(|value| value(self))
    }
}

/// Counts issue slots by class, the unused ones last.
fn issue_slots(metrics: &Metrics, width: u32) -> Counts {
    let mut counts = vec![0; slots::names(width).len()];
    for (threads, count) in (1..).zip(&metrics.slots_by_threads[..width as usize]) {
        counts[slots::class_of(threads, width)] += count;
    }
    let unused = [metrics.slots_stall(), metrics.slots_memory, metrics.slots_idle];
    let unused = slots::UNUSED.into_iter().map(str::to_string).zip(unused);
    Counts(slots::names(width).into_iter().zip(counts).chain(unused).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_reads_what_it_writes() {
        let metrics = Metrics { warp_instructions: 7, slots_memory: 3, ..Metrics::default() };
        let report = Report::new(&metrics, &Config::default(), 9);
        let text = serde_json::to_string(&report).expect("a report is JSON");
        let again: Report = serde_json::from_str(&text).expect("and JSON a report");
        assert_eq!(serde_json::to_string(&again).ok(), Some(text));
        assert_eq!((again.warp_instructions, again.issue_slots.get("w0_mem"), again.cycles), (7, 3, 9));
    }

    #[test]
    fn every_single_number_of_a_report_has_its_name() {
        let report = Report::new(&Metrics::default(), &Config::default(), 1);
        let json = serde_json::to_value(&report).expect("a report is JSON");
        for definition in crate::metrics::DEFINITIONS {
            let found = report.number(definition.name).map(|number| match number {
                ReportNumber::Count(count) => count as f64,
                ReportNumber::Ratio(ratio) => ratio,
            });
            assert_eq!(found, json.get(definition.name).and_then(serde_json::Value::as_f64), "{}", definition.name);
        }
    }
}
