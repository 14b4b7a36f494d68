//! Logic, shifts, bit fields and counts.

use super::super::op::{Int1, Int2, Logic, Op, PermuteMode};
use super::super::types::Type;
use super::Want::{Dst, DstAndPred, Pred, Src};
use super::{Form, Mods, NoForm, Result, made};

const FIELDS: [Type; 4] = [Type::U32, Type::S32, Type::U64, Type::S64];

pub fn form(opcode: &str, mods: &mut Mods) -> Result<Form> {
    match opcode {
        "and" | "or" | "xor" => {
            let ty = mods.ty_of(&[Type::B32, Type::B64, Type::B16, Type::Pred])?;
            let (word, logic) = match opcode {
                "and" => (Int2::And, Logic::And),
                "or" => (Int2::Or, Logic::Or),
                _ => (Int2::Xor, Logic::Xor),
            };
            match ty {
                Type::Pred => made(Op::Pred2(logic), &[Dst(1), Pred, Pred]),
                _ => made(Op::Int2(word, ty), &[Dst(ty.bits()), Src(ty), Src(ty)]),
            }
        }
        "not" => match mods.ty_of(&[Type::B32, Type::B64, Type::B16, Type::Pred])? {
            Type::Pred => made(Op::PredNot, &[Dst(1), Pred]),
            ty => made(Op::Int1(Int1::Not, ty), &[Dst(ty.bits()), Src(ty)]),
        },
        "cnot" => {
            let ty = mods.ty_of(&[Type::B16, Type::B32, Type::B64])?;
            made(Op::Int1(Int1::Cnot, ty), &[Dst(ty.bits()), Src(ty)])
        }
        "shl" => {
            let ty = mods.ty_of(&[Type::B16, Type::B32, Type::B64])?;
            made(Op::Shift { left: true, ty }, &[Dst(ty.bits()), Src(ty), Src(Type::U32)])
        }
        "shr" => {
            let ty =
                mods.ty_of(&[Type::U16, Type::U32, Type::U64, Type::S16, Type::S32, Type::S64, Type::B16, Type::B32, Type::B64])?;
            made(Op::Shift { left: false, ty }, &[Dst(ty.bits()), Src(ty), Src(Type::U32)])
        }
        "popc" | "clz" => {
            let ty = mods.ty_of(&[Type::B32, Type::B64])?;
            made(Op::Int1(if opcode == "popc" { Int1::Popc } else { Int1::Clz }, ty), &[Dst(32), Src(ty)])
        }
        "brev" => {
            let ty = mods.ty_of(&[Type::B32, Type::B64])?;
            made(Op::Int1(Int1::Brev, ty), &[Dst(ty.bits()), Src(ty)])
        }
        "bfind" => {
            let op = if mods.take("shiftamt") { Int1::BfindShift } else { Int1::Bfind };
            let ty = mods.ty_of(&FIELDS)?;
            made(Op::Int1(op, ty), &[Dst(32), Src(ty)])
        }
        "bfe" => {
            let ty = mods.ty_of(&FIELDS)?;
            made(Op::Bfe(ty), &[Dst(ty.bits()), Src(ty), Src(Type::U32), Src(Type::U32)])
        }
        "bfi" => {
            let ty = mods.ty_of(&[Type::B32, Type::B64])?;
            made(Op::Bfi(ty), &[Dst(ty.bits()), Src(ty), Src(ty), Src(Type::U32), Src(Type::U32)])
        }
        "shf" => {
            let left = mods
                .one_of(&[("l", true), ("r", false)])
                .ok_or_else(|| NoForm::Modifiers("one of `.l`, `.r` is missing".into()))?;
            let wrap = wraps(mods)?;
            mods.ty_of(&[Type::B32])?;
            made(Op::Funnel { left, wrap }, &[Dst(32), Src(Type::B32), Src(Type::B32), Src(Type::U32)])
        }
        "lop3" => {
            mods.ty_of(&[Type::B32])?;
            if let Some(logic) = mods.one_of(&[("and", Logic::And), ("or", Logic::Or), ("xor", Logic::Xor)]) {
                let word = Src(Type::B32);
                return made(Op::Lop3Test(logic), &[DstAndPred(32), word, word, word, Src(Type::U32), Pred]);
            }
            made(Op::Lop3, &[Dst(32), Src(Type::B32), Src(Type::B32), Src(Type::B32), Src(Type::U32)])
        }
        "prmt" => {
            mods.ty_of(&[Type::B32])?;
            let mode = mods
                .one_of(&[
                    ("f4e", PermuteMode::Forward4),
                    ("b4e", PermuteMode::Backward4),
                    ("rc8", PermuteMode::Replicate8),
                    ("ecl", PermuteMode::EdgeLeft),
                    ("ecr", PermuteMode::EdgeRight),
                    ("rc16", PermuteMode::Replicate16),
                ])
                .unwrap_or(PermuteMode::Index);
            made(Op::Permute(mode), &[Dst(32), Src(Type::B32), Src(Type::B32), Src(Type::B32)])
        }
        "bmsk" => {
            let wrap = wraps(mods)?;
            mods.ty_of(&[Type::B32])?;
            made(Op::Bmsk { wrap }, &[Dst(32), Src(Type::B32), Src(Type::B32)])
        }
        "szext" => {
            let wrap = wraps(mods)?;
            let ty = mods.ty_of(&[Type::U32, Type::S32])?;
            made(Op::Szext { wrap, signed: ty.is_signed() }, &[Dst(32), Src(ty), Src(Type::U32)])
        }
        "fns" => {
            mods.ty_of(&[Type::B32])?;
            made(Op::Fns, &[Dst(32), Src(Type::B32), Src(Type::B32), Src(Type::S32)])
        }
        _ => Err(NoForm::Unknown),
    }
}

fn wraps(mods: &mut Mods) -> Result<bool> {
    mods.one_of(&[("wrap", true), ("clamp", false)])
        .ok_or_else(|| NoForm::Modifiers("one of `.wrap`, `.clamp` is missing".into()))
}
