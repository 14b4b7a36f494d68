//! Figures of a run over time: what a figure shows, apart from how it is drawn.
//!
//! A [`Figure`] is a row of the table [`FIGURES`]: what stands on its axes, and how its values come out of what was counted in
//! a stretch of cycles. A [`Chart`] is a figure of one run, that is, numbers. Laying a chart out gives marks with places and
//! colours; any plotters backend (canvas, SVG, bitmap) can take those.
//!
//! ```text
//!   Series ── Figure ──► Chart ──┬─► layout ─► marks ─► draw: any plotters backend
//!                                ├─► csv
//!                                └─► words
//! ```
//!
//! A **stretch** is one or more of the series' buckets; a **curve** is one line, or one layer of a stack.
//!
//! Adding a figure: one row in `figures.rs`.

mod axis;
mod chart;
mod draw;
mod figures;
mod file;
mod layout;

pub use axis::{decimal, grouped};
pub use chart::{Chart, Curve};
pub use draw::{draw, svg};
pub use figures::{FIGURES, Figure, Kind, Paint, slot_words};
pub use file::{csv, file_name};
pub use layout::{FINE, Frame, fitting_height};

#[cfg(test)]
mod tests;
