//! Early returns: a branch to a place from which a thread only returns becomes an exit.
//!
//! Compilers merge every `return` of a kernel into one block, so `if (i >= n) return;` is a branch to the last block, and that
//! block is the post-dominator of everything. Taken literally, threads that return would wait there for the others, and a barrier
//! among the others could never complete. GPUs run such a branch as a predicated exit (`@P0 EXIT` in machine code), so that these
//! threads are gone. This pass does the same.
//!
//! - `@p bra L`, where only a return follows at `L`, becomes `@p exit`, and `bra L` becomes `exit`.
//! - A branch-table entry that leads to such a place is redirected to an exit of the table's own.
//!
//! "Only a return follows" allows unobservable instructions on the way: arithmetic, moves, jumps.

use super::Rewrite;
use crate::program::{Instruction, Pc, Program};
use crate::ptx::op::{Kind, Op};

/// Limit on the instructions followed in search of a return. Compilers leave none or very few before it.
const MOST_STEPS: usize = 32;

pub fn run(program: &mut Program) {
    for at in 0..program.instructions.len() {
        let instruction = &program.instructions[at];
        if matches!(instruction.op, Op::Bra { .. }) && only_returns(&program.instructions, instruction.target).is_some() {
            let instruction = &mut program.instructions[at];
            instruction.op = Op::Exit;
            instruction.target = 0;
            instruction.rewrite = Some(Rewrite::Return);
        }
    }
    for at in 0..program.tables.len() {
        give_table_its_exit(program, at);
    }
}

/// Redirects a table's entries that only return to one exit behind the program's end.
fn give_table_its_exit(program: &mut Program, table: usize) {
    let returns = |&target: &Pc| only_returns(&program.instructions, target);
    let Some(exit) = program.tables[table].iter().find_map(returns) else { return };
    let own = program.instructions.len() as Pc;
    let targets = program.tables[table].iter().map(|target| if returns(target).is_some() { own } else { *target }).collect();
    program.tables[table] = targets;
    let mut exit = program.instructions[exit as usize].clone();
    exit.rewrite = Some(Rewrite::Return);
    program.instructions.push(exit);
}

/// Returns the exit that a thread reaches from `pc`, if everything that it does on the way is unobservable.
pub fn only_returns(instructions: &[Instruction], mut pc: Pc) -> Option<Pc> {
    for _ in 0..MOST_STEPS {
        let instruction = instructions.get(pc as usize)?;
        match instruction.op {
            Op::Exit | Op::Ret | Op::Again if instruction.guard.is_none() => return Some(pc),
            Op::Bra { .. } if instruction.guard.is_none() => pc = instruction.target,
            op if is_unobservable(op) => pc += 1,
            _ => return None,
        }
    }
    None
}

/// Whether an operation changes only registers, and can neither trap nor wait.
pub fn is_unobservable(op: Op) -> bool {
    match op.kind() {
        Kind::Alu => true,
        Kind::Quiet => op != Op::Fence,
        Kind::Branch | Kind::Call | Kind::End | Kind::Again | Kind::Trap | Kind::Host => false,
        Kind::Memory | Kind::Barrier | Kind::Join | Kind::ActiveMask | Kind::Converge | Kind::Dispatch => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::program::load;
    use crate::ptx::op::Op;

    const HEAD: &str =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{ .reg .pred p; .reg .b32 r; .shared .b32 s;\n";

    /// Returns the kernel's operations in order: `exit`, `bra` or `.`, with `@` in front where guarded.
    fn shape(body: &str) -> String {
        let program = load(&format!("{HEAD}{body}\n}}\n"), None).expect("a sound kernel");
        let letter = |op| match op {
            Op::Exit => "exit",
            Op::Bra { .. } => "bra",
            _ => ".",
        };
        let words = program.instructions.iter().map(|i| format!("{}{}", if i.guard.is_some() { "@" } else { "" }, letter(i.op)));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_branch_to_a_return_is_an_exit() {
        assert_eq!(shape("@p bra L; bar.sync 0; L: ret;"), "@exit . exit");
        assert_eq!(shape("@!p bra L; st.shared.b32 [s], r; bra.uni L; L: ret;"), "@exit . exit exit");
    }

    #[test]
    fn nothing_that_can_be_observed_may_stand_before_the_return() {
        assert_eq!(shape("@p bra L; bar.sync 0; L: mov.b32 r, 1; ret;"), "@exit . . exit");
        assert_eq!(shape("@p bra L; bar.sync 0; L: bra.uni M; M: ret;"), "@exit . exit exit");
        assert_eq!(shape("@p bra L; bar.sync 0; L: st.shared.b32 [s], r; ret;"), "@bra . . exit");
        assert_eq!(shape("@p bra L; bar.sync 0; L: @p ret; bar.sync 0; ret;"), "@bra . @exit . exit");
        assert_eq!(shape("L: @p bra M; M: bra.uni L;"), "@bra bra");
    }

    #[test]
    fn entries_of_a_table_get_an_exit_of_their_own() {
        let text = "T: .branchtargets A, L, B, L; brx.idx r, T; A: mov.b32 r, 1; bra.uni B; B: bar.sync 0; L: ret;";
        let program = load(&format!("{HEAD}{text}\n}}\n"), None).expect("a sound kernel");
        let table = &program.tables[0];
        assert_eq!((table[1], table[3]), (5, 5), "behind the end");
        assert_eq!(program.instructions[5].op, Op::Exit);
        assert_eq!(program.reconvergence.meetings[0].rpc, Some(table[2]), "the others meet at B");
    }
}
