//! f16 and bf16 on lanes, alone or packed in pairs.

use super::Exec;
use crate::interp::num::{Bf16, F16, Half, HalfModes, approx};
use crate::ptx::op::{Float1, Float2, FloatMode};
use crate::ptx::types::Type;

/// Calls `$f::<Format, W>` for the format of a type.
macro_rules! by_format {
    ($ty:expr, $f:ident($($arg:expr),*)) => {
        match $ty {
            Type::Bf16 | Type::Bf16x2 => $f::<Bf16, W>($($arg),*),
            _ => $f::<F16, W>($($arg),*),
        }
    };
}

fn is_pair(ty: Type) -> bool {
    matches!(ty, Type::F16x2 | Type::Bf16x2)
}

/// Applies `f` to the low and to the high halves.
fn halves<const N: usize>(words: [u32; N], f: impl Fn([u16; N]) -> u16) -> u32 {
    let low = f(words.map(|w| w as u16));
    let high = f(words.map(|w| (w >> 16) as u16));
    (high as u32) << 16 | low as u32
}

fn modes(mode: FloatMode) -> HalfModes {
    HalfModes { ftz: mode.ftz, sat: mode.sat, relu: mode.relu }
}

#[inline(never)]
pub fn one<const W: usize>(x: &mut Exec<W>, op: Float1, mode: FloatMode) {
    fn go<H: Half, const W: usize>(x: &mut Exec<W>, op: Float1, mode: FloatMode) {
        let f = |a: u16| match op {
            Float1::Neg => H::neg(if mode.ftz { H::ftz(a) } else { a }),
            Float1::Abs => H::abs(if mode.ftz { H::ftz(a) } else { a }),
            Float1::Tanh => approx::tanh_half::<H>(a),
            _ => approx::ex2_half::<H>(a, mode.ftz),
        };
        if is_pair(mode.ty) { x.slow1(|a: u32| halves([a], |[a]| f(a))) } else { x.slow1(f) }
    }
    by_format!(mode.ty, go(x, op, mode))
}

#[inline(never)]
pub fn two<const W: usize>(x: &mut Exec<W>, op: Float2, mode: FloatMode) {
    fn go<H: Half, const W: usize>(x: &mut Exec<W>, op: Float2, mode: FloatMode) {
        let flush = |a: u16| if mode.ftz { H::ftz(a) } else { a };
        let f = |a: u16, b: u16| match op {
            Float2::Add => H::add(a, b, modes(mode)),
            Float2::Sub => H::sub(a, b, modes(mode)),
            Float2::Min => H::min(flush(a), flush(b)),
            Float2::Max => H::max(flush(a), flush(b)),
            Float2::MinNan => H::min_nan(flush(a), flush(b)),
            Float2::MaxNan => H::max_nan(flush(a), flush(b)),
            _ => H::mul(a, b, modes(mode)),
        };
        if is_pair(mode.ty) { x.slow2(|a: u32, b: u32| halves([a, b], |[a, b]| f(a, b))) } else { x.slow2(f) }
    }
    by_format!(mode.ty, go(x, op, mode))
}

#[inline(never)]
pub fn fma<const W: usize>(x: &mut Exec<W>, mode: FloatMode) {
    fn go<H: Half, const W: usize>(x: &mut Exec<W>, mode: FloatMode) {
        let f = |a, b, c| H::fma(a, b, c, modes(mode));
        if is_pair(mode.ty) {
            x.slow3(|a: u32, b: u32, c: u32| halves([a, b, c], |[a, b, c]| f(a, b, c)));
        } else {
            x.slow3(f);
        }
    }
    by_format!(mode.ty, go(x, mode))
}
