//! Convergence barriers: how GPUs since 2017 bring the threads of a warp together again, without a stack.
//!
//! A warp has sixteen **barriers**, each a mask of lanes. `BSSY` adds the active lanes to a barrier, before a branch that may split
//! them; at `BSYNC` a lane waits for the others of the mask, and they go on together; `BREAK` takes lanes out that leave on another
//! way. `YIELD` lets the other lanes run. The pass puts these instructions where ptxas 13.0 puts them for sm_90:
//!
//! ```text
//!   bssy b0                            a point where several ways of the same lanes join has a barrier ([`points`]):
//!   @p bra ELSE                        set up before the branch that parts them, outside of loops that the point is
//!   …                                  outside of,
//!   bra JOIN
//! ELSE: …
//!   @q break b0; @q bra OUT            left by those who take a way that does not come to it,
//!   …
//! JOIN: bsync b0                       and waited at by the others
//! ```
//!
//! A loop that can end only when another thread stores something has a `YIELD` at its head ([`spins`]), so that this thread can run.
//!
//! The barriers of points whose ways overlap are different ones. Where more than sixteen would be needed, the innermost points do
//! without: their threads meet further out. The same holds for points in a kernel too large to search ([`points`]).

mod points;
mod spins;

use super::layout::{Code, End};
use super::{Rewrite, machine};
use crate::program::{Guard, Instruction, Program};
use crate::ptx::op::{Barrier, Converge, Op};
use points::Point;
use std::collections::{BTreeMap, BTreeSet};

/// Barriers of a warp (`B0` to `B15`).
pub const BARRIERS: usize = 16;

pub fn run(program: &mut Program) {
    let points = points::find(program);
    let heads = spins::heads(program);
    let mut code = Code::of(program);
    code.keeps_sides = true;
    let at = |block: usize| &program.instructions[program.cfg.blocks[block].start as usize];
    for head in heads {
        // Behind the first load of the head that another thread may change, as in machine code.
        let body = &mut code.parts[head].body;
        let load = body.iter().position(|instruction| matches!(instruction.op, Op::Load(access) if access.strong));
        body.insert(load.map_or(0, |load| load + 1), instruction(Converge::Yield, at(head)));
    }
    for point in &points {
        let set_up = point.set_up;
        code.parts[set_up].put_last(instruction(Converge::Join(point.barrier), last_of(program, set_up)));
    }
    // Inner barriers are left first.
    let mut tables: BTreeMap<(usize, usize), Vec<Instruction>> = BTreeMap::new();
    for point in points.iter().rev() {
        let ways_out: BTreeSet<(usize, usize)> = point.ways_out.iter().copied().collect();
        for &(from, to) in &ways_out {
            let leave = instruction(Converge::Leave(point.barrier), last_of(program, from));
            match &code.parts[from].end {
                End::Branch { branch, taken, next } => {
                    let others = |way: usize| ways_out.contains(&(from, way));
                    let guard = branch.guard.map(|guard| Guard { negated: guard.negated != (*next == to), ..guard });
                    if !(others(*taken) && others(*next)) {
                        let leave = guarded(program, leave, guard);
                        code.parts[from].put_last(leave);
                    } else if *taken == to {
                        code.parts[from].put_last(leave);
                    }
                }
                End::Next(_) => code.parts[from].put_last(leave),
                End::FunctionBody => tables.entry((from, to)).or_default().push(leave),
            }
        }
    }
    for ((from, to), body) in tables {
        code.put_between(&[from], to, to, body);
    }
    for point in &points {
        let wait = instruction(Converge::Wait(point.barrier), at(point.block));
        code.put_between(&point.from, point.block, point.before, vec![wait]);
    }
    code.lay_out(program);
}

fn last_of(program: &Program, block: usize) -> &Instruction {
    &program.instructions[program.cfg.blocks[block].end as usize - 1]
}

