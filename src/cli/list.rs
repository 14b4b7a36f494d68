//! `warpscope list`.

use super::args::{ListArgs, Listed};
use super::{Failure, print, print_json};
use crate::workload;
use serde::Serialize;

#[derive(Serialize)]
struct WorkloadRow {
    name: &'static str,
    title: &'static str,
    class: &'static str,
    barriers: bool,
}

pub fn list(args: &ListArgs) -> Result<(), Failure> {
    match args.what {
        Listed::Workloads => workloads(args.json),
    }
    Ok(())
}

fn workloads(json: bool) {
    let rows: Vec<WorkloadRow> =
        workload::all().iter().map(|w| WorkloadRow { name: w.name, title: w.title, class: w.class.name(), barriers: w.barriers }).collect();
    if json {
        return print_json(&rows);
    }
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    for row in rows {
        let barriers = if row.barriers { ", barriers" } else { "" };
        print(&format!("{:width$}  {} ({}{barriers})", row.name, row.title, row.class));
    }
}
