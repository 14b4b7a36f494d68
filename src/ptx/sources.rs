//! Where the text came from: `.loc` lines, nvcc's `inlined_at` and clang's `@[ ]` comments.
//!
//! nvcc writes the call chain as `.loc 1 2 3, function_name $L__info_string0, inlined_at 1 9 5`; clang only as a comment,
//! `// f.cu:2:11 @[ f.cu:9:12 ]`. Both become a chain of [`Place`]s, innermost first.

use super::lexer::Kind;
use super::module::{AddressBase, Operand, Place, Symbol};
use super::parser::{Parser, Result};

/// The variable that an operand names, if it names one.
pub(super) fn symbol(operand: &Operand) -> Option<&Symbol> {
    match operand {
        Operand::Symbol { symbol, .. } => Some(symbol),
        Operand::Address { base: AddressBase::Symbol(symbol), .. } => Some(symbol),
        _ => None,
    }
}

/// A place whose file may still be a name: clang's comments come before the `.file` lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlaceNote<'a> {
    file: FileNote<'a>,
    line: u32,
    column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileNote<'a> {
    Index(u32),
    Name(&'a str),
}

/// Reads a `.loc` (its word is next): the chain of places, innermost first; empty for line 0, which means "no line".
pub(super) fn location<'a>(parser: &mut Parser<'a>) -> Result<Vec<PlaceNote<'a>>> {
    parser.next();
    let mut chain = vec![numbers(parser)?];
    while parser.eat(b',') {
        if parser.eat_word("inlined_at") {
            chain.push(numbers(parser)?);
        } else {
            // `function_name $L__info_string0+8`
            parser.next();
            parser.next();
            parser.offset()?;
        }
    }
    // Flags such as `is_stmt 0` and `prologue_end` may follow.
    while parser.peek().kind == Kind::Name
        && matches!(parser.word(parser.peek()), "is_stmt" | "prologue_end" | "epilogue_begin" | "discriminator")
    {
        let flag = parser.next();
        if matches!(parser.word(flag), "is_stmt" | "discriminator") {
            parser.next();
        }
    }
    if chain.len() == 1 {
        chain.extend(comment_chain(parser));
    }
    if chain[0].line == 0 {
        chain.clear();
    }
    Ok(chain)
}

fn numbers<'a>(parser: &mut Parser<'a>) -> Result<PlaceNote<'a>> {
    let file = parser.integer("a file number")? as u32;
    let line = parser.integer("a line number")? as u32;
    let column = if parser.peek().kind == Kind::Number { parser.integer("a column")? as u32 } else { 0 };
    Ok(PlaceNote { file: FileNote::Index(file), line, column })
}

/// The `@[ file:line:column … ]` part of the comment behind the last token, if the line has one.
fn comment_chain<'a>(parser: &Parser<'a>) -> Vec<PlaceNote<'a>> {
    let behind = parser.previous_end();
    let line = parser.text.get(behind..).and_then(|rest| rest.lines().next()).unwrap_or("");
    let Some(comment) = line.trim_start().strip_prefix("//") else { return Vec::new() };
    let mut chain = Vec::new();
    for part in comment.split("@[").skip(1) {
        let part = part.trim().trim_end_matches([']', ' ']);
        let mut fields = part.rsplitn(3, ':');
        let column = fields.next().and_then(|c| c.parse().ok());
        let line = fields.next().and_then(|l| l.parse().ok());
        if let (Some(column), Some(line), Some(file)) = (column, line, fields.next()) {
            chain.push(PlaceNote { file: FileNote::Name(file), line, column });
        }
    }
    chain
}

/// The places of one body, each stored once.
#[derive(Default)]
pub(super) struct Places<'a> {
    notes: Vec<(PlaceNote<'a>, Option<u32>)>,
}

impl<'a> Places<'a> {
    /// The index of a chain's innermost place; `None` for an empty chain.
    pub fn intern(&mut self, chain: &[PlaceNote<'a>]) -> Option<u32> {
        let mut inner = None;
        for note in chain.iter().rev() {
            let entry = (note.clone(), inner);
            // Neighbouring lines repeat; a look at the last few finds most.
            let known = self.notes.iter().rposition(|known| *known == entry);
            inner = Some(known.unwrap_or_else(|| {
                self.notes.push(entry);
                self.notes.len() - 1
            }) as u32);
        }
        inner
    }

    /// The finished list. File names are looked up by `index_of`, which may invent an index for a new one.
    pub fn finish(self, mut index_of: impl FnMut(&str) -> u32) -> Vec<Place> {
        self.notes
            .into_iter()
            .map(|(note, inlined_at)| {
                let file = match note.file {
                    FileNote::Index(index) => index,
                    FileNote::Name(name) => index_of(name),
                };
                Place { file, line: note.line, column: note.column, inlined_at }
            })
            .collect()
    }
}
