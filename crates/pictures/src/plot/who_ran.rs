//! Which warp slot ran which block when (VTW figure 1): a row for each warp slot, a bar for each warp of a logical block that it
//! ran, pale red from the warp's end to its block's end.

use super::axis::grouped;
use super::chart::{Content, PlottedRun};
use super::figures::{Figure, Label, Paint};
use super::layout::{BELOW, Bounds, PlotSheet, along, text_width};
use crate::scene::{Align, Tone};
use std::fmt::Write;
use std::ops::Range;
use warpscope_machine::record::Stint;

/// The most warp slots that are shown.
const MOST_ROWS: usize = 48;
/// The height of the thickest bar, in the page's pixels.
const THICKEST: f64 = 18.0;
/// How much wider than its block number a bar must be to show it, in the page's pixels.
const AIR: f64 = 4.0;

#[derive(Clone, Debug)]
pub struct WhoRan {
    rows: Vec<Row>,
    /// The cycles that are shown.
    shown: Range<u64>,
    width: u32,
    is_virtual: bool,
    sms: usize,
    left_out: bool,
    /// Warp slots of the SM, shown or not.
    slots: usize,
    labels: Vec<Label>,
}

#[derive(Clone, Debug)]
struct Row {
    sm: u16,
    warp: u16,
    bars: Vec<Bar>,
}

/// A stint, and the cycle up to which other warps of its logical block went on.
#[derive(Clone, Copy, Debug)]
struct Bar {
    stint: Stint,
    /// The warp's place in the resident block.
    own: u16,
    to: u64,
    held: u64,
}

impl WhoRan {
    /// Collects the rows of the selected SM, or of all SMs if `most` is [`usize::MAX`].
    pub fn new(run: &PlottedRun, most: usize) -> WhoRan {
        let end = run.series.end();
        let mut rows: Vec<Row> = Vec::new();
        for (sm, warp, &stint) in run.stints.all().filter(|(sm, ..)| most == usize::MAX || *sm == run.sm) {
            if rows.last().is_none_or(|row| (row.sm, row.warp) != (sm, warp)) {
                rows.push(Row { sm, warp, bars: Vec::new() });
            }
            let to = stint.to.unwrap_or(end);
            let held = run.stints.end_of(stint.block).unwrap_or(end).max(to);
            let bar = Bar { stint, own: warp % run.block_warps.max(1), to, held };
            rows.last_mut().into_iter().for_each(|row| row.bars.push(bar));
        }
        let slots = rows.len();
        if most != usize::MAX {
            rows.truncate(MOST_ROWS);
        }
        let waits = if run.is_virtual { "would wait for its block" } else { "waits for its block" };
        WhoRan {
            rows,
            shown: 0..end,
            width: run.config.warp_width,
            is_virtual: run.is_virtual,
            sms: run.series.sms(),
            left_out: run.stints.are_left_out(),
            slots,
            labels: vec![
                Paint::Pure(Tone::Warp(0)).label("runs a block, in its colour"),
                Paint::Mix(Tone::Bad, Tone::Panel, 0.7).label(waits),
            ],
        }
    }

    fn draw_bar(&self, sheet: &mut PlotSheet, bar: &Bar, [left, top, right, bottom]: Bounds) {
        let place = |cycle: u64| along([left, right], &self.shown, cycle.clamp(self.shown.start, self.shown.end) as f64);
        let (from, to, held) = (place(bar.stint.from), place(bar.to), place(bar.held));
        let red = self.labels[1].paint.colour(sheet.palette);
        let hue = (bar.stint.block % 8) as u8;
        let under = if self.is_virtual { (bottom - top) * 0.2 } else { 0.0 };
        if held > to {
            let top = if self.is_virtual { bottom - under } else { top };
            sheet.bar([to, top, held, bottom], red);
        }
        sheet.bar([from, top, to.max(from + 0.5), bottom - under], sheet.palette.get(Tone::Warp(hue)));
        let number = bar.stint.block.to_string();
        if bottom - top >= sheet.letters && to - from > text_width(&number, sheet.letters) + AIR {
            let middle = (top + bottom - under) / 2.0;
            sheet.text((from + to) / 2.0, middle, Align::Middle, Tone::OnWarp(hue), &number);
        }
    }
}

