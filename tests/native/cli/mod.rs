//! The command line as a user meets it: exit status, messages, files.
#![cfg(unix)]

mod compare;
mod exits;
mod files;
mod globals;
mod lesson;
mod memory;
mod messages;
mod output;
mod sweep;
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

/// Returns the path of a file in a folder of this test.
fn path(test: &str, name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli").join(test);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name).to_str().expect("text").to_string()
}

/// Writes a file into a folder of this test, and returns its path.
fn file(test: &str, name: &str, text: &str) -> String {
    let path = path(test, name);
    std::fs::write(&path, text).expect("written");
    path
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that the command ends with this status and prints all of these words.
fn assert_ends(output: &Output, status: i32, words: &[&str]) {
    let said = said(output);
    assert_eq!(output.status.code(), Some(status), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    for word in words {
        assert!(said.contains(word), "`{word}` is missing in: {said}");
    }
}
