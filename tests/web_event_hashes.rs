//! The machine's events in the browser are those of a native run (`event_hashes.rs`).
#![cfg(target_arch = "wasm32")]

mod hashes;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn events_are_the_committed_ones() {
    assert_eq!(hashes::found(), hashes::COMMITTED);
}
