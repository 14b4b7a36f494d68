//! Timing, worked out by hand: small kernels on machines on which one mechanism matters.

use crate::common::kernel::{Kernel, no_files};
use crate::machine;
use crate::machine::trace::Trace;
use warpscope_kernel::launch::{Buffer, Init, Launch, Param};
use warpscope_kernel::ptx::types::Type;
use warpscope_machine::config::MachineSpec;
use warpscope_machine::event::{Event, Log, Space};
use warpscope_machine::metrics::slots::SlotClass;
use warpscope_machine::metrics::{Metrics, Report};

/// Returns a kernel of one block over a buffer of words.
fn kernel(body: &str, threads: u32) -> Kernel {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .b8 table[64];\n.visible .entry kernel(.param .u64 out)\n{{\n\
         .reg .b32 %t, %n, %v, %x;\n.reg .b64 %a, %b;\n.reg .pred %p, %q;\n.shared .align 4 .b8 slots[4096];\n{body}\n}}\n"
    );
    let out = Buffer { name: "out".into(), ty: Type::U32, len: 65536, init: Init::Zeros };
    let launch = Launch {
        kernel: None,
        grid: [1; 3],
        block: [threads, 1, 1],
        shared: 0,
        params: vec![Param::Buffer(out)],
        globals: Vec::new(),
    };
    Kernel::with_launch(&text, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"))
}

/// Returns the first warp's reason in each cycle, in letters.
fn reasons(kernel: &Kernel, preset: &str, keys: &[(&str, &str)]) -> String {
    let config = MachineSpec::new(preset, "", keys.iter().copied()).config().expect("a sound machine");
    let mut sim = machine::load(kernel, &config).expect("it fits");
    let trace = Trace::record(&mut sim);
    assert_eq!(sim.trap(), None);
    trace.reasons.iter().filter_map(|warps| warps.chars().next()).collect()
}

/// A parameter takes 4 cycles and an addition 3; the second addition waits for a result, as `ret` does, which drains.
#[test]
fn waiting_for_memory_is_not_waiting_for_a_result() {
    let body = "ld.param.u64 %a, [out]; add.u64 %a, %a, 4; add.u64 %a, %a, 4; ret;";
    let keys = [("ideal_memory", "false"), ("constant_latency", "4"), ("int_latency", "3")];
    let register = reasons(&kernel(body, 4), "toy", &keys);
    assert_eq!(register.trim_end_matches('.'), "IMMMIRRIRRI");
    // With one instruction of a warp in flight: the same, and an instruction that does not need the parameter waits for it too.
    let body = "ld.param.u64 %a, [out]; mov.u32 %t, 1; ret;";
    let simple: Vec<(&str, &str)> = keys.into_iter().chain([("scoreboard", "simple")]).collect();
    assert_eq!(reasons(&kernel(body, 4), "toy", &simple).trim_end_matches('.'), "IMMMIRRI");
    assert_eq!(reasons(&kernel(body, 4), "toy", &keys).trim_end_matches('.'), "IIMMI");
}

/// A store by four lanes to one bank holds its unit for four cycles. Two warps execute it, and then a move.
#[test]
fn in_one_pipeline_a_slow_store_holds_up_the_move_behind_it() {
    let body = "mov.u32 %t, %tid.x; shl.b32 %n, %t, 4; st.shared.u32 [%n], %t; mov.u32 %v, 1; ret;";
    let kernel = kernel(body, 8);
    // Two units: the second warp waits for the first one's store, and the first warp goes on.
    assert_eq!(reasons(&kernel, "toy", &[]).trim_end_matches(['X', '.']), "ININIII");
    // One pipeline: cycles 5 to 7 pass behind the first store, 9 to 11 behind the second.
    assert_eq!(reasons(&kernel, "toy", &[("one_pipeline", "true")]).trim_end_matches(['X', '.']), "ININISSSNSSSINI");
}

/// An addition takes 3 cycles and a move 1. The second move's result would leave the SP unit with that of the addition, in cycle
/// 3, so it waits for a cycle, and so does the instruction that needs it.
#[test]
fn results_of_different_latency_leave_an_sp_unit_one_by_one() {
    let body = "add.u32 %t, 1, 2; mov.u32 %v, 1; mov.u32 %n, 2; mov.u32 %x, %n; ret;";
    let kernel = kernel(body, 4);
    let latencies = [("int_latency", "3"), ("logic_latency", "1")];
    assert_eq!(reasons(&kernel, "toy", &latencies).trim_end_matches('.'), "IIIII");
    let collects: Vec<(&str, &str)> = latencies.into_iter().chain([("collectors", "2")]).collect();
    assert_eq!(reasons(&kernel, "toy", &collects).trim_end_matches('.'), "IIIRII");
}

