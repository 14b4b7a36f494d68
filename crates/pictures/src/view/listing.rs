//! The kernel's texts (CUDA, PTX, the loop over logical blocks), line by line, with the instructions of each line.

use std::rc::Rc;
use warpscope_kernel::program::passes::Rewrite;
use warpscope_kernel::program::{Dst, Pc, Plane, Program, SourcePlace, Src, transformed};
use warpscope_kernel::ptx::types::Type;

/// What is known of one line of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListingLine {
    /// The instructions that came from it.
    pub pcs: Vec<Pc>,
    /// Whether it holds a branch that can split a warp.
    pub branches: bool,
    /// Whether it is a reconvergence point.
    pub meets: bool,
    /// Whether it was hoisted: it runs once for all logical blocks, in front of the loop over them.
    pub hoisted: bool,
    /// Whether a pass inserted it as part of that loop.
    pub made: bool,
    /// One of [`TINTS`] colours; lines of all texts that came from one source line share it.
    pub tint: Option<u8>,
}

/// How many colours tell neighbouring source lines apart.
pub const TINTS: u8 = 6;

/// One of the kernel's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// The CUDA source.
    Cuda,
    /// The PTX as the compiler wrote it.
    Ptx,
    /// The PTX as it runs, inside the loop over logical blocks (VTW section 4.1).
    Loop,
}

/// A text, line by line.
#[derive(Clone, Debug, Default, PartialEq)]
struct Written {
    texts: Vec<String>,
    lines: Vec<ListingLine>,
    /// By instruction: its line, from 0.
    of: Vec<Option<u32>>,
}

impl Written {
    fn new(texts: Vec<String>, of: Vec<Option<u32>>) -> Written {
        Written { lines: vec![ListingLine::default(); texts.len()], texts, of }
    }
}

/// The kernel's texts line by line, and which instructions come from which line.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The PTX text.
    pub ptx: Rc<str>,
    /// The CUDA source, where it is known.
    pub cuda: Option<Rc<str>>,
    /// By [`Script`]; a text that does not exist has no lines.
    written: [Written; 3],
    /// By plane: whether instructions use the register as a floating-point number.
    floats: Vec<bool>,
    /// By instruction: the label before it; `None` before the first label.
    labels: Vec<Option<Label>>,
}

/// The label before an instruction.
#[derive(Clone, Debug, PartialEq)]
struct Label {
    /// Without the prefix that compilers add (`$L__` in `$L__BB0_2`).
    name: Rc<str>,
    /// Whether a compiler made it.
    by_compiler: bool,
    /// How many instructions behind the label the instruction is.
    behind: u32,
}

impl Listing {
    /// Relates the texts of a program that was made from `ptx`.
    pub fn new(program: &Program, ptx: Rc<str>, cuda: Option<Rc<str>>) -> Listing {
        let written = [written_cuda(program, cuda.as_deref()), written_ptx(program, &ptx), written_loop(program, &ptx)];
        let labels = labels(&ptx, &written[Script::Ptx as usize].of);
        let mut listing = Listing { floats: floats(program, &ptx), labels, ptx, cuda, written };
        for (pc, instruction) in program.instructions.iter().enumerate() {
            listing.each_line(pc as Pc, |line| {
                line.pcs.push(pc as Pc);
                line.hoisted |= instruction.rewrite == Some(Rewrite::Hoisted);
            });
            if matches!(instruction.rewrite, Some(Rewrite::Head | Rewrite::Again)) {
                listing.in_script(Script::Loop, pc as Pc, |line| line.made = true);
            }
        }
        for meeting in &program.reconvergence.meetings {
            listing.each_line(meeting.pc, |line| line.branches = true);
            if let Some(rpc) = meeting.rpc {
                listing.each_line(rpc, |line| line.meets = true);
            }
        }
        listing.give_tints(program.instructions.len() as Pc);
        listing
    }

    /// Gives every source line with code the next of the colours. A line of another text takes the colour of the first source
    /// line that it came from.
    fn give_tints(&mut self, instructions: Pc) {
        let mut tints = (0..TINTS).cycle();
        let sources: Vec<Option<u8>> =
            self.lines(Script::Cuda).iter().map(|line| (!line.pcs.is_empty()).then(|| tints.next()).flatten()).collect();
        for pc in 0..instructions {
            let tint = self.cuda_line(pc).and_then(|line| sources[line as usize - 1]);
            self.each_line(pc, |line| line.tint = line.tint.or(tint));
        }
    }

    fn each_line(&mut self, pc: Pc, mut change: impl FnMut(&mut ListingLine)) {
        for script in [Script::Cuda, Script::Ptx, Script::Loop] {
            self.in_script(script, pc, &mut change);
        }
    }

