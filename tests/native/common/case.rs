//! Cases: small kernels with their expected effects, for what a table of inputs and outputs cannot say (memory, warps, barriers,
//! branches, traps). `tests/forms/README.md` describes the format.

use super::kernel::{Kernel, no_files};
use std::fmt::Write;
use warpscope_kernel::launch::{Buffer, Init, Launch, LaunchNumber, Param};
use warpscope_kernel::ptx::types::Type;

/// The words of `out` before the kernel writes them.
const UNTOUCHED: u32 = 0xcccc_cccc;

/// One kernel and its expected behaviour.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub title: String,
    pub threads: [u32; 3],
    pub blocks: u32,
    shared: u32,
    /// The most thread instructions that it may take, where the case limits them.
    pub at_most: Option<u64>,
    /// Parameters after `in` and `out`: declaration and bytes.
    params: Vec<(String, Vec<u8>)>,
    module: Vec<String>,
    /// PTX, with its line in the file of cases.
    body: Vec<(usize, String)>,
    input: Vec<u32>,
    pub wanted: Vec<u32>,
    /// The text that it prints.
    pub prints: String,
    /// Parts of the message of its trap.
    pub traps: Vec<String>,
    /// The line of the instruction that traps.
    pub culprit: Option<usize>,
    /// A part of the message with which it is refused.
    pub refused: Option<String>,
}

/// Parses a file of cases; panics with the line number if the file is invalid.
pub fn parse(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    let lines: Vec<(usize, &str)> = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())).collect();
    for block in lines.chunk_by(|_, (_, next)| !next.starts_with("case ")) {
        if block.first().is_some_and(|(_, line)| line.starts_with("case ")) {
            expand(block, &mut cases);
        }
    }
    cases
}

/// Expands a block into as many cases as its `each` lines have combinations.
fn expand(block: &[(usize, &str)], cases: &mut Vec<Case>) {
    let mut variants: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (number, line) in block {
        let Some(rest) = line.strip_prefix("each ") else { continue };
        let (names, values) = rest.split_once(": ").unwrap_or_else(|| panic!("line {number}: each NAMES: VALUES"));
        let names: Vec<&str> = names.split(',').collect();
        variants = (variants.iter())
            .flat_map(|variant| {
                values.split_whitespace().map(|value| {
                    let values: Vec<&str> = value.split(',').collect();
                    assert_eq!(names.len(), values.len(), "line {number}: {value}");
                    let pairs = names.iter().zip(values).map(|(name, value)| (format!("{{{name}}}"), value.to_string()));
                    variant.iter().cloned().chain(pairs).collect()
                })
            })
            .collect();
    }
    for variant in variants {
        let mut case = Case { threads: [1; 3], blocks: 1, ..Case::default() };
        for (number, line) in block {
            let line = variant.iter().fold(line.to_string(), |line, (name, value)| line.replace(name, value));
            case.read(*number, &line).unwrap_or_else(|| panic!("line {number}: {line}"));
        }
        cases.push(case);
    }
}

