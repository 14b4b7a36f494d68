//! Light or dark. `www/theme.js` decides before the first drawing; from then on the button does, and its choice is kept.

use super::storage;
use yew::prelude::*;

const KEY: &str = "warpscope.theme";

/// The button that changes between light and dark.
#[component]
pub fn ThemeButton() -> Html {
    let dark = use_state(is_dark);
    let onclick = {
        let dark = dark.clone();
        Callback::from(move |_: MouseEvent| {
            let now = !*dark;
            apply(now);
            dark.set(now);
        })
    };
    let title = if *dark { "Change to light" } else { "Change to dark" };
    html! { <button type="button" class="theme" {title} aria-label={title} {onclick}>{ "◐" }</button> }
}

fn root() -> Option<web_sys::Element> {
    web_sys::window()?.document()?.document_element()
}

fn is_dark() -> bool {
    root().and_then(|root| root.get_attribute("data-theme")).as_deref() == Some("dark")
}

fn apply(dark: bool) {
    let name = if dark { "dark" } else { "light" };
    if let Some(root) = root() {
        let _ = root.set_attribute("data-theme", name);
    }
    storage::save(KEY, name);
}
