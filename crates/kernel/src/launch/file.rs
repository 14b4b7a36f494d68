//! The launch file: parses TOML into a [`Launch`].
//!
//! serde reads the text into [`LaunchTable`] and refuses unknown keys and values of the wrong type. A [`Reader`] converts the
//! tables and refuses what no launch can mean. Every refusal has its place in the text.

use super::fill::check_init;
use super::{
    Buffer, Init, Launch, LaunchError, LaunchNumber, LaunchPlace, MAX_BLOCK, MAX_BLOCK_THREADS, MAX_BUFFER_BYTES, MAX_GRID,
    MAX_GRID_BLOCKS, MAX_SHARED_BYTES, Param, VariableInit,
};
use crate::document::{self, Expected, ReadError, Refusal};
use crate::ptx::types::Type;
use serde::Deserialize;
use toml::Spanned;

/// The types of buffers and values, as the file names them.
const TYPES: &str = "u8 s8 b8 u16 s16 b16 f16 bf16 u32 s32 b32 f32 u64 s64 b64 f64";

/// What keys take, where the type of the value says too little.
const EXPECTED: &[Expected] = &[
    ("grid", "a list of one to three numbers, like [16, 1, 1],"),
    ("block", "a list of one to three numbers, like [16, 1, 1],"),
    ("param", "a list of tables, each under [[param]],"),
    ("global", "a list of tables, each under [[global]],"),
    ("init", "\"zeros\" or a table with exactly one of iota, random, values, file"),
    ("values", "a list of numbers"),
    ("bytes", "a list of bytes"),
    ("value", LaunchNumber::EXPECTED),
    ("start", LaunchNumber::EXPECTED),
    ("step", LaunchNumber::EXPECTED),
    ("min", LaunchNumber::EXPECTED),
    ("max", LaunchNumber::EXPECTED),
];

