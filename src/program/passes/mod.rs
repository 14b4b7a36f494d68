//! Rewrites of a program between lowering and running.
//!
//! A pass changes instructions in place or lays them out anew; each keeps the place in the PTX and in the source that it came
//! from. A changed instruction names the [`Rewrite`] that changed it, and one that a pass has made has a text of its own
//! ([`Instruction::text`](super::Instruction::text)), for `warpscope inspect` and the page. Some passes belong to every program,
//! others to a machine: [`Pass`].

pub mod hoist;
pub mod native;
pub mod returns;
pub mod virtualise;

use super::Program;
use virtualise::Dimensions;

/// Why an instruction is not what the PTX says at its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A branch to where a thread only returns has become an exit ([`returns`]).
    Return,
    /// It does what another did for it before ([`native`]).
    Fused,
    /// It runs under the guard of a branch that is gone ([`native`]).
    Predicated,
    /// It is one of several machine instructions for the one behind it ([`native`]).
    Step,
    /// The sides of a branch meet behind it, or get ready for that ([`native`]).
    Meeting,
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
    /// What the machine does instead, for a reader of the PTX line.
    pub fn text(self) -> &'static str {
        match self {
            Rewrite::Return => "exits: only a return follows",
            Rewrite::Fused => "two instructions in one",
            Rewrite::Predicated => "predicated: a short branch",
            Rewrite::Step => "one of the machine instructions of the next",
            Rewrite::Meeting => "sides of a branch meet",
            Rewrite::Hoisted => "moved in front of the loop over blocks",
            Rewrite::Head => "the loop over blocks",
            Rewrite::Index => "reads a register for the index",
            Rewrite::Again => "a return: on to the next block",
        }
    }
}

/// A rewrite of a whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Early returns become exits.
    Returns,
    /// Copies and parameters become operands, short branches predication.
    Native,
    /// The kernel's code in a loop over logical blocks. What is the same for all of them is moved in front of the loop, unless
    /// a thread then needs more than so many registers.
    Virtualise { dimensions: Dimensions, most_registers: u32 },
}

/// The passes of every program.
pub const ALWAYS: &[Pass] = &[Pass::Returns];

impl Program {
    /// The program behind these passes, in order, with everything known of it.
    pub fn through(mut self, passes: &[Pass]) -> Program {
        for pass in passes {
            match *pass {
                Pass::Returns => {
                    returns::run(&mut self);
                    self.analyse();
                }
                Pass::Native => native::run(&mut self),
                Pass::Virtualise { dimensions, most_registers } => {
                    let before = self.clone();
                    virtualise::run(&mut self, dimensions, true);
                    self.analyse();
                    // Registers that hoisted code keeps must not cost the block its room.
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
