//! Where everything in a figure lies: a chart becomes marks with places and colours, whatever they are drawn on.
//!
//! The axis' name stands above it, upright; the legend stands beside the data where there is room and below them elsewhere,
//! never on them. A stretch is drawn as wide as it is, so that a single cycle shows as a step.

use super::axis::Ticks;
use super::chart::{Chart, Curve};
use super::figures::{Kind, Paint, slot_words};
use crate::scene::{Align, Palette, Rgb, Tone};
use plotters::coord::CoordTranslate;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;

/// Units of a pixel on backends that can be shrunk by as much. Backends take whole numbers; in whole pixels, gentle slopes
/// would be stairs.
pub const FINE: u32 = 8;

/// From here on a legend stands beside the data, and letters are larger.
const WIDE: u32 = 560;
const PAD: f64 = 8.0;
/// Room for the y axis' name above the data and for cycles below, in heights of letters.
const ABOVE: f64 = 2.0;
const BELOW: f64 = 1.6;

/// The size of words and numbers.
fn letters(frame: &Frame) -> f64 {
    if frame.width < WIDE { 12.0 } else { 14.0 }
}

/// The sheet that a figure is drawn on.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// In the page's pixels.
    pub width: u32,
    pub height: u32,
    /// The device's pixels for each of the page's.
    pub scale: f64,
    /// Backend units for each of the device's pixels: [`FINE`] where the backend is shrunk by it, 1 elsewhere.
    pub fine: u32,
    /// Whether the title and what was run are written on it.
    pub titled: bool,
}

impl Frame {
    /// The device's pixels.
    pub fn pixels(&self) -> (u32, u32) {
        let pixels = |length: u32| (f64::from(length) * self.scale).round().max(1.0) as u32;
        (pixels(self.width), pixels(self.height))
    }
}

pub type Point = (i32, i32);

/// Something to draw, in backend units.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    Bar {
        from: Point,
        to: Point,
        colour: Rgb,
    },
    Area {
        points: Vec<Point>,
        colour: Rgb,
    },
    Path {
        points: Vec<Point>,
        width: u32,
        colour: Rgb,
    },
    /// In the middle of its line's height.
    Text {
        at: Point,
        size: f64,
        bold: bool,
        align: Align,
        colour: Rgb,
        text: String,
    },
}

/// How tall a sheet without a title must be, for the data to be as tall as `data`.
pub fn fitting_height(chart: &Chart, width: u32, data: u32) -> u32 {
    let frame = Frame { width, height: 0, scale: 1.0, fine: 1, titled: false };
    let letters = letters(&frame);
    let legend = Legend::new(chart, &frame, letters, 0.0);
    (PAD + letters * ABOVE + f64::from(data) + letters * BELOW - legend.bottom).ceil() as u32
}

pub fn lay_out(chart: &Chart, palette: &Palette, frame: &Frame) -> Vec<Mark> {
    let mut sheet = Sheet::new(palette, frame);
    let (width, height) = (f64::from(frame.width), f64::from(frame.height));
    let letters = sheet.letters;
    let ground = palette.get(Tone::Panel);
    sheet.bar([0.0, 0.0, width, height], ground);
    let mut top = PAD;
    if frame.titled {
        top = sheet.title(chart, top);
    }
    if chart.is_empty() {
        let middle = (top + height - PAD) / 2.0;
        sheet.text(width / 2.0, middle, Align::Middle, Tone::Soft, "Nothing has run yet");
        return sheet.marks;
    }

    let name = format!("{} ({})", chart.figure.y, chart.figure.unit);
    sheet.text(PAD, top + letters * 0.75, Align::Left, Tone::Soft, &name);
    top += letters * ABOVE;
    let legend = Legend::new(chart, frame, letters, top);
    let bottom = legend.bottom - letters * BELOW;
    let rows = ((bottom - top) / (letters * 2.2)).max(2.0) as usize;
    let ticks = chart.top.map_or_else(|| Ticks::around(chart.largest(), rows), |top| Ticks::up_to(top, rows));
    let tick_names: Vec<String> = ticks.values.iter().map(|&value| ticks.label(value)).collect();
    let left = PAD + tick_names.iter().map(|name| text_width(name, letters)).fold(0.0, f64::max) + 6.0;
    let data = [left, top, legend.right.max(left + 1.0), bottom.max(top + 1.0)];

    for (value, name) in ticks.values.iter().zip(&tick_names) {
        let y = data[3] - (data[3] - data[1]) * value / ticks.top;
        sheet.hairline([data[0], y, data[2], y], palette.get(Tone::Line));
        sheet.text(left - 6.0, y, Align::Right, Tone::Soft, name);
    }
    sheet.data(chart, data, ticks.top);
    sheet.cycles(chart, data);
    legend.draw(chart, &mut sheet);
    sheet.marks
}