pub(super) fn parse(text: &str) -> Result<Launch, LaunchError> {
    let refused = |Refusal { message, at }| LaunchError::Meaning { message, place: LaunchPlace::of(text, at) };
    let table: LaunchTable = document::read(text, EXPECTED).map_err(|error| match error {
        ReadError::Syntax(error) => LaunchError::Text {
            message: error.to_string().trim_end().to_string(),
            place: error.span().map(|span| LaunchPlace::of(text, span.start)),
        },
        ReadError::Refused(refusal) => refused(refusal),
    })?;
    Reader::default().launch(table).map_err(refused)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LaunchTable {
    kernel: Option<String>,
    grid: Spanned<Vec<Spanned<i64>>>,
    block: Spanned<Vec<Spanned<i64>>>,
    shared: Option<Spanned<u64>>,
    #[serde(default)]
    param: Vec<Spanned<ParamTable>>,
    #[serde(default)]
    global: Vec<Spanned<GlobalTable>>,
}

/// One `[[param]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with buffer, type, len, init, offset, value, bytes, hex")]
struct ParamTable {
    buffer: Option<String>,
    #[serde(rename = "type")]
    ty: Option<ElementType>,
    len: Option<Spanned<u64>>,
    init: Option<Spanned<Init>>,
    offset: Option<Spanned<u64>>,
    value: Option<Spanned<LaunchNumber>>,
    bytes: Option<Vec<u8>>,
    hex: Option<Spanned<String>>,
}

/// One `[[global]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with name, type, len, init")]
struct GlobalTable {
    name: Spanned<String>,
    #[serde(rename = "type")]
    ty: Option<ElementType>,
    len: Option<Spanned<u64>>,
    init: Option<Spanned<Init>>,
}

/// A type of [`TYPES`].
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct ElementType(Type);

impl TryFrom<String> for ElementType {
    type Error = String;

    fn try_from(name: String) -> Result<ElementType, String> {
        match Type::from_name(&name) {
            Some(ty) if TYPES.split(' ').any(|known| known == name) => Ok(ElementType(ty)),
            _ => Err(format!("unknown type `{name}`, expected one of {TYPES}")),
        }
    }
}

/// Converts tables into a launch; keeps the buffers described so far.
#[derive(Default)]
struct Reader {
    buffers: Vec<Buffer>,
}

impl Reader {
    fn launch(mut self, table: LaunchTable) -> Result<Launch, Refusal> {
        let grid = size(&table.grid, "grid", "blocks", MAX_GRID, MAX_GRID_BLOCKS)?;
        let block = size(&table.block, "block", "threads", MAX_BLOCK, MAX_BLOCK_THREADS)?;
        let shared = table.shared.as_ref().map_or(Ok(0), shared_bytes)?;
        let mut params = Vec::new();
        for (number, param) in (1..).zip(table.param) {
            params.push(self.param(number, &param)?);
        }
        let mut globals = Vec::new();
        for (number, global) in (1..).zip(table.global) {
            let global = self.global(number, global.into_inner(), &globals)?;
            globals.push(global);
        }
        Ok(Launch { kernel: table.kernel, grid, block, shared, params, globals })
    }

    /// Converts one `[[global]]`; it is compared with the module's variable later.
    fn global(&self, number: usize, global: GlobalTable, known: &[VariableInit]) -> Result<VariableInit, Refusal> {
        let name = global.name.get_ref();
        if name.is_empty() {
            return Refusal::at(&global.name, format!("global {number} needs the name of a variable of the module"));
        }
        if known.iter().any(|other| other.name == *name) {
            return Refusal::at(&global.name, format!("global `{name}` is described twice"));
        }
        if self.buffers.iter().any(|buffer| buffer.name == *name) {
            let message = format!("`{name}` is a buffer of this launch too: give the buffer another name");
            return Refusal::at(&global.name, message);
        }
        let ty = global.ty.map(|ElementType(ty)| ty);
        if let Some(len) = &global.len {
            if *len.get_ref() == 0 {
                return outside("len", len, 1, u64::MAX);
            }
            if global.init.is_none() {
                return Refusal::at(len, format!("global `{name}` has a len but no init: len says how much is set"));
            }
        }
        if let (Some(ty), Some(init)) = (ty, &global.init)
            && let Err(why) = check_init(ty, init.get_ref())
        {
            return Refusal::at(init, format!("global `{name}`: {why}"));
        }
        Ok(VariableInit {
            name: global.name.into_inner(),
            ty,
            len: global.len.map(Spanned::into_inner),
            init: global.init.map(Spanned::into_inner),
        })
    }

    /// Converts one `[[param]]`; the combination of its keys decides its kind.
    fn param(&mut self, number: usize, param: &Spanned<ParamTable>) -> Result<Param, Refusal> {
        let ParamTable { buffer, ty, len, init, offset, value, bytes, hex } = param.get_ref();
        match (buffer, ty, len, init, offset, value, bytes, hex) {
            (Some(name), _, _, _, offset, None, None, None) => {
                let buffer = self.buffer(number, name, param)?;
                let Some(offset_at) = offset else { return Ok(Param::Buffer(buffer)) };
                let offset = *offset_at.get_ref();
                if offset >= buffer.len {
                    let (name, last) = (&buffer.name, buffer.len - 1);
                    let message = format!(
                        "parameter {number}: offset {offset} lies outside of buffer `{name}`, which has elements 0 to {last}"
                    );
                    return Refusal::at(offset_at, message);
                }
                Ok(Param::Inside { buffer, offset })
            }
            (None, Some(ElementType(ty)), None, None, None, Some(value), None, None) => match value.get_ref().bits(*ty) {
                Ok(bits) => Ok(Param::Value { ty: *ty, bits }),
                Err(why) => Refusal::at(value, format!("parameter {number}: {why}")),
            },
            (None, None, None, None, None, None, Some(bytes), None) => Ok(Param::Bytes(bytes.clone())),
            (None, None, None, None, None, None, None, Some(hex)) => match hex_bytes(hex.get_ref()) {
                Some(bytes) => Ok(Param::Bytes(bytes)),
                None => {
                    let message = format!("parameter {number}: hex takes pairs of the digits 0 to f; spaces are ignored");
                    Refusal::at(hex, message)
                }
            },
            (None, None, _, _, _, Some(value), _, _) => {
                Refusal::at(value, format!("parameter {number} has a value but no type: add one, like type = \"u32\""))
            }
            _ => Refusal::at(
                param,
                format!(
                    "parameter {number} mixes or lacks keys: a parameter is a buffer (buffer, type, len, init, offset), a number (type, value) or a struct (bytes or hex)"
                ),
            ),
        }
    }

    fn buffer(&mut self, number: usize, name: &str, param: &Spanned<ParamTable>) -> Result<Buffer, Refusal> {
        let ParamTable { ty, len: len_at, init: init_at, .. } = param.get_ref();
        let ty = ty.map(|ElementType(ty)| ty);
        let len = len_at.as_ref().map(|len| *len.get_ref());
        let init = init_at.as_ref().map(|init| init.get_ref());
        if let Some(known) = self.buffers.iter().find(|known| known.name == name) {
            let other_ty = ty.is_some_and(|ty| ty != known.ty);
            let other_len = len.is_some_and(|len| len != known.len);
            if other_ty || other_len || init.is_some_and(|init| *init != known.init) {
                let message = format!(
                    "parameter {number} describes buffer `{name}` again, but differently: to pass the same buffer twice, write only buffer = \"{name}\""
                );
                return Refusal::at(param, message);
            }
            return Ok(known.clone());
        }
        if name.is_empty() {
            return Refusal::at(param, format!("parameter {number}: a buffer needs a name"));
        }
        let Some(ty) = ty else {
            return Refusal::at(param, format!("buffer `{name}` has no type: add one, like type = \"f32\""));
        };
        let init = init.cloned().unwrap_or(Init::Zeros);
        let values = if let Init::Values(values) = &init { Some(values.len() as u64) } else { None };
        let Some(len) = len.or(values) else {
            return Refusal::at(param, format!("buffer `{name}` has no len: say how many elements it has"));
        };
        let start = param.span().start;
        let len_start = len_at.as_ref().map_or(start, |len| len.span().start);
        let init_start = init_at.as_ref().map_or(start, |init| init.span().start);
        if len == 0 {
            let message = format!("buffer `{name}` is empty: it needs at least one element");
            return Err(Refusal { message, at: len_start });
        }
        if let Some(values) = values.filter(|&values| values > len) {
            let message = format!("buffer `{name}` has {len} elements, and {values} values are given");
            return Err(Refusal { message, at: init_start });
        }
        check_init(ty, &init).map_err(|why| Refusal { message: format!("buffer `{name}`: {why}"), at: init_start })?;
        let buffer = Buffer { name: name.to_string(), ty, len, init };
        let total = self.buffers.iter().fold(buffer.bytes(), |sum, other| sum.saturating_add(other.bytes()));
        if total > MAX_BUFFER_BYTES {
            let message = format!(
                "with buffer `{name}` of {len} elements the buffers hold {total} bytes; at most {MAX_BUFFER_BYTES} (1 GiB) are allowed"
            );
            return Err(Refusal { message, at: len_start });
        }
        self.buffers.push(buffer.clone());
        Ok(buffer)
    }
}

/// Reads one to three numbers; missing ones are 1. Each number and their product have a limit.
fn size(given: &Spanned<Vec<Spanned<i64>>>, key: &str, things: &str, each: [u32; 3], most: u64) -> Result<[u32; 3], Refusal> {
    let numbers = given.get_ref();
    let mut counts = [1; 3];
    if numbers.is_empty() || numbers.len() > counts.len() {
        let message = format!("{} numbers where one to three are expected, like [16, 1, 1]", numbers.len());
        return Refusal::at(given, message);
    }
    for ((count, number), most) in counts.iter_mut().zip(numbers).zip(each) {
        *count = match u32::try_from(*number.get_ref()) {
            Ok(count) if (1..=most).contains(&count) => count,
            _ => return outside(key, number, 1, most.into()),
        };
    }
    let product: u128 = counts.iter().map(|&n| u128::from(n)).product();
    if product > u128::from(most) {
        return Refusal::at(given, format!("{key} = {counts:?} has {product} {things}; at most {most} are allowed"));
    }
    Ok(counts)
}

fn shared_bytes(given: &Spanned<u64>) -> Result<u32, Refusal> {
    match u32::try_from(*given.get_ref()) {
        Ok(bytes) if bytes <= MAX_SHARED_BYTES => Ok(bytes),
        _ => {
            let bytes = given.get_ref();
            let message = format!("shared = {bytes} is more than any GPU gives a block: at most {MAX_SHARED_BYTES} bytes");
            Refusal::at(given, message)
        }
    }
}

/// Refuses a whole number outside of a range.
fn outside<T>(key: &str, value: &Spanned<impl std::fmt::Display>, least: u64, most: u64) -> Result<T, Refusal> {
    let found = value.get_ref();
    Refusal::at(value, format!("`{key}` is {found}, and a whole number from {least} to {most} is expected"))
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "file_tests.rs"]
mod tests;
