//! Parses and checks the two texts, without running the kernel.

use super::{Finding, Origin, TextSpot, grouped};
use std::rc::Rc;
use warpscope_kernel::interp::job::Job;
use warpscope_kernel::launch::{Launch, LaunchError};
use warpscope_kernel::program::{self, Program};
use warpscope_kernel::ptx::{self, Module, Problem, Span, Trouble};
use warpscope_machine::run::Draft;

/// Longest text that the page reads, in bytes, with room for 100,000 instructions. The browser takes seconds to lay out a longer
/// one in a text field.
pub const MOST_TEXT_BYTES: usize = 3 << 20;
/// Most bytes in all buffers of a launch; filling more would block the page.
const MOST_BUFFER_BYTES: u64 = 32 << 20;

/// The problems of the two texts, and what can run.
#[derive(Clone, PartialEq)]
pub struct Reading {
    /// The problems of the PTX.
    pub ptx: Rc<[Finding]>,
    /// The problems of the launch file.
    pub launch: Rc<[Finding]>,
    /// The kernel and launch to run, or why there are none.
    pub ready: Result<Ready, String>,
}

/// A kernel and a launch that fit together, with filled buffers.
#[derive(Clone)]
pub struct Ready {
    /// The kernel with its launch and its filled buffers.
    pub job: Rc<Job>,
}

/// Compares by allocation, since every change of a text makes a new reading.
impl PartialEq for Ready {
    fn eq(&self, other: &Ready) -> bool {
        Rc::ptr_eq(&self.job, &other.job)
    }
}

/// A PTX text that has been parsed, so that several launches can be read for it.
pub(super) struct ParsedPtx<'a> {
    text: &'a str,
    module: Module,
    problems: Vec<Problem>,
}

impl ParsedPtx<'_> {
    /// Parses the text; one that is empty or too long counts as an empty module.
    pub(super) fn new(text: &str) -> ParsedPtx<'_> {
        let (module, problems) = if text.len() > MOST_TEXT_BYTES || text.trim().is_empty() {
            (Module::default(), Vec::new())
        } else {
            ptx::parse(text)
        };
        ParsedPtx { text, module, problems }
    }

    fn findings(&self) -> Rc<[Finding]> {
        match too_long(self.text) {
            Some(finding) => Rc::new([finding]),
            None => findings(&self.problems, self.text),
        }
    }
}

/// Parses both texts and checks that they fit together. The launch may name files of the catalogue kernel `origin`. An empty
/// text has no problems, but cannot run.
///
/// All problems of the PTX are reported; those in kernels that the launch does not use do not prevent a run.
pub fn read(ptx: &str, launch: &str, origin: Option<Origin>) -> Reading {
    read_parsed(&ParsedPtx::new(ptx), launch, origin)
}

/// Reads a launch for a kernel that has been parsed; see [`read`].
pub(super) fn read_parsed(ptx: &ParsedPtx, launch: &str, origin: Option<Origin>) -> Reading {
    let mut reading = Reading { ptx: ptx.findings(), launch: Rc::default(), ready: Err(String::new()) };
    let parsed = if launch.trim().is_empty() { None } else { Some(read_launch(launch)) };
    reading.ready = match parsed {
        _ if ptx.text.trim().is_empty() => Err("Choose a kernel, or paste one.".into()),
        None => Err("The kernel needs a launch: grid, block and parameters.".into()),
        Some(Err(finding)) => {
            reading.launch = Rc::new([finding]);
            Err("The launch has a problem.".into())
        }
        Some(Ok(_)) if ptx.text.len() > MOST_TEXT_BYTES => Err("The PTX is too long.".into()),
        Some(Ok(parsed)) => fit(ptx, parsed, origin).map_err(|misfit| match misfit {
            Misfit::Ptx(findings) => {
                if reading.ptx.is_empty() {
                    reading.ptx = findings;
                }
                "The PTX has problems.".into()
            }
            Misfit::Launch(message) => {
                reading.launch = Rc::new([Finding { place: None, message, help: None }]);
                "Kernel and launch do not fit together.".into()
            }
            Misfit::Buffers(error) => {
                reading.launch = Rc::new([of_launch(&error, launch)]);
                "A buffer cannot be filled.".into()
            }
        }),
    };
    reading
}

fn read_launch(text: &str) -> Result<Launch, Finding> {
    if let Some(finding) = too_long(text) {
        return Err(finding);
    }
    let launch = Launch::parse(text).map_err(|error| of_launch(&error, text))?;
    let bytes: u64 = launch.buffers().iter().map(|buffer| buffer.bytes()).sum();
    if bytes > MOST_BUFFER_BYTES {
        return Err(Finding {
            place: None,
            message: format!(
                "the buffers hold {} bytes in total; the page allows {}",
                grouped(bytes),
                grouped(MOST_BUFFER_BYTES)
            ),
            help: Some("Make them shorter, or use the command line.".into()),
        });
    }
    Ok(launch)
}

/// Why a kernel and a launch do not fit together.
enum Misfit {
    Ptx(Rc<[Finding]>),
    Launch(String),
    Buffers(LaunchError),
}

