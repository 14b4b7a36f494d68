//! Tooltips: shown when their element is pointed at, focused or tapped.
//!
//! An element has its tooltip in `data-tip`. One box on the page shows it; the box is moved and filled without rendering the
//! page again. A canvas has no elements to point at and shows its tooltips through [`show`].

use super::listening::{closest, use_window_events};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

pub const BOX: &str = "tip";
/// Space between the box and its element, and between the box and the window's edge, in pixels.
const GAP: f64 = 6.0;

/// Renders a term with a tooltip, as a button, so that touch and the keyboard reach it too.
pub fn term(word: Html, tip: impl Into<AttrValue>) -> Html {
    html! { <button type="button" class="term" data-tip={tip.into()} aria-describedby={BOX}>{ word }</button> }
}

/// The tooltip box, hidden until there is a tooltip to show.
#[component]
pub fn Tips() -> Html {
    use_window_events(true, &["pointerover", "focusin", "click"], |event| {
        if event.target_dyn_into::<Element>().is_some_and(|target| target.tag_name() == "CANVAS") {
            return;
        }
        let explained = closest(event, "[data-tip]");
        match explained.and_then(|element| Some((element.get_attribute("data-tip")?, element.get_bounding_client_rect()))) {
            Some((text, place)) => show(&text, place.left(), place.top(), place.bottom()),
            None => hide(),
        }
    });
    use_window_events(true, &["focusout", "keydown", "wheel", "resize"], |_| hide());
    html! { <div id={BOX} role="tooltip" hidden=true></div> }
}

fn tip_box() -> Option<HtmlElement> {
    web_sys::window()?.document()?.get_element_by_id(BOX)?.dyn_into().ok()
}

pub fn hide() {
    if let Some(tip) = tip_box() {
        tip.set_hidden(true);
    }
}

/// Shows a text below the part of the window between `top` and `bottom`, or above it if there is no room.
pub fn show(text: &str, left: f64, top: f64, bottom: f64) {
    let root = web_sys::window().and_then(|window| window.document()?.document_element());
    let (Some(tip), Some(root)) = (tip_box(), root) else { return };
    tip.set_text_content(Some(text));
    tip.set_hidden(false);
    let (width, height) = (f64::from(tip.offset_width()), f64::from(tip.offset_height()));
    let (wide, tall) = (f64::from(root.client_width()), f64::from(root.client_height()));
    let x = left.min(wide - width - GAP).max(GAP);
    let below = bottom + GAP;
    let y = if below + height + GAP <= tall { below } else { (top - GAP - height).max(GAP) };
    let _ = tip.style().set_property("left", &format!("{x}px"));
    let _ = tip.style().set_property("top", &format!("{y}px"));
}
