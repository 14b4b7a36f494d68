//! The short texts that come with kernels: paragraphs, lists and code in Markdown, drawn as elements.
//!
//! Only what those texts use is known. Text becomes text nodes, never markup.

use yew::prelude::*;

pub fn prose(markdown: &str) -> Html {
    markdown.split("\n\n").map(str::trim).filter(|block| !block.is_empty()).map(block).collect()
}

fn block(text: &str) -> Html {
    if let Some(heading) = text.strip_prefix('#') {
        return html! { <h3>{ inline(heading.trim_start_matches('#').trim()) }</h3> };
    }
    if text.starts_with("- ") {
        let items = text.strip_prefix("- ").unwrap_or(text).split("\n- ");
        return html! { <ul>{ for items.map(|item| html! { <li>{ inline(item) }</li> }) }</ul> };
    }
    html! { <p>{ inline(text) }</p> }
}

/// `code` and **strong** inside a paragraph.
pub fn inline(text: &str) -> Html {
    let mut parts = Vec::new();
    // Every odd piece between back quotes is code; every odd piece between double asterisks is strong.
    for (index, piece) in text.split('`').enumerate() {
        if index % 2 == 1 {
            parts.push(html! { <code>{ piece }</code> });
            continue;
        }
        for (index, piece) in piece.split("**").enumerate() {
            parts.push(if index % 2 == 1 {
                html! { <strong>{ piece }</strong> }
            } else {
                html! { { piece } }
            });
        }
    }
    parts.into_iter().collect()
}
