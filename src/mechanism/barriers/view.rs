//! What the barrier board shows, as plain data.

use super::super::View;
use crate::event::{Event, Reason};
use crate::view::WarpPicture;

/// The warps of one SM on their way to their blocks' next barriers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BarrierView {
    pub cycle: u64,
    /// The resident blocks, by slot.
    pub blocks: Vec<BlockTrack>,
    /// The most instructions that any warp of the SM has issued in one warp-phase so far.
    pub longest: u64,
    /// Entries of a warp's I-buffer; zero where fetch is ideal and there is none.
    pub ibuffer: u32,
}

/// The track of one block, from its last barrier to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockTrack {
    pub slot: u16,
    /// The logical block.
    pub index: u64,
    /// Warps that wait at the barrier: the block's count in BAWS's priority table.
    pub waiting: u32,
    /// A barrier of the block was released in the last cycle.
    pub released: bool,
    pub warps: Vec<Runner>,
}

/// A static warp on its block's track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runner {
    pub warp: u16,
    /// Instructions that it has issued in its current warp-phase.
    pub progress: u64,
    pub state: RunnerState,
    /// Its turn among the warps that its scheduler could take, from 1 on; none while no order is known.
    pub badge: Option<u32>,
    /// The others of its block wait for it at the barrier.
    pub critical: bool,
    /// Instructions in its I-buffer.
    pub buffered: u32,
    /// Fetch and issue chose it in the last cycle.
    pub fetched: bool,
    pub issued: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunnerState {
    Running,
    /// All of its threads that have not ended wait at the barrier.
    Waiting,
    Exited,
}

impl BarrierView {
    /// The board of the SM that is looked at. No order of warps is known here, so nobody has a badge or is critical.
    pub fn of(view: &View) -> BarrierView {
        let (sm, config) = (view.sm(), &view.sim.machine.config);
        let folds = &view.tally.metrics.block_folds;
        let mut blocks: Vec<BlockTrack> = Vec::new();
        for warp in view.warps() {
            let runner = runner(view, warp);
            if blocks.last().is_none_or(|block| block.slot != warp.slot) {
                let released = was_released(view.last, sm, warp.block);
                blocks.push(BlockTrack { slot: warp.slot, index: warp.block, released, ..BlockTrack::default() });
            }
            if let Some(block) = blocks.last_mut() {
                block.waiting += u32::from(runner.state == RunnerState::Waiting);
                block.warps.push(runner);
            }
        }
        let ibuffer = if config.ideal_fetch { 0 } else { config.ibuffer };
        BarrierView { cycle: view.picture.cycle, blocks, longest: folds.longest_phase(sm), ibuffer }
    }
}

fn runner(view: &View, warp: &WarpPicture) -> Runner {
    let entry = warp.entry.and_then(|entry| view.sim.state.sms[usize::from(warp.sm)].warps.get(usize::from(entry)));
    let state = match warp.alive {
        0 => RunnerState::Exited,
        alive if warp.at_barrier == alive => RunnerState::Waiting,
        _ => RunnerState::Running,
    };
    Runner {
        warp: warp.warp,
        progress: view.tally.metrics.block_folds.phase_progress(warp.sm, warp.warp),
        state,
        badge: None,
        critical: false,
        buffered: entry.filter(|_| state != RunnerState::Exited).map_or(0, |entry| entry.filled.into()),
        fetched: was_fetched(view.last, warp),
        issued: warp.reason == Some(Reason::Issued),
    }
}

fn was_released(last: &[Event], of: u16, index: u64) -> bool {
    last.iter().any(|event| matches!(*event, Event::BarrierRelease { sm, block, .. } if (sm, block) == (of, index)))
}

fn was_fetched(last: &[Event], of: &WarpPicture) -> bool {
    last.iter().any(|event| matches!(*event, Event::Fetched { sm, warp, .. } if sm == of.sm && Some(warp) == of.entry))
}
