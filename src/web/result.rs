//! What a run left behind.

use yew::prelude::*;

#[component]
pub fn ResultPanel() -> Html {
    html! {
        <section class="panel" aria-label="Result">
            <header><h2>{ "Result" }</h2></header>
            <p class="empty"><strong>{ "Nothing has run yet" }</strong>{ "A run's buffers and output will stand here." }</p>
        </section>
    }
}
