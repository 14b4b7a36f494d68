//! The light or dark theme. `www/theme.js` sets it before the first render; later the button does, and the choice is stored.

use super::storage;
use warpscope_pictures::scene::Theme;

const KEY: &str = "warpscope.theme";

/// Returns the theme that the page shows.
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

/// Applies a theme to the page, and stores it.
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
