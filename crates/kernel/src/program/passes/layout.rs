//! A program as blocks that passes can change, and its conversion back.

use crate::program::cfg::ends_block;
use crate::program::graph::{Graph, Tree, dominators};
use crate::program::lower::bare;
use crate::program::{Guard, Instruction, Pc, Program};
use crate::ptx::op::Op;
use std::collections::BTreeMap;

/// A block's instructions, without the branch at its end.
#[derive(Clone, Debug, Default)]
pub struct CodePart {
    pub body: Vec<Instruction>,
    pub end: End,
}

/// Where control continues at the end of a block; blocks are given by number.
#[derive(Clone, Debug, Default)]
pub enum End {
    /// The last instruction of the body ends the threads, or has its own targets.
    #[default]
    FunctionBody,
    Next(usize),
    Branch {
        branch: Box<Instruction>,
        taken: usize,
        next: usize,
    },
}

impl CodePart {
    /// Appends an instruction, in front of a last instruction that leaves the block.
    pub fn put_last(&mut self, instruction: Instruction) {
        let leaves = self.body.last().is_some_and(|last| ends_block(last.op));
        self.body.insert(self.body.len() - usize::from(leaves), instruction);
    }

    fn successors(&self) -> Vec<usize> {
        match &self.end {
            End::FunctionBody => Vec::new(),
            End::Next(next) => vec![*next],
            End::Branch { taken, next, .. } => vec![*taken, *next],
        }
    }
}

pub struct Code {
    pub parts: Vec<CodePart>,
    /// The parts in program order, without those that stand in front of others.
    places: Vec<usize>,
    /// By part: new parts that stand in front of it, in order.
    in_front: BTreeMap<usize, Vec<usize>>,
    /// The block that exits threads that run past the last instruction.
    end: usize,
    /// The blocks that each branch table leads to.
    tables: Vec<Vec<usize>>,
    /// A branch falls through to the side that it falls through to in the text, whatever stands behind it.
    pub keeps_sides: bool,
}

impl Code {
    pub fn of(program: &Program) -> Code {
        let block_of = |pc: Pc| program.cfg.block_of.get(pc as usize).map_or(program.cfg.blocks.len(), |block| *block as usize);
        let part = |block: &crate::program::cfg::BasicBlock| {
            let mut body = program.instructions[block.start as usize..block.end as usize].to_vec();
            let next = block_of(block.end);
            let Some(last) = body.last().filter(|last| ends_block(last.op)).cloned() else {
                return CodePart { body, end: End::Next(next) };
            };
            let end = match (last.op, last.guard) {
                (Op::Bra { .. }, None) => End::Next(block_of(last.target)),
                (Op::Bra { .. }, Some(_)) => End::Branch { taken: block_of(last.target), next, branch: Box::new(last) },
                (_, None) => return CodePart { body, end: End::FunctionBody },
                // A guarded exit: the other threads continue.
                (_, Some(_)) => return CodePart { body, end: End::Next(next) },
            };
            body.pop();
            CodePart { body, end }
        };
        let mut parts: Vec<CodePart> = program.cfg.blocks.iter().map(part).collect();
        let end = parts.len();
        parts.push(CodePart::default());
        let tables = program.tables.iter().map(|table| table.iter().map(|target| block_of(*target)).collect()).collect();
        Code { places: (0..parts.len()).collect(), in_front: BTreeMap::new(), end, parts, tables, keeps_sides: false }
    }

    /// Counts the ways into each block: from blocks, from branch tables, and from the launch into the first.
    pub fn leading(&self, through: &[usize]) -> Vec<usize> {
        let mut leading = vec![0; self.parts.len()];
        leading[through[0]] += 1;
        let order = self.order(through);
        let tables = self.tables.iter().flatten().copied();
        for next in order.iter().flat_map(|at| self.parts[*at].successors()).chain(tables) {
            leading[through[next]] += 1;
        }
        leading
    }

