//! `warpscope run`: runs a kernel on a machine, or by the scalar reference.

use super::args::RunArgs;
use super::subject::KernelSource;
use super::{Failure, print, print_json, print_raw, settings, trace, warn};
use serde::Serialize;
use std::time::Instant;
use warpscope_catalogue::Mismatch;
use warpscope_kernel::interp::job::Job;
use warpscope_kernel::interp::memory::Global;
use warpscope_kernel::interp::reference;
use warpscope_kernel::interp::shape::GridShape;
use warpscope_kernel::interp::trap::Trap;
use warpscope_kernel::launch::BufferData;
use warpscope_kernel::program::Program;
use warpscope_machine::config::{Config, MachineSpec};
use warpscope_machine::metrics::{Metrics, Report};
use warpscope_machine::run::Draft;
use warpscope_machine::sim::footprint::{BUDGET, Footprint, memory_bytes};
use warpscope_machine::sim::{self, Sim};
use warpscope_study::check;

/// Threads of a PTX warp on every machine that PTX was written for.
const PTX_WARP: u32 = 32;

/// The checked inputs of a run.
struct Task {
    subject: KernelSource,
    job: Job,
}

/// What a run left, on a machine or by the reference.
struct Finished {
    after: Vec<BufferData>,
    output: Vec<u8>,
    trap: Option<Trap>,
}

/// The part of a JSON report that every run has.
#[derive(Serialize)]
struct Common<'a> {
    kernel: &'a str,
    machine: &'a str,
    technique: Option<&'a str>,
    grid: [u32; 3],
    block: [u32; 3],
    buffers: Vec<BufferReport<'a>>,
    /// What the kernel printed.
    output: String,
    check: Option<&'static str>,
    trap: Option<&'a Trap>,
}

#[derive(Serialize)]
struct BufferReport<'a> {
    name: &'a str,
    r#type: &'static str,
    len: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct ReferenceReport<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    thread_instructions: u64,
    host: ReferenceSpeed,
}

#[derive(Serialize)]
struct ReferenceSpeed {
    seconds: f64,
    thread_instructions_per_s: f64,
}

#[derive(Serialize)]
struct MachineReport<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    #[serde(flatten)]
    report: &'a Report,
    host: MachineSpeed,
}

/// Speed of the simulator itself.
#[derive(Serialize)]
struct MachineSpeed {
    seconds: f64,
    sm_cycles_per_s: f64,
    warp_instructions_per_s: f64,
    thread_instructions_per_s: f64,
}

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let task = Task::prepare(args)?;
    if args.reference { by_reference(args, &task) } else { by_machine(args, task) }
}

impl Task {
    fn prepare(args: &RunArgs) -> Result<Task, Failure> {
        let subject = KernelSource::open(&args.subject)?;
        let checked = subject.read(args.launch.as_deref())?;
        let Draft { program, launch } = &checked.draft;
        checked.draft.check().map_err(Failure::input)?;
        // Checked before buffers are filled: every machine needs at least as much memory as the reference.
        let shape = GridShape::new(program, launch, PTX_WARP, 1);
        Footprint::of_reference(program, &shape, memory_bytes(program, launch))
            .check(&Config::default(), BUDGET, 1)
            .map_err(Failure::input)?;
        let job = checked.job()?;
        check_dumps(&args.dump, &job.before, &job.program)?;
        Ok(Task { subject, job })
    }

    fn finish(&self, program: &Program, global: &Global, output: Vec<u8>, trap: Option<Trap>) -> Finished {
        Finished { after: self.job.after(global), output, trap: trap.map(|trap| trap.in_text(program, &self.subject.ptx)) }
    }

    fn common<'a>(
        &'a self,
        machine: &'a str,
        technique: Option<&'a str>,
        kernel: &'a str,
        finished: &'a Finished,
        check: Option<&Result<(), String>>,
    ) -> Common<'a> {
        let report = |b: &'a BufferData| {
            let bytes = b.bytes.len() as u64;
            BufferReport { name: &b.name, r#type: b.ty.name(), len: bytes / u64::from(b.ty.bytes()), bytes }
        };
        Common {
            kernel,
            machine,
            technique,
            grid: self.job.launch.grid,
            block: self.job.launch.block,
            buffers: finished.after.iter().map(report).collect(),
            output: String::from_utf8_lossy(&finished.output).into_owned(),
            check: check.map(|result| if result.is_ok() { "ok" } else { "failed" }),
            trap: finished.trap.as_ref(),
        }
    }

    /// Compares with the workload's own reference; `None` if the subject is a file.
    fn check_workload(&self, finished: &Finished) -> Option<Result<(), Mismatch>> {
        let workload = self.subject.workload?;
        Some(workload.check(&self.job.launch, &self.job.before, &finished.after))
    }
}

