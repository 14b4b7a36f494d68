//! A kernel ready to run: flat instructions with resolved targets, addresses and registers, and their analyses.
//!
//! ```text
//! ptx::Module ─► lower (calls expanded, names to numbers) ─► passes (rewrites) ─► Program { instructions, layout }
//!                                                 └─► cfg (blocks, edges) ─► reconverge (RPC, LPC), loops, liveness
//! ```
//!
//! **Calls are inlined.** Every call to a named function is expanded into the kernel, with its own registers and local memory for
//! each call site. The machine then needs no call stack, a divergent return reconverges at the ordinary post-dominator (the
//! instruction behind the call), and every technique works on one control-flow graph. The price: recursion and calls through
//! pointers are refused; compilers emit the first rarely and the second hardly ever.
//!
//! A register is one or two **planes**: 32-bit words stored by plane, then by thread, so that the lanes of a warp are adjacent.
//! Predicates and 16-bit registers take one plane, 64-bit registers two (low word first).

pub(crate) mod address;
pub mod cfg;
mod draft_launch;
mod exits;
mod graph;
pub mod inspect;
mod layout;
pub mod liveness;
mod loops;
mod lower;
pub mod passes;
mod reconverge;
pub mod transformed;
pub mod uniform;

use crate::launch::ParamShape;
use crate::ptx::module::{LocPlace, Operand, SourceFile, Special};
use crate::ptx::op::Op;
use crate::ptx::problem::{Problem, Span};
use crate::ptx::types::{Space, Type};
use crate::ptx::{Module, Trouble};
use cfg::Cfg;
use passes::Rewrite;
use passes::native::{ParamRegister, Renames};
use passes::virtualise::Wrapper;
use reconverge::Reconvergence;
use std::collections::HashSet;

/// Limit on the names that a message lists.
const MOST_LISTED: usize = 50;

/// Index of an instruction in [`Program::instructions`].
pub type Pc = u32;

/// A register's first plane.
pub type Plane = u32;

/// A kernel ready to run: its instructions, what they name, and its control flow.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of its `.entry`.
    pub kernel: String,
    /// The code in program order; a [`Pc`] is an index here.
    pub instructions: Vec<Instruction>,
    /// Branch tables: the targets of each `brx.idx`.
    pub tables: Vec<Box<[Pc]>>,
    /// Every register of the kernel, those of inlined calls included.
    pub registers: Vec<RegisterInfo>,
    /// Planes that a thread needs; the last one is the carry flag.
    pub planes: u32,
    /// The kernel's parameters as the PTX declares them, in order.
    pub params: Vec<ParamShape>,
    /// Offset of each parameter in the parameter space.
    pub param_offsets: Vec<u32>,
    pub(crate) param_bytes: u32,
    /// Bytes of static shared memory; the launch's dynamic part begins behind them.
    pub shared_bytes: u32,
    /// Bytes of local memory of a thread: depots and call frames.
    pub local_bytes: u32,
    /// The initial contents of constant space.
    pub constants: Vec<u8>,
    /// Module variables: those in global memory at fixed addresses below the launch's buffers, and those in constant space.
    pub variables: Vec<ModuleVariable>,
    /// The block shape that the kernel requires (`.reqntid`), or the largest that it allows (`.maxntid`).
    pub max_threads: Option<[u32; 3]>,
    pub(crate) required_threads: bool,
    /// Source files that line information names.
    pub files: Vec<SourceFile>,
    /// Basic blocks and the edges between them.
    pub cfg: Cfg,
    /// Reconvergence points of the branches that can diverge.
    pub reconvergence: Reconvergence,
    /// Threads never wait for threads that arrive only in a later iteration of a loop, as in native code.
    pub reconverges_within_trip: bool,
    /// The most 32-bit registers that are live at once.
    pub registers_needed: u32,
    /// The loop over logical blocks, if a pass has put one around the code.
    pub wrapper: Option<Wrapper>,
    /// Registers that hold a parameter when the block starts.
    pub param_registers: Vec<ParamRegister>,
    /// The operands that passes put in the place of registers.
    pub renamed: Renames,
}

/// A module-scope variable in `.global` or `.const`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleVariable {
    /// The variable's name in the PTX.
    pub name: String,
    pub(crate) space: Space,
    /// Address in its own space.
    pub address: u64,
    pub(crate) ty: Type,
    /// Size in bytes.
    pub bytes: u64,
    /// Non-zero initial contents as offset and bytes, so that a large array costs nothing before it runs.
    pub init: Vec<(u64, Vec<u8>)>,
}

