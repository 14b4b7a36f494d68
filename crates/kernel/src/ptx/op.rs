//! The operations of instructions, with modifiers as typed fields.
//!
//! The parser, the program, the interpreter and the machine share this vocabulary.
//!
//! An [`Op`] says nothing about operands; the comment on each variant gives their order. `d` is a destination, `a b c` are
//! sources, `p q` predicates. An optional second destination of PTX (`d|p`) is always present, as a sink if the text leaves it
//! out.

use super::types::{Rounding, Space, Type};
use serde::Serialize;

/// One operation that Warpscope runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Op {
    /// `mov` of one register: d a.
    Mov(Type),
    /// `mov` from a vector of `parts` narrow registers into a wide one: d a0 a1 ….
    Pack {
        /// The type of each narrow register.
        part: Type,
        /// 2 or 4.
        parts: u8,
    },
    /// `mov` from a wide register into a vector of narrow ones: d0 d1 … a.
    Unpack {
        /// The type of each narrow register.
        part: Type,
        /// 2 or 4.
        parts: u8,
    },
    /// `cvta` (to generic) or `cvta.to` (from generic): d a.
    Cvta {
        /// The space whose addresses are converted.
        space: Space,
        /// Whether the result is an address of `space`; else it is a generic one.
        to_space: bool,
        /// The width of addresses.
        ty: Type,
    },
    /// `isspacep`: p a.
    IsSpace(Space),
    /// `ld`: d0 … address.
    Load(AccessForm),
    /// `st`: address a0 ….
    Store(AccessForm),
    /// `atom` (with `result`) and `red`: \[d\] address a [b for `cas`].
    Atom {
        /// The space that it names; [`Space::Generic`] if the address decides.
        space: Space,
        /// What it does to the word.
        op: AtomOp,
        /// The type of the word.
        ty: Type,
        /// Whether the old value is returned.
        result: bool,
    },

    /// d a b.
    Int2(Int2, Type),
    /// `add`, `min`, `max` on the 16-bit halves of a register: d a b. With `relu` negative results become 0.
    Pair {
        /// Addition, minimum or maximum.
        op: Int2,
        /// Whether the halves are signed.
        signed: bool,
        /// Whether negative results become 0.
        relu: bool,
    },
    /// `mul.wide`: d (twice as wide) a b.
    MulWide(Type),
    /// d a b c.
    Int3(Int3, Type),
    /// `mad.wide`: d (twice as wide) a b c (twice as wide).
    MadWide(Type),
    /// d a. Counts (`popc`, `clz`, `bfind`) have a 32-bit d.
    Int1(Int1, Type),
    /// The extended-precision family, reading and writing the carry flag: d a b \[c\].
    Carry {
        /// What it computes.
        op: CarryOp,
        /// The width of the operands.
        ty: Type,
        /// Whether it adds the carry flag, or subtracts it as a borrow.
        carry_in: bool,
        /// Whether it writes the carry flag.
        carry_out: bool,
    },
    /// `shl`, `shr`: d a amount (32 bits).
    Shift {
        /// Towards the higher bits.
        left: bool,
        /// Width, and for `shr` whether copies of the sign come in.
        ty: Type,
    },
    /// `bfe`: d a position length.
    Bfe(Type),
    /// `bfi`: d a b position length.
    Bfi(Type),
    /// `shf`: d a b amount.
    Funnel {
        /// Returns the upper word of the shifted pair (`shf.l`), else the lower one.
        left: bool,
        /// Whether the amount counts modulo 32; else it is clamped to 32.
        wrap: bool,
    },
    /// `lop3`: d a b c table.
    Lop3,
    /// `lop3` with a predicate: d p a b c table q; p is (d ≠ 0) combined with q.
    Lop3Test(Logic),
    /// `prmt`: d a b selector.
    Permute(PermuteMode),
    /// `bmsk`: d a b.
    Bmsk {
        /// Whether position and length count modulo 32; else they are clamped.
        wrap: bool,
    },
    /// `szext`: d a b.
    Szext {
        /// Whether the position counts modulo 32; else it is clamped.
        wrap: bool,
        /// Whether the sign is extended; else zeros are.
        signed: bool,
    },
    /// `fns`: d mask base offset.
    Fns,
    /// `dp4a`: d a b c.
    Dp4a {
        /// Whether the bytes of a are signed.
        a_signed: bool,
        /// Whether those of b are.
        b_signed: bool,
    },
    /// `dp2a`: d a b c.
    Dp2a {
        /// Whether the halves of a are signed.
        a_signed: bool,
        /// Whether the bytes of b are.
        b_signed: bool,
        /// Whether it takes the upper two bytes of b.
        high: bool,
    },
    /// `vabsdiff4` on bytes and `vabsdiff2` on halves, unsigned: d a b c (c is added with `.add`).
    AbsDiff {
        /// Whether it works on two halves; else on four bytes.
        halves: bool,
        /// Whether the differences are added up; else each stays in its place.
        add: bool,
    },

    /// d a b.
    Float2(Float2, FloatMode),
    /// `fma`, `mad` on floats: d a b c.
    Fma(FloatMode),
    /// d a.
    Float1(Float1, FloatMode),
    /// `copysign`: d a b (d gets b's magnitude and a's sign).
    CopySign(Type),
    /// `testp`: p a.
    TestP(FloatClass, Type),

    /// `setp`: p q a b \[c\]; c is present, and combined in, if `combine` is set.
    Setp {
        /// The relation of a to b.
        cmp: Compare,
        /// How c is combined with the comparison's result.
        combine: Option<Logic>,
        /// The type of a and b.
        ty: Type,
        /// Whether subnormal operands count as zero.
        ftz: bool,
    },
    /// `set`: d a b \[c\]; d is all ones (integers) or 1.0 when true.
    Set {
        /// The relation of a to b.
        cmp: Compare,
        /// How c is combined with the comparison's result.
        combine: Option<Logic>,
        /// The type of the result.
        dst: Type,
        /// The type of a and b.
        ty: Type,
        /// Whether subnormal operands count as zero.
        ftz: bool,
    },
    /// `selp`: d a b p.
    Selp(Type),
    /// `slct`: d a b c; a when c ≥ 0.
    Slct {
        /// The type of a and b.
        ty: Type,
        /// The type of c.
        by: Type,
        /// Whether a subnormal c counts as zero.
        ftz: bool,
    },
    /// `and`, `or`, `xor` on predicates: p q r.
    Pred2(Logic),
    /// `not` on a predicate: p q.
    PredNot,

    /// `cvt`: d a.
    Cvt {
        /// The type of the result.
        dst: Type,
        /// The type of the operand.
        src: Type,
        /// The rounding, where the result may not be exact.
        rounding: Option<Rounding>,
        /// Whether a float is rounded to an integral float (`.rni` and its siblings).
        integral: bool,
        /// Whether subnormal operands and results become zero.
        ftz: bool,
        /// Whether the result is clamped to the type's range, a float to \[0, 1\].
        sat: bool,
        /// Whether negative results become 0.
        relu: bool,
    },
    /// `cvt` of two f32 into one packed pair: d a (upper half) b (lower half).
    CvtPack {
        /// The packed type.
        dst: Type,
        /// How each half is rounded.
        rounding: Rounding,
        /// Whether values out of range become the largest finite one.
        sat: bool,
        /// Whether negative results become 0.
        relu: bool,
    },

    /// `shfl.sync`: d p a lane clamp members.
    Shfl(ShflMode),
    /// `vote.sync`: d (a predicate, or 32 bits for `ballot`) p members.
    Vote(VoteMode),
    /// `match.sync`: d p a members.
    Match {
        /// Whether it asks if all values are the same; else which threads have this one's.
        all: bool,
        /// The width of the values.
        ty: Type,
    },
    /// `redux.sync`: d a members.
    Redux(Int2, Type),
    /// `activemask`: d.
    ActiveMask,
    /// `bar.warp.sync`: members.
    WarpBarrier,

    /// `bar.sync`, `barrier.sync`: id \[count\].
    Barrier,
    /// `bar.arrive`: id count.
    BarrierArrive,
    /// `bar.red`: d id \[count\] p.
    BarrierReduce(Reduce),
    /// `membar`, `fence`: order memory; without functional effect, because effects happen in issue order.
    Fence,
    /// `nanosleep` (a), `prefetch`, `pmevent` and others that change no state.
    Nothing,
    /// A machine instruction, other than the last, of a PTX instruction that becomes several. Never in PTX text.
    Step,
    /// `BSYNC`: each side of a branch executes it separately, and the sides reconverge behind it. Never in PTX text.
    Meet,
    /// An instruction of convergence barriers. Never in PTX text.
    Converge(Converge),

    /// `bra`: label. `uniform` (`.uni`) asserts that the active threads agree.
    Bra {
        /// Whether the text asserts that the active threads agree.
        uniform: bool,
    },
    /// `brx.idx`: index, branch table.
    BrxIdx,
    /// `call`: returned values, callee, arguments.
    Call,
    /// `ret`.
    Ret,
    /// `exit`.
    Exit,
    /// `trap`, `brkpt`.
    Trap,

    /// A call of `vprintf`: frame addresses of the format, of the argument buffer and of the result.
    Printf,
    /// A call of `__assertfail`: frame addresses of message, file, line, function and character size.
    AssertFail,

    /// Assigns a virtual warp its next logical block: d (its index) p (whether there is one). Never in PTX text (VTW section
    /// 4.2.1).
    NextBlock,
    /// Reads the logical thread of each lane in that block: d. Never in PTX text (VTW section 4.2.2).
    NextThread,
    /// Jumps to the head of the loop over logical blocks, in place of a return. Never in PTX text (VTW section 4.1).
    Again,
}

