//! The module level: directives, variables with their initialisers, kernels and functions.

use super::body;
use super::forms::{self, Form, NoForm};
use super::lexer::{Kind, Token, lex};
use super::literal::Literal;
use super::lookup::NameMap;
use super::module::{Function, InitPart, InitValue, Module, SourceFile, Symbol, Variable};
use super::problem::{Problem, Span, Trouble};
use super::sources;
use super::types::{Space, Type};

/// Past this many problems a text is hardly PTX, and more would help nobody.
const MOST_PROBLEMS: usize = 200;
/// Nesting of braces that no compiler reaches; it bounds recursion on hostile texts.
pub(super) const MOST_NESTING: u32 = 200;
/// No variable of a GPU is larger; it bounds what a hostile declaration can ask for.
const MOST_BYTES: u64 = 1 << 32;
/// File indices from here on stand for [`Parser::named_files`].
const NAMED_FILE: u32 = 1 << 31;

/// Parses a PTX text into a module and all of its problems. Functions without problems are whole.
pub fn parse(text: &str) -> (Module, Vec<Problem>) {
    if u32::try_from(text.len()).is_err() {
        return (Module::default(), vec![Problem::new(Trouble::Syntax, Span::default(), "the text is larger than 4 GiB")]);
    }
    let mut parser = Parser::new(text);
    parser.module();
    parser.check_module_names();
    parser.settle_named_files();
    parser.problems.sort_by_key(|problem| problem.span.start);
    (parser.module, parser.problems)
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

pub(super) struct Parser<'a> {
    pub text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    pub module: Module,
    pub problems: Vec<Problem>,
    /// The function being parsed, for problems to name.
    pub function: Option<String>,
    /// Forms by the whole opcode text: a kernel uses few and repeats them.
    forms: NameMap<'a, std::result::Result<Form, NoForm>>,
    /// Files that only comments name; their places carry [`NAMED_FILE`] plus the position here until the end.
    named_files: Vec<String>,
}

