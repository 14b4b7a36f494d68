//! Icons of buttons as SVG paths, so that they look the same with every font.

use yew::prelude::*;

const BAR_LEFT: &str = "M3 3h2v10H3z";
const BAR_RIGHT: &str = "M11 3h2v10h-2z";

pub fn start() -> Html {
    sign(&[BAR_LEFT, "M13 3v10L6 8z"])
}

pub fn end() -> Html {
    sign(&[BAR_RIGHT, "M3 3v10l7-5z"])
}

pub fn back() -> Html {
    sign(&["M10 3v10L3 8z", "M11.5 3h1.5v10h-1.5z"])
}

pub fn step() -> Html {
    sign(&["M6 3v10l7-5z", "M3 3h1.5v10H3z"])
}

pub fn play() -> Html {
    sign(&["M4 2v12l10-6z"])
}

pub fn pause() -> Html {
    sign(&["M4 3h3v10H4z", "M9 3h3v10H9z"])
}

/// Previous event: an arrow towards a mark.
pub fn previous() -> Html {
    sign(&["M3 8l4-4v3h6v2H7v3z", "M2 4.5h1.2v7H2z"])
}

pub fn next() -> Html {
    sign(&["M13 8L9 4v3H3v2h6v3z", "M12.8 4.5H14v7h-1.2z"])
}

/// Two columns.
pub fn beside() -> Html {
    sign(&["M2 3h5v10H2z", "M9 3h5v10H9z"])
}

fn sign(paths: &[&'static str]) -> Html {
    html! {
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" fill="currentColor">
            { for paths.iter().map(|d| html! { <path d={*d} /> }) }
        </svg>
    }
}
