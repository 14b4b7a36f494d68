//! Moves, packing, conversions and address windows on lanes.

use super::Exec;
use crate::interp::num::{self, Bf16, F16, Half, convert as fast};
use crate::program::address;
use crate::ptx::op::Op;
use crate::ptx::types::{Rounding, Space, Type};

#[inline(never)]
pub fn mov<const W: usize>(x: &mut Exec<W>, ty: Type) {
    match ty.bits() {
        1 => {
            let a = x.source_predicate(0);
            x.put_mask(0, a);
        }
        64 => x.map1(|a: u64| a),
        16 => x.map1(|a: u16| a),
        _ => x.map1(|a: u32| a),
    }
}

/// Packs the sources into one register, with source 0 as the least significant part.
#[inline(never)]
pub fn pack<const W: usize>(x: &mut Exec<W>, part: Type, parts: u8) {
    let bits = part.bits();
    let mut whole = [0u64; W];
    for at in 0..parts as usize {
        let value = x.get::<u32>(at);
        for lane in 0..W {
            whole[lane] |= (value[lane] as u64 & (u64::MAX >> (64 - bits))) << (bits * at as u32);
        }
    }
    put_width(x, bits * u32::from(parts), &whole);
}

fn put_width<const W: usize>(x: &mut Exec<W>, bits: u32, values: &[u64; W]) {
    match bits {
        64 => x.put(0, values),
        16 => x.put(0, &values.map(|v| v as u16)),
        _ => x.put(0, &values.map(|v| v as u32)),
    }
}

#[inline(never)]
pub fn unpack<const W: usize>(x: &mut Exec<W>, part: Type, parts: u8) {
    let bits = part.bits();
    let wide = bits * u32::from(parts) == 64;
    let whole: [u64; W] = if wide { x.get(0) } else { x.get::<u32>(0).map(u64::from) };
    for at in 0..parts as usize {
        let shift = bits * at as u32;
        x.put_extended(at, part, &whole.map(|v| v >> shift));
    }
}

#[inline(never)]
pub fn cvta<const W: usize>(x: &mut Exec<W>, space: Space, to_space: bool, ty: Type) {
    let window = address::window(space);
    let window = if to_space { window.wrapping_neg() } else { window };
    if ty.bits() == 64 {
        x.map1(|a: u64| a.wrapping_add(window));
    } else {
        x.map1(|a: u32| a);
    }
}

/// Tests whether an address lies in the space; parameters also count as global memory.
#[inline(never)]
pub fn is_space<const W: usize>(x: &mut Exec<W>, space: Space) {
    x.map1(|a: u64| {
        let found = address::resolve(a).0;
        found == space || (found, space) == (Space::Param, Space::Global)
    });
}

#[inline(never)]
pub fn cvt<const W: usize>(x: &mut Exec<W>) {
    match x.instruction.op {
        Op::CvtPack { dst, rounding, sat, relu } => x.slow2(|a, b| num::cvt_pack(dst, a, b, rounding, sat, relu)),
        Op::Cvt { dst, src, rounding, integral, ftz, sat, relu } => {
            let exact_width =
                matches!(x.instruction.dst[0], crate::program::Dst::Register { bits, .. } if u32::from(bits) == dst.bits());
            // Fast paths for the most common conversions, each as a loop of its own.
            let zero = rounding == Some(Rounding::Zero);
            let near = rounding == Some(Rounding::Near);
            if exact_width && !sat && !ftz {
                match (dst, src) {
                    (Type::F32, Type::S32) if near => return x.map1(fast::s32_to_f32),
                    (Type::F32, Type::U32) if near => return x.map1(fast::u32_to_f32),
                    (Type::F32, Type::S64) if near => return x.map1(fast::s64_to_f32),
                    (Type::F32, Type::U64) if near => return x.map1(fast::u64_to_f32),
                    (Type::S32, Type::F32) if zero && integral => return x.map1(fast::f32_to_s32),
                    (Type::U32, Type::F32) if zero && integral => return x.map1(fast::f32_to_u32),
                    (Type::S64, Type::F32) if zero && integral => return x.map1(fast::f32_to_s64),
                    (Type::S32, Type::F64) if zero && integral => return x.map1(fast::f64_to_s32),
                    (Type::S64, Type::F64) if zero && integral => return x.map1(fast::f64_to_s64),
                    (Type::F64, Type::F32) => return x.map1(fast::f32_to_f64),
                    (Type::F32, Type::F64) if near => return x.map1(fast::f64_to_f32),
                    (Type::F64, Type::S32) => return x.map1(fast::s32_to_f64),
                    (Type::F64, Type::U32) => return x.map1(fast::u32_to_f64),
                    (Type::F64, Type::S64) if near => return x.map1(fast::s64_to_f64),
                    (Type::F64, Type::U64) if near => return x.map1(fast::u64_to_f64),
                    (Type::S64 | Type::U64 | Type::B64, Type::S32) => return x.map1(|a: i32| a as i64),
                    (Type::S64 | Type::U64 | Type::B64, Type::U32 | Type::B32) => return x.map1(|a: u32| u64::from(a)),
                    (Type::S32 | Type::U32 | Type::B32, Type::S64 | Type::U64 | Type::B64) => return x.map1(|a: u64| a as u32),
                    _ => {}
                }
            }
            let wide = src.bits() == 64;
            let bits: [u64; W] = if wide { x.get(0) } else { x.get::<u32>(0).map(u64::from) };
            let result = x.each(|i| {
                let value = num::cvt(dst, src, bits[i], rounding, integral, ftz, sat);
                if relu { relu_bits(value, dst) } else { value }
            });
            x.put_extended(0, dst, &result);
        }
        _ => {}
    }
}

/// Replaces a negative number by zero.
fn relu_bits(bits: u64, ty: Type) -> u64 {
    match ty {
        Type::F16 => F16::relu(bits as u16).into(),
        Type::Bf16 => Bf16::relu(bits as u16).into(),
        _ => bits,
    }
}
