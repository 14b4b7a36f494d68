//! Problems in a PTX text: the place, a message, and what was expected.
//!
//! The parser collects every [`Problem`] of a file. A problem holds only a byte range. It is rendered later, as text with the
//! source line and a caret ([`render`]), or as line and column for JSON and editors ([`Problem::located`]).

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

/// A range of bytes in a source text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: end as u32 }
    }

    /// Returns the span from the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.start) }
    }

    /// Returns the part of the source that it spans; empty if the source is another.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// The category of a problem, for counts and filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trouble {
    /// The text is not PTX.
    Syntax,
    /// A name that is not declared, or is defined twice.
    Name,
    /// Operands or types that the instruction does not take.
    Operand,
    /// PTX that Warpscope does not run, or an unknown instruction.
    Unsupported,
    /// The launch names none of the kernels, or does not say which of several to run.
    Choice,
}

/// One thing wrong in a PTX text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is.
    pub trouble: Trouble,
    /// Where it is in the text.
    pub span: Span,
    /// What is wrong, in a sentence that can stand alone.
    pub message: String,
    /// Text under the caret.
    pub label: String,
    /// What was expected, or what to do.
    pub help: Option<String>,
    /// The kernel or function that contains the problem; others of the module stay usable.
    pub function: Option<String>,
}

/// A problem with its line and column, for JSON and editors. Both start at 1; columns count characters.
#[derive(Clone, Debug, Serialize)]
pub struct Located<'a> {
    /// The line of its first character.
    pub line: usize,
    /// The column of its first character.
    pub column: usize,
    /// The line of its end.
    pub end_line: usize,
    /// The column behind its last character.
    pub end_column: usize,
    pub(crate) trouble: Trouble,
    pub(crate) message: &'a str,
    /// The text that it is about.
    pub found: &'a str,
    pub(crate) help: Option<&'a str>,
    pub(crate) function: Option<&'a str>,
    /// The line on which it begins; of a very long line, the part around the problem.
    pub source_line: &'a str,
}

/// Limit on the bytes of a line that are shown with a problem.
const MOST_OF_A_LINE: usize = 1000;

impl Problem {
    /// Returns a problem without a hint.
    pub fn new(trouble: Trouble, span: Span, message: impl Into<String>) -> Problem {
        Problem { trouble, span, message: message.into(), label: String::new(), help: None, function: None }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Problem {
        self.label = label.into();
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// Finds its line and columns in the text that was parsed.
    pub fn located<'a>(&'a self, source: &'a str) -> Located<'a> {
        self.located_in(&Lines::new(source))
    }

    fn located_in<'a>(&'a self, lines: &Lines<'a>) -> Located<'a> {
        let (line, column) = lines.place(self.span.start as usize);
        let (end_line, end_column) = lines.place(self.span.end as usize);
        Located {
            line,
            column,
            end_line,
            end_column,
            trouble: self.trouble,
            message: &self.message,
            found: self.span.text(lines.source),
            help: self.help.as_deref(),
            function: self.function.as_deref(),
            source_line: lines.text(line, self.span.start as usize),
        }
    }
}

/// Locates every problem; the text is scanned once, however many problems there are.
pub fn located<'a>(problems: &'a [Problem], source: &'a str) -> Vec<Located<'a>> {
    let lines = Lines::new(source);
    problems.iter().map(|problem| problem.located_in(&lines)).collect()
}

/// Returns the line and column (from 1, in characters) of a byte position.
pub fn line_column(source: &str, at: usize) -> (usize, usize) {
    Lines::new(&source[..clip_start(at, source)]).place(at)
}

/// The positions at which the lines of a text begin.
struct Lines<'a> {
    source: &'a str,
    starts: Vec<usize>,
    /// How many characters begin before each [`STEP`] of bytes.
    characters: Vec<usize>,
}

const STEP: usize = 1 << 10;

impl<'a> Lines<'a> {
    fn new(source: &'a str) -> Lines<'a> {
        let breaks = source.bytes().enumerate().filter(|(_, c)| *c == b'\n').map(|(at, _)| at + 1);
        let characters = source.as_bytes().chunks(STEP).scan(0, |before, part| {
            let here = *before;
            *before += begun(part);
            Some(here)
        });
        Lines { source, starts: std::iter::once(0).chain(breaks).collect(), characters: characters.collect() }
    }

    /// Returns how many characters begin before a position.
    fn characters_before(&self, at: usize) -> usize {
        let step = (at / STEP).min(self.characters.len().saturating_sub(1));
        self.characters.get(step).map_or(0, |before| before + begun(&self.source.as_bytes()[step * STEP..at]))
    }

    /// Returns the line and column of a byte position.
    fn place(&self, at: usize) -> (usize, usize) {
        let at = clip_start(at, self.source);
        let line = self.starts.partition_point(|&start| start <= at);
        (line, self.characters_before(at) - self.characters_before(self.starts[line - 1]) + 1)
    }

    /// Returns the text of a line, counted from 1, or the part around a position if the line is very long.
    fn text(&self, line: usize, at: usize) -> &'a str {
        let start = self.starts.get(line - 1).map_or(self.source.len(), |&start| start);
        let end = self.starts.get(line).map_or(self.source.len(), |&next| next);
        let text = &self.source[start..end];
        let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        if text.len() <= MOST_OF_A_LINE {
            return text;
        }
        let from = clip_start(at.saturating_sub(start + MOST_OF_A_LINE / 2), text);
        &text[from..clip_start(from + MOST_OF_A_LINE, text)]
    }