    /// Skips empty blocks: returns for each block the first one from there on that has an instruction or a branch. Of empty blocks
    /// in a ring it is one of them.
    pub fn through(&self) -> Vec<usize> {
        let mut through: Vec<Option<usize>> = vec![None; self.parts.len()];
        let mut path = Vec::new();
        let mut on_path = vec![false; self.parts.len()];
        for first in 0..self.parts.len() {
            let mut at = first;
            let found = loop {
                match &self.parts[at] {
                    _ if through[at].is_some() => break through[at].unwrap_or(at),
                    CodePart { body, end: End::Next(next) } if body.is_empty() && !on_path[at] => {
                        on_path[at] = true;
                        path.push(at);
                        at = *next;
                    }
                    _ => break at,
                }
            };
            through[at] = Some(found);
            path.drain(..).for_each(|at| through[at] = Some(found));
        }
        through.into_iter().enumerate().map(|(at, found)| found.unwrap_or(at)).collect()
    }

    /// Moves each block that stands before all its predecessors behind the last of them, except loop heads: PTX has blocks in any
    /// order.
    pub fn put_in_order(&mut self) {
        let through = self.through();
        let order = self.order(&through);
        let n = self.parts.len();
        let edges = order.iter().flat_map(|&at| self.ways(at, &through).into_iter().map(move |next| (at, next)));
        let edges: Vec<(usize, usize)> = edges.collect();
        let graph = Graph::new(n, edges.iter().copied());
        let before = graph.turned();
        let dominated = Tree::new(&dominators(&graph, &before, through[0]));
        // The order as a list, and as ranks with room between them.
        let mut list = Order::new(n, &order);
        for &at in order.iter().skip(1) {
            let leads = || before.next(at).iter().map(|&from| from as usize);
            // The head of a loop is on every path to the block that jumps back to it.
            if leads().all(|from| list.rank[from] > list.rank[at] && !dominated.is_above(at, from))
                && let Some(last) = leads().max_by_key(|&from| list.rank[from])
            {
                list.put_behind(at, last);
            }
        }
        let order = list.all();
        let mut is_listed = vec![false; n];
        order.iter().for_each(|&at| is_listed[at] = true);
        let others: Vec<usize> = self.places.iter().copied().filter(|at| !is_listed[*at]).collect();
        self.places = order.into_iter().chain(others).collect();
    }

    /// Puts a new block on the edges from some blocks to another; it stands in front of block `before`.
    pub fn put_between(&mut self, from: &[usize], to: usize, before: usize, body: Vec<Instruction>) {
        let new = self.parts.len();
        let turn = |way: &mut usize| {
            if *way == to {
                *way = new;
            }
        };
        for &at in from {
            match &mut self.parts[at].end {
                End::FunctionBody => {}
                End::Next(next) => turn(next),
                End::Branch { taken, next, .. } => [taken, next].into_iter().for_each(turn),
            }
            if let Some(last) = self.parts[at].body.last().filter(|last| last.op == Op::BrxIdx) {
                self.tables[last.target as usize].iter_mut().for_each(turn);
            }
        }
        self.parts.push(CodePart { body, end: End::Next(to) });
        self.in_front.entry(before).or_default().push(new);
    }

