//! `warpscope sweep`: workloads times techniques, as a CSV table.

use super::args::SweepArgs;
use super::cache::RunCache;
use super::subject::no_workload;
use super::{Failure, batch, print, settings, warn};
use warpscope_catalogue as catalogue;
use warpscope_machine::metrics::Report;
use warpscope_machine::metrics::slots::SlotClass;
use warpscope_study::run::{RunError, RunSpec};

/// The columns: what was run, [`NUMBERS`] numbers, and whether it failed.
const HEADING: &str = "workload,preset,technique,cycles,ipc,simd_efficiency,warp_instructions,thread_instructions,stall,w0_mem,\
    w0_idle,memory_transactions,shared_bank_conflicts,max_stack_depth,lane_efficiency,status,error";
const NUMBERS: usize = 12;

pub fn sweep(args: &SweepArgs) -> Result<(), Failure> {
    let (shard, shards) = shard(&args.shard)?;
    let mut runs = Vec::new();
    for name in &args.workloads {
        if catalogue::find(name).is_none() {
            return Err(no_workload("workload", name));
        }
        for technique in &args.technique {
            if technique.trim().is_empty() {
                return Err(Failure::Input("--technique needs a name; `warpscope list techniques` shows them all".into()));
            }
            let mut run = RunSpec::of(name, &args.preset, technique);
            run.machine.keys = settings(&args.settings)?;
            run.config().map_err(Failure::Input)?;
            runs.push(run);
        }
    }
    let runs = runs.into_iter().enumerate().filter(|(at, _)| at % shards == shard).map(|(_, run)| run).collect();
    let done = batch::perform(runs, args.jobs, &RunCache::default());
    let mut table = format!("{HEADING}\n");
    done.iter().for_each(|(run, outcome)| table += &row(run, outcome));
    match &args.csv {
        Some(path) => std::fs::write(path, table).map_err(|error| Failure::file(path, error))?,
        None => print(&table)?,
    }
    let failed: Vec<(&RunSpec, &RunError)> =
        done.iter().filter_map(|(run, outcome)| Some((run, outcome.as_ref().err()?))).collect();
    if failed.is_empty() {
        return Ok(());
    }
    failed.iter().for_each(|(run, error)| warn(&run.failure(error)));
    let count = format!("{} of {} runs failed", failed.len(), done.len());
    // A machine that cannot be built is bad input, as it is for one run.
    let are_refused = failed.iter().all(|(_, error)| matches!(error, RunError::Unfit(_)));
    Err(if are_refused { Failure::Input(count) } else { Failure::Kernel(count) })
}

/// Formats a run as a row of the table; without a report there are no numbers.
fn row(run: &RunSpec, outcome: &Result<Report, RunError>) -> String {
    let numbers = outcome.as_ref().map_or_else(|_| ",".repeat(NUMBERS - 1), numbers);
    let status = outcome.as_ref().map_or_else(RunError::status, |_| "ok");
    let error = outcome.as_ref().err().map_or(String::new(), |error| quoted(&error.to_string()));
    let technique = quoted(&run.machine.technique);
    format!("{},{},{technique},{numbers},{status},{error}\n", run.name(), run.machine.preset)
}

/// Formats the numbers of a report, [`NUMBERS`] of them.
fn numbers(report: &Report) -> String {
    let slot = |class| report.issue_slots.get(class);
    format!(
        "{},{:.4},{:.4},{},{},{},{},{},{},{},{},{:.4}",
        report.cycles,
        report.ipc,
        report.simd_efficiency,
        report.warp_instructions,
        report.thread_instructions,
        slot(SlotClass::Stall),
        slot(SlotClass::Memory),
        slot(SlotClass::Idle),
        report.memory_transactions,
        report.shared_bank_conflicts,
        report.max_stack_depth,
        report.lane_efficiency
    )
}

/// Quotes a field of a CSV row, on one line.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "))
}

/// Parses `K/N`, counted from one: every Nth run, beginning with the Kth.
fn shard(text: &str) -> Result<(usize, usize), Failure> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
    match parts {
        Some((k, n)) if (1..=n).contains(&k) => Ok((k - 1, n)),
        _ => Err(Failure::Input(format!("--shard expects K/N with K from 1 to N, not `{text}`"))),
    }
}
