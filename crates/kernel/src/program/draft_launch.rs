//! Drafts a launch for a kernel: the text of a launch file that fits its parameters, for a person to change.
//!
//! PTX says how many bytes a parameter has, not what it is for. A parameter of 64 bits whose value is used in an address is a
//! buffer; the instruction that uses it tells the type of its elements, and whether it needs contents. Any other parameter is a
//! value.

use super::{Base, Dst, Instruction, Program, Src};
use crate::launch::ParamShape;
use crate::ptx::op::Op;
use crate::ptx::types::{Space, Type};
use std::fmt::Write;

/// Blocks of the draft, and threads of each where the kernel does not say how many it needs: enough for several warps.
const BLOCKS: u32 = 4;
const BLOCK_THREADS: u32 = 128;

/// What a kernel does with a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Value,
    /// The type of its elements, and whether the kernel reads them.
    Buffer {
        ty: Type,
        is_read: bool,
    },
}

impl Program {
    /// Returns the text of a launch file that fits the kernel.
    pub fn draft_launch(&self) -> String {
        let block = match self.max_threads {
            Some(required) if self.required_threads => required,
            Some(most) => [most.iter().product::<u32>().min(BLOCK_THREADS), 1, 1],
            None => [BLOCK_THREADS, 1, 1],
        };
        let threads = BLOCKS * block.iter().product::<u32>();
        let mut text = format!(
            "# A draft that fits the kernel's parameters: change what is not meant.\n\
             kernel = {:?}\ngrid = [{BLOCKS}, 1, 1]\nblock = {block:?}\n",
            self.kernel
        );
        for (at, (param, used)) in self.params.iter().zip(uses(self)).enumerate() {
            let name = name(param, at);
            let _ = match used {
                Use::Buffer { ty, is_read } => {
                    let init = contents(ty, is_read);
                    let ty = ty.name();
                    write!(text, "\n[[param]]\nbuffer = {name:?}\ntype = \"{ty}\"\nlen = {threads}\ninit = {init}\n")
                }
                Use::Value if param.bytes > param.ty.bytes() => {
                    write!(text, "\n[[param]]   # {name}, a struct\nhex = \"{}\"\n", "00".repeat(param.bytes as usize))
                }
                Use::Value => {
                    let value = value(param.ty, threads);
                    write!(text, "\n[[param]]   # {name}\ntype = \"{}\"\nvalue = {value}\n", param.ty.name())
                }
            };
        }
        text
    }
}

/// Returns the name that the parameter has in the source, or its number: compilers call it `kernel_param_0`.
fn name(param: &ParamShape, at: usize) -> String {
    let is_made = param.name.rsplit_once("_param_").is_some_and(|(_, number)| number.parse::<u32>().is_ok());
    if is_made { format!("p{at}") } else { param.name.clone() }
}

fn contents(ty: Type, is_read: bool) -> &'static str {
    match (is_read, ty.is_float()) {
        (false, _) => "\"zeros\"",
        (true, true) => "{ random = { seed = 1, min = 0.0, max = 1.0 } }",
        (true, false) => "{ iota = { start = 0, step = 1 } }",
    }
}

/// Returns a value for a parameter: a whole number is most often a number of elements.
fn value(ty: Type, threads: u32) -> String {
    match ty.bits() {
        _ if ty.is_float() => "1.0".to_string(),
        8 => "1".to_string(),
        _ => threads.to_string(),
    }
}

/// Returns what the kernel does with each parameter. Follows the value of each from where it is loaded, through the arithmetic of
/// addresses, to the accesses; twice, for what a loop carries round. Parameters behind the 64th are not followed.
fn uses(program: &Program) -> Vec<Use> {
    let mut found = vec![Use::Value; program.params.len()];
    // By plane: the parameters that an address in it may have been computed from, as bits.
    let mut origin: Vec<u64> = vec![0; program.planes as usize];
    for _ in 0..2 {
        for instruction in &program.instructions {
            let (is_read, space, ty) = match instruction.op {
                Op::Load(access) if access.space == Space::Param => {
                    set(&mut origin, instruction, param_at(program, instruction).map_or(0, |at| 1 << at));
                    continue;
                }
                Op::Load(access) => (true, access.space, access.ty),
                Op::Store(access) => (false, access.space, access.ty),
                Op::Atom { space, ty, .. } => (true, space, ty),
                op => {
                    let of = |src: &Src| if let Src::Register(plane) = *src { origin[plane as usize] } else { 0 };
                    let from = instruction.src.iter().map(of).fold(0, |all, from| all | from);
                    set(&mut origin, instruction, if computes_addresses(op) { from } else { 0 });
                    continue;
                }
            };
            let base = base_plane(instruction).filter(|_| matches!(space, Space::Global | Space::Generic));
            let from = base.map_or(0, |plane| origin[plane as usize]);
            for param in (0..found.len().min(64)).filter(|param| from >> param & 1 != 0) {
                found[param] = match found[param] {
                    Use::Buffer { ty, is_read: before } => Use::Buffer { ty, is_read: before || is_read },
                    Use::Value => Use::Buffer { ty, is_read },
                };
            }
            set(&mut origin, instruction, 0);
        }
    }
    found
}

