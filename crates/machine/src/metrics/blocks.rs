//! Block metrics: warp-phases ([`super::phases`]) and warp-level divergence (VTW section 3).
//!
//! The *divergent warp region* of a block is the time from its first warp's end to its last one's ([`super::lives`]).

use super::lives::{Finished, LifeMark, Lives};
use super::phases::{Ending, Phase, PhaseTracker};
use crate::event::{Event, SlotUse};
use serde::{Deserialize, Serialize};

/// One SM's blocks, and its cycles without any issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SmBlocks {
    lives: Lives,
    /// Instructions that each warp slot has issued since its block started, and those before its current warp-phase.
    instructions: Vec<u64>,
    before_phase: Vec<u64>,
    /// The most instructions that any warp issued in a phase that has ended.
    longest_phase: u64,
    stalls: u64,
    /// Whether the cycles being reported count as stalls: no port has issued in them so far.
    stalled: bool,
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

/// How much the warps of a block differ (VTW tables 1 and 2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WarpDivergence {
    /// Blocks whose warps differ by more than 50, 25, 10, 5 per cent in instructions.
    pub instructions: SpreadCounts,
    /// Likewise in cycles.
    pub cycles: SpreadCounts,
    /// Share of a block's time between its first and its last warp's end; for blocks whose slot another block waited for.
    pub dwr: Option<f64>,
    /// Share of the block's cycles without any issue on the SM that fall into that region.
    pub dws: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpreadCounts {
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

    /// Ends the phase of a warp that has passed a barrier.
    fn end_phase(&mut self, warp: usize) {
        self.longest_phase = self.longest_phase.max(self.progress(warp));
        self.before_phase[warp] = self.instructions[warp];
    }

    /// Returns a cycle with the instructions that a warp has issued by then.
    fn moment(&self, cycle: u64, warp: u16) -> LifeMark {
        LifeMark { cycle, issued: self.instructions.get(usize::from(warp)).copied().unwrap_or(0) }
    }

    fn end(&mut self, now: u64, block: u64) -> Option<Finished> {
        self.lives.end(now, block, &self.instructions, self.stalls)
    }
}

impl BlockFolds {
    /// Returns the instructions that a warp slot has issued since the last barrier that it passed, or since its block's start.
    pub fn phase_progress(&self, sm: u16, warp: u16) -> u64 {
        self.sms.get(usize::from(sm)).map_or(0, |sm| sm.progress(warp.into()))
    }

    /// Returns the most instructions that any warp of an SM has issued in one phase so far.
    pub fn longest_phase(&self, sm: u16) -> u64 {
        self.sms
            .get(usize::from(sm))
            .map_or(0, |sm| (0..sm.instructions.len()).map(|warp| sm.progress(warp)).fold(sm.longest_phase, u64::max))
    }

    /// Counts an instruction that a warp issued.
    #[inline(always)]
    pub fn issued(&mut self, sm: u16, warp: u16) {
        if let Some(count) = self.sms.get_mut(usize::from(sm)).and_then(|sm| sm.instructions.get_mut(usize::from(warp))) {
            *count += 1;
        }
    }

    /// Counts starts, ends and barriers; the frequent issues and slots have methods of their own.
    pub fn event(&mut self, now: u64, event: Event) {
        if let Some(phase) = self.tracker.event(now, event) {
            self.phase(&phase);
        }
        match event {
            Event::BlockStart { sm, slot, block, first_warp, warps } => {
                let sm = self.sm(sm);
                let warps = usize::from(first_warp)..usize::from(first_warp + warps);
                if sm.instructions.len() < warps.end {
                    sm.instructions.resize(warps.end, 0);
                    sm.before_phase.resize(warps.end, 0);
                }
                sm.instructions[warps.clone()].fill(0);
                sm.before_phase[warps.clone()].fill(0);
                sm.lives.start(now, (slot, block), warps, sm.stalls);
            }
            Event::LogicalStart { sm, slot, block, .. } => {
                let sm = self.sm(sm);
                sm.lives.start_next(slot, block, sm.stalls);
            }
            Event::Assigned { sm, warp, block, .. } => {
                let sm = self.sm(sm);
                sm.lives.assign(sm.moment(now, warp), warp.into(), block, sm.stalls);
            }
            Event::WarpExit { sm, warp } => {
                let sm = self.sm(sm);
                sm.lives.close(sm.moment(now, warp), warp.into(), sm.stalls);
            }
            Event::LogicalEnd { sm, block, .. } => {
                let finished = self.sm(sm).end(now, block);
                self.finished.extend(finished);
            }
            Event::BlockEnd { sm, slot, block } => {
                let sm = self.sm(sm);
                sm.lives.leave(slot);
                let finished = sm.end(now, block);
                self.finished.extend(finished);
            }
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

    /// Counts cycles in which no port of an SM issues as stalls; ports report one after another, number 0 first.
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

    /// Returns the cycles in which no port of an SM issued, summed over SMs.
    pub fn stalls(&self) -> u64 {
        self.sms.iter().map(|sm| sm.stalls).sum()
    }

    /// Returns the most blocks that were resident at a time, summed over SMs.
    pub fn resident_blocks(&self) -> u64 {
        self.sms.iter().map(|sm| sm.lives.resident_most as u64).sum()
    }

    /// Returns the average RTRU of a phase.
    pub fn rtru(&self) -> f64 {
        if self.phases == 0 { 0.0 } else { self.rtru_millionths as f64 / 1e6 / self.phases as f64 }
    }

    pub fn warp_divergence(&self) -> WarpDivergence {
        // Other blocks wait only for the slots of the first blocks to finish (VTW: the first N − R).
        let first = &self.finished[..self.finished.len().saturating_sub(self.resident_blocks() as usize)];
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

/// Counts the blocks whose largest value exceeds the smallest by more than each percentage.
fn shares(spreads: impl Iterator<Item = (u64, u64)>) -> SpreadCounts {
    let mut shares = SpreadCounts::default();
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
        // No warp is late at the barrier; then (20 − 10) / (2 · 20).
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
    fn blocks_count_as_resident_where_they_overlap_on_an_sm() {
        let mut folds = BlockFolds::default();
        let start = |sm, block| Event::BlockStart { sm, slot: block as u16, block, first_warp: block as u16, warps: 1 };
        let end = |sm, block| Event::BlockEnd { sm, slot: block as u16, block };
        for (now, event) in
            [(0, start(0, 0)), (0, start(1, 1)), (1, start(0, 2)), (5, end(0, 0)), (6, start(0, 3)), (9, end(1, 1))]
        {
            folds.event(now, event);
        }
        assert_eq!(folds.resident_blocks(), 3, "two at a time on SM 0, one on SM 1");
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
        assert_eq!(divergence.cycles, SpreadCounts { over_50: 3, over_25: 3, over_10: 3, over_5: 3 });
    }
}
