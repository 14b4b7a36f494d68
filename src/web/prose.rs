//! Renders the short Markdown texts of kernels and lessons: headings, paragraphs, lists and code.
//!
//! Only the syntax that those texts use is supported. Text becomes text nodes, never markup.

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

/// Renders `code`, **strong** and *emphasis* inside a paragraph.
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
                emphasis(piece)
            });
        }
    }
    parts.into_iter().collect()
}

/// Renders text between two asterisks as emphasis, unless it begins or ends with a space, as in a product.
fn emphasis(text: &str) -> Html {
    let found = text.match_indices('*').find_map(|(start, _)| {
        let rest = &text[start + 1..];
        let end = rest.find('*')?;
        let inside = &rest[..end];
        (!inside.is_empty() && inside.trim() == inside).then_some((start, inside))
    });
    let Some((start, inside)) = found else { return html! { { text } } };
    let rest = &text[start + inside.len() + 2..];
    html! { <>{ &text[..start] }<em>{ inside }</em>{ emphasis(rest) }</> }
}