    fn in_script(&mut self, script: Script, pc: Pc, mut change: impl FnMut(&mut ListingLine)) {
        let written = &mut self.written[script as usize];
        let line = written.of.get(pc as usize).copied().flatten();
        if let Some(line) = line.and_then(|line| written.lines.get_mut(line as usize)) {
            change(line);
        }
    }

    /// Returns the lines of a text; empty where there is no such text.
    pub fn lines(&self, script: Script) -> &[ListingLine] {
        &self.written[script as usize].lines
    }

    /// Returns the instructions of a line (from 0) of a text.
    pub fn pcs(&self, script: Script, line: usize) -> &[Pc] {
        self.lines(script).get(line).map_or(&[], |line| &line.pcs)
    }

    /// Returns a line (from 0) of a text as it is shown.
    pub fn text(&self, script: Script, line: usize) -> &str {
        self.written[script as usize].texts.get(line).map_or("", String::as_str)
    }

    /// Returns the instruction's line in a text, from 1.
    pub fn line_in(&self, script: Script, pc: Pc) -> Option<u32> {
        self.written[script as usize].of.get(pc as usize).copied().flatten().map(|line| line + 1)
    }

    /// Returns the instruction's line in the PTX, from 1.
    pub fn ptx_line(&self, pc: Pc) -> Option<u32> {
        self.line_in(Script::Ptx, pc)
    }

    /// Returns the instruction's line in the CUDA source, from 1.
    pub fn cuda_line(&self, pc: Pc) -> Option<u32> {
        self.line_in(Script::Cuda, pc)
    }

    /// Whether a register of 32 or 64 bits holds a floating-point number.
    pub fn is_float(&self, plane: Plane) -> bool {
        self.floats.get(plane as usize).is_some_and(|float| *float)
    }

    /// Names the line of an instruction in a sentence: the source line where it is known, else the PTX line.
    pub fn line(&self, pc: Pc) -> String {
        match (self.cuda_line(pc), self.ptx_line(pc)) {
            (Some(line), _) => format!("line {line}"),
            (None, Some(line)) => format!("PTX line {line}"),
            (None, None) => "the end".to_string(),
        }
    }

    /// Names a place in the code as pictures do: by the kernel's label (`C`, or `C+2` for the second instruction behind its first);
    /// by its source line where that is known and the label is a compiler's, which says nothing to a reader.
    pub fn place(&self, pc: Pc) -> String {
        let Some(label) = self.labels.get(pc as usize) else { return "end".to_string() };
        match (self.cuda_line(pc), label) {
            (Some(line), None) => format!("line {line}"),
            (Some(line), Some(Label { by_compiler: true, .. })) => format!("line {line}"),
            (_, None) if pc == 0 => "start".to_string(),
            (_, None) => format!("start+{pc}"),
            (_, Some(Label { name, behind: 0, .. })) => name.to_string(),
            (_, Some(Label { name, behind, .. })) => format!("{name}+{behind}"),
        }
    }

    /// Names the range of a stack entry, `from → to`; without `to` it ends at the kernel's end.
    pub fn way(&self, pc: Pc, to: Option<Pc>) -> String {
        let (from, to) = (self.place(pc), to.map_or("end".to_string(), |to| self.place(to)));
        // Between two lines the word `line` stands once.
        let to = if from.starts_with("line ") { to.trim_start_matches("line ") } else { &to };
        format!("{from} → {to}")
    }

    /// Returns the text of an instruction.
    pub fn code(&self, program: &Program, pc: Pc) -> String {
        match program.instructions.get(pc as usize) {
            Some(_) => warpscope_kernel::program::inspect::code(program, &self.ptx, pc),
            None => String::new(),
        }
    }
}

/// Finds the label before each instruction and how many instructions lie between; `of` is the line of each instruction.
fn labels(ptx: &str, of: &[Option<u32>]) -> Vec<Option<Label>> {
    // By line: the label in force there, and the line of that label.
    let mut known = None;
    let before: Vec<Option<(&str, usize)>> = split(ptx)
        .enumerate()
        .map(|(at, line)| {
            if line.contains(".entry") || line.contains(".func") {
                known = None;
            }
            if let Some(name) = label(line) {
                known = Some((name, at));
            }
            known
        })
        .collect();
    let mut last = (usize::MAX, 0);
    let of_instruction = |(pc, line): (usize, &Option<u32>)| {
        let (written, at) = (*before.get((*line)? as usize)?)?;
        if last.0 != at {
            last = (at, pc as u32);
        }
        let name = written.trim_start_matches('$').trim_start_matches("L__");
        Some(Label { name: name.into(), by_compiler: written.starts_with('$'), behind: pc as u32 - last.1 })
    };
    of.iter().enumerate().map(of_instruction).collect()
}

