//! All warp-cycles of a run by what the warps did or waited for, as one bar with its numbers (BAWS figure 10).

use super::axis::{decimal, grouped};
use super::chart::{Content, PlottedRun};
use super::curves::largest_three;
use super::figures::{Figure, Label};
use super::file::cell;
use super::layout::{Bounds, PlotSheet, text_width};
use crate::scene::{Align, Tone};
use std::fmt::Write;
use warpscope_machine::event::Reason;

/// The reasons that are no hazard; the paper's figure leaves them out.
const NO_HAZARD: [Reason; 3] = [Reason::Sync, Reason::NotSelected, Reason::Issued];
/// The heights of the bar, the gap below it and a row of the table, in multiples of the letter size.
const BAR: f64 = 2.2;
const GAP: f64 = 0.8;
const ROW: f64 = 1.5;
/// The greatest width of the table, in multiples of the letter size: a name has to stay close to its numbers.
const WIDEST: f64 = 28.0;

#[derive(Clone, Debug)]
pub struct Breakdown {
    /// Labels with their counts, hazards first.
    parts: Vec<(Label, u64)>,
    /// The cycle up to which the parts are counted.
    cycle: u64,
}

impl Breakdown {
    pub fn new(run: &PlottedRun) -> Breakdown {
        let count = |reason: Reason| run.metrics.totals.warp_cycles[reason as usize];
        let hazards = Reason::listed(count).into_iter().filter(|reason| !NO_HAZARD.contains(reason));
        let parts = hazards.chain(NO_HAZARD).map(|reason| (Label::of(reason), count(reason)));
        Breakdown { parts: parts.collect(), cycle: run.cycle.unwrap_or(run.series.end()) }
    }

    /// Returns the warp-cycles of all resident warps.
    pub fn total(&self) -> u64 {
        self.parts.iter().map(|part| part.1).sum()
    }

    fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / self.total().max(1) as f64
    }
}

impl Content for Breakdown {
    fn nothing(&self) -> Option<&'static str> {
        (self.total() == 0).then_some("Nothing has run yet")
    }

    fn heading(&self, _: &Figure) -> String {
        format!("{} warp-cycles up to cycle {}", grouped(self.total()), grouped(self.cycle))
    }

    fn labels(&self) -> Vec<&Label> {
        self.parts.iter().map(|part| &part.0).collect()
    }

    /// The labels stand beside their numbers instead.
    fn has_legend(&self) -> bool {
        false
    }

    fn height(&self, _: f64, letters: f64) -> f64 {
        (BAR + GAP + ROW * self.parts.len() as f64) * letters
    }

    fn draw(&self, sheet: &mut PlotSheet, [left, top, right, bottom]: Bounds, _: Option<u64>) {
        let letters = sheet.letters;
        let whole = self.total() as f64;
        let mut before = 0;
        let place = |count: u64| left + (right - left) * count as f64 / whole;
        for (label, count) in &self.parts {
            let (from, to) = (place(before), place(before + count));
            before += count;
            if *count > 0 {
                sheet.bar([from, top, to, top + BAR * letters], label.paint.colour(sheet.palette));
            }
        }
        let top = top + (BAR + GAP) * letters;
        let row = (ROW * letters).min((bottom - top) / self.parts.len() as f64);
        let right = right.min(left + WIDEST * letters);
        let widest = text_width(&grouped(self.total()), letters) + letters * 1.5;
        for (at, (label, count)) in self.parts.iter().enumerate() {
            let y = top + (at as f64 + 0.5) * row;
            sheet.label(left, y, label);
            sheet.text(right - widest, y, Align::Right, Tone::Text, &format!("{:.1} %", self.percent(*count)));
            sheet.text(right, y, Align::Right, Tone::Soft, &grouped(*count));
        }
    }

    fn words(&self, figure: &Figure, _: Option<u64>) -> String {
        let parts = self.parts.iter().map(|(label, count)| (label, self.percent(*count)));
        let largest = largest_three(parts, |percent| format!("{} %", decimal(percent)));
        format!("{}, {}: {largest}.", figure.title, self.heading(figure))
    }

    fn csv(&self, _: &Figure) -> String {
        let mut text = String::from("reason,warp-cycles,share [%]\n");
        for (label, count) in &self.parts {
            let _ = writeln!(text, "{},{count},{}", cell(&label.name), self.percent(*count));
        }
        text
    }
}
