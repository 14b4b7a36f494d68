//! Links to what the page shows: reads them from the address bar, writes them there and to the clipboard.

use super::handle::Handle;
use warpscope_lab::{Link, LinkError, Notice};
use yew::platform::spawn_local;

/// Returns the link in the address bar, if there is one.
pub fn opened() -> Result<Option<Link>, LinkError> {
    let fragment = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    Link::read(&fragment)
}

/// Writes the link into the address bar without loading it. Returns false, and removes any link, if it is too long.
pub fn write(link: &Link) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let fragment = link.write();
    let is_short = Link::is_short(&fragment);
    let address = if is_short { format!("#{fragment}") } else { window.location().pathname().unwrap_or_default() };
    if let Ok(history) = window.history() {
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
    }
    is_short
}

/// Removes the link from the address bar while the user types, so that a reload restores the visit and not an older text.
pub fn forget() {
    if let Ok(Some(Link { embed: false, .. })) = opened() {
        write(&Link::default());
    }
}

/// Copies a link to what the page shows to the clipboard.
pub fn copy(handle: &Handle) {
    let Some(window) = web_sys::window() else { return };
    let mut link = handle.read(|lab| lab.link());
    link.embed = opened().ok().flatten().is_some_and(|link| link.embed);
    if !write(&link) {
        let text = "These texts are too long for a link; send them as files.";
        return handle.act(|lab| lab.notice = Some(Notice::bad(text)));
    }
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
