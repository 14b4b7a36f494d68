//! PDOM: a reconvergence stack per warp, with immediate post-dominators (TBC section 2.2.2).
//!
//! An entry has a PC, a reconvergence PC (RPC) and a mask; the top entry runs. When a branch splits its lanes, the top entry
//! becomes the one that waits at the reconvergence point, and an entry is pushed for each side that does not begin there. When
//! the next PC of the top entry is its RPC, the entry is popped, and the one below continues with all of its lanes.
//!
//! ```text
//!   A: @p bra C      A splits 0b0110 to C      C reaches D         B reaches D
//!   B: …             [D  -  1111]              [D  -  1111]        [D  -  1111]  ◄ runs
//!   C: …             [B  D  1001]              [B  D  1001] ◄ runs
//!   D: …             [C  D  0110]  ◄ runs
//! ```
//!
//! Lanes that exit leave every entry; an entry without lanes is popped. Likely-convergence points are in `pdom_lcp`.

use super::{BranchInfo, ControlFlow, Edits, Flow, NEVER, Next, Place, WarpName, pdom_lcp};
use crate::event::Event;
use warpscope_kernel::program::Pc;

/// An entry of a warp's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PdomEntry {
    /// Where its lanes go on.
    pub pc: Pc,
    /// Where they reconverge with those below; [`NEVER`] if only at the kernel's end.
    pub rpc: Pc,
    /// Its lanes.
    pub mask: u32,
    /// The likely-convergence point and the position of the entry that waits there; [`NEVER`] and 0 without one.
    pub lpc: Pc,
    pub(crate) lpos: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pdom {
    sm: u16,
    pub(super) stacks: Vec<Vec<PdomEntry>>,
    /// Whether likely-convergence points are used.
    likely: bool,
}

impl Pdom {
    pub fn new(sm: u16, warps: u32, likely: bool) -> Pdom {
        Pdom { sm, stacks: vec![Vec::new(); warps as usize], likely }
    }

    pub fn stack(&self, warp: u32) -> &[PdomEntry] {
        self.stacks.get(warp as usize).map_or(&[], |stack| stack)
    }

    /// Returns where the warp continues after an instruction; `None` when all of its threads have exited.
    #[inline]
    pub(super) fn next(&mut self, warp: WarpName, flow: Flow, emit: &mut impl FnMut(Event)) -> Option<Place> {
        let stack = &mut self.stacks[warp.warp as usize];
        match flow {
            Flow::Next | Flow::Park { .. } | Flow::Converge { .. } => stack.last_mut()?.pc += 1,
            Flow::Branch { groups: [one], .. } => stack.last_mut()?.pc = one.pc,
            Flow::Branch { groups, mut info } => {
                info.lpc = info.lpc.filter(|_| self.likely);
                diverge(stack, warp, groups, &info, emit);
            }
            Flow::Exit { mask } => {
                stack.last_mut()?.pc += 1;
                for entry in stack.iter_mut() {
                    entry.mask &= !mask;
                }
            }
        }
        // An entry that reaches its reconvergence point or loses its last lane is popped.
        while let Some(top) = stack.last() {
            if top.mask != 0 && top.pc == top.lpc {
                pdom_lcp::merge_top(stack, warp, emit);
                continue;
            }
            if top.mask != 0 && top.pc != top.rpc {
                return Some(Place { pc: top.pc, mask: top.mask });
            }
            let (rpc, came) = (top.rpc, top.mask);
            stack.pop();
            emit(Event::Pop { sm: warp.sm, warp: warp.warp, depth: stack.len() as u16 });
            // If other lanes wait there, the sides have met. Otherwise the pop uncovers a side that has not run yet.
            if let Some(below) = stack.last().filter(|below| came != 0 && below.pc == rpc && below.mask != came) {
                emit(Event::Met { sm: warp.sm, warp: warp.warp, pc: rpc, mask: below.mask });
            }
        }
        None
    }
}

impl ControlFlow for Pdom {
    fn start(&mut self, warp: u16, place: Place) {
        let stack = &mut self.stacks[usize::from(warp)];
        stack.clear();
        stack.push(PdomEntry { pc: place.pc, rpc: NEVER, mask: place.mask, lpc: NEVER, lpos: 0 });
    }

    #[inline]
    fn advance(&mut self, warp: u16, _at: Place, flow: Flow, out: &mut Edits) -> Next {
        let name = WarpName { sm: self.sm, warp };
        self.next(name, flow, &mut |event| out.tell(event)).map_or(Next::Gone, Next::Go)
    }

    fn live(&self, warp: u16) -> u32 {
        self.stack(warp.into()).iter().fold(0, |all, entry| all | entry.mask)
    }

    /// Those below the top of its stack.
    fn waiting(&self, warp: u16, _slot: u16) -> Vec<(Pc, u32)> {
        let mut above = 0;
        let mut waiting = Vec::new();
        for (depth, entry) in self.stack(warp.into()).iter().rev().enumerate() {
            if depth > 0 && entry.mask & !above != 0 {
                waiting.push((entry.pc, entry.mask & !above));
            }
            above |= entry.mask;
        }
        waiting
    }
}

