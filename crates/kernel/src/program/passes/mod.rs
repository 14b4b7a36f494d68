//! Rewrites of a program between lowering and running.
//!
//! A pass changes instructions in place or lays them out again; each instruction keeps its place in the PTX and in the source. A
//! changed instruction names the [`Rewrite`] that changed it, and one that a pass has made has a text of its own
//! ([`Instruction::text`](super::Instruction::text)), for `warpscope inspect` and the page. Some passes apply to every program,
//! others depend on the machine: [`Pass`].

mod converge;
mod hoist;
mod layout;
pub(crate) mod native;
pub(crate) mod returns;
pub mod virtualise;

use super::lower::bare;
use super::{Instruction, Program};
use crate::ptx::op::Op;
use virtualise::Dimensions;

/// Why an instruction differs from the PTX at its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A branch to where a thread only returns has become an exit ([`returns`]).
    Return,
    /// It also does the work of an instruction that is gone ([`native`]).
    Fused,
    /// It runs under the guard of a branch that is gone ([`native`]).
    Predicated,
    /// It is one of several machine instructions for the PTX instruction behind it ([`native`]).
    Step,
    /// The sides of a branch meet behind it (`BSYNC`), or it prepares their meeting (`BSSY`) ([`native`]).
    Meeting,
    /// It belongs to a convergence barrier ([`converge`]).
    Convergence,
    /// It runs once, before the loop over logical blocks ([`hoist`]).
    Hoisted,
    /// It is part of that loop's head ([`virtualise`]).
    Head,
    /// It reads a register in place of `%tid` or `%ctaid`.
    Index,
    /// A return has become a jump to the loop's head.
    Again,
}

impl Rewrite {
    /// Returns what the machine does instead, for a reader of the PTX line.
    pub fn text(self) -> &'static str {
        match self {
            Rewrite::Return => "exits: only a return follows",
            Rewrite::Fused => "two instructions in one",
            Rewrite::Predicated => "predicated: a short branch",
            Rewrite::Step => "a machine instruction of the next line",
            Rewrite::Meeting => "sides of a branch meet",
            Rewrite::Convergence => "a convergence barrier",
            Rewrite::Hoisted => "moved in front of the loop over blocks",
            Rewrite::Head => "the loop over blocks",
            Rewrite::Index => "reads a register for the index",
            Rewrite::Again => "a return: goes to the next block",
        }
    }
}

/// A rewrite of a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Early returns become exits.
    Returns,
    /// Copies and parameters become operands, short branches predication.
    Native {
        /// Instructions stand where threads reconverge, as on a machine without a stack.
        meetings: bool,
    },
    /// Convergence barriers take the place of a reconvergence stack.
    Converge,
    /// A loop over logical blocks around the kernel's code. Invariant code moves in front of the loop, unless a thread then needs
    /// more than `most_registers` registers.
    Virtualise {
        /// Sizes of the grid and of its blocks, which the loop computes indices from.
        dimensions: Dimensions,
        /// The registers that a thread may need so that hoisting stays worth while; 0 for no hoisting.
        most_registers: u32,
    },
}

/// Creates a machine instruction that PTX does not have, with the source place of `at`.
fn machine(op: Op, text: &str, rewrite: Rewrite, at: &Instruction) -> Instruction {
    Instruction { place: at.place, rewrite: Some(rewrite), text: Some(text.into()), ..bare(op, at.span) }
}

/// The passes that every program goes through.
pub const ALWAYS: &[Pass] = &[Pass::Returns];

impl Program {
    /// Applies the passes in order, and repeats the analyses.
    pub fn through(mut self, passes: &[Pass]) -> Program {
        for pass in passes {
            match *pass {
                Pass::Returns => {
                    returns::run(&mut self);
                    self.analyse();
                }
                Pass::Native { meetings } => native::run(&mut self, meetings),
                Pass::Converge => converge::run(&mut self),
                Pass::Virtualise { dimensions, most_registers } => {
                    let before = self.clone();
                    virtualise::run(&mut self, dimensions, true);
                    self.analyse();
                    // Values in front of the loop must not take registers that the block's residency depends on.
                    if self.registers_needed > most_registers {
                        self = before;
                        virtualise::run(&mut self, dimensions, false);
                        self.analyse();
                    }
                }
            }
        }
        self
    }
}
