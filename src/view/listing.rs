//! The kernel's two texts, line by line, and which instructions came from which line.

use crate::program::{Dst, Pc, Plane, Program, Src};
use crate::ptx::types::Type;
use std::rc::Rc;

/// A line of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The instructions that came from it.
    pub pcs: Vec<Pc>,
    /// It holds a branch that can split a warp.
    pub branches: bool,
    /// Threads meet again here (a reconvergence point).
    pub meets: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    pub ptx: Rc<str>,
    /// The CUDA source, where it is known.
    pub cuda: Option<Rc<str>>,
    ptx_starts: Vec<u32>,
    cuda_starts: Vec<u32>,
    ptx_lines: Vec<Line>,
    cuda_lines: Vec<Line>,
    /// Line of each instruction, from 0.
    ptx_of: Vec<u32>,
    cuda_of: Vec<Option<u32>>,
    /// By plane: registers that instructions take for floating-point numbers.
    floats: Vec<bool>,
}

impl Listing {
    pub fn new(program: &Program, ptx: Rc<str>, cuda: Option<Rc<str>>) -> Listing {
        let ptx_starts = starts(&ptx);
        let cuda_starts = cuda.as_deref().map_or_else(Vec::new, starts);
        let ptx_of: Vec<u32> = program
            .instructions
            .iter()
            .map(|instruction| ptx_starts.partition_point(|&start| start <= instruction.span.start).saturating_sub(1) as u32)
            .collect();
        let main = main_file(program);
        let cuda_of: Vec<Option<u32>> = program
            .instructions
            .iter()
            .map(|instruction| {
                let place = instruction.place?;
                let line = match place.outer {
                    _ if place.file == main => place.line,
                    Some((file, line)) if file == main => line,
                    _ => return None,
                };
                line.checked_sub(1).filter(|&line| (line as usize) < cuda_starts.len())
            })
            .collect();
        let mut listing = Listing {
            floats: floats(program, &ptx),
            ptx_lines: vec![Line::default(); ptx_starts.len()],
            cuda_lines: vec![Line::default(); cuda_starts.len()],
            ptx,
            cuda,
            ptx_starts,
            cuda_starts,
            ptx_of,
            cuda_of,
        };
        for pc in 0..program.instructions.len() as Pc {
            listing.each_line(pc, |line| line.pcs.push(pc));
        }
        for meeting in &program.reconvergence.meetings {
            listing.each_line(meeting.pc, |line| line.branches = true);
            if let Some(rpc) = meeting.rpc {
                listing.each_line(rpc, |line| line.meets = true);
            }
        }
        listing
    }

    fn each_line(&mut self, pc: Pc, mut change: impl FnMut(&mut Line)) {
        if let Some(line) = self.ptx_lines.get_mut(self.ptx_of[pc as usize] as usize) {
            change(line);
        }
        if let Some(line) = self.cuda_of[pc as usize].and_then(|line| self.cuda_lines.get_mut(line as usize)) {
            change(line);
        }
    }

    pub fn ptx_lines(&self) -> &[Line] {
        &self.ptx_lines
    }

    pub fn cuda_lines(&self) -> &[Line] {
        &self.cuda_lines
    }

    /// A line of the PTX as it is shown. Compilers write two tabs into most lines; two spaces before an operation and one
    /// before its operands leave more of it in sight.
    pub fn ptx_text(&self, line: usize) -> String {
        let text = text_of(&self.ptx, &self.ptx_starts, line);
        let words = text.trim_start_matches('\t');
        "  ".repeat(text.len() - words.len()) + &words.replace(" \t", " ").replace('\t', " ")
    }

    /// A line of the CUDA source as it is shown.
    pub fn cuda_text(&self, line: usize) -> String {
        let text = self.cuda.as_deref().map_or("", |cuda| text_of(cuda, &self.cuda_starts, line));
        text.replace('\t', "    ")
    }

    /// The instruction's line in the PTX, from 1.
    pub fn ptx_line(&self, pc: Pc) -> Option<u32> {
        self.ptx_of.get(pc as usize).map(|line| line + 1)
    }

    /// The instruction's line in the CUDA source, from 1.
    pub fn cuda_line(&self, pc: Pc) -> Option<u32> {
        self.cuda_of.get(pc as usize).copied().flatten().map(|line| line + 1)
    }

    /// Whether a register of 32 or 64 bits holds a floating-point number.
    pub fn is_float(&self, plane: Plane) -> bool {
        self.floats.get(plane as usize).is_some_and(|float| *float)
    }

    /// The line that a sentence should name: of the source where it is there, else of the PTX.
    pub fn line(&self, pc: Pc) -> String {
        match (self.cuda_line(pc), self.ptx_line(pc)) {
            (Some(line), _) => format!("line {line}"),
            (None, Some(line)) => format!("PTX line {line}"),
            (None, None) => "the end".to_string(),
        }
    }

    /// The instruction as it is written.
    pub fn code(&self, program: &Program, pc: Pc) -> String {
        match program.instructions.get(pc as usize) {
            Some(_) => crate::program::inspect::code(program, &self.ptx, pc),
            None => String::new(),
        }
    }
}

/// The file that most instructions name: the kernel's own.
fn main_file(program: &Program) -> u32 {
    let mut counts: Vec<(u32, usize)> = Vec::new();
    for place in program.instructions.iter().filter_map(|i| i.place) {
        let file = place.outer.map_or(place.file, |(file, _)| file);
        match counts.iter_mut().find(|(known, _)| *known == file) {
            Some((_, count)) => *count += 1,
            None => counts.push((file, 1)),
        }
    }
    counts.into_iter().max_by_key(|&(_, count)| count).map_or(0, |(file, _)| file)
}

/// What registers hold is told by the instructions, not by names or declarations: many compilers declare all as bits. The
/// first type of an opcode is that of what it writes, the last that of what it reads (`cvt.rzi.s32.f32`).
fn floats(program: &Program, ptx: &str) -> Vec<bool> {
    let mut floats = vec![false; program.planes as usize];
    for instruction in &program.instructions {
        let opcode = instruction.span.text(ptx).split_whitespace().find(|word| !word.starts_with('@')).unwrap_or("");
        let float = |ty: Option<Type>| matches!(ty, Some(Type::F32 | Type::F64));
        let mut types = opcode.split(['.', ';']).filter_map(Type::from_name);
        let first = types.next();
        let last = types.next_back().or(first);
        let written = instruction.dst.iter().filter_map(|dst| match dst {
            Dst::Register { plane, .. } if float(first) => Some(*plane),
            _ => None,
        });
        let read = instruction.src.iter().filter_map(|src| match src {
            Src::Register(plane) if float(last) => Some(*plane),
            _ => None,
        });
        for plane in written.chain(read) {
            floats[plane as usize] = true;
        }
    }
    floats
}

fn starts(text: &str) -> Vec<u32> {
    std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, c)| *c == b'\n').map(|(at, _)| at as u32 + 1)).collect()
}

fn text_of<'a>(text: &'a str, starts: &[u32], line: usize) -> &'a str {
    let Some(&start) = starts.get(line) else { return "" };
    let end = starts.get(line + 1).map_or(text.len(), |&next| next as usize - 1);
    text.get(start as usize..end).unwrap_or("").trim_end_matches('\r')
}
