//! On every machine, kernels leave the memory that a real GPU left (`tests/golden`) and workloads that of their references, bit
//! for bit, whatever the issue order; and the accounts of every such run balance.

use crate::common::golden;
use crate::common::kernel::Kernel;
use crate::machine;
use crate::machine::setups::{self, Setup};
use crate::sample::sampled;
use warpscope_catalogue::{self as catalogue, Size};
use warpscope_kernel::launch::BufferData;
use warpscope_kernel::ptx::op::Op;
use warpscope_machine::config::{DispatchKind, DivergenceKind, PRESETS};
use warpscope_machine::sim::SimError;

/// Calls are inlined, so the one recursive kernel is refused.
const REFUSED: &str = "recursion";
/// Kernels whose number of instructions depends on the order of threads: how often a thread tries an exchange, which of several
/// neighbours finds a node unvisited, how many threads an `activemask` finds together. Their results do not depend on it.
const ORDER_MATTERS: [&str; 5] = ["global_atomics", "bfs_clang", "vote_match", "workload bfs", "workload rayqueue"];

macro_rules! presets {
    ($($preset:ident at least $least:literal,)*) => {
        $(#[test]
        fn $preset() {
            check(&setups::of_preset(stringify!($preset)), 6, $least);
        })*

        #[test]
        fn every_preset_is_tested() {
            let mut tested = vec![$(stringify!($preset)),*];
            let mut presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            tested.sort_unstable();
            presets.sort_unstable();
            assert_eq!(tested, presets);
        }
    };
}

presets! {
    gtx480 at least 30,
    gtx480x15 at least 30,
    tbc at least 30,
    vws at least 30,
    origami at least 30,
    toy at least 3,
}

#[test]
fn regrouping() {
    check(&setups::regrouping(), 16, 50);
}

#[test]
fn slices() {
    check(&setups::slices(), 24, 30);
}

#[test]
fn narrow_warps() {
    check(&setups::narrow_warps(), 6, 30);
}

#[test]
fn barrier_aware() {
    check(&setups::barrier_aware(), 24, 40);
}

#[test]
fn splits() {
    check(&setups::splits(), 12, 50);
}

#[test]
fn gated() {
    check(&setups::gated(), 24, 40);
}

#[test]
fn virtual_blocks() {
    check(&setups::virtual_blocks(), 24, 30);
}

#[test]
fn native_code() {
    check(&setups::native(), 12, 50);
}

/// Checks the buffers that a run left.
type Judge = Box<dyn Fn(&[BufferData]) -> Result<(), String>>;

/// A kernel and the check of what it left.
struct Subject {
    name: String,
    kernel: Kernel,
    check: Judge,
    /// Whether it needs warps of 32 threads that stay together.
    lock_step: bool,
}

fn subjects() -> Vec<Subject> {
    let goldens = golden::all().into_iter().filter(|golden| golden.name != REFUSED).map(|golden| {
        let kernel = golden.kernel().unwrap_or_else(|trouble| panic!("{}: {trouble}", golden.name));
        let before = kernel.job.before.clone();
        Subject {
            name: golden.name.clone(),
            kernel,
            check: Box::new(move |after| golden.check(&before, after)),
            lock_step: false,
        }
    });
    let sizes = [Size::Tiny, Size::Small];
    let launches = catalogue::all().iter().flat_map(|w| sizes.into_iter().filter_map(move |size| Some((w, w.launch(size)?))));
    let workloads = launches.map(|(workload, launch)| {
        let kernel = Kernel::new(workload.ptx, launch, &|file| workload.read_file(file))
            .unwrap_or_else(|trouble| panic!("{}: {trouble}", workload.name));
        let (launch, before) = (kernel.job.launch.clone(), kernel.job.before.clone());
        let check = move |after: &[BufferData]| workload.check(&launch, &before, after).map_err(|mismatch| mismatch.to_string());
        Subject { name: format!("workload {}", workload.name), kernel, check: Box::new(check), lock_step: workload.lock_step }
    });
    goldens.chain(workloads).collect()
}

/// Runs one in `every` of the cases that these machines can hold, at least `least`, and reports all failures.
fn check(setups: &[Setup], every: usize, least: usize) {
    let (mut runs, mut cases) = (0, 0);
    let mut failures = Vec::new();
    for subject in subjects() {
        let mut instructions = None;
        for Setup { name, config } in setups {
            cases += 1;
            if !sampled(cases, every) {
                continue;
            }
            if config.ptx_warp < 32 && asks_for_lanes(&subject.kernel) {
                continue;
            }
            if subject.lock_step && !config.reunites_warps() {
                continue;
            }
            let sim = match machine::load(&subject.kernel, config) {
                Ok(sim) => sim,
                Err(SimError::Config(_)) => continue,
                Err(error) => panic!("{}: {error}", subject.name),
            };
            runs += 1;
            let wanted = *instructions.get_or_insert_with(|| machine::reference(&subject.kernel, config).thread_instructions);
            let outcome = machine::finish(sim).and_then(|finished| {
                (subject.check)(&finished.buffers(&subject.kernel))?;
                let found = finished.metrics.totals.thread_instructions;
                // Native code, the loop over logical blocks and convergence barriers have instructions of their own.
                let has_barriers = config.divergence == DivergenceKind::Its;
                let is_rewritten = config.native_code || config.dispatch == DispatchKind::Virtual || has_barriers;
                if found == wanted || is_rewritten || ORDER_MATTERS.contains(&subject.name.as_str()) {
                    Ok(())
                } else {
                    Err(format!("{found} thread instructions, the reference has {wanted}"))
                }
            });
            failures.extend(outcome.err().map(|trouble| format!("{} on {name}: {trouble}", subject.name)));
        }
    }
    assert!(failures.is_empty(), "{} of {runs} runs fail\n{}", failures.len(), failures.join("\n"));
    assert!(runs >= least, "only {runs} runs");
}

/// Whether the kernel's result depends on the size of a PTX warp.
fn asks_for_lanes(kernel: &Kernel) -> bool {
    let text = &kernel.text;
    let joins = kernel.job.program.instructions.iter().any(|i| i.op.joins_warp() || i.op == Op::ActiveMask);
    joins || ["%laneid", "%warpid", "%lanemask", "WARP_SZ"].iter().any(|name| text.contains(name))
}
