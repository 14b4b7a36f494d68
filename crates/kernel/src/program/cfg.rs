//! Basic blocks and the edges between them.

use super::graph::{Graph, dominators};
use super::loops::LoopForest;
use super::{Instruction, Pc};
use crate::ptx::op::{Kind, Op};

/// Limit on the blocks that all loops list together; in a kernel with very many loops, each lists at least [`LEAST_LISTED`].
const MOST_LISTED: usize = 1 << 20;
const LEAST_LISTED: usize = 16;

/// A basic block: entered at its first instruction and left at its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicBlock {
    /// Its first instruction.
    pub start: Pc,
    /// One past the last instruction.
    pub end: Pc,
    /// Successor blocks, taken before not taken; each once.
    pub successors: Vec<usize>,
    /// Whether its last instruction may end a thread.
    pub exits: bool,
}

/// A natural loop: its header and one edge back to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block that every iteration passes.
    pub header: usize,
    /// The block whose branch goes back to the header.
    pub latch: usize,
    /// The blocks of the loop: the header first, then the others in program order.
    pub body: Vec<usize>,
    /// Whether these are all of its blocks: in a kernel with very many loops, not all are listed.
    pub is_whole: bool,
}

/// The control-flow graph of a program.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// The blocks in program order.
    pub blocks: Vec<BasicBlock>,
    /// The block of each instruction.
    pub block_of: Vec<u32>,
}

impl Cfg {
    pub(crate) fn build(instructions: &[Instruction], tables: &[Box<[Pc]>]) -> Cfg {
        let n = instructions.len();
        let mut leads = vec![false; n + 1];
        leads[0] = true;
        for (pc, instruction) in instructions.iter().enumerate() {
            // The sides of a branch execute this one by one and continue together behind it.
            leads[pc + 1] |= instruction.op == Op::Meet;
            if ends_block(instruction.op) {
                leads[pc + 1] = true;
                for target in targets(instruction, tables) {
                    leads[(target as usize).min(n)] = true;
                }
            }
        }
        let mut cfg = Cfg { block_of: Vec::with_capacity(n), ..Cfg::default() };
        for (pc, &leads) in leads[..n].iter().enumerate() {
            if leads {
                cfg.blocks.push(BasicBlock { start: pc as Pc, end: pc as Pc, successors: Vec::new(), exits: false });
            }
            cfg.block_of.push(cfg.blocks.len() as u32 - 1);
            if let Some(block) = cfg.blocks.last_mut() {
                block.end = pc as Pc + 1;
            }
        }
        // By block: the last block that it has been found to follow.
        let mut seen = vec![usize::MAX; cfg.blocks.len()];
        for at in 0..cfg.blocks.len() {
            let end = cfg.blocks[at].end as usize;
            let last = &instructions[end - 1];
            let falls_through = !(ends_block(last.op) && last.guard.is_none()) && end < n;
            let mut successors: Vec<usize> = if ends_block(last.op) {
                targets(last, tables).filter(|&t| (t as usize) < n).map(|t| cfg.block_of[t as usize] as usize).collect()
            } else {
                Vec::new()
            };
            if falls_through {
                successors.push(cfg.block_of[end] as usize);
            }
            successors.retain(|&next| std::mem::replace(&mut seen[next], at) != at);
            cfg.blocks[at].exits =
                matches!(last.op, Op::Exit | Op::Again | Op::Trap | Op::AssertFail) || (end == n && successors.is_empty());
            cfg.blocks[at].successors = successors;
        }
        cfg
    }

    /// Returns the graph of the blocks.
    pub fn graph(&self) -> Graph {
        let edges = self.blocks.iter().enumerate().flat_map(|(at, block)| block.successors.iter().map(move |&next| (at, next)));
        Graph::new(self.blocks.len(), edges)
    }

    /// Returns the immediate dominator of each block.
    pub fn dominators(&self) -> Vec<u32> {
        let graph = self.graph();
        dominators(&graph, &graph.turned(), 0)
    }

    /// Returns the natural loops: an edge to a block that dominates its source closes one.
    pub fn loops(&self) -> Vec<Loop> {
        let edges = LoopForest::new(self).back_edges;
        let most = (MOST_LISTED / edges.len().max(1)).max(LEAST_LISTED);
        let before = self.graph().turned();
        let mut visits = vec![0; self.blocks.len()];
        let found = edges.iter().enumerate().map(|(at, &(latch, header))| {
            let (body, is_whole) = loop_body(&before, header, latch, most, &mut visits, at + 1);
            Loop { header, latch, body, is_whole }
        });
        found.collect()
    }
}

/// Returns the header and the blocks that reach the latch without passing the header, and whether these are all: the search ends
/// at `most`. Marks visited blocks in `visits` with `visit`.
fn loop_body(before: &Graph, header: usize, latch: usize, most: usize, visits: &mut [usize], visit: usize) -> (Vec<usize>, bool) {
    let mut body = vec![header];
    visits[header] = visit;
    let mut open = vec![latch];
    let mut is_whole = true;
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut visits[at], visit) == visit {
            continue;
        }
        if body.len() == most {
            is_whole = false;
            break;
        }
        body.push(at);
        open.extend(before.next(at).iter().map(|&from| from as usize));
    }
    body[1..].sort_unstable();
    (body, is_whole)
}

/// Whether control may continue elsewhere than at the next instruction.
pub fn ends_block(op: Op) -> bool {
    match op.kind() {
        Kind::Branch | Kind::End | Kind::Again | Kind::Trap => true,
        Kind::Host => op == Op::AssertFail,
        Kind::Alu | Kind::Memory | Kind::Call | Kind::Barrier | Kind::Join => false,
        Kind::ActiveMask | Kind::Quiet | Kind::Converge | Kind::Dispatch => false,
    }
}

/// Returns the targets of a branch, without the next instruction.
pub fn targets<'a>(instruction: &'a Instruction, tables: &'a [Box<[Pc]>]) -> impl Iterator<Item = Pc> + 'a {
    let (one, many): (Option<Pc>, &[Pc]) = match instruction.op {
        Op::Bra { .. } => (Some(instruction.target), &[]),
        Op::BrxIdx => (None, tables.get(instruction.target as usize).map_or(&[], |t| t)),
        _ => (None, &[]),
    };
    one.into_iter().chain(many.iter().copied())
}
