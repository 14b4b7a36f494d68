//! The event stream of every workload's small launch as one number, for native and browser tests: on `gtx480`, and on the papers'
//! machines with each of their mechanisms.

use warpscope_catalogue as catalogue;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::event::EventHash;
use warpscope_machine::run::RunSpec;

/// The committed numbers: a line `NAME HASH` for each workload, in the catalogue's order, then lines `NAME TECHNIQUE HASH`.
pub const COMMITTED: &str = include_str!("../golden/event_hashes.txt");

/// Mechanisms with event streams of their own.
const TECHNIQUES: [(&str, &str); 19] = [
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
];

/// Returns the numbers of this build, as the lines of the file.
pub fn found() -> impl Iterator<Item = String> {
    let plain =
        catalogue::all().iter().map(|workload| format!("{} {:016x}\n", workload.name, hash(workload, &MachineSpec::default())));
    let others = TECHNIQUES.into_iter().flat_map(|(preset, technique)| {
        let machine = MachineSpec::new(preset, technique, []);
        // A workload that relies on lock-step may run forever without it.
        let ends = machine.config().expect("a machine").reunites_warps();
        catalogue::all()
            .iter()
            .filter(move |workload| ends || !workload.lock_step)
            .map(move |workload| format!("{} {technique} {:016x}\n", workload.name, hash(workload, &machine)))
    });
    plain.chain(others)
}

fn hash(workload: &catalogue::Workload, machine: &MachineSpec) -> u64 {
    let run = RunSpec::new(workload.ptx, workload.small, machine.clone());
    let job = run.job(&|file| workload.read_file(file)).expect("a sound job");
    let mut sim = run.sim(&job).expect("they fit together");
    let mut hash = EventHash::default();
    sim.run(10_000_000, &mut hash);
    assert!(sim.finished() && sim.trap().is_none(), "{} comes to its end", workload.name);
    hash.value()
}
