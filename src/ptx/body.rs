//! Function bodies: nested scopes, registers, labels, instructions and their operands.
//!
//! Compilers declare registers in ranges (`.reg .b32 %r<20>`) and inline assembly opens `{ }` scopes whose registers and
//! labels are its own. A register comes into being when it is first used; a label reference belongs to the innermost
//! scope that defines the name, which may be known only when that scope closes.

use super::forms::{NoForm, Want};
use super::lexer::{Kind, Token};
use super::literal::Literal;
use super::lookup::NameMap;
use super::module::{
    AddressBase, Body, BranchTable, Function, Guard, Instruction, Label, LabelId, Operand, Register, RegisterId, Special, Symbol,
};
use super::op::Op;
use super::parser::{MOST_NESTING, Parser, Result, bad_number, shorten};
use super::problem::{Problem, Span, Trouble};
use super::sources::{self, Places};
use super::types::Type;

/// Parses a body; its opening brace is next. Problems go to the parser's list.
pub(super) fn parse(parser: &mut Parser, function: &Function) -> Body {
    let mut builder = Builder {
        p: parser,
        function,
        body: Body::default(),
        scopes: Vec::new(),
        aliases: Vec::new(),
        places: Places::default(),
        place: None,
    };
    builder.scope(0);
    builder.finish()
}

struct Builder<'p, 'a> {
    p: &'p mut Parser<'a>,
    function: &'p Function,
    body: Body,
    scopes: Vec<Scope<'a>>,
    /// For each label, the one of an outer scope that it turned out to mean.
    aliases: Vec<Option<LabelId>>,
    places: Places<'a>,
    place: Option<u32>,
}

#[derive(Default)]
struct Scope<'a> {
    registers: NameMap<'a, RegisterId>,
    /// `%r<20>`: prefix, bits, count.
    ranges: Vec<(&'a str, u32, u64)>,
    labels: NameMap<'a, LabelId>,
    variables: NameMap<'a, u32>,
    tables: NameMap<'a, u32>,
}

/// Where a label stands that has been used but not yet defined.
const UNDEFINED: u32 = u32::MAX;

/// An operand as written, before the form says what it should be.
enum Raw {
    /// A name, with the dotted word behind it (`%tid.x`) if there is one.
    Name(Token, Span),
    Not(Token),
    Number(Literal, Span),
    Address(AddressBase, i64, Span),
    Vector(Vec<Raw>, Span),
    /// `a|b`.
    Pair(Box<Raw>, Box<Raw>, Span),
    /// `name+8`.
    Offset(Token, i64, Span),
    Sink(Span),
}

impl Raw {
    fn span(&self) -> Span {
        match self {
            Raw::Not(token) => token.span,
            Raw::Name(_, span)
            | Raw::Number(_, span)
            | Raw::Address(_, _, span)
            | Raw::Vector(_, span)
            | Raw::Pair(_, _, span)
            | Raw::Offset(_, _, span)
            | Raw::Sink(span) => *span,
        }
    }
}

