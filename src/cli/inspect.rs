//! `warpscope inspect`: a kernel's blocks, reconvergence points, loops and registers.

use super::args::InspectArgs;
use super::subject::KernelSource;
use super::{Failure, print, print_json};
use serde::Serialize;
use std::collections::HashSet;
use warpscope_kernel::program::Program;
use warpscope_kernel::program::inspect::Inspection;
use warpscope_kernel::program::passes::Pass;
use warpscope_kernel::program::passes::virtualise::Dimensions;
use warpscope_kernel::program::transformed;
use warpscope_kernel::program::{listed, reachable};
use warpscope_kernel::ptx::problem::{self, Located, Span, Trouble};
use warpscope_kernel::ptx::{self, Module, Problem};

/// Limit on the instructions of all kernels that are shown at once, with what each kernel has of the module.
const MOST_SHOWN: usize = 4_000_000;

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
    // Two kernels may share a function that cannot be used, whose problems are listed once.
    let mut known: HashSet<(Span, String)> = problems.iter().map(|p| (p.span, p.message.clone())).collect();
    let mut unsound: HashSet<Option<String>> = problems.iter().map(|p| p.function.clone()).collect();
    let mut shown = 0;
    for name in names {
        if shown > MOST_SHOWN {
            let message = format!(
                "the kernels in front of `{name}` have more than {MOST_SHOWN} instructions, variables and constants: \
                 name one kernel with --kernel"
            );
            problems.push(Problem::new(Trouble::Choice, Span::default(), message));
            break;
        }
        let needed = reachable(&module, &name);
        let sound = !unsound.contains(&None) && !needed.into_iter().any(|function| unsound.contains(&Some(function)));
        shown += module.variables.len() + module.files.len();
        match if sound { Program::build(&module, &name) } else { Err(Vec::new()) } {
            Ok(program) if args.is_virtual || args.native || args.its => {
                let dimensions = Dimensions::named(&program);
                let native = args.native.then_some(Pass::Native { meetings: !args.its });
                let converge = args.its.then_some(Pass::Converge);
                let virtualise = args.is_virtual.then_some(Pass::Virtualise { dimensions, most_registers: u32::MAX });
                let before = program.instructions.len();
                let program = program.through(&native.into_iter().chain(converge).chain(virtualise).collect::<Vec<_>>());
                shown += before.max(program.instructions.len()) + program.constants.len() / 64;
                reports.push(Inspection::new(&program, &subject.ptx));
                texts.push(transformed::text(&program, &subject.ptx));
            }
            Ok(program) => {
                shown += program.instructions.len() + program.constants.len() / 64;
                reports.push(Inspection::new(&program, &subject.ptx));
            }
            Err(more) => {
                for problem in more.into_iter().filter(|p| known.insert((p.span, p.message.clone()))) {
                    unsound.insert(problem.function.clone());
                    problems.push(problem);
                }
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
        for report in reports.iter().filter(|_| !args.is_virtual && !args.native && !args.its) {
            print(&if args.dot { report.dot() } else { report.text() })?;
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(subject.problems(&problems)) }
}

/// Returns the message for a file or name without a kernel to show, with the names of the kernels there are.
fn nothing_to_show(module: &Module, wanted: Option<&str>, sound: bool) -> Option<String> {
    let known: Vec<&str> = module.kernels().map(|kernel| kernel.name.as_str()).collect();
    match (wanted, known.as_slice()) {
        (_, []) => sound.then(|| "the text has no kernel: no `.entry` with a body".to_string()),
        (Some("") | None, known) => Some(format!("--kernel needs a name; the kernels are {}", listed(known))),
        (Some(name), known) => {
            Some(format!("the text has no kernel (`.entry`) named `{name}`; the kernels are {}", listed(known)))
        }
    }
}
