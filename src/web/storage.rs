//! What the browser remembers for the page: light or dark, and the texts a person changed.
//!
//! Storage may be full or forbidden; then nothing is remembered, and that is all.

use serde::{Deserialize, Serialize};

const DRAFT: &str = "warpscope.draft";

/// What a person had on the page, kept over a reload or a fault of the page.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The catalogue's kernel that the texts started from.
    pub origin: Option<String>,
    /// With its full launch, not the small one.
    pub full: bool,
    /// The texts, where they are not the catalogue's.
    pub texts: Option<Texts>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Texts {
    pub ptx: String,
    pub launch: String,
}

impl Draft {
    pub fn load() -> Option<Draft> {
        serde_json::from_str(&storage()?.get_item(DRAFT).ok()??).ok()
    }

    pub fn save(&self) {
        if let Ok(text) = serde_json::to_string(self) {
            save(DRAFT, &text);
        }
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
