//! The data of the lanes panel.

use super::super::PanelView;
use warpscope_machine::metrics::PipelinePower;
use warpscope_machine::policy::gating::Gating;
use warpscope_machine::policy::gating::lane::LaneState;
use warpscope_machine::policy::view::Unit;
use warpscope_machine::sim::pipeline::{LaneBank, LaneUse};
use warpscope_machine::sim::power::lane_pipelines;

pub use warpscope_machine::sim::pipeline::REMEMBERED;

/// The most stages of a pipeline that have a row.
const STAGES: u32 = 6;

/// What a lane did in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneCell {
    /// An instruction of this warp was in it, the last one to enter.
    Busy(u16),
    /// On and empty.
    Idle,
    /// Off, and not yet past break-even.
    Dark,
    /// Off past break-even, and saving.
    Earning,
    /// Requested, and on after the wake-up time.
    Waking,
    /// Begins to wake; whether it has saved what switching costs.
    Ends {
        /// Whether it was off for longer than break-even.
        won: bool,
    },
}

/// What a lane did from one cycle to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneSpan {
    pub(crate) lane: u32,
    /// Ages, as cycles before now: `from` is the older one.
    pub from: u32,
    pub(crate) to: u32,
    /// What it did in these cycles.
    pub cell: LaneCell,
}

/// A pipeline of an SP unit.
#[derive(Clone, Debug, PartialEq)]
pub struct PipeView {
    /// Its number among the pipelines of the SM.
    pub pipe: u8,
    pub(crate) unit: Unit,
    /// What each lane does now.
    pub now: Vec<LaneCell>,
    /// The share of idle-detect that each idle lane has left, from 1 to 0; `None` where the lane does not count down.
    pub left: Vec<Option<f32>>,
    /// What the lanes did in the last cycles, including now.
    pub past: Vec<LaneSpan>,
    /// The instructions that are in the pipeline, or have just left it.
    pub uses: Vec<LaneUse>,
    /// How many recent instructions had their threads moved to other lanes.
    pub moved: usize,
    pub(crate) power: Option<PipelinePower>,
}

impl PipeView {
    pub(crate) fn sp(&self) -> u8 {
        self.pipe / 2
    }

    pub(crate) fn type_name(&self) -> &'static str {
        if self.unit == Unit::Int { "INT" } else { "FP" }
    }

    /// Returns whether a gate closed or began to open in the last cycle.
    fn switched(&self) -> bool {
        let is_off = |cell: LaneCell| matches!(cell, LaneCell::Dark | LaneCell::Earning);
        let before = |lane: u32| self.past.iter().find(|span| span.lane == lane && (span.to..=span.from).contains(&1));
        let changed = |(lane, now): (u32, &LaneCell)| before(lane).is_some_and(|span| is_off(span.cell) != is_off(*now));
        (0..).zip(&self.now).any(changed)
    }

    pub(crate) fn name(&self) -> String {
        format!("SP {} {}", self.sp(), self.type_name())
    }
}

/// How an instruction type folds in this phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldView {
    pub(crate) unit: Unit,
    /// The cycles for which it folds, from the start of the phase.
    pub cycles: u32,
    pub(crate) is_majority: bool,
}

/// The current phase of Warp Folding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseView {
    pub(crate) cycles: u32,
    /// How many of its cycles have passed.
    pub passed: u32,
    /// Whether it does not fold, because the phase before was too busy.
    pub off: bool,
    pub(crate) types: [FoldView; 2],
}

/// The lanes of one SM.
#[derive(Clone, Debug, PartialEq)]
pub struct LanesView {
    /// The last cycle that was executed.
    pub now: u64,
    pub(crate) sm: u16,
    pub(crate) lanes: u32,
    pub(crate) cluster: u32,
    /// Cycles from a pipeline's first stage to its results, and how many of its stages have a row.
    pub(crate) latency: u32,
    pub(crate) stages: u32,
    /// Whether a gate of the large pipeline closed or began to open in the last cycle.
    pub(crate) switched: bool,
    /// Whether lanes are power-gated.
    pub gates: bool,
    /// Whether threads can execute on lanes other than their own.
    pub moves: bool,
    /// The INT and the FP pipeline of each SP unit.
    pub pipes: Vec<PipeView>,
    pub(crate) phase: Option<PhaseView>,
    /// The type that issues first, and whether full warps come first, if that matters.
    pub group: Option<(Unit, Option<bool>)>,
    /// The index of the pipeline that is shown large.
    pub large: usize,
}

