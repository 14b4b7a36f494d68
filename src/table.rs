//! TOML tables, read by hand: for every file that the program reads, each key is asked for, and the answer is a value
//! or a refusal with its place. Reading into structs through serde would be a hundred kilobytes of the page.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong, and at which byte of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub message: String,
    pub at: usize,
}

/// A table that holds no other keys than those that it may have.
#[derive(Clone, Copy)]
pub struct Table<'t> {
    pub at: usize,
    entries: &'t DeTable<'t>,
}

impl<'t> Table<'t> {
    /// The table of a whole text.
    pub fn root(root: &'t Spanned<DeTable<'t>>, keys: &[&str]) -> Result<Table<'t>, Refusal> {
        Table { at: root.span().start, entries: root.get_ref() }.with_keys(keys)
    }

    fn with_keys(self, keys: &[&str]) -> Result<Table<'t>, Refusal> {
        let unknown = self.entries.keys().filter(|key| !keys.contains(&key.get_ref().as_ref()));
        match unknown.min_by_key(|key| key.span().start) {
            None => Ok(self),
            Some(key) => {
                let message = format!("unknown key `{}`, expected one of {}", key.get_ref(), keys.join(", "));
                Err(Refusal { message, at: key.span().start })
            }
        }
    }

    pub fn find(self, key: &'t str) -> Option<Value<'t>> {
        self.entries.get(key).map(|value| Value { key, value })
    }

    /// The value of a key that may not be left out.
    pub fn need(self, key: &'t str) -> Result<Value<'t>, Refusal> {
        self.find(key).ok_or_else(|| Refusal { message: format!("`{key}` is missing"), at: self.at })
    }

    /// The text of a key that may not be left out.
    pub fn text(self, key: &'t str) -> Result<String, Refusal> {
        Ok(self.need(key)?.text()?.to_string())
    }
}

/// A value and the key that it is for.
#[derive(Clone, Copy)]
pub struct Value<'t> {
    key: &'t str,
    value: &'t Spanned<DeValue<'t>>,
}

impl<'t> Value<'t> {
    pub fn at(self) -> usize {
        self.value.span().start
    }

    pub fn refuse<T>(self, message: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal { message: message.into(), at: self.at() })
    }

    /// Refuses a value of the wrong kind.
    pub fn expected<T>(self, what: &str) -> Result<T, Refusal> {
        let found = match self.value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(number) => return self.refuse(format!("`{}` is {number}, and {what} is expected", self.key)),
            DeValue::Float(number) => return self.refuse(format!("`{}` is {number}, and {what} is expected", self.key)),
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        self.refuse(format!("`{}` is {found}, and {what} is expected", self.key))
    }

    /// The text, if it is one.
    pub fn as_text(self) -> Option<&'t str> {
        self.value.get_ref().as_str()
    }

    pub fn text(self) -> Result<&'t str, Refusal> {
        self.as_text().map_or_else(|| self.expected("a text in quotes"), Ok)
    }

    /// A whole number that fits 64 bits, with a sign or without.
    pub fn as_whole(self) -> Option<i128> {
        let number = self.value.get_ref().as_integer()?;
        let number = i128::from_str_radix(number.as_str(), number.radix()).ok()?;
        (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number).then_some(number)
    }

    /// A float; one that is too large is none.
    pub fn as_float(self) -> Option<f64> {
        match self.value.get_ref().as_float()?.as_str() {
            "inf" | "+inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            "nan" | "+nan" | "-nan" => Some(f64::NAN),
            text => text.parse().ok().filter(|number: &f64| number.is_finite()),
        }
    }

    /// A whole number.
    pub fn count(self, least: u64, most: u64) -> Result<u64, Refusal> {
        let number = self.as_whole().and_then(|number| u64::try_from(number).ok()).filter(|n| (least..=most).contains(n));
        number.map_or_else(|| self.expected(&format!("a whole number from {least} to {most}")), Ok)
    }

    /// The values of a list; `what` says what they should be.
    pub fn list(self, what: &str) -> Result<impl ExactSizeIterator<Item = Value<'t>> + use<'t>, Refusal> {
        match self.value.get_ref().as_array() {
            Some(list) => Ok(list.iter().map(move |value| Value { key: self.key, value })),
            None => self.expected(what),
        }
    }

    pub fn table(self, keys: &[&str]) -> Result<Table<'t>, Refusal> {
        match self.value.get_ref().as_table() {
            Some(entries) => Table { at: self.at(), entries }.with_keys(keys),
            None => self.expected(&format!("a table with {}", keys.join(", "))),
        }
    }

    /// The values of a table with keys of any name.
    pub fn entries(self) -> Result<impl Iterator<Item = (&'t str, Value<'t>)>, Refusal> {
        match self.value.get_ref().as_table() {
            Some(entries) => Ok(entries.iter().map(|(key, value)| (&**key.get_ref(), Value { key: key.get_ref(), value }))),
            None => self.expected("a table"),
        }
    }
}
