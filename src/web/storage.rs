//! What the browser remembers for the page: light or dark, the texts and the machine, how wide the panels are.
//!
//! Storage may be full or forbidden; then nothing is remembered, and that is all.

use crate::lab::Draft;
use serde::Serialize;
use serde::de::DeserializeOwned;

const DRAFT: &str = "warpscope.draft";

pub fn load_draft() -> Option<Draft> {
    load(DRAFT)
}

pub fn save_draft(draft: &Draft) {
    save_as(DRAFT, draft);
}

/// What is stored under `key`, if it can be read.
pub fn load<T: DeserializeOwned>(key: &str) -> Option<T> {
    serde_json::from_str(&storage()?.get_item(key).ok()??).ok()
}

pub fn save_as<T: Serialize>(key: &str, value: &T) {
    if let Ok(text) = serde_json::to_string(value) {
        save(key, &text);
    }
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
