//! The comparison as a table: headings, cells, and the CSV file.

use super::{Comparison, Entry, columns};
use warpscope_machine::metrics::ReportNumber;

/// Formats a number for a table.
pub fn cell(number: ReportNumber, unit: &str) -> String {
    match number {
        ReportNumber::Count(count) => count.to_string(),
        ReportNumber::Ratio(ratio) if unit.is_empty() => format!("{:.1}%", 100.0 * ratio),
        ReportNumber::Ratio(ratio) => format!("{ratio:.2}"),
    }
}

/// Returns the heading of each column of numbers.
pub fn heading() -> Vec<String> {
    columns().iter().map(|column| column.label.to_lowercase()).collect()
}

/// Returns the CSV of every technique, the default first and the refused ones last, with a name for each column. A refused one has
/// a reason in the place of numbers.
pub fn csv(comparison: &Comparison) -> String {
    let names: Vec<&str> = columns().iter().map(|column| column.name).collect();
    let mut text = format!("technique,of_default,{},same_memory,status,error\n", names.join(","));
    for entry in comparison.with_default() {
        let Some(run) = entry.ran() else { continue };
        let numbers = run.numbers().iter().map(|number| match number {
            ReportNumber::Count(count) => count.to_string(),
            ReportNumber::Ratio(ratio) => format!("{ratio:.4}"),
        });
        let numbers = numbers.collect::<Vec<_>>().join(",");
        let (share, same) = (comparison.share(entry), comparison.leaves_the_same(entry));
        text += &format!("\"{}\",{share:.4},{numbers},{same},ok,\n", entry.name());
    }
    for (entry, why) in comparison.refused.iter().filter_map(|entry| Some((entry, entry.outcome.as_ref().err()?))) {
        let empty = ",".repeat(names.len());
        text += &format!("\"{}\",,{empty},refused,\"{}\"\n", entry.name(), why.replace('"', "\"\""));
    }
    text
}

impl Comparison {
    /// Returns the default, then the techniques that ran.
    pub fn with_default(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(self.default()).chain(&self.ran)
    }
}
