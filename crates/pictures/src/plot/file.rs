//! Export of charts: a chart as a CSV table, and names of files.

use super::Chart;

/// Returns a chart's numbers as CSV: a heading with names and units, then rows.
pub fn csv(chart: &Chart) -> String {
    chart.content().csv(chart.figure)
}

/// Builds a name like `warpscope-collatz-pdom-ipc@2x.png`: the kernel, the machine, the figure, the ending.
pub fn file_name(kernel: &str, machine: &str, figure: &str, ending: &str) -> String {
    let parts = ["warpscope", kernel, machine, figure].map(plain);
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}{ending}", parts.join("-"))
}

/// Reduces a text to lower-case letters, digits, underscores and single hyphens.
fn plain(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    words.join("-").chars().take(64).collect()
}

/// Puts a cell in quotes where it would not read back otherwise.
pub fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_say_what_is_in_them_and_nothing_odd() {
        assert_eq!(file_name("collatz", "PDOM", "ipc", "@2x.png"), "warpscope-collatz-pdom-ipc@2x.png");
        assert_eq!(file_name("_Z3fooPf", "PDOM,GTO", "ipc", ".csv"), "warpscope-_z3foopf-pdom-gto-ipc.csv");
        assert_eq!(file_name("../a b", "", "ipc", ".svg"), "warpscope-a-b-ipc.svg");
    }

    #[test]
    fn names_with_commas_stay_one_cell() {
        assert_eq!(cell("plain"), "plain");
        assert_eq!(cell("a, \"b\""), "\"a, \"\"b\"\"\"");
    }
}
