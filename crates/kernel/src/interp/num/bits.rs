//! Bit fields, masks and permutations.
//!
//! Positions and lengths come unchecked from registers: bits outside the word read as its sign or as zero and are not written.

use crate::ptx::op::PermuteMode;
use crate::ptx::types::Type;

/// `prmt.b32`: four bytes picked from the eight of `b:a`.
#[inline]
pub fn prmt(mode: PermuteMode, a: u32, b: u32, selector: u32) -> u32 {
    let bytes = (b as u64) << 32 | a as u64;
    let base = selector & 3;
    let pick = |n: u32| {
        let source = match mode {
            // A nibble selects one of the eight bytes; its top bit selects that byte's sign, replicated eight times.
            PermuteMode::Index => selector >> (4 * n) & 15,
            // Four bytes starting at the selected one, upwards or downwards.
            PermuteMode::Forward4 => base + n,
            PermuteMode::Backward4 => base.wrapping_sub(n) & 7,
            PermuteMode::Replicate8 => base,
            // The bytes of `a`, with those below (or above) the selected byte replaced by it.
            PermuteMode::EdgeLeft => n.max(base),
            PermuteMode::EdgeRight => n.min(base),
            PermuteMode::Replicate16 => (selector & 1) * 2 + (n & 1),
        };
        let byte = (bytes >> (8 * (source & 7))) as u8;
        let sign = if byte & 0x80 != 0 { 0xff } else { 0 };
        (if source & 8 != 0 { sign } else { byte as u32 }) << (8 * n)
    };
    pick(0) | pick(1) | pick(2) | pick(3)
}

/// Returns a mask of the low `n` bits.
#[inline]
fn ones(n: u32) -> u64 {
    if n < 64 { (1 << n) - 1 } else { !0 }
}

/// Returns a field's position or length: 32-bit instructions use the low byte of the operand, 64-bit ones all of it.
#[inline]
fn field_operand(width: u32, x: u32) -> u32 {
    if width == 32 { x & 0xff } else { x.min(0xff) }
}

/// `bfe`: `len` bits of `a` from `pos` on, for `u32 s32 u64 s64`; a signed type repeats the field's top bit above it.
#[inline]
pub fn bfe(ty: Type, a: u64, pos: u32, len: u32) -> u64 {
    let width = ty.bits().min(64);
    let (pos, len) = (field_operand(width, pos), field_operand(width, len));
    let a = a & ones(width);
    let field = if pos < width { a >> pos & ones(len) } else { 0 };
    let sign_at = (pos + len).wrapping_sub(1).min(width - 1);
    if !ty.is_signed() || len == 0 || a >> sign_at & 1 == 0 {
        return field;
    }
    // Field bits beyond the word are copies of its sign bit.
    let real = len.min(width.saturating_sub(pos));
    (field | !ones(real)) & ones(width)
}

/// `bfi`: `b` with its `len` bits from `pos` on replaced by the low bits of `a`; `width` is 32 or 64.
#[inline]
pub fn bfi(width: u32, a: u64, b: u64, pos: u32, len: u32) -> u64 {
    let (pos, len) = (field_operand(width, pos), field_operand(width, len));
    let word = ones(width);
    let field = if pos < width { ones(len) << pos & word } else { 0 };
    let placed = if pos < width { a << pos } else { 0 };
    (placed & field) | (b & word & !field)
}

/// `bfind`: the position of the highest bit that differs from the sign, or its shift to the top; all ones if none.
#[inline]
pub fn bfind(ty: Type, a: u64, shift_amount: bool) -> u32 {
    let width = ty.bits().min(64);
    let a = a & ones(width);
    let negative = ty.is_signed() && a >> (width - 1) != 0;
    let significant = if negative { !a & ones(width) } else { a };
    match significant.checked_ilog2() {
        None => u32::MAX,
        Some(position) if shift_amount => width - 1 - position,
        Some(position) => position,
    }
}

/// `shf`: the 64 bits `b:a` shifted by `c`, the upper word of a left shift or the lower of a right one.
#[inline]
pub fn shf(left: bool, wrap: bool, a: u32, b: u32, c: u32) -> u32 {
    let amount = if wrap { c & 31 } else { c.min(32) };
    let both = (b as u64) << 32 | a as u64;
    if left { ((both << amount) >> 32) as u32 } else { (both >> amount) as u32 }
}

/// `lop3`: for each bit, the truth-table entry whose index the bits of `a`, `b` and `c` form (weights 4, 2 and 1).
#[inline(always)]
pub fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let entry = |n: u32| 0u32.wrapping_sub((table as u32) >> n & 1);
    let with_c = |zero: u32, one: u32| (entry(zero) & !c) | (entry(one) & c);
    let with_b = |n: u32| (with_c(n, n + 1) & !b) | (with_c(n + 2, n + 3) & b);
    (with_b(0) & !a) | (with_b(4) & a)
}

