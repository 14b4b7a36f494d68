//! Tests that need a judge: results are compared with exact arithmetic, or with PTX's documented error bounds.
//! Tests that need none sit beside what they test.

mod approx;
mod arithmetic;
mod convert;
pub mod exact;
mod half;
