//! The launch file: TOML to a [`Launch`].
//!
//! The text becomes a tree of tables; a [`Reader`] walks it, refuses unknown keys and values of the wrong kind, turns the
//! rest into what it means, and refuses what cannot be meant. Every refusal has its place.

use super::fill::check_init;
use super::{
    Buffer, Init, Launch, LaunchError, MAX_BLOCK, MAX_BLOCK_THREADS, MAX_BUFFER_BYTES, MAX_GRID, MAX_GRID_BLOCKS,
    MAX_SHARED_BYTES, Number, Param, Place, VariableInit,
};
use crate::ptx::types::Type;
use crate::table::{Refusal, Table, Value};
use toml::de::DeTable;

/// The types that a buffer or a value may have, as the file names them.
const TYPES: &str = "u8 s8 b8 u16 s16 b16 f16 bf16 u32 s32 b32 f32 u64 s64 b64 f64";

pub(super) fn parse(text: &str) -> Result<Launch, LaunchError> {
    let root = DeTable::parse(text).map_err(|error| LaunchError::Text {
        message: error.to_string().trim_end().to_string(),
        place: error.span().map(|span| Place::of(text, span.start)),
    })?;
    let table = Table::root(&root, &["kernel", "grid", "block", "shared", "param", "global"]);
    table
        .and_then(|table| Reader::default().launch(table))
        .map_err(|Refusal { message, at }| LaunchError::Meaning { message, place: Place::of(text, at) })
}

/// Turns tables into a launch; remembers the buffers described so far.
#[derive(Default)]
struct Reader {
    buffers: Vec<Buffer>,
}

impl Reader {
    fn launch(mut self, table: Table) -> Result<Launch, Refusal> {
        let kernel = table.find("kernel").map(|kernel| kernel.text().map(String::from)).transpose()?;
        let grid = size(table.need("grid")?, "grid", "blocks", MAX_GRID, MAX_GRID_BLOCKS)?;
        let block = size(table.need("block")?, "block", "threads", MAX_BLOCK, MAX_BLOCK_THREADS)?;
        let mut shared = 0;
        if let Some(value) = table.find("shared") {
            shared = value.count(0, u64::MAX)?;
            if shared > u64::from(MAX_SHARED_BYTES) {
                return value
                    .refuse(format!("shared = {shared} is more than any GPU gives a block: at most {MAX_SHARED_BYTES} bytes"));
            }
        }
        let mut params = Vec::new();
        if let Some(given) = table.find("param") {
            for (number, param) in (1..).zip(given.list("a list of tables, each under [[param]],")?) {
                params.push(self.param(number, param)?);
            }
        }
        let mut globals = Vec::new();
        if let Some(given) = table.find("global") {
            for (number, global) in (1..).zip(given.list("a list of tables, each under [[global]],")?) {
                let global = self.global(number, global, &globals)?;
                globals.push(global);
            }
        }
        Ok(Launch { kernel, grid, block, shared: shared as u32, params, globals })
    }

    /// One `[[global]]`; what it says is compared with the module's variable later.
    fn global(&self, number: usize, global: Value, known: &[VariableInit]) -> Result<VariableInit, Refusal> {
        let table = global.table(&["name", "type", "len", "init"])?;
        let name_at = table.need("name")?;
        let name = name_at.text()?.to_string();
        if name.is_empty() {
            return name_at.refuse(format!("global {number} needs a name: that of a variable of the module"));
        }
        if known.iter().any(|other| other.name == name) {
            return name_at.refuse(format!("global `{name}` is described twice"));
        }
        if self.buffers.iter().any(|buffer| buffer.name == name) {
            return name_at.refuse(format!("`{name}` is a buffer of this launch too: give the buffer another name"));
        }
        let ty = table.find("type").map(element_type).transpose()?;
        let init_at = table.find("init");
        let init = init_at.map(read_init).transpose()?;
        let len = table.find("len").map(|len| len.count(1, u64::MAX)).transpose()?;
        match (&init, table.find("len")) {
            (None, Some(len)) => return len.refuse(format!("global `{name}` has a len but no init: len says how much is set")),
            (Some(init), _) => {
                if let (Some(at), Some(Err(why))) = (init_at, ty.map(|ty| check_init(ty, init))) {
                    return at.refuse(format!("global `{name}`: {why}"));
                }
            }
            _ => {}
        }
        Ok(VariableInit { name, ty, len, init })
    }