/// Returns the label that a line begins with.
fn label(line: &str) -> Option<&str> {
    let (name, rest) = line.trim_start().split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
    let is_code = is_name && !rest.contains(".branchtargets") && !rest.starts_with(':');
    is_code.then_some(name)
}

/// Splits the CUDA source, where it is known, into lines and finds the line of each instruction.
fn written_cuda(program: &Program, cuda: Option<&str>) -> Written {
    let texts: Vec<String> = cuda.map_or_else(Vec::new, |cuda| split(cuda).map(|line| line.replace('\t', "    ")).collect());
    let main = main_file(program);
    let line = |place: SourcePlace| {
        let line = match place.outer {
            _ if place.file == main => place.line,
            Some((file, line)) if file == main => line,
            _ => return None,
        };
        line.checked_sub(1).filter(|&line| (line as usize) < texts.len())
    };
    let of = program.instructions.iter().map(|instruction| line(instruction.place?)).collect();
    Written::new(texts, of)
}

/// Splits the PTX into lines and finds the line of each instruction. Compilers write two tabs into most lines; they become two
/// spaces before an operation and one before its operands, so that more of the line fits.
fn written_ptx(program: &Program, ptx: &str) -> Written {
    let shown = |text: &str| {
        let words = text.trim_start_matches('\t');
        "  ".repeat(text.len() - words.len()) + &words.replace(" \t", " ").replace('\t', " ")
    };
    let starts: Vec<u32> =
        std::iter::once(0).chain(ptx.bytes().zip(1..).filter(|(c, _)| *c == b'\n').map(|(_, next)| next)).collect();
    let line = |start: u32| starts.partition_point(|&first| first <= start).saturating_sub(1) as u32;
    let of = program.instructions.iter().map(|instruction| Some(line(instruction.span.start))).collect();
    Written::new(split(ptx).map(shown).collect(), of)
}

/// Lists the program as it runs, where a pass has put a loop around it.
fn written_loop(program: &Program, ptx: &str) -> Written {
    if program.wrapper.is_none() {
        return Written::default();
    }
    let lines = transformed::lines(program, ptx);
    let mut of = vec![None; program.instructions.len()];
    for (line, (_, pc)) in lines.iter().enumerate() {
        pc.iter().for_each(|pc| of[*pc as usize] = Some(line as u32));
    }
    Written::new(lines.into_iter().map(|(text, _)| text).collect(), of)
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').map(|line| line.trim_end_matches('\r'))
}

/// Returns the file that most instructions name: the kernel's own.
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

/// Finds the registers that hold floating-point numbers by the instructions that use them. Declarations do not tell, because many
/// compilers declare all registers as bits. The first type of an opcode is that of its result, the last that of its operands
/// (`cvt.rzi.s32.f32`).
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

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(body: &str) -> Listing {
        let ptx =
            format!(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\n{body}\n}}\n");
        let program = warpscope_kernel::program::load(&ptx, None).expect("it is well written");
        Listing::new(&program, ptx.into(), None)
    }

    #[test]
    fn lines_of_one_source_line_have_its_tint() {
        let body = "mov.u32 %r1, 1;\n.loc 1 2 0\nmov.u32 %r2, 1;\n.loc 1 3 0\nmov.u32 %r1, 2;\n.loc 1 2 0\nret;";
        let ptx = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\n{body}\n}}\n.file 1 \"k.cu\"\n"
        );
        let program = warpscope_kernel::program::load(&ptx, None).expect("it is well written");
        let listing = Listing::new(&program, ptx.into(), Some("void k() {\n  a;\n  b;\n}".into()));
        let tints = |script| -> Vec<Option<u8>> { listing.lines(script).iter().map(|line| line.tint).collect() };
        assert_eq!(tints(Script::Cuda), [None, Some(0), Some(1), None]);
        let code: Vec<Option<u8>> = listing.lines(Script::Ptx).iter().filter(|l| !l.pcs.is_empty()).map(|l| l.tint).collect();
        assert_eq!(code, [None, Some(0), Some(1), Some(0)]);
    }

    #[test]
    fn places_have_the_names_of_labels() {
        let listing = listing("mov.u32 %r1, 1;\nmov.u32 %r2, 1;\nA:\nmov.u32 %r1, 2;\nmov.u32 %r2, 2;\n$L__BB0_2:\nret;");
        let names: Vec<String> = (0..6).map(|pc| listing.place(pc)).collect();
        assert_eq!(names, ["start", "start+1", "A", "A+1", "BB0_2", "end"]);
        assert_eq!((listing.way(2, Some(4)), listing.way(4, None)), ("A → BB0_2".into(), "BB0_2 → end".into()));
    }
}
