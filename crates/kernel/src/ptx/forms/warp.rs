//! Warp-level operations and block barriers.

use super::super::op::{Int2, Op, Reduce, ShflMode, VoteMode};
use super::super::types::Type;
use super::Want::{Dst, DstAndPred, Optional, Pred, Src};
use super::{Form, Mods, NoForm, Result, made};

pub fn form(opcode: &str, mods: &mut Mods) -> Result<Form> {
    match opcode {
        "activemask" => {
            mods.ty_of(&[Type::B32])?;
            made(Op::ActiveMask, &[Dst(32)])
        }
        "bar" | "barrier" => barrier(mods),
        "shfl" => {
            synchronous(mods)?;
            let mode = mods
                .one_of(&[
                    ("up", ShflMode::Up),
                    ("down", ShflMode::Down),
                    ("bfly", ShflMode::Butterfly),
                    ("idx", ShflMode::Index),
                ])
                .ok_or_else(|| NoForm::Modifiers("one of `.up`, `.down`, `.bfly`, `.idx` is missing".into()))?;
            mods.ty_of(&[Type::B32])?;
            made(Op::Shfl(mode), &[DstAndPred(32), Src(Type::B32), Src(Type::B32), Src(Type::B32), Src(Type::B32)])
        }
        "vote" => {
            synchronous(mods)?;
            let mode = mods
                .one_of(&[
                    ("all", VoteMode::All),
                    ("any", VoteMode::Any),
                    ("uni", VoteMode::Uniform),
                    ("ballot", VoteMode::Ballot),
                ])
                .ok_or_else(|| NoForm::Modifiers("one of `.all`, `.any`, `.uni`, `.ballot` is missing".into()))?;
            let ty = mods.ty_of(if mode == VoteMode::Ballot { &[Type::B32] } else { &[Type::Pred] })?;
            made(Op::Vote(mode), &[Dst(ty.bits()), Pred, Src(Type::B32)])
        }
        "match" => {
            synchronous(mods)?;
            let all = mods
                .one_of(&[("any", false), ("all", true)])
                .ok_or_else(|| NoForm::Modifiers("one of `.any`, `.all` is missing".into()))?;
            let ty = mods.ty_of(&[Type::B32, Type::B64])?;
            made(Op::Match { all, ty }, &[DstAndPred(32), Src(ty), Src(Type::B32)])
        }
        "redux" => {
            synchronous(mods)?;
            let op = mods
                .one_of(&[
                    ("add", Int2::Add),
                    ("min", Int2::Min),
                    ("max", Int2::Max),
                    ("and", Int2::And),
                    ("or", Int2::Or),
                    ("xor", Int2::Xor),
                ])
                .ok_or_else(|| NoForm::Modifiers("an operation such as `.add` is missing".into()))?;
            let ty = mods.ty_of(&[Type::U32, Type::S32, Type::B32])?;
            made(Op::Redux(op, ty), &[Dst(32), Src(ty), Src(Type::B32)])
        }
        _ => Err(NoForm::Unknown),
    }
}

/// Takes `.sync`. Forms without it do not name the threads that take part, and no machine since sm_70 has them.
fn synchronous(mods: &mut Mods) -> Result<()> {
    if mods.take("sync") {
        Ok(())
    } else {
        Err(NoForm::Refused("a warp operation without `.sync`, which machines since sm_70 do not have"))
    }
}

fn barrier(mods: &mut Mods) -> Result<Form> {
    if mods.take("cluster") {
        return Err(NoForm::Refused("a cluster barrier"));
    }
    if mods.take("warp") {
        synchronous(mods)?;
        return made(Op::WarpBarrier, &[Src(Type::B32)]);
    }
    mods.ignore(|word| matches!(word, "cta" | "aligned"));
    let id = Src(Type::U32);
    if mods.take("red") {
        let op = mods
            .one_of(&[("and", Reduce::And), ("or", Reduce::Or), ("popc", Reduce::Popc)])
            .ok_or_else(|| NoForm::Modifiers("one of `.and`, `.or`, `.popc` is missing".into()))?;
        let ty = mods.ty_of(if op == Reduce::Popc { &[Type::U32] } else { &[Type::Pred] })?;
        return made(Op::BarrierReduce(op), &[Dst(ty.bits()), id, Optional(Type::U32), Pred]);
    }
    if mods.take("arrive") {
        return made(Op::BarrierArrive, &[id, Src(Type::U32)]);
    }
    mods.take("sync");
    made(Op::Barrier, &[id, Optional(Type::U32)])
}
