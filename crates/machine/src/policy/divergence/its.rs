//! ITS: independent thread scheduling, with convergence barriers in place of a stack, as NVIDIA's GPUs since Volta.
//!
//! A warp is a list of **splits**: lanes at one PC. One split runs. It goes on, also over its own loads, until it ends, waits or
//! yields; then the next of the list runs. Instructions that the compiler has put into the code (`program/passes/converge`) say which
//! lanes wait for each other: each of a warp's **barriers** is a mask of lanes.
//!
//! ```text
//!   near end                                        far end
//!   [running] [ready] [ready] …  [yielded] [yielded]        beside them: [blocked at B1]  [parked at a block barrier]
//!
//!   a branch parts the running split    the side with fewer lanes runs on, the other is the next of the list;
//!                                       of equal sides the one that falls through runs on
//!   BSSY b    its lanes join b          BREAK b   its lanes leave b
//!   BSYNC b   it blocks at b            YIELD     it goes to the far end, and no barrier waits for it until it runs again
//! ```
//!
//! A barrier **completes** when each of its lanes is blocked there or has yielded (or has ended, and is in no mask): the blocked lanes
//! become one split behind it, and the mask is cleared. Splits merge there and in operations of the PTX warp, not because they are at
//! one PC. The rules are those of the patents US10067768 (barriers) and US9459876 (the list with two ends); the order of the sides is
//! what an H200 does in `tests/paths`: neither document says it.

use super::{ControlFlow, Edit, Edits, Flow, Members, Next, Place};
use crate::config::{Config, FirstSideKind};
use crate::event::Event;
use warpscope_kernel::program::Pc;
use warpscope_kernel::ptx::op::{Barrier, Converge};

/// What a split does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitState {
    /// It is the one that issues.
    Running,
    /// It runs when its turn comes. `released`: it has just been released, and merges with others that are at its PC.
    Ready {
        /// It has not run since it was released.
        released: bool,
    },
    /// It has let the others go first; barriers do not wait for it.
    Yielded,
    /// It waits at a convergence barrier.
    Blocked(Barrier),
    /// It waits at a barrier of its block, or for its PTX warp.
    Parked,
}

/// Lanes of a warp that go on together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// Its next instruction, or the one at which it waits.
    pub pc: Pc,
    /// Its lanes.
    pub mask: u32,
    /// What it does.
    pub state: SplitState,
}

impl Split {
    fn can_run(&self) -> bool {
        matches!(self.state, SplitState::Ready { .. } | SplitState::Yielded)
    }
}

/// The splits and the barriers of one warp.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct WarpSplits {
    /// The running split first, then those that run next, the far end last. Splits that wait keep their place among them.
    pub splits: Vec<Split>,
    /// The barriers that have lanes, with these, in the order in which they got their first.
    pub barriers: Vec<(Barrier, u32)>,
    /// Instructions that the running split has issued in its turn.
    turn: u32,
}

/// The splits of all warps of an SM.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Its {
    sm: u16,
    warps: Vec<WarpSplits>,
    first: FirstSideKind,
    merges: bool,
    slice: u32,
}

impl Its {
    pub(crate) fn new(sm: u16, warps: u32, config: &Config) -> Its {
        let (first, merges, slice) = (config.its_first, config.its_merge, config.its_slice);
        Its { sm, warps: vec![WarpSplits::default(); warps as usize], first, merges, slice }
    }

    /// Returns the splits and barriers of a warp.
    pub fn warp(&self, warp: u16) -> Option<&WarpSplits> {
        self.warps.get(usize::from(warp))
    }
}

impl WarpSplits {
    fn running(&mut self) -> Option<&mut Split> {
        self.splits.first_mut().filter(|split| split.state == SplitState::Running)
    }

    /// Returns the lanes of a barrier.
    pub fn lanes(&self, barrier: Barrier) -> u32 {
        self.barriers.iter().find(|(known, _)| *known == barrier).map_or(0, |(_, lanes)| *lanes)
    }

