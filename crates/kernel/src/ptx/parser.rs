//! Parses the module level: directives, kernels and functions.

use super::body;
use super::forms::{self, Form, NoForm};
use super::lexer::{Token, TokenKind, lex};
use super::lookup::NameMap;
use super::module::{Function, FunctionBody, Module, Operand, SourceFile, Symbol, Variable};
use super::problem::{Problem, Span, Trouble};
use super::types::Space;
use std::collections::HashMap;

/// Problems outside of functions after which parsing stops, because the text is hardly PTX.
const MOST_PROBLEMS: u32 = 200;
/// Problems reported per function: the first is enough to refuse it, and the limit leaves room for other functions.
const MOST_OF_A_FUNCTION: u32 = 20;
/// Limit on nested braces, which no compiler reaches; bounds recursion on hostile texts.
pub(super) const MOST_NESTING: u32 = 200;

/// Parses a PTX text into a module and all of its problems. Functions without problems are complete.
pub fn parse(text: &str) -> (Module, Vec<Problem>) {
    if u32::try_from(text.len()).is_err() {
        return (Module::default(), vec![Problem::new(Trouble::Syntax, Span::default(), "the text is larger than 4 GiB")]);
    }
    let mut parser = Parser::new(text);
    parser.module();
    parser.check_module_names();
    parser.settle_named_files();
    parser.module.index();
    parser.problems.sort_by_key(|problem| problem.span.start);
    (parser.module, parser.problems)
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    /// Index of the next token.
    pub at: usize,
    pub module: Module,
    pub problems: Vec<Problem>,
    /// Name of the function being parsed, for its problems.
    pub function: Option<String>,
    /// Number of problems in the current function, and outside of all functions.
    in_function: u32,
    outside: u32,
    /// Positions of names in [`Module::variables`], and the names of functions with a body.
    known_variables: NameMap<'a>,
    known_functions: NameMap<'a>,
    /// Cached forms, and their positions by full opcode text: a kernel uses few forms and repeats them.
    forms: Vec<std::result::Result<Form, NoForm>>,
    known_forms: NameMap<'a>,
    /// Files that only comments name; see [`super::sources`].
    pub named_files: Vec<String>,
    /// The place of each in that list.
    pub known_files: HashMap<String, u32>,
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
            in_function: 0,
            outside: 0,
            known_variables: NameMap::default(),
            known_functions: NameMap::default(),
            forms: Vec::new(),
            known_forms: NameMap::default(),
            named_files: Vec::new(),
            known_files: HashMap::new(),
        }
    }

    // ---- The report ----

    pub fn report(&mut self, mut problem: Problem) {
        let (count, most) = match self.function {
            Some(_) => (&mut self.in_function, MOST_OF_A_FUNCTION),
            None => (&mut self.outside, MOST_PROBLEMS),
        };
        *count += 1;
        if *count <= most {
            problem.function.clone_from(&self.function);
            self.problems.push(problem);
        }
    }

    /// Returns the form of an opcode, cached by its text.
    pub fn form(&mut self, whole: &'a str, opcode: &str, modifiers: &[&str]) -> std::result::Result<Form, NoForm> {
        let new = self.forms.len() as u32;
        let at = *self.known_forms.entry(whole).or_insert(new);
        if at == new {
            self.forms.push(forms::form(opcode, modifiers));
        }
        self.forms[at as usize].clone()
    }

    // ---- The module ----

    fn module(&mut self) {
        while !self.is_end() && self.outside < MOST_PROBLEMS {
            let before = self.at;
            if let Err(problem) = self.item() {
                self.report(problem);
                self.skip_statement();
                if self.is(b'{') {
                    self.skip_braces();
                }
                self.eat(b'}');
            }
            (self.function, self.in_function) = (None, 0);
            if self.at == before {
                self.next();
            }
        }
    }

    fn item(&mut self) -> Result<()> {
        let token = self.peek();
        if token.kind != TokenKind::Dotted {
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
                    _ => Err(Problem::new(Trouble::Unsupported, at, "only `.address_size 64` is supported").label("not 64")),
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
            ".pragma" => {
                self.skip_statement();
                Ok(())
            }
            ".alias" => {
                self.next();
                let alias = self.name("the name of a function")?;
                self.expect(b',', "between an alias and its function")?;
                let aliased = self.name("the name of a function")?;
                self.expect(b';', "after an alias")?;
                self.module.aliases.push((self.word(alias).to_string(), self.word(aliased).to_string()));
                Ok(())
            }
            _ => self.linkage(),
        }
    }

    pub fn file(&mut self) -> Result<()> {
        self.next();
        let index = self.integer("a file number")?;
        let token = self.peek();
        if token.kind != TokenKind::Text {
            return Err(self.unexpected("a file name in quotes"));
        }
        self.next();
        let mut name = self.word(token).trim_matches('"').to_string();
        // A directory may come before the name.
        if self.peek().kind == TokenKind::Text {
            let token = self.next();
            name = format!("{name}/{}", self.word(token).trim_matches('"'));
        }
        while self.eat(b',') {
            self.integer("a number")?;
        }
        self.module.files.push(SourceFile { index: index as u32, name });
        Ok(())
    }

    /// Parses `.visible`, `.extern` and the like, then a variable or a function.
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
                    let new = self.module.variables.len() as u32;
                    let at = *self.known_variables.entry(variable.span.text(self.text)).or_insert(new);
                    match self.module.variables.get_mut(at as usize) {
                        Some(known) if known.bytes.is_none() || known.init.is_empty() => *known = variable,
                        Some(_) => {}
                        None => self.module.variables.push(variable),
                    }
                }
                Ok(())
            }
        }
    }

    // ---- Functions ----

    fn function(&mut self) -> Result<()> {
        let start = self.next();
        if self.eat_word(".attribute") {
            self.skip_parentheses();
        }
        // The name follows the results, but problems in the results already refer to it.
        let head = self.at;
        self.skip_results();
        let token = self.name("the name of a function")?;
        self.at = head;
        self.function = Some(self.word(token).to_string());
        let mut function = Function {
            name: self.word(token).to_string(),
            span: start.span.to(token.span),
            is_kernel: self.word(start) == ".entry",
            params: Vec::new(),
            returns: Vec::new(),
            body: None,
            max_threads: None,
            required_threads: false,
        };
        let outcome = self.head(&mut function);
        if outcome.is_err() {
            // The empty body keeps the kernel in lists of kernels.
            function.body = Some(FunctionBody::default());
        } else if self.is(b'{') {
            if self.known_functions.insert(self.word(token), 0).is_some() {
                self.report(
                    Problem::new(Trouble::Name, token.span, format!("`{}` is defined twice", function.name))
                        .label("a second definition"),
                );
            }
            function.body = Some(body::parse(self, &function));
        }
        self.module.functions.push(function);
        outcome
    }

    /// Parses a function's head: from its results up to its body, or past the `;` of a declaration.
    fn head(&mut self, function: &mut Function) -> Result<()> {
        if self.is(b'(') {
            function.returns = self.parameters()?;
        }
        self.name("the name of a function")?;
        if self.is(b'(') {
            function.params = self.parameters()?;
        }
        self.tuning(function)?;
        if self.eat(b';') || self.is(b'{') { Ok(()) } else { Err(self.unexpected("`{` or `;` after the head of a function")) }
    }

    fn parameters(&mut self) -> Result<Vec<Variable>> {
        self.expect(b'(', "before parameters")?;
        let mut parameters = Vec::new();
        while !self.is(b')') {
            if self.word(self.peek()) == ".reg" {
                return Err(Problem::new(
                    Trouble::Unsupported,
                    self.peek().span,
                    "parameters in registers (`.reg`) are not supported",
                )
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

    /// Parses the directives between a function's head and its body.
    fn tuning(&mut self, function: &mut Function) -> Result<()> {
        while self.peek().kind == TokenKind::Dotted {
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
                while matches!(self.peek().kind, TokenKind::Number | TokenKind::Text | TokenKind::Punct(b',')) {
                    self.next();
                }
                if word == ".pragma" {
                    self.eat(b';');
                }
            }
        }
        Ok(())
    }

    /// Reports names that neither a function nor the module declares, once the whole module has been parsed.
    fn check_module_names(&mut self) {
        let variables = self.module.variables.iter().map(|variable| variable.name.as_str());
        let functions = self.module.functions.iter().map(|function| function.name.as_str());
        let known: NameMap = variables.chain(functions).map(|name| (name, 0)).collect();
        let mut missing = Vec::new();
        for function in &self.module.functions {
            let Some(body) = &function.body else { continue };
            let mut reported = NameMap::default();
            let most = MOST_OF_A_FUNCTION as usize;
            for instruction in &body.instructions {
                for symbol in instruction.operands.iter().filter_map(Operand::symbol) {
                    if let Symbol::Module(name) = symbol
                        && !known.contains_key(name.as_str())
                        && reported.len() < most
                        && reported.insert(name, 0).is_none()
                    {
                        let mut problem = Problem::new(Trouble::Name, instruction.span, format!("`{name}` is not declared"))
                            .label(format!("no variable, register or function `{name}`"));
                        problem.function = Some(function.name.clone());
                        missing.push(problem);
                    }
                }
            }
        }
        self.problems.extend(missing);
    }
}
