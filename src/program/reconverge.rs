//! Where the threads of a divergent branch meet again.
//!
//! - **RPC**, the reconvergence point: the first instruction of the branch's immediate post-dominator, the earliest place
//!   that every path from the branch passes (TBC section 2, PDOM).
//! - **LPC**, the likely-convergence point: TBC section 4, footnote 6: the closest enclosing backward branch. For a branch
//!   inside a loop that a `break` leaves, the immediate post-dominator lies behind the loop, yet most threads meet at the
//!   block that jumps back. Only points that differ from the RPC are kept.
//!
//! A path that ends in an exit does not count: exited threads leave every mask, so the others can meet as if the path did
//! not exist. Post-dominance is therefore computed without the exits other than the program's last one; a branch that
//! cannot reach the last one is looked at again with every exit in place.

use super::cfg::Cfg;
use super::{Instruction, Pc};
use crate::ptx::op::Op;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

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
        let post_dominator = post_dominators(cfg);
        let likely = likely_convergence(cfg);
        let mut meetings = Vec::new();
        let mut index = vec![0; instructions.len()];
        for (at, block) in cfg.blocks.iter().enumerate() {
            let pc = block.end - 1;
            if !may_diverge(&instructions[pc as usize]) {
                continue;
            }
            let rpc = post_dominator[at].map(|b| cfg.blocks[b].start);
            let lpc = likely[at].filter(|&lpc| Some(lpc) != rpc);
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

/// The immediate post-dominator of each block; `None` where only the end of the kernel follows on all paths.
fn post_dominators(cfg: &Cfg) -> Vec<Option<usize>> {
    let all_exits = |_: usize| true;
    let whole = immediate(cfg, all_exits);
    let Some(last_exit) = cfg.blocks.iter().rposition(|b| b.exits && b.successors.is_empty()) else {
        return whole.into_iter().map(Option::flatten).collect();
    };
    let main = immediate(cfg, |block| block == last_exit);
    main.into_iter().zip(whole).map(|(main, whole)| main.unwrap_or_else(|| whole.flatten())).collect()
}

/// For each block: `None` if it reaches no kept exit, else its immediate post-dominator, if that is a block.
fn immediate(cfg: &Cfg, keep_exit: impl Fn(usize) -> bool) -> Vec<Option<Option<usize>>> {
    let n = cfg.blocks.len();
    // Edges turned round, from a root that stands for the end of the kernel.
    let mut graph = DiGraph::<(), ()>::with_capacity(n + 1, 2 * n);
    for _ in 0..=n {
        graph.add_node(());
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

/// For each block: the start of the block with the closest backward branch behind it that jumps to or before it.
fn likely_convergence(cfg: &Cfg) -> Vec<Option<Pc>> {
    let mut found = vec![None; cfg.blocks.len()];
    // Backward branches behind the block that is looked at, the closest on top. One that jumps to behind a block jumps to
    // behind all earlier ones too.
    let mut latches: Vec<(Pc, Pc)> = Vec::new();
    for (at, here) in cfg.blocks.iter().enumerate().rev() {
        let targets = here.successors.iter().map(|&to| cfg.blocks[to].start).filter(|&to| to <= here.start);
        latches.extend(targets.min().map(|to| (here.start, to)));
        while latches.last().is_some_and(|&(_, to)| to > here.start) {
            latches.pop();
        }
        found[at] = latches.last().map(|&(latch, _)| latch).filter(|&latch| latch != here.start);
    }
    found
}
