//! Small kernels on the preset `toy`, cycle by cycle, as tables in `tests/snapshots/`.
//!
//! On `toy` a warp has four lanes, one warp issues a cycle, and every result is there in the next one. Beside each kernel is the
//! expected stack after every instruction, worked out by hand from the rule of PDOM: a branch that splits turns the running entry
//! into one that waits at the reconvergence point (or drops it, if the entry below already waits there), and pushes the side that
//! falls through and then the side that jumps, so that the latter runs first; a side that begins at the reconvergence point is
//! not pushed.
//!
//! `INSTA_UPDATE=always cargo test --test native snapshots` rewrites the tables; the stacks here are never rewritten.

use crate::common::kernel::{Kernel, no_files, words32};
use crate::machine;
use crate::machine::trace::Trace;
use warpscope_kernel::launch::{Buffer, Init, Launch, Param};
use warpscope_kernel::ptx::types::Type;
use warpscope_machine::config::Config;

/// Runs a kernel of one block that leaves a word a thread, and compares words, stacks and the whole table.
fn check(name: &str, body: &str, threads: u32, words: &[u32], stacks: &[&[&str]]) {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 out)\n{{\n\
         .reg .b32 %t, %n, %v, %x;\n.reg .b64 %a;\n.reg .pred %p, %q;\n.shared .align 4 .b8 slots[64];\n{body}\n}}\n"
    );
    let out = Buffer { name: "out".into(), ty: Type::U32, len: threads.into(), init: Init::Zeros };
    let launch = Launch {
        kernel: None,
        grid: [1; 3],
        block: [threads, 1, 1],
        shared: 0,
        params: vec![Param::Buffer(out)],
        globals: Vec::new(),
    };
    let kernel = Kernel::with_launch(&text, launch, &no_files).unwrap_or_else(|trouble| panic!("{trouble}"));
    let mut sim = machine::load(&kernel, &Config::preset("toy").expect("a preset")).expect("it fits");
    let trace = Trace::record(&mut sim);
    assert_eq!(sim.trap(), None);
    assert_eq!(words32(&kernel.buffers(&sim.state.uncore.global)[0].bytes), words);
    for (warp, expected) in stacks.iter().enumerate() {
        assert_eq!(trace.stacks(warp as u16), *expected, "warp {warp}");
    }
    insta::assert_snapshot!(name, trace.table(&sim, &text));
}

/// A branch within a side of another branch.
#[test]
fn nested_if() {
    let body = "\
        mov.u32 %t, %tid.x;         // 0
        setp.eq.u32 %p, %t, 3;      // 1
        @%p bra OTHER;              // 2: lane 3 goes to 10, the others to 3; all meet at 11
        setp.eq.u32 %q, %t, 0;      // 3
        @%q bra ZERO;               // 4: lane 0 goes to 7, lanes 1 and 2 to 5; they meet at 8
        mov.u32 %v, 10;             // 5
        bra.uni INNER;              // 6
        ZERO:
        mov.u32 %v, 20;             // 7
        INNER:
        add.u32 %v, %v, 1;          // 8
        bra.uni END;                // 9
        OTHER:
        mov.u32 %v, 30;             // 10
        END:
        ld.param.u64 %a, [out];     // 11
        mad.wide.u32 %a, %t, 4, %a; // 12
        st.global.u32 [%a], %v;     // 13
        ret;                        // 14";
    let stacks = [
        "[1 - 0123]",
        "[2 - 0123]",
        // The branch splits: the entry waits at 11; the side that jumps is on top.
        "[11 - 0123] [3 11 012] [10 11 3]",
        // Lane 3 has gone from 10 to 11, its entry is popped, and the other side runs.
        "[11 - 0123] [3 11 012]",
        "[11 - 0123] [4 11 012]",
        // The inner branch splits: this side's entry now waits at 8 for its own two.
        "[11 - 0123] [8 11 012] [5 8 12] [7 8 0]",
        "[11 - 0123] [8 11 012] [5 8 12]",
        "[11 - 0123] [8 11 012] [6 8 12]",
        // Lanes 1 and 2 jump to 8, where lane 0 waits: three lanes go on together.
        "[11 - 0123] [8 11 012]",
        "[11 - 0123] [9 11 012]",
        // The jump to 11 ends the side, and all lanes are there.
        "[11 - 0123]",
        "[12 - 0123]",
        "[13 - 0123]",
        "[14 - 0123]",
        "",
    ];
    check("nested_if", body, 4, &[21, 11, 11, 30], &[&stacks]);
}

/// A loop that lane n leaves after n + 1 trips.
#[test]
fn loop_with_different_trips() {
    let body = "\
        mov.u32 %t, %tid.x;         // 0
        mov.u32 %n, 0;              // 1
        LOOP:
        add.u32 %n, %n, 1;          // 2
        setp.le.u32 %p, %n, %t;     // 3
        @%p bra LOOP;               // 4: those who have not had enough; all meet at 5
        ld.param.u64 %a, [out];     // 5
        mad.wide.u32 %a, %t, 4, %a; // 6
        st.global.u32 [%a], %n;     // 7
        ret;                        // 8";
    let stacks = [
        "[1 - 0123]",
        "[2 - 0123]",
        "[3 - 0123]",
        "[4 - 0123]",
        // Lane 0 is done. Its side begins at the reconvergence point, so only the lanes that go on are pushed.
        "[5 - 0123] [2 5 123]",
        "[5 - 0123] [3 5 123]",
        "[5 - 0123] [4 5 123]",
        // Lane 1 is done. The bottom entry already waits at 5, so the entry of the two that go on replaces that of the three.
        "[5 - 0123] [2 5 23]",
        "[5 - 0123] [3 5 23]",
        "[5 - 0123] [4 5 23]",
        "[5 - 0123] [2 5 3]",
        "[5 - 0123] [3 5 3]",
        "[5 - 0123] [4 5 3]",
        // Lane 3 falls out of the loop, and all go on together.
        "[5 - 0123]",
        "[6 - 0123]",
        "[7 - 0123]",
        "[8 - 0123]",
        "",
    ];
    check("loop_with_different_trips", body, 4, &[1, 2, 3, 4], &[&stacks]);
}

