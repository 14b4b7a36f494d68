//! The event stream of every workload's small launch as two numbers, for native and browser tests: on `gtx480`, and on the papers'
//! machines with each of their mechanisms.
//!
//! One number depends on every field of every event. The other, of the [`Coarse`] hash, is older than some of the distinctions
//! that events make: it holds a machine's timing also across commits that only tell waits or stalls apart more finely.

use std::hash::{Hash, Hasher};
use warpscope_catalogue as catalogue;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::event::{Event, EventHash, Reason, ReasonCounts, Reasons, Sink, SlotUse};
use warpscope_machine::run;

/// The committed numbers: a line `NAME HASH` for each workload, in the catalogue's order, then lines `NAME TECHNIQUE HASH`.
/// The coarse ones come first.
pub const COMMITTED: [&str; 2] = [include_str!("../golden/event_hashes.txt"), include_str!("../golden/event_hashes_full.txt")];

/// Mechanisms with event streams of their own.
const TECHNIQUES: [(&str, &str); 20] = [
    ("tbc", "PDOM-LCP"),
    ("tbc", "DWF"),
    ("tbc", "DWF-WB"),
    ("tbc", "TBC"),
    ("tbc", "TBC-LCP"),
    ("vws", "WS4"),
    ("vws", "I-VWS"),
    ("vws", "E-VWS-ImpatientMem"),
    ("vws", "E-VWS-Sync20"),
    ("gtx480", "BAWS"),
    ("gtx480", "MWF-LRR+FEF"),
    ("gtx480", "SAWS"),
    ("origami", "ConvPG"),
    ("origami", "Warped-Gates"),
    ("origami", "Warp-Folding"),
    ("origami", "Origami"),
    ("gtx480", "vLRR"),
    ("gtx480", "VTW"),
    ("gtx480", "VTW-SL"),
    ("gtx480", "ITS"),
];

/// Returns the numbers of this build, as the lines of the two files.
pub fn found() -> impl Iterator<Item = [String; 2]> {
    let plain = catalogue::all().iter().map(move |workload| lines(workload.name.to_string(), workload, &MachineSpec::default()));
    let others = TECHNIQUES.into_iter().flat_map(|(preset, technique)| {
        let machine = MachineSpec::new(preset, technique, []);
        // A workload that relies on lock-step may run forever without it.
        let ends = machine.config().expect("a machine").reunites_warps();
        catalogue::all()
            .iter()
            .filter(move |workload| ends || !workload.lock_step)
            .map(move |workload| lines(format!("{} {technique}", workload.name), workload, &machine))
    });
    plain.chain(others)
}

fn lines(name: String, workload: &catalogue::Workload, machine: &MachineSpec) -> [String; 2] {
    hashes(workload, machine).map(|hash| format!("{name} {hash:016x}\n"))
}

fn hashes(workload: &catalogue::Workload, machine: &MachineSpec) -> [u64; 2] {
    let files = |name: &str| workload.read_file(name);
    let (_, mut sim) = run::prepare(workload.ptx, workload.small, machine, &files).expect("they fit together");
    let (mut coarse, mut full) = (Coarse::default(), EventHash::default());
    sim.run(10_000_000, &mut (&mut coarse, &mut full));
    assert!(sim.finished() && sim.trap().is_none(), "{} comes to its end", workload.name);
    [coarse.0.value(), full.value()]
}

/// A hash to which both waits for a value are one reason, and all stalls are one, and which hears nothing of partial exits.
#[derive(Default)]
struct Coarse(EventHash);

impl Coarse {
    fn reason(&mut self, reason: Reason) {
        (reason as isize - isize::from(reason > Reason::Memory)).hash(&mut self.0);
    }

    /// Reasons of techniques count only where they occur.
    fn counts(&mut self, ReasonCounts(mut counts): ReasonCounts) {
        let (memory, result) = (Reason::Memory as usize, Reason::Result as usize);
        counts[memory] += counts[result];
        counts.copy_within(result + 1.., result);
        let (common, special) = counts[..Reason::ALL.len() - 1].split_at(Reason::COMMON - 1);
        common.hash(&mut self.0);
        for (at, count) in special.iter().enumerate().filter(|(_, count)| **count > 0) {
            (at as u16, count).hash(&mut self.0);
        }
    }
}

impl Sink for Coarse {
    const WANTS_WARPS: bool = true;

    fn event(&mut self, cycle: u64, event: Event) {
        // It repeats what masks tell.
        if matches!(event, Event::PartialExit { .. }) {
            return;
        }
        let hash = &mut self.0;
        hash.write_u64(cycle);
        match event {
            Event::Cycle { sm, counts, repeat } => {
                (std::mem::discriminant(&event), sm).hash(hash);
                self.counts(counts);
                repeat.hash(&mut self.0);
            }
            Event::Warp { sm, warp, reason } => {
                (std::mem::discriminant(&event), sm, warp, std::mem::discriminant(&reason)).hash(hash);
                if let Some(reason) = reason {
                    self.reason(reason);
                }
            }
            Event::Slot { sm, port, slot, repeat } => {
                (std::mem::discriminant(&event), sm, port, std::mem::discriminant(&slot)).hash(hash);
                if let SlotUse::Threads(threads) = slot {
                    threads.hash(hash);
                }
                repeat.hash(hash);
            }
            event => event.hash(hash),
        }
    }

    /// Ignores a change from one wait for a value to the other.
    fn warps(&mut self, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
        let folded = |reasons: &Reasons| {
            let mut folded = *reasons;
            folded[Reason::Memory as usize] |= std::mem::take(&mut folded[Reason::Result as usize]);
            folded
        };
        changed(self, cycle, sm, first, &folded(before), &folded(now));
    }
}

/// Tells a sink each of 64 warps whose reason has changed, one by one, as sinks do that take no 64 at once.
fn changed(sink: &mut Coarse, cycle: u64, sm: u16, first: u16, before: &Reasons, now: &Reasons) {
    struct OneByOne<'a>(&'a mut Coarse);
    impl Sink for OneByOne<'_> {
        fn event(&mut self, cycle: u64, event: Event) {
            self.0.event(cycle, event);
        }
    }
    OneByOne(sink).warps(cycle, sm, first, before, now);
}
