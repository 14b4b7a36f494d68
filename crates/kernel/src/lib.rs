//! What a kernel means: from the texts that a person gives to the memory that a run leaves, without any machine.
//!
//! - [`ptx`] reads PTX into a typed module, with every problem of the text.
//! - [`launch`] reads launch files: grid, block, parameters, buffers; [`document`] is its way from TOML to structs.
//! - [`program`] makes a kernel ready to run: calls inlined, control flow analysed, passes that rewrite it.
//! - [`interp`] is what an instruction does to lanes and memory, and the scalar reference, which runs a whole kernel.
//!
//! This crate stands at the bottom: it depends on no other crate of Warpscope.
//!
//! ```
//! use warpscope_kernel::interp::{job::Job, reference};
//! use warpscope_kernel::{launch::Launch, program};
//!
//! let ptx = "
//!     .version 8.0
//!     .target sm_80
//!     .address_size 64
//!     .visible .entry numbers(.param .u64 out)
//!     {
//!         .reg .b32 %r<2>;
//!         .reg .b64 %rd<4>;
//!         ld.param.u64 %rd1, [out];
//!         mov.u32 %r1, %tid.x;
//!         mul.wide.u32 %rd2, %r1, 4;
//!         add.s64 %rd3, %rd1, %rd2;
//!         st.global.u32 [%rd3], %r1;
//!         ret;
//!     }";
//! let launch = Launch::parse("grid = [1]\nblock = [4]\n[[param]]\nbuffer = 'out'\ntype = 'u32'\nlen = 4\n").expect("a launch");
//! let program = program::load(ptx, None).expect("a kernel");
//! let job = Job::bind(program, launch, &|_| Err("no files".to_string())).expect("buffers");
//! let run = reference::run(&job.program, &job.start(32, 1).expect("a launch that fits"), 1_000);
//! assert_eq!(job.after(&run.global)[0].bytes[8], 2, "thread 2 wrote its number");
//! ```

#![warn(missing_docs)]

pub mod document;
pub mod interp;
pub mod launch;
pub mod program;
pub mod ptx;
