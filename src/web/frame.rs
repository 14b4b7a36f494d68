//! Work that is repeated in animation frames or in tasks.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MediaQueryList, MessageChannel};

/// Returns the time of the page's clock, in milliseconds.
pub fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}

thread_local! {
    /// The query is made once; its result follows the system's setting.
    static LESS_MOTION: Option<MediaQueryList> =
        web_sys::window().and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten());
}

/// Returns whether the system does not ask for reduced motion.
pub fn motion_allowed() -> bool {
    LESS_MOTION.with(|query| !query.as_ref().is_some_and(|query| query.matches()))
}

/// The interval between two calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Every {
    /// An animation frame: for what the user sees.
    Frame,
    /// A task, queued behind the browser's other tasks: for work.
    Task,
}

/// Calls a closure repeatedly, until it returns false or until this is dropped.
pub struct Frames {
    alive: Rc<Cell<bool>>,
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.alive.set(false);
    }
}

type Callback = Closure<dyn FnMut()>;

impl Frames {
    /// Calls `each` once a frame, as long as it returns true.
    pub fn start(each: impl FnMut() -> bool + 'static) -> Frames {
        Frames::every(Every::Frame, each)
    }

    pub fn every(every: Every, mut each: impl FnMut() -> bool + 'static) -> Frames {
        let alive = Rc::new(Cell::new(true));
        // A message is delivered after the tasks that are already queued; a timer would wait for longer.
        let channel = if every == Every::Task { MessageChannel::new().ok() } else { None };
        let callback: Rc<RefCell<Option<Callback>>> = Rc::default();
        let (again, going, to) = (callback.clone(), alive.clone(), channel.clone());
        *callback.borrow_mut() = Some(Closure::new(move || {
            if going.get() && each() {
                request(&again, to.as_ref());
            } else {
                // The closure is running: a later task drops it.
                let done = again.clone();
                gloo_timers::callback::Timeout::new(0, move || drop(done.borrow_mut().take())).forget();
            }
        }));
        if let (Some(channel), Some(callback)) = (&channel, callback.borrow().as_ref()) {
            channel.port1().set_onmessage(Some(callback.as_ref().unchecked_ref()));
        }
        request(&callback, channel.as_ref());
        Frames { alive }
    }
}

fn request(callback: &Rc<RefCell<Option<Callback>>>, channel: Option<&MessageChannel>) {
    if let Some(channel) = channel {
        let _ = channel.port2().post_message(&JsValue::NULL);
    } else if let (Some(window), Some(callback)) = (web_sys::window(), callback.borrow().as_ref()) {
        let _ = window.request_animation_frame(callback.as_ref().unchecked_ref());
    }
}
