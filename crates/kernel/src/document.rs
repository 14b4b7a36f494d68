//! TOML files, read into structs by serde, with errors for the person who wrote the file.
//!
//! `toml` fills the structs of launch files and lessons. [`read`] reports what does not fit in the words of TOML (keys, lists,
//! tables): the key, what was found, what is allowed, and the byte where it stands.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};
use toml::Spanned;

/// A message about what is wrong, and the byte of the text where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was found and what is allowed, as a sentence for the author of the file.
    pub message: String,
    /// The byte of the text at which the value stands.
    pub at: usize,
}

impl Refusal {
    /// Refuses a value of the file at its place.
    pub fn at<T, V>(value: &Spanned<V>, message: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal { message: message.into(), at: value.span().start })
    }
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The text is not TOML.
    Syntax(toml::de::Error),
    /// The text is TOML that does not fit the struct.
    Refused(Refusal),
}

/// A key and what its value must be, where the value's type says too little.
pub type Expected = (&'static str, &'static str);

/// Reads a whole text into a struct.
pub fn read<T: DeserializeOwned>(text: &str, expected: &[Expected]) -> Result<T, ReadError> {
    let deserializer = toml::Deserializer::parse(text).map_err(ReadError::Syntax)?;
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let place = Place::of(error.path(), error.inner().message(), expected);
        let error = error.into_inner();
        let span = error.span().unwrap_or_default();
        let source = text.get(span.clone()).unwrap_or_default();
        ReadError::Refused(Refusal { message: place.reword(error.message(), source), at: span.start })
    })
}

/// The key of the struct that an error belongs to.
struct Place<'e> {
    /// The key whose value, or an element of whose list, is wrong.
    key: String,
    /// What the value must be, if serde says too little.
    expected: Option<&'e str>,
}

impl<'e> Place<'e> {
    fn of(path: &Path, message: &str, expected: &'e [Expected]) -> Place<'e> {
        // `Spanned` is a struct with keys of its own. A variant's name written in place of its table is not a key either.
        let is_name = message.starts_with("invalid type: unit variant");
        let is_written = |segment: &&Segment| match segment {
            Segment::Map { key } => !key.starts_with("$__serde_spanned"),
            Segment::Enum { .. } => !is_name,
            _ => true,
        };
        let mut segments = path.iter().filter(is_written).collect::<Vec<_>>().into_iter().rev();
        let last = segments.next();
        let is_element = matches!(last, Some(Segment::Seq { .. }));
        let key = last.into_iter().chain(segments).find_map(|segment| match segment {
            Segment::Map { key } => Some(key.clone()),
            Segment::Enum { variant } => Some(variant.clone()),
            Segment::Seq { .. } | Segment::Unknown => None,
        });
        let key = key.unwrap_or_default();
        let expected = expected.iter().find(|(of, _)| *of == key && !is_element).map(|(_, what)| *what);
        Place { key, expected }
    }

    /// Rewords a message of serde or `toml` in the words of TOML, with the key.
    fn reword(&self, message: &str, source: &str) -> String {
        let key = &self.key;
        if let Some(rest) = message.strip_prefix("unknown field ") {
            return format!("unknown key {rest}");
        }
        if let Some((unknown, known)) = two_parts(message, "unexpected keys in table: ", ", available keys: ") {
            return format!("unknown key `{unknown}`, expected one of {known}");
        }
        if let Some(missing) = message.strip_prefix("missing field ") {
            return format!("{missing} is missing");
        }
        if let Some((name, names)) = two_parts(message, "unknown variant ", ", expected ") {
            return format!("unknown {key} {name}, expected {}", self.expected.unwrap_or(names));
        }
        let kinds = ["invalid type: ", "invalid value: "];
        let misfit = kinds.into_iter().find_map(|kind| two_parts(message, kind, ", expected "));
        let found = match misfit {
            Some(("map", _)) if !source.starts_with(|first: char| first.is_ascii_digit()) => "a table",
            Some(("sequence", _)) => "a list",
            None if message.starts_with("wanted exactly 1 element") => "a table",
            _ => shown(source),
        };
        match (self.expected, misfit) {
            (Some(what), _) => format!("`{key}` is {found}, and {what} is expected"),
            (None, Some((_, what))) => format!("`{key}` is {found}, and {} is expected", type_words(what)),
            (None, None) => message.to_string(),
        }
    }
}

/// Splits a message that begins with `head` at the last `middle`.
fn two_parts<'m>(message: &'m str, head: &str, middle: &str) -> Option<(&'m str, &'m str)> {
    message.strip_prefix(head)?.rsplit_once(middle)
}

