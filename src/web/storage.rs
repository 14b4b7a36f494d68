//! What the browser stores for the page: the theme, the texts and the machine, the sizes of the panels.
//!
//! Storage may be full or forbidden; then nothing is stored, without an error.

use serde::Serialize;
use serde::de::DeserializeOwned;
use warpscope_lab::{Texts, Visit};

const VISIT: &str = "warpscope.visit";
const OWN: &str = "warpscope.own";

/// Loads the last visit; `None` if it cannot be parsed or has no kernel.
pub fn load_visit() -> Option<Visit> {
    load_json(VISIT).filter(Visit::has_kernel)
}

pub fn save_visit(visit: &Visit) {
    save_json(VISIT, visit);
}

/// Loads the user's own texts that were kept while another kernel was loaded.
pub fn load_own() -> Option<Texts> {
    load_json(OWN)
}

pub fn save_own(own: &Texts) {
    save_json(OWN, own);
}

/// Returns the value stored as JSON under `key`; `None` if it is another type's.
pub fn load_json<T: DeserializeOwned>(key: &str) -> Option<T> {
    serde_json::from_str(&load(key)?).ok()
}

/// Stores `value` as JSON under `key`.
pub fn save_json<T: Serialize>(key: &str, value: &T) {
    if let Ok(text) = serde_json::to_string(value) {
        save(key, &text);
    }
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
