//! All tests that need no browser, as one program: the machine's code is linked once, and the slow tests of one file run beside
//! those of the others.
//!
//! `cargo test --test native gangs::` runs one file. Helpers: [`common`] for kernels and what they leave, [`machine`] for
//! configurations, runs and their accounts, [`recipe`] for random kernels.
#![cfg(not(target_arch = "wasm32"))]

mod common;
#[path = "../shared/hashes.rs"]
mod hashes;
mod machine;
mod recipe;
#[path = "../shared/sample.rs"]
mod sample;
#[path = "../shared/texts.rs"]
mod texts;

mod arith_random;
mod baws;
mod cases;
mod cli;
mod config_refusals;
mod drafts;
mod early_returns;
mod event_hashes;
mod event_tables;
mod forms;
mod fuzz_ptx;
mod gangs;
mod golden;
mod gpgpu_sim;
mod inspector;
mod lab;
mod lessons;
mod machine_golden;
mod narrow_warps;
mod page_files;
mod paper_examples;
mod passed_over;
mod paths;
mod ptx_dialects;
mod ptx_newer_forms;
mod random_kernels;
mod regrouping;
mod replay;
mod scaling;
mod snapshots;
mod spinning;
mod step_equals_run;
mod timing;
mod vtw;
