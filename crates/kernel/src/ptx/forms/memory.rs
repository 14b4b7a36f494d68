//! Loads, stores, atomics, fences, prefetches and address conversions.

use super::super::op::{AccessForm, AtomOp, Op};
use super::super::types::{Space, Type};
use super::Want::{Address, Dst, DstVector, Optional, Src, SrcVector};
use super::{Form, Mods, NoForm, Result, made};

const SPACES: [(&str, Space); 10] = [
    ("global", Space::Global),
    ("shared", Space::Shared),
    ("shared::cta", Space::Shared),
    ("local", Space::Local),
    ("const", Space::Const),
    ("param", Space::Param),
    ("param::entry", Space::Param),
    ("param::func", Space::Param),
    ("generic", Space::Generic),
    ("const[0]", Space::Const),
];

pub fn form(opcode: &str, mods: &mut Mods) -> Result<Form> {
    match opcode {
        "ld" | "ldu" | "st" => access(opcode, mods),
        "atom" | "red" => atomic(opcode, mods),
        "cvta" => {
            let to_space = mods.take("to");
            let space =
                mods.one_of(&SPACES).ok_or_else(|| NoForm::Modifiers("a state space such as `.global` is missing".into()))?;
            let ty = mods.ty_of(&[Type::U64, Type::U32])?;
            made(Op::Cvta { space, to_space, ty }, &[Dst(ty.bits()), Src(ty)])
        }
        "isspacep" => {
            let space =
                mods.one_of(&SPACES).ok_or_else(|| NoForm::Modifiers("a state space such as `.global` is missing".into()))?;
            made(Op::IsSpace(space), &[Dst(1), Src(Type::U64)])
        }
        "membar" | "fence" => {
            if mods.take("async") || mods.take("mbarrier_init") || mods.words.iter().any(|word| word.contains("::")) {
                return Err(NoForm::Refused("a fence for asynchronous copies"));
            }
            mods.ignore(|word| {
                matches!(
                    word,
                    "cta" | "gl" | "sys" | "gpu" | "cluster" | "sc" | "acq_rel" | "acquire" | "release" | "proxy" | "alias"
                )
            });
            made(Op::Fence, &[])
        }
        "prefetch" | "prefetchu" | "discard" | "applypriority" => {
            mods.one_of(&SPACES);
            mods.ignore(|word| word.starts_with('L') && word[1..].starts_with(|c: char| c.is_ascii_digit()));
            made(Op::Nothing, &[Address, Optional(Type::U64)])
        }
        _ => Err(NoForm::Unknown),
    }
}

/// Takes memory order and scope; returns true if the access is stronger than weak.
fn order(mods: &mut Mods) -> bool {
    let strong = mods
        .one_of(&[
            ("volatile", true),
            ("relaxed", true),
            ("acquire", true),
            ("release", true),
            ("acq_rel", true),
            ("mmio", true),
            ("weak", false),
        ])
        .unwrap_or(false);
    mods.ignore(|word| matches!(word, "cta" | "cluster" | "gpu" | "sys" | "gl"));
    strong
}

/// Takes the modifiers that only affect caching.
fn cache_hints(mods: &mut Mods) {
    mods.ignore(|word| {
        matches!(word, "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" | "unified" | "ptr")
            || ["L1::", "L2::", "level::"].iter().any(|prefix| word.starts_with(prefix))
    });
}

fn access(opcode: &str, mods: &mut Mods) -> Result<Form> {
    if mods.take("async") || mods.take("bulk") {
        return Err(NoForm::Refused("an asynchronous store"));
    }
    let strong = order(mods);
    let space = mods.one_of(&SPACES).unwrap_or(Space::Generic);
    let read_only = mods.take("nc") || opcode == "ldu" || space == Space::Const;
    let cache_hint = mods.words.contains(&".L2::cache_hint");
    cache_hints(mods);
    let vector = mods.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).unwrap_or(1);
    let ty = mods.ty()?;
    if ty == Type::B128 {
        return Err(NoForm::Refused("an access of 128 bits at once"));
    }
    if ty == Type::Pred {
        return Err(NoForm::Modifiers(format!("memory holds no `.{ty}`")));
    }
    let access = AccessForm { space, ty, vector, strong, read_only };
    let mut wants = match opcode {
        "st" => vec![Address, SrcVector(vector, ty)],
        _ => vec![DstVector(vector, ty.bits()), Address],
    };
    if cache_hint {
        wants.push(Optional(Type::B64));
    }
    made(if opcode == "st" { Op::Store(access) } else { Op::Load(access) }, &wants)
}

fn atomic(opcode: &str, mods: &mut Mods) -> Result<Form> {
    if mods.take("async") {
        return Err(NoForm::Refused("an asynchronous reduction"));
    }
    order(mods);
    let space = mods.one_of(&SPACES).unwrap_or(Space::Generic);
    let op = mods
        .one_of(&[
            ("and", AtomOp::And),
            ("or", AtomOp::Or),
            ("xor", AtomOp::Xor),
            ("exch", AtomOp::Exch),
            ("cas", AtomOp::Cas),
            ("add", AtomOp::Add),
            ("inc", AtomOp::Inc),
            ("dec", AtomOp::Dec),
            ("min", AtomOp::Min),
            ("max", AtomOp::Max),
        ])
        .ok_or_else(|| NoForm::Modifiers("an operation such as `.add` is missing".into()))?;
    mods.ignore(|word| word == "noftz");
    cache_hints(mods);
    if mods.one_of(&[("v2", 2), ("v4", 4), ("v8", 8)]).is_some() {
        return Err(NoForm::Refused("a vector atomic"));
    }
    let ty = mods.ty()?;
    if ty == Type::B128 {
        return Err(NoForm::Refused("an atomic on 128 bits"));
    }
    use Type::*;
    let allowed: &[Type] = match op {
        AtomOp::And | AtomOp::Or | AtomOp::Xor => &[B32, B64],
        AtomOp::Exch => &[B32, B64],
        AtomOp::Cas => &[B16, B32, B64],
        AtomOp::Add => &[U32, S32, U64, S64, F32, F64, F16, F16x2, Bf16, Bf16x2],
        AtomOp::Inc | AtomOp::Dec => &[U32],
        AtomOp::Min | AtomOp::Max => &[U32, S32, U64, S64],
    };
    if !allowed.contains(&ty) {
        return Err(NoForm::Modifiers(format!("that atomic does not take the type `.{ty}`")));
    }
    let mut wants = if opcode == "atom" { vec![Dst(ty.bits())] } else { Vec::new() };
    wants.extend([Address, Src(ty)]);
    if op == AtomOp::Cas {
        wants.push(Src(ty));
    }
    made(Op::Atom { space, op, ty, result: opcode == "atom" }, &wants)
}
