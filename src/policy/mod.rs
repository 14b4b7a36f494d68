//! The decisions that techniques differ in, one variant a file.
//!
//! A policy sees a read-only view and returns a choice; the stage acts on it and emits the event. Its memory lives in
//! itself and is plain data, so that the machine can be copied and rewound. No policy knows another.
//!
//! # Adding a policy
//! Write the file in its family's folder, add its row to the family's table (the `policies!` lines), and give it a name in
//! `config/technique.rs` if people are to choose it by one. Menus, the command line and the tests follow the tables.

pub mod dispatch;
pub mod divergence;
pub mod fetch;
pub mod gang;
pub mod gating;
pub mod schedule;
pub mod view;
pub mod warp_set;