impl ModuleVariable {
    /// Returns the whole initial contents.
    pub fn image(&self) -> Vec<u8> {
        let mut image = vec![0; self.bytes as usize];
        for (offset, bytes) in &self.init {
            if let Some(place) = image.get_mut(*offset as usize..*offset as usize + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        }
        image
    }
}

/// A register of the kernel or of an inlined call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterInfo {
    /// The register's name in the PTX.
    pub name: String,
    /// 1 (predicate), 16, 32 or 64.
    pub bits: u32,
    /// Its first plane.
    pub plane: Plane,
}

/// One instruction, with operands resolved to planes, values and addresses.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// The predicate under which a lane executes it.
    pub guard: Option<Guard>,
    /// The write begins a live range despite its guard: threads that the guard holds back do not need the old value.
    pub begins: bool,
    /// Destinations in the order that [`Op`] documents.
    pub dst: Box<[Dst]>,
    /// Sources in the order that [`Op`] documents.
    pub src: Box<[Src]>,
    /// Address of a load, store or atomic.
    pub address: Option<Address>,
    /// Target of a branch; for `brx.idx`, the index of its table.
    pub target: Pc,
    /// The PTX text that it came from.
    pub span: Span,
    /// The CUDA source place that it came from.
    pub place: Option<SourcePlace>,
    /// The pass that changed it, if one did.
    pub rewrite: Option<Rewrite>,
    /// Text to show in place of the PTX text, where a pass made the instruction.
    pub text: Option<Box<str>>,
}

/// A source place, with the call it was inlined at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file's number in the PTX's `.file` directives.
    pub file: u32,
    /// The line in that file.
    pub line: u32,
    pub(crate) column: u32,
    /// File and line of the outermost call in the chain, if there is one.
    pub outer: Option<(u32, u32)>,
}

/// The predicate that decides for each lane whether it executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub plane: Plane,
    /// Whether lanes with a false predicate execute it.
    pub negated: bool,
}

/// A destination register, or a sink that drops the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dst {
    /// A register of one or two planes.
    Register {
        /// The first plane; a 64-bit register has its upper word in the next one.
        plane: Plane,
        /// The width of the register.
        bits: u8,
    },
    /// Nowhere: the result is dropped.
    Sink,
}

/// Where an operand's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Src {
    /// A register, by its first plane.
    Register(Plane),
    /// A negated predicate.
    Not(Plane),
    /// The same value for all lanes.
    Immediate(u64),
    /// A special register such as `%tid.x`.
    Special(Special),
}

/// `base + offset`, in the space that the instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    pub(crate) base: Base,
    pub(crate) offset: i64,
}

/// What an offset is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Nothing: the offset is the address.
    None,
    /// A 32-bit register, for spaces smaller than 4 GiB.
    Register32(Plane),
    /// A 64-bit register.
    Register64(Plane),
}

/// Parses a PTX text and builds one of its kernels: the named one, or the only one.
pub fn load(text: &str, kernel: Option<&str>) -> Result<Program, Vec<Problem>> {
    let (module, problems) = crate::ptx::parse(text);
    load_parsed(&module, &problems, kernel)
}

/// Builds a kernel of a parsed text: the named one, or the only one.
///
/// Ignores problems outside of the kernel and of the functions that it calls, so that a module with one unusable kernel still
/// serves the others.
pub fn load_parsed(module: &Module, problems: &[Problem], kernel: Option<&str>) -> Result<Program, Vec<Problem>> {
    let name = choose_kernel(module, problems, kernel)?;
    let needed: HashSet<String> = reachable(module, &name).into_iter().collect();
    let is_relevant = |problem: &&Problem| problem.function.as_ref().is_none_or(|function| needed.contains(function));
    let relevant: Vec<Problem> = problems.iter().filter(is_relevant).cloned().collect();
    if relevant.is_empty() { Program::build(module, &name) } else { Err(relevant) }
}

