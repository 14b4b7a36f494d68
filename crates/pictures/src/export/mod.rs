//! Runs as files that other tools open.

pub mod chrome;
pub mod film;