    fn join(&mut self, barrier: Barrier, lanes: u32) {
        match self.barriers.iter_mut().find(|(known, _)| *known == barrier) {
            Some((_, there)) => *there |= lanes,
            None => self.barriers.push((barrier, lanes)),
        }
    }

    /// Takes lanes out of the barriers that `from` names.
    fn leave(&mut self, lanes: u32, from: impl Fn(Barrier) -> bool) {
        self.barriers.iter_mut().filter(|(barrier, _)| from(*barrier)).for_each(|(_, there)| *there &= !lanes);
        self.barriers.retain(|(_, there)| *there != 0);
    }

    /// Returns the lanes that are blocked at a barrier.
    pub fn blocked(&self, barrier: Barrier) -> u32 {
        let there = self.splits.iter().filter(|split| split.state == SplitState::Blocked(barrier));
        there.fold(0, |all, split| all | split.mask)
    }

    /// Returns the lanes of a barrier that it still waits for.
    pub fn missing(&self, barrier: Barrier) -> u32 {
        let yielded = self.splits.iter().filter(|split| split.state == SplitState::Yielded);
        let yielded = yielded.fold(0, |all, split| all | split.mask);
        self.lanes(barrier) & !self.blocked(barrier) & !yielded
    }

    /// Parts the running split among the targets of its branch, the one that runs on first.
    fn part(&mut self, groups: &[Place], first: FirstSideKind) {
        let mut order: Vec<Place> = groups.to_vec();
        match first {
            FirstSideKind::Taken => {}
            FirstSideKind::FallThrough => order.reverse(),
            // A stable order: of equal sides the one that falls through, which the groups name last.
            FirstSideKind::Fewer => {
                order.reverse();
                order.sort_by_key(|place| place.mask.count_ones());
            }
        }
        let split = |(at, place): (usize, &Place)| {
            let state = if at == 0 { SplitState::Running } else { SplitState::Ready { released: false } };
            Split { pc: place.pc, mask: place.mask, state }
        };
        self.splits.splice(0..1, order.iter().enumerate().map(split));
    }

    /// Completes the barriers for which nobody is missing any more. The split that has just waited at one runs on.
    fn complete(&mut self, sm: u16, warp: u16, out: &mut Edits) {
        for (barrier, _) in self.barriers.clone() {
            let there = self.blocked(barrier);
            if there == 0 || self.missing(barrier) != 0 {
                continue;
            }
            let waits = |split: &Split| split.state == SplitState::Blocked(barrier);
            let Some(at) = self.splits.iter().position(waits) else { continue };
            let pc = self.splits[at].pc + 1;
            let parts = self.splits.iter().filter(|split| waits(split)).count();
            self.splits.retain(|split| !waits(split));
            let place = usize::from(self.running().is_some());
            self.splits.insert(place, Split { pc, mask: there, state: SplitState::Ready { released: true } });
            self.leave(u32::MAX, |other| other == barrier);
            out.tell(Event::Converged { sm, warp, barrier: barrier.register, pc, mask: there });
            if parts > 1 {
                out.tell(Event::Met { sm, warp, pc, mask: there });
            }
        }
    }

    /// Chooses the split that runs next, if none does, and says where the warp goes on.
    fn settle(&mut self, sm: u16, warp: u16, out: &mut Edits) -> Next {
        self.complete(sm, warp, out);
        if self.running().is_none() {
            let Some(at) = self.splits.iter().position(Split::can_run) else {
                return if self.splits.is_empty() { Next::Gone } else { Next::Waits };
            };
            let next = Split { state: SplitState::Running, ..self.splits.remove(at) };
            self.splits.insert(0, next);
            self.turn = 0;
            out.tell(Event::Switched { sm, warp, pc: next.pc, mask: next.mask });
        }
        let Split { pc, mask, .. } = self.splits[0];
        Next::Go(Place { pc, mask })
    }

