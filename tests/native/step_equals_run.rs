//! The same kernel, launch and machine give the same run. n single steps, one run of n cycles, runs in pieces, and a copy that
//! goes on from the middle all reach the same state by the same events.

use crate::common::kernel::Kernel;
use crate::machine;
use crate::machine::setups::{self, Setup};
use crate::machine::stream::{compare, expanded, fingerprint};
use crate::sample::sampled;
use warpscope_catalogue as catalogue;
use warpscope_machine::event::{EventHash, Log, NullSink, Sink};
use warpscope_machine::metrics::Metrics;
use warpscope_machine::sim::{Sim, SimError};

/// Runs are compared up to here.
const MOST: u64 = 6_000;

/// Checks every workload's smallest launch on every machine that holds it.
fn each(check: impl Fn(&Sim) -> Result<(), String>) {
    let (mut runs, mut cases) = (0, 0);
    let mut failures = Vec::new();
    let machines = || {
        let stacks = setups::plain().into_iter().chain(setups::barrier_aware()).chain(setups::splits());
        let few = stacks.chain(setups::regrouping_few()).chain(setups::slices_few()).chain(setups::gated());
        few.chain(setups::virtual_blocks()).chain(setups::native())
    };
    for workload in catalogue::all() {
        let kernel = Kernel::new(workload.ptx, workload.tiny.unwrap_or(workload.small), &|file| workload.read_file(file))
            .unwrap_or_else(|trouble| panic!("{}: {trouble}", workload.name));
        for Setup { name, config } in machines() {
            cases += 1;
            if !sampled(cases, 16) {
                continue;
            }
            let sim = match machine::load(&kernel, &config) {
                Ok(sim) => sim,
                // A small machine may be too small for a block; nothing else keeps a workload from a machine.
                Err(_) if kernel.job.launch.block_threads() > config.max_threads.into() => continue,
                // PTX warps of fewer than 32 threads cannot run a kernel that names 32 members.
                Err(SimError::Config(_)) if config.ptx_warp < 32 => continue,
                Err(error) => {
                    failures.push(format!("{} on {name}: {error}", workload.name));
                    continue;
                }
            };
            runs += 1;
            failures.extend(check(&sim).err().map(|trouble| format!("{} on {name}: {trouble}", workload.name)));
        }
    }
    assert!(failures.is_empty(), "{} of {runs} runs fail\n{}", failures.len(), failures.join("\n"));
    assert!(runs >= 50, "only {runs} runs");
}

#[derive(Default)]
struct Listener {
    log: Log,
    metrics: Metrics,
}

impl Listener {
    fn with<R>(&mut self, act: impl FnOnce(&mut (&mut Log, &mut Metrics)) -> R) -> R {
        act(&mut (&mut self.log, &mut self.metrics))
    }
}

fn steps<S: Sink>(sim: &mut Sim, cycles: u64, sink: &mut S) {
    for _ in 0..cycles {
        sim.step(sink);
    }
}

#[test]
fn steps_runs_and_copies_come_to_the_same() {
    each(|start| {
        let (mut stepped, mut step_ear) = (start.clone(), Listener::default());
        step_ear.with(|sink| steps(&mut stepped, MOST, sink));
        let end = stepped.state.cycle;
        let stepped_events = expanded(&step_ear.log);
        let agrees = |how: &str, sim: &Sim, ear: &Listener| -> Result<(), String> {
            let said = |trouble: String| format!("{how}: {trouble}");
            if sim.state.cycle != end {
                return Err(said(format!("cycle {} and {end}", sim.state.cycle)));
            }
            compare(&expanded(&ear.log), &stepped_events).map_err(said)?;
            if ear.metrics != step_ear.metrics {
                return Err(said(first_difference(&ear.metrics, &step_ear.metrics)));
            }
            if fingerprint(sim) == fingerprint(&stepped) { Ok(()) } else { Err(said("another state".to_string())) }
        };

        let (mut run, mut ear) = (start.clone(), Listener::default());
        ear.with(|sink| run.run(MOST, sink));
        agrees("one run", &run, &ear)?;

        // Pieces of odd sizes, some stepped, some run, each on a copy of the previous machine; the original runs on and is
        // dropped.
        let (mut pieces, mut ear) = (start.clone(), Listener::default());
        for at in 1.. {
            let left = MOST - pieces.state.cycle;
            if left == 0 || pieces.finished() {
                break;
            }
            let mut copy = pieces.clone();
            let cycles = (at * at * 7 + 1).min(left);
            ear.with(|sink| if at % 3 == 0 { steps(&mut copy, cycles, sink) } else { copy.run(cycles, sink) });
            pieces.run(5, &mut NullSink);
            pieces = copy;
        }
        agrees("pieces", &pieces, &ear)
    });
}

/// Returns the text around the first difference.
fn first_difference(one: &Metrics, other: &Metrics) -> String {
    let (one, other) = (format!("{one:?}"), format!("{other:?}"));
    let at = one.bytes().zip(other.bytes()).position(|(a, b)| a != b).unwrap_or(0);
    let part = |text: &str| text.chars().skip(at.saturating_sub(60)).take(90).collect::<String>();
    format!("metrics …{}… and …{}…", part(&one), part(&other))
}

#[test]
fn the_state_at_a_cycle_does_not_depend_on_the_way_there() {
    each(|start| {
        let mut whole = start.clone();
        whole.run(MOST, &mut NullSink);
        let end = whole.state.cycle;
        for cycle in [1, 2, end / 3, end / 2, end - 1, end] {
            let (mut stepped, mut run) = (start.clone(), start.clone());
            steps(&mut stepped, cycle, &mut NullSink);
            run.run(cycle, &mut NullSink);
            let mut metrics = Metrics::default();
            let mut listened = start.clone();
            listened.run(cycle, &mut metrics);
            let states = [&stepped, &run, &listened].map(|sim| (sim.state.cycle, fingerprint(sim)));
            if states[0] != states[1] || states[0] != states[2] || states[0].0 != cycle {
                return Err(format!("at cycle {cycle} stepped, run and listened to are {states:?}"));
            }
        }
        Ok(())
    });
}

#[test]
fn a_second_run_has_the_same_events() {
    each(|start| {
        let hash = || {
            let mut hash = EventHash::default();
            start.clone().run(u64::MAX, &mut hash);
            hash.value()
        };
        let (first, second) = (hash(), hash());
        if first == second { Ok(()) } else { Err(format!("{first:016x} and {second:016x}")) }
    });
}

#[test]
fn a_listener_that_comes_late_hears_what_others_hear() {
    each(|start| {
        let mut whole = start.clone();
        whole.run(MOST, &mut NullSink);
        let late = whole.state.cycle / 2 + 1;
        let heard_from_there = |first: &mut dyn FnMut(&mut Sim)| {
            let (mut sim, mut log) = (start.clone(), Log::default());
            first(&mut sim);
            sim.run(MOST - late, &mut log);
            (expanded(&log), fingerprint(&sim))
        };
        let (with_others, state) = heard_from_there(&mut |sim| sim.run(late, &mut Log::default()));
        for alone in [
            heard_from_there(&mut |sim| sim.run(late, &mut NullSink)),
            heard_from_there(&mut |sim| sim.run(late, &mut Metrics::default())),
        ] {
            compare(&alone.0, &with_others)?;
            if alone.1 != state {
                return Err("who listened shows in the state".to_string());
            }
        }
        Ok(())
    });
}
