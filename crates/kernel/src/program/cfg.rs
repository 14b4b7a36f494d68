//! Basic blocks and the edges between them.

use super::{Instruction, Pc};
use crate::ptx::op::{Kind, Op};
use petgraph::Direction;
use petgraph::algo::dominators::{Dominators, simple_fast};
use petgraph::graph::{DiGraph, NodeIndex};

/// A basic block: entered at its first instruction and left at its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BasicBlock {
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
    /// All blocks of the loop: the header first, then the others in program order.
    pub body: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Cfg {
    pub blocks: Vec<BasicBlock>,
    /// The block of each instruction.
    pub block_of: Vec<u32>,
}

impl Cfg {
    pub fn build(instructions: &[Instruction], tables: &[Box<[Pc]>]) -> Cfg {
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
            let mut seen = Vec::new();
            successors.retain(|s| {
                !seen.contains(s) && {
                    seen.push(*s);
                    true
                }
            });
            cfg.blocks[at].exits =
                matches!(last.op, Op::Exit | Op::Again | Op::Trap | Op::AssertFail) || (end == n && successors.is_empty());
            cfg.blocks[at].successors = successors;
        }
        cfg
    }

    /// Returns the graph of the blocks; a node's index is its block's number.
    pub fn graph(&self) -> DiGraph<usize, ()> {
        let mut graph = DiGraph::with_capacity(self.blocks.len(), self.blocks.len() * 2);
        for at in 0..self.blocks.len() {
            graph.add_node(at);
        }
        for (at, block) in self.blocks.iter().enumerate() {
            for &next in &block.successors {
                graph.add_edge(NodeIndex::new(at), NodeIndex::new(next), ());
            }
        }
        graph
    }

    /// Returns the natural loops: an edge to a block that dominates its source closes one.
    pub fn loops(&self) -> Vec<Loop> {
        if self.blocks.is_empty() {
            return Vec::new();
        }
        let graph = self.graph();
        let tree = Tree::new(&simple_fast(&graph, NodeIndex::new(0)), self.blocks.len());
        let mut loops = Vec::new();
        let mut visits = vec![0; self.blocks.len()];
        for (latch, block) in self.blocks.iter().enumerate() {
            for &header in &block.successors {
                if tree.dominates(header, latch) {
                    let visit = loops.len() + 1;
                    loops.push(Loop { header, latch, body: loop_body(&graph, header, latch, &mut visits, visit) });
                }
            }
        }
        loops
    }
}

/// The dominator tree: when a walk enters and leaves each block; `None` for unreachable blocks.
struct Tree {
    spans: Vec<Option<(usize, usize)>>,
}

impl Tree {
    fn new(dominators: &Dominators<NodeIndex>, blocks: usize) -> Tree {
        let mut children = vec![Vec::new(); blocks];
        for block in 0..blocks {
            if let Some(parent) = dominators.immediate_dominator(NodeIndex::new(block)) {
                children[parent.index()].push(block);
            }
        }
        let mut spans = vec![None; blocks];
        let mut clock = 0;
        // Every block is pushed twice: to be entered, and to be left after its children.
        let mut pile = vec![(dominators.root().index(), false)];
        while let Some((block, entered)) = pile.pop() {
            clock += 1;
            if entered {
                spans[block] = spans[block].map(|(enter, _)| (enter, clock));
                continue;
            }
            spans[block] = Some((clock, clock));
            pile.push((block, true));
            pile.extend(children[block].iter().map(|&child| (child, false)));
        }
        Tree { spans }
    }

    fn dominates(&self, a: usize, b: usize) -> bool {
        let (Some(a), Some(b)) = (self.spans[a], self.spans[b]) else { return false };
        a.0 <= b.0 && b.1 <= a.1
    }
}

/// Returns the header and every block that reaches the latch without passing the header. Marks visited blocks in `visits` with
/// `visit`.
fn loop_body(graph: &DiGraph<usize, ()>, header: usize, latch: usize, visits: &mut [usize], visit: usize) -> Vec<usize> {
    let mut body = vec![header];
    visits[header] = visit;
    let mut open = vec![latch];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut visits[at], visit) == visit {
            continue;
        }
        body.push(at);
        open.extend(graph.neighbors_directed(NodeIndex::new(at), Direction::Incoming).map(NodeIndex::index));
    }
    body[1..].sort_unstable();
    body
}

/// Whether control may continue elsewhere than at the next instruction.
pub fn ends_block(op: Op) -> bool {
    match op.kind() {
        Kind::Branch | Kind::End | Kind::Again | Kind::Trap => true,
        Kind::Host => op == Op::AssertFail,
        Kind::Alu | Kind::Memory | Kind::Call | Kind::Barrier | Kind::Join => false,
        Kind::ActiveMask | Kind::Quiet | Kind::Dispatch => false,
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
