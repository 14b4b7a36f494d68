//! Metrics of a run: counts over its events, each defined once.
//!
//! [`Metrics`] listens to the machine and counts. [`DEFINITIONS`] says what each key of `run --json` means, for the command
//! line, legends and axes alike.

pub(crate) mod blocks;
mod definitions;
mod fetching;
pub(crate) mod gangs;
mod lanes;
mod lives;
pub mod phases;
mod power;
mod report;
pub mod slots;
mod tally;
mod totals;

pub use definitions::{DEFINITIONS, Definition, Fold, MetricSource, Report};
pub use power::{LaneCycles, PipelinePower, PowerReport};
pub use report::{Counted, Counts, ReportNumber};
pub use tally::{Cost, Tally};
pub use totals::{Additive, Totals};

use crate::config::{Config, DispatchKind};
use crate::event::{CacheOutcome, Event, SCATTERED, Sink, SlotUse};
use serde::{Deserialize, Serialize};
use warpscope_kernel::ptx::types::Space;

/// Counts over the whole run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Threads of a warp.
    pub width: u32,
    /// Whether resident blocks run one logical block after another (VTW).
    pub is_virtual: bool,
    pub(crate) virtual_blocks: VirtualBlocks,
    /// What adds up over stretches.
    pub totals: Totals,
    pub(crate) max_stack_depth: u64,
    /// What is computed block by block.
    pub block_folds: blocks::BlockFolds,
    /// The sizes of gangs.
    pub gangs: gangs::GangFolds,
    pub(crate) lanes: lanes::LaneFolds,
    /// How fetched instructions are used.
    pub fetching: fetching::FetchFolds,
    /// The states of INT and FP lanes.
    pub power: power::PowerCounts,
}

impl Metrics {
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

    /// Returns the counts since an earlier cycle of the same run; numbers that do not add up are as before the first cycle.
    fn since(&self, earlier: &Metrics) -> Metrics {
        let totals = self.totals.since(&earlier.totals);
        Metrics { width: self.width, is_virtual: self.is_virtual, totals, ..Metrics::default() }
    }
}

/// Resident blocks that run one logical block after another (VTW section 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VirtualBlocks {
    pub(crate) blocks: u64,
    /// The most logical blocks that one resident block has begun.
    pub iterations: u32,
}

/// Lookups in a cache, or in all of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheCounts {
    /// Lines that were asked for.
    pub accesses: u64,
    /// Those that were there.
    pub hits: u64,
    /// Those that had to be brought.
    pub misses: u64,
    /// Those that were on their way already.
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
                for (total, count) in self.totals.warp_cycles.iter_mut().zip(counts.0) {
                    *total += u64::from(count) * repeat;
                }
            }
            Event::Slot { sm, port, slot, repeat } => {
                self.block_folds.slot(sm, port, slot, repeat);
                match slot {
                    SlotUse::Threads(threads) => self.totals.slots_by_threads[usize::from(threads.clamp(1, 32)) - 1] += repeat,
                    SlotUse::Stall(cause) => self.totals.slots_stalled[cause as usize] += repeat,
                    SlotUse::Memory => self.totals.slots_memory += repeat,
                    SlotUse::Idle => self.totals.slots_idle += repeat,
                }
            }
            Event::Issued { sm, warp, mask, first_thread, .. } => {
                if first_thread != SCATTERED {
                    self.block_folds.issued(sm, warp);
                }
                self.totals.lanes_offered += self.lanes.issued(cycle, sm, warp);
                self.fetching.issued(cycle, sm, warp);
                self.totals.warp_instructions += 1;
                self.totals.thread_instructions += u64::from(mask.count_ones());
            }
            Event::Branch { diverged, .. } => {
                self.totals.branches += 1;
                self.totals.divergent_branches += u64::from(diverged);
            }
            Event::PartialExit { .. } => self.totals.partial_exits += 1,
            Event::IssuedFor { sm, origin, .. } => self.block_folds.issued(sm, origin),
            Event::Push { depth, .. } | Event::BlockPush { depth, .. } => {
                self.max_stack_depth = self.max_stack_depth.max(depth.into())
            }
            Event::Fetched { sm, warp, hit, .. } => {
                self.totals.fetches += 1;
                self.fetching.fetched(cycle, sm, warp);
                self.totals.instruction_misses += u64::from(!hit);
            }
            Event::Memory { space, transactions, .. } => {
                if matches!(space, Space::Global | Space::Local | Space::Generic) {
                    self.totals.memory_transactions += u64::from(transactions);
                }
            }
            Event::L1 { outcome, .. } => self.totals.l1d.count(outcome),
            Event::L2 { outcome, .. } => self.totals.l2.count(outcome),
            Event::BankConflict { extra, .. } => self.totals.shared_bank_conflicts += u64::from(extra),
            Event::BlockEnd { .. } => {
                // A virtual block has run many logical blocks, whose ends are events of their own.
                self.totals.blocks += u64::from(!self.is_virtual);
                self.block_folds.event(cycle, event);
            }
            Event::LogicalEnd { .. } => {
                self.totals.blocks += 1;
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
            Event::Formed { .. } => self.totals.warps_formed += 1,
            Event::Merged { mask, .. } => self.totals.threads_merged += u64::from(mask.count_ones()),
            Event::BlockMerge { threads, .. } => self.totals.threads_merged += u64::from(threads),
            Event::LikelyMerge { mask, .. } => self.totals.threads_merged += u64::from(mask.count_ones()),
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
