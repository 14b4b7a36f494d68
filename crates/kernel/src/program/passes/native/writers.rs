//! Which registers hold one value for as long as they are read.

use crate::program::graph::{NONE, Tree};
use crate::program::liveness::{for_reads, for_writes};
use crate::program::{Plane, Program};

/// Which planes have one writer and are never read before it, or hold a parameter.
pub struct Writers {
    is_once: Vec<bool>,
    is_param: Vec<bool>,
}

impl Writers {
    pub fn of(program: &Program) -> Writers {
        let carry = program.planes - 1;
        let mut writer: Vec<Option<usize>> = vec![None; program.planes as usize];
        let mut is_once = vec![false; program.planes as usize];
        for (pc, instruction) in program.instructions.iter().enumerate() {
            let begins = instruction.guard.is_none() || instruction.begins;
            for_writes(instruction, carry, |plane| {
                is_once[plane as usize] = writer[plane as usize].is_none() && begins;
                writer[plane as usize] = Some(pc);
            });
        }
        // A plane is not read first if its writer stands on every path to every reader.
        let parents = program.cfg.dominators();
        let tree = Tree::new(&parents);
        for (pc, instruction) in program.instructions.iter().enumerate() {
            let block = program.cfg.block_of[pc] as usize;
            for_reads(instruction, carry, |plane| {
                let comes_first = writer[plane as usize].is_some_and(|writer| {
                    let writing = program.cfg.block_of[writer] as usize;
                    if writing == block { writer < pc } else { tree.is_above(writing, block) }
                });
                is_once[plane as usize] &= comes_first || parents[block] == NONE && block != 0;
            });
        }
        let mut is_param = vec![false; program.planes as usize];
        program.param_registers.iter().for_each(|register| is_param[register.plane as usize] = true);
        Writers { is_once, is_param }
    }

    /// Whether a plane has one writer and is never read before it, or holds a parameter.
    pub fn is_once(&self, plane: Plane) -> bool {
        self.is_param[plane as usize] || self.is_once[plane as usize]
    }
}