/// An instruction line from DRAM takes as long as a line of data: the two latencies, and 8 cycles for the transfer.
#[test]
fn instructions_come_from_the_l2_cache() {
    let kernel = kernel("mov.u32 %t, 1; ret;", 4);
    let cycles = |keys: &[(&str, &str)]| finish(&kernel, "gtx480", keys).sim.state.cycle;
    let own = cycles(&[("icache_miss_latency", "340")]);
    assert_eq!(cycles(&[("icache_l2", "true"), ("l2_latency", "120"), ("dram_latency", "220")]), own + 8);
}

fn conflicts(words_apart: u32, keys: &[(&str, &str)]) -> u64 {
    let body = format!("mov.u32 %t, %tid.x; mul.lo.u32 %n, %t, {}; st.shared.u32 [%n], %t; ret;", 4 * words_apart);
    finish(&kernel(&body, 32), "gtx480", keys).metrics.totals.shared_bank_conflicts
}

/// Sixteen banks serve half a warp at a time: 32 lanes on 32 words are two accesses without a conflict.
#[test]
fn with_sixteen_banks_half_warps_conflict_among_themselves() {
    let halves = [("shared_banks", "16")];
    assert_eq!([1, 2, 16].map(|apart| conflicts(apart, &halves)), [0, 2, 30]);
    assert_eq!([1, 2, 32].map(|apart| conflicts(apart, &[])), [0, 1, 31]);
}

/// A warp requests 32 lines of 128 bytes, one a cycle. At 100 bytes a cycle they take 40.96 cycles, which is 41; at 127, 32.25.
#[test]
fn transfers_end_within_a_cycle() {
    let body =
        "mov.u32 %t, %tid.x; ld.param.u64 %a, [out]; mul.wide.u32 %b, %t, 128; add.u64 %a, %a, %b; ld.global.u32 %v, [%a]; ret;";
    let kernel = kernel(body, 32);
    let cycles = |rate: &str| {
        let keys = [("dram_bytes_per_cycle", rate), ("l2_bytes_per_cycle", "4096"), ("l1d_mshrs", "64")];
        finish(&kernel, "gtx480", &keys).sim.state.cycle
    };
    let at_128 = cycles("128");
    assert_eq!(["127", "100", "64"].map(|rate| cycles(rate) - at_128), [1, 9, 32]);
}

/// Runs a kernel to its end and returns the machine.
fn finish(kernel: &Kernel, preset: &str, keys: &[(&str, &str)]) -> machine::Finished {
    let config = MachineSpec::new(preset, "", keys.iter().copied()).config().expect("a sound machine");
    machine::finish(machine::load(kernel, &config).expect("it fits")).unwrap_or_else(|trouble| panic!("{trouble}"))
}

/// Addresses 128 bytes apart in `%a`, known after cycle 3; the access issues in cycle 4.
const APART: &str = "mov.u32 %t, %tid.x; ld.param.u64 %a, [out]; mul.wide.u32 %b, %t, 128; add.u64 %a, %a, %b;";

/// Real memory on the machine for lessons: a line takes a cycle on the path to the L2 cache and in DRAM, and 10 more to return.
const SHORT_WAYS: [(&str, &str); 9] = [
    ("l2_write_back", "true"),
    ("miss_queue", "0"),
    ("ideal_memory", "false"),
    ("l1d_latency", "1"),
    ("l1d_lookup", "0"),
    ("l2_latency", "10"),
    ("dram_latency", "0"),
    ("l2_bytes_per_cycle", "128"),
    ("dram_bytes_per_cycle", "128"),
];

/// With one MSHR, each of a load's four lines waits ten cycles for the one before it. The next load has to wait for the unit:
/// three cycles for the lines themselves, and thirty because memory takes no more.
#[test]
fn a_full_file_of_misses_holds_the_load_store_unit() {
    let kernel = kernel(&format!("{APART} ld.global.u32 %v, [%a]; ld.global.u32 %x, [%a+4096]; ret;"), 4);
    let one: Vec<(&str, &str)> = SHORT_WAYS.into_iter().chain([("l1d_mshrs", "1")]).collect();
    assert!(reasons(&kernel, "toy", &one).starts_with("IIIIISSSI"));
    let held: Vec<(&str, &str)> = one.into_iter().chain([("back_pressure", "true")]).collect();
    let waits = format!("IIIIISSS{}I", "T".repeat(30));
    assert!(reasons(&kernel, "toy", &held).starts_with(&waits), "{}", reasons(&kernel, "toy", &held));
}