struct Sheet<'a> {
    palette: &'a Palette,
    scale: f64,
    fine: i32,
    /// The size of words and numbers.
    letters: f64,
    width: f64,
    marks: Vec<Mark>,
}

impl<'a> Sheet<'a> {
    fn new(palette: &'a Palette, frame: &Frame) -> Sheet<'a> {
        let fine = frame.fine.max(1) as i32;
        Sheet { palette, scale: frame.scale, fine, letters: letters(frame), width: f64::from(frame.width), marks: Vec::new() }
    }

    fn unit(&self) -> f64 {
        self.scale * f64::from(self.fine)
    }

    /// At the nearest whole pixel of the device, where bars have sharp edges.
    fn sharp(&self, length: f64) -> i32 {
        (length * self.scale).round() as i32 * self.fine
    }

    fn bar(&mut self, [left, top, right, bottom]: [f64; 4], colour: Rgb) {
        let (from, to) = ((self.sharp(left), self.sharp(top)), (self.sharp(right), self.sharp(bottom)));
        self.marks.push(Mark::Bar { from, to, colour });
    }

    /// A bar one pixel thick; which way it runs follows from where it is long.
    fn hairline(&mut self, [left, top, right, bottom]: [f64; 4], colour: Rgb) {
        let thick = self.scale.round().max(1.0) as i32 * self.fine;
        let from = (self.sharp(left), self.sharp(top));
        let to = (self.sharp(right).max(from.0 + thick), self.sharp(bottom).max(from.1 + thick));
        self.marks.push(Mark::Bar { from, to, colour });
    }

    fn text(&mut self, x: f64, y: f64, align: Align, tone: Tone, text: &str) {
        self.write((x, y), self.letters, false, align, tone, text);
    }

    fn write(&mut self, (x, y): (f64, f64), size: f64, bold: bool, align: Align, tone: Tone, text: &str) {
        let unit = self.unit();
        let at = ((x * unit).round() as i32, (y * unit).round() as i32);
        let colour = self.palette.get(tone);
        self.marks.push(Mark::Text { at, size: size * unit, bold, align, colour, text: text.into() });
    }

    /// The title, and what was run beside it or below; returns where the rest begins.
    fn title(&mut self, chart: &Chart, top: f64) -> f64 {
        let (letters, size) = (self.letters, (self.letters * 1.3).round());
        let row = size * 1.6;
        self.write((PAD, top + row / 2.0), size, true, Align::Left, Tone::Text, chart.figure.title);
        if chart.note.is_empty() {
            return top + row;
        }
        let used = text_width(chart.figure.title, size) * 1.1 + text_width(&chart.note, letters);
        if used + 3.0 * PAD <= self.width {
            self.text(self.width - PAD, top + row / 2.0, Align::Right, Tone::Soft, &chart.note);
            return top + row;
        }
        self.text(PAD, top + row + letters * 0.75, Align::Left, Tone::Soft, &chart.note);
        top + row + letters * 1.5
    }

    fn data(&mut self, chart: &Chart, [left, top, right, bottom]: [f64; 4], most: f64) {
        let x = self.sharp(left)..self.sharp(right);
        let y = self.sharp(bottom)..self.sharp(top);
        let zero = y.start;
        let end = chart.end() as f64;
        let plane: Cartesian2d<RangedCoordf64, RangedCoordf64> = Cartesian2d::new(0.0..end, 0.0..most, (x, y));
        let stairs = |values: &[f64], from: usize| stairs(&plane, &chart.edges, values, from);
        match chart.figure.kind {
            Kind::Line => {
                for Curve { label, values } in &chart.curves {
                    let colour = label.paint.colour(self.palette);
                    let wash = match label.paint {
                        Paint::Pure(tone) | Paint::Mix(tone, ..) => Paint::Mix(tone, Tone::Panel, 0.14).colour(self.palette),
                    };
                    let runs: Vec<Vec<Point>> = runs(values).map(|run| stairs(&values[run.clone()], run.start)).collect();
                    // With several curves, washes would hide each other.
                    if chart.curves.len() == 1 {
                        self.marks.extend(runs.iter().map(|run| Mark::Area { points: closed(run.clone(), zero), colour: wash }));
                    }
                    let width = (1.5 * self.unit()).round().max(1.0) as u32;
                    self.marks.extend(runs.into_iter().map(|points| Mark::Path { points, width, colour }));
                }
            }
            Kind::Stack => {
                // Each layer goes down to zero and the lower ones hide what is not its own: no ground shines through between.
                let mut tops = vec![vec![0.0; chart.len()]];
                for curve in &chart.curves {
                    let below = &tops[tops.len() - 1];
                    tops.push(below.iter().zip(&curve.values).map(|(below, value)| below + value).collect());
                }
                for (layer, curve) in chart.curves.iter().enumerate().rev() {
                    if curve.values.iter().all(|&value| value == 0.0 || value.is_nan()) {
                        continue;
                    }
                    let colour = curve.label.paint.colour(self.palette);
                    let tops = &tops[layer + 1];
                    let areas = runs(tops).map(|run| closed(stairs(&tops[run.clone()], run.start), zero));
                    self.marks.extend(areas.map(|points| Mark::Area { points, colour }));
                }
            }
        }
    }

    /// The x axis and the cycle that is looked at.
    fn cycles(&mut self, chart: &Chart, [left, top, right, bottom]: [f64; 4]) {
        let letters = self.letters;
        let end = chart.end();
        self.hairline([left, bottom, right, bottom], self.palette.get(Tone::Edge));
        let ticks = Ticks::cycles(end, ((right - left) / (letters * 5.4)).max(1.0) as usize);
        let (middle, name) = (bottom + letters * 0.95, "cycle");
        self.text(right, middle, Align::Right, Tone::Soft, name);
        let free = right - text_width(name, letters) - letters * 0.6;
        let place = |cycle: f64| left + (right - left) * cycle / ticks.top;
        for &tick in &ticks.values {
            let (x, text) = (place(tick), ticks.label(tick));
            self.hairline([x, bottom, x, bottom + 4.0], self.palette.get(Tone::Edge));
            if x + text_width(&text, letters) / 2.0 < free {
                self.text(x, middle, Align::Middle, Tone::Soft, &text);
            }
        }
        // At the very end it would say nothing.
        if let Some(cycle) = chart.cycle.filter(|&cycle| cycle < end) {
            let x = place(cycle as f64);
            self.hairline([x, top - 4.0, x, bottom], self.palette.get(Tone::Text));
        }
    }
}

/// The stretches in which there is something to say, one after the other.
fn runs(values: &[f64]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + values[from..].iter().position(|value| value.is_finite())?;
        let length = values[start..].iter().position(|value| !value.is_finite()).unwrap_or(values.len() - start);
        from = start + length;
        Some(start..from)
    })
}

