//! The other thread: runs kernels where they can neither freeze the page nor take it down.
//!
//! `www/worker.mjs` loads this same wasm module into a Web Worker and calls [`run_kernel`] for every message. A run that
//! takes too long is ended with its worker, and a fault of the simulator ends the worker alone. Orders and outcomes travel
//! as JSON.

use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use super::desk::{self, Ending, Order, Outcome};

/// Called in the worker: carries out an [`Order`] and answers with its [`Outcome`].
#[wasm_bindgen(js_name = runKernel)]
pub fn run_kernel(order: &str) -> String {
    let outcome = match serde_json::from_str::<Order>(order) {
        Ok(order) => desk::run(&order, || js_sys::Date::now() / 1e3),
        Err(error) => Ending::Failed(error.to_string()).into(),
    };
    serde_json::to_string(&outcome).unwrap_or_default()
}

/// A worker that is carrying out one order. It ends when this is dropped.
pub struct Run {
    worker: Worker,
    /// Kept for as long as the worker may call them.
    _answers: [Closure<dyn FnMut(JsValue)>; 2],
}

impl Run {
    /// Starts a worker on the order; `done` is called once, with the outcome.
    pub fn start(order: &Order, done: impl Fn(Outcome) + Clone + 'static) -> Result<Run, String> {
        let order = serde_json::to_string(order).map_err(|error| error.to_string())?;
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options("./worker.mjs", &options).map_err(readable)?;
        let answered = {
            let done = done.clone();
            Closure::new(move |event: JsValue| done(read_answer(event.unchecked_ref::<MessageEvent>())))
        };
        let failed = Closure::new(move |event: JsValue| {
            let message = event.dyn_ref::<ErrorEvent>().map_or_else(String::new, ErrorEvent::message);
            done(Ending::Failed(format!("the simulator has stopped, which is a fault of its own: {message}")).into());
        });
        worker.set_onmessage(Some(answered.as_ref().unchecked_ref()));
        worker.set_onerror(Some(failed.as_ref().unchecked_ref()));
        let message = js_sys::Object::new();
        for (key, value) in [("script", module_url("modulepreload")?), ("module", module_url("preload")?), ("order", order)] {
            js_sys::Reflect::set(&message, &key.into(), &value.into()).map_err(readable)?;
        }
        worker.post_message(&message).map_err(readable)?;
        Ok(Run { worker, _answers: [answered, failed] })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn read_answer(event: &MessageEvent) -> Outcome {
    let text = event.data().as_string().unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_else(|error| Ending::Failed(format!("the worker's answer: {error}")).into())
}

/// Where this module's script and wasm lie: their names carry a hash, and the page's head knows them.
fn module_url(relation: &str) -> Result<String, String> {
    let document = web_sys::window().and_then(|window| window.document());
    let link = document.and_then(|document| document.query_selector(&format!("link[rel={relation}]")).ok().flatten());
    let base = web_sys::window().and_then(|window| window.location().href().ok());
    let (Some(href), Some(base)) = (link.and_then(|link| link.get_attribute("href")), base) else {
        return Err("the page does not say where its own module lies".into());
    };
    web_sys::Url::new_with_base(&href, &base).map(|url| url.href()).map_err(readable)
}

fn readable(error: JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}
