//! Light or dark. `www/theme.js` decides before the first drawing; from then on the button does, and its choice is kept.

use super::storage;
use crate::scene::Theme;

const KEY: &str = "warpscope.theme";

/// What the page shows now.
pub fn current() -> Theme {
    match root().and_then(|root| root.get_attribute("data-theme")).as_deref() {
        Some("dark") => Theme::Dark,
        _ => Theme::Light,
    }
}

pub fn other(theme: Theme) -> Theme {
    match theme {
        Theme::Light => Theme::Dark,
        Theme::Dark => Theme::Light,
    }
}

/// Changes the page, and remembers it.
pub fn apply(theme: Theme) {
    let name = match theme {
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    if let Some(root) = root() {
        let _ = root.set_attribute("data-theme", name);
    }
    storage::save(KEY, name);
}

fn root() -> Option<web_sys::Element> {
    web_sys::window()?.document()?.document_element()
}
