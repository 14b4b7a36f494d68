//! `--trace` and `--trace-cycles`.

use super::{SPIN, assert_ends, file, path, run};
use serde_json::Value;

fn events(path: &str) -> Vec<Value> {
    let root: Value = serde_json::from_slice(&std::fs::read(path).expect("a trace")).expect("valid JSON");
    root["traceEvents"].as_array().expect("a list").clone()
}

#[test]
fn a_trace_has_the_cycles_asked_for() {
    let out = path("trace_cycles", "t.json");
    let output = run(&["run", "collatz", "--launch", "small", "--trace", &out, "--trace-cycles", "100..200"]);
    assert_ends(&output, 0, &[]);
    let times: Vec<u64> = events(&out).iter().filter_map(|event| event["ts"].as_u64()).collect();
    assert!(!times.is_empty() && times.iter().all(|time| (100..200).contains(time)));
    for open in ["100..", "..200"] {
        let output = run(&["run", "collatz", "--launch", "small", "--trace", &out, "--trace-cycles", open]);
        assert_ends(&output, 0, &[]);
        events(&out);
    }
}

#[test]
fn bad_ranges_of_cycles_are_refused() {
    let out = path("bad_ranges", "t.json");
    for (range, words) in [("200..100", "no cycle"), ("x..y", "FROM..TO"), ("7", "FROM..TO"), ("-3..5", "`-3`")] {
        let output = run(&["run", "collatz", "--launch", "small", "--trace", &out, "--trace-cycles", range]);
        assert_ends(&output, 2, &[words]);
    }
    assert_ends(&run(&["run", "collatz", "--trace-cycles", "1..2"]), 2, &["--trace"]);
}

#[test]
fn a_run_that_traps_or_is_stopped_leaves_a_valid_trace() {
    let launch = file("stopped_trace", "l.toml", "grid = [4]\nblock = [64]\n");
    let out = path("stopped_trace", "t.json");
    let spin = file("stopped_trace", "spin.ptx", SPIN);
    assert_ends(&run(&["run", &spin, "--launch", &launch, "--max-cycles", "2000", "--trace", &out]), 1, &["--max-cycles"]);
    assert!(events(&out).iter().any(|event| event["cat"] == "issued"));
    let trap = file("stopped_trace", "trap.ptx", &SPIN.replace("bra L;", "trap;"));
    assert_ends(&run(&["run", &trap, "--launch", &launch, "--trace", &out]), 1, &["trap"]);
    assert!(!events(&out).is_empty());
}

#[test]
fn a_full_disk_is_told_and_ends_the_run() {
    let launch = file("full_trace", "l.toml", "grid = [4]\nblock = [64]\n");
    let spin = file("full_trace", "spin.ptx", SPIN);
    let output = run(&["run", &spin, "--launch", &launch, "--trace", "/dev/full"]);
    assert_ends(&output, 2, &["/dev/full", "incomplete", "space"]);
}

/// A limit on the size of files stands in for a full disk.
#[test]
fn a_file_that_cannot_grow_is_closed() {
    let launch = file("limited_trace", "l.toml", "grid = [4]\nblock = [64]\n");
    let spin = file("limited_trace", "spin.ptx", SPIN);
    let out = path("limited_trace", "t.json");
    let script = "trap '' XFSZ; ulimit -f 500; exec \"$@\"";
    let output = std::process::Command::new("bash")
        .args(["-c", script, "bash", env!("CARGO_BIN_EXE_warpscope")])
        .args(["run", &spin, "--launch", &launch, "--trace", &out])
        .output()
        .expect("bash");
    assert_ends(&output, 2, &["t.json", "valid"]);
    assert!(events(&out).len() > 1_000);
}

/// A million cycles of eight warps give far more events than this address space has room for.
#[test]
fn a_long_trace_needs_little_memory() {
    let launch = file("long_trace", "l.toml", "grid = [4]\nblock = [64]\n");
    let spin = file("long_trace", "spin.ptx", SPIN);
    let script = "ulimit -v 200000; exec \"$@\"";
    let output = std::process::Command::new("bash")
        .args(["-c", script, "bash", env!("CARGO_BIN_EXE_warpscope")])
        .args(["run", &spin, "--launch", &launch, "--max-cycles", "500000", "--trace", "/dev/null"])
        .output()
        .expect("bash");
    assert_ends(&output, 1, &["--max-cycles"]);
}
