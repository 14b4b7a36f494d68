//! Explanations beside what they explain: shown when it is pointed at, focused or tapped.
//!
//! An element says its explanation in `data-tip`. One box on the page shows it; it is moved and filled without drawing the page
//! again. A canvas has no elements to point at and shows its explanations through [`show`].

use super::app::listen;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

pub const BOX: &str = "tip";
/// Space between the box and what it explains, and between the box and the window's edge, in pixels.
const GAP: f64 = 6.0;

/// A word with an explanation: a button, so that a finger and the keyboard come to it too.
pub fn term(word: Html, tip: impl Into<AttrValue>) -> Html {
    html! { <button type="button" class="term" data-tip={tip.into()} aria-describedby={BOX}>{ word }</button> }
}

/// The box, hidden until there is something to explain.
#[component]
pub fn Tips() -> Html {
    use_effect_with((), |()| {
        let callback = Closure::<dyn FnMut(web_sys::Event)>::new(|event: web_sys::Event| {
            let target = event.target_dyn_into::<Element>();
            if target.as_ref().is_some_and(|target| target.tag_name() == "CANVAS") {
                return;
            }
            let explained = target.and_then(|target| target.closest("[data-tip]").ok().flatten());
            match explained.and_then(|element| Some((element.get_attribute("data-tip")?, element.get_bounding_client_rect()))) {
                Some((text, place)) => show(&text, place.left(), place.top(), place.bottom()),
                None => hide(),
            }
        });
        for event in ["pointerover", "focusin", "click"] {
            listen(event, &callback);
        }
        let gone = Closure::<dyn FnMut()>::new(hide);
        for event in ["focusout", "keydown", "wheel", "resize"] {
            listen(event, &gone);
        }
        move || drop((callback, gone))
    });
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

/// Shows a text below what lies between `top` and `bottom` in the window, or above it where there is no room.
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