/// The corners of a run of values that begins with stretch `from`.
fn stairs(plane: &Cartesian2d<RangedCoordf64, RangedCoordf64>, edges: &[u64], values: &[f64], from: usize) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::with_capacity(2 * values.len());
    for (at, &value) in values.iter().enumerate() {
        let left = plane.translate(&(edges[from + at] as f64, value));
        let right = plane.translate(&(edges[from + at + 1] as f64, value));
        // A step of no height needs no corner.
        if points.last() == Some(&left) {
            points.pop();
        } else {
            points.push(left);
        }
        points.push(right);
    }
    points
}

/// Down to zero at both ends.
fn closed(mut points: Vec<Point>, zero: i32) -> Vec<Point> {
    if let (Some(&first), Some(&last)) = (points.first(), points.last()) {
        points.extend([(last.0, zero), (first.0, zero)]);
    }
    points
}

/// Where the legend lies, and what it leaves of the sheet.
struct Legend {
    place: Option<[f64; 4]>,
    columns: usize,
    column: f64,
    row: f64,
    /// How far right and down the rest may go.
    right: f64,
    bottom: f64,
}

impl Legend {
    fn new(chart: &Chart, frame: &Frame, letters: f64, top: f64) -> Legend {
        let (width, height) = (f64::from(frame.width), f64::from(frame.height));
        let (right, bottom) = (width - PAD, height - PAD);
        let count = chart.curves.len();
        if count < 2 {
            return Legend { place: None, columns: 0, column: 0.0, row: 0.0, right, bottom };
        }
        let widest = chart.curves.iter().map(|curve| entry_width(curve, letters)).fold(0.0, f64::max);
        if frame.width >= WIDE {
            let row = (letters * 1.5).min((bottom - top) / count as f64);
            let left = right - widest;
            let place = Some([left, top, right, top + row * count as f64]);
            return Legend { place, columns: 1, column: widest, row, right: left - letters * 1.5, bottom };
        }
        let column = widest + letters;
        let columns = (((right - PAD + letters) / column) as usize).clamp(1, count);
        let (rows, row) = (count.div_ceil(columns), letters * 1.35);
        let top = bottom - rows as f64 * row;
        Legend { place: Some([PAD, top, right, bottom]), columns, column, row, right, bottom: top - 4.0 }
    }