fn fit(ptx: &ParsedPtx, launch: Launch, origin: Option<Origin>) -> Result<Ready, Misfit> {
    let draft = Draft::new(&ptx.module, &ptx.problems, launch).map_err(|problems| match problems.as_slice() {
        // Which kernel to run is the launch's problem.
        [problem] if problem.trouble == Trouble::Choice => Misfit::Launch(problem.message.clone()),
        problems => Misfit::Ptx(findings(problems, ptx.text)),
    })?;
    draft.check().map_err(|error| Misfit::Launch(error.to_string()))?;
    check_variables(&draft.program, &draft.launch)?;
    let kernel = draft.program.kernel.clone();
    let read_file = |name: &str| {
        let catalogue = origin.filter(|origin| *origin.workload.name == *kernel);
        let file = catalogue.and_then(|origin| (origin.workload.file)(name));
        file.ok_or_else(|| "a launch on the page cannot read files; use the command line, or give values".to_string())
    };
    let job = draft.fill(&read_file).map_err(Misfit::Buffers)?;
    Ok(Ready { job: Rc::new(job) })
}

/// Rejects a launch that sets a module variable larger than all buffers together may be.
fn check_variables(program: &Program, launch: &Launch) -> Result<(), Misfit> {
    let is_named = |name: &str| launch.globals.iter().any(|global| global.name == name);
    match program.variables.iter().find(|variable| is_named(&variable.name) && variable.bytes > MOST_BUFFER_BYTES) {
        None => Ok(()),
        Some(variable) => {
            let (name, bytes, most) = (variable.name.clone(), grouped(variable.bytes), grouped(MOST_BUFFER_BYTES));
            let message = format!("it has {bytes} bytes; the page sets variables of up to {most}");
            Err(Misfit::Buffers(LaunchError::Global { name, message }))
        }
    }
}

/// Returns a launch that fits the first kernel of the text that has no problems.
pub(super) fn draft(ptx: &str) -> Option<String> {
    let ParsedPtx { module, problems, .. } = ParsedPtx::new(ptx);
    module
        .kernels()
        .find_map(|kernel| program::load_parsed(&module, &problems, Some(&kernel.name)).ok())
        .map(|program| program.draft_launch())
}

fn findings(problems: &[Problem], text: &str) -> Rc<[Finding]> {
    problems.iter().map(|problem| of_ptx(problem, text)).collect()
}

/// Returns the message about a text that is too long, to be put behind the text's name.
pub fn too_large(bytes: u64) -> String {
    format!("has {} bytes; the page reads up to {}", grouped(bytes), grouped(MOST_TEXT_BYTES as u64))
}

fn too_long(text: &str) -> Option<Finding> {
    (text.len() > MOST_TEXT_BYTES).then(|| Finding {
        place: None,
        message: format!("the text {}", too_large(text.len() as u64)),
        help: Some("Use the command line for it.".into()),
    })
}

fn of_ptx(problem: &Problem, text: &str) -> Finding {
    if problem.span == Span::default() {
        return Finding { place: None, message: problem.message.clone(), help: problem.help.clone() };
    }
    let at = problem.located(text);
    // Only the first line of a problem is marked.
    let width = if at.end_line == at.line { at.end_column.saturating_sub(at.column) } else { at.source_line.chars().count() };
    Finding {
        place: Some(TextSpot { line: at.line, column: at.column, width }),
        message: problem.message.clone(),
        help: problem.help.clone(),
    }
}

fn of_launch(error: &LaunchError, text: &str) -> Finding {
    let place = match error {
        // The place of the buffer's name in the text.
        LaunchError::Fill { buffer, .. } | LaunchError::Global { name: buffer, .. } => {
            text.find(&format!("\"{buffer}\"")).map(|at| {
                let before = text[..at].rsplit('\n').next().unwrap_or("");
                (text[..at].split('\n').count(), before.chars().count() + 1)
            })
        }
        error => error.place().map(|place| (place.line, place.column)),
    };
    let place = place.map(|(line, column)| TextSpot { line, column, width: width(text, line, column) });
    // The editor shows the line and marks the place, so the message keeps only the sentence.
    let message = match error {
        LaunchError::Text { message, place: Some(_) } => after_snippet(message),
        LaunchError::Meaning { message, .. } => message.clone(),
        other => other.to_string(),
    };
    Finding { place, message, help: None }
}

/// Returns the width in characters of the value or name that begins at a line and column, both from 1.
fn width(text: &str, line: usize, column: usize) -> usize {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or("");
    let from = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let rest = &line[from..];
    let found = match rest.as_bytes().first() {
        Some(b'"') => rest[1..].find('"').map(|at| at + 2),
        Some(b'[') => rest.rfind(']').map(|at| at + 1),
        Some(b'{') => rest.rfind('}').map(|at| at + 1),
        _ => rest.bytes().position(|c| !(c.is_ascii_alphanumeric() || b"_-+.".contains(&c))),
    };
    found.map_or(rest, |end| &rest[..end]).chars().count().max(1)
}

/// Returns the part of a message below the source lines that it quotes.
fn after_snippet(message: &str) -> String {
    let lines: Vec<&str> = message.lines().collect();
    let sentence = lines.iter().rposition(|line| line.trim_start().starts_with('|')).map_or(0, |caret| caret + 1);
    lines[sentence..].join(" ")
}
