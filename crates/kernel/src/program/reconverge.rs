//! Reconvergence points: where the threads of a divergent branch meet again.
//!
//! - **RPC**, the reconvergence point: the first instruction of the branch's immediate post-dominator, the earliest place
//!   that every path from the branch passes (TBC section 2, PDOM).
//! - **LPC**, the likely-convergence point (TBC section 4, footnote 6): the block of the closest enclosing backward branch. For a
//!   branch inside a loop that a `break` leaves, the immediate post-dominator lies behind the loop, yet most threads meet at the
//!   block that jumps back. Only points that threads can reach before the RPC are kept.
//!
//! In native code the sides of a branch execute an instruction of their own where they meet (`Op::Meet`), and both points lie
//! behind it. There an iteration of a loop is looked at by itself (`trips`):
//! - The LPC of a branch in a loop is where all sides meet that stay in the iteration, if that is earlier than its end.
//! - Threads never wait for threads that arrive only in a later iteration: where the immediate post-dominator is such a point, as
//!   the only exit block of a loop can be, the next one is taken.
//!
//! A path that ends in an exit does not count: exited threads leave every mask, so the others can meet as if the path did not
//! exist. Post-dominance is therefore computed with only the branch's main exit (`exits.rs`); the other exits are cut off.

use super::cfg::{BasicBlock, Cfg};
use super::exits::Exits;
use super::graph::{Graph, NONE, dominators};
use super::loops::LoopForest;
use super::{Instruction, Pc};
use crate::ptx::op::Op;

/// Limit on the blocks searched for a likely-convergence point, before it is assumed to be on the way.
const MOST_BLOCKS: usize = 128;
/// Limits on the post-dominators tried in search of one that no later iteration leads to: for one branch, and for all together,
/// of which each branch has its share.
const MOST_POINTS: usize = 4096;
const MOST_POINTS_TOGETHER: usize = 1 << 19;
const LEAST_POINTS: usize = 8;

/// The reconvergence points of one branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The branch instruction.
    pub pc: Pc,
    /// Where all paths meet; `None` if they meet only at the kernel's end.
    pub rpc: Option<Pc>,
    /// Where most paths meet earlier, if that is a different point.
    pub lpc: Option<Pc>,
}

/// The potentially divergent branches of a program, by position.
#[derive(Clone, Debug, Default)]
pub struct Reconvergence {
    pub meetings: Vec<Meeting>,
    /// For each instruction, its index in `meetings` plus one, or zero.
    index: Vec<u32>,
}

impl Reconvergence {
    pub fn build(cfg: &Cfg, instructions: &[Instruction], trips: bool) -> Reconvergence {
        let branches: Vec<usize> =
            (0..cfg.blocks.len()).filter(|&at| may_diverge(&instructions[cfg.blocks[at].end as usize - 1])).collect();
        let exits = Exits::find(cfg, instructions, &branches);
        let loops = trips.then(|| LoopForest::new(cfg));
        let mut likely = likely_convergence(cfg);
        if let Some(loops) = &loops {
            for (branch, meeting) in meetings_within_trips(cfg, loops, &branches) {
                likely[branch] = Some(meeting);
            }
        }
        let most_points = (MOST_POINTS_TOGETHER / branches.len().max(1)).clamp(LEAST_POINTS, MOST_POINTS);
        let mut meetings = Vec::new();
        let mut index = vec![0; instructions.len()];
        let point = |block: usize| {
            let BasicBlock { start, end, .. } = cfg.blocks[block];
            if instructions[start as usize].op == Op::Meet { end } else { start }
        };
        for at in branches {
            let pc = cfg.blocks[at].end - 1;
            let meeting = past_later_trips(cfg, loops.as_ref(), &exits, at, most_points);
            let first = |&to: &usize| exits.search.reaches(at, meeting, MOST_BLOCKS, |block| block == to);
            let lpc = likely[at].filter(first).map(point);
            let rpc = meeting.map(point);
            meetings.push(Meeting { pc, rpc, lpc });
            index[pc as usize] = meetings.len() as u32;
        }
        Reconvergence { meetings, index }
    }

    /// Returns the points of the branch at `pc`; `None` for instructions that cannot split a warp.
    pub fn at(&self, pc: Pc) -> Option<&Meeting> {
        self.meetings.get((*self.index.get(pc as usize)? as usize).checked_sub(1)?)
    }
}