    /// Merges with the running split those that are at its PC, for machines that do.
    fn merge_equal(&mut self) {
        let Some(&mut Split { pc, .. }) = self.running() else { return };
        let joins = |split: &Split| split.can_run() && split.pc == pc;
        let more = self.splits.iter().filter(|split| joins(split)).fold(0, |all, split| all | split.mask);
        if more != 0 {
            self.splits.retain(|split| !joins(split));
            self.splits[0].mask |= more;
        }
    }

    /// Moves the running split to the far end.
    fn step_back(&mut self, state: SplitState) {
        let split = Split { state, ..self.splits.remove(0) };
        self.splits.push(split);
    }
}

impl ControlFlow for Its {
    fn start(&mut self, warp: u16, place: Place) {
        let warp = &mut self.warps[usize::from(warp)];
        *warp = WarpSplits::default();
        warp.splits.push(Split { pc: place.pc, mask: place.mask, state: SplitState::Running });
    }

    fn advance(&mut self, warp: u16, at: Place, flow: Flow, out: &mut Edits) -> Next {
        let (sm, name, merges, slice, first) = (self.sm, warp, self.merges, self.slice, self.first);
        let warp = &mut self.warps[usize::from(warp)];
        let Some(running) = warp.running() else { return Next::Waits };
        let mut is_plain = true;
        match flow {
            Flow::Next => running.pc = at.pc + 1,
            Flow::Branch { groups: [one], .. } => running.pc = one.pc,
            Flow::Branch { groups, .. } => warp.part(groups, first),
            Flow::Exit { mask } | Flow::Park { mask } => {
                is_plain = false;
                (running.pc, running.mask) = (at.pc + 1, running.mask & !mask);
                if running.mask == 0 {
                    warp.splits.remove(0);
                }
                if matches!(flow, Flow::Park { .. }) && mask != 0 {
                    let place = usize::from(warp.running().is_some());
                    warp.splits.insert(place, Split { pc: at.pc, mask, state: SplitState::Parked });
                } else {
                    warp.leave(mask, |_| true);
                }
            }
            Flow::Converge { what, mask } => {
                running.pc = at.pc + 1;
                match what {
                    Converge::Join(barrier) => {
                        warp.join(barrier, mask);
                        out.tell(Event::BarrierJoined { sm, warp: name, barrier: barrier.register, pc: at.pc, mask });
                    }
                    Converge::Leave(barrier) => {
                        is_plain = false;
                        warp.leave(mask, |other| other == barrier);
                        if mask != 0 {
                            out.tell(Event::BarrierLeft { sm, warp: name, barrier: barrier.register, pc: at.pc, mask });
                        }
                    }
                    Converge::Wait(barrier) if warp.lanes(barrier) & mask != 0 => {
                        is_plain = false;
                        let split = Split { pc: at.pc, mask, state: SplitState::Blocked(barrier) };
                        warp.splits[0] = split;
                        out.tell(Event::Blocked { sm, warp: name, barrier: barrier.register, pc: at.pc, mask });
                    }
                    // Lanes for which nobody waits any more go on.
                    Converge::Wait(_) => {}
                    Converge::Yield => {
                        is_plain = false;
                        warp.step_back(SplitState::Yielded);
                        out.tell(Event::Yielded { sm, warp: name, pc: at.pc, mask });
                    }
                }
            }
        }
        warp.turn += 1;
        if slice > 0 && warp.turn >= slice && warp.running().is_some() && warp.splits.iter().any(Split::can_run) {
            is_plain = false;
            warp.step_back(SplitState::Ready { released: false });
        }
        if merges {
            warp.merge_equal();
        }
        if is_plain {
            let Split { pc, mask, .. } = warp.splits[0];
            return Next::Go(Place { pc, mask });
        }
        warp.settle(sm, name, out)
    }

    fn parks(&self, _warp: u16) -> bool {
        true
    }

