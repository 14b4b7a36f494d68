//! The layout of a figure: turns a chart into marks with places and colours, for any backend.
//!
//! The y axis' name stands above the axis, upright. The legend stands beside the data where it fits, else below them, and never
//! covers them. Each kind of figure draws the area in between with the axes and marks of the [`PlotSheet`].

use super::axis::Ticks;
use super::chart::{Chart, Content};
use super::figures::{Label, slot_words};
use crate::scene::{Align, Palette, Rgb, Tone};
use std::ops::Range;

/// Units per pixel on backends whose output can be shrunk by as much. Backends take whole numbers; in whole pixels, gentle slopes
/// would look like stairs.
pub const FINE: u32 = 8;

/// The width, in pixels, from which on the legend stands beside the data and letters are larger.
const WIDE: u32 = 560;
pub const PAD: f64 = 8.0;
/// Room for the y axis' name above the data and for cycles below them, in multiples of the letter size.
const ABOVE: f64 = 2.3;
pub const BELOW: f64 = 1.6;
/// The height of a line of text, in multiples of the letter size.
const LINE: f64 = 1.4;

/// Returns the letter size, in the page's pixels.
fn letters(sheet_size: &SheetSize) -> f64 {
    if sheet_size.width < WIDE { 12.0 } else { 14.0 }
}

/// The size and the resolution of the sheet that a figure is drawn on.
#[derive(Clone, Copy, Debug)]
pub struct SheetSize {
    /// In the page's pixels.
    pub width: u32,
    /// In the page's pixels.
    pub height: u32,
    /// Device pixels per page pixel.
    pub scale: f64,
    /// Backend units per device pixel: [`FINE`] where the backend's output is shrunk by it, else 1.
    pub fine: u32,
    /// Whether the title and the note on what was run are drawn.
    pub titled: bool,
}

impl SheetSize {
    /// Returns the size in device pixels.
    pub fn pixels(&self) -> (u32, u32) {
        let pixels = |length: u32| (f64::from(length) * self.scale).round().max(1.0) as u32;
        (pixels(self.width), pixels(self.height))
    }
}

pub type Point = (i32, i32);

/// A region of the sheet, in the page's pixels: left, top, right, bottom.
pub type Bounds = [f64; 4];

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
    /// The text is centred vertically on `at`.
    Text {
        at: Point,
        size: f64,
        bold: bool,
        align: Align,
        colour: Rgb,
        text: String,
    },
}

/// Returns the height of a sheet without a title that gives curves the height `data`.
pub fn fitting_height(chart: &Chart, width: u32, data: u32) -> u32 {
    let sheet_size = SheetSize { width, height: 0, scale: 1.0, fine: 1, titled: false };
    let letters = letters(&sheet_size);
    let content = chart.content();
    if content.nothing().is_some() {
        return (2.0 * PAD + letters * (ABOVE + BELOW) + f64::from(data)).ceil() as u32;
    }
    let legend = Legend::new(content, &sheet_size, letters, 0.0);
    let remark = remark(content, &sheet_size).len() as f64 * letters * LINE;
    (PAD + letters * ABOVE + remark + content.height(f64::from(data), letters) - legend.bottom).ceil() as u32
}

/// Returns a figure's remark, in lines that fit the sheet.
fn remark(content: &dyn Content, sheet_size: &SheetSize) -> Vec<String> {
    let fits = f64::from(sheet_size.width) - 2.0 * PAD;
    content.remark().map_or_else(Vec::new, |text| wrapped(&text, letters(sheet_size), fits))
}

pub fn lay_out(chart: &Chart, palette: &Palette, sheet_size: &SheetSize) -> Vec<Mark> {
    let mut sheet = PlotSheet::new(palette, sheet_size);
    let (width, height) = (f64::from(sheet_size.width), f64::from(sheet_size.height));
    let letters = sheet.letters;
    let ground = palette.get(Tone::Panel);
    sheet.bar([0.0, 0.0, width, height], ground);
    let mut top = PAD;
    if sheet_size.titled {
        top = sheet.title(chart, top);
    }
    let content = chart.content();
    if let Some(nothing) = content.nothing() {
        let lines = wrapped(nothing, letters, width - 2.0 * PAD);
        let first = (top + height - PAD - (lines.len() - 1) as f64 * letters * LINE) / 2.0;
        for (at, line) in lines.iter().enumerate() {
            sheet.text(width / 2.0, first + at as f64 * letters * LINE, Align::Middle, Tone::Soft, line);
        }
        return sheet.marks;
    }

    sheet.text(PAD, top + letters * 0.75, Align::Left, Tone::Soft, &content.heading(chart.figure));
    for line in remark(content, sheet_size) {
        top += letters * LINE;
        sheet.text(PAD, top + letters * 0.75, Align::Left, Tone::Soft, &line);
    }
    top += letters * ABOVE;
    let legend = Legend::new(content, sheet_size, letters, top);
    content.draw(&mut sheet, [PAD, top, legend.right.max(PAD + 1.0), legend.bottom.max(top + 1.0)], chart.cycle);
    legend.draw(content, &mut sheet);
    sheet.marks
}