/// Threads that return before the others, at the top and within a side of a branch.
#[test]
fn early_return() {
    let body = "\
        mov.u32 %t, %tid.x;         // 0
        setp.eq.u32 %p, %t, 1;      // 1
        @%p ret;                    // 2: lane 1 leaves; nobody waits for it
        setp.ge.u32 %p, %t, 2;      // 3
        @%p bra HIGH;               // 4: lanes 2 and 3 to 7, lane 0 to 5; they meet at 10
        mov.u32 %v, 1;              // 5
        bra.uni END;                // 6
        HIGH:
        setp.eq.u32 %q, %t, 3;      // 7
        @%q ret;                    // 8: lane 3 leaves in the middle of a side
        mov.u32 %v, 2;              // 9
        END:
        ld.param.u64 %a, [out];     // 10
        mad.wide.u32 %a, %t, 4, %a; // 11
        st.global.u32 [%a], %v;     // 12
        ret;                        // 13";
    let stacks = [
        "[1 - 0123]",
        "[2 - 0123]",
        "[3 - 023]",
        "[4 - 023]",
        "[10 - 023] [5 10 0] [7 10 23]",
        "[10 - 023] [5 10 0] [8 10 23]",
        // Lane 3 has returned: it is removed from its side and from the entry that waits below.
        "[10 - 02] [5 10 0] [9 10 2]",
        "[10 - 02] [5 10 0]",
        "[10 - 02] [6 10 0]",
        "[10 - 02]",
        "[11 - 02]",
        "[12 - 02]",
        "[13 - 02]",
        "",
    ];
    check("early_return", body, 4, &[1, 0, 2, 0], &[&stacks]);
}

/// Two warps meet at a barrier; the second has more instructions before it. Its branch does not split it.
#[test]
fn barrier() {
    let body = "\
        mov.u32 %t, %tid.x;         // 0
        mov.u64 %a, slots;          // 1
        mad.wide.u32 %a, %t, 4, %a; // 2
        setp.lt.u32 %p, %t, 4;      // 3
        @%p bra EARLY;              // 4: all of warp 0, nobody of warp 1
        add.u32 %n, %t, 1;          // 5
        add.u32 %n, %n, 1;          // 6
        EARLY:
        st.shared.u32 [%a], %t;     // 7
        bar.sync 0;                 // 8
        xor.b32 %x, %t, 7;          // 9: everyone reads from the other warp
        mov.u64 %a, slots;          // 10
        mad.wide.u32 %a, %x, 4, %a; // 11
        ld.shared.u32 %v, [%a];     // 12
        ld.param.u64 %a, [out];     // 13
        mad.wide.u32 %a, %t, 4, %a; // 14
        st.global.u32 [%a], %v;     // 15
        ret;                        // 16";
    let warp_0: Vec<String> = [1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map(|pc| format!("[{pc} - 0123]")).to_vec();
    let warp_1: Vec<String> = (1..=16).map(|pc| format!("[{pc} - 0123]")).collect();
    let with_end = |stacks: &[String]| stacks.iter().cloned().chain([String::new()]).collect::<Vec<_>>();
    let (warp_0, warp_1) = (with_end(&warp_0), with_end(&warp_1));
    let stacks: [Vec<&str>; 2] = [&warp_0, &warp_1].map(|warp| warp.iter().map(String::as_str).collect());
    check("barrier", body, 8, &[7, 6, 5, 4, 3, 2, 1, 0], &[&stacks[0], &stacks[1]]);
}

/// Four lanes on one bank take four cycles, on four banks or on one word a single one. `toy` has four banks.
#[test]
fn shared_bank_conflict() {
    let body = "\
        mov.u32 %t, %tid.x;         // 0
        mov.u64 %a, slots;          // 1
        mad.wide.u32 %a, %t, 4, %a; // 2
        st.shared.u32 [%a], %t;     // 3: words 0 to 3, one on each bank: a single cycle
        mov.u64 %a, slots;          // 4
        mad.wide.u32 %a, %t, 16, %a;// 5
        st.shared.u32 [%a], %t;     // 6: words 0, 4, 8, 12, all on bank 0: the store holds the unit for four cycles
        add.u32 %v, %t, 1;          // 7: needs another unit, so it need not wait
        ld.shared.u32 %n, [%a];     // 8: waits for the unit, then takes it for four cycles
        add.u32 %v, %v, %n;         // 9: waits for the value
        mov.u64 %a, slots;          // 10
        ld.shared.u32 %x, [%a];     // 11: one word for all: a single cycle
        add.u32 %v, %v, %x;         // 12
        ld.param.u64 %a, [out];     // 13
        mad.wide.u32 %a, %t, 4, %a; // 14
        st.global.u32 [%a], %v;     // 15
        ret;                        // 16";
    let stacks: Vec<String> = (1..=16).map(|pc| format!("[{pc} - 0123]")).chain([String::new()]).collect();
    let stacks: Vec<&str> = stacks.iter().map(String::as_str).collect();
    check("shared_bank_conflict", body, 4, &[1, 3, 5, 7], &[&stacks]);
}
