//! Source positions of instructions: `.loc` lines, nvcc's `inlined_at` and clang's `@[ ]` comments.
//!
//! nvcc writes the innermost inlined call as `.loc 1 2 3, function_name $L__info_string0, inlined_at 1 9 5`; an earlier line
//! gives the call around it in the same way. clang writes the whole chain, but only as a comment,
//! `// f.cu:2:11 @[ f.cu:9:12 ]`. Both become a chain of [`LocPlace`]s, innermost first.

use super::lexer::TokenKind;
use super::lookup::NameHasher;
use super::module::{LocPlace, SourceFile};
use super::parser::{Parser, Result};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Limit on the depth of inlined calls that are followed outwards.
const MOST_DEPTH: u32 = 32;
/// Limit on the folders of a `.file` that are tried to find the file that a comment names.
const MOST_FOLDERS: usize = 64;
/// File indices from this value on refer to [`Parser::named_files`].
const NAMED_FILE: u32 = 1 << 31;

/// A place whose file may still be a name, because clang's comments come before the `.file` lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PlaceNote<'a> {
    file: FileNote<'a>,
    line: u32,
    column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum FileNote<'a> {
    Index(u32),
    Name(&'a str),
}

/// The contents of a `.loc`.
pub(super) struct Location<'a> {
    /// The place and the calls it was inlined at, innermost first; empty for line 0, which means "no line".
    chain: Vec<PlaceNote<'a>>,
    /// Whether the last call of the chain may itself lie in an inlined function.
    goes_on: bool,
}

/// Parses a `.loc`, which is the next token.
pub(super) fn location<'a>(parser: &mut Parser<'a>) -> Result<Location<'a>> {
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
    while parser.peek().kind == TokenKind::Name
        && matches!(parser.word(parser.peek()), "is_stmt" | "prologue_end" | "epilogue_begin" | "discriminator")
    {
        let flag = parser.next();
        if matches!(parser.word(flag), "is_stmt" | "discriminator") {
            parser.next();
        }
    }
    let goes_on = chain.len() > 1;
    if !goes_on {
        chain.extend(comment_chain(parser));
    }
    if chain[0].line == 0 {
        chain.clear();
    }
    Ok(Location { chain, goes_on })
}

fn numbers<'a>(parser: &mut Parser<'a>) -> Result<PlaceNote<'a>> {
    let file = parser.integer("a file number")? as u32;
    let line = parser.integer("a line number")? as u32;
    let column = if parser.peek().kind == TokenKind::Number { parser.integer("a column")? as u32 } else { 0 };
    Ok(PlaceNote { file: FileNote::Index(file), line, column })
}

/// Returns the `@[ file:line:column … ]` chain of the comment behind the last token, if the line has one.
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
    notes: Vec<Entry<'a>>,
    known: HashMap<(PlaceNote<'a>, Option<u32>), u32, BuildHasherDefault<NameHasher>>,
    /// The last entry that a `.loc` made for a place, wherever that is inlined; the key type of `known` is reused to save code.
    latest: HashMap<(PlaceNote<'a>, Option<u32>), u32, BuildHasherDefault<NameHasher>>,
}

struct Entry<'a> {
    note: PlaceNote<'a>,
    inlined_at: Option<u32>,
    /// Number of calls outwards.
    depth: u32,
}

impl<'a> Places<'a> {
    /// Stores a location's chain and returns the index of its innermost place; `None` for line 0.
    pub fn intern(&mut self, location: &Location<'a>) -> Option<u32> {
        let innermost = *location.chain.first()?;
        let mut chain = location.chain.iter().rev().copied().peekable();
        let mut outer = None;
        if location.goes_on {
            let around = chain.peek().and_then(|call| self.latest.get(&(*call, None))).copied();
            outer = around.filter(|&at| self.notes[at as usize].depth < MOST_DEPTH);
            if outer.is_some() {
                chain.next();
            }
        }
        for note in chain {
            outer = Some(self.add(note, outer));
        }
        self.latest.insert((innermost, None), outer?);
        outer
    }

    fn add(&mut self, note: PlaceNote<'a>, inlined_at: Option<u32>) -> u32 {
        *self.known.entry((note, inlined_at)).or_insert_with(|| {
            let depth = inlined_at.map_or(0, |at| self.notes[at as usize].depth + 1);
            self.notes.push(Entry { note, inlined_at, depth });
            self.notes.len() as u32 - 1
        })
    }

    /// Returns the finished list. `index_of` maps a file name to its index and may add one.
    pub fn finish(self, mut index_of: impl FnMut(&str) -> u32) -> Vec<LocPlace> {
        self.notes
            .into_iter()
            .map(|Entry { note, inlined_at, .. }| {
                let file = match note.file {
                    FileNote::Index(index) => index,
                    FileNote::Name(name) => index_of(name),
                };
                LocPlace { file, line: note.line, column: note.column, inlined_at }
            })
            .collect()
    }
}

impl Parser<'_> {
    /// Returns a placeholder index for a file that a comment names.
    pub fn named_file(&mut self, name: &str) -> u32 {
        let new = self.named_files.len() as u32;
        let at = *self.known_files.entry(name.to_string()).or_insert(new);
        if at == new {
            self.named_files.push(name.to_string());
        }
        NAMED_FILE + at
    }

    /// Replaces placeholder indices by that of the `.file` with the same name, or by a new index.
    pub fn settle_named_files(&mut self) {
        // By name, with fewer and fewer folders in front of it: the first such file.
        let mut known: HashMap<String, u32> = HashMap::new();
        let add = |known: &mut HashMap<String, u32>, file: &SourceFile| {
            let folders = file.name.rmatch_indices('/').map(|(at, _)| at + 1).take(MOST_FOLDERS);
            for start in folders.chain([0]) {
                known.entry(file.name[start..].to_string()).or_insert(file.index);
            }
        };
        let mut settled = Vec::new();
        if !self.named_files.is_empty() {
            self.module.files.iter().for_each(|file| add(&mut known, file));
        }
        let mut next = self.module.files.iter().map(|file| file.index.saturating_add(1)).max().unwrap_or(1);
        for name in &self.named_files {
            let index = known.get(name).copied().unwrap_or_else(|| {
                let file = SourceFile { index: next, name: name.clone() };
                add(&mut known, &file);
                self.module.files.push(file);
                next = next.saturating_add(1);
                next - 1
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
}
