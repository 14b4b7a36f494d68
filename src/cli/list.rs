//! `warpscope list`.

use super::args::{ListArgs, Listed};
use super::{Failure, print, print_json};
use serde::Serialize;
use warpscope_catalogue as catalogue;
use warpscope_machine::config::{self, Config, KEYS, KeyKind, PRESETS, TECHNIQUES};
use warpscope_machine::metrics::DEFINITIONS;

/// A row of any list: a name, a description, and further fields for the JSON.
#[derive(Serialize)]
struct Row<T: Serialize> {
    name: &'static str,
    about: String,
    #[serde(flatten)]
    more: T,
}

#[derive(Serialize)]
struct WorkloadRow {
    title: &'static str,
    class: &'static str,
    barriers: bool,
}

#[derive(Serialize)]
struct TechniqueRow {
    decides: &'static str,
    paper: &'static str,
    alias_of: Option<&'static str>,
}

#[derive(Serialize)]
struct MetricRow {
    label: &'static str,
    unit: &'static str,
}

#[derive(Serialize)]
struct KeyRow {
    unit: &'static str,
    kind: KeyKind,
    default: String,
    /// The least and the largest value of a whole number.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<(u32, u32)>,
    choices: Vec<&'static str>,
}

#[derive(Serialize)]
struct Nothing {}

pub fn list(args: &ListArgs) -> Result<(), Failure> {
    match args.what {
        Listed::Workloads => show(
            args.json,
            catalogue::all().iter().map(|w| {
                let barriers = if w.has_barriers() { ", barriers" } else { "" };
                let about = format!("{} ({}{barriers})", w.title, w.class.name());
                Row {
                    name: w.name,
                    about,
                    more: WorkloadRow { title: w.title, class: w.class.name(), barriers: w.has_barriers() },
                }
            }),
        ),
        Listed::Presets => {
            show(args.json, PRESETS.iter().map(|p| Row { name: p.name, about: p.about.to_string(), more: Nothing {} }))
        }
        Listed::Techniques => show(
            args.json,
            TECHNIQUES.iter().map(|t| {
                let about = format!("{}: {} ({})", t.decides, t.about, t.paper);
                Row { name: t.name, about, more: TechniqueRow { decides: t.decides, paper: t.paper, alias_of: t.alias_of } }
            }),
        ),
        Listed::Metrics => show(
            args.json,
            DEFINITIONS.iter().map(|d| Row {
                name: d.name,
                about: d.about.to_string(),
                more: MetricRow { label: d.label, unit: d.unit },
            }),
        ),
        Listed::Keys => {
            let default = Config::default();
            show(
                args.json,
                KEYS.iter().map(|k| {
                    let value = (k.get)(&default);
                    let unit = if k.unit.is_empty() { String::new() } else { format!(" {}", k.unit) };
                    let range = config::range(k.name);
                    let allowed = range.map_or(String::new(), |(least, most)| format!(" ({least} to {most})"));
                    let about = format!("{value}{unit}: {}{allowed}", k.about);
                    Row {
                        name: k.name,
                        about,
                        more: KeyRow { unit: k.unit, kind: k.kind, default: value, range, choices: (k.choices)() },
                    }
                }),
            )
        }
    }
}

fn show<T: Serialize>(json: bool, rows: impl Iterator<Item = Row<T>>) -> Result<(), Failure> {
    let rows: Vec<Row<T>> = rows.collect();
    if json {
        return print_json(&rows);
    }
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|row| format!("{:width$}  {}", row.name, row.about)).collect();
    print(&lines.join("\n"))
}
