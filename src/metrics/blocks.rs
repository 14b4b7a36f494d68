//! Folds that follow blocks through their lives: warp-phases ([`super::phases`]) and warp-level divergence (VTW section 3).
//!
//! The *divergent warp region* of a block is the time from its first warp's end to its last one's.

use super::phases::{Ending, Phase, PhaseTracker};
use crate::event::{Event, SlotUse};
use serde::Serialize;

/// What is known of one resident block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Life {
    block: u64,
    first_warp: usize,
    start: u64,
    /// For each warp: when it ended.
    ended: Vec<Option<u64>>,
    /// Cycles without any issue on the SM: at the block's start, and at its first warp's end.
    stalls_at_start: u64,
    stalls_at_first_end: u64,
}

/// One SM's blocks, and its cycles without any issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SmBlocks {
    lives: Vec<Life>,
    /// Instructions that each warp slot has issued since its block started, and how many of them before its warp-phase.
    instructions: Vec<u64>,
    before_phase: Vec<u64>,
    /// The most instructions that any warp issued in a phase that has ended.
    longest_phase: u64,
    stalls: u64,
    /// The cycles being told count as stalls: no port has issued in them so far.
    stalled: bool,
    resident_most: usize,
}

/// Sums over the blocks that have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockFolds {
    sms: Vec<SmBlocks>,
    tracker: PhaseTracker,
    pub phases: u64,
    /// Sum of RTRU over phases, in millionths: sums of floats would depend on their order.
    rtru_millionths: u64,
    finished: Vec<Finished>,
}

/// What remains of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Finished {
    instructions: (u64, u64),
    cycles: (u64, u64),
    stalls: (u64, u64),
}

/// How far apart the warps of blocks are (VTW tables 1 and 2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WarpDivergence {
    /// Blocks whose warps differ by more than 50, 25, 10, 5 per cent in instructions.
    pub instructions: Shares,
    /// Likewise in cycles.
    pub cycles: Shares,
    /// Share of a block's time between its first and its last warp's end; over the blocks that others waited behind.
    pub dwr: Option<f64>,
    /// Share of the cycles without any issue that fall into that region.
    pub dws: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shares {
    pub over_50: u64,
    pub over_25: u64,
    pub over_10: u64,
    pub over_5: u64,
}

impl SmBlocks {
    /// Instructions that a warp has issued in its current phase.
    fn progress(&self, warp: usize) -> u64 {
        let count = |counts: &[u64]| counts.get(warp).copied().unwrap_or(0);
        count(&self.instructions) - count(&self.before_phase)
    }

    /// A warp is through a barrier.
    fn end_phase(&mut self, warp: usize) {
        self.longest_phase = self.longest_phase.max(self.progress(warp));
        self.before_phase[warp] = self.instructions[warp];
    }
}

impl BlockFolds {
    /// Instructions that a warp slot has issued since the last barrier of its block that it went through, or since the
    /// block's start.
    pub fn phase_progress(&self, sm: u16, warp: u16) -> u64 {
        self.sms.get(usize::from(sm)).map_or(0, |sm| sm.progress(warp.into()))
    }

    /// The most instructions that any warp of an SM has issued in one phase so far.
    pub fn longest_phase(&self, sm: u16) -> u64 {
        self.sms
            .get(usize::from(sm))
            .map_or(0, |sm| (0..sm.instructions.len()).map(|warp| sm.progress(warp)).fold(sm.longest_phase, u64::max))
    }

    /// A warp issued an instruction.
    #[inline(always)]
    pub fn issued(&mut self, sm: u16, warp: u16) {
        if let Some(count) = self.sms.get_mut(usize::from(sm)).and_then(|sm| sm.instructions.get_mut(usize::from(warp))) {
            *count += 1;
        }
    }

    /// Starts, ends and barriers; issues and slots, which are many, have doors of their own.
    pub fn event(&mut self, now: u64, event: Event) {
        if let Some(phase) = self.tracker.event(now, event) {
            self.phase(&phase);
        }
        match event {
            Event::BlockStart { sm, block, first_warp, warps, .. } => {
                let sm = self.sm(sm);
                let n = usize::from(warps);
                let stalls = sm.stalls;
                let end = usize::from(first_warp) + n;
                if sm.instructions.len() < end {
                    sm.instructions.resize(end, 0);
                    sm.before_phase.resize(end, 0);
                }
                sm.instructions[usize::from(first_warp)..end].fill(0);
                sm.before_phase[usize::from(first_warp)..end].fill(0);
                sm.lives.push(Life {
                    block,
                    first_warp: first_warp.into(),
                    start: now,
                    ended: vec![None; n],
                    stalls_at_start: stalls,
                    stalls_at_first_end: stalls,
                });
                sm.resident_most = sm.resident_most.max(sm.lives.len());
            }
            Event::WarpExit { sm, warp } => {
                let stalls = self.sm(sm).stalls;
                if let Some((life, at)) = self.warp(sm, warp) {
                    if life.ended.iter().all(Option::is_none) {
                        life.stalls_at_first_end = stalls;
                    }
                    life.ended[at] = Some(now);
                }
            }
            Event::BlockEnd { sm, block, .. } => self.end(sm, block),
            _ => {}
        }
    }