/// `bmsk`: `b` ones starting at bit `a`; operands wrap at 32 or are clamped to it.
#[inline]
pub fn bmsk(wrap: bool, a: u32, b: u32) -> u32 {
    let limit = |x: u32| if wrap { x & 31 } else { x.min(32) };
    (ones(limit(b)) << limit(a)) as u32
}

/// `szext`: the low `b` bits of `a`, sign- or zero-extended; `b` wraps at 32 or is clamped to it.
#[inline]
pub fn szext(signed: bool, wrap: bool, a: u32, b: u32) -> u32 {
    let len = if wrap { b & 31 } else { b.min(32) };
    if len == 0 {
        return 0;
    }
    let top = a << (32 - len);
    if signed { (top as i32 >> (32 - len)) as u32 } else { top >> (32 - len) }
}

/// `fns`: the position of the `offset`-th set bit of `mask`, counting from `base` (inclusive) upwards, or downwards if `offset`
/// is negative. Offset 0 selects the bit at `base` itself. All ones if there is no such bit.
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    let set = |position: u32| mask >> position & 1 != 0;
    if base > 31 {
        return u32::MAX;
    }
    let found = match offset {
        0 => Some(base).filter(|&p| set(p)),
        1.. => (base..32).filter(|&p| set(p)).nth(offset as usize - 1),
        _ => (0..=base).rev().filter(|&p| set(p)).nth(offset.unsigned_abs() as usize - 1),
    };
    found.unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::num::tests::exact::Random;

    /// Computes `bfe` bit by bit, as the PTX manual defines it.
    fn bfe_by_bits(ty: Type, a: u64, pos: u32, len: u32) -> u64 {
        let msb = ty.bits() - 1;
        let bit = |n: u32| a >> n & 1;
        let sign = if !ty.is_signed() || len == 0 { 0 } else { bit((pos + len - 1).min(msb)) };
        (0..=msb).fold(0, |d, i| d | (if i < len && pos + i <= msb { bit(pos + i) } else { sign }) << i)
    }

    fn bfi_by_bits(width: u32, a: u64, b: u64, pos: u32, len: u32) -> u64 {
        (0..width).fold(0, |d, i| {
            let inside = i >= pos && i < pos + len;
            d | (if inside { a >> (i - pos) & 1 } else { b >> i & 1 }) << i
        })
    }

    #[test]
    fn bit_fields_agree_with_their_definition() {
        let mut random = Random(1);
        for _ in 0..50_000 {
            let (a, b) = (random.next(), random.next());
            let (pos, len) = (random.next() as u32 & 0x7f, random.next() as u32 & 0x7f);
            for ty in [Type::U32, Type::S32, Type::U64, Type::S64] {
                assert_eq!(bfe(ty, a, pos, len), bfe_by_bits(ty, a, pos, len), "{ty} {a:#x} {pos} {len}");
                assert_eq!(bfi(ty.bits(), a, b, pos, len), bfi_by_bits(ty.bits(), a, b, pos, len));
            }
        }
        // The two widths differ for operands above 255.
        assert_eq!((bfe(Type::U32, 0xff, 0x100, 0x104), bfe(Type::U64, 0xff, 4, 0x104)), (0xf, 0xf));
        assert_eq!((bfe(Type::U64, 0xff, 0x100, 4), bfe(Type::S64, !0, 0x100, 4)), (0, u64::MAX));
        assert_eq!((bfi(32, 0xab, 0, 0x100, 8), bfi(64, 0xab, 0, 0x100, 8), bfi(64, 0xab, 0, 8, 0x100)), (0xab, 0, 0xab00));
        assert_eq!(bfe(Type::S32, 0x80, 4, 4), 0xffff_fff8);
        assert_eq!(bfe(Type::S32, 0x8000_0000, 255, 255), 0xffff_ffff);
        assert_eq!(bfe(Type::U32, 0x1234_5678, 8, 8), 0x56);
        assert_eq!(bfi(32, 0xab, 0x1234_5678, 8, 8), 0x1234_ab78);
    }

    #[test]
    fn bfind_finds_the_highest_bit_that_is_not_sign() {
        assert_eq!((bfind(Type::U32, 0, false), bfind(Type::S32, 0xffff_ffff, false)), (u32::MAX, u32::MAX));
        assert_eq!((bfind(Type::U32, 0x8000_0000, false), bfind(Type::U32, 1, true)), (31, 31));
        assert_eq!((bfind(Type::S32, 0xffff_fffe, false), bfind(Type::S32, 0x8000_0000, false)), (0, 30));
        assert_eq!((bfind(Type::U64, 1 << 40, false), bfind(Type::U64, 1 << 40, true)), (40, 23));
        assert_eq!((bfind(Type::S64, u64::MAX, true), bfind(Type::S64, !0 << 8, false)), (u32::MAX, 7));
        assert_eq!(bfind(Type::U32, 0xffff_ffff_0000_0001, false), 0);
    }

    #[test]
    fn prmt_selects_bytes_and_signs() {
        let (a, b) = (0x8322_1100, 0xf766_5544);
        let select = |s| prmt(PermuteMode::Index, a, b, s);
        assert_eq!((select(0x3210), select(0x7654), select(0x0123)), (a, b, 0x0011_2283));
        assert_eq!((select(0xb00f), select(0x8fb8)), (0xff00_00ff, 0x00ff_ff00));
        let all = |mode| [0, 1, 2, 3].map(|s| prmt(mode, 0x3322_1100, 0x7766_5544, s | 0xfffc));
        assert_eq!(all(PermuteMode::Forward4), [0x3322_1100, 0x4433_2211, 0x5544_3322, 0x6655_4433]);
        assert_eq!(all(PermuteMode::Backward4), [0x5566_7700, 0x6677_0011, 0x7700_1122, 0x0011_2233]);
        assert_eq!(all(PermuteMode::Replicate8), [0, 0x1111_1111, 0x2222_2222, 0x3333_3333]);
        assert_eq!(all(PermuteMode::EdgeLeft), [0x3322_1100, 0x3322_1111, 0x3322_2222, 0x3333_3333]);
        assert_eq!(all(PermuteMode::EdgeRight), [0, 0x1111_1100, 0x2222_1100, 0x3322_1100]);
        assert_eq!(all(PermuteMode::Replicate16), [0x1100_1100, 0x3322_3322, 0x1100_1100, 0x3322_3322]);
    }

    #[test]
    fn funnel_shifts_clamp_or_wrap() {
        let (a, b) = (0x89ab_cdef, 0x0123_4567);
        assert_eq!((shf(true, false, a, b, 0), shf(true, false, a, b, 8)), (b, 0x2345_6789));
        assert_eq!((shf(true, false, a, b, 32), shf(true, false, a, b, 99)), (a, a));
        assert_eq!((shf(true, true, a, b, 32), shf(true, true, a, b, 40)), (b, 0x2345_6789));
        assert_eq!((shf(false, false, a, b, 0), shf(false, false, a, b, 8)), (a, 0x6789_abcd));
        assert_eq!((shf(false, false, a, b, 32), shf(false, true, a, b, 32)), (b, a));
    }

    #[test]
    fn lop3_reads_its_table() {
        let (a, b, c) = (0xf0f0_f0f0, 0xcccc_cccc, 0xaaaa_aaaa);
        for table in 0..=255u8 {
            // With these operands each byte of the result is the table itself.
            assert_eq!(lop3(a, b, c, table), table as u32 * 0x0101_0101);
        }
        assert_eq!(lop3(0x1234_5678, 0x9abc_def0, 0x0f0f_0f0f, 0x96), 0x1234_5678 ^ 0x9abc_def0 ^ 0x0f0f_0f0f);
    }

    #[test]
    fn masks_and_extensions() {
        assert_eq!((bmsk(false, 4, 8), bmsk(false, 28, 8), bmsk(false, 0, 32)), (0xff0, 0xf000_0000, u32::MAX));
        assert_eq!((bmsk(false, 32, 4), bmsk(false, 0, 0), bmsk(false, 1, u32::MAX)), (0, 0, 0xffff_fffe));
        assert_eq!((bmsk(true, 32, 4), bmsk(true, 0, 32), bmsk(true, 36, 40)), (0xf, 0, 0xff0));
        assert_eq!((szext(true, false, 0x80, 8), szext(false, false, 0xf80, 8)), (0xffff_ff80, 0x80));
        assert_eq!((szext(true, false, 0xdead_beef, 32), szext(true, true, 0xdead_beef, 32)), (0xdead_beef, 0));
        assert_eq!((szext(true, false, 0xdead_beef, 0), szext(false, true, 0xff, 36)), (0, 0xf));
    }

    #[test]
    fn fns_counts_set_bits_both_ways() {
        assert_eq!((fns(0xaaaa_aaaa, 0, 1), fns(0xaaaa_aaaa, 0, 3), fns(0xaaaa_aaaa, 1, 1)), (1, 5, 1));
        assert_eq!((fns(0xaaaa_aaaa, 31, -1), fns(0xaaaa_aaaa, 30, -2), fns(0xaaaa_aaaa, 0, -1)), (31, 27, u32::MAX));
        assert_eq!((fns(0b100, 2, 0), fns(0b100, 1, 0), fns(!0, 0, 33)), (2, u32::MAX, u32::MAX));
        assert_eq!((fns(!0, 40, 1), fns(!0, 5, i32::MIN)), (u32::MAX, u32::MAX));
    }
}
