//! Animation frames, and what goes on from one to the next.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::MediaQueryList;

/// Milliseconds by the page's clock.
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

thread_local! {
    /// The question is asked once; the answer follows the person's settings.
    static LESS_MOTION: Option<MediaQueryList> =
        web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
}

/// Whether the person has not asked for less motion.
pub fn motion_allowed() -> bool {
    LESS_MOTION.with(|query| !query.as_ref().is_some_and(|query| query.matches()))
}

/// Calls something once a frame until it says that it is done, or until this is dropped.
pub struct Frames {
    alive: Rc<Cell<bool>>,
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.alive.set(false);
    }
}

type FrameCallback = Closure<dyn FnMut(f64)>;

impl Frames {
    /// `each` gets the frame's time and returns whether it wants another.
    pub fn start(mut each: impl FnMut(f64) -> bool + 'static) -> Frames {
        let alive = Rc::new(Cell::new(true));
        let callback: Rc<RefCell<Option<FrameCallback>>> = Rc::default();
        let (again, going) = (callback.clone(), alive.clone());
        *callback.borrow_mut() = Some(Closure::new(move |time: f64| {
            if going.get() && each(time) {
                request(&again);
            } else {
                // The closure is in use: it is let go of in a later task.
                let done = again.clone();
                gloo_timers::callback::Timeout::new(0, move || drop(done.borrow_mut().take())).forget();
            }
        }));
        request(&callback);
        Frames { alive }
    }
}

fn request(callback: &Rc<RefCell<Option<FrameCallback>>>) {
    if let (Some(window), Some(callback)) = (web_sys::window(), callback.borrow().as_ref()) {
        let _ = window.request_animation_frame(callback.as_ref().unchecked_ref());
    }
}