    #[inline(always)]
    fn sm(&mut self, sm: u16) -> &mut SmBlocks {
        let at = usize::from(sm);
        if self.sms.len() <= at {
            self.sms.resize_with(at + 1, SmBlocks::default);
        }
        &mut self.sms[at]
    }

    #[inline]
    fn warp(&mut self, sm: u16, warp: u16) -> Option<(&mut Life, usize)> {
        let warp = usize::from(warp);
        let life = self
            .sms
            .get_mut(usize::from(sm))?
            .lives
            .iter_mut()
            .find(|l| (l.first_warp..l.first_warp + l.ended.len()).contains(&warp))?;
        let at = warp - life.first_warp;
        Some((life, at))
    }

    /// A cycle in which no port of an SM issues is a stall; ports tell one after another, the first being number 0.
    #[inline(always)]
    pub fn slot(&mut self, sm: u16, port: u16, slot: SlotUse, repeat: u64) {
        let sm = self.sm(sm);
        if port == 0 {
            sm.stalls += repeat;
            sm.stalled = true;
        }
        if matches!(slot, SlotUse::Threads(_)) && std::mem::take(&mut sm.stalled) {
            sm.stalls -= repeat;
        }
    }

    fn phase(&mut self, phase: &Phase) {
        self.phases += 1;
        self.rtru_millionths += phase.rtru_millionths();
        if phase.ending == Ending::Barrier {
            let sm = self.sm(phase.sm);
            phase.parts.iter().for_each(|part| sm.end_phase(usize::from(phase.first_warp + part.warp)));
        }
    }

    fn end(&mut self, sm: u16, block: u64) {
        let state = self.sm(sm);
        let stalls = state.stalls;
        let Some(at) = state.lives.iter().position(|life| life.block == block) else { return };
        let life = state.lives.swap_remove(at);
        let instructions = state.instructions[life.first_warp..life.first_warp + life.ended.len()].to_vec();
        let spread = |values: &mut dyn Iterator<Item = u64>| {
            values.fold((u64::MAX, 0), |(low, high): (u64, u64), v| (low.min(v), high.max(v)))
        };
        self.finished.push(Finished {
            instructions: spread(&mut instructions.into_iter()),
            cycles: spread(&mut life.ended.iter().flatten().map(|&end| end + 1 - life.start)),
            stalls: (stalls - life.stalls_at_first_end, stalls - life.stalls_at_start),
        });
    }

    /// The average RTRU of a phase.
    pub fn rtru(&self) -> f64 {
        if self.phases == 0 { 0.0 } else { self.rtru_millionths as f64 / 1e6 / self.phases as f64 }
    }

    pub fn warp_divergence(&self) -> WarpDivergence {
        // Only the first blocks to finish have others waiting for their place (VTW: the first N − R).
        let resident: usize = self.sms.iter().map(|sm| sm.resident_most).sum();
        let first = &self.finished[..self.finished.len().saturating_sub(resident)];
        let mean =
            |values: Vec<f64>| if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) };
        let ratio = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        WarpDivergence {
            instructions: shares(self.finished.iter().map(|f| f.instructions)),
            cycles: shares(self.finished.iter().map(|f| f.cycles)),
            dwr: mean(first.iter().map(|f| 1.0 - ratio(f.cycles.0, f.cycles.1)).collect()),
            dws: mean(first.iter().map(|f| ratio(f.stalls.0, f.stalls.1)).collect()),
        }
    }
}

