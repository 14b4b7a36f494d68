//! The paper's examples, run by hand on the control-flow unit without a machine.

use super::*;
use crate::policy::divergence::Edit;

const WIDTH: u32 = 4;

/// A control-flow unit with one block, and the warps that it has put into the warp table.
struct Bench {
    tbc: Tbc,
    table: Vec<(u16, Pc, Members)>,
}

impl Bench {
    fn new(warps: u16, likely: bool) -> Bench {
        let mut bench = Bench { tbc: Tbc::new(0, warps.into(), 4 * u32::from(warps), likely, true), table: Vec::new() };
        let masks = vec![(1 << WIDTH) - 1; usize::from(warps)];
        bench.act(|tbc, out| tbc.start_block(NewBlock { slot: 0, first_warp: 0, pc: 0, masks: &masks }, out));
        bench
    }

    fn act<R>(&mut self, act: impl FnOnce(&mut Tbc, &mut Edits) -> R) -> R {
        let mut out = Edits { list: Vec::new(), listens: true };
        let result = act(&mut self.tbc, &mut out);
        for edit in out.list {
            match edit {
                Edit::Form { warp, pc, members } => self.table.push((warp, pc, members)),
                Edit::Free { warp } => self.table.retain(|&(there, ..)| there != warp),
                _ => {}
            }
        }
        result
    }

    /// Runs the compactor until it has nothing to do; returns the number of warps formed.
    fn compact(&mut self) -> usize {
        std::iter::from_fn(|| self.act(|tbc, out| tbc.cycle(out)).then_some(())).count()
    }

    /// Returns the threads of each warp, numbered from one as in the paper, and their PC.
    fn running(&self) -> Vec<(Pc, Vec<u32>)> {
        let threads = |m: &Members| m.lanes().map(|(lane, warp)| u32::from(warp) * WIDTH + lane as u32 + 1).collect();
        self.table.iter().map(|(_, pc, members)| (*pc, threads(members))).collect()
    }

    /// Branches the warp of a thread: the threads of `taken` go to the first side, the others to the second.
    fn branch(&mut self, thread: u32, taken: &[u32], sides: [Pc; 2], rpc: Pc, lpc: Option<Pc>) {
        let (warp, pc, members) = self.find(thread);
        let mut groups = [Place { pc: sides[0], mask: 0 }, Place { pc: sides[1], mask: 0 }];
        for (lane, origin) in members.lanes() {
            let thread = u32::from(origin) * WIDTH + lane as u32 + 1;
            groups[usize::from(!taken.contains(&thread))].mask |= 1 << lane;
        }
        let groups: Vec<Place> = groups.into_iter().filter(|g| g.mask != 0).collect();
        let info = BranchInfo { may_diverge: true, sides: Some(sides), rpc: Some(rpc), lpc };
        self.advance(warp, Place { pc, mask: members.mask }, Flow::Branch { groups: &groups, info });
    }

    /// Jumps with all threads of the warp of a thread.
    fn jump(&mut self, thread: u32, to: Pc) {
        let (warp, pc, members) = self.find(thread);
        let groups = [Place { pc: to, mask: members.mask }];
        self.advance(warp, Place { pc, mask: members.mask }, Flow::Branch { groups: &groups, info: BranchInfo::default() });
    }

    /// Exits all threads of the warp of a thread.
    fn exit(&mut self, thread: u32) {
        let (warp, pc, members) = self.find(thread);
        self.advance(warp, Place { pc, mask: members.mask }, Flow::Exit { mask: members.mask });
    }

    fn advance(&mut self, warp: u16, at: Place, flow: Flow) {
        match self.act(|tbc, out| tbc.advance(warp, at, flow, out)) {
            Next::Leaves => self.act(|tbc, out| tbc.left(warp, out)),
            Next::Go(place) => self.table.iter_mut().filter(|(w, ..)| *w == warp).for_each(|entry| entry.1 = place.pc),
            Next::Gone | Next::Waits => {}
        }
    }

    fn find(&self, thread: u32) -> (u16, Pc, Members) {
        let (origin, lane) = (((thread - 1) / WIDTH) as u16, ((thread - 1) % WIDTH) as usize);
        *self.table.iter().find(|(_, _, m)| m.lanes().any(|at| at == (lane, origin))).expect("the thread is in the table")
    }

