//! The papers' examples under PDOM, and the divergence of kernels compared with a real GPU's.

use crate::common;
use crate::common::golden;
use crate::common::kernel::Kernel;
use crate::machine;
use crate::machine::trace::lanes;
use std::collections::BTreeMap;
use warpscope_catalogue as catalogue;
use warpscope_kernel::program::Pc;
use warpscope_machine::config::{Config, MachineSpec};
use warpscope_machine::event::{Event, Log};
use warpscope_machine::metrics::Metrics;

/// Figure 7 of Thread Block Compaction: one block of eight threads in two warps of four; threads 0, 5 and 6 take C. With a stack
/// for each warp, every warp runs each of A, B, C and D once.
#[test]
fn tbc_figure_7_runs_every_block_twice_under_pdom() {
    let example = catalogue::find("tbc_example1").expect("a workload of that name");
    let kernel =
        Kernel::new(example.ptx, example.tiny.expect("a tiny launch"), &|file| example.read_file(file)).expect("it is sound");
    let mut sim = machine::load(&kernel, &Config::preset("toy").expect("a preset")).expect("it fits");
    let mut log = Log::default();
    sim.run(10_000, &mut log);
    assert!(sim.finished() && sim.trap().is_none());

    // The blocks of the source, each by one of its lines, and the basic blocks that contain these lines.
    let program = &sim.machine.program;
    let block_of_line = |line: u32| {
        let pc =
            program.instructions.iter().position(|i| i.place.is_some_and(|place| place.line == line)).expect("a line with code");
        program.cfg.block_of[pc] as usize
    };
    let blocks =
        [("A", 14), ("B", 17), ("C", 19), ("D", 20)].map(|(name, line)| (name, program.cfg.blocks[block_of_line(line)].start));
    let mut executions: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (_, event) in &log.events {
        if let Event::Issued { warp, pc, mask, .. } = *event
            && let Some((name, _)) = blocks.iter().find(|(_, start)| *start == pc)
        {
            executions.entry(name).or_default().push(format!("w{warp} {}", lanes(mask)));
        }
    }
    for runs in executions.values_mut() {
        runs.sort();
    }
    let expected =
        [("A", ["w0 0123", "w1 0123"]), ("B", ["w0 123", "w1 03"]), ("C", ["w0 0", "w1 12"]), ("D", ["w0 0123", "w1 0123"])];
    let expected: BTreeMap<&str, Vec<String>> = expected.map(|(name, runs)| (name, runs.map(String::from).to_vec())).into();
    assert_eq!(executions, expected);
}

/// What a kernel of `tests/golden` did on a machine: how often warps, and threads, came to each instruction and took each side of
/// each branch.
struct Course {
    metrics: Metrics,
    instructions: BTreeMap<Pc, Times>,
    taken: BTreeMap<Pc, Times>,
    not_taken: BTreeMap<Pc, Times>,
    /// The counters of a real GPU.
    measured: serde_json::Value,
}

/// Executions by warps and by threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    warps: u64,
    threads: u64,
}

impl Times {
    fn count(&mut self, mask: u32) {
        self.warps += u64::from(mask != 0);
        self.threads += u64::from(mask.count_ones());
    }
}

impl Course {
    fn run(name: &str) -> Course {
        Course::run_on(name, &Config::default())
    }

    fn run_on(name: &str, config: &Config) -> Course {
        let golden = golden::all().into_iter().find(|golden| golden.name == name).expect("a golden run of that name");
        let kernel = golden.kernel().expect("it is sound");
        let mut sim = machine::load(&kernel, config).expect("it fits");
        let (mut metrics, mut log) = (Metrics::default(), Log::default());
        sim.run(machine::MOST_CYCLES, &mut (&mut metrics, &mut log));
        assert!(sim.finished() && sim.trap().is_none());
        let counters: serde_json::Value = serde_json::from_str(&common::read("golden/counters.json")).expect("it is JSON");
        let (instructions, taken, not_taken) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut course = Course { metrics, instructions, taken, not_taken, measured: counters[name].clone() };
        for (_, event) in log.events {
            match event {
                Event::Issued { pc, mask, .. } => course.instructions.entry(pc).or_default().count(mask),
                Event::Branch { pc, taken, not_taken, .. } => {
                    course.taken.entry(pc).or_default().count(taken);
                    course.not_taken.entry(pc).or_default().count(not_taken);
                }
                _ => {}
            }
        }
        course
    }

    /// Returns the threads per warp instruction, divided by the GPU's.
    fn activity_ratio(&self) -> f64 {
        let measured = self.measured["avg_active_threads_per_warp"].as_f64().expect("a number");
        self.metrics.totals.thread_instructions as f64 / self.metrics.totals.warp_instructions as f64 / measured
    }

    /// Asserts that machine code of these parts takes the warp and thread instructions that the GPU counted.
    fn assert_explains_the_gpu(&self, parts: &[(u64, Times)]) {
        let total = parts.iter().fold(Times::default(), |sum, (length, times)| Times {
            warps: sum.warps + length * times.warps,
            threads: sum.threads + length * times.threads,
        });
        let counted = |key: &str| self.measured[key].as_u64().expect("a number");
        assert_eq!(total, Times { warps: counted("warp_instructions"), threads: counted("thread_instructions") });
    }
}

/// Machine code as ptxas makes it, on the technique that is nearest to the GPU's convergence barriers: a thread that leaves a
/// loop by `break` does not keep the others from meeting at the loop's end.
fn native() -> Config {
    MachineSpec::new("gtx480", "PDOM-LCP", [("native_code", "true")]).config().expect("a machine")
}

