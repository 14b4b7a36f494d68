//! Parses declarations of variables: state space, type, alignment, array bounds and initial values.
//!
//! Module variables, function parameters and variables in bodies share one grammar. An initial value is a list of pieces at
//! byte offsets: runs of plain bytes, and addresses of other variables, which are known only after layout.

use super::cursor::bad_number;
use super::lexer::TokenKind;
use super::literal::Literal;
use super::module::{InitPart, InitValue, Variable};
use super::parser::{MOST_NESTING, Parser, Result};
use super::problem::{Problem, Trouble};
use super::types::{Space, Type};

/// Most bytes of a variable. No GPU variable is larger; the limit bounds what a hostile declaration can allocate.
const MOST_BYTES: u64 = 1 << 32;

/// The part of a declaration before its names.
pub(super) struct Declaration {
    space: Space,
    ty: Type,
    vector: u64,
    align: Option<u32>,
}

impl Parser<'_> {
    /// Parses a declaration of one or more variables, including its `;`.
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

    pub fn declaration(&mut self) -> Result<Declaration> {
        let mut declaration = Declaration { space: Space::Generic, ty: Type::B8, vector: 1, align: None };
        let start = self.peek();
        loop {
            let token = self.peek();
            if token.kind != TokenKind::Dotted {
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
                ".attribute" => self.skip_parentheses(),
                // Texture, sampler and surface handles are 64-bit words: their use is refused, not their declaration.
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

    /// Parses one name of a declaration, with its array bounds and, if `initialised` allows, its value.
    pub fn declarator(&mut self, declaration: &Declaration, external: bool, initialised: bool) -> Result<Variable> {
        // Pointer parameters of kernels may say what they point to.
        if self.eat_word(".ptr") {
            while self.peek().kind == TokenKind::Dotted {
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
                // Its own size follows from the value; rows in it have theirs.
                bounds.push(1);
                continue;
            }
            let span = self.peek().span;
            let bound = self.integer("an array size")?;
            bounds.push(bound.max(0) as u64);
            count = count
                .checked_mul(bound.max(0) as u64)
                .filter(|n| bound >= 0 && n.checked_mul(element).is_some_and(|bytes| bytes <= MOST_BYTES))
                .ok_or_else(|| Problem::new(Trouble::Syntax, span, format!("an array cannot have {bound} elements")))?;
            self.expect(b']', "after an array size")?;
        }
        if open && count == 0 {
            let message = format!("`{}` has rows of 0 elements, from which its size cannot be worked out", self.word(token));
            return Err(Problem::new(Trouble::Syntax, token.span, message));
        }
        let init = if initialised && self.eat(b'=') { self.initialiser(declaration.ty, &bounds)? } else { Vec::new() };
        let filled = init.iter().map(|part| part.offset.saturating_add(part.value.bytes())).max().unwrap_or(0);
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
            // An incomplete row is zero to its end.
            if depth > 0 && !bounds.is_empty() {
                let row = bounds.iter().fold(u64::from(ty.bytes()), |bytes, &bound| bytes.saturating_mul(bound));
                *offset = start.saturating_add(row).max(*offset);
            }
            return Ok(());
        }
        let value = self.init_scalar(ty)?;
        let bytes = value.bytes();
        // Adjacent bytes are merged into one piece.
        match (parts.last_mut(), value) {
            (Some(InitPart { offset: at, value: InitValue::Bytes(known) }), InitValue::Bytes(more))
                if *at + known.len() as u64 == *offset =>
            {
                known.extend(more);
            }
            (_, value) => parts.push(InitPart { offset: *offset, value }),
        }
        *offset = offset.saturating_add(bytes);
        Ok(())
    }

    fn init_scalar(&mut self, ty: Type) -> Result<InitValue> {
        let token = self.peek();
        if token.kind == TokenKind::Text {
            self.next();
            let inner = self.word(token).trim_matches('"');
            return Ok(InitValue::Bytes(inner.bytes().chain([0]).collect()));
        }
        let negative = self.eat(b'-');
        let token = self.peek();
        match token.kind {
            TokenKind::Number => {
                self.next();
                let literal = Literal::parse(self.word(token)).ok_or_else(|| bad_number(token.span, self.word(token)))?;
                // `0xff00(name)`: the byte of an address that the mask selects.
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
            TokenKind::Name => {
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
}

impl InitValue {
    fn bytes(&self) -> u64 {
        match self {
            InitValue::Bytes(bytes) => bytes.len() as u64,
            InitValue::Address { bytes, .. } => u64::from(*bytes),
        }
    }
}
