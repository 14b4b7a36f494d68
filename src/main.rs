//! Entry point of both front ends: the web page on wasm32, the command line elsewhere.

#[cfg(target_arch = "wasm32")]
fn main() {
    warpscope::web::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    warpscope::cli::main()
}
