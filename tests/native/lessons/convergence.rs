//! The lessons on convergence barriers say what happens in their runs.

use super::{says, tell, text};

#[test]
fn barriers_cost_an_instruction_before_the_branch_and_one_for_each_side() {
    let (stack, barriers) = (tell("32-without-a-stack", "PDOM"), tell("32-without-a-stack", "ITS"));
    assert_eq!(barriers.instructions() - stack.instructions(), 3);
    says(&text("32-without-a-stack", 1), &[format!("{} instructions, {} cycles", stack.instructions(), stack.cycles())]);
    says(
        &text("32-without-a-stack", 5),
        &[format!("{} instructions instead of {}", barriers.instructions(), stack.instructions())],
    );
}

#[test]
fn a_lock_within_a_warp_ends_with_barriers() {
    let run = tell("33-a-lock-that-ends", "ITS");
    says(&text("33-a-lock-that-ends", 4), &[format!("{} cycles", run.cycles())]);
    assert_eq!(run.buffer("count"), [4], "each thread has had the lock once");
}

#[test]
fn threads_that_come_by_different_ways_run_the_place_once() {
    let (stack, barriers) = (tell("34-one-way-in", "PDOM"), tell("34-one-way-in", "ITS"));
    says(&text("34-one-way-in", 1), &[format!("{} instructions", stack.instructions())]);
    says(&text("34-one-way-in", 5), &[format!("{} instructions instead of {}", barriers.instructions(), stack.instructions())]);
    let hit = |told: &super::Told| super::issues(&told.log, 4).iter().filter(|issue| issue.pc == told.pc("HIT")).count();
    assert_eq!([hit(&stack), hit(&barriers)], [3, 1]);
}
