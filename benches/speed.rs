//! Speed of Warpscope itself: the parser, the scalar reference, and the machine with and without a listener.
//!
//! `cargo bench` prints times and rates; an element is a thread instruction, a warp instruction or an SM cycle.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use warpscope_catalogue as catalogue;
use warpscope_kernel::interp::reference;
use warpscope_kernel::ptx;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::event::{Event, NullSink, Sink};
use warpscope_machine::metrics::Metrics;
use warpscope_machine::replay::Replay;
use warpscope_machine::run::{self, Draft};
use warpscope_machine::sim::Sim;

/// Compute-bound at full occupancy (matmul), divergent (mandelbrot, collatz), memory-bound (saxpy).
const MACHINE_RUNS: [&str; 4] = ["matmul", "mandelbrot", "collatz", "saxpy"];

fn parser(c: &mut Criterion) {
    let text: String = catalogue::all().iter().map(|w| w.ptx).collect::<Vec<_>>().join("\n");
    // Repeated module headers do not disturb the parser; most of the text is kernel bodies.
    let text = text.repeat(4);
    let mut group = c.benchmark_group("parser");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("all workloads", |b| b.iter(|| black_box(ptx::parse(&text))));
    group.finish();
}

fn scalar_reference(c: &mut Criterion) {
    let mut group = c.benchmark_group("reference");
    group.sample_size(10);
    for name in ["collatz", "mandelbrot", "matmul"] {
        let work = catalogue::find(name).expect("a workload");
        let draft = Draft::read(work.ptx, work.full).expect("sound texts");
        let job = draft.fill(&|file| work.read_file(file)).expect("its files");
        let start = job.start(32, 1).expect("they fit together");
        let instructions = reference::run(&job.program, &start, u64::MAX).thread_instructions;
        group.throughput(Throughput::Elements(instructions));
        group.bench_function(format!("{name} (thread instructions)"), |b| {
            b.iter(|| black_box(reference::run(&job.program, &start, u64::MAX)))
        });
    }
    group.finish();
}

fn simulator(name: &str) -> Sim {
    let work = catalogue::find(name).expect("a workload");
    let files = |name: &str| work.read_file(name);
    run::prepare(work.ptx, work.full, &MachineSpec::default(), &files).expect("they fit together").1
}

/// A listener to every event that does almost nothing, to measure what listening costs.
#[derive(Default)]
struct Everything(u64);

impl Sink for Everything {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        self.0 = self.0.wrapping_add(cycle ^ u64::from(matches!(event, Event::Issued { .. })));
    }
}

fn machine(c: &mut Criterion) {
    let mut group = c.benchmark_group("machine");
    group.sample_size(10);
    for name in MACHINE_RUNS {
        let sim = simulator(name);
        let mut metrics = Metrics::default();
        let mut once = sim.clone();
        once.run(u64::MAX, &mut metrics);
        println!("{name}: {} SM cycles, {} warp instructions", once.state.cycle, metrics.totals.warp_instructions);
        for (unit, count) in [("SM cycles", once.state.cycle), ("warp instructions", metrics.totals.warp_instructions)] {
            group.throughput(Throughput::Elements(count));
            let run = |b: &mut criterion::Bencher| {
                b.iter_batched_ref(|| sim.clone(), |sim| sim.run(u64::MAX, &mut NullSink), BatchSize::LargeInput)
            };
            group.bench_function(format!("{name}, nobody listens ({unit})"), run);
        }
        group.throughput(Throughput::Elements(once.state.cycle));
        group.bench_function(format!("{name}, metrics (SM cycles)"), |b| {
            b.iter_batched_ref(
                || (sim.clone(), Metrics::default()),
                |(sim, metrics)| sim.run_specialised(u64::MAX, metrics),
                BatchSize::LargeInput,
            );
        });
        group.bench_function(format!("{name}, every event (SM cycles)"), |b| {
            b.iter_batched_ref(
                || (sim.clone(), Everything::default()),
                |(sim, sink)| sim.run(u64::MAX, sink),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

/// Measures seeks in a run of a million cycles.
fn replay(c: &mut Criterion) {
    let mut replay = Replay::new(simulator("interpreter"));
    replay.seek(u64::MAX);
    let end = replay.reached();
    println!("replay: {end} cycles, {} snapshots", replay.snapshots());
    let mut group = c.benchmark_group("replay");
    group.sample_size(10);
    let mut at = 1;
    group.bench_function("seek anywhere", |b| {
        b.iter(|| {
            // Pseudo-random jumps over the whole run, near and far.
            at = (at * 48_271) % end;
            replay.seek(at);
        });
    });
    group.finish();
}

criterion_group!(benches, parser, scalar_reference, machine, replay);
criterion_main!(benches);
