//! What a person sees of a run: one cycle as plain data, pictures of it, figures of the whole, files for other tools.
//!
//! - [`session`] is a run that a person moves through; [`view`] one of its cycles as plain data and sentences.
//! - [`mechanism`] draws how each technique works; [`plot`] draws figures; both make [`scene`]s, lists of keyed shapes.
//! - [`export`] writes traces and films.
//!
//! It depends on `warpscope-kernel` and `warpscope-machine`, and is drawn by whoever has a screen: a canvas, an SVG file, a test.
//!
//! ```
//! use warpscope_machine::{config::MachineSpec, run};
//! use warpscope_pictures::session::{Breakpoints, Session};
//!
//! let collatz = warpscope_catalogue::find("collatz").expect("a workload of the catalogue");
//! let (machine, files) = (MachineSpec::new("gtx480", "TBC", []), |name: &str| collatz.read_file(name));
//! let (_, sim) = run::prepare(collatz.ptx, collatz.small, &machine, &files).expect("they fit together");
//! let mut session = Session::new(sim);
//! session.advance(100, &Breakpoints::default());
//! assert_eq!(session.cycle(), 100);
//! session.seek(40);
//! assert_eq!(session.cycle(), 40);
//! ```

#![warn(missing_docs)]

pub mod export;
pub mod mechanism;
pub mod plot;
pub mod scene;
pub mod session;
pub mod view;