/// Golden runs on which native code is further from the GPU than a tenth. They are among the nine that were added after the pass
/// was written, so they show how far it carries: seven of the nine are within a tenth.
///
/// - `conversions`: roundings other than to nearest have slow paths on the GPU, which operands of any bits take; a quotient or
///   root has one length here.
/// - `struct_return`: the PTX passes structs through memory, byte by byte; ptxas keeps them in registers.
const FURTHER: [&str; 2] = ["conversions", "struct_return"];

/// With the effects of native code, threads per warp instruction are within a tenth of what the GPU counted.
///
/// One golden run has no number to compare with: in `global_atomics` the GPU's threads leave a loop around a compare-and-swap one
/// by one and do not meet behind it. How many leave at a time depends on the memory, so its counters differ from run to run.
///
/// `recursion` is not run.
#[test]
fn native_code_has_as_many_active_threads_as_the_gpus() {
    let others = ["global_atomics", "recursion"];
    let names = golden::all().into_iter().map(|golden| golden.name).filter(|name| !others.contains(&name.as_str()));
    let ratios: Vec<(String, f64)> =
        names.map(|name| (name.clone(), Course::run_on(&name, &native()).activity_ratio())).collect();
    assert!(ratios.len() > 40);
    let off: Vec<&(String, f64)> = ratios.iter().filter(|(_, ratio)| !(0.9..=1.1).contains(ratio)).collect();
    let names: Vec<&str> = off.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, FURTHER, "{off:.3?}");
}

/// The same for all small launches of the catalogue.
#[test]
fn native_code_of_the_catalogue_has_as_many_active_threads_as_the_gpus() {
    let counters: serde_json::Value = serde_json::from_str(&common::read("golden/catalogue_counters.json")).expect("it is JSON");
    let mut off = Vec::new();
    for workload in catalogue::all() {
        let kernel = Kernel::new(workload.ptx, workload.small, &|file| workload.read_file(file)).expect("it is sound");
        let mut sim = machine::load(&kernel, &native()).expect("it fits");
        let mut metrics = Metrics::default();
        sim.run(machine::MOST_CYCLES, &mut metrics);
        assert!(sim.finished() && sim.trap().is_none(), "{}", workload.name);
        let measured = counters[workload.name]["avg_active_threads_per_warp"].as_f64().expect("a number");
        let ratio = metrics.totals.thread_instructions as f64 / metrics.totals.warp_instructions as f64 / measured;
        if !(0.9..=1.1).contains(&ratio) {
            off.push((workload.name, ratio));
        }
    }
    assert!(off.is_empty(), "{off:.3?}");
}

#[test]
fn branches_loops_and_early_returns_diverge_as_on_the_gpu() {
    for name in ["nested_if", "mandel", "switch_return", "early_return_sync"] {
        let ratio = Course::run(name).activity_ratio();
        assert!((0.85..=1.15).contains(&ratio), "{name}: {ratio:.3} times the GPU's active threads");
    }
}

/// Here the GPU keeps more threads active, because ptxas optimises what the compiler left as it was: it turns the two sides of
/// the innermost `if` into guarded instructions, so nothing diverges within an iteration of the loop.
///
/// How often warps come to each part of the kernel is exactly the same. To show this, the executions of the PTX blocks are
/// weighted with the lengths of the machine code's blocks (ptxas 13.0, sm_90): the sums are the GPU's counters.
#[test]
fn collatz_diverges_as_on_the_gpu_but_for_guarded_sides() {
    let course = Course::run("collatz_o0");
    let ratio = course.activity_ratio();
    assert!((0.80..=1.15).contains(&ratio), "{ratio:.3} times the GPU's active threads");
    let [entry, in_bounds, trip, end] = [0, 13, 27, 45].map(|pc| course.instructions[&pc]);
    let leaves_loop = course.taken[&26];
    course.assert_explains_the_gpu(&[
        (8, entry),
        // Loads the number and tests whether it is above one, as it always is; two moves before the loop.
        (11 + 2, in_bounds),
        (14, trip),
        // `BSYNC`: threads that leave the loop in different iterations come to the meeting point one after another.
        (1, leaves_loop),
        (6, end),
    ]);
}

/// Here the GPU keeps fewer threads active. The machine code is shorter where all threads are together (it needs no loads of
/// parameters), longer in the loop where few are, and its meeting points are instructions that every side executes for itself.
/// Again the executions of the parts are exactly the same.
#[test]
fn bfs_diverges_as_on_the_gpu_but_for_the_lengths_of_code() {
    let course = Course::run("bfs_step");
    let ratio = course.activity_ratio();
    assert!((0.85..=1.20).contains(&ratio), "{ratio:.3} times the GPU's active threads");
    let [entry, in_bounds, in_level, has_edges, edge, unseen, next_edge] =
        [0, 13, 19, 26, 30, 37, 42].map(|pc| course.instructions[&pc]);
    course.assert_explains_the_gpu(&[
        (8, entry),
        (7, in_bounds),
        (8, in_level),
        (8, has_edges),
        (9, edge),
        (6, unseen),
        // `BSYNC`, executed by each side of the branch for itself.
        (1, course.taken[&36]),
        (1, course.not_taken[&36]),
        (3, next_edge),
        // `EXIT`: threads end where they leave the loop, and do not meet again.
        (1, course.not_taken[&45]),
    ]);
}
