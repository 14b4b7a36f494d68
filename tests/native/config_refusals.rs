//! Invalid or oversized machines are refused with the key, its value and what is allowed. Endless runs are stopped with a message
//! that names what each warp waits for.

use crate::common::kernel::{Kernel, no_files};
use crate::machine;
use warpscope_machine::config::Config;
use warpscope_machine::event::NullSink;
use warpscope_machine::sim::too_long;

const LAUNCH: &str = "grid = [2, 1, 1]\nblock = [8, 1, 1]\n";

fn kernel(body: &str, launch: &str) -> Kernel {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel()\n{{\n\
         .reg .b32 %r<64>;\n.reg .pred %p;\n.shared .align 4 .b8 slots[256];\nmov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n"
    );
    Kernel::new(&text, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"))
}

/// Returns the message with which the kernel is refused on a machine with these keys.
fn refusal(kernel: &Kernel, preset: &str, keys: &[(&str, &str)]) -> String {
    let mut config = Config::preset(preset).expect("a preset");
    for (key, value) in keys {
        config.set(key, value).expect("a key");
    }
    match machine::load(kernel, &config) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{preset} with {keys:?} is not refused"),
    }
}

fn assert_names(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[test]
fn what_no_machine_can_be_is_refused() {
    let kernel = kernel("", LAUNCH);
    for (key, value, allowed) in [
        ("l1d_ways", "0", "1 to"),
        ("l2_ways", "0", "1 to"),
        ("icache_ways", "0", "1 to"),
        ("warp_width", "12", "power of two"),
        ("warp_width", "0", "power of two"),
        ("warp_width", "64", "32"),
        ("simd_width", "3", "power of two"),
        ("shared_banks", "31", "power of two"),
        ("sms", "0", "1 to"),
        ("schedulers", "0", "1 to"),
        ("l1d_line", "48", "power of two"),
        ("l1d_bytes", "64", "ways"),
        ("l1d_bytes", "1073741825", "to 1073741824 bytes"),
        ("l2_bytes", "4294967295", "to 1073741824 bytes"),
        ("icache_bytes", "4294967295", "to 1073741824 bytes"),
        ("l0i_bytes", "4294967295", "to 1048576"),
        ("int_latency", "0", "1 to"),
        ("l1d_lookup", "4294967295", "0 to 10000 cycles"),
        ("sp_units", "1048576", "1 to 1024 units"),
        ("max_threads", "0", "1 to"),
        ("ldst_units", "0", "1 to"),
        ("dram_bytes_per_cycle", "0", "0.001 to"),
    ] {
        assert_names(&refusal(&kernel, "gtx480", &[(key, value)]), &[&format!("`{key}`"), &format!("`{value}`"), allowed]);
    }
}

#[test]
fn a_block_that_an_sm_cannot_hold_is_refused() {
    let large = kernel("", "grid = [1, 1, 1]\nblock = [64, 1, 1]\n");
    assert_names(&refusal(&large, "toy", &[]), &["`max_threads`", "`32`", "64 threads"]);
    // Warps are allocated whole: five threads take two warps of four.
    let odd = kernel("", "grid = [1, 1, 1]\nblock = [5, 1, 1]\n");
    assert_names(&refusal(&odd, "toy", &[("max_threads", "6")]), &["`max_threads`", "`6`", "5 threads"]);
}

#[test]
fn too_much_shared_memory_is_refused() {
    let declared = kernel("st.shared.u32 [slots], %r0;", LAUNCH);
    assert_names(&refusal(&declared, "toy", &[("shared_memory", "255")]), &["`shared_memory`", "`255`", "256 bytes"]);
    let dynamic = kernel("st.shared.u32 [slots], %r0;", &format!("{LAUNCH}shared = 49152\n"));
    assert_names(&refusal(&dynamic, "gtx480", &[]), &["`shared_memory`", "`49152`", "49408 bytes"]);
}

#[test]
fn too_many_registers_are_refused() {
    // Thirty values in each of eight threads, which all live until the end.
    let mut body: String = (1..=30).map(|at| format!("mad.lo.u32 %r{at}, %r0, {at}, {at};\n")).collect();
    body += &(1..=30).map(|at| format!("st.shared.u32 [slots+{}], %r{at};\n", 4 * at)).collect::<String>();
    let wide = kernel(&body, LAUNCH);
    let needed = (wide.job.program.registers_needed * 8).to_string();
    assert!(wide.job.program.registers_needed >= 30);
    assert_names(&refusal(&wide, "toy", &[("registers", "200")]), &["`registers`", "`200`", &needed]);
}

/// Runs to a trap and returns its message.
fn trap(kernel: &Kernel, preset: &str) -> String {
    let mut sim = machine::load(kernel, &Config::preset(preset).expect("a preset")).expect("it fits");
    sim.run(100_000, &mut NullSink);
    sim.trap().unwrap_or_else(|| panic!("no trap after {} cycles", sim.state.cycle)).to_string()
}

#[test]
fn a_barrier_that_cannot_complete_names_who_waits_and_who_exited() {
    // The second warp exits; the barrier expects eight threads.
    let counted = kernel("setp.ge.u32 %p, %r0, 4;\n@%p bra OUT;\nbar.sync 3, 8;\nOUT:", "grid = [1, 1, 1]\nblock = [8, 1, 1]\n");
    let message = trap(&counted, "toy");
    assert_names(&message, &["barrier 3", "warp 0 waits", "threads 0-3", "4 more", "warp 1 has exited"]);
    // With warps of 32, the waiting and the exited half are in the same warp, which counts as a whole.
    let counted = kernel("setp.ge.u32 %p, %r0, 4;\n@%p bra OUT;\nbar.sync 3, 64;\nOUT:", "grid = [1, 1, 1]\nblock = [8, 1, 1]\n");
    assert_names(&trap(&counted, "gtx480"), &["barrier 3", "warp 0 waits", "threads 0-3", "32 more"]);
    // Two barriers, each waiting for a warp that waits at the other.
    let crossed = kernel("setp.ge.u32 %p, %r0, 4;\n@%p bra OTHER;\nbar.sync 0;\nbra OUT;\nOTHER:\nbar.sync 1;\nOUT:", LAUNCH);
    assert_names(&trap(&crossed, "toy"), &["barrier 0", "barrier 1", "threads 0-3", "threads 4-7"]);
}

#[test]
fn a_kernel_that_needs_wider_ptx_warps_is_refused() {
    let voting = |mask: &str| kernel(&format!("{mask}\nvote.sync.ballot.b32 %r1, 1, %r2;\nst.shared.u32 [slots], %r1;"), LAUNCH);
    let first = "shr.u32 %r3, %r0, 3;\nshl.b32 %r3, %r3, 3;\nmov.u32 %r4, 255;\nshl.b32 %r2, %r4, %r3;";
    for mask in ["mov.u32 %r2, 255;", "mov.u32 %r3, 65535;\nmov.u32 %r2, %r3;", first] {
        assert_names(&refusal(&voting(mask), "toy", &[]), &["`ptx_warp`", "`4`", "PTX warps of 32", "`--set ptx_warp=32`"]);
        machine::load(&voting(mask), &Config { ptx_warp: 32, ..Config::preset("toy").expect("a preset") })
            .expect("as wide as a GPU's");
    }
    let given = "activemask.b32 %r3;\nmov.u32 %r4, 3;\nand.b32 %r2, %r4, %r3;";
    for mask in ["mov.u32 %r2, -1;", "mov.u32 %r2, 15;", "activemask.b32 %r2;", given] {
        machine::load(&voting(mask), &Config::preset("toy").expect("a preset")).expect("right for any width");
    }
}

#[test]
fn lanes_that_go_off_before_they_can_be_used_are_refused() {
    let never = [("gating", "on"), ("idle_detect", "0")];
    assert_names(&refusal(&kernel("", LAUNCH), "origami", &never), &["`idle_detect`", "`0`", "at least 1", "wakeup"]);
    let config = Config::preset("origami").map(|config| Config { idle_detect: 0, ..config }).expect("a preset");
    assert!(machine::load(&kernel("", LAUNCH), &config).is_ok(), "without gating no lane goes off");
}

#[test]
fn lanes_are_tracked_of_as_many_units_as_events_can_name() {
    let many = [("sp_units", "129")];
    assert!(refusal(&kernel("", LAUNCH), "origami", &[many[0], ("gating", "on")]).contains("1 to 128"));
    let config = Config::preset("origami").map(|config| Config { sp_units: 129, ..config }).expect("a preset");
    assert!(machine::load(&kernel("", LAUNCH), &config).is_ok(), "without gating there may be more");
}

#[test]
fn an_endless_kernel_stops_at_the_limit() {
    let endless = kernel("AGAIN:\nadd.u32 %r0, %r0, 1;\nbra AGAIN;", LAUNCH);
    for preset in ["toy", "gtx480"] {
        let mut sim = machine::load(&endless, &Config::preset(preset).expect("a preset")).expect("it fits");
        sim.run(5_000, &mut NullSink);
        assert!(!sim.finished());
        assert_eq!(sim.state.cycle, 5_000);
        let trap = too_long(&sim, 5_000).in_text(&sim.machine.program, &endless.text).to_string();
        assert_names(&trap, &["5000"]);
    }
}
