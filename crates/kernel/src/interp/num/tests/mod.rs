//! Tests that compare results with exact arithmetic or with PTX's documented error bounds.
//! Other tests are beside the code that they test.

mod approx;
mod arithmetic;
mod convert;
pub mod exact;
mod half;
