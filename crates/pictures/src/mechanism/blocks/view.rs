//! The data of the blocks panel.

use super::super::PanelView;
use super::super::parts::round_up;
use std::ops::Range;
use warpscope_machine::config::ScheduleKind;
use warpscope_machine::event::Reason;
use warpscope_machine::policy::schedule::ProgressGroup;
use warpscope_machine::record::{Record, Stint};

/// How many stints of a warp are shown at a time, on average.
const STINTS: u64 = 6;
/// The fewest cycles that are shown.
const FEWEST: u64 = 32;
/// How many columns of time are searched for waits.
const COLUMNS: u64 = 240;

/// What the warp slots of one SM did over time, block by block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlocksView {
    /// Cycles that have been executed.
    pub cycle: u64,
    pub(crate) sm: u16,
    /// Whether warps go on to the next logical block by themselves.
    pub is_virtual: bool,
    /// The cycles that fit into the picture.
    pub shown: Range<u64>,
    /// The places for resident blocks, by slot.
    pub blocks: Vec<BlockRows>,
    /// The block that the dispenser hands out next, and the number of blocks.
    pub next: u64,
    /// The number of blocks of the launch.
    pub total: u64,
    /// Whether the scheduler goes by progress, and whether all blocks have been handed out.
    pub by_progress: bool,
    /// Whether every block has been handed out: what follows is the launch's end.
    pub slow_phase: bool,
    /// The scheduler's groups, in issue order.
    pub groups: Vec<GroupView>,
}

/// The warp slots of a resident block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BlockRows {
    pub(crate) slot: u16,
    /// The slots of its warps, in order.
    pub warps: Vec<WarpRow>,
}

/// What a warp slot did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarpRow {
    pub(crate) warp: u16,
    /// In time order.
    pub pieces: Vec<Piece>,
    /// When it waited for its siblings, at a barrier or by the rules of virtual blocks, and for which reason.
    pub waits: Vec<(Reason, Range<u64>)>,
    /// Whether it issued in the last cycle.
    pub issued: bool,
}

/// A warp slot's time with a warp of a logical block, as far as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The logical block that the warp belongs to.
    pub block: u64,
    /// Which warp of the logical block it is.
    pub number: u32,
    pub(crate) from: u64,
    /// The cycle behind its last one, or behind the last that has been executed.
    pub to: u64,
    /// Whether it has not ended.
    pub lasts: bool,
    /// Whether it is the first warp of its logical block to begin, the one that the dispenser gave the block to.
    pub draws: bool,
    /// The cycle up to which other warps of its logical block ran, or have run so far.
    pub held: u64,
}

/// The warps in one group of the scheduler's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupView {
    /// What its warps have in common.
    pub group: ProgressGroup,
    /// In issue order: warp slot, logical block and progress in instructions.
    pub warps: Vec<(u16, u64, u32)>,
}

impl BlocksView {
    /// Returns the blocks of the selected SM.
    pub fn of(view: &PanelView) -> BlocksView {
        let (sm, machine) = (view.sm(), &view.sim.machine);
        let (cycle, total) = (view.sim.state.cycle, machine.start.shape.blocks());
        let per_block = (machine.block_threads() / machine.config.warp_width).max(1) as u16;
        let slots = used_warps(view.record, sm).div_ceil(per_block);
        let shown = window(view.record, sm, cycle);
        let blocks = (0..slots)
            .map(|slot| {
                let warps = (0..per_block).map(|own| row(view, &shown, slot * per_block + own, own));
                BlockRows { slot, warps: warps.collect() }
            })
            .collect();
        let by_progress = machine.config.schedule == ScheduleKind::Progress;
        let next = view.sim.state.uncore.next_block;
        BlocksView {
            cycle,
            sm,
            is_virtual: machine.program.wrapper.is_some(),
            shown,
            blocks,
            next,
            total,
            by_progress,
            slow_phase: next >= total,
            groups: if by_progress { groups(view, next >= total) } else { Vec::new() },
        }
    }
}

