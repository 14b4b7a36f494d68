//! `warpscope inspect`: a kernel's blocks, reconvergence points, loops and registers.

use super::args::InspectArgs;
use super::subject::KernelSource;
use super::{Failure, print, print_json};
use serde::Serialize;
use warpscope_kernel::program::Program;
use warpscope_kernel::program::inspect::Inspection;
use warpscope_kernel::program::passes::Pass;
use warpscope_kernel::program::passes::virtualise::Dimensions;
use warpscope_kernel::program::reachable;
use warpscope_kernel::program::transformed;
use warpscope_kernel::ptx::problem::{self, Located, Span, Trouble};
use warpscope_kernel::ptx::{self, Module, Problem};

/// What `inspect --json` prints.
#[derive(Serialize)]
struct FileReport<'a> {
    kernels: &'a [Inspection],
    /// Kernels that cannot be run.
    refused: &'a [String],
    problems: Vec<Located<'a>>,
}

pub fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    let subject = KernelSource::open(&args.subject)?;
    let (module, mut problems) = ptx::parse(&subject.ptx);
    let names: Vec<String> =
        module.kernels().map(|k| k.name.clone()).filter(|name| args.kernel.as_ref().is_none_or(|k| k == name)).collect();
    if names.is_empty()
        && let Some(message) = nothing_to_show(&module, args.kernel.as_deref(), problems.is_empty())
    {
        problems.insert(0, Problem::new(Trouble::Name, Span::default(), message));
    }
    let (mut reports, mut refused, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let needed = reachable(&module, &name);
        let sound = !problems.iter().any(|p| p.function.as_ref().is_none_or(|f| needed.contains(f)));
        match if sound { Program::build(&module, &name) } else { Err(Vec::new()) } {
            Ok(program) if args.is_virtual || args.native => {
                let dimensions = Dimensions::named(&program);
                let native = args.native.then_some(Pass::Native);
                let virtualise = args.is_virtual.then_some(Pass::Virtualise { dimensions, most_registers: u32::MAX });
                let program = program.through(&native.into_iter().chain(virtualise).collect::<Vec<_>>());
                reports.push(Inspection::new(&program, &subject.ptx));
                texts.push(transformed::text(&program, &subject.ptx));
            }
            Ok(program) => reports.push(Inspection::new(&program, &subject.ptx)),
            Err(more) => {
                add_new(&mut problems, more);
                refused.push(name);
            }
        }
    }
    if args.json {
        let located = problem::located(&problems, &subject.ptx);
        print_json(&FileReport { kernels: &reports, refused: &refused, problems: located })?;
    } else {
        for text in &texts {
            print(text)?;
        }
        for report in reports.iter().filter(|_| !args.is_virtual && !args.native) {
            print(&if args.dot { report.dot() } else { report.text() })?;
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(subject.problems(&problems)) }
}

/// Returns the message for a file or name without a kernel to show, with the names of the kernels there are.
fn nothing_to_show(module: &Module, wanted: Option<&str>, sound: bool) -> Option<String> {
    let known: Vec<String> = module.kernels().map(|kernel| format!("`{}`", kernel.name)).collect();
    match (wanted, known.as_slice()) {
        (_, []) => sound.then(|| "the text has no kernel: no `.entry` with a body".to_string()),
        (Some("") | None, known) => Some(format!("--kernel needs a name; the kernels are {}", known.join(", "))),
        (Some(name), known) => {
            Some(format!("the text has no kernel (`.entry`) named `{name}`; the kernels are {}", known.join(", ")))
        }
    }
}

/// Adds problems that are not listed yet: two kernels may share a function that cannot be used.
fn add_new(problems: &mut Vec<Problem>, more: Vec<Problem>) {
    for problem in more {
        if !problems.iter().any(|known| known.span == problem.span && known.message == problem.message) {
            problems.push(problem);
        }
    }
}