/// The kind of an operation. A stage that treats operations differently matches on every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Changes only registers.
    Alu,
    /// A load, a store or an atomic.
    Memory,
    /// A call to the host.
    Host,
    /// May change the PC, for all lanes or some.
    Branch,
    /// A call that inlining has not replaced: none is left in a program that runs.
    Call,
    /// Ends threads.
    End,
    /// Ends the work of threads on their logical block.
    Again,
    /// Ends the run with a message.
    Trap,
    /// Waits for, or signals, the threads of its block.
    Barrier,
    /// Waits for threads of its PTX warp.
    Join,
    /// Reads which threads of its PTX warp are active.
    ActiveMask,
    /// Changes no state.
    Quiet,
    /// Changes which threads of its warp wait for each other.
    Converge,
    /// Assigns logical blocks and threads to a virtual warp.
    Dispatch,
}

/// A convergence barrier: a mask of lanes that wait for each other at one point of the code.
///
/// Points whose regions do not overlap share a register. Lanes of one warp may still be in two such regions at once, so the point
/// is a part of the name: the masks of two points are never mixed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Barrier {
    /// The register, `B0` to `B15`.
    pub register: u8,
    /// The number of the point in its program.
    pub point: u32,
}

/// What an instruction does to one of a warp's convergence barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Converge {
    /// `BSSY`: the active lanes join a barrier.
    Join(Barrier),
    /// `BSYNC`: the active lanes wait until all of a barrier's lanes are there, and go on together.
    Wait(Barrier),
    /// `BREAK`: the active lanes leave a barrier that they will not come to.
    Leave(Barrier),
    /// `YIELD`: lanes of the warp that can run go first, and no barrier waits for the active lanes meanwhile.
    Yield,
}

