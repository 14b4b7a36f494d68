//! What a cycle does: the SIMT machine, stepped cycle by cycle, and the stream of events that comes out of it.
//!
//! - [`config`] has the machine's keys, presets and technique names; [`policy`] what each technique decides.
//! - [`sim`] is the machine, [`event`] the closed stream of what happens in it.
//! - [`metrics`] and [`record`] read that stream: the numbers of a run and its history.
//! - [`run`] prepares a run from what a person gives; [`replay`] moves through one, forwards and backwards.
//!
//! It depends on `warpscope-kernel` alone, and knows no files, clocks, threads or browsers.
//!
//! ```
//! use warpscope_machine::{config::MachineSpec, event::NullSink, run};
//!
//! let saxpy = warpscope_catalogue::find("saxpy").expect("a workload of the catalogue");
//! let machine = MachineSpec::new("gtx480", "TBC,GTO", [("sms", "2")]);
//! let files = |name: &str| saxpy.read_file(name);
//! let (_, mut sim) = run::prepare(saxpy.ptx, saxpy.small, &machine, &files).expect("they fit together");
//! sim.run(1_000_000, &mut NullSink);
//! assert!(sim.finished() && sim.trap().is_none());
//! ```

#![warn(missing_docs)]

pub mod config;
pub mod event;
pub mod metrics;
pub mod policy;
pub mod record;
pub mod replay;
pub mod run;
pub mod sim;
