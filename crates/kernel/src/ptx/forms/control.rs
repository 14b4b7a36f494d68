//! Branches, calls, exits, and instructions that only affect scheduling.

use super::super::op::Op;
use super::super::types::Type;
use super::Want::{Call, CodeLabel, Optional, Src, Table};
use super::{Form, Mods, NoForm, Result, made};

pub fn form(opcode: &str, mods: &mut Mods) -> Result<Form> {
    let uniform = mods.take("uni");
    match opcode {
        "bra" => made(Op::Bra { uniform }, &[CodeLabel]),
        "brx" => {
            if !mods.take("idx") {
                return Err(NoForm::Modifiers("`.idx` is missing".into()));
            }
            made(Op::BrxIdx, &[Src(Type::U32), Table])
        }
        "call" => made(Op::Call, &[Call]),
        "ret" => made(Op::Ret, &[]),
        "exit" => made(Op::Exit, &[]),
        "trap" | "brkpt" => made(Op::Trap, &[]),
        "nanosleep" => {
            mods.ty_of(&[Type::U32])?;
            made(Op::Nothing, &[Src(Type::U32)])
        }
        // Kernels run one at a time, so there is no other kernel to wait for or to launch.
        "griddepcontrol" => {
            mods.ignore(|word| matches!(word, "wait" | "launch_dependents"));
            made(Op::Nothing, &[])
        }
        "pmevent" => {
            mods.take("mask");
            made(Op::Nothing, &[Optional(Type::U32)])
        }
        _ => Err(NoForm::Unknown),
    }
}
