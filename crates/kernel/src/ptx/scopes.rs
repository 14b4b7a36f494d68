//! Names inside a body: scopes, registers, variables and labels.

use super::body::Builder;
use super::cursor::shorten;
use super::lexer::Token;
use super::lookup::NameMap;
use super::module::{CodeLabel, LabelId, Register, RegisterId, Symbol};
use super::parser::Result;
use super::problem::{Problem, Trouble};
use super::types::Type;

#[derive(Default)]
pub(super) struct Scope<'a> {
    pub registers: NameMap<'a>,
    /// The place in `ranges` of each prefix of register ranges such as `%r<20>`.
    pub prefixes: NameMap<'a>,
    /// By prefix: bits and count of its ranges. A range counts only if it is longer than those declared before.
    pub ranges: Vec<Vec<(u32, u64)>>,
    pub labels: NameMap<'a>,
    pub variables: NameMap<'a>,
    pub tables: NameMap<'a>,
}

/// Position of a label that has been used but not yet defined.
pub(super) const UNDEFINED: u32 = u32::MAX;

impl<'a> Builder<'_, 'a> {
    /// Parses `.reg .b32 %r<20>, %x;`
    pub fn registers(&mut self) -> Result<()> {
        self.p.next();
        let token = self.p.next();
        let mut word = self.p.word(token);
        if matches!(word, ".v2" | ".v4") {
            return Err(Problem::new(Trouble::Unsupported, token.span, "vector registers are not supported")
                .label("declare the elements one by one"));
        }
        if word == ".align" {
            self.p.integer("an alignment")?;
            let token = self.p.next();
            word = self.p.word(token);
        }
        let ty = word.get(1..).and_then(Type::from_name).ok_or_else(|| {
            Problem::new(Trouble::Syntax, token.span, format!("`{}` is not a register type", shorten(word)))
                .label("expected e.g. `.b32` or `.pred`")
        })?;
        let bits = if ty == Type::Pred { 1 } else { ty.bits().max(16) };
        loop {
            let name = self.p.name("the name of a register")?;
            let text = self.p.word(name);
            if self.p.eat(b'<') {
                let count = self.p.integer("how many registers")?.max(0) as u64;
                self.p.expect(b'>', "after a number of registers")?;
                if let Some(scope) = self.scopes.last_mut() {
                    let new = scope.ranges.len() as u32;
                    let at = *scope.prefixes.entry(text).or_insert(new);
                    scope.ranges.resize(scope.ranges.len().max(at as usize + 1), Vec::new());
                    let ranges = &mut scope.ranges[at as usize];
                    if ranges.last().is_none_or(|&(_, longest)| count > longest) {
                        ranges.push((bits, count));
                    }
                }
            } else {
                let id = self.new_register(text, bits);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.registers.insert(text, id.0);
                }
            }
            if !self.p.eat(b',') {
                break;
            }
        }
        self.p.expect(b';', "after registers")?;
        Ok(())
    }

    pub fn new_register(&mut self, name: &str, bits: u32) -> RegisterId {
        self.body.registers.push(Register { name: name.to_string(), bits });
        RegisterId(self.body.registers.len() as u32 - 1)
    }

    pub fn find_register(&mut self, name: &'a str) -> Option<RegisterId> {
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        for at in (0..self.scopes.len()).rev() {
            if let Some(&id) = self.scopes[at].registers.get(name) {
                return Some(RegisterId(id));
            }
            let number = &name[digits..];
            let index: Option<u64> = if number.len() > 1 && number.starts_with('0') { None } else { number.parse().ok() };
            let scope = &self.scopes[at];
            let range = index.and_then(|index| {
                let ranges = &scope.ranges[*scope.prefixes.get(&name[..digits])? as usize];
                ranges.get(ranges.partition_point(|(_, count)| *count <= index))
            });
            if let Some(&(bits, _)) = range {
                let id = self.new_register(name, bits);
                self.scopes[at].registers.insert(name, id.0);
                return Some(id);
            }
        }
        None
    }

    pub fn find_variable(&self, name: &str) -> Symbol {
        for scope in self.scopes.iter().rev() {
            if let Some(&index) = scope.variables.get(name) {
                return Symbol::FunctionBody(index);
            }
        }
        if let Some(&at) = self.params.get(name) {
            return Symbol::Param(at);
        }
        if let Some(&at) = self.returns.get(name) {
            return Symbol::Return(at);
        }
        Symbol::Module(name.to_string())
    }

    pub fn register(&mut self, token: Token) -> Result<RegisterId> {
        let name = self.p.word(token);
        self.find_register(name).ok_or_else(|| {
            Problem::new(Trouble::Name, token.span, format!("register `{}` is not declared", shorten(name)))
                .label("not declared in this function")
                .help("declare it with `.reg`, or check the range of a declaration such as `%r<20>`")
        })
    }

    pub fn bits(&self, register: RegisterId) -> u32 {
        self.body.registers[register.0 as usize].bits
    }

    pub fn label_id(&mut self, token: Token) -> LabelId {
        let name = self.p.word(token);
        if let Some(&id) = self.scopes.last().and_then(|scope| scope.labels.get(name)) {
            return LabelId(id);
        }
        let id = LabelId(self.body.labels.len() as u32);
        self.body.labels.push(CodeLabel { name: name.to_string(), span: token.span, at: UNDEFINED });
        self.aliases.push(None);
        if let Some(scope) = self.scopes.last_mut() {
            scope.labels.insert(name, id.0);
        }
        id
    }

    /// Closes the innermost scope. Labels used but not defined in it move to the next outer scope; the outermost reports them.
    pub fn close_scope(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        let mut open: Vec<(&str, u32)> =
            scope.labels.into_iter().filter(|(_, id)| self.body.labels[*id as usize].at == UNDEFINED).collect();
        open.sort_by_key(|(_, id)| *id);
        for (name, id) in open {
            match self.scopes.last_mut() {
                Some(outer) => match outer.labels.get(name) {
                    Some(&known) => self.aliases[id as usize] = Some(LabelId(known)),
                    None => {
                        outer.labels.insert(name, id);
                    }
                },
                None => {
                    let span = self.body.labels[id as usize].span;
                    self.p.report(
                        Problem::new(Trouble::Name, span, format!("there is no label `{name}`")).label("undefined label"),
                    );
                }
            }
        }
    }
}
