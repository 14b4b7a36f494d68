//! Virtual blocks and warps: the kernel in a loop over logical blocks (VTW sections 4.1 and 4.3.1).
//!
//! ```text
//!   body                            hoisted code
//!     … %tid.x … %ctaid.x …    WWL: next_tb    block, more      which logical block
//!     @p ret                        @!more exit
//!     …                             next_tidx  thread           which thread of it
//!     ret                           body, with registers for %tid and %ctaid
//!                                     @p bra WWL
//!                                     …
//!                                     bra WWL
//! ```
//!
//! A virtual warp runs the loop once for each logical block that it is given (`NextBlock`, `NextThread`). A `ret` becomes a jump
//! to the loop's head (`Again`); threads that reach the head are done with their logical block, as exited threads are. Indices of
//! several dimensions are computed from one linear index, with the sizes of grid and block. Instructions that do not depend on
//! indices move in front of the loop ([`hoist`]).
//!
//! A register that may be read before it is written holds zero in a fresh thread; [`Wrapper::cleared`] lists these registers.

use super::{Rewrite, hoist};
use crate::program::liveness::{Liveness, for_writes};
use crate::program::lower::bare;
use crate::program::{Dst, Guard, Instruction, Pc, Plane, Program, RegisterInfo, Src};
use crate::ptx::module::{Axis, Special};
use crate::ptx::op::{Int2, Op};
use crate::ptx::types::Type;

/// The loop around a kernel's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// The loop's first instruction; hoisted instructions stand before it.
    pub head: Pc,
    /// The first instruction of the kernel's own code.
    pub body: Pc,
    /// The registers that hold `%tid` and `%ctaid`.
    pub indices: Vec<(Special, Plane)>,
    /// Planes that are reset to zero whenever a logical block begins.
    pub cleared: Vec<Plane>,
    /// Registers that a thread needs without the loop.
    pub registers_before: u32,
}

/// The number of dimensions of a launch's grid and block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    pub(crate) grid: usize,
    pub(crate) block: usize,
}

impl Dimensions {
    /// Takes the dimensions of a launch.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> Dimensions {
        let count = |sizes: [u32; 3]| sizes.iter().rposition(|&size| size > 1).map_or(1, |last| last + 1);
        Dimensions { grid: count(grid), block: count(block) }
    }

    /// Returns as many dimensions as the kernel names, for a kernel without a launch.
    pub fn named(program: &Program) -> Dimensions {
        let mut named = Dimensions { grid: 1, block: 1 };
        for src in program.instructions.iter().flat_map(|instruction| &instruction.src) {
            match *src {
                Src::Special(Special::Tid(axis)) => named.block = named.block.max(axis as usize + 1),
                Src::Special(Special::Ctaid(axis)) => named.grid = named.grid.max(axis as usize + 1),
                _ => {}
            }
        }
        named
    }
}

/// Puts the kernel's code into the loop; `hoists` lets invariant code move in front of it.
pub fn run(program: &mut Program, dimensions: Dimensions, hoists: bool) {
    let registers_before = program.registers_needed;
    let cleared = read_first(program);
    let hoisted = if hoists { hoist::invariant(program) } else { Vec::new() };
    let mut making = Making { indices: Vec::new(), removed: vec![false; program.instructions.len()], program };
    hoisted.iter().for_each(|&pc| making.removed[pc as usize] = true);
    let head = making.head(dimensions);
    making.replace_indices(dimensions);
    let Making { indices, removed, .. } = making;
    let wrapper =
        Wrapper { head: hoisted.len() as Pc, body: (hoisted.len() + head.len()) as Pc, indices, cleared, registers_before };
    assemble(program, &hoisted, head, &removed);
    program.wrapper = Some(wrapper);
}

