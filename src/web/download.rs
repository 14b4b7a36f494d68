//! Downloads files from the page, and names them.

use gloo_timers::callback::Timeout;
use js_sys::Array;
use warpscope_lab::{Lab, MachineSpec, Origin, Stage};
use warpscope_pictures::plot::file_name;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Time that the browser has to fetch a file before its address is revoked, in milliseconds.
const FETCH_MS: u32 = 10_000;

/// Returns the line below a picture: which kernel and launch ran on which machine.
pub fn caption(lab: &Lab, stage: &Stage) -> String {
    let (setup, origin) = lab.shown();
    let catalogue = |origin: &Origin| *origin.launch() == *stage.launch && *origin.workload.ptx == *stage.listing.ptx;
    let size = match origin.map(|origin| (catalogue(&origin), origin.size)) {
        Some((true, size)) => format!(" ({})", size.title()),
        Some((false, _)) => " (edited)".to_string(),
        None => String::new(),
    };
    format!("{}{size}, {}", kernel(lab, stage), setup.words())
}

/// Returns the file name of a picture of the run.
pub fn name(lab: &Lab, stage: &Stage, figure: &str, ending: &str) -> String {
    let MachineSpec { preset, technique, .. } = lab.shown().0;
    file_name(kernel(lab, stage), if technique.is_empty() { preset } else { technique }, figure, ending)
}

fn kernel<'a>(lab: &'a Lab, stage: &'a Stage) -> &'a str {
    lab.shown().1.map_or(&*stage.kernel, |origin| origin.workload.name)
}

/// Returns an SVG picture as a data URL.
pub fn address(svg: &str) -> String {
    format!("data:image/svg+xml,{}", String::from(js_sys::encode_uri_component(svg)))
}

/// Downloads a text as a file of a media type.
pub fn save_text(name: &str, media: &str, text: &str) {
    let options = BlobPropertyBag::new();
    options.set_type(media);
    let parts = Array::of1(&JsValue::from_str(text));
    if let Ok(blob) = Blob::new_with_str_sequence_and_options(&parts, &options) {
        save(name, &blob);
    }
}

/// Downloads a blob as a file.
pub fn save(name: &str, blob: &Blob) {
    let Ok(address) = Url::create_object_url_with_blob(blob) else { return };
    let _ = click(name, &address);
    Timeout::new(FETCH_MS, move || {
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
}

/// Clicks a temporary download link.
fn click(name: &str, address: &str) -> Option<()> {
    let document = web_sys::window()?.document()?;
    let link = document.create_element("a").ok()?.dyn_into::<HtmlAnchorElement>().ok()?;
    link.set_href(address);
    link.set_download(name);
    let body = document.body()?;
    body.append_child(&link).ok()?;
    link.click();
    body.remove_child(&link).ok().map(drop)
}
