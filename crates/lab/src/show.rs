//! Buffers for display: their elements as text, with what the run changed.

use serde::{Deserialize, Serialize};

use warpscope_kernel::interp::num;
use warpscope_kernel::launch::BufferData;
use warpscope_kernel::ptx::types::Type;

/// Most elements shown of a buffer.
const MOST_SHOWN: usize = 1024;

/// A buffer, compared with its initial contents.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ShownBuffer {
    /// Its name in the launch file.
    pub name: String,
    /// The type of its elements.
    pub ty: Type,
    /// How many elements it has.
    pub len: usize,
    /// Number of elements that differ from their initial value.
    pub changed: usize,
    /// The first elements.
    pub values: Vec<ShownValue>,
}

/// An element of a buffer, as text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ShownValue {
    /// The value now, in the notation of its type.
    pub text: String,
    /// The initial value, if it differs.
    pub before: Option<String>,
}

impl ShownBuffer {
    /// Compares a buffer with its initial contents.
    pub fn new(before: &BufferData, after: &BufferData) -> ShownBuffer {
        let width = after.ty.bytes() as usize;
        let pairs = || before.bytes.chunks_exact(width).zip(after.bytes.chunks_exact(width));
        let show = |(old, new): (&[u8], &[u8])| ShownValue {
            text: element(after.ty, new),
            before: (old != new).then(|| element(after.ty, old)),
        };
        ShownBuffer {
            name: after.name.clone(),
            ty: after.ty,
            len: after.bytes.len() / width,
            changed: pairs().filter(|(old, new)| old != new).count(),
            values: pairs().take(MOST_SHOWN).map(show).collect(),
        }
    }
}

/// Formats a little-endian element in the notation of its type.
fn element(ty: Type, bytes: &[u8]) -> String {
    let mut word = [0; 8];
    let width = bytes.len().min(8);
    word[..width].copy_from_slice(&bytes[..width]);
    let bits = u64::from_le_bytes(word);
    match ty {
        Type::F64 => float(f64::from_bits(bits)),
        Type::F32 => float32(f32::from_bits(bits as u32)),
        Type::F16 => float32(f32::from_bits(num::cvt(Type::F32, Type::F16, bits, None, false, false, false) as u32)),
        Type::Bf16 => float32(f32::from_bits((bits as u32) << 16)),
        _ if ty.is_signed() => {
            let unused = 64 - ty.bits();
            (((bits << unused) as i64) >> unused).to_string()
        }
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => bits.to_string(),
        _ => format!("{bits:0digits$x}", digits = width * 2),
    }
}

fn float32(value: f32) -> String {
    if reads_well(f64::from(value)) { value.to_string() } else { format!("{value:e}") }
}

fn float(value: f64) -> String {
    if reads_well(value) { value.to_string() } else { format!("{value:e}") }
}

/// Returns whether a number is best written without an exponent.
fn reads_well(value: f64) -> bool {
    value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&value.abs())
}
