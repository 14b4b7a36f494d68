//! DWF: dynamic warp formation, from a pool of warps by next PC (TBC sections 1 and 2.3, after Fung et al.).
//!
//! A warp that issues leaves the pool. When its instruction completes, its threads return in groups by next PC. The **warp LUT**
//! holds for each PC the newest warp that waits there. Threads whose home lanes are free in that warp join it; the others form a
//! new warp, which replaces it in the LUT. Warps already in the pool are never merged, so two half-empty warps at one PC stay
//! two.
//!
//! ```text
//!   in flight ──done──► groups by next PC ──► LUT[pc] ──lanes free──► Grow: joins the warp that waits there
//!        ▲                                       └─────lanes taken──► Form: a new warp, LUT[pc] = it
//!        └──────────── issue (majority or oldest) ◄──────── the pool
//! ```
//!
//! Threads of any block of the SM may share a warp. Threads that wait at a barrier, or for their PTX warp, wait one by one
//! outside of the pool. A thread that can continue is therefore never held up by others of its warp, and no circular wait can
//! form.
//!
//! The pathologies of section 1 are not modelled separately; they follow from this. Threads that fall behind find no warp to join
//! (starvation eddies), and the threads of a regrouped warp are not neighbours in memory (lost coalescing, bank conflicts). Code
//! that relies on a static warp's lock-step breaks. [`warp_barrier`](super::warp_barrier) is the paper's remedy for both
//! (DWF-WB).

use super::warp_barrier::{Arrival, WarpBarrier, WarpBarriers};
use super::{ControlFlow, Edit, Edits, Flow, Members, NewBlock, Next, Place};
use crate::event::Event;
use crate::policy::warp_set::{WORDS, WarpSet};
use std::collections::BTreeMap;
use warpscope_kernel::program::Pc;

/// The LUT value that stands for no warp.
const NONE: u16 = u16::MAX;

/// The state of a pool entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PoolStage {
    /// No warp is in the entry.
    #[default]
    Free,
    /// The warp waits to be issued; threads may join it.
    Waiting,
    /// The warp's instruction is in flight.
    Flying,
}

/// The pool's state of one entry of the warp table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PoolWarp {
    /// What the warp waits for.
    pub stage: PoolStage,
    /// The PC at which the warp waits, or the PC of its instruction in flight.
    pub pc: Pc,
    /// Its threads.
    pub members: Members,
    /// A static warp that has not diverged (DWF-WB); no threads join it.
    pub sealed: bool,
    /// Where the threads go when the instruction in flight completes.
    outcome: Vec<Place>,
}

/// The warp pool of an SM, and how threads find warps to join.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dwf {
    sm: u16,
    pool: Vec<PoolWarp>,
    free: WarpSet,
    lut: Vec<u16>,
    barriers: Option<WarpBarriers>,
}

impl Dwf {
    pub(crate) fn new(sm: u16, entries: u32) -> Dwf {
        let mut free = WarpSet::default();
        (0..entries).for_each(|warp| free.insert(warp));
        Dwf { sm, pool: vec![PoolWarp::default(); entries as usize], free, lut: Vec::new(), barriers: None }
    }

    /// Creates a pool with a warp barrier for each of `warps` static warps (DWF-WB).
    pub fn with_warp_barriers(sm: u16, entries: u32, warps: u32) -> Dwf {
        Dwf { barriers: Some(WarpBarriers::new(warps)), ..Dwf::new(sm, entries) }
    }

    /// Iterates over the warps that wait or are in flight, with their entry numbers.
    pub fn pool(&self) -> impl Iterator<Item = (u16, &PoolWarp)> {
        self.pool.iter().enumerate().filter(|(_, warp)| warp.stage != PoolStage::Free).map(|(at, warp)| (at as u16, warp))
    }

    /// Returns the number of waiting threads at each PC, which majority scheduling compares.
    pub fn threads_by_pc(&self) -> BTreeMap<Pc, u32> {
        let mut threads = BTreeMap::new();
        for (_, warp) in self.pool().filter(|(_, warp)| warp.stage == PoolStage::Waiting) {
            *threads.entry(warp.pc).or_default() += warp.members.mask.count_ones();
        }
        threads
    }

    /// Returns the warp that threads with this next PC would join.
    pub fn lut(&self, pc: Pc) -> Option<u16> {
        self.lut.get(pc as usize).copied().filter(|&warp| warp != NONE)
    }

    /// Returns the barrier of a static warp that has diverged (DWF-WB).
    pub fn warp_barrier(&self, warp: u16) -> Option<&WarpBarrier> {
        self.barriers.as_ref()?.of(warp)
    }

    fn set_lut(&mut self, pc: Pc, warp: u16) {
        if self.lut.len() <= pc as usize {
            self.lut.resize(pc as usize + 1, NONE);
        }
        self.lut[pc as usize] = warp;
    }

