//! What is learned from runs: whether they are right, how techniques compare, what lessons show, what the papers claim.
//!
//! - [`run`] has the one description of a run, by name or by texts, and performs it.
//! - [`check`] compares the memory that a run leaves with the reference's, and finds the cause of a difference.
//! - [`compare`] puts one kernel under many techniques side by side; [`papers`] has the five papers' claims and their verdicts.
//! - [`lesson`] has the guided runs of small kernels.
//!
//! It depends on `warpscope-kernel`, `warpscope-catalogue` and `warpscope-machine`. Nothing here uses threads or clocks: callers
//! that have them make several runs at once.
//!
//! ```
//! let lesson = warpscope_study::lesson::all().iter().find(|lesson| lesson.id == "1-compaction").expect("a lesson");
//! let stop = &lesson.stops[0];
//! assert!(lesson.cycle_of(stop).is_some(), "its first stop is reached");
//! ```

#![warn(missing_docs)]

pub mod check;
pub mod compare;
pub mod lesson;
pub mod papers;
pub mod run;
