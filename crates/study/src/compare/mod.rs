//! One kernel under many techniques: what each takes, what it pays for that, and why they differ.
//!
//! A [`Candidate`] is a technique on a machine with its keys; performed on a job it becomes an [`Entry`]. A [`Comparison`] holds
//! the entries beside the *default*: the machine without any technique. [`columns`] lists the numbers that are compared; all are
//! numbers of the report. Nothing here uses threads or clocks: a caller that has threads performs candidates in parallel.

mod table;
mod words;

pub use table::{cell, csv, heading};

use crate::run::RunSpec;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use warpscope_kernel::interp::job::Job;
use warpscope_kernel::launch::BufferData;
use warpscope_machine::config::{Config, MachineSpec, TECHNIQUES};
use warpscope_machine::event::Reason;
use warpscope_machine::metrics::{DEFINITIONS, Definition, Report, ReportNumber};
use warpscope_machine::run;
use warpscope_machine::sim::Sim;

/// A technique to try.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name; empty for the default.
    pub technique: String,
    /// The machine, or why it cannot be built.
    pub machine: Result<Config, String>,
}

impl Candidate {
    /// Builds the machine; an error in it becomes the entry's.
    pub fn new(spec: &MachineSpec) -> Candidate {
        Candidate { technique: spec.technique.clone(), machine: spec.config().map_err(|error| error.to_string()) }
    }

    /// Runs the candidate on a job, for at most `most` cycles.
    pub fn perform(self, job: &Job, most: u64) -> Entry {
        let outcome = self.machine.and_then(|config| outcome(job, config, most));
        Entry { technique: self.technique, outcome }
    }
}

/// Returns every technique of the table without its aliases, in the table's order.
pub fn all_techniques() -> impl Iterator<Item = &'static str> {
    TECHNIQUES.iter().filter(|technique| technique.alias_of.is_none()).map(|technique| technique.name)
}

fn outcome(job: &Job, config: Config, most: u64) -> Result<Outcome, String> {
    let mut sim = Sim::of(job, config).map_err(|error| error.to_string())?;
    let report = run::finish(&mut sim, most).map_err(|unfinished| unfinished.to_string())?;
    Ok(Outcome::new(&report, &job.after(&sim.state.uncore.global)))
}

/// The outcome of a technique. It may come from another thread or worker, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name; empty for the default.
    pub technique: String,
    /// The numbers of its run, or why there are none.
    pub outcome: Result<Outcome, String>,
}

impl Entry {
    /// Performs a run, as an entry of a comparison.
    pub fn of(run: &RunSpec) -> Entry {
        match run.job() {
            Ok(job) => Candidate::new(&run.machine).perform(&job, run.most_cycles),
            Err(error) => Entry::failed(run, &error.to_string()),
        }
    }

    /// Returns the entry of a run that could not be made.
    pub fn failed(run: &RunSpec, why: &str) -> Entry {
        Entry { technique: run.machine.technique.clone(), outcome: Err(why.to_string()) }
    }
}

/// The numbers of a run that are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Cycles until the last block ended.
    pub cycles: u64,
    /// Instructions issued, each once for its warp.
    pub warp_instructions: u64,
    /// Fetches, each of one or more instructions.
    pub fetches: u64,
    /// Lines that memory instructions accessed.
    pub memory_transactions: u64,
    /// Warp-cycles, in the order of [`Reason::ALL`].
    warp_cycles: Vec<u64>,
    /// One number for each of [`columns`].
    numbers: Vec<ReportNumber>,
    /// Hash of the memory that the run left.
    memory: u64,
}

impl Outcome {
    fn new(report: &Report, memory: &[BufferData]) -> Outcome {
        let mut hasher = DefaultHasher::new();
        memory.iter().for_each(|buffer| buffer.bytes.hash(&mut hasher));
        Outcome {
            cycles: report.cycles,
            warp_instructions: report.warp_instructions,
            fetches: report.fetches,
            memory_transactions: report.memory_transactions,
            warp_cycles: Reason::ALL.map(|reason| report.warp_cycles.get(reason)).to_vec(),
            numbers: columns().iter().map(|column| (column.value)(report)).collect(),
            memory: hasher.finish(),
        }
    }

    /// Returns for how many warp-cycles a reason held.
    pub fn warp_cycles(&self, reason: Reason) -> u64 {
        self.warp_cycles.get(reason as usize).copied().unwrap_or(0)
    }

    /// Returns one number for each of [`columns`].
    pub fn numbers(&self) -> &[ReportNumber] {
        &self.numbers
    }
}

