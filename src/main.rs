//! Two faces of one library: on wasm32 the page, elsewhere the command line.

#[cfg(target_arch = "wasm32")]
fn main() {
    warpscope::web::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    warpscope::cli::main()
}