fn by_reference(args: &RunArgs, task: &Task) -> Result<(), Failure> {
    let program = &task.job.program;
    let start = task.job.start(PTX_WARP, 1).map_err(Failure::input)?;
    let clock = Instant::now();
    let outcome = reference::run(program, &start, args.max_cycles);
    let seconds = clock.elapsed().as_secs_f64();
    let finished = task.finish(program, &outcome.global, outcome.output, outcome.trap);
    let check = match (args.check, &finished.trap) {
        (true, None) => {
            let result = task.check_workload(&finished).ok_or_else(|| {
                Failure::Input("--check with --reference needs a workload: for a file, this run is itself the reference".into())
            })?;
            Some(result.map_err(|mismatch| mismatch.to_string()))
        }
        _ => None,
    };
    if args.json {
        print_json(&ReferenceReport {
            common: task.common("scalar reference", None, &program.kernel, &finished, check.as_ref()),
            thread_instructions: outcome.thread_instructions,
            host: ReferenceSpeed { seconds, thread_instructions_per_s: outcome.thread_instructions as f64 / seconds.max(1e-9) },
        })?;
    } else {
        print_output(&finished.output)?;
        print(&format!(
            "{}: {} thread instructions by the scalar reference, in {seconds:.3} s",
            program.kernel, outcome.thread_instructions
        ))?;
    }
    conclude(args, program, &finished, check)
}

fn by_machine(args: &RunArgs, task: Task) -> Result<(), Failure> {
    let config = config(args)?;
    let mut sim = Sim::of(&task.job, config).map_err(Failure::input)?;
    let mut metrics = Metrics::of(&sim.machine.config);
    let clock = Instant::now();
    match &args.trace {
        None => sim.run_specialised(args.max_cycles, &mut metrics),
        Some(path) => {
            let cycles = args.trace_cycles.clone().unwrap_or(0..u64::MAX);
            trace::run(&mut sim, &task.subject.ptx, args.max_cycles, &mut metrics, path, cycles)?;
        }
    }
    let seconds = clock.elapsed().as_secs_f64().max(1e-9);
    let trap = if sim.finished() { sim.trap().cloned() } else { Some(sim::too_long(&sim, args.max_cycles)) };
    let (program, cycles) = (&sim.machine.program, sim.state.cycle);
    let finished = task.finish(program, &sim.state.uncore.global, sim.state.uncore.output.clone(), trap);
    let report = Report::new(&metrics, &sim.machine.config, cycles);
    let check = (args.check && finished.trap.is_none()).then(|| check(&task, &sim, &finished));
    if args.json {
        print_json(&MachineReport {
            common: task.common(&args.preset, args.technique.as_deref(), &program.kernel, &finished, check.as_ref()),
            report: &report,
            host: MachineSpeed {
                seconds,
                sm_cycles_per_s: (cycles * u64::from(sim.machine.config.sms)) as f64 / seconds,
                warp_instructions_per_s: metrics.totals.warp_instructions as f64 / seconds,
                thread_instructions_per_s: metrics.totals.thread_instructions as f64 / seconds,
            },
        })?;
    } else {
        print_output(&finished.output)?;
        print_summary(&report, &program.kernel, args)?;
    }
    conclude(args, program, &finished, check)
}

/// Builds the preset with its techniques and changed keys.
fn config(args: &RunArgs) -> Result<Config, Failure> {
    let techniques = args.technique.as_deref().unwrap_or_default();
    if args.technique.is_some() && techniques.trim().is_empty() {
        return Err(Failure::Input("--technique needs a name; `warpscope list techniques` shows them all".into()));
    }
    let keys = settings(&args.settings)?;
    let machine = MachineSpec { preset: args.preset.clone(), technique: techniques.to_string(), keys };
    machine.config().map_err(Failure::input)
}

