//! Tests of the loop over logical blocks, as text.

use super::*;
use crate::program::passes::Pass;
use crate::program::{load, transformed};

/// Returns the lines of a kernel in its loop, without comments.
fn lines(body: &str, dimensions: Option<Dimensions>) -> Vec<String> {
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n";
    let registers = "{ .reg .b32 %r<9>; .reg .b64 %d<4>; .reg .pred %p;\n";
    let text = format!("{head}{registers}{body}\n}}\n");
    let program = load(&text, None).expect("a sound kernel");
    let dimensions = dimensions.unwrap_or(Dimensions::named(&program));
    let program = program.through(&[Pass::Virtualise { dimensions, most_registers: u32::MAX }]);
    let shown = transformed::text(&program, &text);
    let line = |line: &str| line.split("//").next().unwrap_or_default().trim().to_string();
    shown.lines().map(line).filter(|line| !line.is_empty() && !line.starts_with(['.', '{', '}'])).collect()
}

#[test]
fn the_loop_takes_a_block_and_a_return_goes_back_to_it() {
    let body = "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p, %r1, %r2; @%p ret; st.global.u32 [%d1], %r1; ret;";
    let expected = [
        "WWL:",
        "next_tb.u32 %r2|%vmore;",
        "@!%vmore exit;",
        "next_tidx.u32 %r1;",
        "setp.eq.u32 %p, %r1, %r2;",
        "@%p bra WWL;",
        "st.global.u32 [%d1], %r1;",
        "bra WWL;",
    ];
    assert_eq!(lines(body, None), expected);
}

#[test]
fn an_index_that_is_used_in_place_gets_a_register() {
    let body = "add.u32 %r1, %tid.x, %tid.y; st.global.u32 [%d1], %r1; ret;";
    let one = lines(body, Some(Dimensions { grid: 1, block: 1 }));
    assert_eq!(one[3..5], ["next_tidx.u32 %vtid_x;", "add.u32 %r1, %vtid_x, 0;"], "a block of one dimension");
    let two = lines(body, None);
    let expected = [
        "next_tidx.u32 %vthread;",
        "div.u32 %vtid_y, %vthread, %ntid.x;",
        "mul.lo.u32 %vtid_x, %vtid_y, %ntid.x;",
        "sub.u32 %vtid_x, %vthread, %vtid_x;",
        "add.u32 %r1, %vtid_x, %vtid_y;",
    ];
    assert_eq!(two[3..8], expected);
}

#[test]
fn only_what_is_the_same_for_all_and_safe_is_moved() {
    let body = "ld.param.u64 %d1, [out]; mov.u32 %r3, 7; mov.u32 %r4, %ntid.x; mul.lo.u32 %r5, %r4, %r3;
        mov.u32 %r6, 9; setp.eq.u32 %p, %r5, 1; @%p mov.u32 %r7, %r4; ld.global.u32 %r8, [%d1];
        add.u32 %r1, %r8, %r6; add.u32 %r1, %r1, %r7; st.global.u32 [%d1], %r1; ret;";
    let moved = lines(body, None);
    let head = moved.iter().position(|line| line == "WWL:").expect("a loop");
    let expected = [
        "ld.param.u64 %d1, [out];",
        "mov.u32 %r3, 7;",
        "mov.u32 %r4, %ntid.x;",
        "mul.lo.u32 %r5, %r4, %r3;",
        "setp.eq.u32 %p, %r5, 1;",
    ];
    assert_eq!(moved[..head], expected, "not a lone constant, a guarded write, a load, or a register with two writers");
}

#[test]
fn too_many_registers_keep_code_in_the_loop() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{ .reg .b32 %r; .reg .b64 %d;\n\
        mov.u32 %r, %tid.x; ld.param.u64 %d, [out]; st.global.u32 [%d], %r; ret; }\n";
    let head = |most_registers: u32| {
        let dimensions = Dimensions { grid: 1, block: 1 };
        let program = load(text, None).expect("a sound kernel").through(&[Pass::Virtualise { dimensions, most_registers }]);
        program.wrapper.map(|wrapper| wrapper.head)
    };
    assert_eq!((head(64), head(2)), (Some(1), Some(0)));
}
