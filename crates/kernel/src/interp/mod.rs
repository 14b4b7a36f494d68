//! Functional execution of instructions, for one thread or for the lanes of a warp at once.
//!
//! - [`alu`]: operations on registers; [`access`]: loads, stores and atomics; [`warp`]: shuffles and votes.
//! - [`memory`]: the state spaces; [`barrier`]: arrivals and releases at a block's barriers.
//! - [`job`]: a kernel and a launch; [`start`]: the initial state of a run; [`reference`](mod@reference): the scalar
//!   interpreter.
//!
//! Every operation is written once, for `W` lanes: the reference runs it with one lane, a machine with the lanes of a warp.

pub mod access;
pub mod alu;
pub mod barrier;
pub mod host_call;
pub mod job;
pub mod lanes;
pub mod memory;
pub mod num;
mod printf;
pub mod races;
pub mod reference;
pub mod shape;
pub mod start;
pub mod thread;
pub mod trap;
mod value;
pub mod warp;
