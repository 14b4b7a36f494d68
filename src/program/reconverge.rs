//! Where the threads of a divergent branch meet again.
//!
//! - **RPC**, the reconvergence point: the first instruction of the branch's immediate post-dominator, the earliest place
//!   that every path from the branch passes (TBC section 2, PDOM).
//! - **LPC**, the likely-convergence point: TBC section 4, footnote 6: the closest enclosing backward branch. For a branch
//!   inside a loop that a `break` leaves, the immediate post-dominator lies behind the loop, yet most threads meet at the
//!   block that jumps back. Only points that threads can come to before they come to the RPC are kept.
//!
//! A path that ends in an exit does not count: exited threads leave every mask, so the others can meet as if the path did
//! not exist. Post-dominance is therefore computed with one exit alone, the branch's main exit (`exits.rs`); the
//! others are cut off.

use super::cfg::{Block, Cfg};
use super::exits::Exits;
use super::{Instruction, Pc};
use crate::ptx::op::Op;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// How many blocks are looked through for a likely-convergence point, before one is taken to be on the way.
const MOST_BLOCKS: usize = 128;

/// What analysis knows of one branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The branch instruction.
    pub pc: Pc,
    /// Where all paths meet; `None` when only the end of the kernel does.
    pub rpc: Option<Pc>,
    /// Where most paths meet earlier, if that is somewhere else.
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
    pub fn build(cfg: &Cfg, instructions: &[Instruction]) -> Reconvergence {
        let post_dominator = post_dominators(cfg, instructions);
        let likely = likely_convergence(cfg);
        let mut meetings = Vec::new();
        let mut index = vec![0; instructions.len()];
        for (at, block) in cfg.blocks.iter().enumerate() {
            let pc = block.end - 1;
            if !may_diverge(&instructions[pc as usize]) {
                continue;
            }
            let lpc = likely[at].filter(|&to| comes_first(cfg, at, to, post_dominator[at])).map(|b| cfg.blocks[b].start);
            let rpc = post_dominator[at].map(|b| cfg.blocks[b].start);
            meetings.push(Meeting { pc, rpc, lpc });
            index[pc as usize] = meetings.len() as u32;
        }
        Reconvergence { meetings, index }
    }

    /// What is known of the branch at `pc`; `None` for instructions that cannot split a warp.
    pub fn at(&self, pc: Pc) -> Option<&Meeting> {
        self.meetings.get((*self.index.get(pc as usize)? as usize).checked_sub(1)?)
    }
}

/// Conditional and indexed branches can split a warp. A guarded exit cannot: those who exit are gone.
fn may_diverge(instruction: &Instruction) -> bool {
    match instruction.op {
        Op::Bra { uniform } => instruction.guard.is_some() && !uniform,
        Op::BrxIdx => true,
        _ => false,
    }
}

/// The immediate post-dominator of each block that branches; `None` where only the end of the kernel follows on all paths.
fn post_dominators(cfg: &Cfg, instructions: &[Instruction]) -> Vec<Option<usize>> {
    let exits = Exits::find(cfg, instructions);
    let branches = |block: &Block| may_diverge(&instructions[block.end as usize - 1]);
    let main_of = |(at, block): (usize, &Block)| exits.main_of(at).filter(|_| branches(block));
    let main: Vec<Option<usize>> = cfg.blocks.iter().enumerate().map(main_of).collect();
    // A branch that comes to no such exit is looked at with every end of a thread in place.
    let is_left = |(block, main): (&Block, &Option<usize>)| main.is_none() && branches(block);
    let mut found = vec![None; cfg.blocks.len()];
    if cfg.blocks.iter().zip(&main).any(is_left) {
        found = immediate(cfg, |_| true).into_iter().map(Option::flatten).collect();
    }
    for (bit, &exit) in exits.blocks.iter().enumerate() {
        if main.contains(&Some(bit)) {
            let towards = immediate(cfg, |block| block == exit);
            for (at, _) in main.iter().enumerate().filter(|(_, main)| **main == Some(bit)) {
                found[at] = towards[at].flatten();
            }
        }
    }
    found
}

/// For each block: `None` if it reaches no kept exit, else its immediate post-dominator, if that is a block.
fn immediate(cfg: &Cfg, keep_exit: impl Fn(usize) -> bool) -> Vec<Option<Option<usize>>> {
    let n = cfg.blocks.len();
    // Edges turned round, from a root that stands for the end of the kernel.
    let mut graph = DiGraph::<usize, ()>::with_capacity(n + 1, 2 * n);
    for at in 0..=n {
        graph.add_node(at);
    }
    for (at, block) in cfg.blocks.iter().enumerate() {
        for &next in &block.successors {
            graph.add_edge(NodeIndex::new(next), NodeIndex::new(at), ());
        }
        if block.exits && keep_exit(at) {
            graph.add_edge(NodeIndex::new(n), NodeIndex::new(at), ());
        }
    }
    let dominators = simple_fast(&graph, NodeIndex::new(n));
    (0..n)
        .map(|at| dominators.immediate_dominator(NodeIndex::new(at)).map(|node| Some(node.index()).filter(|&b| b < n)))
        .collect()
}

