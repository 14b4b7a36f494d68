//! The decisions in which techniques differ, one variant per file.
//!
//! A policy reads a view of the machine and returns a choice; the stage acts on it and emits the event. The state of a policy is
//! plain data inside it, so that the machine can be copied and rewound. Policies do not depend on each other.
//!
//! # Adding a policy
//! Write the file in its family's folder, add a row to the family's table (`kinds!` in `config/choices.rs`), and give it a name
//! in `config/technique.rs` if users should be able to select it. Menus, the command line and the tests follow the tables.

pub(crate) mod dispatch;
pub mod divergence;
pub(crate) mod fetch;
pub mod gang;
pub mod gating;
pub(crate) mod patience;
pub mod schedule;
pub mod view;
pub(crate) mod warp_set;
