//! Listeners to events that happen anywhere in the window. Each is removed with the component that added it.

use gloo_events::{EventListener, EventListenerOptions};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, Window};
use yew::prelude::*;

/// Calls the newest `act` on each of these events in the window, as long as `listens`.
#[hook]
pub fn use_window_events(listens: bool, events: &'static [&'static str], act: impl Fn(&Event) + 'static) {
    use_listeners(listens, events, EventListenerOptions::default(), act);
}

/// Calls the newest `act` on each key press in the window. It may prevent the browser's own reaction.
#[hook]
pub fn use_window_keys(act: impl Fn(&KeyboardEvent) + 'static) {
    use_listeners(true, &["keydown"], EventListenerOptions::enable_prevent_default(), move |event: &Event| {
        if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
            act(event);
        }
    });
}

#[hook]
fn use_listeners(listens: bool, events: &'static [&'static str], options: EventListenerOptions, act: impl Fn(&Event) + 'static) {
    let act: Rc<dyn Fn(&Event)> = Rc::new(act);
    let newest = use_mut_ref(|| act.clone());
    *newest.borrow_mut() = act;
    use_effect_with(listens, move |listens| {
        let listener = |window: &Window, event: &'static str| {
            let newest = newest.clone();
            EventListener::new_with_options(window, event, options, move |event| {
                let act = newest.borrow().clone();
                act(event);
            })
        };
        let window = web_sys::window().filter(|_| *listens);
        let listeners: Vec<EventListener> =
            window.iter().flat_map(|window| events.iter().map(|event| listener(window, event))).collect();
        move || drop(listeners)
    });
}

/// Returns the nearest element around an event's target that matches a CSS selector.
pub fn closest(event: &Event, selector: &str) -> Option<Element> {
    event.target_dyn_into::<Element>()?.closest(selector).ok().flatten()
}
