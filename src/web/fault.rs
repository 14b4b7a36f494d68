//! Panics of the page: the reason goes to the console and into a message that `index.html` contains, hidden until then.
//!
//! A panic ends the wasm module for good, so the message, with its buttons, is plain HTML and JavaScript.

/// Installs the panic hook through Yew, which would replace any other hook by its own.
pub fn show_panics() {
    yew::set_custom_panic_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        show(&info.to_string());
    }));
}

fn show(reason: &str) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    if let Some(text) = document.get_element_by_id("fault-text") {
        text.set_text_content(Some(reason));
    }
    if let Some(message) = document.get_element_by_id("fault") {
        // There is nothing to do about a failure here.
        let _ = message.remove_attribute("hidden");
    }
}
