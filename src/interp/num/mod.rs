//! What PTX arithmetic means, beyond the operators Rust has already.
//!
//! Every function here is pure and total: bits in, bits out, no panic, and the same answer on every host. Two habits make
//! that so. A result that is not a number gets its bits from [`nan`], never from the host's own choice. And nothing calls
//! the host's `sin`, `exp` and their kin, which differ between libraries; only `+ - * /`, `sqrt` and bit operations, which
//! IEEE 754 pins down.
//!
//! Vocabulary:
//! - *near* is rounding to nearest, ties to even (`.rn`); it is what hosts do, so it is the fast path everywhere. The other
//!   three roundings are *directed* and go through `soft`, which works on integers.
//! - *flush* (`.ftz`) turns a subnormal f32 into a zero of its sign. Products and quotients have a `_ftz` form of their own,
//!   because there it is subtle (see [`flush`]); elsewhere an instruction with `.ftz` applies [`ftz32`] to what goes in and to
//!   what comes out. [`convert`], [`half`] and [`approx`] take it as an argument.
//! - *saturate* (`.sat`) clamps: a float into [0, 1] with [`sat32`], an integer into its type's range.
//!
//! | module | holds |
//! | --- | --- |
//! | [`nan`] | which NaN a result is |
//! | `soft` | exact arithmetic on integers and the one rounding of it |
//! | [`float32`], [`float64`] | add, sub, mul, div, fma, sqrt, rcp, min, max |
//! | [`flush`] | f32 products and quotients that flush |
//! | [`half`] | the same for f16 and bf16 |
//! | [`convert`] | `cvt` |
//! | [`approx`], `elementary` | `.approx`: ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt, div |
//! | [`integer`] | shifts, division, high products, saturation, `sad`, `mul24`, `dp4a`, `vabsdiff4` |
//! | [`bits`] | bit fields, permutations, masks |

pub mod approx;
pub mod bits;
pub mod convert;
mod elementary;
pub mod float32;
pub mod float64;
pub mod flush;
pub mod half;
pub mod integer;
pub mod nan;
mod soft;
#[cfg(test)]
mod tests;

pub use convert::{cvt, cvt_pack, extend};
pub use float32::*;
pub use float64::*;
pub use flush::{div32_ftz, fma32_ftz, mul32_ftz, rcp32_ftz};
pub use half::{Bf16, F16, Half, HalfModes};
