//! The machine's events in the browser are those of a native run (`native/event_hashes.rs`).

use crate::hashes;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn events_are_the_committed_ones() {
    assert_eq!(hashes::found(), hashes::COMMITTED);
}