    fn draw(&self, chart: &Chart, sheet: &mut Sheet) {
        let Some([left, top, ..]) = self.place else { return };
        let letters = sheet.letters;
        let count = chart.curves.len();
        let rows = count.div_ceil(self.columns.max(1));
        for (at, curve) in chart.curves.iter().enumerate() {
            // Beside the data the legend is read as they lie, from the top; below them, column by column.
            let at = if self.columns == 1 && chart.figure.kind == Kind::Stack { count - 1 - at } else { at };
            let (column, row) = (at / rows, at % rows);
            let x = left + column as f64 * self.column;
            let y = top + (row as f64 + 0.5) * self.row;
            let half = letters * 0.4;
            sheet.bar([x, y - half, x + 2.0 * half, y + half], curve.label.paint.colour(sheet.palette));
            let mut x = x + letters * 1.25;
            if let Some(letter) = curve.label.letter {
                sheet.write((x + letters * 0.4, y), letters, true, Align::Middle, Tone::Text, &letter.to_string());
                x += letters * 1.1;
            }
            sheet.text(x, y, Align::Left, Tone::Text, &slot_words(&curve.label.name));
        }
    }
}

fn entry_width(curve: &Curve, letters: f64) -> f64 {
    let letter = if curve.label.letter.is_some() { 1.1 } else { 0.0 };
    (1.25 + letter) * letters + text_width(&slot_words(&curve.label.name), letters)
}

/// How wide a text is at most, about, in the sans serifs that a reader's machine may have. Asking the browser would make it
/// lay out the page for every word.
fn text_width(text: &str, size: f64) -> f64 {
    let em = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '|' | ':' | '\u{202f}' => 0.29,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '/' | '-' => 0.38,
        'm' | 'w' | 'M' | 'W' | '%' => 0.95,
        'A'..='Z' => 0.7,
        _ => 0.61,
    };
    text.chars().map(em).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_splits_a_curve() {
        let values = [f64::NAN, 1.0, 2.0, f64::INFINITY, 3.0];
        assert_eq!(runs(&values).collect::<Vec<_>>(), [1..3, 4..5]);
        assert_eq!(runs(&[f64::NAN]).count() + runs(&[]).count(), 0);
    }

    #[test]
    fn a_stretch_is_as_wide_as_it_is() {
        // Pixels are counted from the top.
        let down = std::ops::Range { start: 100, end: 0 };
        let plane = Cartesian2d::new(0.0..4.0, 0.0..10.0, (0..40, down));
        let points = stairs(&plane, &[0, 1, 2, 4], &[5.0, 5.0, 10.0], 0);
        assert_eq!(points, [(0, 50), (20, 50), (20, 0), (40, 0)]);
        assert_eq!(closed(points, 100)[4..], [(40, 100), (0, 100)]);
    }
}
