//! Draws a chart on a canvas, and as a PNG file.

use super::canvas::ratio;
use plotters_canvas::CanvasBackend;
use warpscope_pictures::plot::{Body, Chart, FINE, SheetSize, draw, fitting_height};
use warpscope_pictures::scene::Palette;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement};

/// The size of an SVG file, and of a PNG file before scaling, in pixels.
pub const FILE: (u32, u32) = (720, 360);
/// Height of the data on the page, in pixels.
const DATA_HEIGHT: u32 = 128;
/// Height of the title and the note in a file, in pixels.
const TITLE_HEIGHT: u32 = 56;

/// Returns the most stretches of cycles that `width` pixels show well.
pub fn most_stretches(width: u32) -> usize {
    (width / 2).max(1) as usize
}

/// Draws a chart on a canvas of the page, with the height that it needs. Returns whether that succeeded.
pub fn show(canvas: &HtmlCanvasElement, chart: &Chart, palette: &Palette, width: u32) -> bool {
    let height = fitting_height(chart, width, DATA_HEIGHT);
    let _ = canvas.style().set_property("height", &format!("{height}px"));
    paint(canvas, chart, palette, &SheetSize { width, height, scale: ratio(), fine: FINE, titled: false })
}

/// Draws a chart on any canvas, at the frame's size. Returns whether that succeeded.
pub fn paint(canvas: &HtmlCanvasElement, chart: &Chart, palette: &Palette, frame: &SheetSize) -> bool {
    let (width, height) = frame.pixels();
    if canvas.width() != width || canvas.height() != height {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let context = canvas.get_context("2d").ok().flatten().and_then(|it| it.dyn_into::<CanvasRenderingContext2d>().ok());
    let Some(context) = context else { return false };
    let shrink = 1.0 / f64::from(frame.fine);
    let _ = context.set_transform(shrink, 0.0, 0.0, shrink, 0.0, 0.0);
    CanvasBackend::with_canvas_object(canvas.clone()).is_some_and(|backend| draw(chart, palette, frame, backend).is_ok())
}

/// Returns the height of a chart in a file: the usual one, unless a race has more rows than fit.
pub fn file_height(chart: &Chart) -> u32 {
    match chart.body {
        Body::Race(_) => FILE.1.max(fitting_height(chart, FILE.0, DATA_HEIGHT) + TITLE_HEIGHT),
        _ => FILE.1,
    }
}

/// Draws a PNG file of [`FILE`]'s size times `scale`, and passes it to `done` when the browser has encoded it.
pub fn png(chart: &Chart, palette: &Palette, scale: u32, done: impl FnOnce(Blob) + 'static) -> Option<()> {
    let document = web_sys::window()?.document()?;
    let canvas = document.create_element("canvas").ok()?.dyn_into::<HtmlCanvasElement>().ok()?;
    let frame = SheetSize { width: FILE.0, height: file_height(chart), scale: f64::from(scale), fine: FINE, titled: true };
    if !paint(&canvas, chart, palette, &frame) {
        return None;
    }
    let made = Closure::once_into_js(move |blob: Option<Blob>| {
        if let Some(blob) = blob {
            done(blob);
        }
    });
    canvas.to_blob(made.unchecked_ref()).ok()
}
