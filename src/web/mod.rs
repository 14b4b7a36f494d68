//! The page: a Yew application around a [`Lab`](warpscope_lab::Lab), built for wasm32 only.
//!
//! All state is in the lab, which does not depend on a browser. [`handle::Handle`] gives it to the components: they read it
//! while they render and change it in their callbacks; every change renders the page again. Canvases are painted from scenes
//! and records that other rooms make. This room handles elements, pointers, keys and frames.
//!
//! ```text
//!   app ─┬─ bar         kernel, technique, machine, share, light or dark
//!        ├─ source      CUDA and PTX line by line: warps, branches, lost lanes
//!        ├─ beside      the stage, and up to three other runs of the kernel that follow it
//!        ├─ stage       the mechanism's canvas, animated from cycle to cycle
//!        ├─ side        lesson · inspector · numbers · plots · memory · about
//!        ├─ timeline    warps by cycles
//!        ├─ transport   play, step, search, breakpoints, scrubber
//!        └─ drawers     kernel editor, machine keys, every technique compared, lessons, help
//! ```
//!
//! Adding a panel: a file with a component that takes a `Handle`, a line below, and its place in `app.rs`.
//! `api` exposes the same lab to JavaScript outside the page.

mod api;
mod app;
mod bar;
mod beside;
mod breakpoints;
mod canvas;
pub mod chart;
mod chips;
mod clock;
mod columns;
mod compare;
mod download;
mod drawer;
mod drawing;
mod dropping;
mod editor;
mod fault;
mod film;
mod findings;
mod frame;
mod gallery;
mod handle;
mod help;
mod icons;
mod inspector;
mod kernel;
mod keyboard;
mod keys;
mod layout;
mod lesson;
mod listening;
mod memory;
mod motion;
mod notice;
mod numbers;
mod paint;
mod plots;
mod pool;
mod presenting;
mod print;
mod prose;
#[cfg(debug_assertions)]
mod rebuilt;
mod settings;
mod share;
mod side;
mod source;
mod split;
mod stage;
mod still;
mod storage;
mod strip;
mod techniques;
mod text;
mod theme;
mod timeline;
mod tips;
mod transport;
mod visit;

pub use api::Simulation;
pub use app::App;

/// Renders the page into the document's `#app`. A document without one uses the library, not the page.
pub fn mount() {
    fault::show_panics();
    #[cfg(debug_assertions)]
    rebuilt::reload_when_rebuilt();
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    if let Some(root) = document.get_element_by_id("app") {
        root.set_inner_html("");
        yew::Renderer::<App>::with_root(root).render();
    }
}
