//! Rewrites of a program between lowering and analysis.
//!
//! A pass changes instructions in place, so that a PC keeps its line of the PTX; what it adds goes behind the last
//! instruction. A changed instruction names the [`Rewrite`] that changed it, for `warpscope inspect` and the page.

pub mod returns;

use super::Program;

/// Why an instruction is not what the PTX says at its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A branch to where a thread only returns has become an exit ([`returns`]).
    Return,
}

impl Rewrite {
    /// What the machine does instead, for a reader of the PTX line.
    pub fn text(self) -> &'static str {
        match self {
            Rewrite::Return => "exits: only a return follows",
        }
    }
}

/// Runs every pass, in order.
pub fn run(program: &mut Program) {
    returns::run(program);
}
