//! The machine emits the same events in the browser as natively (`native/event_hashes.rs`).

use crate::hashes;
use std::time::Duration;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn events_are_the_committed_ones() {
    let mut found = [String::new(), String::new()];
    for lines in hashes::found() {
        found.iter_mut().zip(lines).for_each(|(found, line)| *found += &line);
        // A page that does not answer for long would be taken for one that has crashed.
        gloo_timers::future::sleep(Duration::ZERO).await;
    }
    assert_eq!(found, hashes::COMMITTED);
}
