//! Likely-convergence points on a warp's stack (TBC section 4, figure 10).
//!
//! A `break` moves the immediate post-dominator of every branch before it behind the loop, although most threads meet at the end
//! of the loop body. A branch whose likely-convergence point (LPC) differs from its RPC therefore gets an additional entry
//! without lanes, which waits at the LPC below the sides of the branch. The sides carry the LPC and the position of that entry
//! (LPos). A side whose next PC is the LPC is popped and its lanes are merged into the likely-convergence entry, which runs when
//! all entries above it are gone.
//!
//! ```text
//!   A splits                 C splits: 2 is at E       3, 4 reach F        1 reaches E         E runs once
//!   [F - 1234]               [F - 1234]                [F - 1234]          [F - 1234]          [F - 1234]
//!   [E F ….  ]  likely       [E F .2..]                [E F .2..]          [E F 12..] ◄ runs   …
//!   [B F 1...]               [B F 1...]                [B F 1...] ◄ runs
//!   [C F .234]  ◄ runs       [D F ..34]  ◄ runs
//! ```
//!
//! A branch with the same RPC and LPC as its entry needs no further entry, as C above.

use super::pdom::PdomEntry;
use super::{BranchInfo, NEVER, Place, WarpName};
use crate::event::Event;
use warpscope_kernel::program::Pc;

/// Returns the LPC and LPos of a branch's sides; pushes the likely-convergence entry unless there is one for them. `top` is the
/// entry that branched; it is no longer on the stack if `waits_below`, that is, if the entry below waits at its RPC.
#[inline]
pub fn point(
    stack: &mut Vec<PdomEntry>,
    warp: WarpName,
    top: &PdomEntry,
    waits_below: bool,
    info: &BranchInfo,
    emit: &mut impl FnMut(Event),
) -> (Pc, u16) {
    let inherited = if waits_below { (top.lpc, top.lpos) } else { (NEVER, 0) };
    let Some(lpc) = info.lpc.filter(|&lpc| lpc != inherited.0) else { return inherited };
    let rpc = info.rpc.unwrap_or(NEVER);
    stack.push(PdomEntry { pc: lpc, rpc, mask: 0, lpc: inherited.0, lpos: inherited.1 });
    emit(Event::Push { sm: warp.sm, warp: warp.warp, depth: stack.len() as u16, pc: lpc, rpc, mask: 0 });
    (lpc, stack.len() as u16 - 1)
}

/// Merges lanes that have reached the likely-convergence point into the entry that waits there.
pub fn merge(stack: &mut [PdomEntry], warp: WarpName, lpos: u16, lanes: Place, emit: &mut impl FnMut(Event)) {
    if let Some(likely) = stack.get_mut(usize::from(lpos)) {
        let waited = likely.mask;
        likely.mask |= lanes.mask;
        emit(Event::LikelyMerge { sm: warp.sm, warp: warp.warp, position: lpos, pc: lanes.pc, mask: lanes.mask });
        if waited != 0 {
            emit(Event::Met { sm: warp.sm, warp: warp.warp, pc: lanes.pc, mask: likely.mask });
        }
    }
}

/// Pops the top entry, which has reached its likely-convergence point, and merges its lanes.
pub fn merge_top(stack: &mut Vec<PdomEntry>, warp: WarpName, emit: &mut impl FnMut(Event)) {
    let Some(top) = stack.pop() else { return };
    merge(stack, warp, top.lpos, Place { pc: top.pc, mask: top.mask }, emit);
    emit(Event::Pop { sm: warp.sm, warp: warp.warp, depth: stack.len() as u16 });
}

#[cfg(test)]
mod tests {
    use super::super::pdom::Pdom;
    use super::super::pdom::tests::{WARP, at, branch, next};
    use super::super::{ControlFlow, Place};

    // Example 2 of the paper, with one instruction per block.
    const A: u32 = 0;
    const B: u32 = 1;
    const C: u32 = 2;
    const D: u32 = 3;
    const E: u32 = 4;
    const F: u32 = 5;

    #[test]
    fn figure_10_runs_e_once_for_threads_1_and_2() {
        let mut pdom = Pdom::new(0, 1, true);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b1111 });
        // Thread 1 takes B; 2, 3 and 4 take C, which runs first.
        assert_eq!(branch(&mut pdom, &[(C, 0b1110), (B, 0b0001)], Some(F), Some(E)), at(C, 0b1110));
        assert_eq!(pdom.stack(0).len(), 4, "F, the likely entry for E, B and C");
        // 3 and 4 break; 2 is already at E.
        assert_eq!(branch(&mut pdom, &[(D, 0b1100), (E, 0b0010)], Some(F), Some(E)), at(D, 0b1100));
        assert_eq!(pdom.stack(0).len(), 4, "no second likely entry");
        assert_eq!(branch(&mut pdom, &[(F, 0b1100)], None, None), at(B, 0b0001), "3 and 4 wait at F");
        assert_eq!(branch(&mut pdom, &[(E, 0b0001)], None, None), at(E, 0b0011), "1 and 2 run E together");
        assert_eq!(next(&mut pdom), at(F, 0b1111));
    }

    #[test]
    fn without_likely_points_e_runs_twice() {
        let mut pdom = Pdom::new(0, 1, false);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b1111 });
        assert_eq!(branch(&mut pdom, &[(C, 0b1110), (B, 0b0001)], Some(F), Some(E)), at(C, 0b1110));
        assert_eq!(branch(&mut pdom, &[(D, 0b1100), (E, 0b0010)], Some(F), Some(E)), at(D, 0b1100));
        assert_eq!(branch(&mut pdom, &[(F, 0b1100)], None, None), at(E, 0b0010));
        assert_eq!(next(&mut pdom), at(B, 0b0001));
        assert_eq!(branch(&mut pdom, &[(E, 0b0001)], None, None), at(E, 0b0001));
    }

    #[test]
    fn a_loop_does_not_fill_the_stack() {
        let mut pdom = Pdom::new(0, 1, true);
        pdom.start(WARP.warp, Place { pc: 0, mask: 0b1111 });
        for _ in 0..10 {
            assert_eq!(branch(&mut pdom, &[(C, 0b1110), (B, 0b0001)], Some(F), Some(E)), at(C, 0b1110));
            assert_eq!(branch(&mut pdom, &[(E, 0b1110)], Some(F), Some(E)), at(B, 0b0001));
            assert_eq!(branch(&mut pdom, &[(E, 0b0001)], None, None), at(E, 0b1111));
            assert!(pdom.stack(0).len() <= 2);
            assert_eq!(branch(&mut pdom, &[(A, 0b1111)], Some(F), None), at(A, 0b1111));
        }
    }
}