fn choose_kernel(module: &Module, problems: &[Problem], kernel: Option<&str>) -> Result<String, Vec<Problem>> {
    let names: Vec<&str> = module.kernels().map(|k| k.name.as_str()).collect();
    let list = || listed(&names);
    let message = match (kernel, names.as_slice()) {
        (Some(name), _) if module.kernel(name).is_some() => return Ok(name.to_string()),
        (None, [only]) => return Ok(only.to_string()),
        (_, []) if !problems.is_empty() => return Err(problems.to_vec()),
        (_, []) => {
            let message = "the text has no kernel: no `.entry` with a body";
            return Err(vec![Problem::new(Trouble::Name, Span::default(), message)]);
        }
        (Some(name), _) => format!("the module has no kernel (`.entry`) named `{name}`; it has {}", list()),
        (None, _) => {
            format!("the module has {} kernels: say which one with `kernel = \"…\"` in the launch file: {}", names.len(), list())
        }
    };
    Err(vec![Problem::new(Trouble::Choice, Span::default(), message)])
}

/// Returns names in a row for a message, the first of them if they are many.
pub fn listed(names: &[&str]) -> String {
    let mut list = names.iter().take(MOST_LISTED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > MOST_LISTED {
        list += &format!(" and {} more", names.len() - MOST_LISTED);
    }
    list
}

/// Returns the function and all functions that it calls, directly or not.
pub fn reachable(module: &Module, name: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![name.to_string()];
    let mut known = HashSet::from([name]);
    let mut at = 0;
    while at < found.len() {
        let body = module.function(&found[at]).and_then(|f| f.body.as_ref());
        let callees = body.iter().flat_map(|b| &b.instructions).flat_map(|i| &i.operands).filter_map(|operand| match operand {
            Operand::Callee { name, .. } => Some(name.as_str()),
            _ => None,
        });
        let new = callees.filter(|callee| known.insert(callee));
        let new: Vec<String> = new.map(str::to_string).collect();
        found.extend(new);
        at += 1;
    }
    found
}

impl Program {
    /// Builds the kernel of that name. Problems name functions that cannot be inlined: recursion, missing definitions.
    pub fn build(module: &Module, kernel: &str) -> Result<Program, Vec<Problem>> {
        Ok(lower::lower(module, kernel)?.through(passes::ALWAYS))
    }

    /// Recomputes blocks, reconvergence points and register needs from the instructions.
    fn analyse(&mut self) {
        self.find_meetings();
        self.count_registers();
    }

    /// Recomputes blocks and reconvergence points.
    fn find_meetings(&mut self) {
        self.cfg = Cfg::build(&self.instructions, &self.tables);
        self.reconvergence = Reconvergence::build(&self.cfg, &self.instructions, self.reconverges_within_trip);
    }

    fn count_registers(&mut self) {
        self.registers_needed = liveness::Liveness::build(self).registers_needed;
    }

    /// Replaces the initial contents of a module variable; `image` has the variable's size.
    pub fn set_variable(&mut self, name: &str, image: Vec<u8>) {
        let Some(variable) = self.variables.iter_mut().find(|variable| variable.name == name) else { return };
        if variable.space == Space::Const
            && let Some(place) = self.constants.get_mut(variable.address as usize..variable.address as usize + image.len())
        {
            place.copy_from_slice(&image);
        }
        variable.init = vec![(0, image)];
    }

    /// Formats a source place as `file:line`.
    pub fn place_name(&self, place: SourcePlace) -> String {
        let file = self.files.iter().find(|f| f.index == place.file).map_or("?", |f| f.name.as_str());
        format!("{file}:{}", place.line)
    }
}

/// Returns the shape of a kernel parameter, for checking a launch against it.
fn param_shape(variable: &crate::ptx::module::Variable) -> ParamShape {
    let bytes = variable.bytes.unwrap_or(0) as u32;
    ParamShape { name: variable.name.clone(), ty: variable.ty, bytes, align: variable.align }
}

fn unsupported(span: Span, message: String) -> Problem {
    Problem::new(Trouble::Unsupported, span, message)
}

/// Returns a source place with the outermost call of its inlining chain.
fn source_place(places: &[LocPlace], index: u32) -> Option<SourcePlace> {
    let inner = places.get(index as usize)?;
    let mut outer = None;
    let mut next = inner.inlined_at;
    while let Some(place) = next.and_then(|at| places.get(at as usize)) {
        outer = Some((place.file, place.line));
        next = place.inlined_at;
    }
    Some(SourcePlace { file: inner.file, line: inner.line, column: inner.column, outer })
}

/// Returns the number of planes that a register of that many bits takes.
fn planes_of(bits: u32) -> u32 {
    bits.div_ceil(32)
}

/// Whether a value of the type takes two planes.
pub fn is_wide(ty: Type) -> bool {
    ty.bits() == 64
}