fn base_plane(instruction: &Instruction) -> Option<u32> {
    match instruction.address?.base {
        Base::Register32(plane) | Base::Register64(plane) => Some(plane),
        Base::None => None,
    }
}

/// Returns the parameter of 64 bits that a load from the parameter space reads.
fn param_at(program: &Program, instruction: &Instruction) -> Option<usize> {
    let address = instruction.address.filter(|address| address.base == Base::None)?;
    let at = program.param_offsets.iter().position(|&offset| i64::from(offset) == address.offset)?;
    (program.params[at].bytes == 8 && at < 64).then_some(at)
}

/// Notes the origin of what the instruction writes.
fn set(origin: &mut [u64], instruction: &Instruction, from: u64) {
    for dst in &instruction.dst {
        if let Dst::Register { plane, .. } = *dst {
            origin[plane as usize] = from;
        }
    }
}

/// Whether the result may be an address if an operand is one.
fn computes_addresses(op: Op) -> bool {
    matches!(op, Op::Mov(_) | Op::Cvta { .. } | Op::Int2(..) | Op::Int3(..) | Op::MadWide(_) | Op::Selp(_))
}

#[cfg(test)]
mod tests {
    use crate::interp::start::Start;
    use crate::launch::{Launch, Param};
    use crate::program::{Program, load};
    use crate::ptx::types::Type;

    fn kernel(params: &str, body: &str) -> Program {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k({params})\n{{\n\
             .reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
        );
        load(&text, None).expect("a kernel")
    }

    #[test]
    fn a_draft_fits_the_kernel_and_tells_buffers_from_values() {
        let program = kernel(
            ".param .u64 .ptr out, .param .u64 in, .param .u64 count, .param .u32 n, .param .f32 k_param_4, \
             .param .align 8 .b8 s[24]",
            "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [in];\ncvta.to.global.u64 %rd3, %rd2;\nmov.u32 %r1, %tid.x;\n\
             mul.wide.u32 %rd4, %r1, 4;\nadd.s64 %rd5, %rd3, %rd4;\nld.global.f32 %f1, [%rd5];\n\
             mad.wide.u32 %rd6, %r1, 4, %rd1;\nst.u32 [%rd6+4], %r1;\nld.param.u64 %rd7, [count];\nadd.s64 %rd8, %rd7, 1;",
        );
        let text = program.draft_launch();
        let launch = Launch::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        Start::check(&program, &launch).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let buffers: Vec<(&str, Type)> = launch.buffers().iter().map(|buffer| (buffer.name.as_str(), buffer.ty)).collect();
        assert_eq!(buffers, [("out", Type::U32), ("in", Type::F32)]);
        assert!(text.contains("random"), "what is read has contents: {text}");
        let values: Vec<u64> = launch
            .params
            .iter()
            .filter_map(|param| if let Param::Value { bits, .. } = param { Some(*bits) } else { None })
            .collect();
        assert_eq!(values, [512, 512, u64::from(1.0f32.to_bits())]);
        assert!(text.contains("# p4\n") && text.contains("# s, a struct"), "{text}");
    }

    #[test]
    fn a_kernel_that_needs_its_block_gets_it() {
        let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n.reqntid 8, 4, 1\n{\nret;\n}\n";
        let program = load(text, None).expect("a kernel");
        let launch = Launch::parse(&program.draft_launch()).expect("a launch");
        assert_eq!(launch.block, [8, 4, 1]);
        assert!(Start::check(&program, &launch).is_ok());
    }
}
