//! Loads the page again when it has been built anew. Only development builds have this: `./serve` tells them by a web socket.
//!
//! The address bar and the visit hold what is on the page, so the new page comes up in the same state.

use serde::Deserialize;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{MessageEvent, WebSocket};

/// Where Trunk's server listens, beside the page.
const SOCKET: &str = ".well-known/trunk/ws";

/// What the server says.
#[derive(Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "camelCase")]
enum Told {
    Reload,
    BuildFailure { reason: String },
}

/// Listens for as long as the page is there. Another server has no such socket; then nothing happens.
pub fn reload_when_rebuilt() {
    let Some(location) = web_sys::window().map(|window| window.location()) else { return };
    let Some(socket) = location.host().ok().and_then(|host| WebSocket::new(&format!("ws://{host}/{SOCKET}")).ok()) else {
        return;
    };
    let act = move |event: MessageEvent| {
        let told = event.data().as_string().and_then(|text| serde_json::from_str(&text).ok());
        match told {
            // There is nothing to do about a failure here.
            Some(Told::Reload) => drop(location.reload()),
            Some(Told::BuildFailure { reason }) => web_sys::console::error_1(&format!("not built: {reason}").into()),
            None => {}
        }
    };
    let act = Closure::<dyn FnMut(MessageEvent)>::new(act);
    socket.set_onmessage(Some(act.as_ref().unchecked_ref()));
    act.forget();
}
