//! The numbers of a run as they are printed.

use super::blocks::WarpDivergence;
use super::gangs::GangReport;
use super::{CacheCounts, Metrics};
use crate::config::Config;
use crate::config::area::area;
use crate::event::Reason;
use serde::Serialize;
use serde_json::{Map, Value};

/// Results of a run on the machine, in the order of [`DEFINITIONS`](super::DEFINITIONS).
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub cycles: u64,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    pub ipc: f64,
    pub simd_efficiency: f64,
    pub branches: u64,
    pub divergent_branches: u64,
    pub branch_efficiency: f64,
    pub sms: u32,
    pub issue_ports: u32,
    pub issue_slots: Map<String, Value>,
    pub warp_cycles: Map<String, Value>,
    pub resident_warp_cycles: u64,
    pub fetches: u64,
    pub fetches_per_cycle: f64,
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
    pub gangs: Option<GangReport>,
    pub area_mm2: f64,
    pub blocks: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Barriers {
    pub phases: u64,
    pub rtru: f64,
    pub stall_fraction: f64,
}

impl Report {
    pub fn new(metrics: &Metrics, config: &Config, cycles: u64) -> Report {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let resident: u64 = metrics.warp_cycles.iter().sum();
        let barrier = metrics.warp_cycles[Reason::Barrier as usize];
        Report {
            cycles,
            warp_instructions: metrics.warp_instructions,
            thread_instructions: metrics.thread_instructions,
            ipc: share(metrics.thread_instructions, cycles),
            simd_efficiency: share(metrics.thread_instructions, metrics.warp_instructions * u64::from(config.warp_width)),
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
            warp_cycles: Reason::ALL.iter().map(|&r| (r.key().to_string(), metrics.warp_cycles[r as usize].into())).collect(),
            resident_warp_cycles: resident,
            fetches: metrics.fetches,
            fetches_per_cycle: share(metrics.fetches, cycles * u64::from(config.sms)),
            instruction_misses: metrics.instruction_misses,
            l0_hits: metrics.gangs.l0_hits,
            l1d: metrics.l1d,
            l2: metrics.l2,
            memory_transactions: metrics.memory_transactions,
            memory_bytes: metrics.memory_transactions * u64::from(config.l1d_line),
            shared_bank_conflicts: metrics.shared_bank_conflicts,
            max_stack_depth: metrics.max_stack_depth.max(1),
            warps_formed: metrics.warps_formed,
            threads_merged: metrics.threads_merged,
            barriers: Barriers {
                phases: metrics.block_folds.phases,
                rtru: metrics.block_folds.rtru(),
                stall_fraction: share(barrier, resident),
            },
            warp_divergence: metrics.block_folds.warp_divergence(),
            gangs: metrics.gangs.report(cycles),
            area_mm2: area(config).sm_mm2,
            blocks: metrics.blocks,
        }
    }
}

/// Slots in eighths of the port's width, as `W1_4` … `W29_32` for warps of 32, and what went unused.
fn issue_slots(metrics: &Metrics, width: u32) -> Map<String, Value> {
    let step = width.div_ceil(8).max(1);
    let mut slots = Map::new();
    let mut low = 1;
    while low <= width {
        let high = (low + step - 1).min(width);
        let count: u64 = metrics.slots_by_threads[low as usize - 1..high as usize].iter().sum();
        let name = if low == high { format!("W{low}") } else { format!("W{low}_{high}") };
        slots.insert(name, count.into());
        low = high + 1;
    }
    slots.insert("stall".into(), metrics.slots_stall.into());
    slots.insert("w0_mem".into(), metrics.slots_memory.into());
    slots.insert("w0_idle".into(), metrics.slots_idle.into());
    slots
}
