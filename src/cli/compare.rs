//! `warpscope compare`: every technique on one kernel, side by side.

use super::args::CompareArgs;
use super::batch::Memory;
use super::subject::KernelSource;
use super::{Failure, batch, print, print_json, settings};
use serde::Serialize;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::sim::Sim;
use warpscope_study::compare::{Candidate, Comparison, Entry, all_techniques, cell, columns, csv, heading};

/// The comparison as JSON.
#[derive(Serialize)]
struct Compared<'a> {
    kernel: &'a str,
    machine: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let subject = KernelSource::open(&args.subject)?;
    let job = subject.read(args.launch.as_deref())?.job()?;
    let machine = MachineSpec { preset: args.preset.clone(), technique: String::new(), keys: settings(&args.settings)? };
    let named: Vec<&str> = match args.technique.is_empty() {
        true => all_techniques().collect(),
        false => args.technique.iter().map(String::as_str).collect(),
    };
    let candidate = |technique: &str| Candidate::new(&MachineSpec { technique: technique.to_string(), ..machine.clone() });
    let candidates: Vec<Candidate> = std::iter::once("").chain(named).map(candidate).collect();
    // A problem of the machine itself, or of a technique that was asked for by name, is an error instead of a row.
    let asked = if args.technique.is_empty() { &candidates[..1] } else { &candidates[..] };
    if let Some(why) = asked.iter().find_map(|candidate| candidate.machine.as_ref().err()) {
        return Err(Failure::Input(why.clone()));
    }
    for config in asked.iter().filter_map(|candidate| candidate.machine.as_ref().ok()) {
        Sim::check(&job, config).map_err(Failure::input)?;
    }
    let label = |candidate: &Candidate| candidate.technique.clone();
    let memory = Memory::default();
    let perform = |candidate: Candidate| {
        let config = candidate.machine.as_ref().ok();
        let _taken = memory.take(config.and_then(|config| Sim::check(&job, config).ok()).unwrap_or(0));
        candidate.perform(&job, args.max_cycles)
    };
    let mut entries = batch::each(candidates, args.jobs, label, perform);
    let comparison = Comparison::new(entries.remove(0), entries);
    if let Err(why) = &comparison.default().outcome {
        return Err(Failure::Kernel(format!("{}: {why}", job.program.kernel)));
    }
    let kernel = &job.program.kernel;
    match (args.json, &args.csv) {
        (true, _) => print_json(&Compared { kernel, machine: &args.preset, comparison: &comparison })?,
        (false, Some(path)) => std::fs::write(path, csv(&comparison)).map_err(|error| Failure::file(path, error))?,
        (false, None) => table(&comparison, kernel, &args.preset)?,
    }
    let failures: Vec<String> = match args.technique.is_empty() {
        true => Vec::new(),
        false => comparison
            .refused
            .iter()
            .filter_map(|entry| Some(format!("{}: {}", entry.name(), entry.outcome.as_ref().err()?)))
            .collect(),
    };
    if failures.is_empty() { Ok(()) } else { Err(Failure::Kernel(failures.join("\n"))) }
}

/// Returns a row of the table, or `None` if the technique did not run.
fn cells(comparison: &Comparison, entry: &Entry) -> Option<Vec<String>> {
    let numbers = entry.ran()?.numbers().iter().zip(columns()).map(|(number, column)| cell(*number, column.unit));
    let named = [entry.name().to_string(), format!("{:.3}", comparison.share(entry))];
    Some(named.into_iter().chain(numbers).collect())
}

fn table(comparison: &Comparison, kernel: &str, preset: &str) -> Result<(), Failure> {
    let rows = comparison.with_default().filter_map(|entry| Some((entry, cells(comparison, entry)?)));
    let rows: Vec<(&Entry, Vec<String>)> = rows.collect();
    let heading: Vec<String> = ["technique", "of default"].map(String::from).into_iter().chain(heading()).collect();
    let wide = |at: usize| rows.iter().map(|(_, row)| row[at].len()).chain([heading[at].len()]).max().unwrap_or(0);
    let line = |cells: &[String]| {
        let padded = cells.iter().enumerate().map(|(at, cell)| match at {
            0 => format!("{cell:<wide$}", wide = wide(at)),
            _ => format!("{cell:>wide$}", wide = wide(at)),
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    print(&format!("{kernel} on {preset}, the quickest first"))?;
    print(&line(&heading))?;
    for (entry, row) in &rows {
        let other = if comparison.leaves_the_same(entry) { "" } else { "  memory differs from the default's" };
        print(&format!("{}{other}", line(row)))?;
    }
    for entry in &comparison.refused {
        if let Err(why) = &entry.outcome {
            print(&format!("{} does not run: {why}", entry.name()))?;
        }
    }
    print(&comparison.words())
}