    /// Returns the reachable blocks in program order.
    fn order(&self, through: &[usize]) -> Vec<usize> {
        let mut reached = vec![false; self.parts.len()];
        let mut todo = vec![through[0]];
        while let Some(at) = todo.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                todo.extend(self.ways(at, through));
            }
        }
        let places = self.places.iter().flat_map(|at| self.in_front.get(at).into_iter().flatten().chain([at]));
        places.copied().filter(|at| reached[*at]).collect()
    }

    /// Returns the successors of a block, those by its branch table included.
    fn ways(&self, at: usize, through: &[usize]) -> Vec<usize> {
        let table =
            self.parts[at].body.last().filter(|last| last.op == Op::BrxIdx).map(|last| &self.tables[last.target as usize]);
        let ways = self.parts[at].successors().into_iter().chain(table.into_iter().flatten().copied());
        ways.map(|next| through[next]).collect()
    }

    /// Writes the blocks back as a program, with as few jumps as their order allows.
    pub fn lay_out(self, program: &mut Program) {
        let through = self.through();
        let order = self.order(&through);
        let mut starts = vec![0; self.parts.len()];
        let mut instructions: Vec<Instruction> = Vec::new();
        if order.first() != Some(&through[0]) {
            instructions.push(jump(program, through[0]));
        }
        for (place, &at) in order.iter().enumerate() {
            starts[at] = instructions.len() as Pc;
            let part = &self.parts[at];
            let behind = order.get(place + 1).copied();
            instructions.extend(part.body.iter().cloned());
            match &part.end {
                End::FunctionBody if at == self.end => {
                    instructions.push(bare(Op::Exit, program.instructions.last().map(|i| i.span).unwrap_or_default()))
                }
                End::FunctionBody => {}
                End::Next(next) => {
                    let next = through[*next];
                    if behind != Some(next) {
                        instructions.push(jump(program, next));
                    }
                }
                End::Branch { branch, taken, next } => {
                    let (taken, next) = (through[*taken], through[*next]);
                    let turned = !self.keeps_sides && behind == Some(taken);
                    let guard = branch.guard.map(|guard| Guard { negated: guard.negated != turned, ..guard });
                    let target = if turned { next } else { taken } as Pc;
                    instructions.push(Instruction { guard, target, ..(**branch).clone() });
                    if !turned && behind != Some(next) {
                        instructions.push(jump(program, next));
                    }
                }
            }
        }
        for instruction in instructions.iter_mut().filter(|i| matches!(i.op, Op::Bra { .. })) {
            instruction.target = starts[instruction.target as usize];
            let guard = instruction.guard.map_or(String::new(), |guard| program.guard_text(guard));
            instruction.text = Some(format!("{guard}bra $L{};", instruction.target).into());
        }
        for (table, targets) in program.tables.iter_mut().zip(&self.tables) {
            *table = targets.iter().map(|target| starts[through[*target]]).collect();
        }
        program.instructions = instructions;
        program.find_meetings();
    }
}

/// Blocks in an order in which they can be moved.
struct Order {
    first: usize,
    /// By block: the block behind it and the block in front of it, where there are any.
    next: Vec<Option<usize>>,
    previous: Vec<Option<usize>>,
    /// By block: a number that grows along the order.
    pub rank: Vec<u64>,
}

impl Order {
    /// The room between neighbours, so that many blocks can be moved before all ranks must be given anew.
    const ROOM: u64 = 1 << 40;

    fn new(blocks: usize, order: &[usize]) -> Order {
        let first = order.first().copied().unwrap_or_default();
        let mut list = Order { first, next: vec![None; blocks], previous: vec![None; blocks], rank: vec![0; blocks] };
        for pair in order.windows(2) {
            (list.next[pair[0]], list.previous[pair[1]]) = (Some(pair[1]), Some(pair[0]));
        }
        list.number();
        list
    }

    fn number(&mut self) {
        let all = self.all();
        all.iter().zip(1..).for_each(|(&at, place)| self.rank[at] = place * Self::ROOM);
    }

    fn all(&self) -> Vec<usize> {
        std::iter::successors(Some(self.first), |&at| self.next[at]).collect()
    }

    /// Moves a block that is not the first right behind another.
    fn put_behind(&mut self, at: usize, other: usize) {
        let (previous, next) = (self.previous[at], self.next[at]);
        if let Some(previous) = previous {
            self.next[previous] = next;
        }
        if let Some(next) = next {
            self.previous[next] = previous;
        }
        let behind = self.next[other].replace(at);
        (self.previous[at], self.next[at]) = (Some(other), behind);
        if let Some(behind) = behind {
            self.previous[behind] = Some(at);
        }
        let low = self.rank[other];
        let high = behind.map_or(low + 2 * Self::ROOM, |behind| self.rank[behind]);
        self.rank[at] = low + (high - low) / 2;
        if self.rank[at] == low {
            self.number();
        }
    }
}

/// Creates a jump to a block; the target is the block's number until all positions are known.
fn jump(program: &Program, block: usize) -> Instruction {
    let span = program.instructions.last().map(|last| last.span).unwrap_or_default();
    Instruction { target: block as Pc, ..bare(Op::Bra { uniform: true }, span) }
}
