//! The launch file: TOML to a [`Launch`].
//!
//! Two steps: serde reads the text into the `Raw…` structs, which mirror the file and refuse unknown keys; then each
//! is turned into what it means, and what cannot be meant is refused with its place.

use super::fill::check_init;
use super::{
    Buffer, Init, Launch, LaunchError, MAX_BLOCK_THREADS, MAX_BUFFER_BYTES, MAX_GRID_BLOCKS, MAX_SHARED_BYTES, Number, Param,
    Place,
};
use crate::ptx::types::Type;
use serde::{Deserialize, Deserializer, de};
use std::ops::Range;
use toml::Spanned;

/// The types that a buffer or a value may have, as the file names them.
const TYPES: &str = "u8 s8 b8 u16 s16 b16 f16 bf16 u32 s32 b32 f32 u64 s64 b64 f64";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLaunch {
    kernel: Option<String>,
    grid: Spanned<Size>,
    block: Spanned<Size>,
    shared: Option<Spanned<u64>>,
    #[serde(default)]
    param: Vec<Spanned<RawParam>>,
}

/// One `[[param]]`; which keys stand together is decided afterwards, so that the message can say it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParam {
    buffer: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "element_type")]
    ty: Option<Type>,
    len: Option<Spanned<u64>>,
    init: Option<Spanned<RawInit>>,
    value: Option<Spanned<Number>>,
    bytes: Option<Vec<u8>>,
    hex: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawInit {
    Zeros,
    Iota(RawIota),
    Random(RawRandom),
    Values(Vec<Number>),
    File(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawIota {
    start: Option<Number>,
    step: Option<Number>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRandom {
    seed: u64,
    min: Number,
    max: Number,
}

/// One to three numbers; those left out are 1.
struct Size([u32; 3]);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        let given = Vec::<u32>::deserialize(deserializer)?;
        let mut size = [1; 3];
        if given.is_empty() || given.len() > size.len() {
            return Err(de::Error::custom(format!("{} numbers where one to three are expected, like [16, 1, 1]", given.len())));
        }
        size[..given.len()].copy_from_slice(&given);
        Ok(Size(size))
    }
}

fn element_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Type>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let known = TYPES.split(' ').any(|known| known == name);
    match Type::from_name(&name) {
        Some(ty) if known => Ok(Some(ty)),
        _ => Err(de::Error::custom(format!("unknown type `{name}`, expected one of {TYPES}"))),
    }
}

pub(super) fn parse(text: &str) -> Result<Launch, LaunchError> {
    let raw: RawLaunch = toml::from_str(text).map_err(|error| LaunchError::Text {
        message: error.to_string().trim_end().to_string(),
        place: error.span().map(|span| Place::of(text, span.start)),
    })?;
    Reader { text, buffers: Vec::new() }.launch(raw)
}

/// Turns the raw structs into a launch; remembers the buffers described so far.
struct Reader<'a> {
    text: &'a str,
    buffers: Vec<Buffer>,
}

