//! Setups that would exhaust memory are refused with the figure, the limit and the keys.

use super::{assert_ends, file, path};
use std::process::{Command, Output};

/// Runs the command where no more than 3 GiB can be allocated.
fn run_in_3_gib(arguments: &[&str]) -> Output {
    Command::new("bash")
        .args(["-c", "ulimit -v 3145728; exec \"$@\"", "bash", env!("CARGO_BIN_EXE_warpscope")])
        .args(arguments)
        .output()
        .expect("bash")
}

fn kernel(variables: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{variables}\n.visible .entry k()\n{{\n.reg .b32 %r<4>;\n\
         .reg .b64 %d<4>;\n{body}\nret;\n}}\n"
    )
}

#[test]
fn configurations_over_the_budget_are_refused_with_their_keys() {
    for (settings, words) in [
        (&["sms=64", "l1d_bytes=1073741824"][..], &["MiB", "2048", "sms = 64", "l1d_bytes = 1073741824"][..]),
        (&["sms=64", "l1d_bytes=1073741824", "l1d_line=32"], &["L1 data caches"]),
        (&["l2_bytes=1073741824", "l2_line=32", "sms=64", "l1d_bytes=268435456"], &["L2 cache", "l2_bytes = 1073741824"]),
    ] {
        let mut arguments = vec!["run", "saxpy", "--launch", "small"];
        settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
        let output = run_in_3_gib(&arguments);
        assert_ends(&output, 2, words);
    }
    // Half of that fits: the machine runs up to its cycle limit, and no second machine is built beside it.
    let settings = ["--set", "l2_bytes=1073741824", "--set", "l2_line=32", "--max-cycles", "20"];
    let output = run_in_3_gib(&[&["run", "saxpy", "--launch", "small"][..], &settings].concat());
    assert_ends(&output, 1, &["--max-cycles"]);
}

#[test]
fn shared_memory_of_gigabytes_is_refused() {
    let ptx = file("large_shared", "k.ptx", &kernel("", ".shared .align 4 .b8 s[4294967000];\nst.shared.u32 [s], %r1;"));
    let launch = file("large_shared", "l.toml", "grid = [4]\nblock = [32]\n");
    let output = run_in_3_gib(&["run", &ptx, "--launch", &launch, "--set", "shared_memory=268435456"]);
    assert_ends(&output, 2, &["MiB", "memory"]);
    let output = run_in_3_gib(&["run", &ptx, "--launch", &launch, "--reference"]);
    assert_ends(&output, 2, &["MiB", "2048"]);
    let ptx = file("large_shared", "m.ptx", &kernel("", ".shared .align 4 .b8 s[33554432];\nst.shared.u32 [s], %r1;"));
    let launch = file("large_shared", "m.toml", "grid = [10000]\nblock = [32]\n");
    let settings = ["--set", "shared_memory=268435456", "--set", "sms=64", "--set", "max_blocks=64"];
    let output = run_in_3_gib(&[&["run", &ptx, "--launch", &launch][..], &settings].concat());
    assert_ends(&output, 2, &["shared memory of resident blocks", "shared_memory = 268435456"]);
}

#[test]
fn module_variables_count_and_zeros_cost_nothing_before_they_are_written() {
    let launch = file("large_global", "l.toml", "grid = [1]\nblock = [32]\n");
    for bytes in ["1073000000", "600000000"] {
        let text = kernel(&format!(".visible .global .align 4 .b8 big[{bytes}];"), "mov.u64 %d1, big;");
        let ptx = file("large_global", "k.ptx", &text);
        for more in [&[][..], &["--reference"], &["--set", "sms=2"]] {
            let output = run_in_3_gib(&[&["run", &ptx, "--launch", &launch][..], more].concat());
            assert_ends(&output, 2, &["MiB", "2048", "module's variables"]);
        }
    }
    let text = kernel(".visible .global .align 4 .b8 big[400000000];", "mov.u32 %r1, 1;\nst.global.u32 [big+4], %r1;");
    let ptx = file("large_global", "fits.ptx", &text);
    let launch = file("large_global", "dump.toml", "grid = [1]\nblock = [32]\n[[global]]\nname = 'big'\n");
    assert_ends(&run_in_3_gib(&["run", &ptx, "--launch", &launch]), 0, &[]);
}

#[test]
fn a_sweep_of_machines_over_the_budget_is_bad_input() {
    let csv = path("large_sweep", "t.csv");
    let settings = ["--set", "sms=64", "--set", "l1d_bytes=1073741824"];
    let output = run_in_3_gib(&[&["sweep", "saxpy", "--technique", "PDOM", "--csv", &csv][..], &settings].concat());
    assert_ends(&output, 2, &["l1d_bytes = 1073741824"]);
}

#[test]
fn runs_side_by_side_share_one_budget() {
    let settings = ["--set", "l2_bytes=1073741824", "--set", "l2_line=32", "--jobs", "8"];
    let techniques = ["PDOM", "PDOM-LCP", "TBC", "DWF", "LRR", "GTO", "TLS"].map(|name| ["--technique", name]).concat();
    let output = run_in_3_gib(&[&["compare", "saxpy", "--launch", "small"][..], &settings, &techniques].concat());
    assert_ends(&output, 0, &[]);
}
