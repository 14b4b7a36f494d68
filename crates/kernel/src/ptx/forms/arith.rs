//! Integer arithmetic, and the opcodes it shares with floats (`add`, `mul`, `min` …).

use super::super::op::{CarryOp, Float1, Float2, Int1, Int2, Int3, Op};
use super::super::types::Type;
use super::Want::{Dst, Src};
use super::{Form, Mods, NoForm, Result, float, made};

const INTEGERS: [Type; 6] = [Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64];
const WORDS: [Type; 4] = [Type::U32, Type::S32, Type::U64, Type::S64];

pub fn form(opcode: &str, mods: &mut Mods) -> Result<Form> {
    match opcode {
        "dp4a" | "dp2a" => return dot_product(opcode, mods),
        "vabsdiff2" | "vabsdiff4" => return abs_diff(opcode, mods),
        "mul24" | "mad24" => return multiply24(opcode, mods),
        "sad" => {
            let ty = mods.ty_of(&INTEGERS)?;
            return made(Op::Int3(Int3::Sad, ty), &[Dst(ty.bits()), Src(ty), Src(ty), Src(ty)]);
        }
        "addc" | "subc" | "madc" => return carry(opcode, mods),
        _ => {}
    }
    if mods.take("cc") {
        return carry_out(opcode, mods);
    }
    if let Some(signed) = mods.one_of(&[("u16x2", false), ("s16x2", true)]) {
        return pair(opcode, signed, mods);
    }
    let ty = mods.ty()?;
    if mods.optional_ty().is_some() {
        return Err(NoForm::Refused("arithmetic of mixed precision"));
    }
    if ty.is_float() {
        return float::arith(opcode, ty, mods);
    }
    let two = |op| made(Op::Int2(op, ty), &[Dst(ty.bits()), Src(ty), Src(ty)]);
    let three = |op| made(Op::Int3(op, ty), &[Dst(ty.bits()), Src(ty), Src(ty), Src(ty)]);
    if !INTEGERS.contains(&ty) {
        return Err(NoForm::Modifiers(format!("`{opcode}` does not take the type `.{ty}`")));
    }
    if matches!(opcode, "min" | "max") && mods.take("relu") {
        return Err(NoForm::Refused("a minimum or maximum that is clamped to zero"));
    }
    match opcode {
        "add" if mods.take("sat") => two(Int2::AddSat),
        "sub" if mods.take("sat") => two(Int2::SubSat),
        "add" => two(Int2::Add),
        "sub" => two(Int2::Sub),
        "div" => two(Int2::Div),
        "rem" => two(Int2::Rem),
        "min" => two(Int2::Min),
        "max" => two(Int2::Max),
        "neg" => made(Op::Int1(Int1::Neg, ty), &[Dst(ty.bits()), Src(ty)]),
        "abs" => made(Op::Int1(Int1::Abs, ty), &[Dst(ty.bits()), Src(ty)]),
        "mul" | "mad" => {
            let part = mods
                .one_of(&[("lo", 0), ("hi", 1), ("wide", 2)])
                .ok_or_else(|| NoForm::Modifiers("one of `.lo`, `.hi`, `.wide` is missing".into()))?;
            let wide = match ty {
                Type::U16 => Type::U32,
                Type::S16 => Type::S32,
                Type::U32 => Type::U64,
                Type::S32 => Type::S64,
                _ => ty,
            };
            match (opcode, part) {
                ("mul", 0) => two(Int2::MulLo),
                ("mul", 1) => two(Int2::MulHi),
                ("mad", 0) => three(Int3::MadLo),
                ("mad", 1) if mods.take("sat") => three(Int3::MadHiSat),
                ("mad", 1) => three(Int3::MadHi),
                _ if ty.bits() == 64 => Err(NoForm::Modifiers("`.wide` has no 64-bit form".into())),
                ("mul", _) => made(Op::MulWide(ty), &[Dst(wide.bits()), Src(ty), Src(ty)]),
                _ => made(Op::MadWide(ty), &[Dst(wide.bits()), Src(ty), Src(ty), Src(wide)]),
            }
        }
        _ => Err(NoForm::Unknown),
    }
}

/// `add`, `min`, `max` on the two 16-bit halves of a register.
fn pair(opcode: &str, signed: bool, mods: &mut Mods) -> Result<Form> {
    let op = match opcode {
        "add" => Int2::Add,
        "min" => Int2::Min,
        "max" => Int2::Max,
        _ => return Err(NoForm::Modifiers(format!("`{opcode}` does not take packed halves"))),
    };
    let relu = signed && op != Int2::Add && mods.take("relu");
    made(Op::Pair { op, signed, relu }, &[Dst(32), Src(Type::B32), Src(Type::B32)])
}

