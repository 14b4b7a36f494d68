//! The length of films that the user has chosen, unless the system asks for reduced motion.

use super::frame::motion_allowed;
use super::storage;
use std::cell::Cell;
use warpscope_pictures::scene::{Motion, Pace, Script};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

const MOTION: &str = "warpscope.motion";

thread_local! {
    /// When the last film ends that tells an event.
    static UNTIL: Cell<f64> = const { Cell::new(0.0) };
    static CHOSEN: Cell<Motion> = Cell::new(storage::load(MOTION).and_then(|key| Motion::from_key(&key)).unwrap_or_default());
}

/// Returns the length of the film of a script, in milliseconds.
pub fn film_ms(pace: Pace, script: &Script) -> f64 {
    if motion_allowed() { CHOSEN.get().film_ms(pace, script) } else { 0.0 }
}

/// Returns whether steps and short jumps are animated.
pub fn is_wanted() -> bool {
    film_ms(Pace::Step, &Script::default()) > 0.0
}

/// Lets play wait for a film that ends at this time.
pub fn wait_for(end: f64) {
    UNTIL.set(UNTIL.get().max(end));
}

/// Returns whether play waits for a film that tells an event.
pub fn is_waited_for(time: f64) -> bool {
    time < UNTIL.get()
}

/// The menu for the length of films, which is stored.
#[component]
pub fn MotionMenu() -> Html {
    let chosen = use_state_eq(|| CHOSEN.get());
    let onchange = {
        let chosen = chosen.clone();
        Callback::from(move |event: Event| {
            let menu = event.target_dyn_into::<HtmlSelectElement>();
            if let Some(motion) = menu.and_then(|menu| Motion::from_key(&menu.value())) {
                storage::save(MOTION, motion.key());
                CHOSEN.set(motion);
                chosen.set(motion);
            }
        })
    };
    html! {
        <select id="motion" aria-label="Step animation" title="How long the animation of a single step takes" {onchange}>
            { for Motion::ALL.into_iter().map(|motion| html! {
                <option value={motion.key()} selected={motion == *chosen}>{ motion.label() }</option>
            }) }
        </select>
    }
}
