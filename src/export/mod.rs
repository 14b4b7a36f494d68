//! Runs as files that other tools open.

pub mod chrome;
