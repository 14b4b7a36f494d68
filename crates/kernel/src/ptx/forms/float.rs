//! Floating-point arithmetic: single, double, half and bfloat16.

use super::super::op::{Float1, Float2, FloatClass, FloatMode, Op};
use super::super::types::{Rounding, Type};
use super::Want::{Dst, Src};
use super::{Form, Mods, NoForm, Result, arith, made};

/// Returns the form of an opcode that only floats have.
pub fn form(opcode: &str, mods: &mut Mods) -> Result<Form> {
    match opcode {
        "testp" => {
            let class = mods
                .one_of(&[
                    ("finite", FloatClass::Finite),
                    ("infinite", FloatClass::Infinite),
                    ("number", FloatClass::Number),
                    ("notanumber", FloatClass::NotANumber),
                    ("normal", FloatClass::Normal),
                    ("subnormal", FloatClass::Subnormal),
                ])
                .ok_or_else(|| NoForm::Modifiers("the question, such as `.finite`, is missing".into()))?;
            let ty = mods.ty_of(&[Type::F32, Type::F64])?;
            return made(Op::TestP(class, ty), &[Dst(1), Src(ty)]);
        }
        "copysign" => {
            let ty = mods.ty_of(&[Type::F32, Type::F64])?;
            return made(Op::CopySign(ty), &[Dst(ty.bits()), Src(ty), Src(ty)]);
        }
        _ => {}
    }
    let ty = mods.ty()?;
    if !ty.is_float() {
        return Err(NoForm::Modifiers(format!("`{opcode}` does not take the type `.{ty}`")));
    }
    if opcode == "fma" {
        return fma(ty, mods);
    }
    let approx = mods.take("approx");
    let mode = mode(ty, mods);
    let op = match opcode {
        "rcp" if approx => Float1::RcpApprox,
        "sqrt" if approx => Float1::SqrtApprox,
        "rcp" => Float1::Rcp,
        "sqrt" => Float1::Sqrt,
        "rsqrt" => Float1::RsqrtApprox,
        "sin" => Float1::Sin,
        "cos" => Float1::Cos,
        "lg2" => Float1::Lg2,
        "ex2" => Float1::Ex2,
        "tanh" => Float1::Tanh,
        _ => return Err(NoForm::Unknown),
    };
    let narrow_ok = matches!(op, Float1::Ex2 | Float1::Tanh);
    let double_ok = matches!(op, Float1::Rcp | Float1::Sqrt | Float1::RcpApprox | Float1::RsqrtApprox);
    if !(ty == Type::F32 || ty == Type::F64 && double_ok || ty.bits() <= 32 && narrow_ok) {
        return Err(NoForm::Modifiers(format!("`{opcode}` does not take the type `.{ty}`")));
    }
    made(Op::Float1(op, mode), &[Dst(ty.bits()), Src(ty)])
}

/// Returns the form of an opcode that floats share with integers.
pub fn arith(opcode: &str, ty: Type, mods: &mut Mods) -> Result<Form> {
    if opcode == "mad" {
        return fma(ty, mods);
    }
    let (approx, full) = if opcode == "div" { (mods.take("approx"), mods.take("full")) } else { (false, false) };
    let nan = matches!(opcode, "min" | "max") && mods.take("NaN");
    if matches!(opcode, "min" | "max") && mods.take("xorsign") {
        return Err(NoForm::Refused("a minimum or maximum that keeps the exclusive-or of the signs (`.xorsign`)"));
    }
    let mode = mode(ty, mods);
    if let Some(op) = arith::float_one(opcode) {
        return made(Op::Float1(op, mode), &[Dst(ty.bits()), Src(ty)]);
    }
    let op = arith::float_two(opcode).ok_or_else(|| NoForm::Modifiers(format!("`{opcode}` does not take the type `.{ty}`")))?;
    let op = match op {
        Float2::Div if !matches!(ty, Type::F32 | Type::F64) => {
            return Err(NoForm::Modifiers(format!("`div` does not take the type `.{ty}`")));
        }
        Float2::Div if approx => Float2::DivApprox,
        Float2::Div if full => Float2::DivFull,
        Float2::Min if nan => Float2::MinNan,
        Float2::Max if nan => Float2::MaxNan,
        op => op,
    };
    made(Op::Float2(op, mode), &[Dst(ty.bits()), Src(ty), Src(ty)])
}

fn fma(ty: Type, mods: &mut Mods) -> Result<Form> {
    let mode = mode(ty, mods);
    made(Op::Fma(mode), &[Dst(ty.bits()), Src(ty), Src(ty), Src(ty)])
}

fn mode(ty: Type, mods: &mut Mods) -> FloatMode {
    let rounding = mods.rounding().unwrap_or(Rounding::Near);
    // `.noftz` states the default.
    mods.ignore(|word| word == "noftz");
    FloatMode { ty, rounding, ftz: mods.take("ftz"), sat: mods.take("sat"), relu: mods.take("relu") }
}
