//! Moving through a run: forwards, backwards, to events, in bounded memory and time.

use crate::machine::stream::fingerprint;
use std::time::Instant;
use warpscope_catalogue as catalogue;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::event::Log;
use warpscope_machine::replay::Replay;
use warpscope_machine::run;
use warpscope_machine::sim::Sim;

fn simulator(name: &str, full: bool) -> Sim {
    let work = catalogue::find(name).expect("a workload");
    let launch = if full { work.full } else { work.small };
    run::prepare(work.ptx, launch, &MachineSpec::default(), &|file| work.read_file(file)).expect("they fit together").1
}

#[test]
fn every_way_to_a_cycle_ends_in_the_same_state() {
    let start = simulator("mergesort", false);
    let mut straight = start.clone();
    straight.run(u64::MAX, &mut warpscope_machine::event::NullSink);
    let end = straight.state.cycle;
    let mut replay = Replay::new(start.clone());
    for cycle in [end / 2, end / 3, end, 0, 1, end - 1, end / 2 + 7, end / 2 + 6] {
        replay.seek(cycle);
        assert_eq!(replay.cycle(), cycle);
        let mut direct = start.clone();
        direct.run(cycle, &mut warpscope_machine::event::NullSink);
        assert_eq!(fingerprint(replay.sim()), fingerprint(&direct), "cycle {cycle}");
    }
    replay.seek(end / 2);
    let here = fingerprint(replay.sim());
    for _ in 0..5 {
        replay.back();
    }
    for _ in 0..5 {
        replay.step(&mut warpscope_machine::event::NullSink);
    }
    assert_eq!(replay.cycle(), end / 2);
    assert_eq!(fingerprint(replay.sim()), here);
    replay.seek(u64::MAX);
    assert!(replay.ended());
    assert_eq!((replay.cycle(), replay.reached()), (end, end));
}

#[test]
fn the_events_of_a_span_are_the_same_stepped_through_or_replayed() {
    let mut replay = Replay::new(simulator("tbc_example1", false));
    let mut lived = Log::default();
    replay.seek(10);
    (0..20).for_each(|_| replay.step(&mut lived));
    let mut looked_up = Log::default();
    replay.events(10, 30, &mut looked_up);
    assert!(!lived.events.is_empty());
    assert_eq!(lived.events, looked_up.events);
}

#[test]
fn a_million_cycles_stay_small_and_near() {
    let before = resident_bytes();
    let mut replay = Replay::new(simulator("spmv", true));
    replay.seek(u64::MAX);
    let end = replay.reached();
    assert!(end > 1_000_000, "the run should be long: {end}");
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 200 << 20, "{} MiB for {} snapshots", grown >> 20, replay.snapshots());
    // The bound of 100 ms is for optimised code; `cargo bench` measures it.
    let bound = if cfg!(debug_assertions) { 1000 } else { 100 };
    for cycle in [end - 1, end / 2, 12_345, end / 3, 1] {
        let clock = Instant::now();
        replay.seek(cycle);
        let took = clock.elapsed().as_millis();
        assert_eq!(replay.cycle(), cycle);
        assert!(took < bound, "a seek to {cycle} took {took} ms");
    }
}

/// Returns the memory that the process holds, in bytes.
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}