    fn form(&mut self, members: Members, pc: Pc, sealed: bool, out: &mut Edits) {
        // There is an entry for every thread, so one is free.
        let Some(warp) = self.free.next_from(0, WORDS) else { return };
        self.free.remove(warp);
        let warp = warp as u16;
        let state = &mut self.pool[usize::from(warp)];
        (state.stage, state.pc, state.members, state.sealed) = (PoolStage::Waiting, pc, members, sealed);
        if !sealed {
            self.set_lut(pc, warp);
        }
        out.form(self.sm, warp, pc, members);
    }

    fn release(&mut self, warp: u16, out: &mut Edits) {
        self.pool[usize::from(warp)].stage = PoolStage::Free;
        self.free.insert(warp.into());
        out.free(self.sm, warp);
    }

    /// Returns threads to the pool, to continue at `pc`.
    fn insert(&mut self, mut members: Members, pc: Pc, out: &mut Edits) {
        if let Some(barriers) = &mut self.barriers {
            let (mut restored, all) = (Vec::new(), members);
            for (origin, mask) in all.parts() {
                match barriers.arrive(origin, mask, pc) {
                    Arrival::Elsewhere => continue,
                    Arrival::Waits => {}
                    Arrival::Complete(all) => restored.push((origin, all)),
                }
                members.mask &= !mask;
                out.tell(Event::WarpBarrier { sm: self.sm, warp: origin, pc, mask });
            }
            for (origin, all) in restored {
                out.tell(Event::Met { sm: self.sm, warp: origin, pc, mask: all });
                self.form(Members::of(origin, all), pc, true, out);
            }
        }
        if let Some(warp) = self.lut(pc) {
            let waiting = &mut self.pool[usize::from(warp)].members;
            let joining = members.only(!waiting.mask);
            if joining.mask != 0 {
                waiting.add(&joining);
                out.list.push(Edit::Grow { warp, members: joining });
                out.tell(Event::Merged { sm: self.sm, warp, pc, mask: joining.mask });
                out.tell_members(self.sm, warp, &joining);
                members.mask &= !joining.mask;
            }
        }
        if members.mask != 0 {
            self.form(members, pc, false, out);
        }
    }

    /// Removes exited threads from the warp barriers, and re-forms static warps that waited for no other threads.
    fn exit(&mut self, members: Members, out: &mut Edits) {
        let Some(barriers) = &mut self.barriers else { return };
        let mut restored = Vec::new();
        for (origin, mask) in members.parts() {
            restored.extend(barriers.exit(origin, mask).map(|(all, pc)| (origin, all, pc)));
        }
        for (origin, all, pc) in restored {
            out.tell(Event::Met { sm: self.sm, warp: origin, pc, mask: all });
            self.form(Members::of(origin, all), pc, true, out);
        }
    }

    /// Advances a static warp that has not diverged; a divergent branch breaks its seal.
    fn advance_sealed(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next {
        let state = &mut self.pool[usize::from(warp)];
        match flow {
            Flow::Next | Flow::Park { .. } | Flow::Converge { .. } => state.pc = at.pc + 1,
            Flow::Branch { groups: [one], .. } => state.pc = one.pc,
            Flow::Branch { groups, info } => {
                (state.stage, state.sealed) = (PoolStage::Flying, false);
                state.outcome.clear();
                state.outcome.extend(groups);
                let members = state.members;
                if let (Some(barriers), Some((origin, mask))) = (&mut self.barriers, members.parts().next()) {
                    barriers.set(origin, mask, info.rpc);
                }
                return Next::Leaves;
            }
            Flow::Exit { mask } => {
                state.pc = at.pc + 1;
                state.members.mask &= !mask;
                if state.members.mask == 0 {
                    self.release(warp, out);
                    return Next::Gone;
                }
            }
        }
        Next::Go(Place { pc: state.pc, mask: state.members.mask })
    }
}

impl ControlFlow for Dwf {
    fn start_block(&mut self, block: NewBlock, out: &mut Edits) {
        let sealed = self.barriers.is_some();
        for (warp, &mask) in (block.first_warp..).zip(block.masks) {
            if let Some(barriers) = &mut self.barriers {
                barriers.clear(warp);
            }
            self.form(Members::of(warp, mask), block.pc, sealed, out);
        }
    }

