"""The instruction forms whose values are tabulated, family by family.

`form(family, text, operands, rows)` adds one: `text` is PTX with the operands
as %a, %b, ...; `operands` names the registers, outputs first, with their
widths; `rows` are the input bit patterns (see inputs.py). `tolerance` is the
error that the PTX ISA allows an .approx form, where it is not exact.
"""

from fractions import Fraction as Q

import inputs as i
from inputs import BF16, F16, F32, F64, FLOATS

FORMS = []
OUTPUTS = ("d", "e", "h")
ROUNDINGS = ("rn", "rz", "rm", "rp")


class Form:
    def __init__(self, family, text, operands, rows, tolerance=None):
        self.family, self.text, self.tolerance = family, text, tolerance
        pairs = [o.split(":") for o in operands.split()]
        self.outputs = [(n, w) for n, w in pairs if n in OUTPUTS]
        self.inputs = [(n, w) for n, w in pairs if n not in OUTPUTS]
        self.rows = [tuple(r) for r in rows]
        for row in self.rows:
            assert len(row) == len(self.inputs), (text, row)

    def header(self):
        operands = " ".join(f"{n}:{w}" for n, w in self.outputs + self.inputs)
        return f"form {self.text} | {operands}" + (f" | {self.tolerance}" if self.tolerance else "")


def form(family, text, operands, rows, tolerance=None):
    FORMS.append(Form(family, text, operands, rows, tolerance))


def ops(*widths):
    """Operand list for one output and some inputs: `ops("b32", "b32")` is `d:b32 a:b32`."""
    return " ".join(f"{n}:{w}" for n, w in zip("dabcfg", widths))


