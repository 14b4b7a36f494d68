//! Under ITS the paths of a warp run in the order in which an H200 runs them (`tests/paths`).

use crate::common::{self, kernel::no_files, kernel::words32};
use proptest::prelude::*;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::run::{self, prepare};

const HEAD: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .pred %p<9>; \
                    .reg .b32 %r<19>; .reg .b64 %d<9>;\nld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;\n";
const OUT: &str = "grid = [1]\nblock = [32]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 64\ninit = \"zeros\"\n";

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

/// A branch of k sides costs k times one side: neither barriers nor the order make it worse (measured on an H200: 13.6, 21.7, 32.4, 42.6,
/// 54.6, 65.0, 71.4 and 79.1 thousand cycles for one to eight sides).
#[test]
fn a_branch_costs_its_sides_one_by_one() {
    let cost = |sides: u32| {
        let tests: String = (0..sides).map(|side| format!("setp.eq.u32 %p1, %r2, {side}; @%p1 bra S{side};\n")).collect();
        let work = "mul.lo.u32 %r3, %r3, %r1; ".repeat(60);
        let code: String = (0..sides).map(|side| format!("S{side}: {work} bra.uni END;\n")).collect();
        let text = format!(
            "{HEAD}rem.u32 %r2, %r1, {sides}; mov.u32 %r3, 3;\n{tests}bra.uni END;\n{code}END: mad.wide.u32 %d2, %r1, 4, %d1; \
             st.global.u32 [%d2], %r3; ret;\n}}\n"
        );
        let (_, mut sim) = prepare(&text, OUT, &MachineSpec::new("gtx480", "ITS", []), &no_files).expect("a sound kernel");
        run::finish(&mut sim, MOST_CYCLES).expect("it ends").warp_instructions
    };
    let costs: Vec<u64> = (1..=8).map(cost).collect();
    for pair in costs.windows(2).skip(1) {
        let side = pair[1] - pair[0];
        assert!((61..=66).contains(&side), "60 instructions, a jump, a test and a barrier: {costs:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Threads of one warp take random locks in turn, each in one of two forms of the loop: every run ends, and none is lost.
    #[test]
    fn locks_within_a_warp_end(locks in 1u32..5, factors in (1u32..32, 0u32..32), tight in any::<[bool; 3]>(), slice in prop_oneof![Just(0), 16u32..40]) {
        let rounds: String = tight.iter().enumerate().map(|(round, tight)| {
            let (a, b) = factors;
            let choose = format!("mad.lo.u32 %r2, %r1, {a}, {}; rem.u32 %r2, %r2, {locks}; mad.wide.u32 %d2, %r2, 4, %d1;\n", b * round as u32);
            let hold = "ld.volatile.global.u32 %r4, [%d2+64]; add.u32 %r4, %r4, 1; st.volatile.global.u32 [%d2+64], %r4; \
                        atom.global.exch.b32 %r5, [%d2], 0;";
            let take = "atom.global.cas.b32 %r3, [%d2], 0, 1; setp.ne.u32 %p1, %r3, 0;";
            match tight {
                true => format!("{choose}L{round}: {take} @%p1 bra L{round};\n{hold}\n"),
                false => format!(
                    "{choose}mov.u32 %r6, 0;\nL{round}: {take} @%p1 bra M{round};\n{hold} mov.u32 %r6, 1;\n\
                     M{round}: setp.eq.u32 %p2, %r6, 0; @%p2 bra L{round};\n"
                ),
            }
        }).collect();
        let text = format!("{HEAD}{rounds}ret;\n}}\n");
        let machine = MachineSpec::new("gtx480", "ITS", [("its_slice", slice.to_string().as_str())]);
        let (job, mut sim) = prepare(&text, OUT, &machine, &no_files).expect("a sound kernel");
        let ended = run::finish(&mut sim, 10 * MOST_CYCLES);
        prop_assert!(ended.is_ok(), "{}\n{text}", ended.err().map_or(String::new(), |error| error.to_string()));
        let counts = words32(&job.after(&sim.state.uncore.global)[0].bytes);
        prop_assert_eq!(counts[16..].iter().sum::<u32>(), 32 * 3, "{}", text);
    }
}
