//! Metrics of a run: counts over its events, each defined once.
//!
//! [`Metrics`] listens to the machine and counts. [`DEFINITIONS`] says what each key of `run --json` means, for the command
//! line, legends and axes alike.

pub mod blocks;
mod definitions;
mod fetching;
pub mod gangs;
mod lanes;
mod lives;
pub mod phases;
mod power;
mod report;
pub mod slots;
mod stretch;
mod tally;

pub use definitions::{DEFINITIONS, Definition};
pub use power::{LaneCycles, PipelinePower, PowerReport};
pub use report::{Counts, Report, ReportNumber};
pub use stretch::OF_A_STRETCH;
pub use tally::{Cost, Tally};

use crate::config::{Config, DispatchKind};
use crate::event::{CacheOutcome, Event, Reason, SCATTERED, Sink, SlotUse, StallCause};
use crate::ptx::types::Space;
use serde::{Deserialize, Serialize};

/// Counts over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Threads of a warp.
    pub width: u32,
    /// Whether resident blocks run one logical block after another (VTW).
    pub is_virtual: bool,
    pub virtual_blocks: VirtualBlocks,
    pub warp_instructions: u64,
    pub thread_instructions: u64,
    pub branches: u64,
    pub divergent_branches: u64,
    /// Issue slots by active threads, from one on; then those with a stall, with a wait for memory, and idle ones.
    pub slots_by_threads: [u64; 32],
    /// In the order of [`StallCause::ALL`].
    pub slots_stalled: [u64; StallCause::ALL.len()],
    pub slots_memory: u64,
    pub slots_idle: u64,
    /// In the order of [`Reason::ALL`].
    pub warp_cycles: [u64; Reason::ALL.len()],
    pub fetches: u64,
    pub instruction_misses: u64,
    pub l1d: CacheCounts,
    pub l2: CacheCounts,
    pub memory_transactions: u64,
    pub shared_bank_conflicts: u64,
    pub max_stack_depth: u64,
    /// Dynamic warps formed, and threads that joined others in a pool or at a likely-convergence point.
    pub warps_formed: u64,
    pub threads_merged: u64,
    pub blocks: u64,
    pub block_folds: blocks::BlockFolds,
    pub gangs: gangs::GangFolds,
    pub lanes: lanes::LaneFolds,
    pub fetching: fetching::FetchFolds,
    pub power: power::PowerCounts,
}

impl Metrics {
    /// Returns the issue slots with a stall, whatever its cause.
    pub fn slots_stall(&self) -> u64 {
        self.slots_stalled.iter().sum()
    }

    /// Creates the counts for a run on a machine.
    pub fn of(config: &Config) -> Metrics {
        Metrics {
            width: config.warp_width,
            is_virtual: config.dispatch == DispatchKind::Virtual,
            lanes: lanes::LaneFolds::new(config),
            fetching: fetching::FetchFolds::new(config),
            power: power::PowerCounts::new(config),
            ..Metrics::default()
        }
    }
}

/// Resident blocks that run one logical block after another (VTW section 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VirtualBlocks {
    pub blocks: u64,
    /// The most logical blocks that one resident block has begun.
    pub iterations: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    pub accesses: u64,
    pub hits: u64,
    pub misses: u64,
    pub mshr_merges: u64,
}

impl CacheCounts {
    fn count(&mut self, outcome: CacheOutcome) {
        self.accesses += 1;
        match outcome {
            CacheOutcome::Hit => self.hits += 1,
            CacheOutcome::Miss => self.misses += 1,
            CacheOutcome::Merged => self.mshr_merges += 1,
        }
    }
}

impl Sink for Metrics {
    #[inline(always)]
    fn event(&mut self, cycle: u64, event: Event) {
        match event {
            Event::Cycle { sm, counts, repeat } => {
                self.gangs.cycle(sm, cycle, repeat);
                for (total, count) in self.warp_cycles.iter_mut().zip(counts.0) {
                    *total += u64::from(count) * repeat;
                }
            }
            Event::Slot { sm, port, slot, repeat } => {
                self.block_folds.slot(sm, port, slot, repeat);
                match slot {
                    SlotUse::Threads(threads) => self.slots_by_threads[usize::from(threads.clamp(1, 32)) - 1] += repeat,
                    SlotUse::Stall(cause) => self.slots_stalled[cause as usize] += repeat,
                    SlotUse::Memory => self.slots_memory += repeat,
                    SlotUse::Idle => self.slots_idle += repeat,
                }
            }
            Event::Issued { sm, warp, mask, first_thread, .. } => {
                if first_thread != SCATTERED {
                    self.block_folds.issued(sm, warp);
                }
                self.lanes.issued(cycle, sm, warp);
                self.fetching.issued(cycle, sm, warp);
                self.warp_instructions += 1;
                self.thread_instructions += u64::from(mask.count_ones());
            }
            Event::Branch { diverged, .. } => {
                self.branches += 1;
                self.divergent_branches += u64::from(diverged);
            }
            Event::IssuedFor { sm, origin, .. } => self.block_folds.issued(sm, origin),
            Event::Push { depth, .. } | Event::BlockPush { depth, .. } => {
                self.max_stack_depth = self.max_stack_depth.max(depth.into())
            }
            Event::Fetched { sm, warp, hit, .. } => {
                self.fetches += 1;
                self.fetching.fetched(cycle, sm, warp);
                self.instruction_misses += u64::from(!hit);
            }
            Event::Memory { space, transactions, .. } => {
                if matches!(space, Space::Global | Space::Local | Space::Generic) {
                    self.memory_transactions += u64::from(transactions);
                }
            }
            Event::L1 { outcome, .. } => self.l1d.count(outcome),
            Event::L2 { outcome, .. } => self.l2.count(outcome),
            Event::BankConflict { extra, .. } => self.shared_bank_conflicts += u64::from(extra),
            Event::BlockEnd { .. } => {
                // A virtual block has run many logical blocks, whose ends are events of their own.
                self.blocks += u64::from(!self.is_virtual);
                self.block_folds.event(cycle, event);
            }
            Event::LogicalEnd { .. } => {
                self.blocks += 1;
                self.block_folds.event(cycle, event);
            }
            Event::LogicalStart { iteration, .. } => {
                self.virtual_blocks.iterations = self.virtual_blocks.iterations.max(iteration + 1);
                self.block_folds.event(cycle, event);
            }
            Event::BlockStart { .. } => {
                self.virtual_blocks.blocks += 1;
                self.virtual_blocks.iterations = self.virtual_blocks.iterations.max(1);
                self.block_folds.event(cycle, event);
            }
            Event::Assigned { .. } | Event::WarpExit { .. } | Event::BarrierArrive { .. } | Event::BarrierRelease { .. } => {
                self.block_folds.event(cycle, event);
            }
            Event::Formed { .. } => self.warps_formed += 1,
            Event::Merged { mask, .. } => self.threads_merged += u64::from(mask.count_ones()),
            Event::BlockMerge { threads, .. } => self.threads_merged += u64::from(threads),
            Event::LikelyMerge { mask, .. } => self.threads_merged += u64::from(mask.count_ones()),
            Event::GangIssued { .. }
            | Event::GangSplit { .. }
            | Event::GangMerge { .. }
            | Event::GangSizes { .. }
            | Event::SliceFetch { .. } => self.gangs.event(event),
            Event::Lanes { .. } | Event::Placed { .. } => self.power.event(cycle, event),
            _ => {}
        }
    }
}
