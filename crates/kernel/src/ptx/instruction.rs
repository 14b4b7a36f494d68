//! Parses one instruction: guard, opcode with its modifiers, and operands or the callee of a call.

use super::body::Builder;
use super::cursor::shorten;
use super::forms::NoForm;
use super::lexer::TokenKind;
use super::module::{Operand, PtxGuard, PtxInstruction, Symbol};
use super::op::Op;
use super::parser::Result;
use super::problem::{Problem, Span, Trouble};

impl Builder<'_, '_> {
    pub fn instruction(&mut self) -> Result<()> {
        let start = self.p.peek().span;
        let guard = self.guard()?;
        let opcode = self.p.name("an instruction")?;
        let mut modifiers: [&str; 16] = [""; 16];
        let (mut count, mut last) = (0, opcode.span);
        while self.p.peek().kind == TokenKind::Dotted {
            let token = self.p.next();
            if count < modifiers.len() {
                modifiers[count] = self.p.word(token);
            }
            count += 1;
            last = token.span;
        }
        let opcode_span = opcode.span.to(last);
        let whole = opcode_span.text(self.p.text);
        if count > modifiers.len() {
            return Err(Problem::new(Trouble::Syntax, opcode_span, "no instruction has that many modifiers"));
        }
        let form = match self.p.form(whole, self.p.word(opcode), &modifiers[..count]) {
            Ok(form) => form,
            Err(reason) => return Err(no_form(whole, opcode_span, reason)),
        };
        let (op, operands) = if form.op == Op::Call {
            (Op::Call, vec![self.callee()?])
        } else {
            let raw = self.raw_operands()?;
            self.bind(whole, opcode_span, form.op, &form.wants, raw)?
        };
        let end = self.p.expect(b';', "after an instruction")?;
        self.body.instructions.push(PtxInstruction { op, guard, operands, span: start.to(end.span), place: self.place });
        Ok(())
    }

    fn guard(&mut self) -> Result<Option<PtxGuard>> {
        if !self.p.eat(b'@') {
            return Ok(None);
        }
        let negated = self.p.eat(b'!');
        let token = self.p.name("a predicate register")?;
        let register = self.register(token)?;
        if self.bits(register) != 1 {
            return Err(Problem::new(Trouble::Operand, token.span, format!("`{}` is not a predicate", self.p.word(token)))
                .label("a guard is a `.pred` register"));
        }
        Ok(Some(PtxGuard { register, negated }))
    }

    /// Parses `(result), function, (arguments)`, of which only the function is required; leaves the `;`.
    fn callee(&mut self) -> Result<Operand> {
        let returns = if self.p.is(b'(') {
            let list = self.arguments()?;
            self.p.expect(b',', "after the returned values")?;
            list
        } else {
            Vec::new()
        };
        let token = self.p.name("the name of a function")?;
        let name = self.p.word(token).to_string();
        if self.find_register(self.p.word(token)).is_some() {
            return Err(Problem::new(
                Trouble::Unsupported,
                token.span,
                format!("a call through the register `{name}` is not supported"),
            )
            .label("an indirect call")
            .help("calls are expanded before the kernel runs, so the function must be named"));
        }
        let mut arguments = Vec::new();
        while self.p.eat(b',') {
            if self.p.is(b'(') {
                arguments = self.arguments()?;
            } else {
                self.p.name("a prototype")?;
            }
        }
        Ok(Operand::Callee { name, returns, arguments })
    }

    fn arguments(&mut self) -> Result<Vec<Operand>> {
        self.p.expect(b'(', "before arguments")?;
        let mut list = Vec::new();
        while !self.p.is(b')') {
            let token = self.p.name("a `.param` variable")?;
            match self.find_variable(self.p.word(token)) {
                Symbol::Module(name) => {
                    return Err(Problem::new(
                        Trouble::Unsupported,
                        token.span,
                        format!("`{}` is not a `.param` variable of this function", shorten(&name)),
                    )
                    .label("values are passed through `.param` variables"));
                }
                symbol => list.push(Operand::Symbol { symbol, offset: 0 }),
            }
            if !self.p.eat(b',') {
                break;
            }
        }
        self.p.expect(b')', "after arguments")?;
        Ok(list)
    }
}

fn no_form(whole: &str, span: Span, reason: NoForm) -> Problem {
    let whole = shorten(whole);
    match reason {
        NoForm::Unknown => Problem::new(Trouble::Unsupported, span, format!("unknown instruction `{whole}`"))
            .label("not an instruction of PTX that Warpscope knows"),
        NoForm::Refused(what) => Problem::new(Trouble::Unsupported, span, format!("`{whole}` is not supported: it is {what}"))
            .label("refused")
            .help("kernels that use it cannot be run; the other kernels of the module can"),
        NoForm::Modifiers(why) => Problem::new(Trouble::Operand, span, format!("`{whole}`: {why}")).label(why),
    }
}
