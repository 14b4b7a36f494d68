//! A report on a program: blocks, loops, reconvergence points, registers; as text, as JSON data, and for Graphviz.

use super::passes::Rewrite;
use super::{Program, SourcePlace};
use crate::ptx::op::Op;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;

/// Limit on the bytes of one instruction's text.
const MOST_OF_A_LINE: usize = 4000;

/// The data that `warpscope inspect` prints about one kernel.
#[derive(Serialize)]
pub struct Inspection {
    pub(crate) kernel: String,
    pub(crate) instructions: usize,
    pub(crate) registers_declared: usize,
    pub(crate) registers_needed: u32,
    /// The loop over logical blocks, if a pass has put one around the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrapper: Option<WrapperReport>,
    pub(crate) shared_bytes: u32,
    pub(crate) local_bytes: u32,
    pub(crate) constant_bytes: usize,
    pub(crate) params: Vec<ParamReport>,
    pub(crate) blocks: Vec<BlockReport>,
    pub(crate) branches: Vec<BranchReport>,
    /// PCs of exits with a guard, at which a warp may leave in part.
    pub partial_exits: Vec<u32>,
    /// Natural loops, one for each edge back to a header.
    pub loops: Vec<LoopReport>,
}

/// The loop over logical blocks (VTW section 4.1).
#[derive(Serialize)]
pub struct WrapperReport {
    /// Instructions in front of the loop.
    pub hoisted: u32,
    pub(crate) head: u32,
    pub(crate) body: u32,
    /// Registers that a thread needs without the loop.
    pub registers_before: u32,
}

/// A parameter of the kernel, and where it lies in the parameter space.
#[derive(Serialize)]
pub struct ParamReport {
    pub(crate) name: String,
    pub(crate) r#type: &'static str,
    pub(crate) bytes: u32,
    pub(crate) offset: u32,
}

/// A basic block, with its code.
#[derive(Serialize)]
pub struct BlockReport {
    pub(crate) block: usize,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) successors: Vec<usize>,
    pub(crate) exits: bool,
    pub(crate) source: Option<String>,
    pub(crate) code: Vec<String>,
}

/// A branch that may diverge.
#[derive(Serialize)]
pub struct BranchReport {
    pub(crate) pc: u32,
    pub(crate) block: u32,
    pub(crate) source: Option<String>,
    /// Reconvergence PC: where the two sides reconverge.
    pub rpc: Option<u32>,
    /// Likely-convergence PC.
    pub lpc: Option<u32>,
}

/// A natural loop, in numbers of blocks.
#[derive(Serialize)]
pub struct LoopReport {
    pub(crate) header: usize,
    pub(crate) latch: usize,
    /// The blocks of the loop, its header first.
    pub blocks: Vec<usize>,
    /// The loop has more blocks than these: in a kernel with very many loops, not all are listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
}