/// How a load or a store touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct AccessForm {
    /// The space that it names; [`Space::Generic`] if the address decides.
    pub space: Space,
    pub(crate) ty: Type,
    /// 1, 2, 4 or 8 elements.
    pub vector: u8,
    /// `.volatile`, `.relaxed`, `.acquire` …: another thread may change the value.
    pub strong: bool,
    /// `.nc`, `ldu`, `ld.const`: the value never changes while the kernel runs.
    pub read_only: bool,
}

/// What an atomic does to a word in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum AtomOp {
    /// `and`: the bits that both have.
    And,
    /// `or`: the bits that either has.
    Or,
    /// `xor`: the bits that one of them has.
    Xor,
    /// `exch`: the operand takes the word's place.
    Exch,
    /// `cas`: the second operand takes the word's place if that equals the first.
    Cas,
    /// `add`, of integers or floats.
    Add,
    /// `inc`: one more, and 0 from the operand on.
    Inc,
    /// `dec`: one less; the operand at 0 and above the operand.
    Dec,
    /// `min`, signed or not by the type.
    Min,
    /// `max`, signed or not by the type.
    Max,
}

/// An integer operation on two operands. Without a suffix results wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Int2 {
    /// `add`.
    Add,
    /// `sub`.
    Sub,
    /// `add.sat`: clamped to the range of `s32`.
    AddSat,
    /// `sub.sat`: clamped to the range of `s32`.
    SubSat,
    /// `mul.lo`: the lower half of the product.
    MulLo,
    /// `mul.hi`: the upper half of the product.
    MulHi,
    /// `mul24.lo`: bits 0 to 31 of the product of the low 24 bits.
    Mul24Lo,
    /// `mul24.hi`: bits 16 to 47 of that product.
    Mul24Hi,
    /// `div`: towards zero; a divisor of 0 gives all ones.
    Div,
    /// `rem`: has the sign of the dividend.
    Rem,
    /// `min`.
    Min,
    /// `max`.
    Max,
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
}