def width(ty):
    """Bits of a PTX type's register."""
    return {"f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32, "tf32": 32}.get(ty) or max(16, int(ty[1:]))


def reg(ty):
    return f"b{width(ty)}"


INTS = [s + w for w in ("16", "32", "64") for s in "us"]
BITS = ["b16", "b32", "b64"]


def integer():
    for t in INTS:
        r, w = reg(t), width(t)
        for op in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            form("integer", f"{op}.{t} %d, %a, %b;", ops(r, r, r), i.int_pairs(w))
        for op in ("mad.lo", "mad.hi"):
            form("integer", f"{op}.{t} %d, %a, %b, %c;", ops(r, r, r, r), i.int_triples(w))
        form("integer", f"sad.{t} %d, %a, %b, %c;", ops(r, r, r, r), i.int_triples(w))
        if w < 64:
            wide = f"b{2 * w}"
            form("integer", f"mul.wide.{t} %d, %a, %b;", ops(wide, r, r), i.int_pairs(w))
            form("integer", f"mad.wide.{t} %d, %a, %b, %c;", ops(wide, r, r, wide), i.int_triples(w, wide=2 * w))
        if t[0] == "s":
            for op in ("abs", "neg"):
                form("integer", f"{op}.{t} %d, %a;", ops(r, r), i.unary(i.ints(w)))
    for op in ("add", "sub"):
        form("integer", f"{op}.sat.s32 %d, %a, %b;", ops("b32", "b32", "b32"), i.int_pairs(32))
    form("integer", "mad.hi.sat.s32 %d, %a, %b, %c;", ops("b32", "b32", "b32", "b32"), i.int_triples(32))
    for t in ("u32", "s32"):
        for part in ("lo", "hi"):
            form("integer", f"mul24.{part}.{t} %d, %a, %b;", ops("b32", "b32", "b32"), i.int_pairs(32) + mul24_edges())
            form("integer", f"mad24.{part}.{t} %d, %a, %b, %c;", ops("b32", "b32", "b32", "b32"), i.int_triples(32))
    form("integer", "mad24.hi.sat.s32 %d, %a, %b, %c;", ops("b32", "b32", "b32", "b32"), i.int_triples(32))
    for at in ("u32", "s32"):
        for bt in ("u32", "s32"):
            form("integer", f"dp4a.{at}.{bt} %d, %a, %b, %c;", ops("b32", "b32", "b32", "b32"), i.int_triples(32))
            for part in ("lo", "hi"):
                form("integer", f"dp2a.{part}.{at}.{bt} %d, %a, %b, %c;", ops("b32", "b32", "b32", "b32"), i.int_triples(32))

    one32, one64, one16 = i.unary(i.ints(32)), i.unary(i.ints(64)), i.unary(i.ints(16))
    for text in ("add.s32 %d, %a, -1;", "add.u32 %d, %a, 0xffffffff;", "sub.s32 %d, 7, %a;", "mul.lo.s32 %d, %a, -3;", "mul.hi.s32 %d, %a, 1717986919;",
                 "mul.hi.u32 %d, %a, -858993459;", "mad.lo.s32 %d, %a, 3, 1;", "mad.lo.u32 %d, %a, %a, 0x80000000U;", "div.s32 %d, %a, 7;", "div.s32 %d, %a, -1;",
                 "div.u32 %d, %a, 10;", "rem.s32 %d, %a, 8;", "rem.u32 %d, %a, 1000;", "div.u32 %d, 7, %a;", "rem.s32 %d, -7, %a;", "min.s32 %d, %a, 0;",
                 "max.u32 %d, %a, 100;"):
        form("integer", text, ops("b32", "b32"), one32)
    for text in ("add.s64 %d, %a, -1;", "add.u64 %d, %a, 0x123456789abcdef0;", "sub.s64 %d, 0, %a;", "mul.lo.s64 %d, %a, 10;", "div.s64 %d, %a, 10;", "rem.u64 %d, %a, 1000000007;",
                 "max.s64 %d, %a, -5;"):
        form("integer", text, ops("b64", "b64"), one64)
    for text in ("add.s16 %d, %a, -1;", "mul.lo.s16 %d, %a, 10;", "mad.lo.s16 %d, %a, 3, -7;", "div.u16 %d, %a, 10;", "min.s16 %d, %a, 127;", "add.u16 %d, %a, 0xffff;"):
        form("integer", text, ops("b16", "b16"), one16)
    for text in ("mul.wide.s32 %d, %a, 4;", "mul.wide.u32 %d, %a, -1;", "mad.wide.s32 %d, %a, -8, 100;"):
        form("integer", text, ops("b64", "b32"), one32)
    form("integer", "mul.wide.u16 %d, %a, 26215;", ops("b32", "b16"), one16)


def mul24_edges():
    return [(0x7fffff, 0x7fffff), (0x800000, 0x800000), (0xffffff, 0xffffff), (0x1000001, 3), (0x800000, 0x7fffff)]


def bits():
    for t in BITS:
        w = width(t)
        for op in ("and", "or", "xor"):
            form("bits", f"{op}.{t} %d, %a, %b;", ops(t, t, t), i.int_pairs(w, 28))
        for op in ("not", "cnot"):
            form("bits", f"{op}.{t} %d, %a;", ops(t, t), i.unary(i.ints(w)))
        form("bits", f"shl.{t} %d, %a, %b;", ops(t, t, "b32"), i.shifts(w))
        for s in "bus":
            form("bits", f"shr.{s}{w} %d, %a, %b;", ops(t, t, "b32"), i.shifts(w))
    for t in ("b32", "b64"):
        w = width(t)
        for op in ("popc", "clz"):
            form("bits", f"{op}.{t} %d, %a;", ops("b32", t), bit_positions(w))
        form("bits", f"brev.{t} %d, %a;", ops(t, t), bit_positions(w))
        form("bits", f"bfi.{t} %d, %a, %b, %c, %f;", "d:{0} a:{0} b:{0} c:b32 f:b32".format(t), [(v, w_, s, n) for (v, s, n), (w_, _) in zip(i.fields(w), i.int_pairs(w))])
        for s in "us":
            form("bits", f"bfe.{s}{w} %d, %a, %b, %c;", ops(t, t, "b32", "b32"), i.fields(w))
            for shift in ("", ".shiftamt"):
                form("bits", f"bfind{shift}.{s}{w} %d, %a;", ops("b32", t), bit_positions(w))
    b4 = ops("b32", "b32", "b32", "b32")
    selectors = [0x3210, 0x7654, 0x5410, 0x7632, 0x0123, 0x4567, 0x88a8, 0xfedc, 0x0000, 0x1, 0x2, 0x3, 0xffffffff, 0x12340005, 0x9bdf, 0x6]
    words = [(0x33221180, 0x77ffee94), (0x80818283, 0x04050607), (0xffffffff, 0), (0x7f80ff00, 0x12345678)]
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        chosen = selectors if not mode else [0, 1, 2, 3, 4, 7, 0x321, 0xfffffffd]
        form("bits", f"prmt.b32{mode} %d, %a, %b, %c;", b4, [(a, b, s) for a, b in words[:2 if not mode else 3] for s in chosen])
    amounts = [0, 1, 8, 16, 31, 32, 33, 63, 64, 100, 0x80000001, 0xffffffff]
    for side in ("l", "r"):
        for mode in ("wrap", "clamp"):
            form("bits", f"shf.{side}.{mode}.b32 %d, %a, %b, %c;", b4, [(a, b, s) for a, b in words[:2] for s in amounts])
    for lut in (0x00, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0xac, 0x3c, 0xc0, 0xf0, 0xaa, 0x1b, 0x6a, 0xf8, 0x7f, 0xff):
        form("bits", f"lop3.b32 %d, %a, %b, %c, {lut:#x};", b4, i.int_triples(32, 10) + [(0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa)])
    edges = [0, 1, 8, 31, 32, 33, 255, 256, 0x80000000, 0xffffffff]
    for mode in ("clamp", "wrap"):
        form("bits", f"bmsk.{mode}.b32 %d, %a, %b;", ops("b32", "b32", "b32"), i.some([edges, edges], 36, "bmsk", [(0, 32), (31, 1), (31, 2), (4, 4), (32, 1), (0, 0), (8, 31)]))
        for s in "us":
            form("bits", f"szext.{mode}.{s}32 %d, %a, %b;", ops("b32", "b32", "b32"), [(v, e) for v in (0x80808080, 0x7fffffff, 0xffffff80) for e in edges])
    form("bits", "fns.b32 %d, %a, %b, %c;", b4, [(m, b, o) for m in (0xf00000f2, 0, 0xffffffff) for b in (0, 5, 31) for o in (0, 1, 0xffffffff, 3)])

    for text in ("and.b32 %d, %a, 0xff00;", "and.b32 %d, %a, -4;", "or.b32 %d, %a, 1;", "xor.b32 %d, %a, -1;", "shl.b32 %d, %a, 3;", "shl.b32 %d, %a, 33;", "shr.u32 %d, %a, 31;",
                 "shr.s32 %d, %a, 40;", "shr.u32 %d, %a, 32;", "bfe.u32 %d, %a, 8, 8;", "bfe.s32 %d, %a, 24, 8;", "bfi.b32 %d, %a, 0, 16, 16;", "prmt.b32 %d, %a, 0, 0x4140;",
                 "prmt.b32 %d, %a, 0, 0x8880;", "shf.l.wrap.b32 %d, %a, %a, 13;", "shf.r.clamp.b32 %d, %a, 0, 40;", "lop3.b32 %d, %a, 0xff, 0x10, 0xea;"):
        form("bits", text, ops("b32", "b32"), i.unary(i.ints(32)))
    for text in ("and.b64 %d, %a, 0xffffffff;", "shl.b64 %d, %a, 32;", "shr.u64 %d, %a, 63;", "shr.s64 %d, %a, 70;", "bfe.u64 %d, %a, 52, 11;"):
        form("bits", text, ops("b64", "b64"), i.unary(i.ints(64)))
    for text in ("and.b16 %d, %a, 255;", "shl.b16 %d, %a, 8;", "shr.s16 %d, %a, 15;", "shr.u16 %d, %a, 16;", "xor.b16 %d, %a, -1;"):
        form("bits", text, ops("b16", "b16"), i.unary(i.ints(16)))
    form("bits", "shl.b32 %d, 1, %a;", ops("b32", "b32"), i.unary(amounts))
    form("bits", "shl.b64 %d, 1, %a;", ops("b64", "b32"), i.unary(amounts))


def bit_positions(w):
    mask = (1 << w) - 1
    return i.unary(dict.fromkeys(i.ints(w) + [1 << w - 2, 0x10, mask ^ 0x10, mask >> 3]))


def f32():
    b1, b2, b3 = ops("b32", "b32"), ops("b32", "b32", "b32"), ops("b32", "b32", "b32", "b32")
    for op in ("add", "sub", "mul"):
        for rnd in ("",) + tuple("." + r for r in ROUNDINGS):
            for ftz in ("", ".ftz"):
                for sat in ("", ".sat"):
                    form("f32", f"{op}{rnd}{ftz}{sat}.f32 %d, %a, %b;", b2, i.float_pairs(F32, op))
    for rnd in ROUNDINGS:
        for ftz in ("", ".ftz"):
            for sat in ("", ".sat"):
                form("f32", f"fma.{rnd}{ftz}{sat}.f32 %d, %a, %b, %c;", b3, i.float_triples(F32))
            form("f32", f"div.{rnd}{ftz}.f32 %d, %a, %b;", b2, i.float_pairs(F32, "div"))
            form("f32", f"rcp.{rnd}{ftz}.f32 %d, %a;", b1, i.inverse_inputs(F32))
            form("f32", f"sqrt.{rnd}{ftz}.f32 %d, %a;", b1, i.inverse_inputs(F32))
    form("f32", "mad.rn.f32 %d, %a, %b, %c;", b3, i.float_triples(F32))
    form("f32", "mad.rz.ftz.sat.f32 %d, %a, %b, %c;", b3, i.float_triples(F32))
    for ftz in ("", ".ftz"):
        for op in ("min", "max"):
            for nan in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
                form("f32", f"{op}{ftz}{nan}.f32 %d, %a, %b;", b2, i.float_pairs(F32, op))
        for op in ("abs", "neg"):
            form("f32", f"{op}{ftz}.f32 %d, %a;", b1, i.float_unary(F32))
    form("f32", "copysign.f32 %d, %a, %b;", b2, i.float_pairs(F32, "copysign"))
    for text in ("add.f32 %d, %a, 0f3F800000;", "add.rn.f32 %d, %a, 0fBF800000;", "mul.f32 %d, %a, 0f3E800000;", "sub.f32 %d, 0f3F800000, %a;", "fma.rn.f32 %d, %a, 0f3F000000, 0fBF800000;",
                 "max.f32 %d, %a, 0f00000000;", "min.f32 %d, %a, 0f7F800000;", "div.rn.f32 %d, 0f3F800000, %a;", "div.rn.f32 %d, %a, 0f40400000;", "add.f32 %d, %a, 1.5;", "mul.rn.f32 %d, %a, %a;"):
        form("f32", text, b1, i.float_unary(F32))
    for kind in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        form("f32", f"testp.{kind}.f32 %d, %a;", "d:pred a:b32", i.float_unary(F32))


def f64():
    b1, b2, b3 = ops("b64", "b64"), ops("b64", "b64", "b64"), ops("b64", "b64", "b64", "b64")
    for rnd in ("",) + tuple("." + r for r in ROUNDINGS):
        for op in ("add", "sub", "mul"):
            form("f64", f"{op}{rnd}.f64 %d, %a, %b;", b2, i.float_pairs(F64, op))
    for rnd in ROUNDINGS:
        form("f64", f"fma.{rnd}.f64 %d, %a, %b, %c;", b3, i.float_triples(F64))
        form("f64", f"div.{rnd}.f64 %d, %a, %b;", b2, i.float_pairs(F64, "div"))
        form("f64", f"rcp.{rnd}.f64 %d, %a;", b1, i.inverse_inputs(F64))
        form("f64", f"sqrt.{rnd}.f64 %d, %a;", b1, i.inverse_inputs(F64))
    form("f64", "mad.rn.f64 %d, %a, %b, %c;", b3, i.float_triples(F64))
    for op in ("min", "max"):
        form("f64", f"{op}.f64 %d, %a, %b;", b2, i.float_pairs(F64, op))
    for op in ("abs", "neg"):
        form("f64", f"{op}.f64 %d, %a;", b1, i.float_unary(F64))
    form("f64", "copysign.f64 %d, %a, %b;", b2, i.float_pairs(F64, "copysign"))
    for text in ("add.f64 %d, %a, 0d3FF0000000000000;", "mul.f64 %d, %a, 0d3FD0000000000000;", "sub.f64 %d, 0d3FF0000000000000, %a;", "max.f64 %d, %a, 0d0000000000000000;",
                 "fma.rn.f64 %d, %a, 0d3FE0000000000000, 0dBFF0000000000000;", "div.rn.f64 %d, 0d3FF0000000000000, %a;", "add.f64 %d, %a, 0.1;"):
        form("f64", text, b1, i.float_unary(F64))
    for kind in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
        form("f64", f"testp.{kind}.f64 %d, %a;", "d:pred a:b64", i.float_unary(F64))


def half_form(name, ty, n_inputs, rows):
    """The same form on a scalar half type and on the packed pair."""
    f = FLOATS[ty]
    letters = "abc"[:n_inputs]
    args = ", ".join(f"%{x}" for x in letters)
    form("half", f"{name}.{ty} %d, {args};", ops(*["b16"] * (n_inputs + 1)), rows)
    form("half", f"{name}.{ty}x2 %d, {args};", ops(*["b32"] * (n_inputs + 1)), i.packed(f, rows))


def half():
    for op in ("add", "sub", "mul"):
        for rnd in ("", ".rn"):
            for ftz in ("", ".ftz"):
                for sat in ("", ".sat"):
                    half_form(f"{op}{rnd}{ftz}{sat}", "f16", 2, i.float_pairs(F16, op))
            half_form(f"{op}{rnd}", "bf16", 2, i.float_pairs(BF16, op))
    for ftz in ("", ".ftz"):
        for end in ("", ".sat", ".relu"):
            half_form(f"fma.rn{ftz}{end}", "f16", 3, i.float_triples(F16))
    for end in ("", ".relu"):
        half_form(f"fma.rn{end}", "bf16", 3, i.float_triples(BF16))
    for op in ("min", "max"):
        for nan in ("", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
            for ftz in ("", ".ftz"):
                half_form(f"{op}{ftz}{nan}", "f16", 2, i.float_pairs(F16, op))
            half_form(f"{op}{nan}", "bf16", 2, i.float_pairs(BF16, op))
    for op in ("abs", "neg"):
        for ftz in ("", ".ftz"):
            half_form(f"{op}{ftz}", "f16", 1, i.float_unary(F16))
        half_form(op, "bf16", 1, i.float_unary(BF16))


INT8 = ["u8", "s8"] + INTS


def convert():
    for dst in INT8:
        for src in INT8:
            d, s = cvt_regs(dst, src)
            rows = i.unary(i.ints(int(s[1:])))
            form("convert", f"cvt.{dst}.{src} %d, %a;", ops(d, s), rows)
            if not holds_all(dst, src):  # .sat is only for what can be out of range
                form("convert", f"cvt.sat.{dst}.{src} %d, %a;", ops(d, s), rows)
    # Bytes in 16-bit registers, as they come from loads.
    for text, d in (("cvt.u32.u8", "b32"), ("cvt.s32.s8", "b32"), ("cvt.u64.u8", "b64"), ("cvt.s64.s8", "b64"), ("cvt.rn.f32.u8", "b32"), ("cvt.rn.f32.s8", "b32"), ("cvt.rn.f64.s8", "b64")):
        form("convert", f"{text} %d, %a;", ops(d, "b16"), i.unary(i.ints(16)))
    # A destination register wider than the type holds the value sign- or zero-extended.
    for text, regs, w in (("cvt.s16.s8", ("b32", "b32"), 32), ("cvt.u16.u8", ("b32", "b32"), 32), ("cvt.s8.s32", ("b32", "b32"), 32), ("cvt.u16.u32", ("b32", "b32"), 32),
                          ("cvt.s16.s32", ("b32", "b32"), 32), ("cvt.s16.s64", ("b64", "b64"), 64), ("cvt.s32.s64", ("b64", "b64"), 64), ("cvt.s8.s8", ("b64", "b64"), 64)):
        form("convert", f"{text} %d, %a;", ops(*regs), i.unary(i.ints(w)))

    for name, f in FLOATS.items():
        for dst in INT8 if name != "bf16" else INTS:
            d, s = cvt_regs(dst, name)
            rows = i.float_to_int(f, dst[0] == "s", int(dst[1:]))
            for rnd in ("rni", "rzi", "rmi", "rpi"):
                for ftz in ("", ".ftz") if name == "f32" else ("",):
                    for sat in ("", ".sat") if rnd in ("rni", "rzi") and name != "bf16" else ("",):
                        form("convert", f"cvt.{rnd}{ftz}{sat}.{dst}.{name} %d, %a;", ops(d, s), rows)
        for src in INT8 if name != "bf16" else INTS:
            d, s = cvt_regs(name, src)
            rows = i.int_to_float(f, src[0] == "s", int(src[1:]) if src[1:] != "8" else int(s[1:]))
            for rnd in ROUNDINGS:
                form("convert", f"cvt.{rnd}.{name}.{src} %d, %a;", ops(d, s), rows)
            if name != "bf16":
                form("convert", f"cvt.rn.sat.{name}.{src} %d, %a;", ops(d, s), rows)

    steps = [Q(1, 2), Q(3, 2), Q(5, 2), Q(-1, 2), Q(-3, 2), Q(-5, 2), Q(1, 4), Q(-3, 4), Q(11, 4), 7, 1024, 1025, 8388609]
    for name, f in FLOATS.items():  # to an integral value of the same type
        for rnd in ("rni", "rzi", "rmi", "rpi"):
            for ftz in ("", ".ftz") if name == "f32" else ("",):
                for sat in ("", ".sat") if name in ("f32", "f64", "f16") and rnd == "rni" else ("",):
                    form("convert", f"cvt.{rnd}{ftz}{sat}.{name}.{name} %d, %a;", ops(reg(name), reg(name)), i.float_unary(f, steps))
    for name, ftz, sat in (("f32", "", ".sat"), ("f32", ".ftz", ""), ("f32", ".ftz", ".sat"), ("f32", "", ""), ("f64", "", ".sat"), ("f64", "", ""), ("f16", "", ".sat")):
        f = FLOATS[name]
        form("convert", f"cvt{ftz}{sat}.{name}.{name} %d, %a;", ops(reg(name), reg(name)), i.float_unary(f, steps))

    for dst, src, roundings in (("f32", "f64", ROUNDINGS), ("f16", "f32", ROUNDINGS), ("f16", "f64", ROUNDINGS)):
        for rnd in roundings:
            for ftz in ("", ".ftz") if "f32" in (dst, src) else ("",):
                for sat in ("", ".sat"):
                    form("convert", f"cvt.{rnd}{ftz}{sat}.{dst}.{src} %d, %a;", ops(reg(dst), reg(src)), i.narrowing(FLOATS[src], FLOATS[dst]))
    for dst, src in (("f64", "f32"), ("f32", "f16"), ("f64", "f16")):
        for ftz in ("", ".ftz") if "f32" in (dst, src) else ("",):
            for sat in ("", ".sat"):
                form("convert", f"cvt{ftz}{sat}.{dst}.{src} %d, %a;", ops(reg(dst), reg(src)), i.float_unary(FLOATS[src], steps))
    for dst in ("f32", "f64"):
        form("convert", f"cvt.{dst}.bf16 %d, %a;", ops(reg(dst), "b16"), i.float_unary(BF16, steps))
    for rnd in ROUNDINGS:
        form("convert", f"cvt.{rnd}.bf16.f64 %d, %a;", ops("b16", "b64"), i.narrowing(F64, BF16))
        form("convert", f"cvt.{rnd}.bf16.f16 %d, %a;", ops("b16", "b16"), i.float_unary(F16, [1 + Q(1, 256), 1 + Q(3, 256), 1 + Q(1, 128) + Q(1, 1024)]))
        form("convert", f"cvt.{rnd}.f16.bf16 %d, %a;", ops("b16", "b16"), i.narrowing(BF16, F16))
    for rnd in ("rn", "rz"):
        for relu in ("", ".relu"):
            form("convert", f"cvt.{rnd}{relu}.bf16.f32 %d, %a;", ops("b16", "b32"), i.narrowing(F32, BF16))
            if relu:
                form("convert", f"cvt.{rnd}{relu}.f16.f32 %d, %a;", ops("b16", "b32"), i.narrowing(F32, F16))
            for ty in ("f16", "bf16"):
                rows = [a + b for a, b in zip(i.narrowing(F32, FLOATS[ty]), reversed(i.narrowing(F32, FLOATS[ty])))]
                form("convert", f"cvt.{rnd}{relu}.{ty}x2.f32 %d, %a, %b;", ops("b32", "b32", "b32"), rows)
    for rnd in ("rm", "rp"):
        form("convert", f"cvt.{rnd}.bf16.f32 %d, %a;", ops("b16", "b32"), i.narrowing(F32, BF16))


def holds_all(dst, src):
    """Whether the integer type `dst` has every value of `src`."""
    if dst[0] == src[0]:
        return int(dst[1:]) >= int(src[1:])
    return dst[0] == "s" and int(dst[1:]) > int(src[1:])


def cvt_regs(dst, src):
    """Registers for a conversion; 8-bit values live in the register class of the other side, 16 or 32 bits."""
    d, s = reg(dst), reg(src)
    if dst[1:] == "8" and s != "b16":
        d = "b32"
    if src[1:] == "8" and d != "b16":
        s = "b32"
    return d, s


INT_CMP = ("eq", "ne", "lt", "le", "gt", "ge")
FLOAT_CMP = INT_CMP + ("equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def compare():
    for t in INTS + BITS:
        w, r = width(t), reg(t)
        cmps = INT_CMP[:2] if t[0] == "b" else INT_CMP + (("lo", "ls", "hi", "hs") if t[0] == "u" else ())
        for c in cmps:
            form("compare", f"setp.{c}.{t} %d, %a, %b;", "d:pred " + ops("", r, r)[3:], i.int_pairs(w, 28))
    for t in ("f32", "f64", "f16", "bf16"):
        f, r = FLOATS[t], reg(t)
        for ftz in ("", ".ftz") if t in ("f32", "f16") else ("",):
            for c in FLOAT_CMP:
                form("compare", f"setp.{c}{ftz}.{t} %d, %a, %b;", "d:pred " + ops("", r, r)[3:], i.float_pairs(f, "cmp"))
    for t in ("f16x2", "bf16x2"):
        f = FLOATS[t[:-2]]
        for ftz in ("", ".ftz") if t == "f16x2" else ("",):
            for c in FLOAT_CMP:
                form("compare", f"setp.{c}{ftz}.{t} %d|%e, %a, %b;", "d:pred e:pred a:b32 b:b32", i.packed(f, i.float_pairs(f, "cmp"), 20))
    # Both destinations: %d is (a ? b) BOOL c, %e is !(a ? b) BOOL c.
    for t, cmps in (("s32", ("lt", "eq")), ("u64", ("ge",)), ("b32", ("ne",)), ("s16", ("gt",)), ("f32", ("lt", "geu", "nan")), ("f64", ("le", "neu"))):
        r = reg(t)
        pairs = i.int_pairs(width(t), 10) if t[0] in "sub" else i.float_pairs(FLOATS[t], "cmp")[6:24:2]
        rows = [p + (c,) for p in pairs for c in (0, 1)]
        for c in cmps:
            form("compare", f"setp.{c}.{t} %d|%e, %a, %b;", f"d:pred e:pred a:{r} b:{r}", pairs)
            for b in ("and", "or", "xor"):
                form("compare", f"setp.{c}.{b}.{t} %d|%e, %a, %b, %c;", f"d:pred e:pred a:{r} b:{r} c:pred", rows)
            form("compare", f"setp.{c}.and.{t} %d, %a, %b, !%c;", f"d:pred a:{r} b:{r} c:pred", rows)
    for b in ("and", "or", "xor"):  # on half types the second destination is the second half's
        form("compare", f"setp.gt.{b}.f16 %d, %a, %b, %c;", "d:pred a:b16 b:b16 c:pred", [p + (c,) for p in i.float_pairs(F16, "cmp")[6:24:2] for c in (0, 1)])
        form("compare", f"setp.le.{b}.f16x2 %d|%e, %a, %b, %c;", "d:pred e:pred a:b32 b:b32 c:pred", [p + (c,) for p in i.packed(F16, i.float_pairs(F16, "cmp"), 10) for c in (0, 1)])
    form("compare", "setp.lt.or.ftz.f32 %d, %a, %b, %c;", "d:pred a:b32 b:b32 c:pred", [p + (c,) for p in i.float_pairs(F32, "cmp")[:14] for c in (0, 1)])

    for dst in ("u32", "s32", "f32"):
        for t in INTS + BITS:
            r = reg(t)
            for c in INT_CMP[:2] if t[0] == "b" else INT_CMP:
                if dst != "s32" or c == "lt":
                    form("compare", f"set.{c}.{dst}.{t} %d, %a, %b;", ops("b32", r, r), i.int_pairs(width(t), 12))
        for t in ("f32", "f64"):
            r = reg(t)
            for c in FLOAT_CMP:
                if dst != "s32" or c == "ltu":
                    form("compare", f"set.{c}.{dst}.{t} %d, %a, %b;", ops("b32", r, r), i.float_pairs(FLOATS[t], "cmp")[::2])
    for c in ("eq", "lt"):
        form("compare", f"set.{c}.ftz.u32.f32 %d, %a, %b;", ops("b32", "b32", "b32"), i.float_pairs(F32, "cmp"))
    for b in ("and", "or", "xor"):
        form("compare", f"set.gt.{b}.u32.s32 %d, %a, %b, %c;", "d:b32 a:b32 b:b32 c:pred", [p + (c,) for p in i.int_pairs(32, 10) for c in (0, 1)])
        form("compare", f"set.ge.{b}.f32.f32 %d, %a, %b, !%c;", "d:b32 a:b32 b:b32 c:pred", [p + (c,) for p in i.float_pairs(F32, "cmp")[6:24:2] for c in (0, 1)])
    for h in ("f16", "bf16"):
        pairs = i.float_pairs(FLOATS[h], "cmp")
        for c in FLOAT_CMP:
            form("compare", f"set.{c}.{h}.{h} %d, %a, %b;", ops("b16", "b16", "b16"), pairs)
            form("compare", f"set.{c}.{h}x2.{h}x2 %d, %a, %b;", ops("b32", "b32", "b32"), i.packed(FLOATS[h], pairs, 20))
        for dst in ("u16", "s16", "u32", "s32"):
            form("compare", f"set.lt.{dst}.{h} %d, %a, %b;", ops(reg(dst), "b16", "b16"), pairs)
        form("compare", f"set.gt.{h}.s32 %d, %a, %b;", ops("b16", "b32", "b32"), i.int_pairs(32, 12))
        form("compare", f"set.gt.{h}.f32 %d, %a, %b;", ops("b16", "b32", "b32"), i.float_pairs(F32, "cmp")[::2])
        form("compare", f"set.le.u32.{h}x2 %d, %a, %b;", ops("b32", "b32", "b32"), i.packed(FLOATS[h], pairs, 20))

    for text in ("setp.lt.s32 %d, %a, 10;", "setp.gt.u32 %d, %a, -2;", "setp.eq.b32 %d, %a, 1;", "setp.ne.s32 %d, %a, 0;", "setp.ge.s32 %d, 5, %a;", "setp.lt.u32 %d, %a, 0x80000000;"):
        form("compare", text, "d:pred a:b32", i.unary(i.ints(32)))
    for text in ("setp.gt.f32 %d, %a, 0f00000000;", "setp.leu.f32 %d, %a, 0f3F800000;", "setp.neu.f32 %d, %a, 0fBF800000;", "setp.lt.f32 %d, %a, 1.5;"):
        form("compare", text, "d:pred a:b32", i.float_unary(F32))
    form("compare", "setp.lt.f64 %d, %a, 0d3FF0000000000000;", "d:pred a:b64", i.float_unary(F64))
    form("compare", "setp.gt.s64 %d, %a, -1;", "d:pred a:b64", i.unary(i.ints(64)))
    form("compare", "setp.eq.s16 %d, %a, -1;", "d:pred a:b16", i.unary(i.ints(16)))


def approx():
    b1, b2 = ops("b32", "b32"), ops("b32", "b32", "b32")
    pi = Q(3141592653589793, 10**15)
    small = [Q(k, 8) for k in (0, 1, 2, 3, 5, 8, 12, 13, 20, 25, 32, 40, 48)] + [pi, pi / 2, pi / 4, pi / 6, 2 * pi - Q(1, 1000), 3 * pi / 2]
    turn = [F32.near(x) for x in small + [-x for x in small]] + [F32.sign, F32.minsub, F32.maxsub, F32.minnorm, F32.inf, F32.neg(F32.inf), F32.qnan, F32.snan2]
    far = [F32.near(s * x) for s in (1, -1) for x in (7, 10, 20, 50, 100, 10 * pi, 50 * pi, Q(3141, 10), 99 * pi)]
    for fn in ("sin", "cos"):
        for ftz in ("", ".ftz"):
            form("approx", f"{fn}.approx{ftz}.f32 %d, %a;", b1, i.unary(turn), "abs 2^-20")
            form("approx", f"{fn}.approx{ftz}.f32 %d, %a;", b1, i.unary(far), "abs 2^-14")
    near_one = [Q(k, 64) for k in (33, 40, 48, 56, 60, 63, 64, 65, 68, 72, 80, 96, 112, 127)] + [1 + F32.eps, 1 - F32.eps / 2]
    others = [2, 3, 4, 10, 1000, Q(1, 2), Q(1, 3), Q(1, 10), Q(1, 1000), Q(2)**100, Q(2)**-100, Q(2)**-126, Q(2)**-127, Q(2)**-140]
    for ftz in ("", ".ftz"):
        form("approx", f"lg2.approx{ftz}.f32 %d, %a;", b1, i.unary(map(F32.near, near_one)), "abs 2^-22")
        elsewhere = [r for r in i.float_unary(F32, others) + i.unary(F32.randoms(6, "lg", 40)) if not F32.half < r[0] < F32.two or r[0] == F32.one]
        form("approx", f"lg2.approx{ftz}.f32 %d, %a;", b1, elsewhere, "rel 2^-22")
        powers = [1, -1, Q(1, 2), Q(1, 3), 10, -10, Q(25, 2), 100, -100, 127, 128, Q(1279, 10), -126, Q(-253, 2), -130, -149, -150, -151, -200, 200, Q(1, 1000)]
        form("approx", f"ex2.approx{ftz}.f32 %d, %a;", b1, i.float_unary(F32, powers), "rel 2^-22")
        form("approx", f"rcp.approx{ftz}.f32 %d, %a;", b1, i.inverse_inputs(F32), "ulp 1")
        form("approx", f"sqrt.approx{ftz}.f32 %d, %a;", b1, i.inverse_inputs(F32), "ulp 1")
        form("approx", f"rsqrt.approx{ftz}.f32 %d, %a;", b1, i.inverse_inputs(F32), "rel 2^-22")
        form("approx", f"div.approx{ftz}.f32 %d, %a, %b;", b2, i.float_pairs(F32, "div"), "ulp 2")
        form("approx", f"div.full{ftz}.f32 %d, %a, %b;", b2, i.float_pairs(F32, "div"), "ulp 2")
    bends = [Q(1, 100), Q(1, 10), Q(1, 4), Q(3, 4), 1, 2, 3, 5, 9, 20]
    bends += [-x for x in bends]
    form("approx", "tanh.approx.f32 %d, %a;", b1, i.float_unary(F32, bends), "rel 2^-11")
    form("approx", "rcp.approx.ftz.f64 %d, %a;", ops("b64", "b64"), i.inverse_inputs(F64), "rel 2^-19")
    form("approx", "rsqrt.approx.ftz.f64 %d, %a;", ops("b64", "b64"), i.inverse_inputs(F64), "rel 2^-19")
    form("approx", "rsqrt.approx.f64 %d, %a;", ops("b64", "b64"), i.inverse_inputs(F64), "rel 2^-22")
    halves = [Q(k, 4) for k in (1, -1, 2, 3, -3, 5, 9, 13, 20, 40, 63, 64, -40, -56, -60, -96, -97, -104)]
    for ty, bound, ftz, tanh in (("f16", "rel 2^-9", "", "abs 2^-10"), ("bf16", "rel 2^-7", ".ftz", "abs 2^-8")):
        f = FLOATS[ty]
        for pack in ("", "x2"):
            r = "b32" if pack else "b16"
            def rows(xs):
                return i.packed(f, i.float_unary(f, xs)) if pack else i.float_unary(f, xs)
            form("approx", f"ex2.approx{ftz}.{ty}{pack} %d, %a;", ops(r, r), rows(halves), bound)
            form("approx", f"tanh.approx.{ty}{pack} %d, %a;", ops(r, r), rows(bends), tanh)


def carry():
    """Chains: the carry itself is read by adding it to zero."""
    for w in (32, 64):
        r = f"b{w}"
        mask, top = (1 << w) - 1, 1 << w - 1
        edge = [0, 1, mask, top, top - 1, mask - 1]
        quads = i.some([edge + i.ints(w)] * 4, 28, f"carry {w}", [(mask, 1, 0, 0), (mask, 1, mask, 0), (mask, 1, mask, mask), (0, 1, 0, 0), (0, 1, 0, mask), (mask, mask, mask, mask), (top, top, top, top), (0, 0, 0, 0)])
        pairs = [q[:2] for q in quads]
        for s in "us":
            t = f"{s}{w}"
            form("carry", f"add.cc.{t} %d, %a, %b; addc.{t} %e, 0, 0;", f"d:{r} e:{r} a:{r} b:{r}", dict.fromkeys(pairs))
            form("carry", f"sub.cc.{t} %d, %a, %b; subc.{t} %e, 0, 0;", f"d:{r} e:{r} a:{r} b:{r}", dict.fromkeys(pairs))
            form("carry", f"add.cc.{t} %d, %a, %b; addc.{t} %e, %c, %f;", f"d:{r} e:{r} a:{r} b:{r} c:{r} f:{r}", quads)
            form("carry", f"add.cc.{t} %d, %a, %b; addc.cc.{t} %e, %c, %f; addc.{t} %h, 0, 0;", f"d:{r} e:{r} h:{r} a:{r} b:{r} c:{r} f:{r}", quads)
            form("carry", f"sub.cc.{t} %d, %a, %b; subc.{t} %e, %c, %f;", f"d:{r} e:{r} a:{r} b:{r} c:{r} f:{r}", quads)
            form("carry", f"sub.cc.{t} %d, %a, %b; subc.cc.{t} %e, %c, %f; subc.{t} %h, 0, 0;", f"d:{r} e:{r} h:{r} a:{r} b:{r} c:{r} f:{r}", quads)
            triples = i.int_triples(w, 28)
            for part in ("lo", "hi"):
                form("carry", f"mad.{part}.cc.{t} %d, %a, %b, %c; addc.{t} %e, 0, 0;", f"d:{r} e:{r} a:{r} b:{r} c:{r}", triples)
                form("carry", f"add.cc.{t} %d, %a, %b; madc.{part}.{t} %e, %a, %b, %c;", f"d:{r} e:{r} a:{r} b:{r} c:{r}", triples)
                form("carry", f"add.cc.{t} %d, %a, %b; madc.{part}.cc.{t} %e, %a, %b, %c; addc.{t} %h, 0, 0;", f"d:{r} e:{r} h:{r} a:{r} b:{r} c:{r}", triples)
        form("carry", f"mad.lo.cc.u{w} %d, %a, %b, %c; madc.hi.u{w} %e, %a, %b, 0;", f"d:{r} e:{r} a:{r} b:{r} c:{r}", i.int_triples(w, 28))
        form("carry", f"sub.cc.u{w} %d, %a, %b; addc.u{w} %e, %c, %f;", f"d:{r} e:{r} a:{r} b:{r} c:{r} f:{r}", quads)
        form("carry", f"add.cc.u{w} %d, %a, %b; subc.u{w} %e, %c, %f;", f"d:{r} e:{r} a:{r} b:{r} c:{r} f:{r}", quads)
    form("carry", "add.cc.u32 %d, %a, -1; addc.cc.u32 %e, %b, 0; addc.u32 %h, 0, 0;", "d:b32 e:b32 h:b32 a:b32 b:b32", i.int_pairs(32, 28))


def predicate():
    two = [(a, b) for a in (0, 1) for b in (0, 1)]
    for op in ("and", "or", "xor"):
        form("predicate", f"{op}.pred %d, %a, %b;", "d:pred a:pred b:pred", two)
    form("predicate", "not.pred %d, %a;", "d:pred a:pred", [(0,), (1,)])
    form("predicate", "mov.pred %d, %a;", "d:pred a:pred", [(0,), (1,)])
    form("predicate", "mov.pred %d, 1;", "d:pred", [()])
    form("predicate", "mov.pred %d, 0;", "d:pred", [()])
    form("predicate", "mov.pred %d, 0; xor.pred %d, %a, %d; not.pred %d, %d;", "d:pred a:pred", [(0,), (1,)])
    guarded = [(a, b, p) for a, b in ((5, 9), (0xffffffff, 0), (0x80000000, 0x7fffffff), (123, 456)) for p in (0, 1)]
    for guard in ("@%c", "@!%c"):
        form("predicate", f"mov.b32 %d, %a; {guard} mov.b32 %d, %b;", "d:b32 a:b32 b:b32 c:pred", guarded)
        form("predicate", f"mov.b32 %d, %a; {guard} add.s32 %d, %d, %b;", "d:b32 a:b32 b:b32 c:pred", guarded)
        form("predicate", f"setp.lt.s32 %d, %a, %b; {guard} setp.gt.u32 %d, %a, %b;", "d:pred a:b32 b:b32 c:pred", guarded)
        form("predicate", f"add.cc.u32 %d, %a, %b; {guard} add.cc.u32 %d, 0, 0; addc.u32 %e, 0, 0;", "d:b32 e:b32 a:b32 b:b32 c:pred", guarded + [(0xffffffff, 1, 0), (0xffffffff, 1, 1)])


def select():
    for t in BITS + INTS + ["f32", "f64"]:
        r, w = reg(t), width(t)
        extra = [(FLOATS[t].snan, FLOATS[t].sign)] if t in FLOATS else []
        rows = [p + (c,) for p in i.int_pairs(w, 6) + extra for c in (0, 1)]
        form("select", f"selp.{t} %d, %a, %b, %c;", ops(r, r, r, "pred"), rows)
        pairs = i.int_pairs(w, 12)
        form("select", f"slct.{t}.s32 %d, %a, %b, %c;", ops(r, r, r, "b32"), [p + (c,) for p, c in zip(pairs, i.ints(32))])
        for ftz in ("", ".ftz"):
            form("select", f"slct{ftz}.{t}.f32 %d, %a, %b, %c;", ops(r, r, r, "b32"), [pairs[1 + k % 3 * 4] + (c,) for k, c in enumerate(F32.edges())])
    form("select", "selp.b32 %d, 1, 0, %a;", "d:b32 a:pred", [(0,), (1,)])
    form("select", "selp.s32 %d, -1, %b, %a;", "d:b32 a:pred b:b32", [(0, 7), (1, 7)])
    form("select", "selp.f32 %d, 0f3F800000, 0fBF800000, %a;", "d:b32 a:pred", [(0,), (1,)])
    form("select", "selp.f64 %d, %b, 0d3FF0000000000000, %a;", "d:b64 a:pred b:b64", [(0, 0), (1, 0)])
    form("select", "selp.u16 %d, 0xffff, 1, %a;", "d:b16 a:pred", [(0,), (1,)])
    form("select", "selp.u64 %d, -1, 1, %a;", "d:b64 a:pred", [(0,), (1,)])


def mov():
    for t in BITS + INTS + ["f32", "f64"]:
        edges = i.ints(width(t))[:10]
        if t[0] == "f":
            edges += [FLOATS[t].snan, FLOATS[t].snan2, FLOATS[t].qnan2, FLOATS[t].minsub]
        form("mov", f"mov.{t} %d, %a;", ops(reg(t), reg(t)), i.unary(edges))
    form("mov", "mov.b32 %d, {%a, %b};", ops("b32", "b16", "b16"), i.int_pairs(16, 12))
    form("mov", "mov.b64 %d, {%a, %b};", ops("b64", "b32", "b32"), i.int_pairs(32, 12))
    form("mov", "mov.b64 %d, {%a, %b, %c, %f};", ops("b64", "b16", "b16", "b16", "b16"), [(0x1234, 0x5678, 0x9abc, 0xdef0), (0, 0xffff, 0, 0x8000), (1, 2, 3, 4)])
    form("mov", "mov.b32 {%d, %e}, %a;", "d:b16 e:b16 a:b32", i.unary(i.ints(32)[:12]))
    form("mov", "mov.b64 {%d, %e}, %a;", "d:b32 e:b32 a:b64", i.unary(i.ints(64)[:12]))
    form("mov", "mov.b64 {%d, _}, %a;", "d:b32 a:b64", i.unary(i.ints(64)[:12]))
    form("mov", "mov.b64 {_, %d}, %a;", "d:b32 a:b64", i.unary(i.ints(64)[:12]))
    form("mov", "mov.b32 {_, %d}, %a;", "d:b16 a:b32", i.unary(i.ints(32)[:12]))
    form("mov", "mov.b64 {_, %d, _, %e}, %a;", "d:b16 e:b16 a:b64", i.unary(i.ints(64)[:12]))
    form("mov", "mov.b64 %d, {%a, 0};", ops("b64", "b32"), i.unary(i.ints(32)[:8]))
    form("mov", "mov.b32 {%d, %e}, %a; mov.b32 %h, {%e, %d};", "d:b16 e:b16 h:b32 a:b32", i.unary(i.ints(32)[:12]))
    for text, r in (("mov.u32 %d, 42;", "b32"), ("mov.s32 %d, -1;", "b32"), ("mov.b32 %d, 0x80000000;", "b32"), ("mov.u32 %d, 0xFFFFFFFFU;", "b32"), ("mov.u32 %d, 4294967295;", "b32"), ("mov.b32 %d, -2147483648;", "b32"),
                    ("mov.u32 %d, 017;", "b32"), ("mov.u32 %d, 0b1011;", "b32"), ("mov.f32 %d, 0f3F800000;", "b32"), ("mov.b32 %d, 0fFF800000;", "b32"), ("mov.f32 %d, 0f7f800001;", "b32"), ("mov.f32 %d, 1.0;", "b32"),
                    ("mov.f32 %d, 0.1;", "b32"), ("mov.f32 %d, -2.5e3;", "b32"), ("mov.f32 %d, 0d3FF0000000000000;", "b32"),
                    ("mov.u64 %d, 1;", "b64"), ("mov.s64 %d, -1;", "b64"), ("mov.b64 %d, 0x123456789abcdef0;", "b64"), ("mov.u64 %d, 18446744073709551615;", "b64"), ("mov.b64 %d, -9223372036854775808;", "b64"),
                    ("mov.f64 %d, 0d4008000000000000;", "b64"), ("mov.f64 %d, 0.1;", "b64"), ("mov.f64 %d, 1e-3;", "b64"), ("mov.b64 %d, 0dFFF0000000000000;", "b64"),
                    ("mov.u16 %d, 65535;", "b16"), ("mov.b16 %d, -1;", "b16"), ("mov.b16 %d, 0x3C00;", "b16"), ("mov.u32 %d, WARP_SZ;", "b32")):
        form("mov", text, f"d:{r}", [()])


for family in (integer, bits, f32, f64, half, convert, compare, approx, carry, predicate, select, mov):
    family()