    /// Returns the byte range of the lines from the one that holds `from` to the one that holds `to`.
    fn around(&self, from: usize, to: usize) -> std::ops::Range<usize> {
        let last = self.place(to).0;
        self.starts[self.place(from).0 - 1]..self.starts.get(last).map_or(self.source.len(), |&next| next)
    }
}

/// Returns how many characters begin in a part of a text.
fn begun(part: &[u8]) -> usize {
    part.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Renders problems as text for a terminal or a log: place, source line, caret and help.
///
/// At most `most` are shown in full; a last line counts the rest.
pub fn render(problems: &[Problem], path: &str, source: &str, most: usize) -> String {
    let (renderer, lines) = (Renderer::plain(), Lines::new(source));
    let mut out = String::new();
    for problem in problems.iter().take(most) {
        let range = clip(problem.span, source);
        // The renderer scans all of its input, so it gets only the lines of the problem.
        let part = lines.around(range.start, range.end);
        let (from, to) = (range.start - part.start, range.end - part.start);
        let snippet = Snippet::source(&source[part]).line_start(lines.place(range.start).0).path(path).annotation(
            AnnotationKind::Primary.span(from..to).label(if problem.label.is_empty() { None } else { Some(&*problem.label) }),
        );
        let mut group = Group::with_title(Level::ERROR.primary_title(&problem.message)).element(snippet);
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(help));
        }
        out.push_str(&renderer.render(&[group]).to_string());
        out.push_str("\n\n");
    }
    if problems.len() > most {
        out.push_str(&format!("… and {} more problems\n", problems.len() - most));
    }
    out
}

/// Returns the span as a range that lies inside the text, on character boundaries.
fn clip(span: Span, source: &str) -> std::ops::Range<usize> {
    let start = clip_start(span.start as usize, source);
    let mut end = (span.end as usize).clamp(start, source.len());
    while !source.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// Clamps a position to the text, at the start of the character that contains it.
fn clip_start(at: usize, source: &str) -> usize {
    let mut at = at.min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rendered_problem_shows_place_line_caret_and_help() {
        let source = "ret;\n  frob %r1;\n";
        let problem = Problem::new(Trouble::Unsupported, Span::new(7, 11), "unknown instruction `frob`")
            .label("not PTX")
            .help("is it spelled right?");
        let text = render(&[problem], "k.ptx", source, 10);
        for part in ["k.ptx:2:3", "frob %r1;", "^^^^ not PTX", "is it spelled right?"] {
            assert!(text.contains(part), "{part:?} is missing from\n{text}");
        }
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(line_column("é\néx", 5), (2, 2));
        assert_eq!(line_column("", 9), (1, 1));
    }

    #[test]
    fn spans_outside_the_text_do_not_panic() {
        let problem = Problem::new(Trouble::Syntax, Span::new(90, 95), "x");
        assert!(!render(&[problem], "p", "é", 1).is_empty());
    }
}
