//! The same kernel, launch and configuration give the same events, here, on other machines and in the browser
//! (`browser/event_hashes.rs`): every workload's event stream hashes to the number in `tests/golden/event_hashes.txt`.
//!
//! A change of the machine's timing changes the numbers. If that is intended, `WARPSCOPE_BLESS=1 cargo test --test native
//! event_hashes` writes the new ones.

use crate::hashes;

#[test]
fn events_are_the_committed_ones() {
    let found: String = hashes::found().collect();
    if std::env::var_os("WARPSCOPE_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/event_hashes.txt");
        std::fs::write(path, &found).unwrap_or_else(|error| panic!("{path}: {error}"));
        return;
    }
    let committed = hashes::COMMITTED;
    assert_eq!(found, committed, "was a change of timing meant? WARPSCOPE_BLESS=1 cargo test --test native event_hashes");
}
