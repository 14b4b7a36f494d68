//! `warpscope run`.

use super::args::RunArgs;
use super::subject::Subject;
use super::{Failure, print, print_json};
use crate::interp::memory::Global;
use crate::interp::reference;
use crate::interp::start::Start;
use crate::interp::trap::Trap;
use crate::launch::BufferData;
use serde::Serialize;
use std::time::Instant;

/// Threads of a PTX warp on every machine that PTX was written for.
const PTX_WARP: u32 = 32;

/// What `run --reference --json` prints.
#[derive(Serialize)]
struct ReferenceReport<'a> {
    kernel: &'a str,
    machine: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    thread_instructions: u64,
    buffers: Vec<BufferReport<'a>>,
    /// What the kernel printed.
    output: String,
    check: Option<&'static str>,
    trap: Option<&'a Trap>,
    host: Speed,
}

#[derive(Serialize)]
struct BufferReport<'a> {
    name: &'a str,
    r#type: &'static str,
    len: u64,
    bytes: u64,
}

/// Speed of the simulator itself.
#[derive(Serialize)]
struct Speed {
    seconds: f64,
    thread_instructions_per_s: f64,
}

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let subject = Subject::open(&args.subject)?;
    if !args.reference {
        return Err(Failure::Input("the cycle-level machine is not there yet: run with --reference".into()));
    }
    // Problems of the kernel come before those of the launch, but the launch may say which kernel.
    let launch = subject.launch(args.launch.as_deref());
    let kernel = launch.as_ref().ok().and_then(|(launch, _)| launch.kernel.clone());
    let program = subject.program(kernel.as_deref())?;
    let (launch, before) = launch?;
    let dumps = parse_dumps(&args.dump, &before)?;
    let start = Start::new(&program, &launch, &before, PTX_WARP, 1).map_err(Failure::input)?;

    let clock = Instant::now();
    let outcome = reference::run(&program, &start, args.max_cycles);
    let seconds = clock.elapsed().as_secs_f64();

    let trap = outcome.trap.map(|trap| trap.in_text(&program, &subject.ptx));
    let after = read_back(&outcome.global, &before);
    for (buffer, path) in dumps {
        let bytes = after.iter().find(|b| b.name == buffer).map_or(&[][..], |b| &b.bytes);
        std::fs::write(path, bytes).map_err(|error| Failure::Input(format!("cannot write `{path}`: {error}")))?;
    }
    let check = match (args.check, subject.workload, &trap) {
        (true, Some(workload), None) => Some(workload.check(&launch, &before, &after).map_err(|m| m.to_string())),
        (true, None, None) => {
            return Err(Failure::Input("--check with --reference needs a workload: a file has no reference but this one".into()));
        }
        _ => None,
    };
    let output = String::from_utf8_lossy(&outcome.output);
    if args.json {
        print_json(&ReferenceReport {
            kernel: &program.kernel,
            machine: "scalar reference",
            grid: launch.grid,
            block: launch.block,
            thread_instructions: outcome.thread_instructions,
            buffers: after
                .iter()
                .map(|b| BufferReport { name: &b.name, r#type: b.ty.name(), len: b.bytes.len() as u64 / u64::from(b.ty.bytes()), bytes: b.bytes.len() as u64 })
                .collect(),
            output: output.into_owned(),
            check: check.as_ref().map(|result| if result.is_ok() { "ok" } else { "failed" }),
            trap: trap.as_ref(),
            host: Speed { seconds, thread_instructions_per_s: outcome.thread_instructions as f64 / seconds.max(1e-9) },
        });
    } else {
        if !output.is_empty() {
            print(&output);
        }
        print(&format!(
            "{}: {} thread instructions by the scalar reference, in {seconds:.3} s",
            program.kernel, outcome.thread_instructions
        ));
        if let Some(Ok(())) = check {
            print("check: every buffer is as the workload's reference leaves it");
        }
    }
    match (trap, check) {
        (Some(trap), _) => Err(Failure::Kernel(format!("{} trapped: {trap}", program.kernel))),
        (None, Some(Err(mismatch))) => Err(Failure::Kernel(format!("check failed: {mismatch}"))),
        _ => Ok(()),
    }
}

/// `BUFFER=FILE` pairs, each naming a buffer of the launch.
fn parse_dumps<'a>(flags: &'a [String], buffers: &[BufferData]) -> Result<Vec<(&'a str, &'a str)>, Failure> {
    flags
        .iter()
        .map(|flag| {
            let (buffer, path) = flag.split_once('=').ok_or_else(|| Failure::Input(format!("--dump wants BUFFER=FILE, not `{flag}`")))?;
            if buffers.iter().any(|b| b.name == buffer) {
                return Ok((buffer, path));
            }
            let names: Vec<&str> = buffers.iter().map(|b| b.name.as_str()).collect();
            Err(Failure::Input(format!("--dump {flag}: the launch has no buffer `{buffer}`; it has {}", names.join(", "))))
        })
        .collect()
}

/// The buffers' contents after a run.
fn read_back(global: &Global, before: &[BufferData]) -> Vec<BufferData> {
    let last = |name: &str| global.read_buffer(name).unwrap_or_default();
    before.iter().map(|b| BufferData { name: b.name.clone(), ty: b.ty, bytes: last(&b.name) }).collect()
}
