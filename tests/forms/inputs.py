"""Input values for the form tables: the edges of each number format.

A *row* is a tuple of bit patterns, one for each input operand of a form.
Everything here is a function of its arguments alone, so the same rows come
out on every run. Floating-point edges are written once, for any format of
`ebits` exponent and `mbits` fraction bits, and serve f16, bf16, f32 and f64.
"""

import random
from fractions import Fraction as Q


class Float:
    """A binary floating-point format and its noteworthy bit patterns."""

    def __init__(self, name, ebits, mbits):
        self.name, self.ebits, self.mbits = name, ebits, mbits
        self.width = 1 + ebits + mbits
        self.bias = (1 << (ebits - 1)) - 1
        self.sign = 1 << (self.width - 1)
        self.inf = ((1 << ebits) - 1) << mbits
        self.qnan = self.inf | 1 << (mbits - 1)
        self.qnan2 = self.sign | self.qnan | 0x35
        self.snan = self.inf | 1
        self.snan2 = self.sign | self.inf | (1 << (mbits - 1)) - 3
        self.minsub, self.maxsub = 1, (1 << mbits) - 1
        self.minnorm, self.maxnorm = 1 << mbits, self.inf - 1
        self.one = self.bias << mbits
        self.half = self.one - (1 << mbits)
        self.two = self.one + (1 << mbits)
        self.eps = Q(1, 1 << mbits)
        self.tiny = Q(1, 1 << (self.bias - 1 + mbits))  # value of minsub
        self.huge = self.value(self.maxnorm)

    def neg(self, bits):
        return bits ^ self.sign

    def is_nan(self, bits):
        return bits & ~self.sign > self.inf

    def value(self, bits):
        """The finite value that `bits` stands for."""
        mag = bits & ~self.sign
        exp, frac = mag >> self.mbits, mag & self.maxsub
        if exp:
            frac |= 1 << self.mbits
        v = Q(frac) * Q(2) ** (max(exp, 1) - self.bias - self.mbits)
        return -v if bits & self.sign else v

    def near(self, x):
        """The bits of the number nearest to `x` (ties to even, overflow to infinity)."""
        x = Q(x)
        sign, x = (self.sign, -x) if x < 0 else (0, x)
        if x == 0:
            return sign
        exp = max(x.numerator.bit_length() - x.denominator.bit_length(), 1 - self.bias)
        while exp > 1 - self.bias and Q(2) ** exp > x:
            exp -= 1
        while Q(2) ** (exp + 1) <= x:
            exp += 1
        n = round(x / Q(2) ** (exp - self.mbits))
        return sign | min(n + ((exp + self.bias - 1) << self.mbits), self.inf)

    def edges(self):
        """The values that every operation should meet at least once."""
        pos = [0, self.minsub, self.maxsub, self.minnorm, self.half, self.one,
               self.one + 1, self.maxnorm, self.inf, self.qnan, self.snan]
        return pos + [self.neg(v) for v in pos[:9]] + [self.qnan2, self.snan2]

    def randoms(self, n, seed, spread=6):
        """Random numbers with exponents within `spread` of 1's."""
        rng = random.Random(f"{self.name} {seed}")
        return [rng.getrandbits(1) * self.sign | rng.getrandbits(self.mbits)
                | self.bias + rng.randint(-spread, spread) << self.mbits for _ in range(n)]


F16, BF16 = Float("f16", 5, 10), Float("bf16", 8, 7)
F32, F64 = Float("f32", 8, 23), Float("f64", 11, 52)
FLOATS = {f.name: f for f in (F16, BF16, F32, F64)}


# --- integers ---------------------------------------------------------------