/// Whether some way from a branch comes to a block before it comes to another.
fn comes_first(cfg: &Cfg, branch: usize, to: usize, before: Option<usize>) -> bool {
    let mut seen: Vec<usize> = before.into_iter().collect();
    let mut open = cfg.blocks[branch].successors.clone();
    while let Some(at) = open.pop() {
        if seen.contains(&at) {
            continue;
        }
        if at == to || seen.len() == MOST_BLOCKS {
            return true;
        }
        seen.push(at);
        open.extend(&cfg.blocks[at].successors);
    }
    false
}

/// For each block: the block with the closest backward branch behind it that jumps to or before it.
fn likely_convergence(cfg: &Cfg) -> Vec<Option<usize>> {
    let mut found = vec![None; cfg.blocks.len()];
    // Backward branches behind the block that is looked at, the closest on top. One that jumps to behind a block jumps to
    // behind all earlier ones too.
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

    /// Branch, RPC and LPC, as the letters of their blocks. A block is a line; whatever is conditional is so on `p`.
    fn meetings(blocks: &[&str]) -> Vec<String> {
        let head = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{ .reg .pred p; .reg .b32 r;\n";
        let text = format!("{head}{}\n}}\n", blocks.join("\n"));
        let program = load(&text, None).expect("a sound kernel");
        let line = |at: u32| text[..at as usize].matches('\n').count();
        let letter = |pc: Pc| &blocks[line(program.instructions[pc as usize].span.start) - 5][..1];
        let meetings = program.reconvergence.meetings.iter();
        meetings.map(|m| format!("{} {} {}", letter(m.pc), m.rpc.map_or("end", letter), m.lpc.map_or("-", letter))).collect()
    }

    /// An `if` with a rare way out on one side.
    const RARE: [&str; 5] = [
        "A: mov.b32 r, 1; @p bra X;",
        "B: mov.b32 r, 2; @p bra C;",
        "D: mov.b32 r, 3; bra.uni J;",
        "X: mov.b32 r, 4;",
        "J: mov.b32 r, 5; ret;",
    ];

    #[test]
    fn where_an_exit_stands_in_the_text_does_not_matter() {
        for way_out in ["exit;", "ret;", "trap;", "trap; exit;", "mov.b32 r, 9; exit;"] {
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
            "A: mov.b32 r, 1; @p bra X;",
            "B: mov.b32 r, 2; @p bra D;",
            "C: mov.b32 r, 3;",
            "D: mov.b32 r, 4; ret;",
            "X: mov.b32 r, 5; @p bra Z;",
            "Y: mov.b32 r, 6;",
            "Z: mov.b32 r, 7; ret;",
        ];
        assert_eq!(meetings(&blocks), ["A X -", "B D -", "X Z -"]);
    }

    #[test]
    fn whoever_leaves_is_gone_before_the_others_wait() {
        let blocks =
            ["A: mov.b32 r, 1; @p bra X;", "B: mov.b32 r, 2; @p bra B;", "C: mov.b32 r, 3; exit;", "X: bar.sync 0; ret;"];
        assert_eq!(meetings(&blocks), ["A X -", "B C -"]);
        // The other way round.
        let blocks = ["A: mov.b32 r, 1; @p bra X;", "B: bar.sync 0; ret;", "X: mov.b32 r, 2; @p bra X;", "C: mov.b32 r, 3; ret;"];
        assert_eq!(meetings(&blocks), ["A B -", "X C -"]);
    }

    #[test]
    fn loops_that_some_leave_for_good_meet_behind_their_ends() {
        for end in ["E: bar.sync 0; ret;", "E: mov.b32 r, 5; ret;"] {
            let blocks =
                ["A: mov.b32 r, 1; @p bra C;", "B: ret;", "C: mov.b32 r, 3; @p bra A;", "D: mov.b32 r, 4; @p bra A;", end];
            assert_eq!(meetings(&blocks), ["A C -", "C D -", "D E -"]);
        }
    }

    #[test]
    fn a_branch_to_the_next_instruction_meets_there() {
        assert_eq!(meetings(&["A: mov.b32 r, 1; @p bra B;", "B: mov.b32 r, 2; ret;"]), ["A B -"]);
        assert_eq!(meetings(&["A: mov.b32 r, 1; @p bra B;", "B: mov.b32 r, 2; bra.uni B;"]), ["A end -"]);
    }

    #[test]
    fn a_branch_that_ends_nowhere_meets_at_the_end() {
        assert_eq!(meetings(&["A: mov.b32 r, 1; @p bra A;", "B: mov.b32 r, 2; bra.uni B;"]), ["A end -"]);
    }

    #[test]
    fn a_likely_point_lies_before_the_meeting_of_all() {
        // The first `if` meets in the loop, the second one leaves it by a break.
        let blocks = [
            "A: mov.b32 r, 1; @p bra C;",
            "B: mov.b32 r, 2;",
            "C: mov.b32 r, 3; @p bra E;",
            "D: mov.b32 r, 4; @p bra F;",
            "E: mov.b32 r, 5; @p bra A;",
            "F: ret;",
        ];
        assert_eq!(meetings(&blocks), ["A C -", "C F E", "D F E", "E F -"]);
    }
}