/// An integer operation on three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Int3 {
    /// `mad.lo`: the lower half of the product, plus c.
    MadLo,
    /// `mad.hi`: the upper half of the product, plus c.
    MadHi,
    /// `mad.hi.sat`: that sum, clamped to the range of `s32`.
    MadHiSat,
    /// `mad24.lo`: bits 0 to 31 of the product of the low 24 bits, plus c.
    Mad24Lo,
    /// `mad24.hi`: bits 16 to 47 of that product, plus c.
    Mad24Hi,
    /// `mad24.hi.sat`: that sum, clamped to the range of `s32`.
    Mad24HiSat,
    /// |a − b| + c.
    Sad,
}

/// An integer operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Int1 {
    /// `neg`.
    Neg,
    /// `abs`: the least number stays as it is.
    Abs,
    /// `not`: every bit inverted.
    Not,
    /// 1 when a is zero, else 0.
    Cnot,
    /// `popc`: the ones.
    Popc,
    /// `clz`: the zeros above the highest one.
    Clz,
    /// `brev`: the bits in reverse order.
    Brev,
    /// `bfind`: the position of the highest bit that differs from the sign; all ones if there is none.
    Bfind,
    /// `bfind.shiftamt`: how far left that bit can be shifted.
    BfindShift,
}

/// An operation of the extended-precision family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum CarryOp {
    /// `add.cc`, `addc`.
    Add,
    /// `sub.cc`, `subc`.
    Sub,
    /// `mad.lo.cc`, `madc.lo`.
    MadLo,
    /// `mad.hi.cc`, `madc.hi`.
    MadHi,
}

/// How `prmt` chooses each byte of its result from the eight of a and b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum PermuteMode {
    /// Each by four bits of the selector, the highest of which replicates the byte's sign.
    Index,
    /// `f4e`: four bytes from the selected one upwards.
    Forward4,
    /// `b4e`: four bytes from the selected one downwards.
    Backward4,
    /// `rc8`: the selected byte, four times.
    Replicate8,
    /// `ecl`: bytes below the selected one are replaced by it.
    EdgeLeft,
    /// `ecr`: bytes above the selected one are replaced by it.
    EdgeRight,
    /// `rc16`: the selected half, twice.
    Replicate16,
}

/// Type, rounding and clamping modifiers of a floating-point instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct FloatMode {
    /// The type of operands and result.
    pub ty: Type,
    pub(crate) rounding: Rounding,
    /// Subnormal inputs and results become zero of the same sign.
    pub ftz: bool,
    /// The result is clamped to \[0, 1\], NaN to 0.
    pub sat: bool,
    /// Negative results become 0 (`fma.relu`).
    pub relu: bool,
}

/// A floating-point operation on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Float2 {
    /// `add`, rounded once.
    Add,
    /// `sub`, rounded once.
    Sub,
    /// `mul`, rounded once.
    Mul,
    /// `div` with a rounding mode: rounded once.
    Div,
    /// `div.approx`: within 2 units in the last place, for divisors that are not very large.
    DivApprox,
    /// `div.full`: within 2 units in the last place.
    DivFull,
    /// A number wins over a NaN.
    Min,
    /// A number wins over a NaN.
    Max,
    /// A NaN wins.
    MinNan,
    /// A NaN wins.
    MaxNan,
}

/// A floating-point operation on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Float1 {
    /// `neg`: inverts the sign, of a NaN too.
    Neg,
    /// `abs`: clears the sign.
    Abs,
    /// `sqrt` with a rounding mode: rounded once.
    Sqrt,
    /// `rcp` with a rounding mode: rounded once.
    Rcp,
    /// `sqrt.approx`.
    SqrtApprox,
    /// `rcp.approx`.
    RcpApprox,
    /// `rsqrt.approx`.
    RsqrtApprox,
    /// `sin.approx`, of radians.
    Sin,
    /// `cos.approx`, of radians.
    Cos,
    /// `lg2.approx`.
    Lg2,
    /// `ex2.approx`.
    Ex2,
    /// `tanh.approx`.
    Tanh,
}

