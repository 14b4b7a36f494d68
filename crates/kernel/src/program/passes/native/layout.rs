//! A program as blocks that passes can change, and its conversion back.

use crate::program::cfg::ends_block;
use crate::program::lower::bare;
use crate::program::{Guard, Instruction, Pc, Program};
use crate::ptx::op::Op;

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
    /// The parts in program order.
    places: Vec<usize>,
    /// The block that exits threads that run past the last instruction.
    end: usize,
    /// The blocks that each branch table leads to.
    tables: Vec<Vec<usize>>,
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
        Code { places: (0..parts.len()).collect(), end, parts, tables }
    }

    /// Counts the ways into each block: from blocks, from branch tables, and from the launch into the first.
    pub fn leading(&self) -> Vec<usize> {
        let mut leading = vec![0; self.parts.len()];
        leading[self.through(0)] += 1;
        let order = self.order();
        for ways in order.iter().map(|at| self.parts[*at].successors()).chain(self.tables.clone()) {
            ways.into_iter().for_each(|next| leading[self.through(next)] += 1);
        }
        leading
    }

    /// Skips empty blocks: returns the first block from here on that has an instruction or a branch.
    pub fn through(&self, mut at: usize) -> usize {
        for _ in 0..self.parts.len() {
            match &self.parts[at] {
                CodePart { body, end: End::Next(next) } if body.is_empty() => at = *next,
                _ => break,
            }
        }
        at
    }

    /// Moves each block that stands before all its predecessors behind the last of them, except loop heads: PTX has blocks in any
    /// order.
    pub fn put_in_order(&mut self) {
        for at in self.order().into_iter().skip(1) {
            let order = self.order();
            let (before, behind) = order.split_at(order.iter().position(|block| *block == at).unwrap_or_default());
            let leads = |block: &&usize| self.ways(**block).contains(&at);
            let Some(&last) = behind.iter().rfind(leads).filter(|_| !before.iter().any(|block| leads(&block))) else { continue };
            // The head of a loop is on every path to the block that jumps back to it.
            let reached = self.reached(Some(at));
            if behind.iter().filter(leads).all(|block| reached[*block]) {
                self.places.retain(|block| *block != at);
                let place = self.places.iter().position(|block| *block == last).map_or(self.places.len(), |place| place + 1);
                self.places.insert(place, at);
            }
        }
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
        let place = self.places.iter().position(|at| *at == before).unwrap_or(self.places.len());
        self.places.insert(place, new);
    }

    /// Returns the reachable blocks in program order.
    fn order(&self) -> Vec<usize> {
        let reached = self.reached(None);
        self.places.iter().copied().filter(|at| reached[*at]).collect()
    }

    /// Whether each block can be reached without passing block `without`.
    fn reached(&self, without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.parts.len()];
        let mut todo = vec![self.through(0)];
        while let Some(at) = todo.pop() {
            if Some(at) != without && !std::mem::replace(&mut seen[at], true) {
                todo.extend(self.ways(at));
            }
        }
        seen
    }

    /// Returns the successors of a block, those by its branch table included.
    fn ways(&self, at: usize) -> Vec<usize> {
        let table =
            self.parts[at].body.last().filter(|last| last.op == Op::BrxIdx).map(|last| &self.tables[last.target as usize]);
        let ways = self.parts[at].successors().into_iter().chain(table.into_iter().flatten().copied());
        ways.map(|next| self.through(next)).collect()
    }

    /// Writes the blocks back as a program, with as few jumps as their order allows.
    pub fn lay_out(self, program: &mut Program) {
        let order = self.order();
        let mut starts = vec![0; self.parts.len()];
        let mut instructions: Vec<Instruction> = Vec::new();
        if order.first() != Some(&self.through(0)) {
            instructions.push(jump(program, self.through(0)));
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
                    let next = self.through(*next);
                    if behind != Some(next) {
                        instructions.push(jump(program, next));
                    }
                }
                End::Branch { branch, taken, next } => {
                    let (taken, next) = (self.through(*taken), self.through(*next));
                    let turned = behind == Some(taken);
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
            *table = targets.iter().map(|target| starts[self.through(*target)]).collect();
        }
        program.instructions = instructions;
        program.analyse();
    }
}

/// Creates a jump to a block; the target is the block's number until all positions are known.
fn jump(program: &Program, block: usize) -> Instruction {
    let span = program.instructions.last().map(|last| last.span).unwrap_or_default();
    Instruction { target: block as Pc, ..bare(Op::Bra { uniform: true }, span) }
}
