//! Warpscope: a laboratory for GPU divergence.
//!
//! A kernel in PTX and a launch go in, and the kernel runs; the browser page and the command line show that run.
//! `ARCHITECTURE.md` explains how the modules of this library fit together.
//!
//! ```
//! use warpscope::{config::MachineSpec, event::NullSink, run::RunSpec, workload};
//!
//! let saxpy = workload::find("saxpy").expect("a workload of the catalogue");
//! let machine = MachineSpec::new("gtx480", "TBC,GTO", [("sms", "2")]);
//! let run = RunSpec::new(saxpy.ptx, saxpy.small, machine);
//! let job = run.job(&|file| saxpy.read_file(file)).expect("a kernel and its launch");
//! let mut sim = run.sim(&job).expect("a machine that fits");
//! sim.run(1_000_000, &mut NullSink);
//! assert!(sim.finished() && sim.trap().is_none());
//! ```

pub mod check;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
pub mod compare;
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
pub mod run;
pub mod scene;
pub mod session;
pub mod sim;
pub mod view;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod workload;
