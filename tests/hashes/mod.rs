//! The event stream of every workload's small launch on `gtx480` as one number, for native and browser tests alike.

use warpscope::config::Config;
use warpscope::event::EventHash;
use warpscope::launch::Launch;
use warpscope::program;
use warpscope::sim::Sim;
use warpscope::workload;

/// The committed numbers: a line `NAME HASH` for each workload, in the catalogue's order.
pub const COMMITTED: &str = include_str!("../golden/event_hashes.txt");

/// The numbers as this build finds them, in the form of the file.
pub fn found() -> String {
    workload::all().iter().map(|workload| format!("{} {:016x}\n", workload.name, hash(workload))).collect()
}

fn hash(workload: &workload::Workload) -> u64 {
    let launch = Launch::parse(workload.small).expect("a sound launch");
    let program = program::load(workload.ptx, launch.kernel.as_deref()).expect("sound PTX");
    let buffers = launch.fill(&|file| workload.read_file(file)).expect("its files");
    let mut sim = Sim::new(program, Config::default(), &launch, &buffers).expect("they fit together");
    let mut hash = EventHash::default();
    sim.run(10_000_000, &mut hash);
    assert!(sim.finished() && sim.trap().is_none(), "{} comes to its end", workload.name);
    hash.value()
}
