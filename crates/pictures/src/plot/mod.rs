//! Figures of a run: what a figure shows, independent of how it is drawn.
//!
//! A [`Figure`] is a row of the table [`FIGURES`]: its name, its axes and its [`FigureKind`]. A [`Chart`] holds a figure's
//! numbers for one [`PlottedRun`]. Each kind has a file with its [`Content`]: the numbers, their layout on a sheet, and their
//! form as a table and as words. The layout turns a chart into marks with places and colours, which any plotters backend (canvas,
//! SVG, bitmap) can draw.
//!
//! ```text
//!   Run ── Figure ──► Chart ──┬─► layout ─► marks ─► draw: any plotters backend
//!                             ├─► csv
//!                             └─► words
//! ```
//!
//! A **stretch** is one or more of the series' buckets; a **curve** is one line, or one layer of a stack.
//!
//! To add a figure over time, add a row to `figures.rs`. To add a kind, add a variant and a file with its content.

mod axis;
mod breakdown;
mod chart;
mod curves;
mod draw;
mod figures;
mod file;
mod layout;
mod race;
mod rtru;
mod warp_phases;
mod who_ran;

pub use axis::{decimal, grouped};
pub use chart::{Body, Chart, Content, PlottedRun};
pub use curves::{Curve, Curves};
pub use draw::{draw, svg};
pub use figures::{FIGURES, Figure, FigureKind, Label, Paint, slot_words};
pub use file::{csv, file_name};
pub use layout::{Bounds, FINE, PlotSheet, SheetSize, fitting_height};
pub use race::{RACE, Racer};
pub use warp_phases::WarpPhases;

#[cfg(test)]
mod tests;
