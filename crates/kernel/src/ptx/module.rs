//! A parsed PTX module: typed, with spans, and with names resolved inside each function.

use super::op::Op;
use super::problem::Span;
use super::types::{Space, Type};
use serde::Serialize;
use std::collections::HashMap;

/// What a PTX text declares and defines.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// `.version`, as (major, minor).
    pub version: (u32, u32),
    /// `.target`, e.g. `sm_75`.
    pub target: String,
    /// Module-scope variables: `.global`, `.const`, `.shared`, `.extern .shared`.
    pub variables: Vec<Variable>,
    /// Kernels and device functions, in the order of the text.
    pub functions: Vec<Function>,
    /// `.alias` directives: the alias and the function that it names.
    pub aliases: Vec<(String, String)>,
    /// `.file` directives: the names behind the numbers of line information.
    pub files: Vec<SourceFile>,
    names: Names,
}

/// Where the names of a module stand in its lists.
#[derive(Clone, Debug, Default)]
struct Names {
    /// By name: the first function of that name, and its definition or, if nothing defines it, its first declaration.
    functions: HashMap<String, Named>,
    /// By alias: its place among the aliases.
    aliases: HashMap<String, usize>,
    variables: HashMap<String, usize>,
}

#[derive(Clone, Copy, Debug)]
struct Named {
    first: usize,
    best: usize,
}

/// A `.file` line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceFile {
    pub index: u32,
    pub name: String,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub span: Span,
    pub space: Space,
    pub ty: Type,
    pub align: u32,
    /// Size in bytes; `None` for `.extern .shared s[]`, whose size the launch gives.
    pub bytes: Option<u64>,
    pub init: Vec<InitPart>,
}

/// A piece of a variable's initial value; the bytes between pieces are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitPart {
    /// The byte of the variable at which the piece begins.
    pub offset: u64,
    /// What stands there.
    pub value: InitValue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InitValue {
    Bytes(Vec<u8>),
    /// The address of a variable, plus an offset; `generic` when the text says `generic(name)`.
    /// Stored in `bytes` bytes after a shift right by `shift` bits (`0xff(name)` forms spread an address over bytes).
    Address {
        name: String,
        offset: i64,
        bytes: u32,
        shift: u32,
        generic: bool,
    },
}

/// A kernel (`.entry`) or a device function (`.func`).
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub span: Span,
    pub is_kernel: bool,
    pub params: Vec<Variable>,
    pub returns: Vec<Variable>,
    /// `None` if the function is only declared.
    pub body: Option<FunctionBody>,
    /// `.reqntid` or `.maxntid`, whichever was given.
    pub max_threads: Option<[u32; 3]>,
    pub required_threads: bool,
}

#[derive(Clone, Debug, Default)]
pub struct FunctionBody {
    pub registers: Vec<Register>,
    /// `.shared`, `.local` and call `.param` variables declared inside.
    pub variables: Vec<Variable>,
    pub instructions: Vec<PtxInstruction>,
    /// Labels, each with the index of the instruction that follows it.
    pub labels: Vec<CodeLabel>,
    /// `.branchtargets` tables.
    pub tables: Vec<BranchTable>,
    /// Distinct source places, to which instructions refer by index.
    pub places: Vec<LocPlace>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    pub name: String,
    /// 1 (predicate), 16, 32, 64 or 128.
    pub bits: u32,
}

#[derive(Clone, Debug)]
pub struct CodeLabel {
    pub name: String,
    pub span: Span,
    /// Index of the instruction that follows, or the number of instructions at the end of the body.
    pub at: u32,
}

#[derive(Clone, Debug)]
pub struct BranchTable {
    pub name: String,
    pub targets: Vec<LabelId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelId(pub u32);

/// A source place that a `.loc` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LocPlace {
    /// A [`SourceFile::index`].
    pub file: u32,
    pub line: u32,
    pub column: u32,
    /// The call that was inlined here, as an index into [`FunctionBody::places`].
    pub inlined_at: Option<u32>,
}

