//! Under ITS the paths of a warp run in the order in which an H200 runs them (`tests/paths`).

use crate::common::{self, kernel::words32};
use warpscope_machine::config::MachineSpec;
use warpscope_machine::run::{self, prepare};

/// Kernels that come out otherwise, and why.
const OTHERWISE: &[(&str, &str)] = &[
    ("d_call", "calls are inlined, so two calls of one function are two places"),
    ("g_brx", "ptxas orders the comparisons of a large switch in its own way"),
    ("g_loop_switch", "ptxas makes an indexed branch of four comparisons, and no barrier where its targets join"),
    ("g_short_circuit", "ptxas has no barrier where the first two of four conditions join"),
];

const MOST_CYCLES: u64 = 300_000;
/// Words of the log that count lanes; those behind belong to the kernels.
const MOST_ENTRIES: u32 = 1900;

fn launch(kernel: &str) -> String {
    format!(
        "kernel = \"{kernel}\"\ngrid = [1]\nblock = [32]\n\n[[param]]\nbuffer = \"log\"\ntype = \"u32\"\nlen = 8192\n\
         init = \"zeros\"\n\n[[param]]\nbuffer = \"in\"\ntype = \"s32\"\nlen = 1024\ninit = {{ file = \"in.bin\" }}\n"
    )
}

fn input() -> Vec<u8> {
    let mut seed = 12345u32;
    let random = std::iter::repeat_with(move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    });
    (0..32).chain(random).take(1024).flat_map(u32::to_le_bytes).collect()
}

/// Returns the groups of a log, as the GPU's logs write them.
fn groups(log: &[u32]) -> String {
    let entry = |k: u32| (log[3 + 2 * k as usize] >> 8, log[3 + 2 * k as usize] & 255, log[2 + 2 * k as usize]);
    let (mut at, mut out) = (0, Vec::new());
    while at < log[0].min(MOST_ENTRIES) {
        let (mark, _, mask) = entry(at);
        let mut lanes = 0u32;
        while at < log[0] && entry(at).0 == mark && entry(at).2 == mask && lanes >> entry(at).1 & 1 == 0 {
            lanes |= 1 << entry(at).1;
            at += 1;
        }
        out.push(format!("{mark}:{lanes:08x}{}", if mask == lanes { "" } else { "!" }));
    }
    out.join(" ")
}

fn run(ptx: &str, kernel: &str, machine: &MachineSpec) -> Result<String, String> {
    let (job, mut sim) = prepare(ptx, &launch(kernel), machine, &|_| Ok(input())).map_err(|error| error.to_string())?;
    run::finish(&mut sim, MOST_CYCLES).map_err(|error| error.to_string())?;
    let after = job.after(&sim.state.uncore.global);
    Ok(groups(&words32(&after[0].bytes)))
}

/// Returns the kernels of all logs: PTX, name, what the GPU wrote.
fn logs() -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for name in ["paths", "branches", "waits"] {
        let read = |ending: &str| {
            let path = common::tests("paths").join(format!("{name}.{ending}"));
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let ptx = read("ptx");
        for line in read("log").lines() {
            let (kernel, groups) = line.split_once(' ').expect("a name and groups");
            found.push((ptx.clone(), kernel.to_string(), groups.to_string()));
        }
    }
    found
}

#[test]
fn paths_run_in_the_order_of_a_gpu() {
    let machine = MachineSpec::new("gtx480", "ITS", []);
    let logs = logs();
    assert_eq!(logs.len(), 90);
    for (ptx, kernel, expected) in &logs {
        let found = run(ptx, kernel, &machine).unwrap_or_else(|error| error);
        let known = OTHERWISE.iter().find(|(name, _)| name == kernel);
        assert_eq!(found == *expected, known.is_none(), "{kernel} ({known:?})\n GPU {expected}\nhere {found}");
    }
}

/// The order does not depend on the machine around the warp: its schedule, its width in passes, its fetch.
#[test]
fn the_order_is_the_same_on_every_machine() {
    for (preset, techniques) in [("tbc", "ITS"), ("origami", "ITS,Warped-Gates"), ("vws", "ITS"), ("gtx480", "ITS,MWF-GTO+CFF")] {
        let machine = MachineSpec::new(preset, techniques, []);
        for (ptx, kernel, expected) in logs().iter().filter(|(_, kernel, _)| kernel.starts_with('p')) {
            assert_eq!(run(ptx, kernel, &machine).as_ref(), Ok(expected), "{kernel} on {preset} with {techniques}");
        }
    }
}

/// What never ends on a stack ends here: a lock, flags, producers and consumers within one warp.
#[test]
fn a_stack_cannot_run_what_waits_within_a_warp() {
    let stack = MachineSpec::new("gtx480", "PDOM", []);
    let waits = ["p27_produce_consume", "c_wait_chain", "c_lock_spin"];
    for (ptx, kernel, _) in logs().iter().filter(|(_, kernel, _)| waits.contains(&kernel.as_str())) {
        assert!(run(ptx, kernel, &stack).is_err(), "{kernel}");
    }
}
