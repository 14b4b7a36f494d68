//! The cycles of a run that are worth a picture: those with an event that the page would tell of.

use super::Stage;
use std::collections::BTreeSet;
use warpscope_machine::event::{Event, EventKind, Sink};

/// How far back such cycles are looked for.
const BACK: u64 = 400;
/// The least weight of an event that counts.
const TOLD: u8 = 3;

/// Collects the cycles with an event of weight, each as the cycle at which the page shows it.
#[derive(Default)]
struct Eventful(BTreeSet<u64>);

impl Sink for Eventful {
    fn event(&mut self, cycle: u64, event: Event) {
        if EventKind::of(&event).and_then(EventKind::weight).is_some_and(|weight| weight >= TOLD) {
            self.0.insert(cycle + 1);
        }
    }
}

impl Stage {
    /// Returns the last cycles up to the current one that show an event, at most `most`; the last cycles at all where there are
    /// too few.
    pub fn eventful_cycles(&self, most: usize) -> Vec<u64> {
        let now = self.session.cycle();
        let mut found = Eventful::default();
        self.session.replay().events(now.saturating_sub(BACK), now, &mut found);
        let mut cycles: Vec<u64> = found.0.into_iter().rev().take(most).collect();
        if cycles.len() < 2 {
            cycles = (now.saturating_sub(most.saturating_sub(1) as u64)..=now).rev().collect();
        }
        cycles.reverse();
        cycles
    }

    /// Returns cycles for an animation: each with an event, and the one before it.
    pub fn filmed_cycles(&self, most: usize) -> Vec<u64> {
        let with_before = self.eventful_cycles(most).into_iter().flat_map(|cycle| [cycle.saturating_sub(1), cycle]);
        with_before.collect::<BTreeSet<u64>>().into_iter().collect()
    }
}
