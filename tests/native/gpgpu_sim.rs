//! The `gtx480x15` machine against GPGPU-Sim's own GTX480, the simulator that the BAWS and VTW papers used.
//!
//! The reference cycles are GPGPU-Sim's for kernels of these sizes; block shapes are the usual ones. Two further references,
//! mandelbrot and collatz, depend on inputs that are not known, so they are left out.

use crate::common::kernel::{Kernel, no_files};
use crate::machine;
use warpscope_catalogue as catalogue;
use warpscope_machine::config::Config;

/// Returns the cycles over the reference.
fn ratio(ptx: &str, launch: &str, reference: f64) -> f64 {
    let kernel = Kernel::new(ptx, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    let config = Config::preset("gtx480x15").expect("a machine");
    let sim = machine::load(&kernel, &config).expect("it fits");
    let finished = machine::finish(sim).unwrap_or_else(|trouble| panic!("{trouble}"));
    finished.sim.state.cycle as f64 / reference
}

/// Returns a launch of a kernel on three buffers of floats, with whole numbers behind them.
fn launch(grid: &str, block: &str, len: usize, numbers: &[u32]) -> String {
    let mut text = format!("grid = {grid}\nblock = {block}\n");
    for (name, init) in [
        ("a", "{ random = { seed = 1, min = -1.0, max = 1.0 } }"),
        ("b", "{ random = { seed = 2, min = -1.0, max = 1.0 } }"),
        ("c", "\"zeros\""),
    ] {
        text += &format!("[[param]]\nbuffer = \"{name}\"\ntype = \"f32\"\nlen = {len}\ninit = {init}\n");
    }
    numbers.iter().for_each(|number| text += &format!("[[param]]\ntype = \"s32\"\nvalue = {number}\n"));
    text
}

const VECTOR_ADD: &str = "
    .version 8.0
    .target sm_70
    .address_size 64
    .visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
    {
    .reg .pred %p; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .b64 %d<9>;
    ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r2, %r3, %r2, %r4;
    setp.ge.s32 %p, %r2, %r1;
    @%p bra END;
    cvta.to.global.u64 %d4, %d1; mul.wide.s32 %d5, %r2, 4; add.s64 %d6, %d4, %d5;
    cvta.to.global.u64 %d4, %d2; add.s64 %d7, %d4, %d5;
    ld.global.f32 %f1, [%d7]; ld.global.f32 %f2, [%d6];
    add.f32 %f1, %f1, %f2;
    cvta.to.global.u64 %d4, %d3; add.s64 %d8, %d4, %d5;
    st.global.f32 [%d8], %f1;
    END: ret;
    }";

#[test]
fn cycles_are_within_15_per_cent() {
    let ptx = |name: &str| catalogue::find(name).expect("a workload").ptx;
    let ratios = [
        ("vector add of 262,144", ratio(VECTOR_ADD, &launch("[1024]", "[256]", 262_144, &[262_144]), 21_179.0)),
        ("matrix multiply of 128", ratio(ptx("gemm"), &launch("[4, 16]", "[32, 8]", 128 * 128, &[128]), 56_990.0)),
        ("the same in tiles", ratio(ptx("matmul"), &launch("[8, 8]", "[16, 16]", 128 * 128, &[128, 128]), 23_266.0)),
    ];
    assert!(ratios.iter().all(|(_, ratio)| (0.85..=1.15).contains(ratio)), "{ratios:.3?}");
}
