//! Warpscope: a laboratory for GPU divergence.
//!
//! A kernel in PTX and a launch go in; the kernel runs; everything that a person sees, in the browser or on the command
//! line, is read off that run. `ARCHITECTURE.md` shows how the rooms of this library fit together.
//!
//! ```
//! use warpscope::{interp, launch::Launch, program, workload};
//!
//! let saxpy = workload::find("saxpy").expect("a workload of the catalogue");
//! let program = program::load(saxpy.ptx, None).expect("sound PTX");
//! let launch = Launch::parse(saxpy.small).expect("a sound launch");
//! let buffers = launch.fill(&|file| saxpy.read_file(file)).expect("its files");
//! let start = interp::start::Start::new(&program, &launch, &buffers, 32, 1).expect("they fit together");
//! let outcome = interp::reference::run(&program, &start, 1_000_000);
//! assert!(outcome.trap.is_none());
//! ```

pub mod check;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod config;
mod document;
pub mod event;
pub mod export;
pub mod interp;
pub mod lab;
pub mod launch;
pub mod lesson;
pub mod mechanism;
pub mod metrics;
pub mod papers;
pub mod plot;
pub mod policy;
pub mod program;
pub mod ptx;
pub mod record;
pub mod replay;
pub mod scene;
pub mod session;
pub mod sim;
pub mod view;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod workload;
