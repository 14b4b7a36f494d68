//! A hook for files dropped on the page: `.toml` is a launch or a lesson, anything else PTX.

use gloo_file::futures::read_as_text;
use gloo_file::{File, FileList};
use yew::platform::spawn_local;
use yew::prelude::*;

use super::handle::Handle;
use warpscope_lab::{MOST_TEXT_BYTES, Notice, too_large};

/// The event handlers of the page's outermost element.
pub struct Dropping {
    /// A file is held over the page.
    pub over: bool,
    pub ondragover: Callback<DragEvent>,
    pub ondragleave: Callback<DragEvent>,
    pub ondrop: Callback<DragEvent>,
}

#[hook]
pub fn use_dropping(handle: Handle) -> Dropping {
    let over = use_state_eq(|| false);
    let holding = |holds: bool| {
        let over = over.clone();
        Callback::from(move |event: DragEvent| {
            if brings_files(&event) {
                // Without this the browser would leave the page and open the file.
                event.prevent_default();
                over.set(holds);
            }
        })
    };
    let ondrop = {
        let over = over.clone();
        Callback::from(move |event: DragEvent| {
            if !brings_files(&event) {
                return;
            }
            event.prevent_default();
            over.set(false);
            if let Some(files) = event.data_transfer().and_then(|data| data.files()) {
                for file in FileList::from(files).iter().cloned() {
                    take(file, handle.clone());
                }
            }
        })
    };
    Dropping { over: *over, ondragover: holding(true), ondragleave: holding(false), ondrop }
}

/// Returns whether a drag brings files; dragged text is left to the browser.
fn brings_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

fn take(file: File, handle: Handle) {
    if file.size() > MOST_TEXT_BYTES as u64 {
        let text = format!("{} {}.", file.name(), too_large(file.size()));
        handle.act(|lab| lab.notice = Some(Notice::bad(text)));
        return;
    }
    spawn_local(async move {
        // A file that is not text leaves replacement characters, which the parser reports.
        if let Ok(text) = read_as_text(&file).await {
            handle.act(|lab| lab.take_file(&file.name(), text));
        }
    });
}
