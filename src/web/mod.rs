//! The page: a Yew application around the library, built for wasm32 alone.
//!
//! State lives in one place ([`state::State`]) and changes in one place (its reducer). A panel is a file: a function
//! component that draws a part of the state and dispatches [`state::Action`]s. Whatever asks the library for something
//! stands in [`desk`], which turns its answers into plain data in the reader's words; no panel calls the library itself.
//!
//! ```text
//!   app ─┬─ bar        kernel, launch size, run, light or dark
//!        ├─ source     PTX (editable) and CUDA, with the parser's findings
//!        ├─ launch     launch file (editable), and what the kernel is about
//!        └─ result     what the run left: buffers, counts, output, or why it stopped
//! ```
//!
//! Adding a panel: a file with a component, a line below, and its place in `app.rs`.

mod app;
mod bar;
mod desk;
mod editor;
mod fault;
mod findings;
mod launch;
mod result;
mod source;
mod state;
mod storage;
mod theme;

pub use app::App;

/// Puts the page into the document's `#app`, or into its body where there is none.
pub fn mount() {
    fault::show_panics();
    let document = web_sys::window().and_then(|window| window.document());
    match document.and_then(|document| document.get_element_by_id("app")) {
        Some(root) => yew::Renderer::<App>::with_root(root).render(),
        None => yew::Renderer::<App>::new().render(),
    };
}