impl Inspection {
    /// Builds the report; `text` is the PTX that the program was built from.
    pub fn new(program: &Program, text: &str) -> Inspection {
        let mut files: HashMap<u32, &str> = HashMap::new();
        for file in &program.files {
            files.entry(file.index).or_insert(&file.name);
        }
        let place = |place: Option<SourcePlace>| {
            place.map(|place| format!("{}:{}", files.get(&place.file).copied().unwrap_or("?"), place.line))
        };
        let cfg = &program.cfg;
        Inspection {
            kernel: program.kernel.clone(),
            instructions: program.instructions.len(),
            registers_declared: program.registers.len(),
            registers_needed: program.registers_needed,
            wrapper: program.wrapper.as_ref().map(|wrapper| WrapperReport {
                hoisted: wrapper.head,
                head: wrapper.head,
                body: wrapper.body,
                registers_before: wrapper.registers_before,
            }),
            shared_bytes: program.shared_bytes,
            local_bytes: program.local_bytes,
            constant_bytes: program.constants.len(),
            params: program
                .params
                .iter()
                .zip(&program.param_offsets)
                .map(|(p, &offset)| ParamReport { name: p.name.clone(), r#type: p.ty.name(), bytes: p.bytes, offset })
                .collect(),
            blocks: cfg
                .blocks
                .iter()
                .enumerate()
                .map(|(at, block)| BlockReport {
                    block: at,
                    start: block.start,
                    end: block.end,
                    successors: block.successors.clone(),
                    exits: block.exits,
                    source: place(program.instructions[block.start as usize].place),
                    code: (block.start..block.end).map(|pc| code(program, text, pc)).collect(),
                })
                .collect(),
            branches: program
                .reconvergence
                .meetings
                .iter()
                .map(|meeting| BranchReport {
                    pc: meeting.pc,
                    block: cfg.block_of[meeting.pc as usize],
                    source: place(program.instructions[meeting.pc as usize].place),
                    rpc: meeting.rpc,
                    lpc: meeting.lpc,
                })
                .collect(),
            partial_exits: (0..)
                .zip(&program.instructions)
                .filter(|(_, instruction)| instruction.guard.is_some() && matches!(instruction.op, Op::Exit | Op::Ret))
                .map(|(pc, _)| pc)
                .collect(),
            loops: cfg
                .loops()
                .into_iter()
                .map(|l| LoopReport { header: l.header, latch: l.latch, blocks: l.body, more: !l.is_whole })
                .collect(),
        }
    }

    /// Writes the report as lines for a terminal.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = self.write_text(&mut out);
        out
    }

    fn write_text(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "kernel {}", self.kernel)?;
        writeln!(
            out,
            "  {} instructions, {} registers declared, {} 32-bit registers needed at once",
            self.instructions, self.registers_declared, self.registers_needed
        )?;
        writeln!(
            out,
            "  shared {} B, local {} B a thread, constant {} B",
            self.shared_bytes, self.local_bytes, self.constant_bytes
        )?;
        for param in &self.params {
            writeln!(out, "  param {} .{} ({} B at {})", param.name, param.r#type, param.bytes, param.offset)?;
        }
        // Branches stand in program order.
        let mut branches = self.branches.iter().peekable();
        for block in &self.blocks {
            let next = if block.successors.is_empty() {
                "end".to_string()
            } else {
                block.successors.iter().map(|b| format!("B{b}")).collect::<Vec<_>>().join(", ")
            };
            writeln!(
                out,
                "\nB{} [{}..{})  -> {next}{}",
                block.block,
                block.start,
                block.end,
                block.source.as_ref().map_or(String::new(), |s| format!("   {s}"))
            )?;
            for (at, line) in block.code.iter().enumerate() {
                let pc = block.start + at as u32;
                let meeting = branches.next_if(|branch| branch.pc == pc).map(meets).unwrap_or_default();
                let leaving = if self.partial_exits.binary_search(&pc).is_ok() { "   // lanes may exit here" } else { "" };
                writeln!(out, "{pc:6}  {line}{meeting}{leaving}")?;
            }
        }
        writeln!(out, "\nreconvergence points (where the two sides of a branch meet again)")?;
        if self.branches.is_empty() {
            let exits = match self.partial_exits.len() {
                0 => String::new(),
                exits => format!("; a warp may leave in part at {exits} of its exits"),
            };
            writeln!(out, "  none: no branch of this kernel can diverge{exits}")?;
        }
        for branch in &self.branches {
            writeln!(
                out,
                "  branch at {} (B{}){}{}",
                branch.pc,
                branch.block,
                meets(branch),
                branch.source.as_ref().map_or(String::new(), |s| format!("   {s}"))
            )?;
        }
        for l in &self.loops {
            write!(out, "loop B{} <- B{} over", l.header, l.latch)?;
            for block in &l.blocks {
                write!(out, " B{block}")?;
            }
            writeln!(out, "{}", if l.more { " and more" } else { "" })?;
        }
        Ok(())
    }

    /// Renders the control-flow graph for Graphviz; dashed edges lead to reconvergence points, dotted ones to likely-convergence
    /// points.
    pub fn dot(&self) -> String {
        let mut out = String::new();
        let _ = self.write_dot(&mut out);
        out
    }

    /// Returns the block that begins at an instruction.
    fn block_at(&self, pc: u32) -> Option<&BlockReport> {
        self.blocks.binary_search_by_key(&pc, |block| block.start).ok().map(|at| &self.blocks[at])
    }

    fn write_dot(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "digraph \"{}\" {{\n  node [shape=box, fontname=monospace];", escape(&self.kernel))?;
        for block in &self.blocks {
            let mut label = format!("B{} [{}..{})", block.block, block.start, block.end);
            for line in &block.code {
                label.push('\n');
                label.push_str(line);
            }
            writeln!(out, "  b{} [label=\"{}\\l\"];", block.block, escape(&label).replace('\n', "\\l"))?;
            for next in &block.successors {
                writeln!(out, "  b{} -> b{next};", block.block)?;
            }
            if block.exits {
                writeln!(out, "  b{} -> exit;", block.block)?;
            }
        }
        for branch in &self.branches {
            for (point, style) in [(branch.rpc, "dashed"), (branch.lpc, "dotted")] {
                if let Some(block) = point.and_then(|pc| self.block_at(pc)) {
                    writeln!(out, "  b{} -> b{} [style={style}, constraint=false];", branch.block, block.block)?;
                }
            }
        }
        writeln!(out, "  exit [shape=circle, label=\"\"];\n}}")
    }
}

fn meets(branch: &BranchReport) -> String {
    let rpc = branch.rpc.map_or("only at exit".to_string(), |pc| format!("at {pc}"));
    let lpc = branch.lpc.map_or(String::new(), |pc| format!(", likely at {pc}"));
    format!("   // reconverges {rpc}{lpc}")
}

/// Returns an instruction's PTX text on one line, with the rewrite that a pass made as a comment.
pub fn code(program: &Program, text: &str, pc: u32) -> String {
    let instruction = &program.instructions[pc as usize];
    let mut written = match &instruction.text {
        Some(made) => made.to_string(),
        None => on_one_line(instruction.span.text(text)),
    };
    if instruction.text.is_none() {
        written = program.renamed.put(&written);
    }
    if let (Some(Rewrite::Predicated), Some(guard)) = (instruction.rewrite, instruction.guard) {
        written = format!("{}{written}", program.guard_text(guard));
    }
    if instruction.rewrite == Some(Rewrite::Index) {
        written = program.with_registers(&written);
    }
    match instruction.rewrite {
        Some(rewrite) => format!("{written} // {}", rewrite.text()),
        None => written,
    }
}

/// Puts a text on one line, as much of it as one may show.
fn on_one_line(text: &str) -> String {
    let is_long = text.len() > MOST_OF_A_LINE;
    let end = if is_long { (0..=MOST_OF_A_LINE).rfind(|at| text.is_char_boundary(*at)).unwrap_or(0) } else { text.len() };
    let mut line = text[..end].split_whitespace().collect::<Vec<_>>().join(" ");
    if is_long {
        line.push('…');
    }
    line
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
