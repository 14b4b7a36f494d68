//! Parses operands as written, before they are bound to a form.

use super::body::Builder;
use super::cursor::bad_number;
use super::lexer::{Token, TokenKind};
use super::literal::Literal;
use super::module::AddressBase;
use super::parser::Result;
use super::problem::Span;

/// An operand as written, before it is bound to a form.
pub(super) enum Raw {
    /// A name; the span includes a dotted word behind it (`%tid.x`).
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
    pub fn span(&self) -> Span {
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

impl Builder<'_, '_> {
    pub fn raw_operands(&mut self) -> Result<Vec<Raw>> {
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
            TokenKind::Name if self.p.word(token) == "_" => {
                self.p.next();
                Raw::Sink(token.span)
            }
            TokenKind::Name => {
                self.p.next();
                if self.p.peek().kind == TokenKind::Dotted {
                    let suffix = self.p.next();
                    Raw::Name(token, token.span.to(suffix.span))
                } else if self.p.is(b'+') || self.p.is(b'-') {
                    let offset = self.p.offset()?;
                    Raw::Offset(token, offset, token.span)
                } else {
                    Raw::Name(token, token.span)
                }
            }
            TokenKind::Punct(b'!') => {
                self.p.next();
                Raw::Not(self.p.name("a predicate register")?)
            }
            TokenKind::Number | TokenKind::Punct(b'-' | b'~') => self.constant()?,
            TokenKind::Punct(b'[') => self.address()?,
            TokenKind::Punct(b'{') if depth == 0 => {
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
        if token.kind != TokenKind::Number {
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
            TokenKind::Name => {
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
}