/// Returns a value as the file writes it, or its kind if it is long.
fn shown(source: &str) -> &str {
    const MOST_CHARS: usize = 60;
    match source.as_bytes().first() {
        Some(b'[') => "a list",
        Some(b'{') => "a table",
        Some(b'"' | b'\'') if source.contains('\n') || source.chars().count() > MOST_CHARS => "a long text",
        _ => source,
    }
}

/// Returns the words of TOML for a type that serde names.
fn type_words(expected: &str) -> &str {
    match expected {
        "a string" => "a text in quotes",
        "a sequence" => "a list",
        "a map" => "a table",
        "u8" => "a whole number from 0 to 255",
        "u32" | "usize" => "a whole number from 0 to 4294967295",
        "u64" => "a whole number from 0 to 18446744073709551615",
        "i64" => "a whole number",
        other if other.starts_with("struct ") => "a table",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Outer {
        name: Option<Spanned<String>>,
        #[serde(default)]
        bytes: Vec<u8>,
        #[serde(default)]
        inner: Vec<Spanned<Inner>>,
        way: Option<Way>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, expecting = "a table with count")]
    #[allow(dead_code)]
    struct Inner {
        count: Spanned<u64>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code)]
    enum Way {
        Straight,
        Round { times: u32 },
    }

    #[track_caller]
    fn refused(text: &str, message: &str, at: usize) {
        match read::<Outer>(text, &[("inner", "a list of tables"), ("way", "a way")]) {
            Err(ReadError::Refused(refusal)) => assert_eq!(refusal, Refusal { message: message.into(), at }, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_message_has_the_key_what_was_found_and_what_is_allowed() {
        refused("colour = 3", "unknown key `colour`, expected one of `name`, `bytes`, `inner`, `way`", 0);
        refused("inner = [{}]", "`count` is missing", 9);
        refused("inner = [{ count = 1, size = 2 }]", "unknown key `size`, expected `count`", 22);
        refused("name = 3", "`name` is 3, and a text in quotes is expected", 7);
        refused("name = [3]", "`name` is a list, and a text in quotes is expected", 7);
        refused("name = 1979-05-27", "`name` is 1979-05-27, and a text in quotes is expected", 7);
        refused("[name]", "`name` is a table, and a text in quotes is expected", 0);
        refused("bytes = 'x'", "`bytes` is 'x', and a list is expected", 8);
        refused("bytes = [1, 256]", "`bytes` is 256, and a whole number from 0 to 255 is expected", 12);
        refused("inner = 1.5", "`inner` is 1.5, and a list of tables is expected", 8);
        refused("inner = [true]", "`inner` is true, and a table with count is expected", 9);
        let whole = "a whole number from 0 to 18446744073709551615";
        refused("inner = [{ count = -1 }]", &format!("`count` is -1, and {whole} is expected"), 19);
        refused("inner = [{ count = ', expected ' }]", &format!("`count` is ', expected ', and {whole} is expected"), 19);
    }

    #[test]
    fn one_of_several_ways_is_named_by_a_text_or_by_the_only_key_of_a_table() {
        for text in ["way = 'straight'", "way = { round = { times = 2 } }"] {
            assert!(read::<Outer>(text, &[]).is_ok(), "{text}");
        }
        refused("way = 'back'", "unknown way `back`, expected a way", 6);
        refused("way = { back = 1 }", "unknown way `back`, expected a way", 8);
        refused("way = 'round'", "`way` is 'round', and a way is expected", 6);
        refused("way = 3", "`way` is 3, and a way is expected", 6);
        refused("way = { round = 3 }", "`round` is 3, and a table is expected", 16);
        refused("way = {}", "`way` is a table, and a way is expected", 6);
        refused("way = { round = { times = 2, speed = 3 } }", "unknown key `speed`, expected one of times", 29);
    }

    #[test]
    fn text_that_is_not_toml_is_told_apart() {
        assert!(matches!(read::<Outer>("name = ", &[]), Err(ReadError::Syntax(_))));
    }
}
