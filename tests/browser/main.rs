//! Tests that need a real browser, as one program: `./check test-wasm`.
#![cfg(target_arch = "wasm32")]

mod api;
mod event_hashes;
mod golden;
#[path = "../shared/hashes.rs"]
mod hashes;
mod mount;
mod plots;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
