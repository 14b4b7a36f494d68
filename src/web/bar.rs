//! The bar at the top: what the page is, and its controls.

use yew::prelude::*;

use super::theme::ThemeButton;

#[component]
pub fn Bar() -> Html {
    html! {
        <header class="bar">
            <h1 class="brand"><i class="brand-mark" aria-hidden="true"></i>{ "Warpscope" }</h1>
            <span class="push"></span>
            <ThemeButton />
        </header>
    }
}
