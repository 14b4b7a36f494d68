pub mod launch;
pub mod program;
pub mod ptx;