/// Returns the issue slots with a stall, by cause, without those that have none.
fn stalls(kernel: &Kernel, preset: &str, keys: &[(&str, &str)]) -> Vec<(String, u64)> {
    let config = MachineSpec::new(preset, "", keys.iter().copied()).config().expect("a sound machine");
    let mut sim = machine::load(kernel, &config).expect("it fits");
    let mut metrics = Metrics::of(&config);
    sim.run(machine::MOST_CYCLES, &mut metrics);
    let report = Report::new(&metrics, &config, sim.state.cycle);
    assert_eq!(report.stalls.total(), report.issue_slots.get(SlotClass::Stall));
    report.stalls.iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_string(), count)).collect()
}

/// The second instruction of each pair waits for the unit of the first: four lanes in one bank, at four constants or in four
/// lines hold it for three cycles more than one; one MSHR for four lines for 30 more.
#[test]
fn a_stall_has_the_cause_that_holds_the_unit() {
    let of = |body: &str, keys: &[(&str, &str)]| {
        let keys: Vec<(&str, &str)> = SHORT_WAYS.into_iter().chain(keys.iter().copied()).collect();
        stalls(&kernel(body, 4), "toy", &keys)
    };
    let named = |causes: &[(&str, u64)]| -> Vec<(String, u64)> {
        causes.iter().map(|(name, count)| (name.to_string(), *count)).collect()
    };
    let conflict = "mov.u32 %t, %tid.x; shl.b32 %n, %t, 4; st.shared.u32 [%n], %t; st.shared.u32 [%n+4], %t; ret;";
    assert_eq!(of(conflict, &[]), named(&[("banks", 3)]));
    let constants = "mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4; mov.u64 %b, table; add.u64 %a, %a, %b; \
                     ld.const.u32 %v, [%a]; ld.const.u32 %x, [table]; ret;";
    assert_eq!(of(constants, &[]), named(&[("constants", 3)]));
    let lines = format!("{APART} ld.global.u32 %v, [%a]; ld.global.u32 %x, [%a+4096]; ret;");
    assert_eq!(of(&lines, &[]), named(&[("lines", 3)]));
    let full = [("l1d_mshrs", "1"), ("back_pressure", "true")];
    assert_eq!(of(&lines, &full), named(&[("lines", 3), ("memory_full", 30)]));
    let division = "mov.u32 %t, %tid.x; div.u32 %n, %t, 3; div.u32 %v, %t, 5; ret;";
    assert_eq!(of(division, &[("div_interval", "4")]), named(&[("unit", 3)]));
}

/// Four lanes store a word each to four lines. By lines that takes the path to the L2 cache four cycles each, by sectors of 32
/// bytes one.
#[test]
fn stores_move_the_sectors_that_they_touch() {
    let kernel = kernel(&format!("{APART} st.global.u32 [%a], %t; st.global.u32 [%a+4096], %t; ret;"), 4);
    let keys = SHORT_WAYS.into_iter().chain([("back_pressure", "true"), ("l2_bytes_per_cycle", "32")]);
    let lines: Vec<(&str, &str)> = keys.collect();
    let sectors: Vec<(&str, &str)> = lines.iter().copied().chain([("store_sector", "32")]).collect();
    assert!(reasons(&kernel, "toy", &lines).starts_with("IIIIISSSTTTTTTTTTI"), "{}", reasons(&kernel, "toy", &lines));
    assert!(reasons(&kernel, "toy", &sectors).starts_with("IIIIISSSI"), "{}", reasons(&kernel, "toy", &sectors));
}

/// A store and, a cycle later, a load of another line, with DRAM at one byte a cycle. With write-through, the store takes DRAM
/// for 128 cycles before the load has its turn; with write-back, for none.
#[test]
fn what_is_written_back_does_not_hold_up_a_load() {
    let body = "ld.param.u64 %a, [out]; st.global.u32 [%a], 1; ld.global.u32 %v, [%a+4096]; ret;";
    let kernel = kernel(body, 4);
    let slow: Vec<(&str, &str)> = SHORT_WAYS.into_iter().chain([("dram_bytes_per_cycle", "1")]).collect();
    let cycles = |write_back: &str| {
        let keys: Vec<(&str, &str)> = slow.iter().copied().chain([("l2_write_back", write_back)]).collect();
        finish(&kernel, "toy", &keys).sim.state.cycle
    };
    assert_eq!(cycles("false") - cycles("true"), 127);
}