/// The part of a declaration before its names.
struct Declaration {
    space: Space,
    ty: Type,
    vector: u64,
    align: Option<u32>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        Parser {
            text,
            tokens: lex(text),
            at: 0,
            module: Module::default(),
            problems: Vec::new(),
            function: None,
            forms: NameMap::default(),
            named_files: Vec::new(),
        }
    }

    // ---- The cursor ----

    pub fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    pub fn peek_at(&self, ahead: usize) -> Token {
        self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub fn next(&mut self) -> Token {
        let token = self.tokens[self.at];
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    pub fn word(&self, token: Token) -> &'a str {
        token.span.text(self.text)
    }

    pub fn is(&self, punct: u8) -> bool {
        self.peek().kind == Kind::Punct(punct)
    }

    pub fn is_end(&self) -> bool {
        self.peek().kind == Kind::End
    }

    pub fn eat(&mut self, punct: u8) -> bool {
        let here = self.is(punct);
        if here {
            self.next();
        }
        here
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let here = self.word(self.peek()) == word;
        if here {
            self.next();
        }
        here
    }

    pub fn expect(&mut self, punct: u8, why: &str) -> Result<Token> {
        if self.is(punct) {
            return Ok(self.next());
        }
        Err(self.unexpected(&format!("`{}` {why}", punct as char)))
    }

    pub fn name(&mut self, what: &str) -> Result<Token> {
        if self.peek().kind == Kind::Name {
            return Ok(self.next());
        }
        Err(self.unexpected(what))
    }

    /// A problem at the next token: it is not what should be here.
    pub fn unexpected(&self, wanted: &str) -> Problem {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the text".to_string(),
            Kind::Stray if self.word(token).starts_with("/*") => "a comment that is never closed".to_string(),
            Kind::Stray if self.word(token).starts_with('"') => "a string that is never closed".to_string(),
            _ => format!("`{}`", shorten(self.word(token))),
        };
        Problem::new(Trouble::Syntax, token.span, format!("expected {wanted}, found {found}")).label(format!("expected {wanted}"))
    }

    pub fn report(&mut self, mut problem: Problem) {
        if problem.function.is_none() {
            problem.function.clone_from(&self.function);
        }
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// Whether so much is wrong that going on is pointless.
    pub fn gave_up(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// Skips to behind the next `;`, or to before the next brace.
    pub fn skip_statement(&mut self) {
        while !self.is_end() && !self.is(b'{') && !self.is(b'}') {
            if self.next().kind == Kind::Punct(b';') {
                break;
            }
        }
    }

    /// Skips what stands in braces, the opening one being next.
    pub fn skip_braces(&mut self) {
        let mut depth = 0u32;
        while !self.is_end() {
            match self.next().kind {
                Kind::Punct(b'{') => depth += 1,
                Kind::Punct(b'}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// The form of an opcode, remembered by its text.
    pub fn form(&mut self, whole: &'a str, opcode: &str, modifiers: &[&str]) -> std::result::Result<Form, NoForm> {
        self.forms.entry(whole).or_insert_with(|| forms::form(opcode, modifiers)).clone()
    }

    pub fn integer(&mut self, what: &str) -> Result<i64> {
        let negative = self.eat(b'-');
        let token = self.peek();
        let value = if token.kind == Kind::Number { Literal::parse(self.word(token)).and_then(Literal::as_i64) } else { None };
        let value = value.ok_or_else(|| self.unexpected(what))?;
        self.next();
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    // ---- The module ----

    fn module(&mut self) {
        while !self.is_end() && !self.gave_up() {
            let before = self.at;
            if let Err(problem) = self.item() {
                self.report(problem);
                self.skip_statement();
                if self.is(b'{') {
                    self.skip_braces();
                }
                self.eat(b'}');
            }
            self.function = None;
            if self.at == before {
                self.next();
            }
        }
    }

    fn item(&mut self) -> Result<()> {
        let token = self.peek();
        if token.kind != Kind::Dotted {
            if self.eat(b';') {
                return Ok(());
            }
            return Err(self.unexpected("a directive such as `.visible .entry`"));
        }
        match self.word(token) {
            ".version" => {
                self.next();
                let number = self.next();
                let mut parts = self.word(number).split('.');
                let mut part = || parts.next().and_then(|p| p.parse().ok());
                if let (Some(major), minor) = (part(), part()) {
                    self.module.version = (major, minor.unwrap_or(0));
                    Ok(())
                } else {
                    Err(Problem::new(Trouble::Syntax, number.span, "a version such as `8.0` is expected after `.version`"))
                }
            }
            ".target" => {
                self.next();
                let name = self.name("a target such as `sm_75`")?;
                self.module.target = self.word(name).to_string();
                while self.eat(b',') {
                    self.next();
                }
                Ok(())
            }
            ".address_size" => {
                self.next();
                let at = self.peek().span;
                match self.integer("64")? {
                    64 => Ok(()),
                    _ => Err(Problem::new(Trouble::Unsupported, at, "only `.address_size 64` is run").label("not 64")),
                }
            }
            ".file" => self.file(),
            ".section" => {
                while !self.is(b'{') && !self.is_end() {
                    self.next();
                }
                self.skip_braces();
                Ok(())
            }
            ".loc" => {
                self.next();
                for _ in 0..3 {
                    self.integer("a number of `.loc`")?;
                }
                Ok(())
            }
            ".pragma" | ".alias" => {
                self.skip_statement();
                Ok(())
            }
            _ => self.linkage(),
        }
    }

    pub fn file(&mut self) -> Result<()> {
        self.next();
        let index = self.integer("a file number")?;
        let token = self.peek();
        if token.kind != Kind::Text {
            return Err(self.unexpected("a file name in quotes"));
        }
        self.next();
        let name = self.word(token).trim_matches('"').to_string();
        while self.eat(b',') {
            self.integer("a number")?;
        }
        self.module.files.push(SourceFile { index: index as u32, name });
        Ok(())
    }

    /// `.visible`, `.extern` and the like, then a variable or a function.
    fn linkage(&mut self) -> Result<()> {
        let mut external = false;
        loop {
            match self.word(self.peek()) {
                ".extern" => external = true,
                ".visible" | ".weak" | ".common" | ".internal" => {}
                _ => break,
            }
            self.next();
        }
        match self.word(self.peek()) {
            ".entry" | ".func" => self.function(),
            _ => {
                let start = self.peek().span;
                let variables = self.variables(external)?;
                for variable in &variables {
                    if matches!(variable.space, Space::Local | Space::Param) {
                        return Err(Problem::new(
                            Trouble::Syntax,
                            start,
                            format!("`.{}` variables belong inside a function", variable.space),
                        ));
                    }
                }
                for variable in variables {
                    // An `.extern` declaration and its definition are one variable.
                    match self.module.variables.iter_mut().find(|v| v.name == variable.name) {
                        Some(known) if known.bytes.is_none() || known.init.is_empty() => *known = variable,
                        Some(_) => {}
                        None => self.module.variables.push(variable),
                    }
                }
                Ok(())
            }
        }
    }

    // ---- Variables ----

    /// A declaration of one or more variables, up to and with its `;`.
    pub fn variables(&mut self, external: bool) -> Result<Vec<Variable>> {
        let declaration = self.declaration()?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.declarator(&declaration, external, true)?);
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b';', "after a declaration")?;
        Ok(variables)
    }

    fn declaration(&mut self) -> Result<Declaration> {
        let mut declaration = Declaration { space: Space::Generic, ty: Type::B8, vector: 1, align: None };
        let start = self.peek();
        loop {
            let token = self.peek();
            if token.kind != Kind::Dotted {
                return Err(self.unexpected("a type such as `.b32`"));
            }
            let word = self.word(token);
            self.next();
            match word {
                ".global" => declaration.space = Space::Global,
                ".const" => declaration.space = Space::Const,
                ".shared" | ".shared::cta" => declaration.space = Space::Shared,
                ".local" => declaration.space = Space::Local,
                ".param" => declaration.space = Space::Param,
                ".align" => declaration.align = Some(self.alignment()?),
                ".v2" => declaration.vector = 2,
                ".v4" => declaration.vector = 4,
                ".v8" => declaration.vector = 8,
                ".attribute" => {
                    self.expect(b'(', "after `.attribute`")?;
                    while !self.is_end() && !self.eat(b')') {
                        self.next();
                    }
                }
                // Handles of textures and the like are 64-bit words whose use is refused, not their declaration.
                ".texref" | ".samplerref" | ".surfref" => {
                    declaration.ty = Type::B64;
                    break;
                }
                _ => match word.get(1..).and_then(Type::from_name) {
                    Some(ty) if ty != Type::Pred => {
                        declaration.ty = ty;
                        break;
                    }
                    _ => {
                        return Err(Problem::new(
                            Trouble::Syntax,
                            token.span,
                            format!("`{word}` has no meaning in a declaration"),
                        )
                        .label("not a state space, type or alignment"));
                    }
                },
            }
        }
        if declaration.space == Space::Generic {
            return Err(Problem::new(Trouble::Syntax, start.span, "a declaration needs a state space")
                .label("expected `.global`, `.shared`, `.const`, `.local` or `.param`"));
        }
        Ok(declaration)
    }

    fn alignment(&mut self) -> Result<u32> {
        let span = self.peek().span;
        let align = self.integer("an alignment")?;
        if (1..=1 << 20).contains(&align) && (align as u64).is_power_of_two() {
            Ok(align as u32)
        } else {
            Err(Problem::new(Trouble::Syntax, span, format!("an alignment is a power of two, not {align}")))
        }
    }

    /// One name of a declaration, with its array bounds and, if `initialised` allows, its value.
    fn declarator(&mut self, declaration: &Declaration, external: bool, initialised: bool) -> Result<Variable> {
        // Kernel parameters that are pointers may say to what.
        if self.eat_word(".ptr") {
            while self.peek().kind == Kind::Dotted {
                if self.eat_word(".align") {
                    self.alignment()?;
                } else {
                    self.next();
                }
            }
        }
        let token = self.name("a name")?;
        let element = u64::from(declaration.ty.bytes()) * declaration.vector;
        let (mut count, mut open, mut bounds) = (1u64, false, Vec::new());
        while self.eat(b'[') {
            if self.eat(b']') {
                open = true;
                continue;
            }
            let span = self.peek().span;
            let bound = self.integer("an array size")?;
            bounds.push(bound.max(0) as u64);
            count = count
                .checked_mul(bound.max(0) as u64)
                .filter(|n| bound >= 0 && n.checked_mul(element).is_some_and(|bytes| bytes <= MOST_BYTES))
                .ok_or_else(|| Problem::new(Trouble::Syntax, span, format!("an array of {bound} elements cannot be had")))?;
            self.expect(b']', "after an array size")?;
        }
        let init = if initialised && self.eat(b'=') { self.initialiser(declaration.ty, &bounds)? } else { Vec::new() };
        let filled = init.iter().map(|part| part.offset + part.value.bytes()).max().unwrap_or(0);
        let bytes = if open {
            // `s[]` takes its size from its value, or, in `.extern .shared`, from the launch.
            (!external && !init.is_empty()).then(|| filled.div_ceil(element * count) * element * count)
        } else {
            Some(element * count)
        };
        if bytes.is_some_and(|bytes| filled > bytes) {
            return Err(Problem::new(
                Trouble::Syntax,
                token.span,
                format!("`{}` is {} bytes but its value has {filled}", self.word(token), bytes.unwrap_or(0)),
            ));
        }
        Ok(Variable {
            name: self.word(token).to_string(),
            span: token.span,
            space: declaration.space,
            ty: declaration.ty,
            align: declaration.align.unwrap_or(element.clamp(1, 16) as u32),
            bytes,
            init,
        })
    }

    fn initialiser(&mut self, ty: Type, bounds: &[u64]) -> Result<Vec<InitPart>> {
        let mut parts = Vec::new();
        let mut offset = 0;
        self.init_value(ty, bounds, &mut offset, &mut parts, 0)?;
        Ok(parts)
    }

    fn init_value(&mut self, ty: Type, bounds: &[u64], offset: &mut u64, parts: &mut Vec<InitPart>, depth: u32) -> Result<()> {
        if self.is(b'{') {
            if depth > MOST_NESTING {
                return Err(self.unexpected("fewer nested braces"));
            }
            self.next();
            let start = *offset;
            let inner = bounds.get(1..).unwrap_or(&[]);
            while !self.is(b'}') {
                self.init_value(ty, inner, offset, parts, depth + 1)?;
                if !self.eat(b',') {
                    break;
                }
            }
            self.expect(b'}', "after an initial value")?;
            // A row that is not written out is zero to its end.
            if depth > 0 && !bounds.is_empty() {
                *offset = (start + bounds.iter().product::<u64>() * u64::from(ty.bytes())).max(*offset);
            }
            return Ok(());
        }
        let value = self.init_scalar(ty)?;
        let bytes = value.bytes();
        // Long byte arrays become one piece.
        match (parts.last_mut(), value) {
            (Some(InitPart { offset: at, value: InitValue::Bytes(known) }), InitValue::Bytes(more))
                if *at + known.len() as u64 == *offset =>
            {
                known.extend(more);
            }
            (_, value) => parts.push(InitPart { offset: *offset, value }),
        }
        *offset += bytes;
        Ok(())
    }

    fn init_scalar(&mut self, ty: Type) -> Result<InitValue> {
        let token = self.peek();
        if token.kind == Kind::Text {
            self.next();
            let inner = self.word(token).trim_matches('"');
            return Ok(InitValue::Bytes(inner.bytes().chain([0]).collect()));
        }
        let negative = self.eat(b'-');
        let token = self.peek();
        match token.kind {
            Kind::Number => {
                self.next();
                let literal = Literal::parse(self.word(token)).ok_or_else(|| bad_number(token.span, self.word(token)))?;
                // `0xff00(name)`: the byte of an address that the mask picks.
                if self.is(b'(') {
                    let mask = literal.as_i64().unwrap_or(0) as u64;
                    self.next();
                    let (name, offset, generic) = self.init_address()?;
                    self.expect(b')', "after a masked address")?;
                    return Ok(InitValue::Address {
                        name,
                        offset,
                        bytes: ty.bytes(),
                        shift: mask.trailing_zeros() & 63,
                        generic,
                    });
                }
                let literal = if negative { literal.negate() } else { literal };
                let as_float = || match (literal, ty) {
                    (Literal::Int { bits, .. }, Type::F32) => Some(u64::from((bits as i64 as f32).to_bits())),
                    (Literal::Int { bits, .. }, Type::F64) => Some((bits as i64 as f64).to_bits()),
                    _ => None,
                };
                let bits = literal.bits(ty).or_else(as_float).ok_or_else(|| bad_number(token.span, self.word(token)))?;
                Ok(InitValue::Bytes(bits.to_le_bytes()[..ty.bytes().min(8) as usize].to_vec()))
            }
            Kind::Name => {
                let (name, offset, generic) = self.init_address()?;
                Ok(InitValue::Address { name, offset, bytes: ty.bytes(), shift: 0, generic })
            }
            _ => Err(self.unexpected("a constant or the address of a variable")),
        }
    }

    /// `name`, `name+4`, `generic(name)+4`.
    fn init_address(&mut self) -> Result<(String, i64, bool)> {
        let token = self.name("the name of a variable")?;
        let mut name = self.word(token);
        let generic = name == "generic" && self.eat(b'(');
        let mut offset = 0i64;
        if generic {
            let inner = self.name("the name of a variable")?;
            name = self.word(inner);
            offset = self.offset()?;
            self.expect(b')', "after `generic(name`")?;
        }
        offset = offset.wrapping_add(self.offset()?);
        Ok((name.to_string(), offset, generic))
    }

    /// Any number of `+8`, `-8` and `+-8`, added up.
    pub fn offset(&mut self) -> Result<i64> {
        let mut offset = 0i64;
        loop {
            if self.eat(b'+') {
                offset = offset.wrapping_add(self.integer("an offset")?);
            } else if self.is(b'-') {
                offset = offset.wrapping_add(self.integer("an offset")?);
            } else {
                return Ok(offset);
            }
        }
    }

    // ---- Functions ----

    fn function(&mut self) -> Result<()> {
        let start = self.next();
        let is_kernel = self.word(start) == ".entry";
        self.eat_word(".attribute");
        let returns = if !is_kernel && self.is(b'(') { self.parameters()? } else { Vec::new() };
        let token = self.name("the name of a function")?;
        let name = self.word(token).to_string();
        self.function = Some(name.clone());
        let params = if self.is(b'(') { self.parameters()? } else { Vec::new() };
        let mut function = Function {
            name,
            span: start.span.to(token.span),
            is_kernel,
            params,
            returns,
            body: None,
            max_threads: None,
            required_threads: false,
        };
        self.tuning(&mut function)?;
        if self.eat(b';') {
            self.module.functions.push(function);
            return Ok(());
        }
        if !self.is(b'{') {
            return Err(self.unexpected("`{` or `;` after the head of a function"));
        }
        if self.module.functions.iter().any(|f| f.name == function.name && f.body.is_some()) {
            self.report(
                Problem::new(Trouble::Name, token.span, format!("`{}` is defined twice", function.name))
                    .label("a second definition"),
            );
        }
        let body = body::parse(self, &function);
        function.body = Some(body);
        self.module.functions.push(function);
        Ok(())
    }

    fn parameters(&mut self) -> Result<Vec<Variable>> {
        self.expect(b'(', "before parameters")?;
        let mut parameters = Vec::new();
        while !self.is(b')') {
            if self.word(self.peek()) == ".reg" {
                return Err(Problem::new(Trouble::Unsupported, self.peek().span, "parameters in registers (`.reg`) are not run")
                    .label("pass it through `.param`"));
            }
            let declaration = self.declaration()?;
            parameters.push(self.declarator(&declaration, false, false)?);
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')', "after parameters")?;
        Ok(parameters)
    }

    /// Directives between a function's head and its body.
    fn tuning(&mut self, function: &mut Function) -> Result<()> {
        while self.peek().kind == Kind::Dotted {
            let token = self.next();
            let word = self.word(token);
            if matches!(word, ".maxntid" | ".reqntid") {
                let mut threads = [1u32; 3];
                for (axis, count) in threads.iter_mut().enumerate() {
                    if axis > 0 && !self.eat(b',') {
                        break;
                    }
                    *count = self.integer("a number of threads")?.clamp(0, u32::MAX.into()) as u32;
                }
                function.max_threads = Some(threads);
                function.required_threads = word == ".reqntid";
            } else {
                while matches!(self.peek().kind, Kind::Number | Kind::Text | Kind::Punct(b',')) {
                    self.next();
                }
                if word == ".pragma" {
                    self.eat(b';');
                }
            }
        }
        Ok(())
    }

    /// Names that functions leave to the module are checked when all of it has been seen.
    fn check_module_names(&mut self) {
        let mut problems = Vec::new();
        for function in &self.module.functions {
            let Some(body) = &function.body else { continue };
            for instruction in &body.instructions {
                for symbol in instruction.operands.iter().filter_map(sources::symbol) {
                    if let Symbol::Module(name) = symbol
                        && !self.module.variables.iter().any(|v| v.name == *name)
                        && !self.module.functions.iter().any(|f| f.name == *name)
                    {
                        let mut problem = Problem::new(Trouble::Name, instruction.span, format!("`{name}` is not declared"))
                            .label(format!("no variable, register or function `{name}`"));
                        problem.function = Some(function.name.clone());
                        problems.push(problem);
                    }
                }
            }
        }
        for problem in problems {
            self.report(problem);
        }
    }
}

impl InitValue {
    fn bytes(&self) -> u64 {
        match self {
            InitValue::Bytes(bytes) => bytes.len() as u64,
            InitValue::Address { bytes, .. } => u64::from(*bytes),
        }
    }
}

pub(super) fn bad_number(span: Span, text: &str) -> Problem {
    Problem::new(Trouble::Syntax, span, format!("`{}` is not a number that fits here", shorten(text)))
}

/// A word as a message shows it.
pub(super) fn shorten(word: &str) -> String {
    if word.chars().count() > 40 { word.chars().take(37).chain("…".chars()).collect() } else { word.to_string() }
}

impl Parser<'_> {
    /// A stand-in index for a file that a comment names.
    pub fn named_file(&mut self, name: &str) -> u32 {
        let at = self.named_files.iter().position(|known| known == name).unwrap_or_else(|| {
            self.named_files.push(name.to_string());
            self.named_files.len() - 1
        });
        NAMED_FILE + at as u32
    }

    /// Gives the files that only comments name the index of the `.file` they mean, or one of their own.
    fn settle_named_files(&mut self) {
        let mut settled = Vec::new();
        for name in &self.named_files {
            let same = |file: &&SourceFile| file.name == *name || file.name.ends_with(&format!("/{name}"));
            let index = self.module.files.iter().find(same).map(|file| file.index).unwrap_or_else(|| {
                let index = self.module.files.iter().map(|file| file.index + 1).max().unwrap_or(1);
                self.module.files.push(SourceFile { index, name: name.clone() });
                index
            });
            settled.push(index);
        }
        for body in self.module.functions.iter_mut().filter_map(|f| f.body.as_mut()) {
            for place in &mut body.places {
                if let Some(&index) = place.file.checked_sub(NAMED_FILE).and_then(|at| settled.get(at as usize)) {
                    place.file = index;
                }
            }
        }
    }

    /// Where the token before the next one ends.
    pub fn previous_end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |at| self.tokens[at].span.end as usize)
    }
}
