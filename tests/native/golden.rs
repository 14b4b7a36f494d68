//! Whole kernels leave the memory that a real GPU leaves (`tests/golden`), and the catalogue's workloads that of their
//! references.

use crate::common::golden;
use crate::common::kernel::Kernel;
use strum::VariantArray;
use warpscope_catalogue::{self as catalogue, Size};
use warpscope_kernel::interp::races::Races;
use warpscope_kernel::interp::reference::{self, Order};

/// Calls are inlined, so the one recursive kernel is refused.
const REFUSED: &str = "recursion";

/// Threads write the same value to the same place, so their order does not change the result.
const RACES_ALIKE: [&str; 1] = ["bfs"];

#[test]
fn golden_runs_leave_what_the_gpu_left() {
    let all = golden::all();
    assert!(all.len() >= 36, "{} golden runs", all.len());
    let mut failures = Vec::new();
    for golden in all.iter().filter(|golden| golden.name != REFUSED) {
        assert!(!golden.expect.is_empty(), "{} expects nothing", golden.name);
        let checked = golden.kernel().and_then(|kernel| golden.check(&kernel.job.before, &kernel.finish()?));
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
    assert!(catalogue::all().len() >= 12, "{} workloads", catalogue::all().len());
    let mut failures = Vec::new();
    // Workloads that rely on lock-step fail thread by thread; `machine_golden` checks them.
    for workload in catalogue::all().iter().filter(|workload| !workload.lock_step) {
        for &size in Size::VARIANTS {
            let Some(launch) = workload.launch(size) else { continue };
            let size = size.name();
            let checked = Kernel::new(workload.ptx, launch, &|file| workload.read_file(file)).and_then(|kernel| {
                workload.check(&kernel.job.launch, &kernel.job.before, &kernel.finish()?).map_err(|mismatch| mismatch.to_string())
            });
            failures.extend(checked.err().map(|trouble| format!("{} {size}: {trouble}", workload.name)));
        }
    }
    assert!(failures.is_empty(), "{} workload runs fail\n{}", failures.len(), failures.join("\n"));
}

/// The scalar reference watches every access of every small launch: no two unordered accesses touch the same bytes.
#[test]
fn workloads_have_no_races() {
    let mut failures = Vec::new();
    for workload in catalogue::all().iter().filter(|workload| !RACES_ALIKE.contains(&workload.name)) {
        let kernel = Kernel::new(workload.ptx, workload.small, &|file| workload.read_file(file))
            .unwrap_or_else(|trouble| panic!("{}: {trouble}", workload.name));
        let mut races = Races::new(kernel.start.shape.ptx_warp);
        let outcome = reference::observe(&kernel.job.program, &kernel.start, 200_000_000, Order::Threads, &mut races);
        assert!(outcome.trap.is_none(), "{}", workload.name);
        if workload.lock_step {
            assert!(races.first_within_warp.is_some(), "{} relies on lock-step", workload.name);
            continue;
        }
        failures.extend(races.first.map(|conflict| format!("{}: {conflict:?}", workload.name)));
    }
    assert!(failures.is_empty(), "{} workloads have races\n{}", failures.len(), failures.join("\n"));
}
