//! What the browser stores for the page: the theme, the texts and the machine, the sizes of the panels.
//!
//! Storage may be full or forbidden; then nothing is stored, without an error.

use crate::lab::{Link, Texts};

const DRAFT: &str = "warpscope.draft";
const OWN: &str = "warpscope.own";

/// Loads the last visit's draft; `None` if it cannot be parsed or has no kernel.
pub fn load_draft() -> Option<Link> {
    Link::recall(&load(DRAFT)?).ok()?.filter(|draft| draft.kernel.is_some() || draft.texts.is_some())
}

/// Loads the user's own texts that were kept while another kernel was loaded.
pub fn load_own() -> Option<Texts> {
    Link::recall(&load(OWN)?).ok()??.texts
}

pub fn save_own(own: &Texts) {
    save(OWN, &Link { texts: Some(own.clone()), ..Link::default() }.write());
}

pub fn save_draft(draft: &Link) {
    save(DRAFT, &draft.write());
}

/// Returns the value stored under `key`.
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