/// Returns where the sides of a branch meet without waiting for a later iteration of the loop around it. In a kernel whose
/// threads wait at barriers, they meet at the ordinary point.
fn past_later_trips(cfg: &Cfg, loops: Option<&LoopForest>, exits: &Exits, branch: usize, most: usize) -> Option<usize> {
    let mut meeting = exits.meeting(branch);
    let around = loops.and_then(|loops| Some((loops, loops.innermost(branch)?))).filter(|_| !exits.any_waits);
    let Some((loops, around)) = around else { return meeting };
    let header = loops.headers[around];
    for _ in 0..most {
        let Some(point) = meeting.filter(|&point| point != header && loops.contains(around, point)) else { break };
        let comes_first = |side: usize, to: usize, other: usize| {
            side == to || side != other && exits.search.reaches(side, Some(other), MOST_BLOCKS, |block| block == to)
        };
        let is_later = |side: usize| comes_first(side, header, point) && !comes_first(side, point, header);
        if !cfg.blocks[branch].successors.iter().any(|&side| is_later(side)) {
            break;
        }
        meeting = exits.meeting(point);
    }
    meeting
}

/// Returns the branches whose sides meet within an iteration of the loop around them, with the block where they do. Sides that
/// leave the loop are not waited for; one that begins the next iteration meets the others nowhere before.
///
/// Each loop is looked at with every loop inside it as one block, its header: all paths into such a loop pass the header first, so
/// no other block of it is where sides meet.
fn meetings_within_trips(cfg: &Cfg, loops: &LoopForest, branches: &[usize]) -> Vec<(usize, usize)> {
    let count = loops.headers.len();
    let within = edges_within(cfg, loops);
    let branches = Graph::new(count, branches.iter().filter_map(|&branch| Some((loops.innermost(branch)?, branch))));
    let mut place = vec![NONE; cfg.blocks.len()];
    let mut meetings = Vec::new();
    for (of_loop, edges) in within.iter().enumerate().filter(|(of_loop, _)| !branches.next(*of_loop).is_empty()) {
        let header = loops.headers[of_loop];
        // The blocks of the loop as numbers, with 0 for the end of an iteration.
        let mut blocks = vec![usize::MAX];
        let mut number = |block: usize| {
            if place[block] == NONE {
                place[block] = blocks.len() as u32;
                blocks.push(block);
            }
            place[block] as usize
        };
        let turned: Vec<(usize, usize)> =
            edges.iter().map(|&(at, next)| (if next == header { 0 } else { number(next) }, number(at))).collect();
        let graph = Graph::new(blocks.len(), turned.iter().copied());
        let behind = dominators(&graph, &graph.turned(), 0);
        for branch in branches.next(of_loop).iter().map(|&branch| branch as usize) {
            let goes_on = |next: &&usize| **next != header && loops.contains(of_loop, **next);
            let sides = cfg.blocks[branch].successors.iter().filter(goes_on).count();
            let point = Some(place[branch]).filter(|&at| at != NONE).map(|at| behind[at as usize]);
            let point = point.filter(|&point| sides > 1 && point != NONE && point != 0);
            meetings.extend(point.map(|point| (branch, blocks[point as usize])));
        }
        blocks[1..].iter().for_each(|&block| place[block] = NONE);
    }
    meetings
}

/// Returns by loop the edges that stay in it and in no loop inside it, each loop inside it taken as its header.
fn edges_within(cfg: &Cfg, loops: &LoopForest) -> Vec<Vec<(usize, usize)>> {
    let mut within: Vec<Vec<(usize, usize)>> = vec![Vec::new(); loops.headers.len()];
    for (at, block) in cfg.blocks.iter().enumerate().filter(|(at, _)| loops.innermost(*at).is_some()) {
        for &next in &block.successors {
            // An edge from outside of the target's innermost loop enters that loop, and is inside the one around.
            let inner = loops.innermost(next);
            let both = inner.and_then(|inner| if loops.contains(inner, at) { Some(inner) } else { loops.around(inner) });
            if let Some(both) = both.filter(|&both| loops.contains(both, at)) {
                within[both].push((at, next));
            }
        }
    }
    // By loop: a loop around it; inner loops come first, so those before the current one are the ones inside of it.
    let mut above = loops.around.clone();
    let mut outermost = |inner: usize, before: usize| {
        let mut at = inner;
        while above[at] != NONE && (above[at] as usize) < before {
            let next = above[above[at] as usize];
            if next != NONE && (next as usize) < before {
                above[at] = next;
            }
            at = above[at] as usize;
        }
        at
    };
    for (of_loop, edges) in within.iter_mut().enumerate() {
        for (at, _) in edges {
            if let Some(inner) = loops.innermost(*at).filter(|&inner| inner != of_loop) {
                *at = loops.headers[outermost(inner, of_loop)];
            }
        }
    }
    within
}

/// Whether an instruction can split a warp: conditional and indexed branches can. A guarded exit cannot, because exited threads
/// are gone.
fn may_diverge(instruction: &Instruction) -> bool {
    match instruction.op {
        Op::Bra { uniform } => instruction.guard.is_some() && !uniform,
        Op::BrxIdx => true,
        _ => false,
    }
}