/// An atomic needs what was there before, so it waits for DRAM as a load does.
#[test]
fn an_atomic_that_misses_waits_for_dram() {
    let cycles = |access: &str| {
        let kernel = kernel(&format!("ld.param.u64 %a, [out]; {access} add.u32 %t, %v, 1; ret;"), 1);
        finish(&kernel, "vws", &[]).sim.state.cycle
    };
    let load = cycles("ld.global.u32 %v, [%a];");
    assert!(load > 400);
    assert_eq!(cycles("atom.global.add.u32 %v, [%a], 1;"), load);
}

/// A store of a word leaves one sector of its line in the L2 cache; a load that needs another one waits for DRAM.
#[test]
fn a_sector_that_was_not_written_comes_from_dram() {
    let cycles = |store_sector: &str, store: &str| {
        let body = format!("ld.param.u64 %a, [out]; {store} ld.global.u32 %v, [%a+64]; add.u32 %t, %v, 1; ret;");
        let finished = finish(&kernel(&body, 1), "vws", &[("store_sector", store_sector), ("l2_bytes_per_cycle", "4096")]);
        (finished.sim.state.cycle, finished.metrics.totals.l2.misses)
    };
    let (cold, _) = cycles("32", "");
    // The store issues in a cycle of its own, and 96 bytes from DRAM take a cycle less than 128.
    assert_eq!(cycles("32", "st.global.u32 [%a], 1;"), (cold, 2));
    let (whole, misses) = cycles("0", "st.global.u32 [%a], 1;");
    assert!(whole < cold && misses == 1, "a store that moves the whole line leaves all of it");
}

/// 32 KB more than the L2 cache holds are written, so as many have to reach DRAM meanwhile.
#[test]
fn stores_go_no_faster_than_dram_takes_them() {
    let body = "mov.u32 %t, 0; ld.param.u64 %a, [out]; mov.u32 %v, %tid.x; mul.wide.u32 %b, %v, 4; add.u64 %a, %a, %b; \
                L: st.global.u32 [%a], %t; add.u64 %a, %a, 128; add.u32 %t, %t, 1; setp.lt.u32 %p, %t, 512; @%p bra L; ret;";
    let cycles = |rate: &str, queue: &str| {
        let keys = [("dram_bytes_per_cycle", rate), ("l2_bytes", "32768"), ("dram_queue", queue)];
        finish(&kernel(body, 32), "vws", &keys).sim.state.cycle
    };
    let (slow, fast) = (cycles("1", "8"), cycles("32", "8"));
    // The first half of the stores fills the cache, at the same pace.
    assert!((30 << 10..34 << 10).contains(&(slow - fast / 2)), "{slow} {fast}");
    assert!(fast < 16 << 10, "{fast}");
    assert!(cycles("1", "256") < fast + 100, "a queue for all of them holds nothing up");
}

/// A warp's next instruction issues when its branch has passed the pipeline, as behind an addition.
#[test]
fn in_one_pipeline_a_branch_takes_as_long_as_an_addition() {
    let cycles = |what: &str| {
        let first = "mov.u32 %t, %tid.x; setp.gt.u32 %p, %t, 99;";
        let body = format!("{first} {} st.shared.u32 [%t], 1; L: st.shared.u32 [%t], 2; ret;", what.repeat(9));
        finish(&kernel(&body, 1), "tbc", &[]).sim.state.cycle
    };
    assert_eq!(cycles("@%p bra L; "), cycles("add.u32 %n, %t, 1; "));
}

/// A miss is known only after the look-up.
#[test]
fn a_miss_leaves_after_the_look_up() {
    let kernel = kernel("ld.param.u64 %a, [out]; ld.global.u32 %v, [%a]; ret;", 4);
    let cycles = |lookup: &str| {
        let keys: Vec<(&str, &str)> = SHORT_WAYS.into_iter().chain([("l1d_lookup", lookup)]).collect();
        finish(&kernel, "toy", &keys).sim.state.cycle
    };
    assert_eq!(cycles("30") - cycles("0"), 30);
}

