//! `[[global]]` and `offset`: module variables by name, and addresses inside buffers.

use super::{assert_ends, file, path, run};

const PTX: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\
    .visible .global .align 4 .u32 counter = 5;\n.visible .const .align 4 .b8 table[16];\n\
    .visible .entry k(.param .u64 out, .param .u64 more)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n\
    ld.param.u64 %d1, [out];\nld.param.u64 %d6, [more];\nmov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 3;\n\
    mul.wide.u32 %d2, %r2, 4;\nmov.u64 %d3, table;\nadd.s64 %d3, %d3, %d2;\nld.const.u32 %r3, [%d3];\n\
    mul.wide.u32 %d4, %r1, 4;\nadd.s64 %d5, %d1, %d4;\nst.global.u32 [%d5], %r3;\n\
    add.s64 %d5, %d6, %d4;\nst.global.u32 [%d5], %r1;\nred.global.add.u32 [counter], 1;\nret;\n}\n";

const PARAMS: &str = "grid = [1]\nblock = [8]\n[[param]]\nbuffer = 'out'\ntype = 'u32'\nlen = 32\noffset = 8\n\
    [[param]]\nbuffer = 'out'\noffset = 16\n";

fn words(path: &str) -> Vec<u32> {
    let bytes = std::fs::read(path).expect("a dump");
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[test]
fn variables_are_set_and_dumped_and_buffers_passed_with_offsets() {
    let ptx = file("globals", "k.ptx", PTX);
    let globals = "[[global]]\nname = 'counter'\ninit = { values = [100] }\n[[global]]\nname = 'table'\ntype = 'u32'\n\
        init = { iota = { start = 10 } }\n";
    let launch = file("globals", "l.toml", &format!("{PARAMS}{globals}"));
    let [out, counter, table] = ["out.bin", "counter.bin", "table.bin"].map(|name| path("globals", name));
    let dumps = [format!("out={out}"), format!("counter={counter}"), format!("table={table}")];
    let dumps: Vec<&str> = dumps.iter().flat_map(|dump| ["--dump", dump]).collect();
    for more in [&["--check"][..], &["--reference"], &["--preset", "tbc", "--technique", "TBC", "--check"]] {
        let output = run(&[&["run", &ptx, "--launch", &launch][..], &dumps, more].concat());
        assert_ends(&output, 0, &[]);
        let mut expected = vec![0; 8];
        expected.extend([10, 11, 12, 13, 10, 11, 12, 13]);
        expected.extend(0..8);
        expected.extend([0; 8]);
        assert_eq!(words(&out), expected);
        assert_eq!(words(&counter), [108]);
        assert_eq!(words(&table), [10, 11, 12, 13]);
    }
}

#[test]
fn a_variable_that_is_only_named_keeps_what_the_ptx_says() {
    let ptx = file("kept_global", "k.ptx", PTX);
    let launch = file("kept_global", "l.toml", &format!("{PARAMS}[[global]]\nname = 'counter'\n"));
    let counter = path("kept_global", "counter.bin");
    assert_ends(&run(&["run", &ptx, "--launch", &launch, "--dump", &format!("counter={counter}")]), 0, &[]);
    assert_eq!(words(&counter), [13]);
}

#[test]
fn some_first_elements_of_a_variable_may_be_set() {
    let ptx = file("part_global", "k.ptx", PTX);
    let globals = "[[global]]\nname = 'table'\ntype = 'u32'\ninit = { values = [7, 8] }\n";
    let launch = file("part_global", "l.toml", &format!("{PARAMS}{globals}"));
    let table = path("part_global", "table.bin");
    assert_ends(&run(&["run", &ptx, "--launch", &launch, "--dump", &format!("table={table}")]), 0, &[]);
    assert_eq!(words(&table), [7, 8, 0, 0]);
}

#[test]
fn wrong_globals_and_offsets_are_refused() {
    let ptx = file("wrong_globals", "k.ptx", PTX);
    for (text, words) in [
        ("[[global]]\nname = 'tabel'\n", &["`tabel`", "`counter`, `table`"][..]),
        (
            "[[global]]\nname = 'table'\ntype = 'u32'\ninit = { values = [1, 2, 3, 4, 5] }\n",
            &["`table`", "16 bytes", "5 are given"],
        ),
        ("[[global]]\nname = 'counter'\ntype = 'f64'\n", &["`counter`", "4 bytes", "f64"]),
        ("[[global]]\nname = 'counter'\ninit = { values = [1.5] }\n", &["`counter`", "1.5"]),
        ("[[global]]\nname = 'counter'\nlen = 1\n", &["no init"]),
        ("[[global]]\nname = 'counter'\n[[global]]\nname = 'counter'\n", &["twice"]),
        ("[[global]]\nname = 'out'\n", &["`out`", "buffer"]),
        ("[[global]]\nvariable = 'out'\n", &["`variable`", "name"]),
    ] {
        let launch = file("wrong_globals", "l.toml", &format!("{PARAMS}{text}"));
        assert_ends(&run(&["run", &ptx, "--launch", &launch]), 2, words);
    }
    for offset in ["32", "-1", "4000000000000000000", "1.5"] {
        let launch = file("wrong_globals", "l.toml", &PARAMS.replace("offset = 16", &format!("offset = {offset}")));
        assert_ends(&run(&["run", &ptx, "--launch", &launch]), 2, &["offset"]);
    }
    let launch = file("wrong_globals", "l.toml", PARAMS);
    assert_ends(&run(&["run", &ptx, "--launch", &launch, "--dump", "counter=x"]), 2, &["[[global]]"]);
}
