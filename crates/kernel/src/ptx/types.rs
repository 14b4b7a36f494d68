//! PTX modifiers that several modules use: scalar types, roundings and state spaces.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A PTX scalar type, as an instruction or a declaration names it.
///
/// Registers themselves are untyped bits; the type says how one instruction reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// `.pred`: true or false.
    Pred,
    /// `.b8`: bits without a meaning.
    B8,
    /// `.b16`.
    B16,
    /// `.b32`.
    B32,
    /// `.b64`.
    B64,
    /// `.b128`, which only moves, loads and stores know.
    B128,
    /// `.u8`: unsigned.
    U8,
    /// `.u16`.
    U16,
    /// `.u32`.
    U32,
    /// `.u64`.
    U64,
    /// `.s8`: signed, two's complement.
    S8,
    /// `.s16`.
    S16,
    /// `.s32`.
    S32,
    /// `.s64`.
    S64,
    /// `.f16`: IEEE 754 binary16.
    F16,
    /// `.f16x2`: two of them in 32 bits.
    F16x2,
    /// `.bf16`: the upper half of an f32.
    Bf16,
    /// `.bf16x2`: two of them in 32 bits.
    Bf16x2,
    /// `.f32`: IEEE 754 binary32.
    F32,
    /// `.f64`: IEEE 754 binary64.
    F64,
}

impl Type {
    /// Every type with its PTX name.
    pub const ALL: [(&'static str, Type); 20] = [
        ("pred", Type::Pred),
        ("b8", Type::B8),
        ("b16", Type::B16),
        ("b32", Type::B32),
        ("b64", Type::B64),
        ("b128", Type::B128),
        ("u8", Type::U8),
        ("u16", Type::U16),
        ("u32", Type::U32),
        ("u64", Type::U64),
        ("s8", Type::S8),
        ("s16", Type::S16),
        ("s32", Type::S32),
        ("s64", Type::S64),
        ("f16", Type::F16),
        ("f16x2", Type::F16x2),
        ("bf16", Type::Bf16),
        ("bf16x2", Type::Bf16x2),
        ("f32", Type::F32),
        ("f64", Type::F64),
    ];

    /// Returns the type of that name (without its dot).
    pub fn from_name(name: &str) -> Option<Type> {
        Type::ALL.iter().find(|(n, _)| *n == name).map(|&(_, t)| t)
    }

    /// Returns its name in PTX, without the point.
    pub fn name(self) -> &'static str {
        Type::ALL.iter().find(|&&(_, t)| t == self).map_or("?", |&(n, _)| n)
    }

    /// Returns the width in bits; a predicate counts as one.
    pub fn bits(self) -> u32 {
        match self {
            Type::Pred => 1,
            Type::B8 | Type::U8 | Type::S8 => 8,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 16,
            Type::B32 | Type::U32 | Type::S32 | Type::F32 | Type::F16x2 | Type::Bf16x2 => 32,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 => 64,
            Type::B128 => 128,
        }
    }

    /// Returns the size in memory in bytes; a predicate, which memory cannot hold, counts as one.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Whether it is a float, or a pair of them.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2 | Type::F32 | Type::F64)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Rounding of a floating-point result, or of a conversion to an integer (`.rni` and its siblings).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize)]
pub enum Rounding {
    /// `.rn`, `.rni`: to the nearest, ties to even.
    #[default]
    Near,
    /// `.rz`, `.rzi`: towards zero.
    Zero,
    /// `.rm`, `.rmi`: towards minus infinity.
    Down,
    /// `.rp`, `.rpi`: towards plus infinity.
    Up,
}

/// A PTX state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// The address itself determines which of the other spaces it means.
    Generic,
    /// Buffers and `.global` variables, one for the whole grid.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// `.const` variables, which no thread may write.
    Const,
    /// A kernel's parameters.
    Param,
}

impl Space {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
            Space::Const => "const",
            Space::Param => "param",
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
