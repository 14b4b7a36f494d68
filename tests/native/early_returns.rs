//! Threads that return early, with barriers and warp operations among the threads that stay: every technique and machine leaves
//! the memory that the scalar reference leaves.
//!
//! Compilers merge all returns into the last block, so an early return is a branch there (`program/passes/returns.rs`).

use crate::common::kernel::{Kernel, no_files, words32};
use crate::machine;
use crate::machine::setups::{self, Setup};
use warpscope_machine::config::DivergenceKind;
use warpscope_machine::sim::SimError;

/// `%r1` is the thread's index in its block, `%rd4` the address of its word of `a`, `S` its word of shared memory.
const HEAD: &str = "\
.version 8.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p0)
{
.reg .pred %p<9>;
.reg .b32 %r<19>;
.reg .b64 %rd<9>;
.shared .align 4 .b8 S[512];
ld.param.u64 %rd1, [p0];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mad.lo.u32 %r3, %r2, 128, %r1;
mul.wide.u32 %rd3, %r3, 4;
add.s64 %rd4, %rd2, %rd3;
shl.b32 %r4, %r1, 2;
mov.u32 %r5, S;
add.u32 %r5, %r5, %r4;
";

/// By kernel: its title, how many threads of each block of 128 reach its end, and its code.
const KERNELS: [(&str, usize, &str); 10] = [
    (
        "a partial warp returns before a barrier",
        41,
        "setp.ge.u32 %p1, %r1, 41; @%p1 bra OUT; bar.sync 0; add.u32 %r6, %r1, 1; st.global.u32 [%rd4], %r6; bar.sync 0; OUT: ret;",
    ),
    (
        "whole warps return before a barrier",
        32,
        "setp.ge.u32 %p1, %r1, 32; @%p1 bra OUT; st.shared.u32 [%r5], %r1; bar.sync 0; ld.shared.u32 %r6, [S+12]; \
         st.global.u32 [%rd4], %r6; OUT: ret;",
    ),
    (
        "the return stands behind a move and a jump",
        70,
        "setp.ge.u32 %p1, %r1, 70; @%p1 bra GO; bar.sync 0; st.global.u32 [%rd4], 7; bra.uni OUT; GO: mov.u32 %r6, 0; bra.uni OUT; \
         OUT: ret;",
    ),
    (
        "a loop around a barrier behind the return",
        77,
        "setp.ge.u32 %p1, %r1, 77; @%p1 bra OUT; mov.u32 %r6, 0; st.shared.u32 [%r5], %r1; \
         TOP: bar.sync 0; ld.shared.u32 %r7, [S+40]; bar.sync 0; add.u32 %r7, %r7, %r6; st.shared.u32 [%r5], %r7; \
         add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, 5; @%p2 bra TOP; st.global.u32 [%rd4], %r7; OUT: ret;",
    ),
    (
        "some threads return in every round of a loop around a barrier",
        113,
        "mov.u32 %r6, 0; TOP: mul.lo.u32 %r7, %r6, 13; setp.eq.u32 %p1, %r1, %r7; @%p1 bra OUT; add.u32 %r7, %r7, 64; \
         setp.eq.u32 %p2, %r1, %r7; @%p2 bra OUT; bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 10; @%p3 bra TOP; \
         st.global.u32 [%rd4], %r6; OUT: ret;",
    ),
    (
        "a switch whose default returns, with a barrier behind it",
        96,
        "and.b32 %r6, %r1, 3; T: .branchtargets A, B, C, OUT; brx.idx %r6, T; A: add.u32 %r7, %r1, 10; bra.uni J; \
         B: add.u32 %r7, %r1, 20; bra.uni J; C: add.u32 %r7, %r1, 30; J: bar.sync 0; st.global.u32 [%rd4], %r7; OUT: ret;",
    ),
    (
        "a return with a store inside a loop of branches, with a barrier in the loop",
        64,
        "mov.u32 %r6, 0; mov.u32 %r7, 0; TOP: and.b32 %r8, %r1, 1; setp.eq.u32 %p1, %r8, 0; @%p1 bra EVEN; \
         setp.eq.u32 %p2, %r6, 4; @%p2 bra GONE; add.u32 %r7, %r7, %r1; bra.uni NEXT; EVEN: add.u32 %r7, %r7, 3; \
         NEXT: bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 9; @%p3 bra TOP; st.global.u32 [%rd4], %r7; bra.uni OUT; \
         GONE: st.global.u32 [%rd4], 99; OUT: ret;",
    ),
    (
        "a part of a warp comes to a barrier with a count, the others pass by",
        128,
        "setp.ge.u32 %p1, %r1, 48; @%p1 bra SKIP; bar.sync 1, 64; SKIP: st.global.u32 [%rd4], 7; ret;",
    ),
    (
        "a part of a warp comes to a barrier with a count, the others have returned",
        48,
        "setp.ge.u32 %p1, %r1, 48; @%p1 bra OUT; bar.sync 1, 64; st.global.u32 [%rd4], %r1; OUT: ret;",
    ),
    (
        "a vote and a shuffle among the threads that stay",
        85,
        "rem.u32 %r6, %r1, 3; setp.ne.u32 %p1, %r6, 1; vote.sync.ballot.b32 %r7, %p1, -1; @!%p1 bra OUT; \
         brev.b32 %r8, %r7; bfind.shiftamt.u32 %r8, %r8; shfl.sync.idx.b32 %r9, %r1, %r8, 31, %r7; \
         setp.eq.u32 %p2, %r9, 999; vote.sync.any.pred %p3, %p2, %r7; @%p3 bra OUT; bar.sync 0; \
         st.global.u32 [%rd4], %r9; OUT: ret;",
    ),
];

const LAUNCH: &str = "grid = [3]\nblock = [128]\n[[param]]\nbuffer = \"a\"\ntype = \"u32\"\nlen = 384\ninit = { iota = { start = 5000, step = 0 } }\n";

#[test]
fn every_machine_leaves_what_the_reference_leaves() {
    let mut failures = Vec::new();
    let mut runs = 0;
    for (title, survivors, body) in KERNELS {
        let kernel = Kernel::new(&format!("{HEAD}{body}\n}}\n"), LAUNCH, &no_files).unwrap_or_else(|e| panic!("{title}: {e}"));
        let wanted = kernel.finish().unwrap_or_else(|e| panic!("{title}, reference: {e}"));
        let stored = words32(&wanted[0].bytes).into_iter().filter(|&word| word != 5000 && word != 99).count();
        assert_eq!(stored, 3 * survivors, "{title}: the reference itself");
        let joins = kernel.job.program.instructions.iter().any(|i| i.op.joins_warp());
        for Setup { name, config } in setups::all() {
            // DWF-WB's warp barrier holds back the lanes that pass by, so the other lanes' barrier cannot complete. PTX requires
            // all threads of a warp at `bar.sync`, and leaves open what happens otherwise.
            let keeps_all = title.ends_with("pass by") && config.divergence == DivergenceKind::DwfWb;
            if joins && config.ptx_warp < 32 || keeps_all {
                continue;
            }
            let sim = match machine::load(&kernel, &config) {
                Ok(sim) => sim,
                Err(SimError::Config(_)) => continue,
                Err(error) => panic!("{title}: {error}"),
            };
            runs += 1;
            let same = |left: &machine::Finished| left.buffers(&kernel) == wanted;
            match machine::finish(sim) {
                Ok(finished) if same(&finished) => {}
                Ok(_) => failures.push(format!("{title}, {name}: another result")),
                Err(trouble) => failures.push(format!("{title}, {name}: {trouble}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} of {runs} runs fail\n{}", failures.len(), failures.join("\n"));
    assert!(runs > 400, "only {runs} runs");
}