    /// One `[[param]]`: which keys stand together says what it is.
    fn param(&mut self, number: usize, param: Value) -> Result<Param, Refusal> {
        let keys = ["buffer", "type", "len", "init", "offset", "value", "bytes", "hex"];
        let table = param.table(&keys)?;
        match keys.map(|key| table.find(key)) {
            [Some(name), ty, len, init, offset, None, None, None] => {
                let buffer = self.buffer(number, param, name, ty, len, init)?;
                let Some(offset_at) = offset else { return Ok(Param::Buffer(buffer)) };
                let offset = offset_at.count(0, u64::MAX)?;
                if offset >= buffer.len {
                    let (name, len) = (&buffer.name, buffer.len);
                    return offset_at.refuse(format!(
                        "parameter {number}: offset {offset} lies outside of buffer `{name}`, which has elements 0 to {}",
                        len - 1
                    ));
                }
                Ok(Param::Inside { buffer, offset })
            }
            [None, Some(ty), None, None, None, Some(value), None, None] => {
                let ty = element_type(ty)?;
                match any_number(value)?.bits(ty) {
                    Ok(bits) => Ok(Param::Value { ty, bits }),
                    Err(why) => value.refuse(format!("parameter {number}: {why}")),
                }
            }
            [None, None, None, None, None, None, Some(bytes), None] => {
                let bytes = bytes.list("a list of bytes")?.map(|byte| byte.count(0, 255).map(|byte| byte as u8));
                Ok(Param::Bytes(bytes.collect::<Result<_, _>>()?))
            }
            [None, None, None, None, None, None, None, Some(hex)] => match hex_bytes(hex.text()?) {
                Some(bytes) => Ok(Param::Bytes(bytes)),
                None => hex.refuse(format!("parameter {number}: hex takes pairs of the digits 0 to f, with spaces as you like")),
            },
            [None, None, _, _, _, Some(value), _, _] => {
                value.refuse(format!("parameter {number} has a value but no type: add one, like type = \"u32\""))
            }
            _ => param.refuse(format!(
                "parameter {number} mixes or lacks keys: a parameter is a buffer (buffer, type, len, init, offset), a number (type, value) or a struct (bytes or hex)"
            )),
        }
    }

    fn buffer(
        &mut self,
        number: usize,
        param: Value,
        name: Value,
        ty: Option<Value>,
        len: Option<Value>,
        init: Option<Value>,
    ) -> Result<Buffer, Refusal> {
        let (len_at, init_at) = (len.unwrap_or(param), init.unwrap_or(param));
        let name = name.text()?;
        let ty = ty.map(element_type).transpose()?;
        let len = len.map(|len| len.count(0, u64::MAX)).transpose()?;
        let init = init.map(read_init).transpose()?;
        if let Some(known) = self.buffers.iter().find(|known| known.name == name) {
            let other_ty = ty.is_some_and(|ty| ty != known.ty);
            let other_len = len.is_some_and(|len| len != known.len);
            if other_ty || other_len || init.is_some_and(|init| init != known.init) {
                return param.refuse(format!(
                    "parameter {number} describes buffer `{name}` again and otherwise: to pass the same buffer twice, write only buffer = \"{name}\""
                ));
            }
            return Ok(known.clone());
        }
        if name.is_empty() {
            return param.refuse(format!("parameter {number}: a buffer needs a name"));
        }
        let Some(ty) = ty else {
            return param.refuse(format!("buffer `{name}` has no type: add one, like type = \"f32\""));
        };
        let init = init.unwrap_or(Init::Zeros);
        let values = if let Init::Values(values) = &init { Some(values.len() as u64) } else { None };
        let Some(len) = len.or(values) else {
            return param.refuse(format!("buffer `{name}` has no len: say how many elements it has"));
        };
        if len == 0 {
            return len_at.refuse(format!("buffer `{name}` is empty: it needs at least one element"));
        }
        if let Some(values) = values.filter(|&values| values > len) {
            return init_at.refuse(format!("buffer `{name}` has {len} elements, and {values} values are given"));
        }
        if let Err(why) = check_init(ty, &init) {
            return init_at.refuse(format!("buffer `{name}`: {why}"));
        }
        let buffer = Buffer { name: name.to_string(), ty, len, init };
        let total = self.buffers.iter().fold(buffer.bytes(), |sum, other| sum.saturating_add(other.bytes()));
        if total > MAX_BUFFER_BYTES {
            return len_at.refuse(format!(
                "with buffer `{name}` of {len} elements the buffers hold {total} bytes, and {MAX_BUFFER_BYTES} (1 GiB) is the most"
            ));
        }
        self.buffers.push(buffer.clone());
        Ok(buffer)
    }
}

