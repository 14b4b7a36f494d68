//! `warpscope sweep`: workloads times techniques, as a CSV table.

use super::args::SweepArgs;
use super::cache::RunCache;
use super::subject::no_workload;
use super::{Failure, batch, print, settings};
use warpscope_catalogue as catalogue;
use warpscope_machine::metrics::slots::SlotClass;
use warpscope_study::papers::{Results, Run, RunError};

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
            let mut run = Run::new(name, &args.preset, technique);
            run.machine.keys = settings(&args.settings)?;
            run.config().map_err(Failure::Input)?;
            runs.push(run);
        }
    }
    let runs = runs.into_iter().enumerate().filter(|(at, _)| at % shards == shard).map(|(_, run)| run).collect();
    let done = batch::perform(runs, args.jobs, &RunCache::default());
    let mut rows = vec![
        "workload,preset,technique,cycles,ipc,simd_efficiency,warp_instructions,thread_instructions,stall,w0_mem,w0_idle,\
         memory_transactions,shared_bank_conflicts,max_stack_depth,lane_efficiency"
            .to_string(),
    ];
    for (run, report) in &done {
        let Ok(report) = report else { continue };
        let slot = |class| report.issue_slots.get(class);
        rows.push(format!(
            "{},{},\"{}\",{},{:.4},{:.4},{},{},{},{},{},{},{},{},{:.4}",
            run.workload,
            run.machine.preset,
            run.machine.technique,
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
        ));
    }
    let table = rows.join("\n") + "\n";
    match &args.csv {
        Some(path) => std::fs::write(path, table).map_err(|error| Failure::file(path, error))?,
        None => print(&table)?,
    }
    let is_kernels =
        done.iter().any(|(_, report)| matches!(report, Err(RunError::Failed(_) | RunError::Endless | RunError::Wrong(_))));
    let failures = Results::from_iter(done).failures();
    match (failures.is_empty(), is_kernels) {
        (true, _) => Ok(()),
        (false, true) => Err(Failure::Kernel(failures.join("\n"))),
        (false, false) => Err(Failure::Input(failures.join("\n"))),
    }
}

/// Parses `K/N`, counted from one: every Nth run, beginning with the Kth.
fn shard(text: &str) -> Result<(usize, usize), Failure> {
    let parts = text.split_once('/').and_then(|(k, n)| Some((k.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
    match parts {
        Some((k, n)) if (1..=n).contains(&k) => Ok((k - 1, n)),
        _ => Err(Failure::Input(format!("--shard expects K/N with K from 1 to N, not `{text}`"))),
    }
}