def ints(width):
    """Edges of an integer of `width` bits, signed and unsigned."""
    top = 1 << width - 1
    mask = (1 << width) - 1
    rng = random.Random(width)
    values = [0, 1, 2, 7, top - 1, top, top + 1, mask, mask - 1, mask - 6,
              mask // 3, mask // 5, 0x80, 0xff, 0x7fff, 0x8000]
    if width > 32:
        values += [0x7fffffff, 0x80000000, 0xffffffff, 0x100000000]
    values += [rng.getrandbits(width) for _ in range(6)]
    return list(dict.fromkeys(v & mask for v in values))


def unary(values):
    return [(v,) for v in values]


def some(columns, n, seed, first=()):
    """`n` rows: `first` (or an even choice among them), then picks from the columns' product."""
    rng = random.Random(seed)
    first = list(first)
    rows = dict.fromkeys(first if len(first) <= n else [first[k * len(first) // n] for k in range(n)])
    for _ in range(50 * n):
        if len(rows) >= n:
            break
        rows[tuple(rng.choice(c) for c in columns)] = None
    return list(rows)


def int_pairs(width, n=36):
    top, mask = 1 << width - 1, (1 << width) - 1
    strong = [0, 1, top - 1, top, mask]
    first = [(a, b) for a in strong for b in strong]
    return some([ints(width)] * 2, n, f"pairs {width}", first)


def int_triples(width, n=36, wide=None):
    """Rows (a, b, c) with c of `wide` bits, as the mad family takes them."""
    top, mask = 1 << width - 1, (1 << width) - 1
    wide = wide or width
    wtop, wmask = 1 << wide - 1, (1 << wide) - 1
    first = [(mask, mask, wmask), (mask, mask, 0), (top, top, wtop), (top - 1, top - 1, wtop - 1),
             (top, mask, 1), (top, top, wmask), (top - 1, 2, 1), (0, mask, wmask), (1, 1, wmask),
             (1, top, wtop), (2, top, 0), (mask, 1, 1), (mask, 1, 0), (3, 5, 7)]
    return some([ints(width)] * 2 + [ints(wide)], n, f"triples {width} {wide}", first)


def shifts(width, n=32):
    """Values with shift amounts below, at and beyond the width."""
    amounts = [0, 1, 4, width // 2, width - 1, width, width + 1, 64, 255, 256, 0x80000000, 0xffffffff]
    top, mask = 1 << width - 1, (1 << width) - 1
    first = [(v, s) for v in (top | 1, mask - 6) for s in amounts]
    return some([ints(width), amounts], n, f"shift {width}", first)


def fields(width, n=36):
    """Values with a bit field's start and length: in range, empty, across and past the end."""
    small = [0, 1, 8, width // 2, width - 1, width, width + 1, 255, 256, 0x101, 0xffffffff]
    mask = (1 << width) - 1
    first = [(mask, 0, width), (mask, 0, 0), (mask // 3, 4, 8), (mask - 6, width - 1, 1),
             (mask - 6, width - 4, 8), (mask, width, 4), (mask, 255, 255), (1 << width - 1, 0, 255),
             (mask >> 1, width - 8, 16), (0x80, 0, 8), (0x80, 4, 4), (mask, 256, 8)]
    return some([ints(width), small, small], n, f"field {width}", first)


# --- floats -----------------------------------------------------------------

def nan_pairs(f):
    """NaN in each place, quiet and signalling, with payloads of their own."""
    return [(f.qnan, f.one), (f.one, f.qnan2), (f.qnan2, f.qnan), (f.snan, f.one), (f.one, f.snan2),
            (f.snan2, f.qnan), (f.qnan2, f.snan), (f.qnan, f.inf)]


def float_pairs(f, op):
    """Operand pairs for `add`, `sub`, `mul`, `div`, or any other two-operand `op`."""
    e, n = f.eps, f.near
    ulp_max = Q(2) ** (f.bias - f.mbits)  # spacing of the largest numbers
    if op in ("add", "sub"):
        exact = [(1, e / 2), (1 + e, e / 2), (1, e / 2 + e * e), (1, e / 4), (-1, -e / 2), (-1 - e, -e / 2),
                 (1, -e / 4), (1, -e / 8), (f.huge, ulp_max / 2), (f.huge, ulp_max / 4), (f.huge, f.huge),
                 (-f.huge, -f.huge), (f.huge, -f.huge), (1, -1), (f.tiny, f.tiny), (f.tiny, -f.tiny),
                 (f.value(f.maxsub), f.tiny), (f.value(f.minnorm), -f.tiny), (1, f.tiny), (-1, f.tiny),
                 (Q(3, 4), Q(1, 2)), (Q(-1, 2), Q(1, 4)), (Q(1, 2), Q(1, 4))]
        rows = [(n(a), n(b)) for a, b in exact]
        rows += [(0, f.sign), (f.sign, f.sign), (f.inf, f.neg(f.inf)), (f.inf, f.inf), (f.neg(f.inf), f.maxnorm)]
    elif op == "mul":
        mn = f.value(f.minnorm)
        exact = [(1 + e, Q(3, 2)), (1 + 3 * e, Q(3, 2)), (1 + e, 1 + e), (-1 - e, Q(3, 2)), (1 - e / 2, 1 - e / 2),
                 (f.huge, 2), (-f.huge, 2), (f.huge, 1 + e), (mn, Q(1, 2)), (mn + f.tiny, Q(1, 2)),
                 (mn + 3 * f.tiny, Q(1, 2)), (mn, 1 - e / 2), (-mn, 1 - e / 2), (mn * (1 + e), 1 - e), (-mn * (1 + e), 1 - e), (f.tiny, Q(1, 2)), (3 * f.tiny, Q(1, 2)),
                 (f.tiny, Q(3, 4)), (f.tiny, f.tiny), (-f.tiny, f.tiny), (f.value(f.maxsub), 2), (f.tiny, Q(3, 2)),
                 (Q(3, 2), Q(3, 4)), (Q(3, 4), Q(1, 2)), (Q(-1, 2), Q(1, 2)), (1 / mn, mn)]
        rows = [(n(a), n(b)) for a, b in exact]
        rows += [(0, f.inf), (f.inf, f.sign), (f.inf, f.neg(f.one)), (f.sign, f.one), (f.sign, f.sign)]
    elif op == "div":
        mn = f.value(f.minnorm)
        exact = [(1, 3), (2, 3), (-1, 3), (1, 1 + e), (1 + e, 1 - e / 2), (1, -10), (f.huge, Q(1, 2)), (f.huge, f.tiny),
                 (mn, 2), (mn + f.tiny, 2), (mn + 3 * f.tiny, 2), (f.tiny, 2), (3 * f.tiny, 2), (-f.tiny, 3),
                 (mn, 1 + e), (2 * mn * (1 - e / 2), 2), (1, f.huge), (1, f.tiny), (f.value(f.maxsub), f.tiny), (f.huge, f.huge), (7, 7)]
        rows = [(n(a), n(b)) for a, b in exact]
        rows += [(f.one, 0), (f.neg(f.one), 0), (f.one, f.sign), (0, 0), (f.sign, f.one), (f.inf, f.inf), (f.one, f.neg(f.inf)),
                 (f.inf, 0), (0, f.inf)]
    else:
        rows = [(0, f.sign), (f.sign, 0), (0, f.minsub), (f.sign, f.minsub), (f.minsub, f.neg(f.minsub)), (f.maxsub, f.minnorm),
                (f.minsub, f.maxsub), (f.one, f.one), (f.one, f.neg(f.one)), (f.one, f.one + 1), (f.neg(f.one), f.neg(f.one) + 1),
                (f.inf, f.maxnorm), (f.neg(f.inf), f.inf), (f.inf, f.inf), (f.neg(f.inf), f.qnan), (f.neg(f.two), f.one)]
    rows += nan_pairs(f)
    if op == "sub":  # the same sums, written as differences
        rows = [(a, b if f.is_nan(b) else f.neg(b)) for a, b in rows]
    return rows + [(a, b) for a, b in zip(f.randoms(4, op), f.randoms(4, op + " b"))]


def float_triples(f):
    """Operand triples for fma: one rounding, cancellation, signed zeros, NaN in each place."""
    e, n = f.eps, f.near
    mn = f.value(f.minnorm)
    exact = [(1 + e, 1 + e, -1), (1 + e, 1 - e, -1), (1 + e, 1 + e, -1 - 2 * e), (1, 1, e / 2), (1, 1 + e, e / 2), (1, 1, e / 2 + e * e),
             (-1, 1, -e / 2), (1, 1, -e / 4), (1, 1, -1), (-1, 1, 1), (f.huge, 2, -f.huge), (f.huge, 2, 0), (f.huge, 1, f.huge),
             (f.tiny, f.tiny, f.tiny), (f.tiny, f.tiny, 1), (f.tiny, -f.tiny, 0), (f.tiny, Q(1, 2), 0), (f.tiny, Q(1, 2), f.tiny),
             (mn, 1 - e / 2, 0), (mn * (1 + e), 1 - e, 0), (mn, Q(1, 2), f.tiny), (mn, 1, -f.tiny), (Q(1, 2), Q(1, 2), Q(7, 8)), (Q(-1, 2), 1, Q(1, 4)), (3, Q(1, 3), -1)]
    rows = [tuple(map(n, r)) for r in exact]
    rows += [(0, f.one, f.sign), (f.sign, f.one, f.sign), (0, f.inf, f.one), (f.inf, f.one, f.neg(f.inf)), (f.inf, f.one, f.inf),
             (f.qnan2, f.one, f.one), (f.one, f.qnan, f.snan2), (f.one, f.one, f.snan), (f.snan2, f.qnan2, f.qnan), (0, f.inf, f.qnan2),
             (f.qnan2, f.one, f.qnan), (f.qnan, f.qnan2, f.one)]
    return rows + list(zip(f.randoms(4, "fa"), f.randoms(4, "fb"), f.randoms(4, "fc")))


def float_unary(f, extra=()):
    """Every edge, the given exact values, and a few random numbers."""
    return unary(dict.fromkeys(f.edges() + [f.near(x) for x in extra] + f.randoms(4, "u")))


def inverse_inputs(f):
    """Inputs whose reciprocal or square root is inexact, subnormal or overflows."""
    e, mn = f.eps, f.value(f.minnorm)
    return float_unary(f, [3, -3, 7, 10, 2, 1 - e / 2, 1 - e, 4, 9, Q(1, 4), mn * 2, mn / 2, mn / 4, mn / 4 + f.tiny, 1 / mn, 2 / mn, 3 / mn,
                           2 + 2 * e, f.tiny * 3])


def packed(f, rows, n=24):
    """Two rows side by side in the halves of 32-bit operands, mixed so that the halves differ."""
    half = len(rows) // 2
    pairs = [(rows[i], rows[(i + half) % len(rows)]) for i in range(len(rows))]
    step = max(1, len(pairs) // n)
    picked = pairs[::step][:n]
    return [tuple(lo | hi << 16 for lo, hi in zip(a, b)) for a, b in picked]


# --- conversions ------------------------------------------------------------

def narrowing(src, dst):
    """Numbers of `src` that lie between, on and beyond the numbers of `dst`."""
    e, t, big = dst.eps, dst.tiny, dst.huge
    between = e / 1024
    ulp_max = Q(2) ** (dst.bias - dst.mbits)
    mn = dst.value(dst.minnorm)
    xs = [1 + e / 2, 1 + 3 * e / 2, 1 + e / 2 + between * e, 1 + e / 2 - between * e, big, big + ulp_max / 2, big + ulp_max / 4, big * 2,
          t, t / 2, t / 2 + t / 64, 3 * t / 2, t / 4, mn, mn - t / 2, mn - t / 4, Q(1, 3), Q(3, 2), Q(1, 2)]
    values = [src.near(x) for x in xs] + [src.neg(src.near(x)) for x in xs[:12]]
    values += [0, src.sign, src.minsub, src.neg(src.maxsub), src.maxnorm, src.inf, src.neg(src.inf), src.qnan, src.qnan2, src.snan, src.snan2]
    return unary(dict.fromkeys(values))


def float_to_int(f, signed, width):
    """Numbers around the integers, their halves, and the bounds of the integer type."""
    top = 1 << (width - 1 if signed else width)
    xs = [Q(1, 2), Q(3, 2), Q(5, 2), Q(1, 2) - f.eps / 4, 1 - f.eps / 2, Q(5, 4), Q(11, 4), 100, 127, 128, top - 1, top - Q(1, 2), top, top * 2]
    values = [f.near(x) for x in xs] + [f.near(-x) for x in xs] + [f.near(-top - 1), f.near(-top - Q(1, 2))]
    values += [0, f.sign, f.minsub, f.neg(f.minsub), f.maxnorm, f.neg(f.maxnorm), f.inf, f.neg(f.inf), f.qnan, f.qnan2, f.snan]
    return unary(dict.fromkeys(values))


def int_to_float(f, signed, width):
    """Integers whose value falls between two numbers of `f`."""
    mask = (1 << width) - 1
    xs = [0, 1, 2, 3, mask, mask - 1, 1 << width - 1, (1 << width - 1) - 1, (1 << width - 1) + 1]
    for p in (f.mbits + 1, f.mbits + 2, width - 1, width - 2):
        if f.mbits < p < width:
            ulp = 1 << (p - f.mbits)
            xs += [(1 << p) + ulp // 2, (1 << p) + 3 * ulp // 2, (1 << p) + ulp // 2 + 1, (1 << p) + ulp // 2 - 1]
    if width > 16 and f is F16:
        xs += [65504, 65519, 65520, 65536, 2047, 2049, 2051]
    xs += [-x for x in xs if signed]
    rng = random.Random(f"{f.name} {width}")
    xs += [rng.getrandbits(width) for _ in range(4)]
    return unary(list(dict.fromkeys(x & mask for x in xs))[:36])