/// Returns how many warp slots of an SM have ever had a warp.
fn used_warps(record: &Record, sm: u16) -> u16 {
    let is_used = |warp: &u16| record.track(sm, *warp).is_some_and(|track| !track.is_empty());
    (0..record.slots() as u16).rev().find(is_used).map_or(0, |last| last + 1)
}

/// Returns the cycles to show: all, or enough for a few stints, the latest at the right.
fn window(record: &Record, sm: u16, cycle: u64) -> Range<u64> {
    let begun = record.stints().begun(sm, cycle) as u64;
    let each = cycle * u64::from(used_warps(record, sm)) / begun.max(1);
    let wide = round_up((each * STINTS).min(cycle + 1).max(FEWEST));
    let step = (wide / 4).max(1);
    let from = (cycle + 1).saturating_sub(wide).div_ceil(step) * step;
    from..from + wide
}

fn row(view: &PanelView, shown: &Range<u64>, warp: u16, own: u16) -> WarpRow {
    let (sm, width, now) = (view.sm(), view.sim.machine.config.warp_width, view.sim.state.cycle);
    let stints = view.record.stints();
    let piece = |stint: &Stint| {
        let to = stint.to.unwrap_or(now).min(now);
        let lasts = stint.to.is_none_or(|to| to >= now);
        let held = if lasts { to } else { stints.end_of(stint.block).unwrap_or(now).min(now) };
        let draws = stints.drawn_by(stint.block) == Some((sm, warp));
        Piece { block: stint.block, number: stint.number(own, width), from: stint.from, to, lasts, draws, held }
    };
    let last = view.picture.warp(sm, warp).and_then(|warp| warp.reason);
    WarpRow {
        warp,
        pieces: stints.of(sm, warp, shown.start..now.min(shown.end)).iter().map(piece).collect(),
        waits: waits(view, shown, warp),
        issued: last == Some(Reason::Issued),
    }
}

/// Returns when a warp waited at a barrier or by the rules of virtual blocks, with the reason.
fn waits(view: &PanelView, shown: &Range<u64>, warp: u16) -> Vec<(Reason, Range<u64>)> {
    let (record, now) = (view.record, view.sim.state.cycle);
    if now <= shown.start {
        return Vec::new();
    }
    let (group, lane) = record.place(usize::from(view.sm()) * record.slots() + usize::from(warp));
    let each = ((shown.end - shown.start) as f64 / COLUMNS as f64).max(1.0);
    let count = (((now - shown.start) as f64) / each).ceil() as usize;
    let codes = record.columns(group, shown.start as f64, each, 0..count);
    let mut found: Vec<(Reason, Range<u64>)> = Vec::new();
    for (at, codes) in codes.iter().enumerate() {
        let code = usize::from(codes.get(lane));
        let reason = [Reason::Barrier, Reason::Siblings, Reason::Ahead].into_iter().find(|reason| *reason as usize == code);
        let Some(reason) = reason else { continue };
        let edge = |column: usize| (shown.start + (column as f64 * each) as u64).min(now);
        match found.last_mut().filter(|(last, range)| *last == reason && range.end == edge(at)) {
            Some((_, range)) => range.end = edge(at + 1),
            None => found.push((reason, edge(at)..edge(at + 1))),
        }
    }
    found
}

/// Returns the warps in each of the scheduler's groups.
fn groups(view: &PanelView, slow_phase: bool) -> Vec<GroupView> {
    let all: &[ProgressGroup] = if slow_phase { &[ProgressGroup::SlowPhase] } else { &ProgressGroup::FAST };
    let mut groups: Vec<GroupView> = all.iter().map(|&group| GroupView { group, warps: Vec::new() }).collect();
    for warp in view.sim.joint_order(view.sm()) {
        let Some((block, own)) = view.sim.progress_of(view.sm(), warp) else { continue };
        let logical = view.picture.warp(view.sm(), warp as u16).map_or(0, |warp| warp.block);
        let group = ProgressGroup::of(&block, own.is_ahead);
        if let Some(found) = groups.iter_mut().find(|found| found.group == group) {
            found.warps.push((warp as u16, logical, own.instructions));
        }
    }
    groups
}