/// Counts blocks whose largest value exceeds the smallest by more than so much of it.
fn shares(spreads: impl Iterator<Item = (u64, u64)>) -> Shares {
    let mut shares = Shares::default();
    for (low, high) in spreads {
        let more = |percent: u64| u64::from((high - low.min(high)) * 100 > low * percent);
        shares.over_50 += more(50);
        shares.over_25 += more(25);
        shares.over_10 += more(10);
        shares.over_5 += more(5);
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_counts_from_the_last_barrier_that_the_warp_went_through() {
        let mut folds = BlockFolds::default();
        let (sm, block) = (0, 5);
        folds.event(0, Event::BlockStart { sm, slot: 0, block, first_warp: 2, warps: 2 });
        let issue = |folds: &mut BlockFolds, warp: u16, times: u32| (0..times).for_each(|_| folds.issued(sm, warp));
        issue(&mut folds, 2, 3);
        issue(&mut folds, 3, 7);
        assert_eq!((folds.phase_progress(sm, 2), folds.phase_progress(sm, 3), folds.longest_phase(sm)), (3, 7, 7));
        for warp in [2, 3] {
            folds.event(9, Event::BarrierArrive { sm, warp, block, barrier: 0, mask: 1 });
        }
        assert_eq!(folds.phase_progress(sm, 2), 3, "who waits has not gone on");
        folds.event(9, Event::BarrierRelease { sm, block, barrier: 0 });
        issue(&mut folds, 3, 1);
        assert_eq!((folds.phase_progress(sm, 2), folds.phase_progress(sm, 3), folds.longest_phase(sm)), (0, 1, 7));
        // A barrier of some warps leaves the others in their phase.
        folds.event(12, Event::BarrierArrive { sm, warp: 2, block, barrier: 1, mask: 1 });
        folds.event(12, Event::BarrierRelease { sm, block, barrier: 1 });
        assert_eq!(folds.phase_progress(sm, 3), 1);
        folds.event(20, Event::BlockStart { sm, slot: 0, block: 6, first_warp: 2, warps: 2 });
        assert_eq!((folds.phase_progress(sm, 3), folds.longest_phase(sm)), (0, 7), "the next block begins anew");
    }

    #[test]
    fn a_phase_with_unequal_warps_has_the_papers_rtru() {
        let mut folds = BlockFolds::default();
        folds.event(0, Event::BlockStart { sm: 0, slot: 0, block: 7, first_warp: 4, warps: 2 });
        folds.event(10, Event::BarrierArrive { sm: 0, warp: 5, block: 7, barrier: 0, mask: 1 });
        folds.event(40, Event::BarrierArrive { sm: 0, warp: 4, block: 7, barrier: 0, mask: 1 });
        folds.event(40, Event::BarrierRelease { sm: 0, block: 7, barrier: 0 });
        // (40 − 10) / (2 · 40)
        assert_eq!((folds.phases, folds.rtru()), (1, 0.375));
        folds.event(50, Event::WarpExit { sm: 0, warp: 4 });
        folds.event(50, Event::WarpExit { sm: 0, warp: 5 });
        folds.event(50, Event::BlockEnd { sm: 0, slot: 0, block: 7 });
        assert_eq!((folds.phases, folds.rtru()), (2, 0.1875), "the end of the block is a phase's end too");
    }

    #[test]
    fn a_warp_that_ended_before_a_barrier_has_no_part_in_later_phases() {
        let mut folds = BlockFolds::default();
        folds.event(0, Event::BlockStart { sm: 0, slot: 0, block: 0, first_warp: 0, warps: 3 });
        folds.event(10, Event::WarpExit { sm: 0, warp: 0 });
        folds.event(20, Event::BarrierArrive { sm: 0, warp: 1, block: 0, barrier: 0, mask: 1 });
        folds.event(20, Event::BarrierArrive { sm: 0, warp: 2, block: 0, barrier: 0, mask: 1 });
        folds.event(20, Event::BarrierRelease { sm: 0, block: 0, barrier: 0 });
        folds.event(30, Event::WarpExit { sm: 0, warp: 1 });
        folds.event(40, Event::WarpExit { sm: 0, warp: 2 });
        folds.event(40, Event::BlockEnd { sm: 0, slot: 0, block: 0 });
        // Nobody is late at the barrier; then (20 − 10) / (2 · 20).
        assert_eq!((folds.phases, folds.rtru()), (2, 0.125));
    }

    #[test]
    fn stalls_told_at_once_count_like_stalls_told_one_by_one() {
        let told = |repeats: &[u64]| {
            let mut folds = BlockFolds::default();
            folds.event(0, Event::BlockStart { sm: 0, slot: 0, block: 0, first_warp: 0, warps: 2 });
            for &repeat in repeats {
                for (port, slot) in [SlotUse::Idle, SlotUse::Memory].into_iter().enumerate() {
                    folds.slot(0, port as u16, slot, repeat);
                }
            }
            folds.event(9, Event::WarpExit { sm: 0, warp: 0 });
            for (port, slot) in [SlotUse::Idle, SlotUse::Threads(1)].into_iter().enumerate() {
                folds.slot(0, port as u16, slot, 1);
            }
            folds.event(10, Event::WarpExit { sm: 0, warp: 1 });
            folds.event(10, Event::BlockEnd { sm: 0, slot: 0, block: 0 });
            folds
        };
        assert_eq!(told(&[9]), told(&[1; 9]));
        assert_eq!(told(&[9]).finished[0].stalls, (0, 9));
    }

    #[test]
    fn warps_that_end_early_show_in_the_divergent_region() {
        let mut folds = BlockFolds::default();
        for block in 0..3 {
            let start = block * 100;
            folds.event(start, Event::BlockStart { sm: 0, slot: 0, block, first_warp: 0, warps: 2 });
            folds.event(start + 24, Event::WarpExit { sm: 0, warp: 1 });
            folds.event(start + 99, Event::WarpExit { sm: 0, warp: 0 });
            folds.event(start + 99, Event::BlockEnd { sm: 0, slot: 0, block });
        }
        let divergence = folds.warp_divergence();
        assert_eq!(divergence.dwr, Some(0.75));
        assert_eq!(divergence.cycles, Shares { over_50: 3, over_25: 3, over_10: 3, over_5: 3 });
    }
}
