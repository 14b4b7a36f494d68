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
    Pack { part: Type, parts: u8 },
    /// `mov` from a wide register into a vector of narrow ones: d0 d1 … a.
    Unpack { part: Type, parts: u8 },
    /// `cvta` (to generic) or `cvta.to` (from generic): d a.
    Cvta { space: Space, to_space: bool, ty: Type },
    /// `isspacep`: p a.
    IsSpace(Space),
    /// `ld`: d0 … address.
    Load(AccessForm),
    /// `st`: address a0 ….
    Store(AccessForm),
    /// `atom` (with `result`) and `red`: \[d\] address a [b for `cas`].
    Atom { space: Space, op: AtomOp, ty: Type, result: bool },

    /// d a b.
    Int2(Int2, Type),
    /// `add`, `min`, `max` on the 16-bit halves of a register: d a b. With `relu` negative results become 0.
    Pair { op: Int2, signed: bool, relu: bool },
    /// `mul.wide`: d (twice as wide) a b.
    MulWide(Type),
    /// d a b c.
    Int3(Int3, Type),
    /// `mad.wide`: d (twice as wide) a b c (twice as wide).
    MadWide(Type),
    /// d a. Counts (`popc`, `clz`, `bfind`) have a 32-bit d.
    Int1(Int1, Type),
    /// The extended-precision family, reading and writing the carry flag: d a b \[c\].
    Carry { op: CarryOp, ty: Type, carry_in: bool, carry_out: bool },
    /// `shl`, `shr`: d a amount (32 bits).
    Shift { left: bool, ty: Type },
    /// `bfe`: d a position length.
    Bfe(Type),
    /// `bfi`: d a b position length.
    Bfi(Type),
    /// `shf`: d a b amount.
    Funnel { left: bool, wrap: bool },
    /// `lop3`: d a b c table.
    Lop3,
    /// `lop3` with a predicate: d p a b c table q; p is (d ≠ 0) combined with q.
    Lop3Test(Logic),
    /// `prmt`: d a b selector.
    Permute(PermuteMode),
    /// `bmsk`: d a b.
    Bmsk { wrap: bool },
    /// `szext`: d a b.
    Szext { wrap: bool, signed: bool },
    /// `fns`: d mask base offset.
    Fns,
    /// `dp4a`: d a b c.
    Dp4a { a_signed: bool, b_signed: bool },
    /// `dp2a`: d a b c.
    Dp2a { a_signed: bool, b_signed: bool, high: bool },
    /// `vabsdiff4` on bytes and `vabsdiff2` on halves, unsigned: d a b c (c is added with `.add`).
    AbsDiff { halves: bool, add: bool },

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
    Setp { cmp: Compare, combine: Option<Logic>, ty: Type, ftz: bool },
    /// `set`: d a b \[c\]; d is all ones (integers) or 1.0 when true.
    Set { cmp: Compare, combine: Option<Logic>, dst: Type, ty: Type, ftz: bool },
    /// `selp`: d a b p.
    Selp(Type),
    /// `slct`: d a b c; a when c ≥ 0.
    Slct { ty: Type, by: Type, ftz: bool },
    /// `and`, `or`, `xor` on predicates: p q r.
    Pred2(Logic),
    /// `not` on a predicate: p q.
    PredNot,

    /// `cvt`: d a.
    Cvt { dst: Type, src: Type, rounding: Option<Rounding>, integral: bool, ftz: bool, sat: bool, relu: bool },
    /// `cvt` of two f32 into one packed pair: d a (upper half) b (lower half).
    CvtPack { dst: Type, rounding: Rounding, sat: bool, relu: bool },

    /// `shfl.sync`: d p a lane clamp members.
    Shfl(ShflMode),
    /// `vote.sync`: d (a predicate, or 32 bits for `ballot`) p members.
    Vote(VoteMode),
    /// `match.sync`: d p a members.
    Match { all: bool, ty: Type },
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

    /// `bra`: label. `uniform` (`.uni`) asserts that the active threads agree.
    Bra { uniform: bool },
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
    Branch,
    Call,
    /// Ends threads.
    End,
    /// Ends the work of threads on their logical block.
    Again,
    Trap,
    /// Waits for, or signals, the threads of its block.
    Barrier,
    /// Waits for threads of its PTX warp.
    Join,
    /// Reads which threads of its PTX warp are active.
    ActiveMask,
    /// Changes no state.
    Quiet,
    /// Assigns logical blocks and threads to a virtual warp.
    Dispatch,
}

/// How a load or a store touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct AccessForm {
    pub space: Space,
    pub ty: Type,
    /// 1, 2, 4 or 8 elements.
    pub vector: u8,
    /// `.volatile`, `.relaxed`, `.acquire` …: another thread may change the value.
    pub strong: bool,
    /// `.nc`, `ldu`, `ld.const`: the value never changes while the kernel runs.
    pub read_only: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum AtomOp {
    And,
    Or,
    Xor,
    Exch,
    Cas,
    Add,
    Inc,
    Dec,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Int2 {
    Add,
    Sub,
    AddSat,
    SubSat,
    MulLo,
    MulHi,
    Mul24Lo,
    Mul24Hi,
    Div,
    Rem,
    Min,
    Max,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Int3 {
    MadLo,
    MadHi,
    MadHiSat,
    Mad24Lo,
    Mad24Hi,
    Mad24HiSat,
    /// |a − b| + c.
    Sad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Int1 {
    Neg,
    Abs,
    Not,
    /// 1 when a is zero, else 0.
    Cnot,
    Popc,
    Clz,
    Brev,
    Bfind,
    BfindShift,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum CarryOp {
    Add,
    Sub,
    MadLo,
    MadHi,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum PermuteMode {
    Index,
    Forward4,
    Backward4,
    Replicate8,
    EdgeLeft,
    EdgeRight,
    Replicate16,
}

/// Type, rounding and clamping modifiers of a floating-point instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct FloatMode {
    pub ty: Type,
    pub rounding: Rounding,
    /// Subnormal inputs and results become zero of the same sign.
    pub ftz: bool,
    /// The result is clamped to \[0, 1\], NaN to 0.
    pub sat: bool,
    /// Negative results become 0 (`fma.relu`).
    pub relu: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Float2 {
    Add,
    Sub,
    Mul,
    Div,
    DivApprox,
    DivFull,
    /// A number wins over a NaN.
    Min,
    Max,
    /// A NaN wins.
    MinNan,
    MaxNan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Float1 {
    Neg,
    Abs,
    Sqrt,
    Rcp,
    SqrtApprox,
    RcpApprox,
    RsqrtApprox,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
}

/// The classes that `testp` tests for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum FloatClass {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// Comparison operators; those that end in `U` are also true when an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    EqU,
    NeU,
    LtU,
    LeU,
    GtU,
    GeU,
    /// Both are numbers.
    Num,
    /// One is NaN.
    Nan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Logic {
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum ShflMode {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Reduce {
    And,
    Or,
    Popc,
}

impl Op {
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