impl Content for WhoRan {
    fn nothing(&self) -> Option<&'static str> {
        (self.rows.is_empty() || self.shown.is_empty()).then_some("Nothing has run yet")
    }

    fn heading(&self, _: &Figure) -> String {
        match self.rows.first().filter(|_| self.sms > 1) {
            Some(row) => format!("Warp slots of SM {}, with the blocks that they ran", row.sm),
            None => "Warp slots, with the blocks that they ran".to_string(),
        }
    }

    fn remark(&self) -> Option<String> {
        let rows = self.rows.len();
        match (rows < self.slots, self.left_out) {
            (true, true) => Some(format!("The first {rows} of {} warp slots, and only the first warps of the run.", self.slots)),
            (true, false) => Some(format!("The first {rows} of {} warp slots; the CSV file has all.", self.slots)),
            (false, true) => Some("Only the first warps of the run are kept.".to_string()),
            (false, false) => None,
        }
    }

    fn labels(&self) -> Vec<&Label> {
        self.labels.iter().collect()
    }

    fn height(&self, usual: f64, letters: f64) -> f64 {
        let pitch = if self.rows.len() <= 12 { 16.0 } else { 7.0 };
        (self.rows.len() as f64 * pitch).max(usual) + letters * BELOW
    }

    fn draw(&self, sheet: &mut PlotSheet, [left, top, right, bottom]: Bounds, cycle: Option<u64>) {
        let letters = sheet.letters;
        let name = |row: &Row| format!("w{}", row.warp);
        let left = left + self.rows.iter().map(|row| text_width(&name(row), letters)).fold(0.0, f64::max) + 6.0;
        let (right, bottom) = (right.max(left + 1.0), (bottom - letters * BELOW).max(top + 1.0));
        let pitch = (bottom - top) / self.rows.len().max(1) as f64;
        let thick = (if pitch > 4.0 { pitch - 1.0 } else { pitch }).min(THICKEST);
        let every = (letters * 1.05 / pitch.max(0.1)).ceil().max(1.0) as usize;
        for (at, row) in self.rows.iter().enumerate() {
            let middle = top + (at as f64 + 0.5) * pitch;
            if at.is_multiple_of(every) {
                sheet.text(left - 6.0, middle, Align::Right, Tone::Soft, &name(row));
            }
            for bar in &row.bars {
                self.draw_bar(sheet, bar, [left, middle - thick / 2.0, right, middle + thick / 2.0]);
            }
        }
        sheet.cycles([left, top, right, bottom], self.shown.clone(), cycle);
    }

    fn words(&self, figure: &Figure, _: Option<u64>) -> String {
        let bars = || self.rows.iter().flat_map(|row| &row.bars);
        let waited: u64 = bars().map(|bar| bar.held - bar.to).sum();
        let would = if self.is_virtual { "would have waited" } else { "waited" };
        format!(
            "{}: {} warp slots ran {} warps of blocks; for {} warp-cycles a warp had ended and {would} for its block.",
            figure.title,
            self.rows.len(),
            grouped(bars().count() as u64),
            grouped(waited),
        )
    }

    /// Returns a row for each warp of a block that a slot ran.
    fn csv(&self, _: &Figure) -> String {
        let mut text = String::from("sm,warp slot,block,warp of the block,start [cycle],end [cycle],block end [cycle]\n");
        for (row, bar) in self.rows.iter().flat_map(|row| row.bars.iter().map(move |bar| (row, bar))) {
            let Bar { stint, own, to, held } = *bar;
            let number = stint.number(own, self.width);
            let _ = writeln!(text, "{},{},{},{number},{},{to},{held}", row.sm, row.warp, stint.block, stint.from);
        }
        text
    }
}
