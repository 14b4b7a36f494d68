//! Whole kernels leave the memory that a real GPU leaves (`tests/golden`), and the catalogue's workloads that of their
//! references.

mod common;

use common::golden;
use common::kernel::Kernel;
use warpscope::workload::{self, Size};

/// Calls are inlined, so the one kernel that calls itself cannot be had.
const REFUSED: &str = "recursion";

#[test]
fn golden_runs_leave_what_the_gpu_left() {
    let all = golden::all();
    assert!(all.len() >= 36, "{} golden runs", all.len());
    let mut failures = Vec::new();
    for golden in all.iter().filter(|golden| golden.name != REFUSED) {
        assert!(!golden.expect.is_empty(), "{} expects nothing", golden.name);
        let checked = golden.kernel().and_then(|kernel| golden.check(&kernel.before, &kernel.finish()?));
        failures.extend(checked.err().map(|trouble| format!("{}: {trouble}", golden.name)));
    }
    assert!(failures.is_empty(), "{} golden runs fail\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn recursion_is_refused_by_name() {
    let all = golden::all();
    let recursion = all.iter().find(|golden| golden.name == REFUSED).expect("it is there");
    let refusal = recursion.kernel().err().expect("it is refused");
    assert!(refusal.contains("_Z9ackermannii") && refusal.contains("recurs"), "{refusal}");
}

#[test]
fn workloads_leave_what_their_references_leave() {
    assert!(workload::all().len() >= 12, "{} workloads", workload::all().len());
    let mut failures = Vec::new();
    for workload in workload::all() {
        for size in Size::ALL {
            let Some(launch) = workload.launch(size) else { continue };
            let size = size.name();
            let checked = Kernel::new(workload.ptx, launch, &|file| workload.read_file(file)).and_then(|kernel| {
                workload.check(&kernel.launch, &kernel.before, &kernel.finish()?).map_err(|mismatch| mismatch.to_string())
            });
            failures.extend(checked.err().map(|trouble| format!("{} {size}: {trouble}", workload.name)));
        }
    }
    assert!(failures.is_empty(), "{} workload runs fail\n{}", failures.len(), failures.join("\n"));
}
