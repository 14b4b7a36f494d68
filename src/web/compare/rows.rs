//! Which techniques the table shows, and in which order.

use warpscope_machine::config::{TECHNIQUES, Technique};
use warpscope_machine::metrics::ReportNumber;
use warpscope_study::compare::{Comparison, Entry, Outcome};

/// The order of the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RowOrder {
    /// The column to sort by; `None` for the order of the table of techniques.
    pub column: Option<usize>,
    pub falling: bool,
}

/// Returns the rows that are shown, in order; the default is always among them.
pub fn sorted<'a>(comparison: &'a Comparison, order: RowOrder, axis: Option<&str>) -> Vec<(&'a Entry, &'a Outcome)> {
    let wanted = |entry: &&Entry| {
        let decides = technique(entry).map(|technique| technique.decides);
        axis.is_none() || entry.technique.is_empty() || decides == axis
    };
    let mut rows: Vec<_> = comparison.with_default().filter(wanted).filter_map(|entry| Some((entry, entry.ran()?))).collect();
    let place = |entry: &Entry| TECHNIQUES.iter().position(|technique| technique.name == entry.technique);
    match order.column {
        None => rows.sort_by_key(|(entry, _)| place(entry)),
        Some(column) => rows.sort_by(|(_, one), (_, other)| value(one, column).total_cmp(&value(other, column))),
    }
    if order.falling {
        rows.reverse();
    }
    rows
}

fn value(run: &Outcome, column: usize) -> f64 {
    match run.numbers().get(column) {
        Some(ReportNumber::Count(count)) => *count as f64,
        Some(ReportNumber::Ratio(ratio)) => *ratio,
        None => 0.0,
    }
}

/// Returns the technique of a row; `None` for the machine without any.
pub fn technique(entry: &Entry) -> Option<&'static Technique> {
    TECHNIQUES.iter().find(|technique| technique.name == entry.technique)
}