/// The marks drawn so far, and the operations that add more.
pub struct PlotSheet<'a> {
    pub(crate) palette: &'a Palette,
    scale: f64,
    fine: i32,
    /// The letter size, in the page's pixels.
    pub letters: f64,
    width: f64,
    pub(crate) marks: Vec<Mark>,
}

impl<'a> PlotSheet<'a> {
    fn new(palette: &'a Palette, sheet_size: &SheetSize) -> PlotSheet<'a> {
        let fine = sheet_size.fine.max(1) as i32;
        PlotSheet {
            palette,
            scale: sheet_size.scale,
            fine,
            letters: letters(sheet_size),
            width: f64::from(sheet_size.width),
            marks: Vec::new(),
        }
    }

    fn unit(&self) -> f64 {
        self.scale * f64::from(self.fine)
    }

    /// Rounds a length to the nearest device pixel, where bars have sharp edges; returns backend units.
    pub fn sharp(&self, length: f64) -> i32 {
        (length * self.scale).round() as i32 * self.fine
    }

    pub(crate) fn bar(&mut self, [left, top, right, bottom]: Bounds, colour: Rgb) {
        let (from, to) = ((self.sharp(left), self.sharp(top)), (self.sharp(right), self.sharp(bottom)));
        self.marks.push(Mark::Bar { from, to, colour });
    }

    /// Returns the line width of a curve, in backend units.
    pub fn stroke(&self) -> u32 {
        (1.5 * self.unit()).round().max(1.0) as u32
    }

    /// Draws a line one page pixel thick, horizontal or vertical, whichever way the region is long.
    pub fn hairline(&mut self, [left, top, right, bottom]: Bounds, colour: Rgb) {
        let thick = self.scale.round().max(1.0) as i32 * self.fine;
        let from = (self.sharp(left), self.sharp(top));
        let to = (self.sharp(right).max(from.0 + thick), self.sharp(bottom).max(from.1 + thick));
        self.marks.push(Mark::Bar { from, to, colour });
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, align: Align, tone: Tone, text: &str) {
        self.write((x, y), self.letters, false, align, tone, text);
    }

    pub(crate) fn write(&mut self, (x, y): (f64, f64), size: f64, bold: bool, align: Align, tone: Tone, text: &str) {
        let unit = self.unit();
        let at = ((x * unit).round() as i32, (y * unit).round() as i32);
        let colour = self.palette.get(tone);
        self.marks.push(Mark::Text { at, size: size * unit, bold, align, colour, text: text.into() });
    }

    /// Draws a label from `x` on: its colour, its letter and its name.
    pub fn label(&mut self, x: f64, y: f64, label: &Label) {
        let letters = self.letters;
        let half = letters * 0.4;
        self.bar([x, y - half, x + 2.0 * half, y + half], label.paint.colour(self.palette));
        let mut x = x + letters * 1.25;
        if let Some(letter) = label.letter {
            self.write((x + letters * 0.4, y), letters, true, Align::Middle, Tone::Text, &letter.to_string());
            x += letters * 1.1;
        }
        self.text(x, y, Align::Left, Tone::Text, &slot_words(&label.name));
    }

    /// Draws the title, with the note beside or below it; returns where the rest begins.
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

    /// Returns how many ticks fit on a y axis that has cycles below it.
    pub fn tick_rows(&self, [_, top, _, bottom]: Bounds) -> usize {
        ((bottom - self.letters * BELOW - top) / (self.letters * 2.2)).max(2.0) as usize
    }

    /// Draws a y axis with its grid lines; returns the room for data, with room for cycles left below.
    pub fn values(&mut self, [left, top, right, bottom]: Bounds, ticks: &Ticks) -> Bounds {
        let letters = self.letters;
        let names: Vec<String> = ticks.values.iter().map(|&value| ticks.label(value)).collect();
        let left = left + names.iter().map(|name| text_width(name, letters)).fold(0.0, f64::max) + 6.0;
        let data = [left, top, right.max(left + 1.0), (bottom - letters * BELOW).max(top + 1.0)];
        for (value, name) in ticks.values.iter().zip(&names) {
            let y = data[3] - (data[3] - data[1]) * value / ticks.top;
            self.hairline([data[0], y, data[2], y], self.palette.get(Tone::Line));
            self.text(left - 6.0, y, Align::Right, Tone::Soft, name);
        }
        data
    }

    /// Draws the x axis below the data, and a line at the displayed cycle.
    pub fn cycles(&mut self, [left, top, right, bottom]: Bounds, shown: Range<u64>, cycle: Option<u64>) {
        let letters = self.letters;
        self.hairline([left, bottom, right, bottom], self.palette.get(Tone::Edge));
        let ticks = Ticks::cycles(shown.clone(), ((right - left) / (letters * 5.4)).max(1.0) as usize);
        let (middle, name) = (bottom + letters * 0.95, "cycle");
        self.text(right, middle, Align::Right, Tone::Soft, name);
        let free = right - text_width(name, letters) - letters * 0.6;
        let place = |cycle: f64| along([left, right], &shown, cycle);
        for &tick in &ticks.values {
            let (x, text) = (place(tick), ticks.label(tick));
            self.hairline([x, bottom, x, bottom + 4.0], self.palette.get(Tone::Edge));
            if x + text_width(&text, letters) / 2.0 < free {
                self.text(x, middle, Align::Middle, Tone::Soft, &text);
            }
        }
        // At the very end of the axis the line would say nothing.
        if let Some(cycle) = cycle.filter(|cycle| shown.contains(cycle)) {
            let x = place(cycle as f64);
            self.hairline([x, top - 4.0, x, bottom], self.palette.get(Tone::Text));
        }
    }
}

/// Returns the x coordinate of a cycle, if the range `shown` extends from left to right.
pub fn along([left, right]: [f64; 2], shown: &Range<u64>, cycle: f64) -> f64 {
    let cycles = shown.end.saturating_sub(shown.start).max(1) as f64;
    left + (right - left) * (cycle - shown.start as f64) / cycles
}

/// Wraps a text into lines of at most `width`.
fn wrapped(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(line, size) + text_width(word, size) + size * 0.4 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// Where the legend lies, and the room that it leaves.
struct Legend {
    place: Option<Bounds>,
    columns: usize,
    column: f64,
    row: f64,
    /// The right and the bottom edge of the room that is left.
    right: f64,
    bottom: f64,
}

impl Legend {
    fn new(content: &dyn Content, sheet_size: &SheetSize, letters: f64, top: f64) -> Legend {
        let (width, height) = (f64::from(sheet_size.width), f64::from(sheet_size.height));
        let (right, bottom) = (width - PAD, height - PAD);
        let labels = content.labels();
        let count = labels.len();
        if !content.has_legend() {
            return Legend { place: None, columns: 0, column: 0.0, row: 0.0, right, bottom };
        }
        let widest = labels.iter().map(|label| entry_width(label, letters)).fold(0.0, f64::max);
        if sheet_size.width >= WIDE {
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

    fn draw(&self, content: &dyn Content, sheet: &mut PlotSheet) {
        let Some([left, top, ..]) = self.place else { return };
        let labels = content.labels();
        let count = labels.len();
        let rows = count.div_ceil(self.columns.max(1));
        for (at, label) in labels.into_iter().enumerate() {
            // Beside the data, stacked labels are listed from the top, as the data lie; below the data, column by column.
            let at = if self.columns == 1 && content.is_stacked() { count - 1 - at } else { at };
            let (column, row) = (at / rows, at % rows);
            let x = left + column as f64 * self.column;
            sheet.label(x, top + (row as f64 + 0.5) * self.row, label);
        }
    }
}

fn entry_width(label: &Label, letters: f64) -> f64 {
    let letter = if label.letter.is_some() { 1.1 } else { 0.0 };
    (1.25 + letter) * letters + text_width(&slot_words(&label.name), letters)
}

/// Estimates the greatest width of a text in the sans serifs that a reader's machine may have. Asking the browser would force a
/// page layout for every word.
pub fn text_width(text: &str, size: f64) -> f64 {
    let em = |letter: char| match letter {
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '|' | ':' | '\u{202f}' => 0.29,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '/' | '-' => 0.38,
        'm' | 'w' | 'M' | 'W' | '%' => 0.95,
        'A'..='Z' => 0.7,
        _ => 0.61,
    };
    text.chars().map(em).sum::<f64>() * size
}
