//! Bit fields, permutations and packed products on lanes.

use super::{Exec, compare};
use crate::interp::num::{bits, integer};
use crate::ptx::op::Op;
use crate::ptx::types::Type;

#[inline(never)]
pub fn fields<const W: usize>(x: &mut Exec<W>) {
    match x.instruction.op {
        Op::Bfe(ty) if ty.bits() == 64 => x.map3(|a: u64, p: u32, n: u32| bits::bfe(ty, a, p, n)),
        Op::Bfe(ty) => x.map3(|a: u32, p: u32, n: u32| bits::bfe(ty, a.into(), p, n) as u32),
        Op::Bfi(Type::B64) => {
            let (a, b, p, n) = (x.get::<u64>(0), x.get::<u64>(1), x.get::<u32>(2), x.get::<u32>(3));
            x.put(0, &x.each(|i| bits::bfi(64, a[i], b[i], p[i], n[i])));
        }
        Op::Bfi(_) => {
            let (a, b, p, n) = (x.get::<u32>(0), x.get::<u32>(1), x.get::<u32>(2), x.get::<u32>(3));
            x.put(0, &x.each(|i| bits::bfi(32, a[i].into(), b[i].into(), p[i], n[i]) as u32));
        }
        Op::Funnel { left, wrap } => x.map3(|a, b, c| bits::shf(left, wrap, a, b, c)),
        Op::Lop3 => {
            let (a, b, c, t) = (x.get::<u32>(0), x.get::<u32>(1), x.get::<u32>(2), x.get::<u32>(3));
            x.put(0, &std::array::from_fn(|i| bits::lop3(a[i], b[i], c[i], t[i] as u8)));
        }
        Op::Lop3Test(logic) => {
            let (a, b, c, t) = (x.get::<u32>(0), x.get::<u32>(1), x.get::<u32>(2), x.get::<u32>(3));
            let result = std::array::from_fn(|i| bits::lop3(a[i], b[i], c[i], t[i] as u8));
            let (set, q) = (compare::mask::<W>(|i| result[i] != 0), x.source_predicate(4));
            x.put(0, &result);
            x.put_mask(1, compare::combined(logic, set, q));
        }
        Op::Permute(mode) => x.map3(|a, b, s| bits::prmt(mode, a, b, s)),
        Op::Bmsk { wrap } => x.map2(|a, b| bits::bmsk(wrap, a, b)),
        Op::Szext { wrap, signed } => x.map2(|a, b| bits::szext(signed, wrap, a, b)),
        Op::Fns => x.slow3(bits::fns),
        Op::Dp4a { a_signed, b_signed } => x.map3(|a, b, c| integer::dp4a(a_signed, b_signed, a, b, c)),
        Op::Dp2a { a_signed, b_signed, high } => x.map3(|a, b, c| integer::dp2a(a_signed, b_signed, high, a, b, c)),
        Op::AbsDiff { halves: false, add: false } => x.map2(integer::vabsdiff4),
        Op::AbsDiff { halves: false, add: true } => x.map3(integer::vabsdiff4_add),
        Op::AbsDiff { halves: true, add: false } => x.map2(integer::vabsdiff2),
        Op::AbsDiff { halves: true, add: true } => x.map3(integer::vabsdiff2_add),
        _ => {}
    }
}