    fn resume(&mut self, members: Members, pc: Pc, out: &mut Edits) {
        for (name, mask) in members.parts() {
            let warp = &mut self.warps[usize::from(name)];
            for split in warp.splits.iter_mut().filter(|split| split.state == SplitState::Parked) {
                split.mask &= !mask;
            }
            warp.splits.retain(|split| split.mask != 0);
            let is_there = |split: &&mut Split| {
                split.pc == pc && matches!(split.state, SplitState::Running | SplitState::Ready { released: true })
            };
            match warp.splits.iter_mut().find(is_there) {
                Some(split) => {
                    split.mask |= mask;
                    out.tell(Event::Met { sm: self.sm, warp: name, pc, mask: split.mask });
                }
                None => {
                    let place = usize::from(warp.running().is_some());
                    warp.splits.insert(place, Split { pc, mask, state: SplitState::Ready { released: true } });
                }
            }
            if let Next::Go(place) = warp.settle(self.sm, name, out) {
                out.list.push(Edit::Go { warp: name, place });
            }
        }
    }

    fn waiting(&self, warp: u16, _slot: u16) -> Vec<(Pc, u32)> {
        let splits = self.warp(warp).map_or(&[][..], |warp| &warp.splits);
        splits.iter().filter(|split| split.state != SplitState::Running).map(|split| (split.pc, split.mask)).collect()
    }