/// A number by which techniques are compared.
pub struct Column {
    /// The name in files.
    pub name: &'static str,
    /// The heading in tables.
    pub label: &'static str,
    /// What it counts; empty for ratios.
    pub unit: &'static str,
    /// What it says.
    pub about: &'static str,
    value: fn(&Report) -> ReportNumber,
}

/// The names of [`DEFINITIONS`] that are compared, in the order of columns.
const SHOWN: [&str; 6] = ["cycles", "ipc", "lane_efficiency", "fetches", "memory_transactions", "leakage_saved"];

/// The one stall reason that has a column of its own.
const BARRIER_WAITS: Column = Column {
    name: "barrier_waits",
    label: "Barrier waits",
    unit: "warp-cycles",
    about: "Warp-cycles spent at a barrier",
    value: |report| ReportNumber::Count(report.warp_cycles.get(Reason::Barrier)),
};

/// Returns the numbers by which techniques are compared.
pub fn columns() -> Vec<Column> {
    let column = |name: &str| {
        let Definition { name, label, unit, about, value, .. } = *DEFINITIONS.iter().find(|known| known.name == name)?;
        Some(Column { name, label, unit, about, value: value? })
    };
    SHOWN.into_iter().filter_map(column).chain([BARRIER_WAITS]).collect()
}

/// The outcomes of several techniques on one kernel.
pub struct Comparison {
    default: Entry,
    /// Techniques that ran, the quickest first; equals keep the order in which they were tried.
    pub ran: Vec<Entry>,
    /// Techniques that did not run.
    pub refused: Vec<Entry>,
}

impl Comparison {
    /// Compares the default with the techniques that were tried beside it.
    pub fn new(default: Entry, tried: Vec<Entry>) -> Comparison {
        let (mut ran, refused): (Vec<Entry>, Vec<Entry>) = tried.into_iter().partition(|entry| entry.outcome.is_ok());
        ran.sort_by_key(|entry| entry.outcome.as_ref().map_or(u64::MAX, |outcome| outcome.cycles));
        Comparison { default, ran, refused }
    }

    /// Returns the machine without any technique.
    pub fn default(&self) -> &Entry {
        &self.default
    }

    /// Returns a technique's cycles as a share of the default's; 1 where either did not run.
    pub fn share(&self, entry: &Entry) -> f64 {
        match (entry.ran(), self.default.ran()) {
            (Some(run), Some(default)) => run.cycles as f64 / default.cycles.max(1) as f64,
            _ => 1.0,
        }
    }

    /// Whether a technique left the same memory as the default; true where either did not run.
    pub fn leaves_the_same(&self, entry: &Entry) -> bool {
        match (&entry.outcome, &self.default.outcome) {
            (Ok(one), Ok(other)) => one.memory == other.memory,
            _ => true,
        }
    }

    /// Says in a sentence or two which technique is the quickest, and what made the difference.
    pub fn words(&self) -> String {
        words::told(self)
    }
}

impl Entry {
    /// Returns the numbers of its run, if it has any.
    pub fn ran(&self) -> Option<&Outcome> {
        self.outcome.as_ref().ok()
    }

    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        if self.technique.is_empty() { "the default" } else { &self.technique }
    }
}

/// A technique with its numbers, as an object of the JSON.
struct JsonLine<'a>(&'a Comparison, &'a Entry);

impl Serialize for JsonLine<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JsonLine(comparison, entry) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("technique", &entry.technique)?;
        if let Some(run) = entry.ran() {
            for (column, number) in columns().iter().zip(run.numbers()) {
                match number {
                    ReportNumber::Count(count) => map.serialize_entry(column.name, count)?,
                    ReportNumber::Ratio(ratio) => map.serialize_entry(column.name, ratio)?,
                }
            }
            map.serialize_entry("of_default", &comparison.share(entry))?;
            map.serialize_entry("same_memory", &comparison.leaves_the_same(entry))?;
        }
        if let Err(why) = &entry.outcome {
            map.serialize_entry("why", why)?;
        }
        map.end()
    }
}

impl Serialize for Comparison {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = |entries| <[Entry]>::iter(entries).map(|entry| JsonLine(self, entry)).collect::<Vec<_>>();
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("default", &JsonLine(self, &self.default))?;
        map.serialize_entry("runs", &lines(&self.ran))?;
        map.serialize_entry("refused", &lines(&self.refused))?;
        map.serialize_entry("words", &self.words())?;
        map.end()
    }
}