impl Case {
    fn read(&mut self, number: usize, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" | "#" | "each" => {}
            "case" => self.title = rest.to_string(),
            "threads" => {
                for (axis, size) in rest.split_whitespace().enumerate() {
                    *self.threads.get_mut(axis)? = size.parse().ok()?;
                }
            }
            "blocks" => self.blocks = rest.parse().ok()?,
            "shared" => self.shared = rest.parse().ok()?,
            "at-most" => self.at_most = Some(rest.parse().ok()?),
            "param" => {
                let (declaration, bytes) = rest.split_once(" = ")?;
                let byte = |at: usize| u8::from_str_radix(bytes.get(at..at + 2)?, 16).ok();
                self.params.push((declaration.to_string(), (0..bytes.len()).step_by(2).map(byte).collect::<Option<_>>()?));
            }
            "module" => self.module.push(rest.to_string()),
            "in" => self.input.extend(words(rest)?),
            "->" => self.wanted.extend(words(rest)?),
            "prints" => self.prints += &rest.replace("\\n", "\n"),
            "traps" => self.traps.push(rest.to_string()),
            "refused" => self.refused = Some(rest.to_string()),
            "!" => {
                self.culprit = Some(number);
                self.body.push((number, rest.to_string()));
            }
            _ => self.body.push((number, line.to_string())),
        }
        Some(())
    }

    /// Returns the kernel's text: the body after declarations of registers, every instruction with its line.
    pub fn ptx(&self) -> String {
        let mut out = String::from(".version 8.0\n.target sm_90\n.address_size 64\n");
        for line in &self.module {
            let _ = writeln!(out, "{line}");
        }
        let params: String = self.params.iter().map(|(declaration, _)| format!(", .param {declaration}")).collect();
        let constants = (0x80..0xc0).map(|byte: u32| byte.to_string()).collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, ".global .align 16 .b8 global_scratch[64];");
        let _ = writeln!(out, ".const .align 16 .b8 const_scratch[64] = {{{constants}}};");
        let _ = writeln!(out, ".visible .entry kernel(.param .u64 in, .param .u64 out{params})\n{{");
        out.push_str(PROLOGUE);
        for (number, line) in &self.body {
            if !line.starts_with(['.', '{', '}']) && !line.ends_with(':') {
                let _ = write!(out, ".loc 1 {number} 1\n    ");
            }
            let _ = writeln!(out, "{line}");
        }
        out.push_str("ret;\n}\n.file 1 \"case.cu\"\n");
        out
    }

    /// Returns the kernel bound to its launch.
    pub fn kernel(&self) -> Result<Kernel, String> {
        let buffer = |name: &str, words: Vec<u32>| {
            let init = Init::Values(words.iter().map(|&word| LaunchNumber::Int(word.into())).collect());
            Param::Buffer(Buffer { name: name.into(), ty: Type::U32, len: words.len() as u64, init })
        };
        let input = if self.input.is_empty() { vec![0] } else { self.input.clone() };
        let mut params = vec![buffer("in", input), buffer("out", vec![UNTOUCHED; self.wanted.len().max(1)])];
        params.extend(self.params.iter().map(|(_, bytes)| Param::Bytes(bytes.clone())));
        let launch = Launch {
            kernel: None,
            grid: [self.blocks, 1, 1],
            block: self.threads,
            shared: self.shared,
            params,
            globals: Vec::new(),
        };
        Kernel::with_launch(&self.ptx(), launch, &no_files)
    }
}

/// `%in` and `%out` are the buffers' addresses, `%t` the thread's number in the grid, `%mine` its word of `out`.
const PROLOGUE: &str = "\
    .reg .b64 %in, %out, %mine;
    .reg .b32 %t, %t1, %t2;
    .reg .b64 %rd<16>;
    .reg .b32 %r<40>;
    .reg .b16 %h<16>;
    .reg .pred %p<8>;
    .shared .align 16 .b8 shared_scratch[64];
    .local .align 16 .b8 local_scratch[64];
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mov.u32 %t, %ctaid.x;
    mov.u32 %t1, %ntid.x;
    mov.u32 %t2, %tid.x;
    mad.lo.s32 %t, %t, %t1, %t2;
    mad.wide.u32 %mine, %t, 4, %out;
";

/// Parses hexadecimal words; `5*3` is a word three times, `1..4` every word from the first to the last.
fn words(text: &str) -> Option<Vec<u32>> {
    let hex = |word: &str| u32::from_str_radix(word, 16).ok();
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        if let Some((value, times)) = word.split_once('*') {
            out.extend(std::iter::repeat_n(hex(value)?, times.parse().ok()?));
        } else if let Some((first, last)) = word.split_once("..") {
            out.extend(hex(first)?..=hex(last)?);
        } else {
            out.push(hex(word)?);
        }
    }
    Some(out)
}
