//! The data of the barrier board.

use super::super::PanelView;
use crate::view::WarpPicture;
use warpscope_machine::event::{Event, Reason};
use warpscope_machine::sim::order::IssueOrder;

/// The warps of one SM and their progress to their blocks' next barriers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BarrierView {
    pub(crate) cycle: u64,
    /// The resident blocks, by slot.
    pub blocks: Vec<BlockTrack>,
    /// The most instructions that any warp of the SM has issued in one warp-phase so far.
    pub longest: u64,
    /// Entries of a warp's I-buffer; zero under ideal fetch, which has none.
    pub ibuffer: u32,
    /// Fetches so far, and those whose warp was the next to issue.
    pub fetches: u64,
    pub(crate) used_next: u64,
}

/// The track of one block, from its last barrier to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockTrack {
    pub(crate) slot: u16,
    /// The number of the logical block.
    pub index: u64,
    /// Warps that wait at the barrier, without those that have ended.
    pub waiting: u32,
    /// The block's entry in the warp priority table, if the issue policy has one.
    pub priority: Option<u32>,
    /// Whether a barrier of the block was released in the last cycle.
    pub released: bool,
    /// Whether a warp of the block came to the barrier in the last cycle.
    pub arrived: bool,
    /// Its static warps, in the order of their numbers.
    pub warps: Vec<Runner>,
}

/// A static warp on its block's track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runner {
    pub(crate) warp: u16,
    /// Instructions that it has issued in its current warp-phase.
    pub progress: u64,
    /// What it does.
    pub state: RunnerState,
    /// Its position among the warps that its scheduler could take, from 1 on.
    pub badge: Option<u32>,
    /// Whether it is critical: its block has the most warps at the barrier, and they wait for it (BAWS section 4.1).
    pub critical: bool,
    /// Whether its scheduler wants it next, but it has no instruction because fetch served another warp.
    pub starved: bool,
    /// Instructions in its I-buffer.
    pub buffered: u32,
    /// Whether fetch and issue chose it in the last cycle.
    pub fetched: bool,
    pub(crate) issued: bool,
}

/// What a warp on its track does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunnerState {
    /// It has instructions to execute before the barrier.
    Running,
    /// All of its threads that have not ended wait at the barrier.
    Waiting,
    /// Its threads have all ended.
    Exited,
}

impl BarrierView {
    /// Returns the board of the selected SM.
    pub fn of(view: &PanelView) -> BarrierView {
        let (sm, config) = (view.sm(), &view.sim.machine.config);
        let order = view.sim.issue_order(sm);
        let has_table = config.block_priority.counts_barriers();
        let table = if has_table { view.sim.waiting(sm) } else { Vec::new() };
        let folds = &view.tally.metrics.block_folds;
        let mut blocks: Vec<BlockTrack> = Vec::new();
        for warp in view.warps() {
            let runner = runner(view, &order, warp);
            if blocks.last().is_none_or(|block| block.slot != warp.slot) {
                let released = was_released(view.last, sm, warp.block);
                let priority = table.get(usize::from(warp.slot)).copied();
                let arrived = has_arrived(view.last, sm, warp.block);
                let (slot, index) = (warp.slot, warp.block);
                blocks.push(BlockTrack { slot, index, priority, released, arrived, ..BlockTrack::default() });
            }
            if let Some(block) = blocks.last_mut() {
                block.waiting += u32::from(runner.state == RunnerState::Waiting);
                block.warps.push(runner);
            }
        }
        // As the policy ranks blocks, where it does.
        let counted = |block: &BlockTrack| block.priority.unwrap_or(block.waiting);
        let most = blocks.iter().map(counted).max().unwrap_or(0);
        for block in blocks.iter_mut().filter(|block| counted(block) == most && most > 0) {
            block.warps.iter_mut().for_each(|runner| runner.critical = runner.state == RunnerState::Running);
        }
        let metrics = &view.tally.metrics;
        BarrierView {
            cycle: view.picture.cycle,
            blocks,
            longest: folds.longest_phase(sm),
            ibuffer: if config.ideal_fetch { 0 } else { config.ibuffer },
            fetches: metrics.totals.fetches,
            used_next: metrics.fetching.used_next,
        }
    }

    /// Returns whether a scheduler wants a warp that has no instruction, so that the last fetch went to the wrong one.
    pub fn starves(&self) -> bool {
        self.blocks.iter().flat_map(|block| &block.warps).any(|runner| runner.starved)
    }
}

fn runner(view: &PanelView, order: &IssueOrder, warp: &WarpPicture) -> Runner {
    let entry = warp.entry.and_then(|entry| view.sim.state.sms[usize::from(warp.sm)].warps.get(usize::from(entry)));
    let turn = |port: &Vec<u32>| port.iter().position(|&taken| Some(taken as u16) == warp.entry);
    let is_wanted = order.wanted.iter().flatten().any(|&wanted| Some(wanted as u16) == warp.entry);
    let state = match warp.alive {
        0 => RunnerState::Exited,
        alive if warp.at_barrier == alive => RunnerState::Waiting,
        _ => RunnerState::Running,
    };
    Runner {
        warp: warp.warp,
        progress: view.tally.metrics.block_folds.phase_progress(warp.sm, warp.warp),
        state,
        badge: order.ports.iter().find_map(turn).map(|turn| turn as u32 + 1),
        critical: false,
        starved: is_wanted
            && entry.is_some_and(|entry| entry.filled == 0 && !entry.fetching && !view.sim.machine.config.ideal_fetch),
        buffered: entry.filter(|_| state != RunnerState::Exited).map_or(0, |entry| entry.filled.into()),
        fetched: was_fetched(view.last, warp),
        issued: warp.reason == Some(Reason::Issued),
    }
}

fn was_released(last: &[Event], of: u16, index: u64) -> bool {
    last.iter().any(|event| matches!(*event, Event::BarrierRelease { sm, block, .. } if (sm, block) == (of, index)))
}

fn has_arrived(last: &[Event], of: u16, index: u64) -> bool {
    last.iter().any(|event| matches!(*event, Event::BarrierArrive { sm, block, .. } if (sm, block) == (of, index)))
}

fn was_fetched(last: &[Event], of: &WarpPicture) -> bool {
    last.iter().any(|event| matches!(*event, Event::Fetched { sm, warp, .. } if sm == of.sm && Some(warp) == of.entry))
}
