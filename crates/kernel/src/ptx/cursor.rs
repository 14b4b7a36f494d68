//! The parser's token cursor: peek, take, expect, skip and report.

use super::lexer::{Token, TokenKind};
use super::literal::Literal;
use super::parser::{Parser, Result};
use super::problem::{Problem, Span, Trouble};

/// Limit on the letters of a name, because names are copied with what they name. Compilers write some of several thousand.
const MOST_OF_A_NAME: usize = 1 << 14;

impl<'a> Parser<'a> {
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
        self.peek().kind == TokenKind::Punct(punct)
    }

    pub fn is_end(&self) -> bool {
        self.peek().kind == TokenKind::End
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
        let token = self.peek();
        if token.kind != TokenKind::Name {
            return Err(self.unexpected(what));
        }
        let length = self.word(token).len();
        if length > MOST_OF_A_NAME {
            let message = format!("a name has {length} letters; names have at most {MOST_OF_A_NAME}");
            return Err(Problem::new(Trouble::Syntax, token.span, message));
        }
        Ok(self.next())
    }

    /// Returns a problem at the next token: `wanted` was expected.
    pub fn unexpected(&self, wanted: &str) -> Problem {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end of the text".to_string(),
            TokenKind::Stray if self.word(token).starts_with("/*") => "a comment that is never closed".to_string(),
            TokenKind::Stray if self.word(token).starts_with('"') => "a string that is never closed".to_string(),
            _ => format!("`{}`", shorten(self.word(token))),
        };
        Problem::new(Trouble::Syntax, token.span, format!("expected {wanted}, found {found}")).label(format!("expected {wanted}"))
    }

    /// Skips the rest of a statement: past its `;`, or up to a brace that is not part of it.
    ///
    /// Vector operands and initial values use braces too; a `{` opens a scope if a `;` or another `{` comes before its `}`.
    pub fn skip_statement(&mut self) {
        let mut open = None;
        while !self.is_end() {
            match (self.peek().kind, open) {
                (TokenKind::Punct(b'{'), None) => open = Some(self.at),
                (TokenKind::Punct(b'}'), Some(_)) => open = None,
                (TokenKind::Punct(b'{' | b';'), Some(brace)) => {
                    self.at = brace;
                    return;
                }
                (TokenKind::Punct(b'}'), None) => return,
                (TokenKind::Punct(b';'), None) => {
                    self.next();
                    return;
                }
                _ => {}
            }
            self.next();
        }
    }

    /// Skips a group in parentheses, if one is next.
    pub fn skip_parentheses(&mut self) {
        let mut depth = 0u32;
        while !self.is_end() && (depth > 0 || self.is(b'(')) {
            match self.next().kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') => depth -= 1,
                _ => {}
            }
        }
    }

    /// Skips the results in front of a function's name, if there are any. They are parsed afterwards; braces and semicolons end what
    /// cannot be results, so that a text of open parentheses is not read again and again.
    pub fn skip_results(&mut self) {
        let mut depth = 0u32;
        while !self.is_end() && (depth > 0 || self.is(b'(')) {
            match self.peek().kind {
                TokenKind::Punct(b'(') => depth += 1,
                TokenKind::Punct(b')') => depth -= 1,
                TokenKind::Punct(b';' | b'{' | b'}') => return,
                _ => {}
            }
            self.next();
        }
    }

    /// Skips a group in braces, beginning at its opening brace.
    pub fn skip_braces(&mut self) {
        let mut depth = 0u32;
        while !self.is_end() {
            match self.next().kind {
                TokenKind::Punct(b'{') => depth += 1,
                TokenKind::Punct(b'}') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    pub fn integer(&mut self, what: &str) -> Result<i64> {
        let negative = self.eat(b'-');
        let token = self.peek();
        let value =
            if token.kind == TokenKind::Number { Literal::parse(self.word(token)).and_then(Literal::as_i64) } else { None };
        let value = value.ok_or_else(|| self.unexpected(what))?;
        self.next();
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    /// Parses any number of `+8`, `-8` and `+-8`, and returns their sum.
    pub fn offset(&mut self) -> Result<i64> {
        let mut offset = 0i64;
        while self.eat(b'+') || self.is(b'-') {
            offset = offset.wrapping_add(self.integer("an offset")?);
        }
        Ok(offset)
    }

    /// Returns the byte position at which the previous token ends.
    pub fn previous_end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |at| self.tokens[at].span.end as usize)
    }
}

pub(super) fn bad_number(span: Span, text: &str) -> Problem {
    Problem::new(Trouble::Syntax, span, format!("`{}` is not a number that fits here", shorten(text)))
}

/// Shortens a word for a message.
pub(super) fn shorten(word: &str) -> String {
    if word.chars().count() > 40 { word.chars().take(37).chain("…".chars()).collect() } else { word.to_string() }
}
