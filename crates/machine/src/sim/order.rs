//! The order in which the schedulers of an SM would take its warps, for views of the machine.

use super::Sim;
use super::facts::Facts;
use super::state::Sm;
use crate::policy::view::{IssueView, VirtualBlockFacts, WarpProgress, Warps};
use crate::policy::warp_set::WarpSet;

/// The issue order of an SM, at the end of a cycle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueOrder {
    /// For each port, its warps that wait for no other warp, in the order of its scheduler.
    pub ports: Vec<Vec<u32>>,
    /// For each port, the first of those that waits for no value either: the scheduler's next choice, fetched or not.
    pub wanted: Vec<Option<u32>>,
}

impl Sim {
    /// Returns the order of the warps of an SM in the next cycle.
    pub fn issue_order(&self, sm: u16) -> IssueOrder {
        let mut order = IssueOrder::default();
        let Some(sm) = self.state.sms.get(usize::from(sm)) else { return order };
        for port in 0..sm.ports.len() {
            let ranked = self.ranked(sm, port, &sm.ports[port].warps);
            order.wanted.push(ranked.iter().copied().find(|&warp| !sm.sets.data.contains(warp)));
            order.ports.push(ranked);
        }
        order
    }

    /// Returns the warps of all ports in the order of the first port's scheduler: for policies without own state.
    pub fn joint_order(&self, sm: u16) -> Vec<u32> {
        let Some(sm) = self.state.sms.get(usize::from(sm)) else { return Vec::new() };
        self.ranked(sm, 0, &sm.sets.resident)
    }

    /// Counts, for each block slot of an SM, the warps at their barrier: the warp priority table of MWF.
    pub fn waiting(&self, sm: u16) -> Vec<u32> {
        let Some(sm) = self.state.sms.get(usize::from(sm)) else { return Vec::new() };
        let facts = self.facts(sm);
        let count = |(slot, block): (usize, &Option<_>)| block.as_ref().map_or(0, |block| facts.waiting(slot as u16, block));
        sm.blocks.iter().enumerate().map(count).collect()
    }

    /// Returns how far a warp and the warps of its block have come with their logical blocks.
    pub fn progress_of(&self, sm: u16, warp: u32) -> Option<(VirtualBlockFacts, WarpProgress)> {
        let sm = self.state.sms.get(usize::from(sm))?;
        let facts = self.facts(sm);
        Some((facts.iterations(warp), facts.progress(warp)))
    }

    fn facts<'a>(&'a self, sm: &'a Sm) -> Facts<'a> {
        let Sm { warps, blocks, sets, statics, .. } = sm;
        let slow_phase = self.state.uncore.next_block >= self.machine.start.shape.blocks();
        Facts { warps, blocks, sets, statics: &statics.warps, machine: &self.machine, slow_phase }
    }

    /// Returns those of `warps` that wait for no other warp, in the order of a port's scheduler.
    fn ranked(&self, sm: &Sm, port: usize, warps: &WarpSet) -> Vec<u32> {
        let words = sm.sets.words;
        let (mut runnable, mut resident, mut long_wait) = (WarpSet::default(), WarpSet::default(), WarpSet::default());
        let (sets, state) = (&sm.sets, &sm.ports[port]);
        for word in 0..words {
            let mine = sets.resident.bits[word] & warps.bits[word];
            resident.bits[word] = mine;
            runnable.bits[word] = mine & !sets.held_by_others(word);
            long_wait.bits[word] = mine & sets.held_for_long(word);
        }
        let facts = self.facts(sm);
        let view = IssueView {
            available: &runnable,
            ready: &runnable,
            unfetched: &WarpSet::default(),
            long_wait: &long_wait,
            resident: &resident,
            age: &sm.age,
            warps: &facts as &dyn Warps,
            slots: sm.blocks.len() as u16,
            cycle: self.state.cycle,
            words,
        };
        let mut scheduler = state.scheduler.clone();
        scheduler.arrange(&view);
        scheduler.order(&view)
    }
}
