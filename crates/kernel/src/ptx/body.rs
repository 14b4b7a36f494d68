//! Function bodies: nested scopes and the statements in them.
//!
//! Compilers declare registers in ranges (`.reg .b32 %r<20>`), and inline assembly opens `{ }` scopes with registers and labels
//! of their own. A register of a range is created at its first use. A label reference belongs to the innermost scope that
//! defines the name, which may be known only when that scope closes.

use super::lexer::{Token, TokenKind};
use super::lookup::NameMap;
use super::module::{BranchTable, CodeLabel, Function, FunctionBody, LabelId, Operand, Variable};
use super::parser::{MOST_NESTING, Parser, Result};
use super::problem::{Problem, Trouble};
use super::scopes::{Scope, UNDEFINED};
use super::sources::{self, Places};

/// Parses a body, beginning at its opening brace. Problems go to the parser's list.
pub(super) fn parse(parser: &mut Parser, function: &Function) -> FunctionBody {
    let mut builder = Builder {
        p: parser,
        function,
        params: positions(&function.params),
        returns: positions(&function.returns),
        body: FunctionBody::default(),
        scopes: Vec::new(),
        aliases: Vec::new(),
        places: Places::default(),
        place: None,
        at_label: false,
    };
    builder.scope(0);
    builder.finish()
}

/// Returns the place of each variable; of several with the same name that of the first.
fn positions(list: &[Variable]) -> NameMap<'_> {
    list.iter().enumerate().rev().map(|(at, variable)| (variable.name.as_str(), at as u32)).collect()
}

/// A body under construction. [`super::scopes`] adds its names, [`super::instruction`] its instructions.
pub(super) struct Builder<'p, 'a> {
    pub p: &'p mut Parser<'a>,
    pub function: &'p Function,
    /// The places of the function's parameters and results.
    pub params: NameMap<'p>,
    pub returns: NameMap<'p>,
    pub body: FunctionBody,
    /// Open scopes, innermost last.
    pub scopes: Vec<Scope<'a>>,
    /// For each label, the label of an outer scope that it resolved to.
    pub aliases: Vec<Option<LabelId>>,
    places: Places<'a>,
    /// The source place of the next instruction.
    pub place: Option<u32>,
    /// No `.loc` has followed the last label yet.
    at_label: bool,
}

impl Builder<'_, '_> {
    /// Parses a `{ … }` scope, beginning at its opening brace.
    fn scope(&mut self, depth: u32) {
        let open = self.p.next();
        if depth > MOST_NESTING {
            self.p.report(Problem::new(Trouble::Syntax, open.span, "scopes are nested too deeply"));
            return;
        }
        self.scopes.push(Scope::default());
        loop {
            if self.p.is_end() {
                self.p.report(
                    Problem::new(
                        Trouble::Syntax,
                        self.p.peek().span,
                        format!("the body of `{}` is never closed", self.function.name),
                    )
                    .label("expected `}`"),
                );
                break;
            }
            if self.p.eat(b'}') {
                break;
            }
            if self.p.is(b'{') {
                self.scope(depth + 1);
                continue;
            }
            let before = self.p.peek().span;
            if let Err(problem) = self.statement() {
                self.p.report(problem);
                self.p.skip_statement();
                if self.p.peek().span == before {
                    self.p.next();
                }
            }
        }
        self.close_scope();
    }

    fn statement(&mut self) -> Result<()> {
        let token = self.p.peek();
        match token.kind {
            TokenKind::Dotted => self.directive(),
            TokenKind::Name if self.p.peek_at(1).kind == TokenKind::Punct(b':') => {
                self.p.next();
                self.p.next();
                match self.p.word(self.p.peek()) {
                    ".branchtargets" => self.branch_table(token),
                    ".callprototype" | ".calltargets" => {
                        self.p.skip_statement();
                        Ok(())
                    }
                    _ => self.label(token),
                }
            }
            TokenKind::Name | TokenKind::Punct(b'@') => self.instruction(),
            TokenKind::Punct(b';') => {
                self.p.next();
                Ok(())
            }
            _ => Err(self.p.unexpected("an instruction, a label or a declaration")),
        }
    }

    fn directive(&mut self) -> Result<()> {
        match self.p.word(self.p.peek()) {
            ".reg" => self.registers(),
            ".loc" => {
                let location = sources::location(self.p)?;
                match self.places.intern(&location) {
                    Some(place) => (self.place, self.at_label) = (Some(place), false),
                    // Line 0 means no line: the previous place stays valid, except after a label, where another path may join.
                    None if self.at_label => self.place = None,
                    None => {}
                }
                Ok(())
            }
            ".file" | ".pragma" | ".callprototype" | ".calltargets" | ".section" | ".attribute" => {
                let file = self.p.word(self.p.peek()) == ".file";
                if file {
                    return self.p.file();
                }
                self.p.skip_statement();
                Ok(())
            }
            ".branchtargets" => Err(self.p.unexpected("a label before `.branchtargets`")),
            _ => {
                while matches!(self.p.word(self.p.peek()), ".visible" | ".extern" | ".weak") {
                    self.p.next();
                }
                for variable in self.p.variables(false)? {
                    let index = self.body.variables.len() as u32;
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.variables.insert(variable.span.text(self.p.text), index);
                    }
                    self.body.variables.push(variable);
                }
                Ok(())
            }
        }
    }

    fn label(&mut self, token: Token) -> Result<()> {
        self.at_label = true;
        let id = self.label_id(token);
        let at = self.body.instructions.len() as u32;
        let label = &mut self.body.labels[id.0 as usize];
        if label.at != UNDEFINED {
            return Err(Problem::new(Trouble::Name, token.span, format!("label `{}` is defined twice", label.name))
                .label("a second definition"));
        }
        *label = CodeLabel { name: std::mem::take(&mut label.name), span: token.span, at };
        Ok(())
    }

    /// Parses `name: .branchtargets A, B;`
    fn branch_table(&mut self, name: Token) -> Result<()> {
        self.p.next();
        let mut targets = Vec::new();
        loop {
            let label = self.p.name("a label")?;
            targets.push(self.label_id(label));
            if !self.p.eat(b',') {
                break;
            }
        }
        self.p.expect(b';', "after branch targets")?;
        let index = self.body.tables.len() as u32;
        self.body.tables.push(BranchTable { name: self.p.word(name).to_string(), targets });
        if let Some(scope) = self.scopes.last_mut() {
            scope.tables.insert(self.p.word(name), index);
        }
        Ok(())
    }

    fn finish(mut self) -> FunctionBody {
        let target = |mut id: LabelId| {
            while let Some(outer) = self.aliases[id.0 as usize] {
                id = outer;
            }
            id
        };
        for instruction in &mut self.body.instructions {
            for operand in &mut instruction.operands {
                if let Operand::CodeLabel(id) = operand {
                    *id = target(*id);
                }
            }
        }
        for table in &mut self.body.tables {
            for id in &mut table.targets {
                *id = target(*id);
            }
        }
        let end = self.body.instructions.len() as u32;
        for label in &mut self.body.labels {
            label.at = label.at.min(end);
        }
        let parser = self.p;
        self.body.places = self.places.finish(|name| parser.named_file(name));
        self.body
    }
}
