//! Runs in comparable form: events with every repeat written out, and the whole state of a machine as one number.

use super::setups::setup;
use crate::common::kernel::Kernel;
use std::hash::{Hash, Hasher};
use warpscope_machine::event::{Event, EventHash, Log};
use warpscope_machine::sim::Sim;

/// Returns the events of a log cycle by cycle, with every repeat written out.
pub fn expanded(log: &Log) -> Vec<(u64, Event)> {
    let mut events: Vec<(u64, Event)> = Vec::with_capacity(log.events.len());
    for &(cycle, event) in &log.events {
        match event {
            Event::Cycle { sm, counts, repeat } => {
                events.extend((0..repeat).map(|at| (cycle + at, Event::Cycle { sm, counts, repeat: 1 })));
            }
            Event::Slot { sm, port, slot, repeat } => {
                events.extend((0..repeat).map(|at| (cycle + at, Event::Slot { sm, port, slot, repeat: 1 })));
            }
            _ => events.push((cycle, event)),
        }
    }
    // The sort is stable: the order within a cycle stays.
    events.sort_by_key(|&(cycle, _)| cycle);
    events
}

/// Describes the first difference between two streams.
pub fn compare(one: &[(u64, Event)], other: &[(u64, Event)]) -> Result<(), String> {
    match one.iter().zip(other).position(|(a, b)| a != b) {
        Some(at) => Err(format!("event {at} is {:?} and {:?}", one[at], other[at])),
        None if one.len() != other.len() => Err(format!("{} and {} events", one.len(), other.len())),
        None => Ok(()),
    }
}

/// Returns a number that depends on every field of a machine's state, down to the bytes of its memory.
pub fn fingerprint(sim: &Sim) -> u64 {
    let mut hash = EventHash::default();
    sim.state.hash(&mut hash);
    hash.finish()
}

#[test]
fn a_fingerprint_depends_on_the_state() {
    let workload = warpscope_catalogue::find("saxpy").expect("in the catalogue");
    let kernel = Kernel::new(workload.ptx, workload.small, &|file| workload.read_file(file)).expect("it is sound");
    let mut sim = super::load(&kernel, &setup("gtx480", "", &[]).config).expect("it fits");
    sim.run(500, &mut Log::default());
    let now = fingerprint(&sim);
    assert_eq!(now, fingerprint(&sim.clone()));
    let changes: [fn(&mut Sim); 5] = [
        |sim| sim.state.cycle += 1,
        |sim| sim.state.uncore.output.push(0),
        |sim| sim.state.sms[0].warps[1].place.pc += 1,
        |sim| {
            let data = &mut sim.state.sms[0].sets.data;
            data.set(0, !data.contains(0));
        },
        |sim| {
            let global = &mut sim.state.uncore.global;
            let (address, _) = global.regions().next().expect("a buffer");
            let byte = global.load(address, 1).expect("it is in the buffer");
            global.store(address, 1, byte ^ 1).expect("it is in the buffer");
        },
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut other = sim.clone();
        change(&mut other);
        assert_ne!(now, fingerprint(&other), "change {at}");
    }
}
