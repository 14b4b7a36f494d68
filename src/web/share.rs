//! Links to what is shown: in the address bar, on the clipboard, and from both.

use super::handle::Handle;
use crate::lab::{Link, LinkError, Notice};
use yew::platform::spawn_local;

/// The link in the address bar, if there is one.
pub fn opened() -> Result<Option<Link>, LinkError> {
    let fragment = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    Link::read(&fragment)
}

/// Writes the link into the address bar; nothing is loaded.
pub fn write(link: &Link) {
    let Some(window) = web_sys::window() else { return };
    let Ok(history) = window.history() else { return };
    let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&format!("#{}", link.write())));
}

/// Copies a link to what is shown now.
pub fn copy(handle: &Handle) {
    let Some(window) = web_sys::window() else { return };
    let mut link = handle.read(|lab| lab.link());
    link.embed = opened().ok().flatten().is_some_and(|link| link.embed);
    write(&link);
    let address = window.location().href().unwrap_or_default();
    let handle = handle.clone();
    spawn_local(async move {
        let written = wasm_bindgen_futures::JsFuture::from(window.navigator().clipboard().write_text(&address)).await;
        let text = match written {
            Ok(_) => "A link to this picture is on the clipboard.",
            Err(_) => "The link is in the address bar: copy it from there.",
        };
        handle.act(|lab| lab.notice = Some(Notice::good(text)));
    });
}
