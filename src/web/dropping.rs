//! Files from the user's machine, dropped on the page or opened by a button: `.toml` is a launch or a lesson, anything else PTX.

use gloo_file::futures::read_as_text;
use gloo_file::{File, FileList};
use web_sys::HtmlInputElement;
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

#[derive(Properties, PartialEq)]
pub struct OpenProps {
    pub handle: Handle,
}

/// A button that opens files from the user's machine.
#[component]
pub fn OpenButton(props: &OpenProps) -> Html {
    let field = use_node_ref();
    let onclick = {
        let field = field.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(field) = field.cast::<HtmlInputElement>() {
                field.click();
            }
        })
    };
    let onchange = {
        let handle = props.handle.clone();
        Callback::from(move |event: Event| {
            let Some(field) = event.target_dyn_into::<HtmlInputElement>() else { return };
            if let Some(files) = field.files() {
                for file in FileList::from(files).iter().cloned() {
                    take(file, handle.clone());
                }
            }
            // So that the same file can be opened again after it was changed.
            field.set_value("");
        })
    };
    html! {
        <>
            <button type="button" class="plain" id="open-file" title="Opens a kernel (.ptx), a launch or a lesson (.toml) from this machine" {onclick}>{ "Open…" }</button>
            <input type="file" id="file" ref={field} hidden={true} multiple={true} accept=".ptx,.toml,.txt" aria-label="Open a file" {onchange} />
        </>
    }
}