/// One to three numbers; those left out are 1. Each has a limit, and so has their product.
fn size(value: Value, key: &str, things: &str, each: [u32; 3], most: u64) -> Result<[u32; 3], Refusal> {
    let given = value.list("a list of one to three numbers, like [16, 1, 1],")?;
    let mut counts = [1; 3];
    if given.len() == 0 || given.len() > counts.len() {
        return value.refuse(format!("{} numbers where one to three are expected, like [16, 1, 1]", given.len()));
    }
    for ((count, given), most) in counts.iter_mut().zip(given).zip(each) {
        *count = given.count(1, most.into())? as u32;
    }
    let product: u128 = counts.iter().map(|&n| u128::from(n)).product();
    if product > u128::from(most) {
        return value.refuse(format!("{key} = {counts:?} has {product} {things}, and {most} is the most"));
    }
    Ok(counts)
}

fn element_type(value: Value) -> Result<Type, Refusal> {
    let name = value.text()?;
    match Type::from_name(name) {
        Some(ty) if TYPES.split(' ').any(|known| known == name) => Ok(ty),
        _ => value.refuse(format!("unknown type `{name}`, expected one of {TYPES}")),
    }
}

fn any_number(value: Value) -> Result<Number, Refusal> {
    let number = value.as_whole().map(Number::Int).or_else(|| value.as_float().map(Number::Float));
    number.map_or_else(|| value.expected("a number that fits 64 bits"), Ok)
}

/// `"zeros"`, or a table whose only key says how the buffer is filled.
fn read_init(value: Value) -> Result<Init, Refusal> {
    const WAYS: &str = "\"zeros\" or a table with one of iota, random, values, file";
    if let Some(name) = value.as_text() {
        return if name == "zeros" { Ok(Init::Zeros) } else { value.refuse(format!("unknown init `{name}`, expected {WAYS}")) };
    }
    let ways = ["iota", "random", "values", "file"];
    let table = value.table(&ways)?;
    match ways.map(|way| table.find(way)) {
        [Some(iota), None, None, None] => {
            let iota = iota.table(&["start", "step"])?;
            let or = |key, default| iota.find(key).map_or(Ok(Number::Int(default)), any_number);
            Ok(Init::Iota { start: or("start", 0)?, step: or("step", 1)? })
        }
        [None, Some(random), None, None] => {
            let random = random.table(&["seed", "min", "max"])?;
            let seed = random.need("seed")?.count(0, u64::MAX)?;
            Ok(Init::Random { seed, min: any_number(random.need("min")?)?, max: any_number(random.need("max")?)? })
        }
        [None, None, Some(values), None] => {
            Ok(Init::Values(values.list("a list of numbers")?.map(any_number).collect::<Result<_, _>>()?))
        }
        [None, None, None, Some(file)] => Ok(Init::File(file.text()?.to_string())),
        _ => value.refuse(format!("`init` is expected to be {WAYS}")),
    }
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[path = "file_tests.rs"]
mod tests;