fn instruction(converge: Converge, at: &Instruction) -> Instruction {
    let text = match converge {
        Converge::Join(barrier) => format!("bssy b{};", barrier.register),
        Converge::Wait(barrier) => format!("bsync b{};", barrier.register),
        Converge::Leave(barrier) => format!("break b{};", barrier.register),
        Converge::Yield => "yield;".to_string(),
    };
    machine(Op::Converge(converge), &text, Rewrite::Convergence, at)
}

fn guarded(program: &Program, instruction: Instruction, guard: Option<Guard>) -> Instruction {
    let text = instruction.text.as_deref().unwrap_or_default();
    let text = format!("{}{text}", guard.map_or(String::new(), |guard| program.guard_text(guard)));
    Instruction { guard, text: Some(text.into()), ..instruction }
}

/// Gives each point a barrier that no point with an overlapping region has. Outer points, which have the larger regions, come first.
/// A point has none if no barrier is left, or if its region crosses that of a point before it: overlaps it, with the point itself
/// outside.
fn allocate(mut points: Vec<(Point, Vec<usize>)>, blocks: usize) -> Vec<Point> {
    points.sort_by_key(|(point, region)| (std::cmp::Reverse(region.len()), point.block));
    // By block: the points whose regions contain it, by barrier.
    let mut around: Vec<Vec<(u8, usize)>> = vec![Vec::new(); blocks];
    let mut given: Vec<Point> = Vec::new();
    for (mut point, region) in points {
        let mut overlapping: Vec<(u8, usize)> = region.iter().flat_map(|&block| around[block].iter().copied()).collect();
        overlapping.sort_unstable();
        overlapping.dedup();
        let is_in = |outer: &(u8, usize)| around[point.block].contains(outer);
        let free = (0..BARRIERS as u8).find(|barrier| overlapping.iter().all(|(taken, _)| taken != barrier));
        if let Some(barrier) = free.filter(|_| overlapping.iter().all(is_in)) {
            region.iter().for_each(|&block| around[block].push((barrier, given.len())));
            point.barrier = Barrier { register: barrier, point: given.len() as u32 };
            given.push(point);
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{load, transformed};

    /// Returns the kernel's lines after the pass that are labels, branches, stores or of convergence barriers.
    fn converged(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
             .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %d<8>;\nld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; \
             setp.lt.u32 %p1, %r1, 9; setp.lt.u32 %p2, %r1, 5; {body}\n}}\n"
        );
        let mut program = load(&text, None).expect("a sound kernel");
        run(&mut program);
        let lines = transformed::lines(&program, &text).into_iter().map(|(line, _)| line);
        let plain = |line: String| line.split("//").next().unwrap_or_default().trim().to_string();
        let kept = ["bssy", "bsync", "break", "yield", "bra", "@", "$", "st.", "exit", "ret"];
        let shown = |line: &String| kept.iter().any(|word| line.starts_with(word)) || line.ends_with(':') && line.len() < 6;
        lines.map(plain).filter(shown).map(|line| line.split(" [%d1], ").collect::<Vec<_>>().join(" ")).collect()
    }

    fn counts(lines: &[String], word: &str) -> usize {
        lines.iter().filter(|line| line.contains(word)).count()
    }

    #[test]
    fn sides_of_an_if_meet_behind_it() {
        let found = converged(
            "@%p1 bra A; st.global.u32 [%d1], 1; bra.uni J; A: st.global.u32 [%d1], 2; J: st.global.u32 [%d1], 3; ret;",
        );
        assert_eq!(
            found[..],
            [
                "bssy b0;",
                "@%p1 bra $L8;",
                "st.global.u32 1;",
                "bra $L9;",
                "$L8:",
                "st.global.u32 2;",
                "$L9:",
                "bsync b0;",
                "st.global.u32 3;",
                "ret;"
            ]
            .map(str::to_string),
            "{found:?}"
        );
    }

    /// As `b_or` on an H200: both conditions lead to one place, which the threads that fail both never reach.
    #[test]
    fn who_takes_another_way_leaves_the_barrier() {
        let found = converged(
            "@%p1 bra A; @%p2 bra A; st.global.u32 [%d1], 1; bra.uni J; A: st.global.u32 [%d1], 2; \
             J: st.global.u32 [%d1], 3; ret;",
        );
        assert_eq!(found[..4], ["bssy b0;", "bssy b1;", found[2].as_str(), "@!%p2 break b1;"].map(str::to_string), "{found:?}");
        assert_eq!((counts(&found, "bsync b1"), counts(&found, "bsync b0")), (1, 1), "{found:?}");
    }

    #[test]
    fn threads_that_leave_a_loop_wait_behind_it() {
        let found = converged(
            "L: st.global.u32 [%d1], 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 40; @%p1 bra L; st.global.u32 [%d1], 2; ret;",
        );
        let place = |word: &str| found.iter().position(|line| line.contains(word)).expect(word);
        assert!(place("bssy b0") < place("st.global.u32 1") && place("@%p1 bra") < place("bsync b0"), "{found:?}");
    }

    #[test]
    fn an_early_return_needs_no_barrier() {
        let found = converged("@%p1 bra R; st.global.u32 [%d1], 1; R: ret;");
        assert_eq!(counts(&found, "bssy"), 0, "{found:?}");
    }

    #[test]
    fn a_uniform_branch_needs_no_barrier() {
        let found = converged(
            "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p3, %r2, 0; @%p3 bra A; st.global.u32 [%d1], 1; A: st.global.u32 [%d1], 2; ret;",
        );
        assert_eq!(counts(&found, "bssy"), 0, "{found:?}");
    }

    #[test]
    fn loops_that_wait_for_another_thread_yield() {
        let spin = "L: ld.volatile.global.u32 %r2, [%d1]; setp.eq.u32 %p3, %r2, 0; @%p3 bra L; st.global.u32 [%d1], 2; ret;";
        assert_eq!(counts(&converged(spin), "yield"), 1);
        let lock = "mov.u32 %r5, 0; L: atom.global.cas.b32 %r2, [%d1], 0, 1; setp.ne.u32 %p3, %r2, 0; @%p3 bra M; \
                    atom.global.exch.b32 %r4, [%d1], 0; mov.u32 %r5, 1; M: setp.eq.u32 %p4, %r5, 0; @%p4 bra L; \
                    st.global.u32 [%d1], 2; ret;";
        assert_eq!(counts(&converged(lock), "yield"), 1, "the end of the loop depends on the lock by a branch");
        let counts_on = "L: atom.global.add.u32 %r2, [%d1], 1; add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 9; @%p3 bra L; \
                         st.global.u32 [%d1], 2; ret;";
        assert_eq!(counts(&converged(counts_on), "yield"), 0, "the loop ends by its own count");
        let plain = "L: ld.global.u32 %r2, [%d1]; add.u32 %r1, %r1, %r2; setp.lt.u32 %p3, %r1, 9; @%p3 bra L; \
                     st.global.u32 [%d1], 2; ret;";
        assert_eq!(counts(&converged(plain), "yield"), 0);
    }

    #[test]
    fn more_than_sixteen_nested_points_do_without_the_innermost() {
        let nest = (0..20).map(|n| format!("@%p1 bra A{n}; st.global.u32 [%d1], {n}; ")).collect::<String>();
        let ends = (0..20).rev().map(|n| format!("A{n}: st.global.u32 [%d1], {n}; ")).collect::<String>();
        let found = converged(&format!("{nest}{ends} ret;"));
        assert_eq!((counts(&found, "bssy"), counts(&found, "bsync")), (BARRIERS, BARRIERS), "{found:?}");
        let distinct: std::collections::BTreeSet<_> = found.iter().filter(|line| line.contains("bssy")).collect();
        assert_eq!(distinct.len(), BARRIERS);
    }
}
