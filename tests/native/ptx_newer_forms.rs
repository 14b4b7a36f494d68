//! Forms of newer GPUs that the tables of `tests/forms` do not have, with values worked out by hand.

use crate::common::kernel::{Kernel, no_files};
use warpscope_kernel::program;

/// Returns the word that a body leaves at `%rd1`.
fn result(body: &str) -> u32 {
    let text = format!(
        ".version 8.3\n.target sm_90\n.address_size 64\n.entry k(.param .u64 out)\n{{\n\
         .reg .pred %p<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [out];\n{body}\nst.global.u32 [%rd1], %r1;\nret;\n}}\n"
    );
    let launch = "kernel = \"k\"\ngrid = [1, 1, 1]\nblock = [1, 1, 1]\n[[param]]\nbuffer = \"out\"\ntype = \"u32\"\nlen = 1\n";
    let kernel = Kernel::new(&text, launch, &no_files).unwrap_or_else(|trouble| panic!("{body}: {trouble}"));
    let outcome = kernel.run_at_most(1000);
    assert!(outcome.trap.is_none(), "{body}: {:?}", outcome.trap);
    let bytes = outcome.global.read_buffer("out").expect("the buffer");
    u32::from_le_bytes(bytes[..4].try_into().expect("a word"))
}

#[test]
fn halves_are_added_and_compared_apart() {
    // -1 and 32767 against 1 and 2; unsigned, 65535 and 32767.
    for (op, expected) in [
        ("add.u16x2", 0x0000_8001),
        ("add.s16x2", 0x0000_8001),
        ("min.u16x2", 0x0001_0002),
        ("max.u16x2", 0xffff_7fff),
        ("min.s16x2", 0xffff_0002),
        ("max.s16x2", 0x0001_7fff),
        ("min.relu.s16x2", 0x0000_0002),
        ("max.relu.s16x2", 0x0001_7fff),
    ] {
        assert_eq!(result(&format!("{op} %r1, 0xffff7fff, 0x00010002;")), expected, "{op}");
    }
}

#[test]
fn a_table_of_three_tells_whether_anything_is_left() {
    for (logic, a, q, expected) in [
        ("or", 0, 0, 0),
        ("or", 5, 0, 1),
        ("or", 0, 1, 1),
        ("and", 5, 1, 1),
        ("and", 5, 0, 0),
        ("and", 0, 1, 0),
        ("xor", 5, 1, 0),
    ] {
        let body = format!("mov.pred %p2, {q}; lop3.{logic}.b32 _|%p1, {a}, 7, 7, 0x80, %p2; selp.u32 %r1, 1, 0, %p1;");
        assert_eq!(result(&body), expected, "{logic} {a} {q}");
    }
    assert_eq!(result("mov.pred %p2, 0; lop3.or.b32 %r1|%p1, 12, 10, 6, 0x96, %p2;"), 12 ^ 10 ^ 6);
}

#[test]
fn a_block_is_its_own_cluster() {
    assert_eq!(result("mov.u32 %r1, %cluster_nctarank;"), 1);
    assert_eq!(result("mov.u32 %r1, %cluster_ctarank;"), 0);
    assert_eq!(result("mov.u32 %r1, %cluster_nctaid.x;"), 1);
    assert_eq!(result("mov.u32 %r1, %nclusterid.x;"), 1);
}

#[test]
fn functions_have_addresses_that_differ() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.func f() { ret; }\n.func g() { ret; }\n\
                .global .u64 table[2] = {f, g};\n.entry k() { .reg .b64 %a; mov.u64 %a, f; mov.u64 %a, table; ret; }\n";
    let program = program::load(text, None).unwrap_or_else(|problems| panic!("{}", problems[0].message));
    let table = program.variables[0].image();
    assert!(table[..8] != table[8..] && table[..8] != [0; 8]);
}

#[test]
fn the_upper_half_of_the_clock_is_its_own() {
    assert_ne!(result("mov.u32 %r2, 1; mov.u32 %r1, %clock;"), 0);
    assert_eq!(result("mov.u32 %r2, 1; mov.u32 %r1, %clock_hi;"), 0);
    assert_eq!(result("mov.u32 %r2, 1; mov.u32 %r1, %globaltimer_hi;"), 0);
}
