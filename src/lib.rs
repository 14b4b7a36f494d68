//! Warpscope: a laboratory for GPU divergence. This crate has its two faces, the browser page and the command line.
//!
//! A kernel in PTX and a launch go in, and the kernel runs; the faces show that run. What they show comes from the crates of this
//! workspace, each of which depends only on those above it: `warpscope-kernel` (what a kernel means), `warpscope-catalogue` (the
//! kernels that come with it), `warpscope-machine` (what a cycle does), `warpscope-pictures` (what a person sees of it),
//! `warpscope-study` (what is learned from runs) and `warpscope-lab` (the page's state). Only the faces know files, clocks,
//! threads and browsers. `ARCHITECTURE.md` explains how all this fits together.

#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
#[cfg(target_arch = "wasm32")]
pub mod web;