/// Returns the planes that may be read before they are written.
fn read_first(program: &Program) -> Vec<Plane> {
    let live = Liveness::build(program);
    let mut is_param = vec![false; program.planes as usize];
    for register in &program.param_registers {
        is_param[register.plane as usize..(register.plane + register.planes) as usize].fill(true);
    }
    (0..program.planes - 1).filter(|&plane| live.is_read_first(plane) && !is_param[plane as usize]).collect()
}

/// Joins hoisted code, the loop's head and the remaining code, and patches branch targets.
fn assemble(program: &mut Program, hoisted: &[Pc], head: Vec<Instruction>, removed: &[bool]) {
    let old = std::mem::take(&mut program.instructions);
    let body = hoisted.len() + head.len();
    let mut at = body as Pc;
    let mut moved: Vec<Pc> = Vec::with_capacity(old.len() + 1);
    for &gone in removed {
        moved.push(at);
        at += Pc::from(!gone);
    }
    moved.push(at);
    let hoist = |&pc: &Pc| Instruction { rewrite: Some(Rewrite::Hoisted), ..old[pc as usize].clone() };
    let mut instructions: Vec<Instruction> = hoisted.iter().map(hoist).chain(head).collect();
    for (instruction, _) in old.into_iter().zip(removed).filter(|(_, gone)| !**gone) {
        instructions.push(wrapped(instruction, &moved, &program.registers));
    }
    program.instructions = instructions;
    for table in &mut program.tables {
        table.iter_mut().for_each(|target| *target = moved[*target as usize]);
    }
}

/// Adapts an instruction of the kernel to the loop: moves its target, turns an exit into `Again`.
fn wrapped(mut instruction: Instruction, moved: &[Pc], registers: &[RegisterInfo]) -> Instruction {
    match instruction.op {
        Op::Bra { .. } => instruction.target = moved[instruction.target as usize],
        Op::Exit | Op::Ret => {
            let guard = instruction.guard.map_or(String::new(), |guard| guard_text(guard, registers));
            instruction.op = Op::Again;
            instruction.rewrite = Some(Rewrite::Again);
            instruction.text = Some(format!("{guard}bra WWL;").into());
        }
        _ => {}
    }
    instruction
}

fn guard_text(guard: Guard, registers: &[RegisterInfo]) -> String {
    format!("@{}{} ", if guard.negated { "!" } else { "" }, name(registers, guard.plane))
}

/// Returns the name of the register that begins at a plane.
pub fn name(registers: &[RegisterInfo], plane: Plane) -> &str {
    register(registers, plane).map_or("?", |register| register.name.as_str())
}

/// Returns the register that begins at a plane; registers stand in the order of their planes.
pub fn register(registers: &[RegisterInfo], plane: Plane) -> Option<&RegisterInfo> {
    registers.binary_search_by_key(&plane, |register| register.plane).ok().map(|at| &registers[at])
}

impl Program {
    /// Returns the name of the register that begins at a plane.
    pub fn register_name(&self, plane: Plane) -> &str {
        name(&self.registers, plane)
    }

    /// Returns the text of a guard in front of an instruction, with a space behind it.
    pub fn guard_text(&self, guard: Guard) -> String {
        guard_text(guard, &self.registers)
    }

    /// Replaces `%tid` and `%ctaid` by their registers in an instruction's text.
    pub fn with_registers(&self, text: &str) -> String {
        let indices = self.wrapper.as_ref().map_or(&[][..], |wrapper| &wrapper.indices);
        let mut text = text.to_string();
        for (short, special) in [("tid", Special::Tid as fn(Axis) -> Special), ("ctaid", Special::Ctaid)] {
            for (letter, axis) in [("x", Axis::X), ("y", Axis::Y), ("z", Axis::Z)] {
                let plane = indices.iter().find(|(known, _)| *known == special(axis)).map(|(_, plane)| *plane);
                let with = plane.map_or("0", |plane| name(&self.registers, plane));
                text = text.replace(&format!("%{short}.{letter}"), with);
            }
        }
        text
    }
}