impl Reader<'_> {
    fn refuse<T>(&self, at: Range<usize>, message: impl Into<String>) -> Result<T, LaunchError> {
        Err(LaunchError::Meaning { message: message.into(), place: Place::of(self.text, at.start) })
    }

    fn launch(mut self, raw: RawLaunch) -> Result<Launch, LaunchError> {
        let grid = self.size(raw.grid, "grid", "blocks", MAX_GRID_BLOCKS)?;
        let block = self.size(raw.block, "block", "threads", MAX_BLOCK_THREADS)?;
        let shared = match raw.shared {
            None => 0,
            Some(shared) if *shared.get_ref() <= u64::from(MAX_SHARED_BYTES) => *shared.get_ref() as u32,
            Some(shared) => {
                let message =
                    format!("shared = {} is more than any GPU gives a block: at most {MAX_SHARED_BYTES} bytes", shared.get_ref());
                return self.refuse(shared.span(), message);
            }
        };
        let mut params = Vec::new();
        for (index, param) in raw.param.into_iter().enumerate() {
            params.push(self.param(index + 1, param)?);
        }
        Ok(Launch { kernel: raw.kernel, grid, block, shared, params })
    }

    fn size(&self, size: Spanned<Size>, key: &str, things: &str, most: u64) -> Result<[u32; 3], LaunchError> {
        let Size(counts) = *size.get_ref();
        let product: u128 = counts.iter().map(|&n| u128::from(n)).product();
        if product == 0 {
            return self.refuse(size.span(), format!("{key} = {counts:?} has no {things}: every number must be at least 1"));
        }
        if product > u128::from(most) {
            return self.refuse(size.span(), format!("{key} = {counts:?} has {product} {things}, and {most} is the most"));
        }
        Ok(counts)
    }

    fn param(&mut self, number: usize, raw: Spanned<RawParam>) -> Result<Param, LaunchError> {
        let at = raw.span();
        let kinds = "a parameter is a buffer (buffer, type, len, init), a number (type, value) or a struct (bytes or hex)";
        match raw.into_inner() {
            RawParam { buffer: Some(name), ty, len, init, value: None, bytes: None, hex: None } => {
                self.buffer(number, at, name, ty, len, init).map(Param::Buffer)
            }
            RawParam { buffer: None, ty: Some(ty), value: Some(value), len: None, init: None, bytes: None, hex: None } => {
                match value.get_ref().bits(ty) {
                    Ok(bits) => Ok(Param::Value { ty, bits }),
                    Err(why) => self.refuse(value.span(), format!("parameter {number}: {why}")),
                }
            }
            RawParam { buffer: None, ty: None, value: None, len: None, init: None, bytes: Some(bytes), hex: None } => {
                Ok(Param::Bytes(bytes))
            }
            RawParam { buffer: None, ty: None, value: None, len: None, init: None, bytes: None, hex: Some(hex) } => {
                match hex_bytes(hex.get_ref()) {
                    Some(bytes) => Ok(Param::Bytes(bytes)),
                    None => self.refuse(
                        hex.span(),
                        format!("parameter {number}: hex takes pairs of the digits 0 to f, with spaces as you like"),
                    ),
                }
            }
            RawParam { buffer: None, ty: None, value: Some(value), .. } => {
                self.refuse(value.span(), format!("parameter {number} has a value but no type: add one, like type = \"u32\""))
            }
            _ => self.refuse(at, format!("parameter {number} mixes or lacks keys: {kinds}")),
        }
    }

    fn buffer(
        &mut self,
        number: usize,
        at: Range<usize>,
        name: String,
        ty: Option<Type>,
        len: Option<Spanned<u64>>,
        init: Option<Spanned<RawInit>>,
    ) -> Result<Buffer, LaunchError> {
        let init_at = init.as_ref().map_or(at.clone(), Spanned::span);
        let len_at = len.as_ref().map_or(at.clone(), Spanned::span);
        let init = init.map(|init| Init::from(init.into_inner()));
        if let Some(known) = self.buffers.iter().find(|known| known.name == name) {
            let other_ty = ty.is_some_and(|ty| ty != known.ty);
            let other_len = len.is_some_and(|len| len.into_inner() != known.len);
            if other_ty || other_len || init.is_some_and(|init| init != known.init) {
                let message = format!(
                    "parameter {number} describes buffer `{name}` again and otherwise: to pass the same buffer twice, write only buffer = \"{name}\""
                );
                return self.refuse(at, message);
            }
            return Ok(known.clone());
        }
        if name.is_empty() {
            return self.refuse(at, format!("parameter {number}: a buffer needs a name"));
        }
        let Some(ty) = ty else {
            return self.refuse(at, format!("buffer `{name}` has no type: add one, like type = \"f32\""));
        };
        let init = init.unwrap_or(Init::Zeros);
        let values = if let Init::Values(values) = &init { Some(values.len() as u64) } else { None };
        let Some(len) = len.map(Spanned::into_inner).or(values) else {
            return self.refuse(at, format!("buffer `{name}` has no len: say how many elements it has"));
        };
        if len == 0 {
            return self.refuse(len_at, format!("buffer `{name}` is empty: it needs at least one element"));
        }
        if let Some(values) = values.filter(|&values| values > len) {
            return self.refuse(init_at, format!("buffer `{name}` has {len} elements, and {values} values are given"));
        }
        if let Err(why) = check_init(ty, &init) {
            return self.refuse(init_at, format!("buffer `{name}`: {why}"));
        }
        let buffer = Buffer { name, ty, len, init };
        let total = self.buffers.iter().fold(buffer.bytes(), |sum, other| sum.saturating_add(other.bytes()));
        if total > MAX_BUFFER_BYTES {
            let message = format!(
                "with buffer `{}` of {len} elements the buffers hold {total} bytes, and {MAX_BUFFER_BYTES} (1 GiB) is the most",
                buffer.name
            );
            return self.refuse(len_at, message);
        }
        self.buffers.push(buffer.clone());
        Ok(buffer)
    }
}

impl From<RawInit> for Init {
    fn from(raw: RawInit) -> Init {
        match raw {
            RawInit::Zeros => Init::Zeros,
            RawInit::Iota(RawIota { start, step }) => {
                Init::Iota { start: start.unwrap_or(Number::Int(0)), step: step.unwrap_or(Number::Int(1)) }
            }
            RawInit::Random(RawRandom { seed, min, max }) => Init::Random { seed, min, max },
            RawInit::Values(values) => Init::Values(values),
            RawInit::File(name) => Init::File(name),
        }
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