/// Returns for each block the closest block behind it with a backward branch to the block or before it.
fn likely_convergence(cfg: &Cfg) -> Vec<Option<usize>> {
    let mut found = vec![None; cfg.blocks.len()];
    // Backward branches behind the current block, the closest on top. A branch with a target behind a block has its target behind
    // all earlier blocks too.
    let mut latches: Vec<(usize, usize)> = Vec::new();
    for (at, here) in cfg.blocks.iter().enumerate().rev() {
        let target = here.successors.iter().copied().filter(|&to| to <= at).min();
        latches.extend(target.map(|to| (at, to)));
        while latches.last().is_some_and(|&(_, to)| to > at) {
            latches.pop();
        }
        found[at] = latches.last().map(|&(latch, _)| latch).filter(|&latch| latch != at);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{Pc, load};

    /// Returns each branch with RPC and LPC, as the letters of their blocks. A block is a line; every condition is `p`. The
    /// stores keep blocks that end in a return from being nothing but a return.
    fn meetings(blocks: &[&str]) -> Vec<String> {
        meetings_of(blocks, false)
    }

    fn meetings_of(blocks: &[&str], trips: bool) -> Vec<String> {
        let head = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{ .reg .pred p; .reg .b32 r;\n";
        let text = format!("{head}{}\n}}\n", blocks.join("\n"));
        let mut program = load(&text, None).expect("a sound kernel");
        program.reconverges_within_trip = trips;
        program.analyse();
        let line = |at: u32| text[..at as usize].matches('\n').count();
        let letter = |pc: Pc| &blocks[line(program.instructions[pc as usize].span.start) - 5][..1];
        let meetings = program.reconvergence.meetings.iter();
        meetings.map(|m| format!("{} {} {}", letter(m.pc), m.rpc.map_or("end", letter), m.lpc.map_or("-", letter))).collect()
    }

    /// A loop with a single exit block, which one side reaches only in a later iteration. All paths pass that block, but no
    /// thread is to wait there. What remains is the block behind the loop, with the loop's end as the likely point.
    #[test]
    fn nobody_waits_for_a_later_trip_where_that_is_asked_for() {
        let blocks = [
            "A: st.shared.b32 [r], 1; @p bra C;",
            "B: st.shared.b32 [r], 2; @p bra E; bra.uni D;",
            "C: st.shared.b32 [r], 3;",
            "D: st.shared.b32 [r], 4; bra.uni A;",
            "E: st.shared.b32 [r], 5; ret;",
        ];
        assert_eq!(meetings(&blocks), ["A B D", "B E D"]);
        assert_eq!(meetings_of(&blocks, true), ["A E D", "B E D"]);
        let mut waiting = blocks;
        waiting[3] = "D: bar.sync 0; bra.uni A;";
        assert_eq!(meetings_of(&waiting, true), meetings(&waiting), "at a barrier all must have met");
    }

    /// A loop whose iterations a `goto` leaves from one side of a branch: the other threads meet behind the branch, not only at the
    /// loop's end.
    #[test]
    fn threads_that_stay_in_an_iteration_meet_in_it_where_that_is_asked_for() {
        let blocks = [
            "A: st.shared.b32 [r], 1; @p bra C;",
            "B: st.shared.b32 [r], 2; @p bra G; bra.uni D;",
            "C: st.shared.b32 [r], 3;",
            "D: st.shared.b32 [r], 4; @p bra F;",
            "E: st.shared.b32 [r], 5;",
            "F: st.shared.b32 [r], 6; @p bra A;",
            "G: st.shared.b32 [r], 7; ret;",
        ];
        assert_eq!(meetings(&blocks), ["A G F", "B G F", "D F -", "F G -"]);
        assert_eq!(meetings_of(&blocks, true), ["A G D", "B G F", "D F -", "F G -"]);
    }

    /// An `if` with a rare way out on one side.
    const RARE: [&str; 5] = [
        "A: st.shared.b32 [r], 1; @p bra X;",
        "B: st.shared.b32 [r], 2; @p bra C;",
        "D: st.shared.b32 [r], 3; bra.uni J;",
        "X: st.shared.b32 [r], 4;",
        "J: st.shared.b32 [r], 5; ret;",
    ];

    #[test]
    fn where_an_exit_stands_in_the_text_does_not_matter() {
        for way_out in ["trap;", "trap; exit;", "st.shared.b32 [r], r; exit;", "st.shared.b32 [r], r; ret;"] {
            let cold = format!("C: {way_out}");
            for at in [3, 5] {
                let mut blocks = RARE.to_vec();
                blocks.insert(at, &cold);
                assert_eq!(meetings(&blocks), ["A J -", "B D -"], "{blocks:#?}");
            }
        }
    }

    #[test]
    fn sides_that_never_meet_leave_each_branch_its_own_exit() {
        let blocks = [
            "A: st.shared.b32 [r], 1; @p bra X;",
            "B: st.shared.b32 [r], 2; @p bra D;",
            "C: st.shared.b32 [r], 3;",
            "D: st.shared.b32 [r], 4; ret;",
            "X: st.shared.b32 [r], 5; @p bra Z;",
            "Y: st.shared.b32 [r], 6;",
            "Z: st.shared.b32 [r], 7; ret;",
        ];
        assert_eq!(meetings(&blocks), ["A X -", "B D -", "X Z -"]);
    }

    #[test]
    fn whoever_leaves_is_gone_before_the_others_wait() {
        let blocks = [
            "A: st.shared.b32 [r], 1; @p bra X;",
            "B: st.shared.b32 [r], 2; @p bra B;",
            "C: st.shared.b32 [r], 3; exit;",
            "X: bar.sync 0; ret;",
        ];
        assert_eq!(meetings(&blocks), ["A X -", "B C -"]);
        // The other way round.
        let blocks = [
            "A: st.shared.b32 [r], 1; @p bra X;",
            "B: bar.sync 0; ret;",
            "X: st.shared.b32 [r], 2; @p bra X;",
            "C: st.shared.b32 [r], 3; ret;",
        ];
        assert_eq!(meetings(&blocks), ["A B -", "X C -"]);
    }

    #[test]
    fn loops_that_some_leave_for_good_meet_behind_their_ends() {
        for end in ["E: bar.sync 0; ret;", "E: st.shared.b32 [r], 5; ret;"] {
            let blocks = [
                "A: st.shared.b32 [r], 1; @p bra C;",
                "B: ret;",
                "C: st.shared.b32 [r], 3; @p bra A;",
                "D: st.shared.b32 [r], 4; @p bra A;",
                end,
            ];
            assert_eq!(meetings(&blocks), ["A C -", "C D -", "D E -"]);
        }
    }

    #[test]
    fn a_branch_to_the_next_instruction_meets_there() {
        assert_eq!(meetings(&["A: st.shared.b32 [r], 1; @p bra B;", "B: st.shared.b32 [r], 2; ret;"]), ["A B -"]);
        assert_eq!(meetings(&["A: st.shared.b32 [r], 1; @p bra B;", "B: st.shared.b32 [r], 2; bra.uni B;"]), ["A end -"]);
    }

    #[test]
    fn a_return_from_a_switch_in_a_loop_is_no_meeting_point() {
        let mut blocks = vec![
            "A: st.shared.b32 [r], 1; @p bra D;",
            "B: st.shared.b32 [r], 2; @p bra X;",
            "C: st.shared.b32 [r], 3; bra.uni E;",
            "D: st.shared.b32 [r], 4;",
            "E: st.shared.b32 [r], 5; @p bra A;",
            "F: st.shared.b32 [r], 6; bra.uni Z;",
            "X: st.shared.b32 [r], 7;",
            "Y: st.shared.b32 [r], 8;",
            "Z: ret;",
        ];
        let wanted = ["A E -", "B C -", "E F -"];
        assert_eq!(meetings(&blocks), wanted);
        // The same with the early return in front of the loop's end.
        blocks[4] = "E: st.shared.b32 [r], 5; @p bra A; F: bra.uni G;";
        blocks[5] = "X: st.shared.b32 [r], 7;";
        blocks[6] = "Y: st.shared.b32 [r], 8; bra.uni Z;";
        blocks[7] = "G: st.shared.b32 [r], 6;";
        assert_eq!(meetings(&blocks), ["A E -", "B C -", "E E -"], "E meets at the jump behind it");
    }

    #[test]
    fn a_branch_that_ends_nowhere_meets_at_the_end() {
        assert_eq!(meetings(&["A: st.shared.b32 [r], 1; @p bra A;", "B: st.shared.b32 [r], 2; bra.uni B;"]), ["A end -"]);
    }

    #[test]
    fn a_likely_point_lies_before_the_meeting_of_all() {
        // The first `if` meets in the loop, the second one leaves it by a break.
        let blocks = [
            "A: st.shared.b32 [r], 1; @p bra C;",
            "B: st.shared.b32 [r], 2;",
            "C: st.shared.b32 [r], 3; @p bra E;",
            "D: st.shared.b32 [r], 4; @p bra F;",
            "E: st.shared.b32 [r], 5; @p bra A;",
            "F: st.shared.b32 [r], 6; ret;",
        ];
        assert_eq!(meetings(&blocks), ["A C -", "C F E", "D F E", "E F -"]);
    }
}
