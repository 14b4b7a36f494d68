//! Output that cannot be written is an error; a reader that has closed the pipe is not.

use super::{assert_ends, command, path, run};
use std::fs::OpenOptions;
use std::process::Stdio;

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full").into()
}

/// Asserts that the command fails where standard output cannot be written.
fn assert_fails_when_full(arguments: &[&str]) {
    let output = command().args(arguments).stdout(full()).output().expect("the program starts");
    assert_ends(&output, 2, &["standard output", "space"]);
}

#[test]
fn a_full_standard_output_is_an_error_everywhere() {
    for arguments in [
        &["run", "collatz", "--launch", "small"][..],
        &["run", "collatz", "--launch", "small", "--json"],
        &["run", "collatz", "--launch", "small", "--reference"],
        &["run", "collatz", "--launch", "small", "--reference", "--json"],
        &["list"],
        &["list", "keys", "--json"],
        &["inspect", "collatz"],
        &["inspect", "collatz", "--json"],
        &["inspect", "collatz", "--dot"],
        &["sweep", "saxpy", "--technique", "PDOM"],
        &["--help"],
        &["--version"],
    ] {
        assert_fails_when_full(arguments);
    }
}

#[test]
fn a_full_file_is_an_error() {
    let output = run(&["run", "saxpy", "--launch", "small", "--dump", "x=/dev/full"]);
    assert_ends(&output, 2, &["/dev/full", "space"]);
    let output = run(&["sweep", "saxpy", "--technique", "PDOM", "--csv", "/dev/full"]);
    assert_ends(&output, 2, &["/dev/full", "space"]);
}

#[test]
fn a_message_that_cannot_be_written_leaves_the_status() {
    let status = command().args(["run", "no such thing"]).stderr(full()).status().expect("the program starts");
    assert_eq!(status.code(), Some(2));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for arguments in [&["list", "keys"][..], &["list", "keys", "--json"], &["run", "collatz", "--launch", "small", "--json"]] {
        let mut child = command().args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ended");
        assert_ends(&output, 0, &[]);
        assert!(output.stderr.is_empty(), "{}", super::said(&output));
    }
}

#[test]
fn jobs_are_clamped_to_the_runs_and_none_is_refused() {
    let csv = path("jobs", "t.csv");
    assert_ends(&run(&["sweep", "saxpy", "--technique", "PDOM", "--jobs", "1000000000", "--csv", &csv]), 0, &[]);
    assert_eq!(std::fs::read_to_string(&csv).expect("a table").lines().count(), 2);
    assert_ends(&run(&["sweep", "saxpy", "--technique", "PDOM", "--jobs", "0"]), 2, &["--jobs", "0"]);
    assert_ends(&run(&["papers", "tbc", "--jobs", "0"]), 2, &["--jobs", "0"]);
}

#[test]
fn a_dump_that_cannot_be_written_hides_no_trap_and_no_failed_check() {
    let dumps = ["--dump", "x=/dev/full", "--dump", "y=/nowhere/y.bin"];
    let told = ["/dev/full", "/nowhere/y.bin"];
    assert_ends(&run(&[&["run", "saxpy", "--launch", "small"][..], &dumps].concat()), 2, &told);
    let stopped = run(&[&["run", "saxpy", "--launch", "small", "--max-cycles", "20"][..], &dumps].concat());
    assert_ends(&stopped, 1, &[&told[..], &["--max-cycles 20"]].concat());
    let wrong = run(&["run", "rayqueue", "--technique", "DWF", "--check", "--dump", "image=/nowhere/p.bin"]);
    assert_ends(&wrong, 1, &["check failed", "/nowhere/p.bin"]);
}