    fn stack(&self) -> &BlockStack {
        self.tbc.block(0).expect("the block is there")
    }

    fn wcnt(&self) -> Vec<u16> {
        self.stack().entries.iter().map(|entry| entry.wcnt).collect()
    }
}

const A: Pc = 0;
const B: Pc = 1;
const C: Pc = 2;
const D: Pc = 3;

#[test]
fn figure_7() {
    let mut bench = Bench::new(2, false);
    assert_eq!(bench.running(), [(A, vec![1, 2, 3, 4]), (A, vec![5, 6, 7, 8])]);
    // The second warp arrives first; no side runs until both have arrived.
    bench.branch(5, &[6, 7], [C, B], D, None);
    assert_eq!(bench.wcnt(), [1]);
    assert_eq!(bench.stack().entries[0].arrivals[0].sides.len(), 2, "both sides are made by the first to come");
    assert_eq!(bench.compact(), 0);
    bench.branch(1, &[1], [C, B], D, None);
    assert_eq!((bench.wcnt(), bench.compact()), (vec![0, 0, 1], 1));
    assert_eq!(bench.running(), [(C, vec![1, 6, 7])]);
    bench.jump(1, D);
    assert_eq!((bench.wcnt(), bench.compact()), (vec![0, 2], 2));
    assert_eq!(bench.running(), [(B, vec![5, 2, 3, 4]), (B, vec![8])]);
    bench.jump(8, D);
    assert_eq!(bench.compact(), 0, "the others are still at B");
    bench.jump(5, D);
    assert_eq!((bench.wcnt(), bench.compact()), (vec![2], 2));
    assert_eq!(bench.running(), [(D, vec![1, 2, 3, 4]), (D, vec![5, 6, 7, 8])], "as before the branch");
}

#[test]
fn figure_9_fills_the_masks_in_any_order() {
    let mut bench = Bench::new(3, false);
    // Warps 2, 3 and 1 arrive; WCnt counts down from 3.
    bench.branch(5, &[5, 8], [C, B], D, None);
    bench.branch(9, &[10, 11, 12], [C, B], D, None);
    assert_eq!(bench.wcnt(), [1]);
    let sides = &bench.stack().entries[0].arrivals[0].sides;
    assert_eq!([&sides[0].mask, &sides[1].mask], [&vec![0, 0b1001, 0b1110], &vec![0, 0b0110, 0b0001]]);
    bench.branch(1, &[2, 3], [C, B], D, None);
    // Lane 1 has threads 2 and 10, lane 2 threads 3 and 11, lane 3 threads 8 and 12: two warps.
    assert_eq!((bench.compact(), bench.running()), (2, vec![(C, vec![5, 2, 3, 8]), (C, vec![10, 11, 12])]));
}

#[test]
fn a_side_that_nobody_takes_is_popped_at_once() {
    let mut bench = Bench::new(2, false);
    bench.branch(1, &[], [C, B], D, None);
    bench.branch(5, &[], [C, B], D, None);
    assert_eq!(bench.compact(), 2);
    assert_eq!(bench.running(), [(B, vec![1, 2, 3, 4]), (B, vec![5, 6, 7, 8])]);
    assert_eq!(bench.stack().entries.len(), 2);
}

#[test]
fn uniform_branches_make_nobody_wait_and_may_part_warps() {
    let mut bench = Bench::new(2, false);
    bench.jump(1, 7);
    assert_eq!(bench.running(), [(7, vec![1, 2, 3, 4]), (A, vec![5, 6, 7, 8])]);
    // The warps now execute different branches, which have no reconvergence point in common.
    bench.branch(1, &[1], [9, 8], 10, None);
    bench.branch(5, &[5], [C, B], D, None);
    let mut seen = Vec::new();
    while bench.compact() > 0 {
        let (pc, threads) = bench.running()[0].clone();
        seen.push((pc, threads.clone()));
        match pc {
            B | C => bench.jump(threads[0], D),
            8 | 9 => bench.jump(threads[0], 10),
            _ => bench.exit(threads[0]),
        }
    }
    let warp = |first: u32| (first..first + 4).collect::<Vec<u32>>();
    let expected = [(C, vec![5]), (B, vec![6, 7, 8]), (D, warp(5)), (9, vec![1]), (8, vec![2, 3, 4]), (10, warp(1))];
    assert_eq!(seen, expected);
    assert!(bench.stack().entries.is_empty());
}

