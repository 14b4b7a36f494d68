//! Moves, comparisons, selections and conversions.

use super::super::op::{Compare, Logic, Op};
use super::super::types::{Rounding, Type};
use super::Want::{Dst, DstAndPred, DstWide, Pred, Src, SrcWide};
use super::{Form, Mods, NoForm, Result, made};

const COMPARISONS: [(&str, Compare); 18] = [
    ("eq", Compare::Eq),
    ("ne", Compare::Ne),
    ("lt", Compare::Lt),
    ("le", Compare::Le),
    ("gt", Compare::Gt),
    ("ge", Compare::Ge),
    ("equ", Compare::EqU),
    ("neu", Compare::NeU),
    ("ltu", Compare::LtU),
    ("leu", Compare::LeU),
    ("gtu", Compare::GtU),
    ("geu", Compare::GeU),
    ("num", Compare::Num),
    ("nan", Compare::Nan),
    // Unsigned spellings: lower, same or higher.
    ("lo", Compare::Lt),
    ("ls", Compare::Le),
    ("hi", Compare::Gt),
    ("hs", Compare::Ge),
];
const COMBINE: [(&str, Logic); 3] = [("and", Logic::And), ("or", Logic::Or), ("xor", Logic::Xor)];

pub fn form(opcode: &str, mods: &mut Mods) -> Result<Form> {
    match opcode {
        "mov" => {
            let ty = mods.ty()?;
            if ty.bits() == 8 {
                return Err(NoForm::Modifiers(format!("`mov` does not take the type `.{ty}`")));
            }
            match ty {
                Type::Pred => made(Op::Mov(ty), &[Dst(1), Pred]),
                _ => made(Op::Mov(ty), &[Dst(ty.bits()), Src(ty)]),
            }
        }
        "setp" | "set" => compare(opcode, mods),
        "selp" => {
            let ty = mods.ty()?;
            made(Op::Selp(ty), &[Dst(ty.bits()), Src(ty), Src(ty), Pred])
        }
        "slct" => {
            let ftz = mods.take("ftz");
            let ty = mods.ty()?;
            let by = mods.ty_of(&[Type::S32, Type::F32])?;
            made(Op::Slct { ty, by, ftz }, &[Dst(ty.bits()), Src(ty), Src(ty), Src(by)])
        }
        "cvt" => convert(mods),
        _ => Err(NoForm::Unknown),
    }
}

fn compare(opcode: &str, mods: &mut Mods) -> Result<Form> {
    let cmp = mods.one_of(&COMPARISONS).ok_or_else(|| NoForm::Modifiers("a comparison such as `.lt` is missing".into()))?;
    let combine = mods.one_of(&COMBINE);
    let ftz = mods.take("ftz");
    mods.ignore(|word| word == "BoolOp");
    let dst = if opcode == "set" { Some(mods.ty()?) } else { None };
    let ty = mods.ty()?;
    let integer_only = matches!(cmp, Compare::Eq | Compare::Ne | Compare::Lt | Compare::Le | Compare::Gt | Compare::Ge);
    if ty == Type::Pred || ty.bits() < 16 || !(integer_only || ty.is_float()) {
        return Err(NoForm::Modifiers(format!("that comparison does not take the type `.{ty}`")));
    }
    let mut wants = vec![dst.map_or(DstAndPred(1), |d| Dst(d.bits())), Src(ty), Src(ty)];
    if combine.is_some() {
        wants.push(Pred);
    }
    let op = match dst {
        None => Op::Setp { cmp, combine, ty, ftz },
        Some(dst) => Op::Set { cmp, combine, dst, ty, ftz },
    };
    made(op, &wants)
}

fn convert(mods: &mut Mods) -> Result<Form> {
    if mods.take("pack") {
        return Err(NoForm::Refused("a conversion that packs two integers"));
    }
    let integral =
        mods.one_of(&[("rni", Rounding::Near), ("rzi", Rounding::Zero), ("rmi", Rounding::Down), ("rpi", Rounding::Up)]);
    let rounding = integral.or_else(|| mods.rounding()).or_else(|| mods.take("rna").then_some(Rounding::Near));
    let (ftz, sat, relu) = (mods.take("ftz"), mods.take("sat"), mods.take("relu"));
    let known = |reason| match reason {
        NoForm::Modifiers(_) => NoForm::Modifiers("a pair of types such as `.f32.s32` is missing or not known".into()),
        reason => reason,
    };
    let (dst, src) = (mods.ty().map_err(known)?, mods.ty().map_err(known)?);
    if matches!(dst, Type::F16x2 | Type::Bf16x2) {
        if src != Type::F32 {
            return Err(NoForm::Modifiers(format!("a packed conversion takes `.f32`, not `.{src}`")));
        }
        let rounding = rounding.unwrap_or_default();
        return made(Op::CvtPack { dst, rounding, sat, relu }, &[Dst(32), Src(src), Src(src)]);
    }
    if [dst, src].iter().any(|t| matches!(t, Type::Pred | Type::B128 | Type::F16x2 | Type::Bf16x2)) {
        return Err(NoForm::Modifiers(format!("there is no conversion from `.{src}` to `.{dst}`")));
    }
    made(Op::Cvt { dst, src, rounding, integral: integral.is_some(), ftz, sat, relu }, &[DstWide(dst.bits()), SrcWide(src)])
}
