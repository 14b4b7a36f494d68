//! What an instruction does: to one thread, or to the lanes of a warp at once.
//!
//! - [`alu`]: operations on registers; [`access`]: loads, stores and atomics; [`warp`]: shuffles and votes.
//! - [`memory`]: the state spaces; [`barrier`]: who waits for whom in a block.
//! - [`job`]: a kernel and a launch; [`start`]: the state in which its runs begin; [`reference`](mod@reference): the scalar interpreter.
//!
//! Every operation is written once, for `W` lanes: the reference runs it with one, a warp with as many as it has.

pub mod access;
pub mod alu;
pub mod barrier;
pub mod host_call;
pub mod job;
pub mod lanes;
pub mod memory;
pub mod num;
pub mod printf;
pub mod races;
pub mod reference;
pub mod shape;
pub mod start;
pub mod thread;
pub mod trap;
pub mod value;
pub mod warp;