/// An instruction as it is written, with its names resolved.
#[derive(Clone, Debug)]
pub struct PtxInstruction {
    pub op: Op,
    /// `@p` or `@!p`.
    pub guard: Option<PtxGuard>,
    pub operands: Vec<Operand>,
    pub span: Span,
    /// Index into [`FunctionBody::places`].
    pub place: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtxGuard {
    pub register: RegisterId,
    pub negated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    Register(RegisterId),
    /// `!p`.
    Not(RegisterId),
    /// The bits of a constant, already converted to the instruction's type.
    Immediate(u64),
    Special(Special),
    /// The address of a variable plus an offset.
    Symbol {
        symbol: Symbol,
        offset: i64,
    },
    /// `[base + offset]`.
    Address {
        base: AddressBase,
        offset: i64,
    },
    CodeLabel(LabelId),
    /// Index into [`FunctionBody::tables`].
    Table(u32),
    /// A called function, the variables that receive its results and those that hold its arguments.
    Callee {
        name: String,
        returns: Vec<Operand>,
        arguments: Vec<Operand>,
    },
    /// `_`, or a destination that the text leaves out.
    Sink,
}

impl Operand {
    /// Returns the variable that the operand names, if it names one.
    pub fn symbol(&self) -> Option<&Symbol> {
        match self {
            Operand::Symbol { symbol, .. } | Operand::Address { base: AddressBase::Symbol(symbol), .. } => Some(symbol),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressBase {
    Register(RegisterId),
    Symbol(Symbol),
    /// No base: the offset is the address.
    None,
}

/// The declaration that a name inside a function refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// A module-scope variable (or a function whose address is taken).
    Module(String),
    /// Index into [`FunctionBody::variables`].
    FunctionBody(u32),
    /// Index into [`Function::params`].
    Param(u32),
    /// Index into [`Function::returns`].
    Return(u32),
}

/// Special registers that a kernel may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Special {
    Tid(Axis),
    Ntid(Axis),
    Ctaid(Axis),
    Nctaid(Axis),
    LaneId,
    WarpId,
    NWarpId,
    SmId,
    NSmId,
    GridId,
    LaneMaskEq,
    LaneMaskLe,
    LaneMaskLt,
    LaneMaskGe,
    LaneMaskGt,
    Clock,
    /// The upper half of the 64-bit clock.
    ClockHigh,
    Clock64,
    GlobalTimer,
    DynamicSharedSize,
    TotalSharedSize,
    /// `WARP_SZ`.
    WarpSize,
    /// Reads as one: the sizes of a cluster, which is always one block.
    One,
    /// Reads as zero: `%envregN` (except for those of a cooperative grid, which are refused), performance counters and
    /// positions in a cluster.
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Axis {
    X,
    Y,
    Z,
}

impl Special {
    /// Returns whether all threads of a block read the same value in one cycle.
    pub fn is_uniform(self) -> bool {
        use Special::*;
        !matches!(self, Tid(_) | LaneId | WarpId | LaneMaskEq | LaneMaskLe | LaneMaskLt | LaneMaskGe | LaneMaskGt)
    }

    /// Returns the special register of that name (`%tid.x`, `%laneid`, `WARP_SZ`).
    pub fn from_name(name: &str) -> Option<Special> {
        let axis = |suffix: &str| match suffix {
            ".x" => Some(Axis::X),
            ".y" => Some(Axis::Y),
            ".z" => Some(Axis::Z),
            _ => None,
        };
        if let Some(dot) = name.find('.') {
            let (base, suffix) = name.split_at(dot);
            if suffix == ".w" && matches!(base, "%tid" | "%ntid" | "%ctaid" | "%nctaid") {
                return Some(Special::Zero);
            }
            let axis = axis(suffix)?;
            return Some(match base {
                "%tid" => Special::Tid(axis),
                "%ntid" => Special::Ntid(axis),
                "%ctaid" | "%clusterid" => Special::Ctaid(axis),
                "%nctaid" | "%nclusterid" => Special::Nctaid(axis),
                "%cluster_ctaid" => Special::Zero,
                "%cluster_nctaid" => Special::One,
                _ => return None,
            });
        }
        Some(match name {
            "%laneid" => Special::LaneId,
            "%warpid" => Special::WarpId,
            "%nwarpid" => Special::NWarpId,
            "%smid" => Special::SmId,
            "%nsmid" => Special::NSmId,
            "%gridid" => Special::GridId,
            "%lanemask_eq" => Special::LaneMaskEq,
            "%lanemask_le" => Special::LaneMaskLe,
            "%lanemask_lt" => Special::LaneMaskLt,
            "%lanemask_ge" => Special::LaneMaskGe,
            "%lanemask_gt" => Special::LaneMaskGt,
            "%clock" => Special::Clock,
            "%clock_hi" | "%globaltimer_hi" => Special::ClockHigh,
            "%clock64" => Special::Clock64,
            "%globaltimer" | "%globaltimer_lo" => Special::GlobalTimer,
            "%dynamic_smem_size" => Special::DynamicSharedSize,
            "%cluster_nctarank" => Special::One,
            "%cluster_ctarank" | "%is_explicit_cluster" | "%current_graph_exec" => Special::Zero,
            "%total_smem_size" | "%aggr_smem_size" => Special::TotalSharedSize,
            "WARP_SZ" => Special::WarpSize,
            _ if name.starts_with("%envreg") || name.starts_with("%pm") || name.starts_with("%reserved_smem_") => Special::Zero,
            _ => return None,
        })
    }
}

impl Module {
    /// Returns the functions that can be launched.
    pub fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|f| f.is_kernel && f.body.is_some())
    }

    /// Finds the names of the lists, once these are complete.
    pub(super) fn index(&mut self) {
        let mut names = Names::default();
        for (at, function) in self.functions.iter().enumerate() {
            let named = names.functions.entry(function.name.clone()).or_insert(Named { first: at, best: at });
            if function.body.is_some() && self.functions[named.best].body.is_none() {
                named.best = at;
            }
        }
        for (at, (alias, _)) in self.aliases.iter().enumerate() {
            names.aliases.entry(alias.clone()).or_insert(at);
        }
        for (at, variable) in self.variables.iter().enumerate() {
            names.variables.entry(variable.name.clone()).or_insert(at);
        }
        self.names = names;
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&Variable> {
        self.names.variables.get(name).map(|&at| &self.variables[at])
    }

    /// Returns the place of the first function of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.functions.get(name).map(|named| named.first)
    }

    /// Returns the kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Function> {
        let is_kernel = |f: &&Function| f.is_kernel && f.body.is_some();
        let best = self.names.functions.get(name).map(|named| &self.functions[named.best]);
        best.filter(is_kernel).or_else(|| best.and_then(|_| self.kernels().find(|f| f.name == name)))
    }

    /// Returns the function of that name or alias: its definition, or its declaration if nothing defines it.
    pub fn function(&self, name: &str) -> Option<&Function> {
        let name = self.names.aliases.get(name).map_or(name, |&at| self.aliases[at].1.as_str());
        self.names.functions.get(name).map(|named| &self.functions[named.best])
    }
}