    fn advance(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next {
        if self.lut(at.pc) == Some(warp) {
            self.lut[at.pc as usize] = NONE;
        }
        let state = &mut self.pool[usize::from(warp)];
        if state.sealed {
            return self.advance_sealed(warp, at, flow, out);
        }
        state.stage = PoolStage::Flying;
        state.outcome.clear();
        let next = |mask: u32| (mask != 0).then_some(Place { pc: at.pc + 1, mask });
        let mask = state.members.mask;
        match flow {
            Flow::Next | Flow::Converge { .. } => state.outcome.extend(next(mask)),
            Flow::Branch { groups, .. } => state.outcome.extend(groups),
            Flow::Park { mask: parked } => state.outcome.extend(next(mask & !parked)),
            Flow::Exit { mask: exited } => {
                state.outcome.extend(next(mask & !exited));
                let (gone, nobody) = (state.members.only(exited), mask & !exited == 0);
                self.exit(gone, out);
                if nobody {
                    self.release(warp, out);
                    return Next::Gone;
                }
            }
        }
        Next::Leaves
    }

    fn left(&mut self, warp: u16, out: &mut Edits) {
        let state = &mut self.pool[usize::from(warp)];
        let (members, outcome) = (state.members, std::mem::take(&mut state.outcome));
        self.release(warp, out);
        for place in &outcome {
            self.insert(members.only(place.mask), place.pc, out);
        }
        // Keeps the vector's allocation for the next warp in this entry.
        self.pool[usize::from(warp)].outcome = outcome;
    }

    fn parks(&self, warp: u16) -> bool {
        !self.pool[usize::from(warp)].sealed
    }

    fn resume(&mut self, members: Members, pc: Pc, out: &mut Edits) {
        self.insert(members, pc, out);
    }

    fn waiting(&self, warp: u16, _slot: u16) -> Vec<(Pc, u32)> {
        self.warp_barrier(warp).map(|barrier| (barrier.pc, barrier.arrived)).into_iter().collect()
    }

    fn going_on(&self, warp: u16, slot: u16) -> Vec<(Pc, u32)> {
        self.waiting(warp, slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::divergence::BranchInfo;

    fn start(dwf: &mut Dwf, masks: &[u32]) {
        dwf.start_block(NewBlock { slot: 0, first_warp: 0, pc: 0, masks }, &mut Edits::default());
    }

    fn branch(dwf: &mut Dwf, warp: u16, groups: &[(Pc, u32)], rpc: Pc) {
        let (pc, mask) = (dwf.pool[usize::from(warp)].pc, dwf.pool[usize::from(warp)].members.mask);
        let groups: Vec<Place> = groups.iter().map(|&(pc, mask)| Place { pc, mask }).collect();
        let info = BranchInfo { may_diverge: true, sides: None, rpc: Some(rpc), lpc: None };
        let mut out = Edits::default();
        if dwf.advance(warp, Place { pc, mask }, Flow::Branch { groups: &groups, info }, &mut out) == Next::Leaves {
            dwf.left(warp, &mut out);
        }
    }

    fn waiting(dwf: &Dwf) -> Vec<(Pc, Vec<(u16, u32)>)> {
        dwf.pool().map(|(_, warp)| (warp.pc, warp.members.parts().collect())).collect()
    }

    #[test]
    fn threads_join_where_their_lanes_are_free_and_begin_a_warp_where_not() {
        let mut dwf = Dwf::new(0, 8);
        start(&mut dwf, &[0b1111, 0b1111]);
        // The branch of figure 7: at C, lane 0 fits together with lanes 1 and 2; at B, lane 3 is taken.
        branch(&mut dwf, 0, &[(2, 0b0001), (1, 0b1110)], 3);
        branch(&mut dwf, 1, &[(2, 0b0110), (1, 0b1001)], 3);
        assert_eq!(
            waiting(&dwf),
            [(2, vec![(0, 0b0001), (1, 0b0110)]), (1, vec![(1, 0b1000)]), (1, vec![(1, 0b0001), (0, 0b1110)])]
        );
        assert_eq!(dwf.threads_by_pc(), BTreeMap::from([(1, 5), (2, 3)]));
        assert_eq!(dwf.lut(1), Some(1), "the newest warp at B");
    }

    #[test]
    fn a_warp_in_flight_is_not_joined() {
        let mut dwf = Dwf::new(0, 8);
        start(&mut dwf, &[0b0011, 0b1111]);
        let mut out = Edits::default();
        assert_eq!(dwf.lut(0), Some(1));
        assert_eq!(dwf.advance(1, Place { pc: 0, mask: 0b1111 }, Flow::Next, &mut out), Next::Leaves);
        assert_eq!(dwf.lut(0), None);
    }

    #[test]
    fn with_a_warp_barrier_a_static_warp_comes_back_whole() {
        let mut dwf = Dwf::with_warp_barriers(0, 8, 2);
        start(&mut dwf, &[0b1111, 0b1111]);
        branch(&mut dwf, 0, &[(2, 0b0001), (1, 0b1110)], 3);
        branch(&mut dwf, 1, &[(2, 0b0110), (1, 0b1001)], 3);
        let at_c = dwf.pool().find(|(_, w)| w.pc == 2).map(|(at, _)| at).expect("a warp at C");
        assert_eq!(dwf.pool[usize::from(at_c)].members.mask, 0b0111);
        branch(&mut dwf, at_c, &[(3, 0b0111)], 9);
        assert_eq!(dwf.warp_barrier(0).map(|b| b.arrived), Some(0b0001));
        let at_b: Vec<u16> = dwf.pool().filter(|(_, w)| w.pc == 1).map(|(at, _)| at).collect();
        for warp in at_b {
            let mask = dwf.pool[usize::from(warp)].members.mask;
            branch(&mut dwf, warp, &[(3, mask)], 9);
        }
        let mut whole = waiting(&dwf);
        whole.sort();
        assert_eq!(whole, [(3, vec![(0, 0b1111)]), (3, vec![(1, 0b1111)])]);
        assert!(dwf.pool().all(|(_, warp)| warp.sealed) && dwf.warp_barrier(0).is_none());
    }
}
