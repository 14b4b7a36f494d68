//! A chart as a table for other programs.

use super::Chart;
use std::fmt::Write;

/// A heading with names and units, then a row for each stretch: its first cycle and a value for each curve. A cell is empty
/// where there is nothing to say.
pub fn csv(chart: &Chart) -> String {
    let mut text = String::from("cycle");
    for curve in &chart.curves {
        let _ = write!(text, ",{}", cell(&format!("{} [{}]", curve.label.name, chart.figure.unit)));
    }
    text.push('\n');
    for (at, start) in chart.edges.iter().take(chart.len()).enumerate() {
        let _ = write!(text, "{start}");
        for curve in &chart.curves {
            text.push(',');
            if curve.values[at].is_finite() {
                let _ = write!(text, "{}", curve.values[at]);
            }
        }
        text.push('\n');
    }
    text
}

/// In quotes where it would not read back otherwise.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_stay_one_cell() {
        assert_eq!(cell("plain"), "plain");
        assert_eq!(cell("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
