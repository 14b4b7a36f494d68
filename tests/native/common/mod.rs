//! Helpers of the value tests: kernels with their launches, and every way to run them.
//!
//! - [`kernel`]: a PTX text, a launch and its buffers, ready to run; [`lanes`]: straight-line kernels on whole warps.
//! - [`case`]: the small kernels of `tests/forms/*.case`.
//! - [`golden`]: the runs of `tests/golden`.
//! - [`operations`]: instructions with their meaning in plain Rust.
//! - [`table`]: the tables of `tests/forms/*.txt`; [`tolerance`]: how far a result may differ.

pub mod case;
pub mod golden;
pub mod kernel;
pub mod lanes;
pub mod operations;
pub mod table;
pub mod tolerance;

use std::path::PathBuf;

/// A path below `tests/`.
pub fn tests(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(path)
}

/// The names of the entries of a folder below `tests/`, sorted.
pub fn entries(folder: &str) -> Vec<String> {
    let read = std::fs::read_dir(tests(folder)).unwrap_or_else(|error| panic!("tests/{folder}: {error}"));
    let mut names: Vec<String> = read.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub fn read(path: &str) -> String {
    std::fs::read_to_string(tests(path)).unwrap_or_else(|error| panic!("tests/{path}: {error}"))
}
