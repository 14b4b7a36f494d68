//! PTX arithmetic beyond the operators that Rust has.
//!
//! Every function here is pure and total: it maps bits to bits, never panics and gives the same result on every host. Two rules
//! ensure this. The bits of a NaN result come from [`nan`], never from the host. No function calls the host's `sin`, `exp` and
//! the like, which differ between libraries; only `+ - * /`, `sqrt` and bit operations are used, which IEEE 754 specifies.
//!
//! Vocabulary:
//! - *near* is rounding to nearest, ties to even (`.rn`). Hosts compute it, so it is the fast path everywhere. The other three
//!   roundings are *directed* and go through `soft`, which computes on integers.
//! - *flush* (`.ftz`) turns a subnormal f32 into a zero of its sign. Products and quotients have `_ftz` forms, because flushing
//!   their result is not enough (see [`flush`]). Other instructions with `.ftz` apply [`ftz32`] to operands and result.
//!   [`convert`], [`half`] and [`approx`] take the flag as an argument.
//! - *saturate* (`.sat`) clamps: a float into [0, 1] with [`sat32`], an integer into its type's range.
//!
//! | module | holds |
//! | --- | --- |
//! | [`nan`] | the bits of a NaN result |
//! | `soft` | floating point on integers: exact arithmetic, then one rounding |
//! | [`float32`], [`float64`] | add, sub, mul, div, fma, sqrt, rcp, min, max |
//! | [`flush`] | f32 products and quotients that flush |
//! | [`half`] | arithmetic, min, max and comparisons of f16 and bf16 |
//! | [`convert`] | `cvt` |
//! | [`approx`], `elementary` | `.approx`: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt, div |
//! | [`integer`] | shifts, division, high products, saturation, `sad`, `mul24`, `dp4a`, `vabsdiff4` |
//! | [`bits`] | bit fields, permutations, masks |

pub mod approx;
pub(crate) mod bits;
pub(crate) mod convert;
mod elementary;
mod float32;
mod float64;
mod flush;
mod half;
pub(crate) mod integer;
mod nan;
mod soft;
#[cfg(test)]
mod tests;

pub use convert::cvt;
pub(crate) use convert::{cvt_pack, extend};
pub(crate) use float32::*;
pub(crate) use float64::*;
pub(crate) use flush::{div32_ftz, fma32_ftz, mul32_ftz, rcp32_ftz};
pub(crate) use half::HalfModes;
pub use half::{Bf16, F16, Half};
