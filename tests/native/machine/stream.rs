//! Runs in comparable form: events with every repeat written out, and the whole state of a machine as one number.

use std::fmt::Write;
use std::hash::Hasher;
use warpscope::event::{Event, EventHash, Log};
use warpscope::sim::Sim;

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
    struct Fold(EventHash);
    impl Write for Fold {
        fn write_str(&mut self, text: &str) -> std::fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }
    let mut fold = Fold(EventHash::default());
    let _ = write!(fold, "{:?}", sim.state);
    fold.0.finish()
}