/// Checks a workload against its own reference, and a file against the scalar interpreter.
fn check(task: &Task, sim: &Sim, finished: &Finished) -> Result<(), String> {
    let (program, start) = (&task.job.program, &sim.machine.start);
    let subject = check::CheckedKernel { program, start, ptx: &task.subject.ptx, most: u64::MAX };
    let result = match task.check_workload(finished) {
        Some(result) => result.map_err(|mismatch| check::explain(subject, mismatch, &finished.after)),
        None => check::against_reference(subject, &finished.after).unwrap_or(Ok(())),
    };
    result.map_err(|difference| difference.to_string())
}

fn print_output(output: &[u8]) -> Result<(), Failure> {
    if output.is_empty() { Ok(()) } else { print_raw(&String::from_utf8_lossy(output)) }
}

fn print_summary(report: &Report, kernel: &str, args: &RunArgs) -> Result<(), Failure> {
    let technique = args.technique.as_ref().map_or(String::new(), |t| format!(" with {t}"));
    print(&format!("{kernel} on {}{technique}", args.preset))?;
    print(&format!("  cycles            {:>14}", report.cycles))?;
    print(&format!("  warp instructions {:>14}", report.warp_instructions))?;
    print(&format!("  thread instr.     {:>14}", report.thread_instructions))?;
    print(&format!("  IPC               {:>14.2}", report.ipc))?;
    print(&format!("  lanes used        {:>13.1}%", 100.0 * report.lane_efficiency))?;
    print(&format!("  SIMD efficiency   {:>13.1}%", 100.0 * report.simd_efficiency))?;
    print(&format!("  branches          {:>14}   {:.1}% diverged", report.branches, 100.0 * (1.0 - report.branch_efficiency)))?;
    if report.partial_exits > 0 {
        print(&format!("  partial exits     {:>14}", report.partial_exits))?;
    }
    let hits = 100.0 * report.l1d.hits as f64 / report.l1d.accesses.max(1) as f64;
    print(&format!("  L1D accesses      {:>14}   {hits:.1}% hits", report.l1d.accesses))?;
    let resident = report.resident_warp_cycles.max(1) as f64;
    let parts = report.warp_cycles.iter().map(|(key, value)| format!("{key} {:.1}%", 100.0 * value as f64 / resident));
    print(&format!("  warp cycles       {}", parts.collect::<Vec<_>>().join(", ")))
}

/// Writes the dumps and reports how the run ended. A dump that cannot be written hides neither a trap nor a failed check.
fn conclude(args: &RunArgs, program: &Program, finished: &Finished, check: Option<Result<(), String>>) -> Result<(), Failure> {
    let mut unwritten = Vec::new();
    for flag in &args.dump {
        let (buffer, path) = flag.split_once('=').unwrap_or((flag, ""));
        let bytes = finished.after.iter().find(|b| b.name == buffer).map_or(&[][..], |b| &b.bytes);
        unwritten.extend(std::fs::write(path, bytes).map_err(|error| Failure::file(path, error)).err());
    }
    let ended = match (&finished.trap, check) {
        (Some(trap), _) => Err(Failure::Kernel(format!("{} trapped: {trap}", program.kernel))),
        (None, Some(Err(mismatch))) => Err(Failure::Kernel(format!("check failed: {mismatch}"))),
        (None, Some(Ok(()))) if !args.json => print("check: every buffer matches the reference"),
        (None, _) => Ok(()),
    };
    if ended.is_err() {
        unwritten.iter().for_each(|failure| warn(&failure.to_string()));
        return ended;
    }
    let last = unwritten.pop();
    unwritten.iter().for_each(|failure| warn(&failure.to_string()));
    last.map_or(Ok(()), Err)
}

/// Every dump must be `BUFFER=FILE` and name a buffer of the launch, or a module variable that the launch names.
fn check_dumps(flags: &[String], buffers: &[BufferData], program: &Program) -> Result<(), Failure> {
    for flag in flags {
        let (buffer, _) =
            flag.split_once('=').ok_or_else(|| Failure::Input(format!("--dump expects BUFFER=FILE, not `{flag}`")))?;
        if !buffers.iter().any(|b| b.name == buffer) {
            let names: Vec<&str> = buffers.iter().map(|b| b.name.as_str()).collect();
            let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            let is_variable = program.variables.iter().any(|variable| variable.name == buffer);
            let hint = if is_variable {
                format!("; it is a module variable, which the launch must name: [[global]] with name = \"{buffer}\"")
            } else {
                String::new()
            };
            return Err(Failure::Input(format!("--dump {flag}: the launch has no buffer `{buffer}`; it has {names}{hint}")));
        }
    }
    Ok(())
}
