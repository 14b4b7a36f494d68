//! Calls: what a call site passes, which calls are refused, and the callee's instructions in place of the call.

use super::Lowering;
use super::expand::Instance;
use crate::program::{Pc, Src, unsupported};
use crate::ptx::module::{Function, FunctionBody, Operand, PtxInstruction};
use crate::ptx::op::Op;
use crate::ptx::problem::{Problem, Span, Trouble};
use crate::ptx::types::Space;

/// Limit on the depth of calls; no compiler leaves deeper chains.
const MOST_DEPTH: usize = 64;

/// The parameters and results of a function at one of its call sites.
pub struct CallSite {
    pub params: Vec<(Space, u64)>,
    pub returns: Vec<(Space, u64)>,
    pub is_kernel: bool,
    /// File and line of the call in the kernel that led to this function.
    pub called_from: Option<(u32, u32)>,
}

impl<'m> Lowering<'m> {
    /// Begins to expand a function; refuses it if it has no body, or if calls are nested too deep.
    pub(super) fn enter(&mut self, function: &'m Function) -> Result<&'m FunctionBody, Problem> {
        let body = function
            .body
            .as_ref()
            .ok_or_else(|| unsupported(function.span, format!("`{}` is declared but never defined", function.name)))?;
        if self.calls.contains(&function.name.as_str()) {
            return Err(unsupported(
                function.span,
                format!("`{}` calls itself: recursion is not supported, because calls are expanded", function.name),
            )
            .label("recursive"));
        }
        if self.calls.len() >= MOST_DEPTH {
            return Err(unsupported(function.span, format!("calls are nested more than {MOST_DEPTH} deep")));
        }
        self.calls.push(&function.name);
        Ok(body)
    }

    /// Expands a call.
    pub(super) fn call(
        &mut self,
        instance: &Instance,
        instruction: &PtxInstruction,
        name: &str,
        returns: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), Problem> {
        let span = instruction.span;
        let callee = self
            .module
            .function(name)
            .ok_or_else(|| Problem::new(Trouble::Name, span, format!("there is no function `{name}`")))?;
        let params = self.passed(instance, arguments, span)?;
        let returns = self.passed(instance, returns, span)?;
        if let Some(op) = builtin(name) {
            let mut lowered = self.plain(instance, instruction, op)?;
            lowered.src = params.iter().chain(&returns).map(|&(_, at)| Src::Immediate(at)).collect();
            self.instructions.push(lowered);
            return Ok(());
        }
        check(callee, name, (params.len(), returns.len()), span)?;
        // The call itself takes one instruction: a jump to what follows, or past the function when guarded off.
        let here = self.instructions.len();
        let mut jump = self.plain(instance, instruction, Op::Bra { uniform: instruction.guard.is_none() })?;
        jump.target = here as Pc + 1;
        if let Some(guard) = &mut jump.guard {
            guard.negated = !guard.negated;
        }
        let called_from = jump.place.map(|place| place.outer.unwrap_or((place.file, place.line)));
        self.instructions.push(jump);
        self.expand(callee, CallSite { params, returns, is_kernel: false, called_from }).map_err(|problem| {
            // A problem with the callee as a whole is reported at the call.
            if problem.span == callee.span { Problem { span, ..problem } } else { problem }
        })?;
        if instruction.guard.is_some() {
            self.instructions[here].target = self.instructions.len() as Pc;
        }
        Ok(())
    }

    /// Returns the space and address of each variable that a call passes.
    fn passed(&mut self, instance: &Instance, list: &[Operand], span: Span) -> Result<Vec<(Space, u64)>, Problem> {
        list.iter()
            .map(|operand| match operand {
                Operand::Symbol { symbol, .. } => self.symbol(instance, symbol, span),
                _ => Err(Problem::new(Trouble::Operand, span, "a call passes `.param` variables")),
            })
            .collect()
    }
}

/// Returns the operation that an external function stands for, if it is one of the two that are supported.
fn builtin(name: &str) -> Option<Op> {
    match name {
        "vprintf" => Some(Op::Printf),
        "__assertfail" => Some(Op::AssertFail),
        _ => None,
    }
}

/// Refuses a call of an external function, and one that gives another number of arguments or results than the callee has.
fn check(callee: &Function, name: &str, (arguments, results): (usize, usize), span: Span) -> Result<(), Problem> {
    if callee.body.is_none() {
        return Err(unsupported(span, format!("`{name}` is an external function: it is declared but never defined"))
            .label("refused")
            .help("of external functions only `vprintf` and `__assertfail` are supported"));
    }
    let counts = [("arguments", callee.params.len(), arguments), ("results", callee.returns.len(), results)];
    match counts.into_iter().find(|(_, wanted, given)| wanted != given) {
        Some((what, wanted, given)) => {
            Err(Problem::new(Trouble::Operand, span, format!("`{name}` has {wanted} {what}, the call gives {given}")))
        }
        None => Ok(()),
    }
}