#[test]
fn figure_10_merges_at_the_likely_point_across_warps() {
    let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5];
    let mut bench = Bench::new(2, true);
    // Threads 1 and 5 take B; 3, 4, 7 and 8 break; 2 and 6 continue to E.
    bench.branch(1, &[2, 3, 4], [c, b], f, Some(e));
    bench.branch(5, &[6, 7, 8], [c, b], f, Some(e));
    bench.compact();
    assert_eq!(bench.running(), [(c, vec![2, 3, 4]), (c, vec![6, 7, 8])]);
    assert_eq!(bench.stack().entries.iter().map(|e| e.pc).collect::<Vec<_>>(), [f, e, b, c]);
    bench.branch(2, &[3, 4], [d, e], f, Some(e));
    bench.branch(6, &[7, 8], [d, e], f, Some(e));
    bench.compact();
    assert_eq!(bench.running(), [(d, vec![3, 4]), (d, vec![7, 8])]);
    bench.jump(3, f);
    bench.jump(7, f);
    bench.compact();
    assert_eq!(bench.running(), [(b, vec![1]), (b, vec![5])]);
    bench.jump(1, e);
    bench.jump(5, e);
    bench.compact();
    assert_eq!(bench.running(), [(e, vec![1, 2]), (e, vec![5, 6])], "E once for all who come to it");
    assert_ne!(a, e);
}

#[test]
fn threads_that_exit_leave_every_mask_and_every_count() {
    let mut bench = Bench::new(2, false);
    bench.branch(1, &[1, 2], [C, B], D, None);
    bench.branch(5, &[5, 6], [C, B], D, None);
    bench.compact();
    assert_eq!(bench.running(), [(C, vec![1, 2]), (C, vec![5, 6])]);
    bench.exit(1);
    bench.exit(5);
    bench.compact();
    assert_eq!(bench.running(), [(B, vec![3, 4]), (B, vec![7, 8])]);
    bench.jump(3, D);
    bench.jump(7, D);
    bench.compact();
    assert_eq!(bench.running(), [(D, vec![3, 4]), (D, vec![7, 8])]);
}

#[test]
fn a_side_that_waits_for_the_other_lets_it_run() {
    let mut bench = Bench::new(2, false);
    // The first warp takes C, where it waits at a barrier for the second.
    bench.branch(1, &[1, 2, 3, 4], [C, B], D, None);
    bench.branch(5, &[1, 2, 3, 4], [C, B], D, None);
    bench.compact();
    assert_eq!(bench.running(), [(C, vec![1, 2, 3, 4])]);
    let (warp, ..) = bench.find(1);
    bench.tbc.hold(warp, true);
    bench.compact();
    assert_eq!(bench.running(), [(C, vec![1, 2, 3, 4]), (B, vec![5, 6, 7, 8])]);
    bench.tbc.hold(warp, false);
    bench.jump(1, D);
    assert_eq!(bench.compact(), 0);
    bench.jump(5, D);
    bench.compact();
    assert_eq!(bench.running(), [(D, vec![1, 2, 3, 4]), (D, vec![5, 6, 7, 8])]);
}

#[test]
fn those_at_a_meeting_point_go_on_when_the_others_wait_for_them() {
    let mut bench = Bench::new(2, false);
    // The first warp takes a side and waits at a barrier, which the second reaches after the reconvergence point.
    bench.branch(1, &[1, 2, 3, 4], [C, D], D, None);
    bench.branch(5, &[1, 2, 3, 4], [C, D], D, None);
    bench.compact();
    let (warp, ..) = bench.find(1);
    bench.tbc.hold(warp, true);
    bench.compact();
    assert_eq!(bench.running(), [(C, vec![1, 2, 3, 4]), (D, vec![5, 6, 7, 8])]);
    bench.tbc.hold(warp, false);
    bench.jump(1, D);
    // Now the first warp waits for its turn, which comes at once if the other one waits for it.
    assert_eq!(bench.compact(), 0);
    let (warp, ..) = bench.find(5);
    bench.tbc.hold(warp, true);
    bench.compact();
    assert_eq!(bench.running(), [(D, vec![5, 6, 7, 8]), (D, vec![1, 2, 3, 4])]);
}
