//! The command line as a person meets it: exit status, messages, files.
#![cfg(unix)]

mod compare;
mod globals;
mod lesson;
mod memory;
mod messages;
mod output;
mod trace;

use std::path::PathBuf;
use std::process::{Command, Output};

/// A kernel that never ends.
const SPIN: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry spin()\n{\nL:\nbra L;\nret;\n}\n";

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_warpscope"))
}

fn run(arguments: &[&str]) -> Output {
    command().args(arguments).output().expect("the program starts")
}

/// The path of a file in a folder of the test's own.
fn path(test: &str, name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli").join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name).to_str().expect("text").to_string()
}

/// Writes a file into a folder of the test's own, and says where it is.
fn file(test: &str, name: &str, text: &str) -> String {
    let path = path(test, name);
    std::fs::write(&path, text).expect("written");
    path
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The command ends with this status, and says all of these.
fn assert_ends(output: &Output, status: i32, words: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(status), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    for word in words {
        assert!(said.contains(word), "`{word}` is missing in: {said}");
    }
}
