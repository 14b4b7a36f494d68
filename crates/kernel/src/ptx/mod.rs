//! Parses PTX text into a typed [`Module`] and reports all problems of the text.
//!
//! ```text
//! text ─► lexer ─► parser (module, functions) ─► body (scopes, labels) ─► instruction ─► bind ─► Module + Problems
//!                    └► variables                   └► sources (.loc)       │  └► operands ┘
//!                                                                           └► forms (opcode and modifiers ─► Op, wants)
//! ```
//!
//! The dialects of nvcc and clang are both accepted: registers are untyped bits of a width, modifiers come in any order, and
//! names have nested scopes, as inline assembly needs. A problem inside one function leaves the others usable.

mod bind;
mod body;
mod cursor;
pub mod forms;
mod instruction;
mod lexer;
mod literal;
mod lookup;
pub(crate) mod module;
pub mod op;
mod operands;
mod parser;
pub mod problem;
mod scopes;
mod sources;
pub mod types;
mod variables;

pub use module::{InitPart, Module};
pub use parser::parse;
pub use problem::{Problem, Span, Trouble, render};
