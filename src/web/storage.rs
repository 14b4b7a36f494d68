//! What the browser remembers for the page: light or dark, the texts and the machine, how wide the panels are.
//!
//! Storage may be full or forbidden; then nothing is remembered, and that is all.

use crate::lab::{Link, Texts};

const DRAFT: &str = "warpscope.draft";
const OWN: &str = "warpscope.own";

/// What the last visit left; one that cannot be read, or that names no kernel, is as good as none.
pub fn load_draft() -> Option<Link> {
    Link::recall(&load(DRAFT)?).ok()?.filter(|draft| draft.kernel.is_some() || draft.texts.is_some())
}

/// Texts of one's own that were put by.
pub fn load_own() -> Option<Texts> {
    Link::recall(&load(OWN)?).ok()??.texts
}

pub fn save_own(own: &Texts) {
    save(OWN, &Link { texts: Some(own.clone()), ..Link::default() }.write());
}

pub fn save_draft(draft: &Link) {
    save(DRAFT, &draft.write());
}

/// What is stored under `key`.
pub fn load(key: &str) -> Option<String> {
    storage()?.get_item(key).ok()?
}

/// Stores `value` under `key`.
pub fn save(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok()?
}