    fn live(&self, warp: u16) -> u32 {
        self.warp(warp).map_or(0, |warp| warp.splits.iter().fold(0, |all, split| all | split.mask))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::divergence::BranchInfo;

    const B: [Barrier; 4] = [barrier(0), barrier(1), barrier(2), barrier(3)];

    const fn barrier(register: u8) -> Barrier {
        Barrier { register, point: 0 }
    }

    struct Bench {
        its: Its,
        at: Option<Place>,
    }

    impl Bench {
        fn new(mask: u32) -> Bench {
            Bench::with(mask, Config::default())
        }

        fn with(mask: u32, config: Config) -> Bench {
            let mut its = Its::new(0, 1, &config);
            its.start(0, Place { pc: 0, mask });
            Bench { its, at: Some(Place { pc: 0, mask }) }
        }

        fn act(&mut self, flow: Flow) -> Option<(Pc, u32)> {
            let at = self.at.expect("a split runs");
            let next = self.its.advance(0, at, flow, &mut Edits::default());
            self.at = if let Next::Go(place) = next { Some(place) } else { None };
            self.at.map(|place| (place.pc, place.mask))
        }

        fn branch(&mut self, groups: &[(Pc, u32)]) -> Option<(Pc, u32)> {
            let groups: Vec<Place> = groups.iter().map(|&(pc, mask)| Place { pc, mask }).collect();
            self.act(Flow::Branch { groups: &groups, info: BranchInfo::default() })
        }

        fn jump(&mut self, pc: Pc) -> Option<(Pc, u32)> {
            let mask = self.at.map_or(0, |at| at.mask);
            self.branch(&[(pc, mask)])
        }

        fn converge(&mut self, what: Converge) -> Option<(Pc, u32)> {
            let mask = self.at.map_or(0, |at| at.mask);
            self.act(Flow::Converge { what, mask })
        }
    }

    /// The two sides of `p01_if_else`: the side that falls through runs first, and both meet at the barrier.
    #[test]
    fn sides_run_one_after_the_other_and_meet_at_the_barrier() {
        let mut warp = Bench::new(0b1111);
        assert_eq!(warp.converge(Converge::Join(B[0])), Some((1, 0b1111)));
        assert_eq!(warp.branch(&[(5, 0b0101), (2, 0b1010)]), Some((2, 0b1010)), "equal sides: the one that falls through");
        assert_eq!(warp.jump(7), Some((7, 0b1010)));
        assert_eq!(warp.converge(Converge::Wait(B[0])), Some((5, 0b0101)), "the first waits, the other runs");
        assert_eq!(warp.jump(7), Some((7, 0b0101)));
        assert_eq!(warp.converge(Converge::Wait(B[0])), Some((8, 0b1111)), "the last to come releases all");
        assert_eq!(warp.its.warps[0].barriers, []);
    }

    #[test]
    fn the_side_with_fewer_lanes_runs_first() {
        assert_eq!(Bench::new(0xff).branch(&[(5, 0b1), (1, 0xfe)]), Some((5, 0b1)));
        assert_eq!(Bench::new(0xff).branch(&[(5, 0xfe), (1, 0b1)]), Some((1, 0b1)));
        for (first, runs) in [(FirstSideKind::Taken, 5), (FirstSideKind::FallThrough, 1)] {
            let mut warp = Bench::with(0xff, Config { its_first: first, ..Config::default() });
            assert_eq!(warp.branch(&[(5, 0xf), (1, 0xf0)]).map(|(pc, _)| pc), Some(runs));
        }
    }

    #[test]
    fn a_barrier_waits_for_nobody_who_has_ended_left_or_yielded() {
        let setup = || {
            let mut warp = Bench::new(0b111);
            warp.converge(Converge::Join(B[3]));
            warp.branch(&[(5, 0b001), (2, 0b110)]);
            warp.jump(9);
            assert_eq!(warp.converge(Converge::Wait(B[3])), Some((2, 0b110)));
            warp
        };
        assert_eq!(setup().act(Flow::Exit { mask: 0b110 }), Some((10, 0b001)));
        let mut left = setup();
        assert_eq!(left.converge(Converge::Leave(B[3])), Some((3, 0b110)), "who leaves runs on; the other is released");
        assert_eq!(left.its.warps[0].splits[1], Split { pc: 10, mask: 1, state: SplitState::Ready { released: true } });
        let mut yielded = setup();
        assert_eq!(yielded.converge(Converge::Yield), Some((10, 0b001)), "the others go first");
        assert_eq!(yielded.act(Flow::Exit { mask: 0b001 }), Some((3, 0b110)));
        assert_eq!(yielded.jump(9), Some((9, 0b110)));
        assert_eq!(
            yielded.converge(Converge::Wait(B[3])),
            Some((10, 0b110)),
            "the barrier is cleared: nobody waits there any more"
        );
    }

    #[test]
    fn a_split_that_yields_alone_runs_on() {
        assert_eq!(Bench::new(0b11).converge(Converge::Yield), Some((1, 0b11)));
    }

    #[test]
    fn a_warp_whose_splits_wait_for_each_other_waits() {
        let mut warp = Bench::new(0b11);
        warp.converge(Converge::Join(B[0]));
        warp.converge(Converge::Join(B[1]));
        warp.branch(&[(8, 0b01), (3, 0b10)]);
        assert_eq!(warp.converge(Converge::Wait(B[0])), Some((8, 0b01)));
        assert_eq!(warp.converge(Converge::Wait(B[1])), None);
        let splits = &warp.its.warps[0];
        assert_eq!((splits.missing(B[0]), splits.missing(B[1])), (0b01, 0b10));
    }

    #[test]
    fn parked_lanes_come_back_and_merge_with_those_beside_them() {
        let mut warp = Bench::new(0b1111);
        warp.branch(&[(4, 0b0011), (1, 0b1100)]);
        assert_eq!(warp.act(Flow::Park { mask: 0b1100 }), Some((4, 0b0011)), "half of the warp waits at 1");
        assert_eq!(warp.jump(1), Some((1, 0b0011)));
        assert_eq!(warp.act(Flow::Next), Some((2, 0b0011)), "the last to come goes on");
        let mut out = Edits::default();
        warp.its.resume(Members::of(0, 0b1100), 2, &mut out);
        assert_eq!(out.list, [Edit::Go { warp: 0, place: Place { pc: 2, mask: 0b1111 } }]);
    }

    #[test]
    fn keys_merge_splits_at_one_place_and_give_each_a_slice() {
        let mut merging = Bench::with(0b11, Config { its_merge: true, ..Config::default() });
        merging.branch(&[(2, 0b01), (1, 0b10)]);
        assert_eq!(merging.act(Flow::Next), Some((2, 0b11)));
        let mut slices = Bench::with(0b11, Config { its_slice: 2, ..Config::default() });
        slices.branch(&[(9, 0b01), (1, 0b10)]);
        assert_eq!(slices.act(Flow::Next), Some((9, 0b01)), "two instructions a turn");
    }
}
