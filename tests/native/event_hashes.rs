//! The same kernel, launch and configuration give the same events, here, on other machines and in the browser
//! (`browser/event_hashes.rs`): every workload's event stream hashes to the numbers in
//! `tests/golden/event_hashes.txt` and `event_hashes_full.txt`.
//!
//! A change of the machine's timing changes the numbers. If that is intended, `WARPSCOPE_BLESS=1 cargo test --test native
//! event_hashes` writes the new ones.

use crate::hashes;

#[test]
fn events_are_the_committed_ones() {
    let mut found = [String::new(), String::new()];
    for lines in hashes::found() {
        for (found, line) in found.iter_mut().zip(lines) {
            *found += &line;
        }
    }
    if std::env::var_os("WARPSCOPE_BLESS").is_some() {
        for (name, found) in ["event_hashes.txt", "event_hashes_full.txt"].into_iter().zip(&found) {
            let path = crate::common::tests("golden").join(name);
            std::fs::write(&path, found).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        return;
    }
    let meant = "was a change of timing meant? WARPSCOPE_BLESS=1 cargo test --test native event_hashes";
    assert_eq!(found[0], hashes::COMMITTED[0], "{meant}");
    assert_eq!(found[1], hashes::COMMITTED[1], "the timing is the same, but events tell of it otherwise; {meant}");
}
