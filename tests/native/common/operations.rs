//! Instructions with their meaning in plain Rust, independent of the interpreter.

/// Registers of each kind.
pub const REGISTERS: usize = 4;

/// The registers of one thread: `r` and `x` are integers of 32 and 64 bits, `f` and `g` floats.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thread {
    pub r: [u32; REGISTERS],
    pub x: [u64; REGISTERS],
    pub f: [f32; REGISTERS],
    pub g: [f64; REGISTERS],
}

/// An opcode, the kinds of its registers with the destination first, and its effect on them.
pub type Operation = (&'static str, &'static str, fn(&mut Thread, [usize; 4]));

/// Returns the instruction's text with these registers.
pub fn text(operation: &Operation, registers: [usize; 4]) -> String {
    let (opcode, kinds, _) = operation;
    let operands: Vec<String> = kinds.chars().zip(registers).map(|(kind, number)| format!("%{kind}{number}")).collect();
    format!("{opcode} {};", operands.join(", "))
}

/// Operations that exist for 32 and for 64 bits.
macro_rules! integers {
    ($name:ident: $u:ident $s:ident $k:ident $kind:literal $bits:literal) => {
        const $name: &[Operation] = &[
            (concat!("add.u", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a].wrapping_add(t.$k[b])),
            (concat!("sub.s", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a].wrapping_sub(t.$k[b])),
            (concat!("mul.lo.s", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a].wrapping_mul(t.$k[b])),
            (concat!("mul.hi.u", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| {
                t.$k[d] = ((u128::from(t.$k[a]) * u128::from(t.$k[b])) >> $bits) as $u
            }),
            (concat!("mul.hi.s", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| {
                t.$k[d] = ((i128::from(t.$k[a] as $s) * i128::from(t.$k[b] as $s)) >> $bits) as $u
            }),
            (concat!("mad.lo.u", $bits), concat!($kind, $kind, $kind, $kind), |t, [d, a, b, c]| {
                t.$k[d] = t.$k[a].wrapping_mul(t.$k[b]).wrapping_add(t.$k[c])
            }),
            (concat!("div.u", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| {
                t.$k[d] = t.$k[a].checked_div(t.$k[b]).unwrap_or($u::MAX)
            }),
            (concat!("rem.u", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| {
                t.$k[d] = t.$k[a].checked_rem(t.$k[b]).unwrap_or($u::MAX)
            }),
            (concat!("div.s", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| {
                let (a, b) = (t.$k[a] as $s, t.$k[b] as $s);
                t.$k[d] = if b == 0 { $u::MAX } else { a.wrapping_div(b) as $u }
            }),
            (concat!("rem.s", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| {
                let (a, b) = (t.$k[a] as $s, t.$k[b] as $s);
                t.$k[d] = if b == 0 { $u::MAX } else { a.wrapping_rem(b) as $u }
            }),
            (concat!("min.s", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| {
                t.$k[d] = (t.$k[a] as $s).min(t.$k[b] as $s) as $u
            }),
            (concat!("max.u", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a].max(t.$k[b])),
            (concat!("and.b", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a] & t.$k[b]),
            (concat!("or.b", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a] | t.$k[b]),
            (concat!("xor.b", $bits), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a] ^ t.$k[b]),
            (concat!("not.b", $bits), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = !t.$k[a]),
            (concat!("neg.s", $bits), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = t.$k[a].wrapping_neg()),
            (concat!("abs.s", $bits), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = (t.$k[a] as $s).wrapping_abs() as $u),
            (concat!("brev.b", $bits), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = t.$k[a].reverse_bits()),
            (concat!("popc.b", $bits), concat!("r", $kind), |t, [d, a, ..]| t.r[d] = t.$k[a].count_ones()),
            (concat!("clz.b", $bits), concat!("r", $kind), |t, [d, a, ..]| t.r[d] = t.$k[a].leading_zeros()),
            // Shift amounts are not masked: a shift by the width or more shifts everything out.
            (concat!("shl.b", $bits), concat!($kind, $kind, "r"), |t, [d, a, b, _]| {
                t.$k[d] = t.$k[a].checked_shl(t.r[b]).unwrap_or(0)
            }),
            (concat!("shr.u", $bits), concat!($kind, $kind, "r"), |t, [d, a, b, _]| {
                t.$k[d] = t.$k[a].checked_shr(t.r[b]).unwrap_or(0)
            }),
            (concat!("shr.s", $bits), concat!($kind, $kind, "r"), |t, [d, a, b, _]| {
                t.$k[d] = ((t.$k[a] as $s) >> t.r[b].min($bits - 1)) as $u
            }),
            (concat!("set.lt.u32.s", $bits), concat!("r", $kind, $kind), |t, [d, a, b, _]| {
                t.r[d] = if (t.$k[a] as $s) < (t.$k[b] as $s) { u32::MAX } else { 0 }
            }),
            (concat!("set.hs.u32.u", $bits), concat!("r", $kind, $kind), |t, [d, a, b, _]| {
                t.r[d] = if t.$k[a] >= t.$k[b] { u32::MAX } else { 0 }
            }),
            (concat!("slct.b", $bits, ".s32"), concat!($kind, $kind, $kind, "r"), |t, [d, a, b, c]| {
                t.$k[d] = if t.r[c] as i32 >= 0 { t.$k[a] } else { t.$k[b] }
            }),
        ];
    };
}

/// Operations that exist in single and in double precision.
macro_rules! floats {
    ($name:ident: $t:ident $k:ident $kind:literal) => {
        const $name: &[Operation] = &[
            (concat!("add.rn.", stringify!($t)), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a] + t.$k[b]),
            (concat!("sub.rn.", stringify!($t)), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a] - t.$k[b]),
            (concat!("mul.rn.", stringify!($t)), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a] * t.$k[b]),
            (concat!("div.rn.", stringify!($t)), concat!($kind, $kind, $kind), |t, [d, a, b, _]| t.$k[d] = t.$k[a] / t.$k[b]),
            (concat!("fma.rn.", stringify!($t)), concat!($kind, $kind, $kind, $kind), |t, [d, a, b, c]| {
                t.$k[d] = t.$k[a].mul_add(t.$k[b], t.$k[c])
            }),
            (concat!("sqrt.rn.", stringify!($t)), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = t.$k[a].sqrt()),
            (concat!("rcp.rn.", stringify!($t)), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = 1.0 / t.$k[a]),
            (concat!("neg.", stringify!($t)), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = -t.$k[a]),
            (concat!("abs.", stringify!($t)), concat!($kind, $kind), |t, [d, a, ..]| t.$k[d] = t.$k[a].abs()),
            (concat!("set.lt.u32.", stringify!($t)), concat!("r", $kind, $kind), |t, [d, a, b, _]| {
                t.r[d] = if t.$k[a] < t.$k[b] { u32::MAX } else { 0 }
            }),
            (concat!("set.neu.u32.", stringify!($t)), concat!("r", $kind, $kind), |t, [d, a, b, _]| {
                t.r[d] = if t.$k[a] != t.$k[b] { u32::MAX } else { 0 }
            }),
            (concat!("cvt.rn.", stringify!($t), ".s32"), concat!($kind, "r"), |t, [d, a, ..]| t.$k[d] = t.r[a] as i32 as $t),
            (concat!("cvt.rn.", stringify!($t), ".u32"), concat!($kind, "r"), |t, [d, a, ..]| t.$k[d] = t.r[a] as $t),
            (concat!("cvt.rn.", stringify!($t), ".s64"), concat!($kind, "x"), |t, [d, a, ..]| t.$k[d] = t.x[a] as i64 as $t),
            (concat!("cvt.rn.", stringify!($t), ".u64"), concat!($kind, "x"), |t, [d, a, ..]| t.$k[d] = t.x[a] as $t),
            (concat!("cvt.rmi.", stringify!($t), ".", stringify!($t)), concat!($kind, $kind), |t, [d, a, ..]| {
                t.$k[d] = t.$k[a].floor()
            }),
        ];
    };
}

integers!(WORDS: u32 i32 r "r" 32);
integers!(LONGS: u64 i64 x "x" 64);
floats!(SINGLES: f32 f "f");
floats!(DOUBLES: f64 g "g");

const MIXED: &[Operation] = &[
    ("mul.wide.u32", "xrr", |t, [d, a, b, _]| t.x[d] = u64::from(t.r[a]) * u64::from(t.r[b])),
    ("mul.wide.s32", "xrr", |t, [d, a, b, _]| t.x[d] = (i64::from(t.r[a] as i32) * i64::from(t.r[b] as i32)) as u64),
    ("mad.wide.u32", "xrrx", |t, [d, a, b, c]| t.x[d] = (u64::from(t.r[a]) * u64::from(t.r[b])).wrapping_add(t.x[c])),
    ("cvt.u64.u32", "xr", |t, [d, a, ..]| t.x[d] = t.r[a].into()),
    ("cvt.s64.s32", "xr", |t, [d, a, ..]| t.x[d] = t.r[a] as i32 as u64),
    ("cvt.u32.u64", "rx", |t, [d, a, ..]| t.r[d] = t.x[a] as u32),
    ("cvt.s32.s8", "rr", |t, [d, a, ..]| t.r[d] = t.r[a] as i8 as u32),
    ("cvt.f64.f32", "gf", |t, [d, a, ..]| t.g[d] = t.f[a].into()),
    ("cvt.rn.f32.f64", "fg", |t, [d, a, ..]| t.f[d] = t.g[a] as f32),
    // Rust's casts saturate too, and take a NaN to zero as the GPU does where source and destination have 32 bits.
    ("cvt.rzi.s32.f32", "rf", |t, [d, a, ..]| t.r[d] = t.f[a] as i32 as u32),
    ("cvt.rzi.u32.f32", "rf", |t, [d, a, ..]| t.r[d] = t.f[a] as u32),
    ("cvt.rzi.s64.f64", "xg", |t, [d, a, ..]| t.x[d] = if t.g[a].is_nan() { 1 << 63 } else { t.g[a] as i64 as u64 }),
];

/// Returns every operation of this file.
pub fn all() -> Vec<Operation> {
    [WORDS, LONGS, SINGLES, DOUBLES, MIXED].concat()
}
