//! PTX text to a typed [`Module`], with every problem reported and none fatal to the next.
//!
//! ```text
//! text ─► lexer ─► parser (module, declarations) ─► body (scopes, labels, operands) ─► Module
//!                                   forms (opcode and modifiers ─► Op, wanted operands) ┘   + Problems
//! ```
//!
//! The dialects of nvcc and clang are both read: registers are untyped bits of a width, modifiers come in any order, and
//! names live in nested scopes as inline assembly writes them. A problem inside one function leaves the others usable.

mod body;
pub mod forms;
mod lexer;
mod literal;
mod lookup;
pub mod module;
pub mod op;
mod parser;
pub mod problem;
mod sources;
pub mod types;

pub use module::Module;
pub use parser::parse;
pub use problem::{Problem, Span, Trouble, render};
