//! Figures of a run: what a figure shows, apart from how it is drawn.
//!
//! A [`Figure`] is a row of the table [`FIGURES`]: what it is called, what stands on its axes, and its [`FigureKind`]. A [`Chart`] is
//! a figure of one [`PlottedRun`], that is, numbers; each kind has a file with its [`Content`]: the numbers, where they lie on a
//! sheet, and what they are as a table and as words. Laying a chart out gives marks with places and colours; any plotters
//! backend (canvas, SVG, bitmap) can take those.
//!
//! ```text
//!   Run ── Figure ──► Chart ──┬─► layout ─► marks ─► draw: any plotters backend
//!                             ├─► csv
//!                             └─► words
//! ```
//!
//! A **stretch** is one or more of the series' buckets; a **curve** is one line, or one layer of a stack.
//!
//! Adding a figure over time: one row in `figures.rs`. Adding a kind: a variant, and a file with its content.

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
pub use layout::{FINE, Frame, Room, Sheet, fitting_height};
pub use race::{RACE, Racer};
pub use warp_phases::WarpPhases;

#[cfg(test)]
mod tests;
