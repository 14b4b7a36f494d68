//! Draws marks on a plotters backend, and writes them as SVG files.

use super::Chart;
use super::layout::{FINE, Mark, SheetSize, lay_out};
use crate::scene::{Align, Palette, Rgb, SANS, escape};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::drawing::DrawingAreaErrorKind;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBColor};
use std::fmt::Write;

/// Draws a chart. The sheet size gives the size; the backend's own size is not used.
pub fn draw<B: DrawingBackend>(
    chart: &Chart,
    palette: &Palette,
    sheet_size: &SheetSize,
    backend: B,
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    paint(lay_out(chart, palette, sheet_size), 1.0, backend)
}

/// Returns an SVG file. Its list of fonts ends in a generic one that every machine has.
pub fn svg(chart: &Chart, palette: &Palette, width: u32, height: u32) -> String {
    /// The factor by which plotters draws letters smaller in SVG than on a canvas.
    const SHRUNK: f64 = 1.24;
    let sheet_size = SheetSize { width, height, scale: 1.0, fine: FINE, titled: true };
    let (fine_width, fine_height) = (width * FINE, height * FINE);
    let mut drawn = String::new();
    let backend = SVGBackend::with_string(&mut drawn, (fine_width, fine_height));
    // Writing to a string does not fail.
    let _ = paint(lay_out(chart, palette, &sheet_size), SHRUNK, backend);
    // plotters' own opening tag would make the picture as many pixels wide as it has fine units.
    let marks = drawn.split_once('>').map_or("</svg>", |(_, marks)| marks.trim());
    let mut file = String::with_capacity(marks.len() + 512);
    let _ = writeln!(
        file,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {fine_width} {fine_height}" role="img">"#
    );
    let _ = writeln!(file, "<title>{}</title>", escape(chart.figure.title));
    let _ = writeln!(file, "<desc>{}</desc>", escape(&chart.words()));
    file.push_str(marks);
    file.push('\n');
    file
}

/// Draws straight on the backend. plotters' drawing areas would clip at the backend's own pixels, and marks are in finer units.
fn paint<B: DrawingBackend>(marks: Vec<Mark>, letters: f64, mut backend: B) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    backend.ensure_prepared().map_err(DrawingAreaErrorKind::BackendError)?;
    for mark in marks {
        let drawn = match mark {
            Mark::Bar { from, to, colour } => backend.draw_rect(from, to, &rgb(colour), true),
            Mark::Area { points, colour } => backend.fill_polygon(points, &rgb(colour)),
            Mark::Path { points, width, colour } => backend.draw_path(points, &rgb(colour).stroke_width(width)),
            Mark::Text { at, size, bold, align, colour, text } => {
                let weight = if bold { FontStyle::Bold } else { FontStyle::Normal };
                let place = match align {
                    Align::Left => HPos::Left,
                    Align::Middle => HPos::Center,
                    Align::Right => HPos::Right,
                };
                let font = FontDesc::new(FontFamily::Name(SANS), size * letters, weight);
                backend.draw_text(&text, &font.color(&rgb(colour)).pos(Pos::new(place, VPos::Center)), at)
            }
        };
        drawn.map_err(DrawingAreaErrorKind::BackendError)?;
    }
    backend.present().map_err(DrawingAreaErrorKind::BackendError)
}

fn rgb(colour: Rgb) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
}