/// `addc`, `subc`, `madc`: read the carry flag, and write it with `.cc`.
fn carry(opcode: &str, mods: &mut Mods) -> Result<Form> {
    let carry_out = mods.take("cc");
    carry_form(opcode, mods, true, carry_out)
}

/// `add.cc`, `sub.cc`, `mad.cc`: write the carry flag.
fn carry_out(opcode: &str, mods: &mut Mods) -> Result<Form> {
    carry_form(opcode, mods, false, true)
}

fn carry_form(opcode: &str, mods: &mut Mods, carry_in: bool, carry_out: bool) -> Result<Form> {
    let ty = mods.ty_of(&WORDS)?;
    let op = match opcode {
        "add" | "addc" => CarryOp::Add,
        "sub" | "subc" => CarryOp::Sub,
        "mad" | "madc" => mods
            .one_of(&[("lo", CarryOp::MadLo), ("hi", CarryOp::MadHi)])
            .ok_or_else(|| NoForm::Modifiers("one of `.lo`, `.hi` is missing".into()))?,
        _ => return Err(NoForm::Modifiers("modifier `.cc` has no meaning here".into())),
    };
    let op = Op::Carry { op, ty, carry_in, carry_out };
    match opcode {
        "mad" | "madc" => made(op, &[Dst(ty.bits()), Src(ty), Src(ty), Src(ty)]),
        _ => made(op, &[Dst(ty.bits()), Src(ty), Src(ty)]),
    }
}

fn multiply24(opcode: &str, mods: &mut Mods) -> Result<Form> {
    let ty = mods.ty_of(&[Type::U32, Type::S32])?;
    let high =
        mods.one_of(&[("lo", false), ("hi", true)]).ok_or_else(|| NoForm::Modifiers("one of `.lo`, `.hi` is missing".into()))?;
    let d = Dst(32);
    match (opcode, high) {
        ("mul24", false) => made(Op::Int2(Int2::Mul24Lo, ty), &[d, Src(ty), Src(ty)]),
        ("mul24", true) => made(Op::Int2(Int2::Mul24Hi, ty), &[d, Src(ty), Src(ty)]),
        (_, false) => made(Op::Int3(Int3::Mad24Lo, ty), &[d, Src(ty), Src(ty), Src(ty)]),
        (_, true) if mods.take("sat") => made(Op::Int3(Int3::Mad24HiSat, ty), &[d, Src(ty), Src(ty), Src(ty)]),
        (_, true) => made(Op::Int3(Int3::Mad24Hi, ty), &[d, Src(ty), Src(ty), Src(ty)]),
    }
}

fn dot_product(opcode: &str, mods: &mut Mods) -> Result<Form> {
    let a = mods.ty_of(&[Type::U32, Type::S32])?;
    let b = mods.ty_of(&[Type::U32, Type::S32])?;
    let (a_signed, b_signed) = (a.is_signed(), b.is_signed());
    let op = if opcode == "dp4a" {
        Op::Dp4a { a_signed, b_signed }
    } else {
        let high = mods
            .one_of(&[("lo", false), ("hi", true)])
            .ok_or_else(|| NoForm::Modifiers("one of `.lo`, `.hi` is missing".into()))?;
        Op::Dp2a { a_signed, b_signed, high }
    };
    made(op, &[Dst(32), Src(a), Src(b), Src(Type::B32)])
}

fn abs_diff(opcode: &str, mods: &mut Mods) -> Result<Form> {
    for _ in 0..3 {
        if mods.ty_of(&[Type::U32, Type::S32])?.is_signed() {
            return Err(NoForm::Refused("a video instruction on signed parts"));
        }
    }
    let op = Op::AbsDiff { halves: opcode == "vabsdiff2", add: mods.take("add") };
    made(op, &[Dst(32), Src(Type::U32), Src(Type::U32), Src(Type::B32)])
}

/// Returns the float operation of a shared opcode with two sources, for [`float::arith`].
pub fn float_two(opcode: &str) -> Option<Float2> {
    Some(match opcode {
        "add" => Float2::Add,
        "sub" => Float2::Sub,
        "mul" => Float2::Mul,
        "div" => Float2::Div,
        "min" => Float2::Min,
        "max" => Float2::Max,
        _ => return None,
    })
}

/// Returns the float operation of a shared opcode with one source, for [`float::arith`].
pub fn float_one(opcode: &str) -> Option<Float1> {
    match opcode {
        "neg" => Some(Float1::Neg),
        "abs" => Some(Float1::Abs),
        _ => None,
    }
}