/// The classes that `testp` tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum FloatClass {
    /// Neither infinite nor NaN.
    Finite,
    /// Plus or minus infinity.
    Infinite,
    /// Not NaN.
    Number,
    /// NaN.
    NotANumber,
    /// Not subnormal, infinite or NaN: zero is one of them.
    Normal,
    /// Between zero and the least normal number.
    Subnormal,
}

/// Comparison operators; those that end in `U` are also true when an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal, and both are numbers.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Equal, or one is NaN.
    EqU,
    /// Not equal, or one is NaN.
    NeU,
    /// Less, or one is NaN.
    LtU,
    /// Less or equal, or one is NaN.
    LeU,
    /// Greater, or one is NaN.
    GtU,
    /// Greater or equal, or one is NaN.
    GeU,
    /// Both are numbers.
    Num,
    /// One is NaN.
    Nan,
}

/// How two predicates are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Logic {
    /// Both.
    And,
    /// Either.
    Or,
    /// One of them.
    Xor,
}

/// Which lane `shfl.sync` reads from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum ShflMode {
    /// `up`: the lane b below.
    Up,
    /// `down`: the lane b above.
    Down,
    /// `bfly`: the lane whose number differs in the bits of b.
    Butterfly,
    /// `idx`: lane b of the segment.
    Index,
}

/// What `vote.sync` asks its members' predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum VoteMode {
    /// `all`: whether every one is true.
    All,
    /// `any`: whether one is true.
    Any,
    /// `uni`: whether all are the same.
    Uniform,
    /// `ballot`: which are true, as a mask.
    Ballot,
}

/// What `bar.red` makes of the threads' predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Reduce {
    /// Whether all are true.
    And,
    /// Whether one is true.
    Or,
    /// How many are true.
    Popc,
}

impl Op {
    /// Returns the kind of the operation.
    pub fn kind(self) -> Kind {
        use Op::*;
        match self {
            Mov(_) | Pack { .. } | Unpack { .. } | Cvta { .. } | IsSpace(_) | Int2(..) | Pair { .. } | MulWide(_) => Kind::Alu,
            Int3(..) | MadWide(_) | Int1(..) | Carry { .. } | Shift { .. } | Bfe(_) | Bfi(_) | Funnel { .. } => Kind::Alu,
            Lop3 | Lop3Test(_) | Permute(_) | Bmsk { .. } | Szext { .. } | Fns | Dp4a { .. } | Dp2a { .. } => Kind::Alu,
            AbsDiff { .. } | Float2(..) | Fma(_) | Float1(..) | CopySign(_) | TestP(..) | Setp { .. } | Set { .. } => Kind::Alu,
            Selp(_) | Slct { .. } | Pred2(_) | PredNot | Cvt { .. } | CvtPack { .. } | Step => Kind::Alu,
            Load(_) | Store(_) | Atom { .. } => Kind::Memory,
            Printf | AssertFail => Kind::Host,
            Bra { .. } | BrxIdx => Kind::Branch,
            Call => Kind::Call,
            Ret | Exit => Kind::End,
            Again => Kind::Again,
            Trap => Kind::Trap,
            Barrier | BarrierArrive | BarrierReduce(_) => Kind::Barrier,
            Shfl(_) | Vote(_) | Match { .. } | Redux(..) | WarpBarrier => Kind::Join,
            ActiveMask => Kind::ActiveMask,
            Fence | Nothing | Meet => Kind::Quiet,
            Converge(_) => Kind::Converge,
            NextBlock | NextThread => Kind::Dispatch,
        }
    }

    /// Returns whether all named threads of the PTX warp must arrive before it executes (`.sync` operations).
    pub fn joins_warp(self) -> bool {
        self.kind() == Kind::Join
    }

    /// Returns whether it is a load, a store or an atomic.
    pub fn is_memory(self) -> bool {
        self.kind() == Kind::Memory
    }

    /// Returns whether it waits for, or signals, the threads of its block.
    pub fn is_barrier(self) -> bool {
        self.kind() == Kind::Barrier
    }
}
