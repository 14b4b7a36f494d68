//! What a person reads in a terminal: [`escape`] for everything that is printed, [`short`] for messages.
//!
//! Names of files, values and lines of the input go into messages. They may have control characters, which would move the cursor
//! or change what is on the screen, and they may be as long as the input.

use std::borrow::Cow;

/// Characters of a quoted part, in backticks or on a line of its own, that are shown.
const MOST_QUOTED: usize = 200;
/// Characters of a line that is not quoted: the longest is the list of all techniques.
const MOST_OF_A_LINE: usize = 3000;
/// Bytes of a whole message.
const MOST_BYTES: usize = 3800;

/// Replaces control characters, and those that change the direction of the text, by their codes: `\u001b`. Lines remain.
///
/// A JSON text has such characters only in its strings, where the code means the character.
pub fn escape(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c.is_control() && c != '\n' && c != '\t' || turns
    };
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match is_odd(c) {
            true => escaped += &format!("\\u{:04x}", u32::from(c)),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// Makes a message of what is to be told: without control characters, its quoted parts and the whole cut to what a person reads.
pub fn short(text: &str) -> String {
    let escaped = escape(text.trim_end());
    let lines: Vec<String> = escaped.split('\n').map(line).collect();
    let message = lines.join("\n");
    if message.len() <= MOST_BYTES {
        return message;
    }
    let end = (0..=MOST_BYTES).rev().find(|&end| message.is_char_boundary(end)).unwrap_or(0);
    format!("{}…\n(the message has {} bytes more)", &message[..end], message.len() - end)
}

/// Cuts a line: each part in backticks, a line that quotes the input as ` 7 | text`, and the whole.
fn line(text: &str) -> String {
    let quotes_source = text.split_once('|').is_some_and(|(number, _)| number.trim().bytes().all(|b| b.is_ascii_digit()));
    if quotes_source {
        return cut(text, MOST_QUOTED);
    }
    let mut parts: Vec<String> = text.split('`').map(str::to_string).collect();
    let last = parts.len() - 1;
    // Without a closing backtick, the last part is not quoted.
    parts[..last].iter_mut().skip(1).step_by(2).for_each(|quoted| *quoted = cut(quoted, MOST_QUOTED));
    cut(&parts.join("`"), MOST_OF_A_LINE)
}

/// Returns the first `most` characters, with an ellipsis if there are more.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_their_codes() {
        assert_eq!(escape("a\u{1b}[31mb\u{9b}0m\u{7f}\r\n\tc\u{202e}"), "a\\u001b[31mb\\u009b0m\\u007f\\u000d\n\tc\\u202e");
        assert_eq!(escape("plain, naïve …"), "plain, naïve …");
    }

    #[test]
    fn quoted_parts_and_long_lines_are_cut() {
        let name = "x".repeat(20_000);
        let message = short(&format!("there is no technique `{name}` (did you mean `PDOM`?)"));
        assert_eq!(message, format!("there is no technique `{}…` (did you mean `PDOM`?)", "x".repeat(MOST_QUOTED)));
        assert!(short(&format!(" 7 | {name}")).chars().count() == MOST_QUOTED + 1);
        assert!(short(&format!("error: unexpected {name}")).len() < 4000);
        assert!(short(&format!("{}\n", "é".repeat(2000)).repeat(40)).len() < 4000);
        assert_eq!(short("one `line`\nand another\n"), "one `line`\nand another");
    }
}
