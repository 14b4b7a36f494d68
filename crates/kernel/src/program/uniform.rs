//! Branches on which all threads of a block agree (TBC section 3.1).
//!
//! A plane **varies** if two threads of a block may find different values in it at the same instruction. Parameters, constants
//! and special registers such as `%ctaid` and `%ntid` do not vary, and neither do values computed from them alone. A value varies
//! if it is computed from one that does, if it comes from memory that the kernel can write, or if it is written where threads of
//! the block may be missing: between a branch that may split the block and the point where its sides meet.
//!
//! The analysis starts with nothing varying and adds until nothing changes. What it does not know varies; in a kernel for which it
//! takes too long, that is every branch.

use super::liveness::{for_reads, for_writes};
use super::{Instruction, Pc, Program, Src};
use crate::ptx::module::Special;
use crate::ptx::op::{Kind, Op};
use crate::ptx::types::Space;

/// Limit on the ways followed between branches and the points where their sides meet, all branches together.
const MOST_WAYS: usize = 1 << 25;

/// Returns for each instruction whether it is a branch that could split a warp but cannot split a block.
pub fn uniform_branches(program: &Program) -> Vec<bool> {
    let mut uniform = vec![false; program.instructions.len()];
    // In a loop over logical blocks `%ctaid` changes, so no branch counts as uniform.
    if program.wrapper.is_some() {
        return uniform;
    }
    let splits = Analysis::new(program).run();
    for meeting in &program.reconvergence.meetings {
        uniform[meeting.pc as usize] = !splits[program.cfg.block_of[meeting.pc as usize] as usize];
    }
    uniform
}

struct Analysis<'a> {
    program: &'a Program,
    /// By plane: whether it varies, and which instructions read it.
    varies: Vec<bool>,
    readers: Vec<Vec<Pc>>,
    /// By basic block: whether threads of the thread block may arrive apart.
    apart: Vec<bool>,
    /// By basic block: whether its branch may split the thread block.
    splits: Vec<bool>,
    /// Branches that may split the block, of which the ways have not been followed yet.
    fresh: Vec<usize>,
    /// By basic block: whether the ways behind its branch have been followed.
    followed: Vec<bool>,
    /// By basic block: the last branch from which it was found.
    seen: Vec<usize>,
    /// Instructions to look at.
    open: Vec<Pc>,
    /// No instruction writes parameters.
    fixed_params: bool,
}

impl Analysis<'_> {
    fn new(program: &Program) -> Analysis<'_> {
        let blocks = program.cfg.blocks.len();
        let writes_params = |i: &Instruction| matches!(i.op, Op::Store(access) if access.space == Space::Param);
        let mut readers = vec![Vec::new(); program.planes as usize];
        for (pc, instruction) in program.instructions.iter().enumerate() {
            for_reads(instruction, program.planes - 1, |plane| readers[plane as usize].push(pc as Pc));
        }
        Analysis {
            program,
            varies: vec![false; program.planes as usize],
            readers,
            apart: vec![false; blocks],
            splits: vec![false; blocks],
            fresh: Vec::new(),
            followed: vec![false; blocks],
            seen: vec![usize::MAX; blocks],
            open: (0..program.instructions.len() as Pc).rev().collect(),
            fixed_params: !program.instructions.iter().any(writes_params),
        }
    }

    fn run(mut self) -> Vec<bool> {
        let mut ways = MOST_WAYS;
        loop {
            while let Some(pc) = self.open.pop() {
                self.look_at(pc);
            }
            // Of branches in each other the inner ones come later, and go first: the ways behind them need not be followed again.
            let mut fresh = std::mem::take(&mut self.fresh);
            fresh.sort_unstable();
            if fresh.is_empty() {
                return self.splits;
            }
            for branch in fresh.into_iter().rev() {
                if !self.part(branch, &mut ways) {
                    return vec![true; self.splits.len()];
                }
            }
        }
    }

    fn look_at(&mut self, pc: Pc) {
        let program = self.program;
        let instruction = &program.instructions[pc as usize];
        let block = program.cfg.block_of[pc as usize] as usize;
        let reads_varying = self.reads_varying(instruction);
        if self.apart[block] || !self.is_known(instruction) || reads_varying {
            for_writes(instruction, program.planes - 1, |plane| {
                if !std::mem::replace(&mut self.varies[plane as usize], true) {
                    self.open.extend(&self.readers[plane as usize]);
                }
            });
        }
        let is_last = program.cfg.blocks[block].end == pc + 1;
        if is_last && instruction.op.kind() == Kind::Branch && reads_varying && !std::mem::replace(&mut self.splits[block], true)
        {
            self.fresh.push(block);
        }
    }

    /// Whether the instruction gives equal results to all threads with equal inputs.
    fn is_known(&self, instruction: &Instruction) -> bool {
        match instruction.op {
            Op::Load(access) => access.space == Space::Const || access.space == Space::Param && self.fixed_params,
            op => op.kind() == Kind::Alu,
        }
    }

    fn reads_varying(&self, instruction: &Instruction) -> bool {
        let mut varies = instruction.src.iter().any(|src| matches!(src, Src::Special(special) if !is_fixed(*special)));
        for_reads(instruction, self.program.planes - 1, |plane| varies |= self.varies[plane as usize]);
        varies
    }

    /// Marks the blocks that threads pass between a branch and the point where its sides meet. Returns false if there are no `ways`
    /// left to follow.
    fn part(&mut self, branch: usize, ways: &mut usize) -> bool {
        let cfg = &self.program.cfg;
        let meeting = self.meeting(branch);
        let mut todo = vec![branch];
        let mut is_first = true;
        while let Some(at) = todo.pop() {
            if !is_first {
                if Some(at) == meeting || std::mem::replace(&mut self.seen[at], branch) == branch {
                    continue;
                }
                if !std::mem::replace(&mut self.apart[at], true) {
                    self.open.extend(cfg.blocks[at].start..cfg.blocks[at].end);
                }
            }
            // What lies between a branch that has been followed and its point is marked; beyond the point it goes on.
            if !is_first && self.followed[at] {
                todo.extend(self.meeting(at));
            } else {
                let successors = &cfg.blocks[at].successors;
                let Some(rest) = ways.checked_sub(successors.len()) else { return false };
                *ways = rest;
                todo.extend(successors);
            }
            is_first = false;
        }
        self.followed[branch] = true;
        true
    }

    /// Returns the block where the sides of a block's branch meet.
    fn meeting(&self, branch: usize) -> Option<usize> {
        let rpc = self.program.reconvergence.at(self.program.cfg.blocks[branch].end - 1)?.rpc?;
        Some(self.program.cfg.block_of[rpc as usize] as usize)
    }
}