impl<'a> Builder<'_, 'a> {
    // ---- Scopes and statements ----

    /// A `{ … }`, its opening brace being next.
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
            if self.p.gave_up() || self.p.eat(b'}') {
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

    /// Labels that were used here and not defined belong to an outer scope.
    fn close_scope(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        let mut open: Vec<(&str, LabelId)> =
            scope.labels.into_iter().filter(|(_, id)| self.body.labels[id.0 as usize].at == UNDEFINED).collect();
        open.sort_by_key(|(_, id)| id.0);
        for (name, id) in open {
            match self.scopes.last_mut() {
                Some(outer) => match outer.labels.get(name) {
                    Some(&known) => self.aliases[id.0 as usize] = Some(known),
                    None => {
                        outer.labels.insert(name, id);
                    }
                },
                None => {
                    let span = self.body.labels[id.0 as usize].span;
                    self.p
                        .report(Problem::new(Trouble::Name, span, format!("there is no label `{name}`")).label("jumps nowhere"));
                }
            }
        }
    }

    fn statement(&mut self) -> Result<()> {
        let token = self.p.peek();
        match token.kind {
            Kind::Dotted => self.directive(),
            Kind::Name if self.p.peek_at(1).kind == Kind::Punct(b':') => {
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
            Kind::Name | Kind::Punct(b'@') => self.instruction(),
            Kind::Punct(b';') => {
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
                let chain = sources::location(self.p)?;
                if let Some(place) = self.places.intern(&chain) {
                    self.place = Some(place);
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

    /// `.reg .b32 %r<20>, %x;`
    fn registers(&mut self) -> Result<()> {
        self.p.next();
        let token = self.p.next();
        let mut word = self.p.word(token);
        if matches!(word, ".v2" | ".v4") {
            return Err(Problem::new(Trouble::Unsupported, token.span, "vector registers are not run")
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
                    scope.ranges.push((text, bits, count));
                }
            } else {
                let id = self.new_register(text, bits);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.registers.insert(text, id);
                }
            }
            if !self.p.eat(b',') {
                break;
            }
        }
        self.p.expect(b';', "after registers")?;
        Ok(())
    }

    fn new_register(&mut self, name: &str, bits: u32) -> RegisterId {
        self.body.registers.push(Register { name: name.to_string(), bits });
        RegisterId(self.body.registers.len() as u32 - 1)
    }

    fn find_register(&mut self, name: &'a str) -> Option<RegisterId> {
        let digits = name.len() - name.bytes().rev().take_while(u8::is_ascii_digit).count();
        for at in (0..self.scopes.len()).rev() {
            if let Some(&id) = self.scopes[at].registers.get(name) {
                return Some(id);
            }
            let number = &name[digits..];
            let index: Option<u64> = if number.len() > 1 && number.starts_with('0') { None } else { number.parse().ok() };
            let range = self.scopes[at]
                .ranges
                .iter()
                .find(|(prefix, _, count)| *prefix == &name[..digits] && index.is_some_and(|i| i < *count));
            if let Some(&(_, bits, _)) = range {
                let id = self.new_register(name, bits);
                self.scopes[at].registers.insert(name, id);
                return Some(id);
            }
        }
        None
    }

    fn find_variable(&self, name: &str) -> Symbol {
        for scope in self.scopes.iter().rev() {
            if let Some(&index) = scope.variables.get(name) {
                return Symbol::Body(index);
            }
        }
        let position = |list: &[super::module::Variable]| list.iter().position(|v| v.name == name).map(|at| at as u32);
        if let Some(at) = position(&self.function.params) {
            return Symbol::Param(at);
        }
        if let Some(at) = position(&self.function.returns) {
            return Symbol::Return(at);
        }
        Symbol::Module(name.to_string())
    }

    // ---- Labels ----

    fn label_id(&mut self, token: Token) -> LabelId {
        let name = self.p.word(token);
        if let Some(&id) = self.scopes.last().and_then(|scope| scope.labels.get(name)) {
            return id;
        }
        let id = LabelId(self.body.labels.len() as u32);
        self.body.labels.push(Label { name: name.to_string(), span: token.span, at: UNDEFINED });
        self.aliases.push(None);
        if let Some(scope) = self.scopes.last_mut() {
            scope.labels.insert(name, id);
        }
        id
    }

    fn label(&mut self, token: Token) -> Result<()> {
        let id = self.label_id(token);
        let at = self.body.instructions.len() as u32;
        let label = &mut self.body.labels[id.0 as usize];
        if label.at != UNDEFINED {
            return Err(Problem::new(Trouble::Name, token.span, format!("label `{}` is defined twice", label.name))
                .label("a second definition"));
        }
        *label = Label { name: std::mem::take(&mut label.name), span: token.span, at };
        Ok(())
    }

    /// `name: .branchtargets A, B;`
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

    // ---- Instructions ----

    fn instruction(&mut self) -> Result<()> {
        let start = self.p.peek().span;
        let guard = self.guard()?;
        let opcode = self.p.name("an instruction")?;
        let mut modifiers: [&str; 16] = [""; 16];
        let (mut count, mut last) = (0, opcode.span);
        while self.p.peek().kind == Kind::Dotted {
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
        self.body.instructions.push(Instruction { op, guard, operands, span: start.to(end.span), place: self.place });
        Ok(())
    }

    fn guard(&mut self) -> Result<Option<Guard>> {
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
        Ok(Some(Guard { register, negated }))
    }

    fn register(&mut self, token: Token) -> Result<RegisterId> {
        let name = self.p.word(token);
        self.find_register(name).ok_or_else(|| {
            Problem::new(Trouble::Name, token.span, format!("register `{}` is not declared", shorten(name)))
                .label("not declared in this function")
                .help("declare it with `.reg`, or check the range of a declaration such as `%r<20>`")
        })
    }

    fn bits(&self, register: RegisterId) -> u32 {
        self.body.registers[register.0 as usize].bits
    }

    /// `(result), function, (arguments)`, with all but the function optional; its `;` stays.
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
                format!("a call through the register `{name}` is not run"),
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

    // ---- Operands as written ----

    fn raw_operands(&mut self) -> Result<Vec<Raw>> {
        let mut list = Vec::with_capacity(4);
        if self.p.is(b';') {
            return Ok(list);
        }
        loop {
            list.push(self.raw(0)?);
            if !self.p.eat(b',') {
                return Ok(list);
            }
        }
    }

    fn raw(&mut self, depth: u32) -> Result<Raw> {
        let token = self.p.peek();
        let operand = match token.kind {
            Kind::Name if self.p.word(token) == "_" => {
                self.p.next();
                Raw::Sink(token.span)
            }
            Kind::Name => {
                self.p.next();
                if self.p.peek().kind == Kind::Dotted {
                    let suffix = self.p.next();
                    Raw::Name(token, token.span.to(suffix.span))
                } else if self.p.is(b'+') || self.p.is(b'-') {
                    let offset = self.p.offset()?;
                    Raw::Offset(token, offset, token.span)
                } else {
                    Raw::Name(token, token.span)
                }
            }
            Kind::Punct(b'!') => {
                self.p.next();
                Raw::Not(self.p.name("a predicate register")?)
            }
            Kind::Number | Kind::Punct(b'-' | b'~') => self.constant()?,
            Kind::Punct(b'[') => self.address()?,
            Kind::Punct(b'{') if depth == 0 => {
                self.p.next();
                let mut list = Vec::new();
                loop {
                    list.push(self.raw(depth + 1)?);
                    if !self.p.eat(b',') {
                        break;
                    }
                }
                let end = self.p.expect(b'}', "after a vector")?;
                Raw::Vector(list, token.span.to(end.span))
            }
            _ => return Err(self.p.unexpected("an operand")),
        };
        if depth == 0 && self.p.eat(b'|') {
            let second = self.raw(1)?;
            let span = operand.span().to(second.span());
            return Ok(Raw::Pair(Box::new(operand), Box::new(second), span));
        }
        Ok(operand)
    }

    fn constant(&mut self) -> Result<Raw> {
        let start = self.p.peek().span;
        let negative = self.p.eat(b'-');
        let inverted = !negative && self.p.eat(b'~');
        let token = self.p.peek();
        if token.kind != Kind::Number {
            return Err(self.p.unexpected("a constant"));
        }
        self.p.next();
        let text = self.p.word(token);
        let literal = Literal::parse(text).ok_or_else(|| bad_number(token.span, text))?;
        let literal = match literal {
            literal if negative => literal.negate(),
            Literal::Int { bits, .. } if inverted => Literal::Int { bits: !bits, negative: false },
            literal => literal,
        };
        Ok(Raw::Number(literal, start.to(token.span)))
    }

    fn address(&mut self) -> Result<Raw> {
        let open = self.p.next();
        let token = self.p.peek();
        let (base, offset) = match token.kind {
            Kind::Name => {
                self.p.next();
                let name = self.p.word(token);
                let base = match self.find_register(name) {
                    Some(register) => AddressBase::Register(register),
                    None if name.starts_with('%') => {
                        return Err(self.register(token).err().unwrap_or_else(|| self.p.unexpected("a register")));
                    }
                    None => AddressBase::Symbol(self.find_variable(name)),
                };
                // `name[8]` is an old spelling of `name+8`.
                let index = if self.p.eat(b'[') {
                    let index = self.p.integer("an index")?;
                    self.p.expect(b']', "after an index")?;
                    index
                } else {
                    0
                };
                (base, index.wrapping_add(self.p.offset()?))
            }
            _ => {
                let start = self.p.integer("an address")?;
                (AddressBase::None, start.wrapping_add(self.p.offset()?))
            }
        };
        let close = self.p.expect(b']', "after an address")?;
        Ok(Raw::Address(base, offset, open.span.to(close.span)))
    }

    // ---- Operands as wanted ----

    /// Fits what was written to what the form wants.
    fn bind(&mut self, whole: &str, span: Span, op: Op, wants: &[Want], raw: Vec<Raw>) -> Result<(Op, Vec<Operand>)> {
        if let Op::Mov(ty) = op
            && raw.iter().any(|operand| matches!(operand, Raw::Vector(..)))
        {
            return self.bind_vector_move(whole, span, ty, raw);
        }
        let optional = wants.iter().filter(|want| matches!(want, Want::Optional(_))).count();
        if raw.len() > wants.len() || raw.len() + optional < wants.len() {
            let count =
                if optional > 0 { format!("{} or {}", wants.len() - optional, wants.len()) } else { wants.len().to_string() };
            return Err(Problem::new(Trouble::Operand, span, format!("`{whole}` takes {count} operands, found {}", raw.len()))
                .label(format!("takes {}", wants.iter().map(describe).collect::<Vec<_>>().join(", "))));
        }
        let skip_optional = raw.len() < wants.len();
        let mut operands = Vec::with_capacity(wants.len() + 1);
        let mut raw = raw.into_iter();
        for want in wants {
            if skip_optional && matches!(want, Want::Optional(_)) {
                continue;
            }
            let Some(operand) = raw.next() else { break };
            self.bind_one(whole, *want, operand, &mut operands)?;
        }
        Ok((op, operands))
    }

    fn bind_one(&mut self, whole: &str, want: Want, raw: Raw, operands: &mut Vec<Operand>) -> Result<()> {
        let span = raw.span();
        let mismatch = |found: String| {
            Err(Problem::new(Trouble::Operand, span, format!("`{whole}` wants {} here, found {found}", describe(&want)))
                .label(format!("expected {}", describe(&want))))
        };
        match (want, raw) {
            (Want::Dst(bits), raw) => operands.push(self.destination(whole, bits, true, raw)?),
            (Want::DstWide(bits), raw) => operands.push(self.destination(whole, bits, false, raw)?),
            (Want::DstAndPred(bits), Raw::Pair(first, second, _)) => {
                operands.push(self.destination(whole, bits, true, *first)?);
                operands.push(self.destination(whole, 1, true, *second)?);
            }
            (Want::DstAndPred(bits), raw) => {
                operands.push(self.destination(whole, bits, true, raw)?);
                operands.push(Operand::Sink);
            }
            (Want::Src(ty) | Want::Optional(ty), raw) => operands.push(self.source(whole, ty, true, raw)?),
            (Want::SrcWide(ty), raw) => operands.push(self.source(whole, ty, false, raw)?),
            (Want::Pred, Raw::Not(token)) => {
                let register = self.register(token)?;
                if self.bits(register) != 1 {
                    return mismatch(format!("a register of {} bits", self.bits(register)));
                }
                operands.push(Operand::Not(register));
            }
            (Want::Pred, raw) => operands.push(self.source(whole, Type::Pred, true, raw)?),
            (Want::Address, Raw::Address(base, offset, _)) => operands.push(Operand::Address { base, offset }),
            (Want::DstVector(count, bits), raw) => {
                for element in elements(raw, count).or_else(|found| mismatch(found).map(|()| Vec::new()))? {
                    operands.push(self.destination(whole, bits, false, element)?);
                }
            }
            (Want::SrcVector(count, ty), raw) => {
                for element in elements(raw, count).or_else(|found| mismatch(found).map(|()| Vec::new()))? {
                    operands.push(self.source(whole, ty, false, element)?);
                }
            }
            (Want::Label, Raw::Name(token, _)) => operands.push(Operand::Label(self.label_id(token))),
            (Want::Table, Raw::Name(token, _)) => {
                let name = self.p.word(token);
                let table = self.scopes.iter().rev().find_map(|scope| scope.tables.get(name).copied());
                match table {
                    Some(index) => operands.push(Operand::Table(index)),
                    None => {
                        return Err(Problem::new(Trouble::Name, span, format!("there is no branch table `{name}`"))
                            .label("not a `.branchtargets`"));
                    }
                }
            }
            (_, raw) => return mismatch(format!("`{}`", shorten(raw.span().text(self.p.text)))),
        }
        Ok(())
    }

    fn destination(&mut self, whole: &str, bits: u32, exact: bool, raw: Raw) -> Result<Operand> {
        match raw {
            Raw::Sink(_) => Ok(Operand::Sink),
            Raw::Name(token, span) if span == token.span => {
                let register = self.register(token)?;
                self.check_width(whole, span, self.bits(register), bits, exact)?;
                Ok(Operand::Register(register))
            }
            raw => Err(Problem::new(
                Trouble::Operand,
                raw.span(),
                format!("`{whole}` writes a register, not `{}`", shorten(raw.span().text(self.p.text))),
            )
            .label("expected a register")),
        }
    }

    fn check_width(&self, whole: &str, span: Span, found: u32, wanted: u32, exact: bool) -> Result<()> {
        // 8-bit values live in 16-bit registers.
        let wanted = if wanted == 8 { 16 } else { wanted };
        if found == wanted || !exact && found > wanted && wanted != 1 {
            return Ok(());
        }
        let name = span.text(self.p.text);
        let width = |bits| if bits == 1 { "a predicate".to_string() } else { format!("{bits} bits wide") };
        Err(Problem::new(
            Trouble::Operand,
            span,
            format!(
                "`{name}` is {}, but `{whole}` wants {} here",
                width(found),
                if wanted == 1 { "a predicate".into() } else { format!("{wanted} bits") }
            ),
        )
        .label(format!("declared as {}", width(found))))
    }

    fn source(&mut self, whole: &str, ty: Type, exact: bool, raw: Raw) -> Result<Operand> {
        match raw {
            Raw::Name(token, span) => {
                let name = self.p.word(token);
                if span == token.span
                    && let Some(register) = self.find_register(name)
                {
                    self.check_width(whole, span, self.bits(register), ty.bits(), exact)?;
                    return Ok(Operand::Register(register));
                }
                if let Some(special) = Special::from_name(span.text(self.p.text)) {
                    return Ok(Operand::Special(special));
                }
                if name.starts_with('%') {
                    self.register(token)?;
                }
                Ok(Operand::Symbol { symbol: self.find_variable(name), offset: 0 })
            }
            Raw::Offset(token, offset, _) => {
                let name = self.p.word(token);
                if name.starts_with('%') {
                    return Err(Problem::new(Trouble::Operand, token.span, "a register takes no offset outside of brackets"));
                }
                Ok(Operand::Symbol { symbol: self.find_variable(name), offset })
            }
            Raw::Number(literal, span) => match literal.bits(ty) {
                Some(bits) => Ok(Operand::Immediate(bits)),
                None => Err(Problem::new(Trouble::Operand, span, format!("`{whole}` wants a constant of type `.{ty}` here"))
                    .label(format!("not a `.{ty}`"))
                    .help(if ty.is_float() {
                        "write it with a point (1.0) or as bits (0f3f800000)"
                    } else {
                        "write an integer"
                    })),
            },
            Raw::Sink(_) => Ok(Operand::Sink),
            raw => Err(Problem::new(
                Trouble::Operand,
                raw.span(),
                format!("`{whole}` wants a value here, found `{}`", shorten(raw.span().text(self.p.text))),
            )
            .label(format!("expected a `.{ty}`"))),
        }
    }

    /// `mov.b64 {a, b}, c` and `mov.b64 c, {a, b}`.
    fn bind_vector_move(&mut self, whole: &str, span: Span, ty: Type, raw: Vec<Raw>) -> Result<(Op, Vec<Operand>)> {
        let wrong = || {
            Problem::new(Trouble::Operand, span, format!("`{whole}` packs into, or unpacks from, one register"))
                .label("expected e.g. `mov.b64 {%r1, %r2}, %rd1`")
        };
        let [first, second]: [Raw; 2] = raw.try_into().map_err(|_| wrong())?;
        let part = |count: usize| match (ty.bits() as usize).checked_div(count) {
            Some(8) => Some(Type::B8),
            Some(16) => Some(Type::B16),
            Some(32) => Some(Type::B32),
            Some(64) => Some(Type::B64),
            _ => None,
        };
        let mut operands = Vec::new();
        match (first, second) {
            (Raw::Vector(list, _), whole_value) => {
                let (parts, part) = (list.len() as u8, part(list.len()).ok_or_else(wrong)?);
                for element in list {
                    operands.push(self.destination(whole, part.bits(), false, element)?);
                }
                operands.push(self.source(whole, ty, true, whole_value)?);
                Ok((Op::Unpack { part, parts }, operands))
            }
            (whole_value, Raw::Vector(list, _)) => {
                let (parts, part) = (list.len() as u8, part(list.len()).ok_or_else(wrong)?);
                operands.push(self.destination(whole, ty.bits(), true, whole_value)?);
                for element in list {
                    operands.push(self.source(whole, part, false, element)?);
                }
                Ok((Op::Pack { part, parts }, operands))
            }
            _ => Err(wrong()),
        }
    }

    // ---- The end ----

    fn finish(mut self) -> Body {
        let target = |mut id: LabelId| {
            while let Some(outer) = self.aliases[id.0 as usize] {
                id = outer;
            }
            id
        };
        for instruction in &mut self.body.instructions {
            for operand in &mut instruction.operands {
                if let Operand::Label(id) = operand {
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

/// The elements of a vector operand of that many, or what was found instead.
fn elements(raw: Raw, count: u8) -> std::result::Result<Vec<Raw>, String> {
    match raw {
        Raw::Vector(list, _) if list.len() == count as usize => Ok(list),
        Raw::Vector(list, _) => Err(format!("{} of them", list.len())),
        raw if count == 1 => Ok(vec![raw]),
        _ => Err("a single value".into()),
    }
}

fn describe(want: &Want) -> String {
    match want {
        Want::Dst(1) => "a predicate register".into(),
        Want::Dst(bits) | Want::DstAndPred(bits) => format!("a {bits}-bit register"),
        Want::DstWide(bits) => format!("a register of at least {bits} bits"),
        Want::Src(ty) | Want::SrcWide(ty) => format!("a `.{ty}`"),
        Want::Pred => "a predicate".into(),
        Want::Optional(ty) => format!("perhaps a `.{ty}`"),
        Want::Address => "an address in brackets".into(),
        Want::DstVector(1, bits) => format!("a register of at least {bits} bits"),
        Want::DstVector(count, bits) => format!("{count} registers of at least {bits} bits in braces"),
        Want::SrcVector(1, ty) => format!("a `.{ty}`"),
        Want::SrcVector(count, ty) => format!("{count} values of `.{ty}` in braces"),
        Want::Label => "a label".into(),
        Want::Table => "a branch table".into(),
        Want::Call => "a call".into(),
    }
}

fn no_form(whole: &str, span: Span, reason: NoForm) -> Problem {
    let whole = shorten(whole);
    match reason {
        NoForm::Unknown => Problem::new(Trouble::Unsupported, span, format!("unknown instruction `{whole}`"))
            .label("not an instruction of PTX that Warpscope knows"),
        NoForm::Refused(what) => Problem::new(Trouble::Unsupported, span, format!("`{whole}` is not run: it is {what}"))
            .label("refused")
            .help("kernels that use it cannot be run; the other kernels of the module can"),
        NoForm::Modifiers(why) => Problem::new(Trouble::Operand, span, format!("`{whole}`: {why}")).label(why),
    }
}