/// Two warps of each slice want the same line of instructions, one cycle apart: only the first goes to the shared cache, and
/// slices beyond the one port wait for it.
#[test]
fn a_slice_asks_for_a_line_once() {
    let kernel = kernel("mov.u32 %t, %tid.x; add.u32 %n, %t, 1; add.u32 %v, %n, 1; ret;", 64);
    let fetches = |keys: [(&str, &str); 2]| {
        let config = MachineSpec::new("vws", "WS4", keys).config().expect("a sound machine");
        let mut sim = machine::load(&kernel, &config).expect("it fits");
        let mut log = Log::default();
        sim.run(machine::MOST_CYCLES, &mut log);
        let of_slices = log.events.into_iter().filter_map(|(cycle, event)| match event {
            Event::SliceFetch { slice, hit, .. } => Some((cycle, slice, hit)),
            _ => None,
        });
        of_slices.collect::<Vec<(u64, u16, bool)>>()
    };
    let wide = fetches([("l0i_bytes", "256"), ("icache_ports", "8")]);
    let of_first: Vec<(u64, bool)> =
        wide.iter().filter(|(_, slice, _)| *slice == 0).map(|(cycle, _, hit)| (*cycle, *hit)).collect();
    assert_eq!(of_first[..2], [(0, false), (1, true)], "the second warp waits for the first one's line");
    assert_eq!(wide.iter().filter(|(_, _, hit)| !hit).count(), 8, "each slice misses once: {wide:?}");
    // With one port, one slice misses in a cycle; warps whose line is there or on its way need no port.
    let narrow = fetches([("l0i_bytes", "256"), ("icache_ports", "1")]);
    let misses: Vec<(u64, u16)> = narrow.iter().filter(|(_, _, hit)| !hit).map(|(cycle, slice, _)| (*cycle, *slice)).collect();
    assert_eq!(misses, (0..8).map(|slice| (u64::from(slice), slice)).collect::<Vec<_>>());
    assert!(narrow.iter().any(|(cycle, _, hit)| *hit && misses.iter().any(|(missed, _)| missed == cycle)), "{narrow:?}");
}

/// Eight warps of four lanes load different constants, all in one access: each lane has its own a cycle after the one before.
#[test]
fn lanes_at_different_constants_are_done_one_by_one() {
    let body = "mov.u32 %t, %tid.x; and.b32 %n, %t, 15; mul.wide.u32 %a, %n, 4; mov.u64 %b, table; add.u64 %a, %a, %b; \
                ld.const.u32 %v, [%a]; ret;";
    let config = MachineSpec::new("vws", "WS4", [("ideal_fetch", "true")]).config().expect("a sound machine");
    let mut sim = machine::load(&kernel(body, 16), &config).expect("it fits");
    let mut log = Log::default();
    sim.run(machine::MOST_CYCLES, &mut log);
    let done: Vec<u64> = log
        .events
        .iter()
        .filter_map(|(_, event)| match event {
            Event::Memory { space: Space::Const, done, .. } => Some(*done),
            _ => None,
        })
        .collect();
    assert_eq!(done.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>(), [4; 3], "four lanes, four constants: {done:?}");
}

/// Eight warps of four lanes store to one bank, all in one access: each is done four cycles after the one before it.
#[test]
fn lanes_of_a_conflicted_access_are_done_pass_by_pass() {
    let kernel = kernel("mov.u32 %t, %tid.x; shl.b32 %n, %t, 7; st.shared.u32 [%n], %t; ret;", 32);
    let config = MachineSpec::new("vws", "WS4", [("ideal_fetch", "true")]).config().expect("a sound machine");
    let mut sim = machine::load(&kernel, &config).expect("it fits");
    let mut log = Log::default();
    sim.run(machine::MOST_CYCLES, &mut log);
    let done: Vec<u64> = log
        .events
        .iter()
        .filter_map(|(_, event)| if let Event::Memory { done, .. } = event { Some(*done) } else { None })
        .collect();
    assert_eq!(done.iter().map(|at| at - done[0]).collect::<Vec<_>>(), [0, 4, 8, 12, 16, 20, 24, 28]);
}

/// A buffer of 256 KB was copied, and the L2 cache of 32 KB holds its end: a load from there hits, one from its start misses.
#[test]
fn what_was_copied_last_is_in_the_l2_cache() {
    let misses = |offset: u32, warm: &str| {
        let kernel = kernel(&format!("ld.param.u64 %a, [out]; ld.global.u32 %v, [%a+{offset}]; ret;"), 4);
        finish(&kernel, "gtx480", &[("l2_warm", warm), ("l2_bytes", "32768")]).metrics.totals.l2.misses
    };
    assert_eq!([misses(262_140, "true"), misses(0, "true"), misses(262_140, "false")], [0, 1, 1]);
}