/// Whether all threads of a block read the same value, at any time.
fn is_fixed(special: Special) -> bool {
    special.is_uniform() && !matches!(special, Special::Clock | Special::ClockHigh | Special::Clock64 | Special::GlobalTimer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::load;

    /// Checks which of a body's guarded branches are uniform, in order.
    fn check(body: &str, expected: &[bool]) {
        let text = format!(
            ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 buf, .param .u32 n)\n{{\n\
             .reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;\n{body}\nld.param.u64 %rd7, [buf];\nst.global.u32 [%rd7], %r9;\nret;\n}}\n"
        );
        let program = load(&text, None).expect("a sound kernel");
        let uniform = uniform_branches(&program);
        let found: Vec<bool> = program.reconvergence.meetings.iter().map(|meeting| uniform[meeting.pc as usize]).collect();
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn what_parameters_decide_is_the_same_for_a_block() {
        check("ld.param.u32 %r1, [n]; mov.u32 %r2, %ctaid.x; setp.lt.u32 %p1, %r2, %r1; @%p1 bra A; mov.u32 %r3, 1; A:", &[true]);
        check("ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, %r1; @%p1 bra A; mov.u32 %r3, 1; A:", &[false]);
    }

    #[test]
    fn what_memory_holds_varies() {
        let body = "ld.param.u64 %rd1, [buf]; ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r3, 1; A:";
        check(body, &[false]);
    }

    /// A loop over a parameter is uniform; once threads leave it one by one, its counter varies.
    #[test]
    fn a_counter_varies_where_threads_leave_its_loop_apart() {
        let count = "ld.param.u32 %r1, [n]; mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1;";
        let again = "setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;";
        check(&format!("{count} {again}"), &[true]);
        let leave = "mov.u32 %r4, %tid.x; setp.eq.u32 %p2, %r4, %r2; @%p2 bra OUT;";
        let after = "OUT: setp.eq.u32 %p3, %r2, 3; @%p3 bra E; mov.u32 %r5, 1; E:";
        check(&format!("{count} {leave} {again} {after}"), &[false, false, false]);
    }

    /// Each side writes a constant, so threads leave the branch with different ones.
    #[test]
    fn what_two_sides_write_varies() {
        let body = "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 1; @%p1 bra A; mov.u32 %r2, 2; \
                    A: setp.eq.u32 %p2, %r2, 1; @%p2 bra B; mov.u32 %r3, 1; B:";
        check(body, &[false, false]);
    }

    #[test]
    fn a_guard_that_varies_makes_what_it_guards_vary() {
        let body = "mov.u32 %r1, %laneid; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, 1; @%p1 mov.u32 %r2, 2; \
                    setp.eq.u32 %p2, %r2, 1; @%p2 bra B; mov.u32 %r3, 1; B:";
        check(body, &[false]);
    }
}