impl LanesView {
    /// Returns the lanes of the selected SM; `None` where the machine keeps no lane states, and before the first cycle.
    pub fn of(view: &PanelView) -> Option<LanesView> {
        let sm = view.sm();
        let state = view.sim.state.sms.get(usize::from(sm))?;
        let gating = state.gating.as_ref()?;
        let now = view.sim.state.cycle.checked_sub(1)?;
        let power = |pipe| view.tally.metrics.power.of_pipe(sm, pipe, now + 1);
        let mut pipes: Vec<PipeView> = lane_pipelines(&state.units)
            .filter_map(|(pipe, pipeline)| Some(pipe_view(pipe, pipeline.lanes.as_ref()?, gating, now, power(pipe))))
            .collect();
        pipes.sort_by_key(|pipe| pipe.pipe);
        let warp = view.selection.and_then(|selection| selection.warp()).map(|(_, warp)| warp);
        let config = &view.sim.machine.config;
        let latency = config.int_latency.max(config.fp_latency).max(1);
        let large = large(&pipes, warp);
        Some(LanesView {
            latency,
            stages: latency.min(STAGES),
            switched: pipes.get(large).is_some_and(PipeView::switched),
            now,
            sm,
            lanes: pipes.first()?.now.len() as u32,
            cluster: gating.cluster,
            gates: gating.rules.gates,
            moves: gating.shifts || gating.folding.is_some(),
            large,
            pipes,
            phase: gating.folding.as_ref().map(|folding| PhaseView {
                cycles: folding.phase_cycles,
                passed: (now.saturating_sub(folding.began) as u32 + 1).min(folding.phase_cycles),
                off: folding.off,
                types: [Unit::Int, Unit::Fp].map(|unit| FoldView {
                    unit,
                    cycles: folding.cycles(unit),
                    is_majority: unit == folding.majority,
                }),
            }),
            group: state.ports.first().and_then(|port| port.scheduler.groups().chosen()),
        })
    }
}

/// Returns the pipeline that last took the selected warp, else the one with the most moved instructions of late.
fn large(pipes: &[PipeView], warp: Option<u16>) -> usize {
    let last_of = |pipe: &PipeView| pipe.uses.iter().rev().find(|taken| Some(taken.warp) == warp).map(|taken| taken.cycle);
    let latest = pipes.iter().enumerate().filter_map(|(at, pipe)| Some((last_of(pipe)?, at))).max_by_key(|(cycle, _)| *cycle);
    let busiest = || pipes.iter().enumerate().max_by_key(|(at, pipe)| (pipe.moved, usize::MAX - at)).map(|(at, _)| at);
    latest.map(|(_, at)| at).or_else(busiest).unwrap_or(0)
}

fn pipe_view(pipe: u8, bank: &LaneBank, gating: &Gating, now: u64, power: Option<PipelinePower>) -> PipeView {
    let lanes = bank.width() as usize;
    let cells = cells(bank, now, u64::from(gating.rules.break_even));
    let left = (0..bank.width()).map(|at| {
        let lane = bank.lane(at);
        let wait = gating.idle_detect(bank.unit, at, now);
        let is_idle = lane.state(now, &gating.rules) == LaneState::Idle;
        let off = lane.idle_since() + u64::from(wait);
        (gating.rules.gates && is_idle && wait > 0).then(|| (off.saturating_sub(now) as f32 / wait as f32).min(1.0))
    });
    let moves = |taken: &LaneUse| taken.placement.is_folded() || taken.placement.lanes() != taken.mask;
    PipeView {
        pipe,
        unit: bank.unit,
        now: cells.first().cloned().unwrap_or_else(|| vec![LaneCell::Idle; lanes]),
        left: left.collect(),
        past: spans(&cells),
        uses: bank.uses.iter().copied().collect(),
        moved: bank.uses.iter().filter(|taken| moves(taken)).count(),
        power,
    }
}

/// Returns what the lanes did in the last cycles, newest first.
fn cells(bank: &LaneBank, now: u64, break_even: u64) -> Vec<Vec<LaneCell>> {
    let first = (now + 1).saturating_sub(REMEMBERED);
    let mut rows: Vec<Vec<LaneCell>> = Vec::new();
    for cycle in (first..=now).rev() {
        let Some(masks) = bank.at(cycle) else { break };
        let before = cycle.checked_sub(1).and_then(|before| bank.at(before));
        let row = (0..bank.width()).map(|lane| match masks.state(lane) {
            LaneState::Busy => LaneCell::Busy(user(bank, lane, cycle)),
            LaneState::Idle => LaneCell::Idle,
            LaneState::Dark => LaneCell::Dark,
            LaneState::Earning => LaneCell::Earning,
            LaneState::Waking => match before.map(|masks| masks.state(lane)) {
                Some(LaneState::Waking) | None => LaneCell::Waking,
                Some(state) => {
                    let was_dark =
                        |back: u64| bank.at(cycle.wrapping_sub(back)).is_some_and(|masks| masks.state(lane) == LaneState::Dark);
                    LaneCell::Ends { won: state == LaneState::Earning || (1..=break_even).all(was_dark) }
                }
            },
        });
        rows.push(row.collect());
    }
    rows
}

/// Returns the warp whose instruction was the last to enter a busy lane.
fn user(bank: &LaneBank, lane: u32, cycle: u64) -> u16 {
    let is_in = |taken: &&LaneUse| {
        let passes = taken.placement.passes.iter().zip(taken.spans);
        passes.into_iter().any(|(pass, (from, to))| bank.covers(pass.lanes, lane) && (from..to).contains(&cycle))
    };
    bank.uses.iter().rev().find(is_in).map_or(0, |taken| taken.warp)
}

/// Joins equal cells that follow each other in a lane.
fn spans(rows: &[Vec<LaneCell>]) -> Vec<LaneSpan> {
    let mut spans = Vec::new();
    let lanes = rows.first().map_or(0, Vec::len);
    for lane in 0..lanes {
        let mut open: Option<LaneSpan> = None;
        for (age, row) in rows.iter().enumerate().rev() {
            match &mut open {
                Some(span) if span.cell == row[lane] => span.to = age as u32,
                _ => {
                    spans.extend(open);
                    open = Some(LaneSpan { lane: lane as u32, from: age as u32, to: age as u32, cell: row[lane] });
                }
            }
        }
        spans.extend(open);
    }
    spans
}
