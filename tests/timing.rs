//! When things happen, worked out by hand: small kernels on machines with one mechanism each that matters.

mod common;
mod machine;

use common::kernel::{Kernel, no_files};
use machine::trace::Trace;
use warpscope::config::Config;
use warpscope::launch::{Buffer, Init, Launch, Param};
use warpscope::ptx::types::Type;

/// A kernel of one block over a buffer of words.
fn kernel(body: &str, threads: u32) -> Kernel {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 out)\n{{\n\
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

/// What the first warp does in each cycle, in letters.
fn reasons(kernel: &Kernel, preset: &str, keys: &[(&str, &str)]) -> String {
    let config = Config::build(preset, "", keys.iter().copied()).expect("a sound machine");
    let mut sim = machine::load(kernel, &config).expect("it fits");
    let trace = Trace::record(&mut sim);
    assert_eq!(sim.trap(), None);
    trace.reasons.iter().filter_map(|warps| warps.chars().next()).collect()
}

/// A parameter takes 4 cycles to come and an addition 3; the second addition waits for a result, as `ret` does, which drains.
#[test]
fn waiting_for_memory_is_not_waiting_for_a_result() {
    let body = "ld.param.u64 %a, [out]; add.u64 %a, %a, 4; add.u64 %a, %a, 4; ret;";
    let keys = [("ideal_memory", "false"), ("constant_latency", "4"), ("int_latency", "3")];
    let register = reasons(&kernel(body, 4), "toy", &keys);
    assert_eq!(register.trim_end_matches('.'), "IMMMIRRIRRI");
    // One instruction of a warp in flight: the same, and the one that does not need the parameter waits for it too.
    let body = "ld.param.u64 %a, [out]; mov.u32 %t, 1; ret;";
    let simple: Vec<(&str, &str)> = keys.into_iter().chain([("scoreboard", "simple")]).collect();
    assert_eq!(reasons(&kernel(body, 4), "toy", &simple).trim_end_matches('.'), "IMMMIRRI");
    assert_eq!(reasons(&kernel(body, 4), "toy", &keys).trim_end_matches('.'), "IIMMI");
}