fn diverge(stack: &mut Vec<PdomEntry>, warp: WarpName, groups: &[Place], info: &BranchInfo, emit: &mut impl FnMut(Event)) {
    let Some(&top) = stack.last() else { return };
    let rpc = info.rpc.unwrap_or(NEVER);
    let waits_below = rpc == top.rpc;
    if waits_below {
        // There is no reconvergence point, or the entry below waits there already. The sides replace the top entry, so that a
        // loop that threads leave one by one does not fill the stack.
        stack.pop();
        emit(Event::Pop { sm: warp.sm, warp: warp.warp, depth: stack.len() as u16 });
    } else if let Some(top) = stack.last_mut() {
        top.pc = rpc;
    }
    let (lpc, lpos) = pdom_lcp::point(stack, warp, &top, waits_below, info, emit);
    // The first group, the taken side, is pushed last and runs first.
    for group in groups.iter().rev().filter(|group| group.pc != rpc) {
        if group.pc == lpc {
            pdom_lcp::merge(stack, warp, lpos, *group, emit);
            continue;
        }
        stack.push(PdomEntry { pc: group.pc, rpc, mask: group.mask, lpc, lpos });
        emit(Event::Push { sm: warp.sm, warp: warp.warp, depth: stack.len() as u16, pc: group.pc, rpc, mask: group.mask });
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub const WARP: WarpName = WarpName { sm: 0, warp: 0 };

    pub fn branch(pdom: &mut Pdom, groups: &[(Pc, u32)], rpc: Option<Pc>, lpc: Option<Pc>) -> Option<Place> {
        let groups: Vec<Place> = groups.iter().map(|&(pc, mask)| Place { pc, mask }).collect();
        let info = BranchInfo { may_diverge: true, sides: None, rpc, lpc };
        pdom.next(WARP, Flow::Branch { groups: &groups, info }, &mut |_| {})
    }

    fn split(pdom: &mut Pdom, groups: &[(Pc, u32)], rpc: Option<Pc>) -> Option<Place> {
        branch(pdom, groups, rpc, None)
    }

    pub fn next(pdom: &mut Pdom) -> Option<Place> {
        pdom.next(WARP, Flow::Next, &mut |_| {})
    }

    pub fn at(pc: Pc, mask: u32) -> Option<Place> {
        Some(Place { pc, mask })
    }

    #[test]
    fn both_sides_run_and_meet() {
        let mut pdom = Pdom::new(0, 1, false);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b1111 });
        // A at 0 branches to C at 2, else B at 1; both continue at D at 3, C by falling through, B by a jump.
        assert_eq!(split(&mut pdom, &[(2, 0b0110), (1, 0b1001)], Some(3)), at(2, 0b0110));
        assert_eq!(pdom.stack(0).len(), 3);
        assert_eq!(next(&mut pdom), at(1, 0b1001), "C has reached D, B goes on");
        assert_eq!(split(&mut pdom, &[(3, 0b1001)], None), at(3, 0b1111), "all meet at D");
        assert_eq!(pdom.stack(0).len(), 1);
    }

    #[test]
    fn a_side_that_begins_at_the_meeting_point_is_not_pushed() {
        let mut pdom = Pdom::new(0, 1, false);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b11 });
        assert_eq!(split(&mut pdom, &[(5, 0b01), (1, 0b10)], Some(5)), at(1, 0b10));
        assert_eq!(pdom.stack(0).len(), 2);
        assert_eq!(split(&mut pdom, &[(5, 0b10)], None), at(5, 0b11));
    }

    #[test]
    fn a_loop_with_different_trip_counts_needs_one_entry_more_than_none() {
        let mut pdom = Pdom::new(0, 1, false);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b111 });
        // At 4: branch back to 2, else fall through to 5, the reconvergence point.
        assert_eq!(split(&mut pdom, &[(2, 0b011), (5, 0b100)], Some(5)), at(2, 0b011));
        assert_eq!(split(&mut pdom, &[(2, 0b001), (5, 0b010)], Some(5)), at(2, 0b001));
        assert_eq!(pdom.stack(0).len(), 2, "the entry that waits at 5 serves both splits");
        assert_eq!(split(&mut pdom, &[(5, 0b001)], Some(5)), at(5, 0b111));
    }

    #[test]
    fn exited_lanes_leave_every_entry() {
        let mut pdom = Pdom::new(0, 1, false);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b1111 });
        assert_eq!(split(&mut pdom, &[(7, 0b0011), (1, 0b1100)], Some(9)), at(7, 0b0011));
        assert_eq!(pdom.next(WARP, Flow::Exit { mask: 0b0011 }, &mut |_| {}), at(1, 0b1100));
        assert_eq!(pdom.stack(0)[0].mask, 0b1100);
        assert_eq!(pdom.next(WARP, Flow::Exit { mask: 0b1100 }, &mut |_| {}), None);
    }

    #[test]
    fn without_a_meeting_point_the_sides_replace_the_entry() {
        let mut pdom = Pdom::new(0, 1, false);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b11 });
        assert_eq!(split(&mut pdom, &[(4, 0b01), (1, 0b10)], None), at(4, 0b01));
        assert_eq!(pdom.stack(0).len(), 2);
        assert_eq!(pdom.next(WARP, Flow::Exit { mask: 0b01 }, &mut |_| {}), at(1, 0b10));
    }
}
