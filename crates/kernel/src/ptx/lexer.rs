//! Splits PTX text into tokens.
//!
//! A token is a kind and a byte range; its text stays in the source. A word that begins with a dot (`.u32`, `.shared::cta`) is
//! one token, so that `ld.global.u32` is a name and two dotted words, and `%tid.x` a name and one dotted word. Comments and
//! white space are dropped. Text that no PTX may contain becomes [`TokenKind::Stray`], which the parser reports.

use super::problem::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `add`, `%r1`, `$L__BB0_2`, `_ZN1aEv`.
    Name,
    /// `.u32`, `.visible`, `.L1::no_allocate`.
    Dotted,
    /// `42`, `0x1fU`, `0f3f800000`, `1.5`.
    Number,
    /// `"text"`, quotes included.
    Text,
    /// One of `, ; : [ ] { } ( ) < > + - * / ! @ | = & ^ ~ ? %`.
    Punct(u8),
    /// A character that PTX does not use, or an unclosed comment or string.
    Stray,
    /// The end of the text; the last token of every list.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

const fn is_name_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || matches!(c, b'_' | b'$' | b'%')
}

const fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$')
}

/// Returns all tokens of `text`, followed by one [`TokenKind::End`].
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    // Some editors begin a file with a byte order mark.
    let mut at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    while at < text.len() {
        if let Some(end) = blank_end(text, at) {
            at = end;
            continue;
        }
        let (kind, end) = token(text, at);
        tokens.push(Token { kind, span: Span::new(at, end) });
        at = end;
    }
    tokens.push(Token { kind: TokenKind::End, span: Span::new(text.len(), text.len()) });
    tokens
}

/// Returns the end of the white space, comment or line marker that begins at `start`; `None` if a token begins there.
fn blank_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    match (bytes[start], bytes.get(start + 1)) {
        (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, _) => Some(start + 1),
        (b'/', Some(b'/')) => Some(line_end(bytes, start)),
        (b'/', Some(b'*')) => text[start + 2..].find("*/").map(|length| start + length + 4),
        // Line markers that a preprocessor leaves behind.
        (b'#', _) if start == 0 || text[..start].trim_end_matches([' ', '\t']).ends_with('\n') => Some(line_end(bytes, start)),
        _ => None,
    }
}

/// Returns the kind of the token that begins at `start`, and its end.
fn token(text: &str, start: usize) -> (TokenKind, usize) {
    let bytes = text.as_bytes();
    match (bytes[start], bytes.get(start + 1)) {
        // An unclosed comment.
        (b'/', Some(b'*')) => (TokenKind::Stray, bytes.len()),
        (b'"', _) => string(text, start),
        (b'0'..=b'9', _) => (TokenKind::Number, number_end(bytes, start)),
        (b'.', Some(&c)) if is_name_start(c) || c.is_ascii_digit() => (TokenKind::Dotted, dotted_end(bytes, start + 2)),
        (c, _) if is_name_start(c) => match name_end(bytes, start + 1) {
            end if end - start == 1 && c == b'%' => (TokenKind::Punct(c), end),
            end => (TokenKind::Name, end),
        },
        (
            c @ (b',' | b';' | b':' | b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'!'
            | b'@' | b'|' | b'=' | b'&' | b'^' | b'~' | b'?'),
            _,
        ) => (TokenKind::Punct(c), start + 1),
        _ => (TokenKind::Stray, character_end(text, start + 1)),
    }
}

/// Returns the token of a string that begins at `start`; it is stray if it is not closed on its line.
fn string(text: &str, start: usize) -> (TokenKind, usize) {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    match bytes.get(at) {
        Some(b'"') => (TokenKind::Text, at + 1),
        _ => (TokenKind::Stray, character_end(text, at.min(bytes.len()))),
    }
}

/// Returns the end of the character that `at` is in or behind.
fn character_end(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn name_end(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|&c| !is_name(c)).map_or(bytes.len(), |n| start + n)
}

/// Returns the end of a dotted word, whose parts are joined by `::`.
fn dotted_end(bytes: &[u8], start: usize) -> usize {
    let mut end = name_end(bytes, start);
    while bytes[end..].starts_with(b"::") {
        end = name_end(bytes, end + 2);
    }
    end
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|&c| c == b'\n').map_or(bytes.len(), |n| at + n)
}

/// Returns the end of the number that begins at `start`: digits, letters and, in a decimal, a fraction and a signed exponent.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let prefixed = bytes[start] == b'0' && bytes.get(start + 1).is_some_and(u8::is_ascii_alphabetic);
    while at < bytes.len() {
        let c = bytes[at];
        let fraction = c == b'.' && !prefixed && bytes.get(at + 1).is_none_or(|&n| n.is_ascii_digit() || !is_name_start(n));
        let exponent_sign = matches!(c, b'+' | b'-') && !prefixed && at > start && matches!(bytes[at - 1], b'e' | b'E');
        if is_name(c) || fraction || exponent_sign {
            at += 1;
        } else {
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        lex(text).iter().map(|t| (t.kind, t.span.text(text))).collect()
    }

    #[test]
    fn an_instruction_is_a_name_dotted_words_and_operands() {
        assert_eq!(
            kinds("@!%p1 ld.global.nc.v2.f32 {%f1,_}, [%rd+-8]; // c"),
            [
                (TokenKind::Punct(b'@'), "@"),
                (TokenKind::Punct(b'!'), "!"),
                (TokenKind::Name, "%p1"),
                (TokenKind::Name, "ld"),
                (TokenKind::Dotted, ".global"),
                (TokenKind::Dotted, ".nc"),
                (TokenKind::Dotted, ".v2"),
                (TokenKind::Dotted, ".f32"),
                (TokenKind::Punct(b'{'), "{"),
                (TokenKind::Name, "%f1"),
                (TokenKind::Punct(b','), ","),
                (TokenKind::Name, "_"),
                (TokenKind::Punct(b'}'), "}"),
                (TokenKind::Punct(b','), ","),
                (TokenKind::Punct(b'['), "["),
                (TokenKind::Name, "%rd"),
                (TokenKind::Punct(b'+'), "+"),
                (TokenKind::Punct(b'-'), "-"),
                (TokenKind::Number, "8"),
                (TokenKind::Punct(b']'), "]"),
                (TokenKind::Punct(b';'), ";"),
                (TokenKind::End, ""),
            ]
        );
    }

    #[test]
    fn numbers_keep_their_suffixes_and_exponents() {
        for number in ["0", "0x1fU", "0f3f800000", "0d3ff0000000000000", "1.5", "1e-3", "07", "42U"] {
            assert_eq!(kinds(number), [(TokenKind::Number, number), (TokenKind::End, "")]);
        }
    }

    #[test]
    fn a_mark_of_the_byte_order_is_passed_over_at_the_start_alone() {
        assert_eq!(kinds("\u{feff}x")[0], (TokenKind::Name, "x"));
        assert_eq!(kinds("x \u{feff}")[1].0, TokenKind::Stray);
    }

    #[test]
    fn unclosed_things_and_foreign_characters_are_stray() {
        assert_eq!(kinds("/* x")[0].0, TokenKind::Stray);
        assert_eq!(kinds("\"x")[0].0, TokenKind::Stray);
        assert_eq!(kinds("\"x\\")[0].0, TokenKind::Stray);
        assert_eq!(kinds("é")[0], (TokenKind::Stray, "é"));
    }
}
