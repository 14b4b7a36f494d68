//! Expansion of one function at one call site: its instructions in order, and their branches once every position is known.

use super::Lowering;
use super::calls::CallSite;
use super::instruction::bare;
use crate::program::{Instruction, Pc, Plane, unsupported};
use crate::ptx::module::{Function, FunctionBody, LabelId, Operand, PtxInstruction, RegisterId};
use crate::ptx::op::Op;
use crate::ptx::problem::Problem;
use crate::ptx::types::Space;

/// Limit on the instructions of a kernel with its calls expanded.
const MOST_INSTRUCTIONS: usize = 2_000_000;
/// Limit on the registers, variables and branch targets of a kernel with its calls expanded.
const MOST_NAMES: usize = 2_000_000;
/// Limit on the bytes of the names of those.
const MOST_BYTES_OF_NAMES: usize = 1 << 28;

/// One expansion of a function: its registers, variables and labels.
pub struct Instance<'f> {
    pub body: &'f FunctionBody,
    pub call_site: CallSite,
    planes: Vec<Plane>,
    /// Space and address of each body variable.
    pub variables: Vec<(Space, u64)>,
    /// Index of its first branch table among the program's.
    first_table: usize,
    /// Position of each original instruction in the program, then the position behind the last one.
    positions: Vec<Pc>,
    /// Each branch with its label; they are patched when every position is known.
    branches: Vec<(usize, LabelId)>,
}

impl<'m> Lowering<'m> {
    /// Appends a function's instructions to the program.
    pub(super) fn expand(&mut self, function: &'m Function, call_site: CallSite) -> Result<(), Problem> {
        let body = self.enter(function)?;
        let mut instance = self.instance(function, body, call_site)?;
        for instruction in &body.instructions {
            instance.positions.push(self.instructions.len() as Pc);
            self.instruction(&mut instance, instruction)?;
        }
        instance.positions.push(self.instructions.len() as Pc);
        self.patch(&instance);
        if instance.call_site.is_kernel && self.reaches_end(&instance) {
            self.instructions.push(bare(Op::Exit, function.span));
        }
        self.calls.pop();
        Ok(())
    }

    /// Gives an expansion of a function its registers, variables and branch tables.
    fn instance<'f>(
        &mut self,
        function: &Function,
        body: &'f FunctionBody,
        call_site: CallSite,
    ) -> Result<Instance<'f>, Problem> {
        self.count_names(function, body)?;
        let planes = body.registers.iter().map(|r| self.add_register(&r.name, r.bits)).collect();
        let variables = body.variables.iter().map(|v| self.place_variable(function, v)).collect::<Result<_, _>>()?;
        let first_table = self.tables.len();
        self.tables.resize(first_table + body.tables.len(), Box::default());
        let positions = Vec::with_capacity(body.instructions.len() + 1);
        Ok(Instance { body, call_site, planes, variables, first_table, positions, branches: Vec::new() })
    }

    /// Counts what an expansion of a function adds besides instructions, and refuses more than there may be.
    fn count_names(&mut self, function: &Function, body: &FunctionBody) -> Result<(), Problem> {
        let targets: usize = body.tables.iter().map(|table| table.targets.len()).sum();
        self.names += body.registers.len() + body.variables.len() + body.tables.len() + targets;
        let bytes: usize = body.registers.iter().map(|register| register.name.len()).sum();
        self.bytes_of_names += bytes + body.variables.iter().map(|v| v.name.len() + function.name.len()).sum::<usize>();
        if self.names > MOST_NAMES {
            let message = format!(
                "the kernel has {} registers, variables and branch targets when its calls are expanded up to `{}`; it may have \
                 {MOST_NAMES}",
                self.names, function.name
            );
            return Err(unsupported(function.span, message));
        }
        if self.bytes_of_names > MOST_BYTES_OF_NAMES {
            let message = format!(
                "the names of the kernel's registers and variables take more than {} MiB when its calls are expanded up to `{}`",
                MOST_BYTES_OF_NAMES >> 20,
                function.name
            );
            return Err(unsupported(function.span, message));
        }
        Ok(())
    }

    /// Appends one instruction, or the function that it calls.
    fn instruction(&mut self, instance: &mut Instance, instruction: &PtxInstruction) -> Result<(), Problem> {
        let here = self.instructions.len();
        if here > MOST_INSTRUCTIONS {
            return Err(unsupported(
                instruction.span,
                format!("the kernel grows past {MOST_INSTRUCTIONS} instructions when its calls are expanded"),
            ));
        }
        let lowered = match (instruction.op, &instruction.operands[..]) {
            (Op::Call, [Operand::Callee { name, returns, arguments }]) => {
                return self.call(instance, instruction, name, returns, arguments);
            }
            (Op::Bra { .. }, [Operand::CodeLabel(label)]) => {
                instance.branches.push((here, *label));
                self.plain(instance, instruction, instruction.op)?
            }
            (Op::BrxIdx, [_, Operand::Table(table)]) => {
                let target = instance.first_table as Pc + *table;
                Instruction { target, ..self.plain(instance, instruction, instruction.op)? }
            }
            (Op::Ret, _) => {
                // In a called function `ret` jumps behind the function's end; in a kernel it ends the thread.
                let op = if instance.call_site.is_kernel { Op::Exit } else { Op::Bra { uniform: false } };
                Instruction { target: Pc::MAX, ..self.plain(instance, instruction, op)? }
            }
            _ => self.plain(instance, instruction, instruction.op)?,
        };
        self.instructions.push(lowered);
        Ok(())
    }

    /// Resolves the branches, returns and branch tables of a function whose instructions are the program's last.
    fn patch(&mut self, instance: &Instance) {
        for &(at, label) in &instance.branches {
            self.instructions[at].target = instance.position(label);
        }
        let end = self.instructions.len() as Pc;
        for instruction in &mut self.instructions[instance.positions[0] as usize..] {
            if matches!(instruction.op, Op::Bra { .. }) && instruction.target == Pc::MAX {
                instruction.target = end;
            }
        }
        for (at, table) in instance.body.tables.iter().enumerate() {
            self.tables[instance.first_table + at] = table.targets.iter().map(|&label| instance.position(label)).collect();
        }
    }

    /// Returns whether threads can get behind the last instruction of a kernel, which then stops there, as one that ends in `ret`
    /// does.
    fn reaches_end(&self, instance: &Instance) -> bool {
        let runs_off = !self.instructions.last().is_some_and(|i| i.guard.is_none() && matches!(i.op, Op::Exit | Op::Bra { .. }));
        let end = self.instructions.len() as Pc;
        let tables = instance.body.tables.iter().flat_map(|table| &table.targets);
        let mut labels = instance.branches.iter().map(|(_, label)| label).chain(tables);
        runs_off || labels.any(|label| instance.position(*label) == end)
    }
}

impl Instance<'_> {
    pub fn plane(&self, id: RegisterId) -> Plane {
        self.planes[id.0 as usize]
    }

    /// Returns the position of a label in the program.
    fn position(&self, label: LabelId) -> Pc {
        self.positions[self.body.labels[label.0 as usize].at as usize]
    }
}
