//! The page: a Yew application around the library, built for wasm32 alone.
//!
//! State lives in one place ([`state::State`]) and changes in one place (its reducer). A panel is a file: a function
//! component that draws a part of the state and dispatches [`state::Action`]s. Whatever asks the library for something
//! stands in [`desk`], which turns its answers into plain data in the reader's words; no panel calls the library itself.
//!
//! ```text
//!   app ─┬─ bar        kernel, launch size, run, light or dark
//!        ├─ source     PTX (editable) and CUDA, with the parser's findings
//!        ├─ launch     launch file (editable), with what is wrong in it
//!        ├─ about      what the kernel computes, and what to look at
//!        └─ result     what the run left: buffers, counts, output, or why it stopped
//! ```
//!
//! Adding a panel: a file with a component, a line below, and its place in `app.rs`.

mod about;
mod app;
mod bar;
mod desk;
mod dropping;
mod editor;
mod fault;
mod findings;
mod launch;
mod prose;
mod result;
mod running;
mod source;
mod state;
mod storage;
mod theme;
mod worker;

pub use app::App;

/// Puts the page into the document's `#app`, or into its body where there is none. In a worker, which has no document,
/// there is nothing to mount: it waits for calls.
pub fn mount() {
    fault::show_panics();
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    match document.get_element_by_id("app") {
        Some(root) => yew::Renderer::<App>::with_root(root).render(),
        None => yew::Renderer::<App>::new().render(),
    };
}