/// The kernel while its loop is built.
struct Making<'a> {
    program: &'a mut Program,
    indices: Vec<(Special, Plane)>,
    /// Instructions of the kernel that are left out of the loop.
    removed: Vec<bool>,
}

impl Making<'_> {
    fn register(&mut self, name: &str, bits: u32) -> Plane {
        // The carry flag stays the last plane.
        let plane = self.program.planes - 1;
        self.program.planes += 1;
        self.program.registers.push(RegisterInfo { name: name.to_string(), bits, plane });
        plane
    }

    /// Creates an instruction with the source place of the kernel's first instruction.
    fn made(&self, op: Op, dst: &[Dst], src: &[Src], text: String) -> Instruction {
        let first = self.program.instructions.first();
        let made = bare(op, first.map(|first| first.span).unwrap_or_default());
        Instruction {
            dst: dst.into(),
            src: src.into(),
            place: first.and_then(|first| first.place),
            rewrite: Some(Rewrite::Head),
            text: Some(text.into()),
            ..made
        }
    }

    /// Creates the loop's head: it takes a logical block, exits if there is none, takes the thread, and computes the indices.
    fn head(&mut self, dimensions: Dimensions) -> Vec<Instruction> {
        let more = self.register("%vmore", 1);
        let mut code = Vec::new();
        let block = self.source("%vblock", "ctaid", dimensions.grid, Special::Ctaid);
        let names = (name(&self.program.registers, block).to_string(), "%vmore");
        let wide = |plane| Dst::Register { plane, bits: 32 };
        code.push(self.made(
            Op::NextBlock,
            &[wide(block), Dst::Register { plane: more, bits: 1 }],
            &[],
            format!("next_tb.u32 {}|{};", names.0, names.1),
        ));
        let mut exit = self.made(Op::Exit, &[], &[], "@!%vmore exit;".to_string());
        exit.guard = Some(Guard { plane: more, negated: true });
        code.push(exit);
        self.split(block, dimensions.grid, "ctaid", Special::Ctaid, Special::Nctaid, &mut code);
        if [Axis::X, Axis::Y, Axis::Z].into_iter().any(|axis| self.is_used(Special::Tid(axis))) {
            let thread = self.source("%vthread", "tid", dimensions.block, Special::Tid);
            let text = format!("next_tidx.u32 {};", name(&self.program.registers, thread));
            code.push(self.made(Op::NextThread, &[wide(thread)], &[], text));
            self.split(thread, dimensions.block, "tid", Special::Tid, Special::Ntid, &mut code);
        }
        code
    }

    /// Returns the register for a linear index: in one dimension, the register of the index itself.
    fn source(&mut self, linear: &str, short: &str, dimensions: usize, special: fn(Axis) -> Special) -> Plane {
        if dimensions == 1 && self.is_used(special(Axis::X)) {
            self.index(special(Axis::X), &format!("%v{short}_x"))
        } else {
            self.register(linear, 32)
        }
    }

    fn is_used(&self, special: Special) -> bool {
        self.program.instructions.iter().any(|instruction| instruction.src.contains(&Src::Special(special)))
    }

    /// Returns the register of an index: the one that the kernel copies it to once and for all, or a new one.
    fn index(&mut self, special: Special, new: &str) -> Plane {
        let plane = match self.copied_to(special) {
            Some((pc, plane)) => {
                self.removed[pc] = true;
                plane
            }
            None => self.register(new, 32),
        };
        self.indices.push((special, plane));
        plane
    }

    /// Finds a copy of the index to a register that is written only there and never read before.
    fn copied_to(&self, special: Special) -> Option<(usize, Plane)> {
        let carry = self.program.planes - 1;
        let live = Liveness::build(self.program);
        let mut writers = vec![0u32; self.program.planes as usize];
        for instruction in &self.program.instructions {
            for_writes(instruction, carry, |plane| writers[plane as usize] += 1);
        }
        self.program.instructions.iter().enumerate().find_map(|(pc, instruction)| {
            let (Op::Mov(_), [Dst::Register { plane, bits: 32 }], [Src::Special(of)], None) =
                (instruction.op, &instruction.dst[..], &instruction.src[..], instruction.guard)
            else {
                return None;
            };
            let is_only = writers[*plane as usize] == 1 && !live.is_read_first(*plane);
            (*of == special && is_only).then_some((pc, *plane))
        })
    }

    /// Emits code that computes the indices that the kernel uses from a linear one; x varies fastest.
    fn split(
        &mut self,
        linear: Plane,
        dimensions: usize,
        short: &str,
        special: fn(Axis) -> Special,
        size: fn(Axis) -> Special,
        code: &mut Vec<Instruction>,
    ) {
        let axes = [Axis::X, Axis::Y, Axis::Z];
        let last = axes[..dimensions].iter().rposition(|&axis| self.is_used(special(axis)));
        let Some(last) = last.filter(|_| dimensions > 1) else { return };
        let mut rest = linear;
        for at in 0..=last {
            let letter = ["x", "y", "z"][at];
            if at + 1 == dimensions {
                // The quotient of the last division is the last index.
                return;
            }
            let is_used = self.is_used(special(axes[at]));
            let index = is_used.then(|| self.index(special(axes[at]), &format!("%v{short}_{letter}")));
            let by = Src::Special(size(axes[at]));
            let by_text = format!("%n{short}.{letter}");
            let is_last = at + 2 == dimensions && last > at;
            let quotient = if is_last {
                self.index(special(axes[at + 1]), &format!("%v{short}_{}", ["y", "z"][at]))
            } else {
                self.register(&format!("%v{short}_q{at}"), 32)
            };
            code.push(self.alu(Op::Int2(Int2::Div, Type::U32), "div.u32", quotient, &[Src::Register(rest), by], &by_text));
            if let Some(index) = index {
                let part = Src::Register(quotient);
                code.push(self.alu(Op::Int2(Int2::MulLo, Type::U32), "mul.lo.u32", index, &[part, by], &by_text));
                let both = [Src::Register(rest), Src::Register(index)];
                code.push(self.alu(Op::Int2(Int2::Sub, Type::U32), "sub.u32", index, &both, ""));
            }
            rest = quotient;
        }
    }

    /// Creates an operation on 32-bit registers; `special` is the text of the special register among its sources.
    fn alu(&self, op: Op, opcode: &str, dst: Plane, src: &[Src], special: &str) -> Instruction {
        let registers = &self.program.registers;
        let operands = src.iter().map(|src| match *src {
            Src::Register(plane) | Src::Not(plane) => name(registers, plane).to_string(),
            Src::Immediate(bits) => bits.to_string(),
            Src::Special(_) => special.to_string(),
        });
        let text = format!("{opcode} {}, {};", name(registers, dst), operands.collect::<Vec<_>>().join(", "));
        self.made(op, &[Dst::Register { plane: dst, bits: 32 }], src, text)
    }

    /// Replaces reads of `%tid` and `%ctaid` by registers. Indices beyond the launch's dimensions are 0.
    fn replace_indices(&mut self, dimensions: Dimensions) {
        let indices = &self.indices;
        for instruction in &mut self.program.instructions {
            for src in &mut instruction.src {
                let (special, axis, most) = match *src {
                    Src::Special(special @ Special::Tid(axis)) => (special, axis, dimensions.block),
                    Src::Special(special @ Special::Ctaid(axis)) => (special, axis, dimensions.grid),
                    _ => continue,
                };
                instruction.rewrite = Some(Rewrite::Index);
                *src = match indices.iter().find(|(known, _)| *known == special) {
                    Some(&(_, plane)) if (axis as usize) < most => Src::Register(plane),
                    _ => Src::Immediate(0),
                };
            }
        }
    }
}

#[cfg(test)]
#[path = "virtualise_tests.rs"]
mod tests;
