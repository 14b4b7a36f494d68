//! The problems of a text as a list under its editor; a click goes to the place.

use yew::prelude::*;

use warpscope_lab::{Finding, TextSpot};

/// Most findings that are listed; the rest are counted.
const MOST: usize = 100;

pub fn findings(id: &'static str, label: &'static str, all: &[Finding], ongo: &Callback<TextSpot>) -> Html {
    if all.is_empty() {
        return Html::default();
    }
    let rest = all.len().saturating_sub(MOST);
    html! {
        <ol {id} class="findings" aria-label={label}>
            { for all.iter().take(MOST).map(|finding| item(finding, ongo)) }
            if rest > 0 {
                <li class="status">{ format!("and {rest} more") }</li>
            }
        </ol>
    }
}

fn item(finding: &Finding, ongo: &Callback<TextSpot>) -> Html {
    let place = finding.place;
    let onclick = place.map(|spot| ongo.reform(move |_: MouseEvent| spot));
    html! {
        <li>
            <button type="button" {onclick}>
                <span class="place">{ place.map_or_else(String::new, |spot| format!("{}:{}", spot.line, spot.column)) }</span>
                <span class="message">{ &finding.message }</span>
                if let Some(help) = &finding.help {
                    <span class="help">{ help }</span>
                }
            </button>
        </li>
    }
}
