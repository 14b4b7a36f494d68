//! `warpscope compare`: every technique on one kernel, side by side.

use super::args::CompareArgs;
use super::subject::Subject;
use super::{Failure, batch, print, print_json, settings};
use crate::compare::{Candidate, Comparison, Entry, all_techniques, barrier_waits, columns};
use crate::metrics::{Number, Report};
use serde::Serialize;
use std::borrow::Cow;

/// The comparison as JSON.
#[derive(Serialize)]
struct Compared<'a> {
    kernel: &'a str,
    machine: &'a str,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let subject = Subject::open(&args.subject)?;
    let (program, file) = subject.load(args.launch.as_deref())?;
    let job = file.bind(program)?;
    let keys = settings(&args.settings)?;
    let keys = || keys.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let named: Vec<&str> = match args.technique.is_empty() {
        true => all_techniques().collect(),
        false => args.technique.iter().map(String::as_str).collect(),
    };
    let candidates: Vec<Candidate> =
        std::iter::once("").chain(named).map(|technique| Candidate::new(&args.preset, technique, keys())).collect();
    // What is wrong with the machine itself, or with a technique that was asked for by name, is an error and no row.
    let asked = if args.technique.is_empty() { &candidates[..1] } else { &candidates[..] };
    if let Some(why) = asked.iter().find_map(|candidate| candidate.machine.as_ref().err()) {
        return Err(Failure::Input(why.clone()));
    }
    let label = |candidate: &Candidate| candidate.technique.clone();
    let mut entries = batch::each(candidates, args.jobs, label, |candidate| candidate.perform(&job, args.max_cycles));
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
    Ok(())
}

/// The numbers of a row, as a table shows them.
fn cells(comparison: &Comparison, entry: &Entry, report: &Report) -> Vec<String> {
    let number = |number: Number, unit: &str| match number {
        Number::Count(count) => count.to_string(),
        Number::Ratio(ratio) if unit.is_empty() => format!("{:.1}%", 100.0 * ratio),
        Number::Ratio(ratio) => format!("{ratio:.2}"),
    };
    let mut cells = vec![entry.name().to_string(), format!("{:.3}", comparison.share(entry))];
    cells.extend(columns().iter().map(|column| number((column.value)(report), column.definition.unit)));
    cells.push(barrier_waits(report).to_string());
    cells
}

fn heading() -> Vec<Cow<'static, str>> {
    let mut heading = vec![Cow::Borrowed("technique"), Cow::Borrowed("of default")];
    heading.extend(columns().iter().map(|column| Cow::Owned(column.definition.label.to_lowercase())));
    heading.push(Cow::Borrowed("barrier waits"));
    heading
}

fn table(comparison: &Comparison, kernel: &str, preset: &str) -> Result<(), Failure> {
    let rows = std::iter::once(comparison.default()).chain(&comparison.ran);
    let rows = rows.filter_map(|entry| Some((entry, cells(comparison, entry, entry.report()?))));
    let rows: Vec<(&Entry, Vec<String>)> = rows.collect();
    let heading = heading();
    let wide = |at: usize| rows.iter().map(|(_, row)| row[at].len()).chain([heading[at].len()]).max().unwrap_or(0);
    let line = |cells: &[Cow<str>]| {
        let padded = cells.iter().enumerate().map(|(at, cell)| match at {
            0 => format!("{cell:<wide$}", wide = wide(at)),
            _ => format!("{cell:>wide$}", wide = wide(at)),
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    print(&format!("{kernel} on {preset}, the quickest first"))?;
    print(&line(&heading))?;
    for (entry, row) in &rows {
        let row: Vec<Cow<str>> = row.iter().map(|cell| Cow::Borrowed(cell.as_str())).collect();
        let other = if comparison.leaves_the_same(entry) { "" } else { "  leaves other memory than the default" };
        print(&format!("{}{other}", line(&row)))?;
    }
    for entry in &comparison.refused {
        if let Err(why) = &entry.outcome {
            print(&format!("{} does not run: {why}", entry.name()))?;
        }
    }
    print(&comparison.words())
}

fn csv(comparison: &Comparison) -> String {
    let mut text = String::from("technique,of_default");
    columns().iter().for_each(|column| text = format!("{text},{}", column.definition.name));
    text += ",barrier_waits,same_memory\n";
    for entry in std::iter::once(comparison.default()).chain(&comparison.ran) {
        let Some(report) = entry.report() else { continue };
        let numbers = columns().into_iter().map(|column| match (column.value)(report) {
            Number::Count(count) => count.to_string(),
            Number::Ratio(ratio) => format!("{ratio:.4}"),
        });
        let numbers = numbers.collect::<Vec<_>>().join(",");
        let (share, same) = (comparison.share(entry), comparison.leaves_the_same(entry));
        text += &format!("\"{}\",{share:.4},{numbers},{},{same}\n", entry.name(), barrier_waits(report));
    }
    text
}
