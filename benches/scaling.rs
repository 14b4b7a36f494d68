//! How the time until something is seen grows with a text: every family of texts at three sizes.
//!
//! `cargo bench --bench scaling` prints times and rates; an element is a statement of the text, so the rates of a family's sizes are
//! about the same. `cargo bench --bench scaling -- nested_loops` runs one family.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

#[path = "../tests/shared/texts.rs"]
mod texts;

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];

fn families(c: &mut Criterion) {
    for family in texts::FAMILIES {
        let mut group = c.benchmark_group(family.name);
        group.sampling_mode(SamplingMode::Flat).sample_size(10);
        group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(500));
        for size in SIZES {
            let text = (family.text)(size);
            group.throughput(Throughput::Elements(size as u64));
            group.bench_with_input(BenchmarkId::new("show", size), &text, |b, text| b.iter(|| black_box(texts::show(text).1)));
            let (kernels, _) = texts::show(&text);
            if !kernels.is_empty() {
                let rewrite = || kernels.iter().map(|kernel| texts::rewrite(kernel, &text)).sum::<usize>();
                group.bench_with_input(BenchmarkId::new("rewrite", size), &text, |b, _| b.iter(|| black_box(rewrite())));
            }
        }
        group.finish();
    }
}

criterion_group!(benches, families);
criterion_main!(benches);
