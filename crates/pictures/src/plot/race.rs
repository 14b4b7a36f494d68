//! Runs of one kernel as bars: as long as the run took, in the colours of what its warps did.

use super::axis::grouped;
use super::chart::Content;
use super::figures::{Figure, FigureKind, Label};
use super::file::cell;
use super::layout::{Bounds, PlotSheet, text_width};
use crate::scene::{Align, Tone};
use std::fmt::Write;
use warpscope_machine::event::Reason;

/// The heights of a row and of its bar, in multiples of the letter size.
const ROW: f64 = 1.6;
const BAR: f64 = 1.0;

/// The figure. It compares several runs, so it is not in the table of figures of one run.
pub static RACE: Figure = Figure {
    id: "race",
    title: "Every technique on one kernel",
    y: "cycles",
    unit: "cycles",
    about: "A bar for each technique, as long as its run: the colours are the shares of what its warps did.",
    shows: |_| true,
    kind: FigureKind::Race,
};

/// One run of the comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Racer {
    /// The technique, or what else distinguishes the run.
    pub name: String,
    /// Its length.
    pub cycles: u64,
    /// Warp-cycles by reason, in the order in which a bar shows them.
    pub parts: Vec<(Reason, u64)>,
}

#[derive(Clone, Debug, Default)]
pub struct Race {
    racers: Vec<Racer>,
    labels: Vec<(Reason, Label)>,
}

impl Race {
    pub fn new(racers: Vec<Racer>) -> Race {
        let count = |reason: Reason| {
            racers.iter().flat_map(|racer| &racer.parts).filter(|part| part.0 == reason).map(|part| part.1).sum::<u64>()
        };
        let shown = Reason::ALL.into_iter().filter(|reason| count(*reason) > 0);
        let labels = shown.map(|reason| (reason, Label::of(reason))).collect();
        Race { racers, labels }
    }

    fn slowest(&self) -> u64 {
        self.racers.iter().map(|racer| racer.cycles).max().unwrap_or(0)
    }
}

impl Content for Race {
    fn nothing(&self) -> Option<&'static str> {
        self.racers.is_empty().then_some("Nothing has run yet")
    }

    fn labels(&self) -> Vec<&Label> {
        self.labels.iter().map(|(_, label)| label).collect()
    }

    fn height(&self, _: f64, letters: f64) -> f64 {
        ROW * letters * self.racers.len() as f64
    }

    fn draw(&self, sheet: &mut PlotSheet, [left, top, right, bottom]: Bounds, _: Option<u64>) {
        let letters = sheet.letters;
        let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max) + letters;
        let names = widest(&mut self.racers.iter().map(|racer| text_width(&racer.name, letters)));
        let numbers = widest(&mut self.racers.iter().map(|racer| text_width(&grouped(racer.cycles), letters)));
        let row = (ROW * letters).min((bottom - top) / self.racers.len().max(1) as f64);
        let (from, to) = (left + names, right - numbers);
        for (at, racer) in self.racers.iter().enumerate() {
            let middle = top + (at as f64 + 0.5) * row;
            let half = row * BAR / ROW / 2.0;
            sheet.text(left, middle, Align::Left, Tone::Text, &racer.name);
            let end = from + (to - from) * racer.cycles as f64 / self.slowest().max(1) as f64;
            let whole: u64 = racer.parts.iter().map(|part| part.1).sum();
            let mut before = 0;
            let place = |count: u64| from + (end - from) * count as f64 / whole.max(1) as f64;
            for (reason, count) in &racer.parts {
                let edges = (place(before), place(before + count));
                before += count;
                if let Some((_, label)) = self.labels.iter().find(|(known, _)| known == reason).filter(|_| *count > 0) {
                    sheet.bar([edges.0, middle - half, edges.1, middle + half], label.paint.colour(sheet.palette));
                }
            }
            sheet.text(end + letters / 2.0, middle, Align::Left, Tone::Soft, &grouped(racer.cycles));
        }
    }

    fn words(&self, figure: &Figure, _: Option<u64>) -> String {
        let named = |racer: &Racer| format!("{} takes {} cycles", racer.name, grouped(racer.cycles));
        let ends = self.racers.iter().min_by_key(|racer| racer.cycles).zip(self.racers.iter().max_by_key(|racer| racer.cycles));
        match ends {
            Some((first, last)) => format!("{}: {}, {}.", figure.title, named(first), named(last)),
            None => format!("{}: nothing has run yet.", figure.title),
        }
    }

    fn csv(&self, _: &Figure) -> String {
        let mut text = String::from("technique,cycles");
        for (_, label) in &self.labels {
            let _ = write!(text, ",{} [warp-cycles]", cell(&label.name));
        }
        text.push('\n');
        for racer in &self.racers {
            let _ = write!(text, "{},{}", cell(&racer.name), racer.cycles);
            for (reason, _) in &self.labels {
                let count = racer.parts.iter().find(|part| part.0 == *reason).map_or(0, |part| part.1);
                let _ = write!(text, ",{count}");
            }
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chart, svg};
    use super::*;
    use crate::scene::{Palette, Theme};

    fn chart() -> Chart {
        let racer = |name: &str, cycles, issued, waited| Racer {
            name: name.into(),
            cycles,
            parts: vec![(Reason::Issued, issued), (Reason::Barrier, waited)],
        };
        Chart::race(vec![racer("TBC", 100, 80, 20), racer("PDOM", 200, 80, 0)], "a kernel".into())
    }

    #[test]
    fn the_bars_name_their_techniques_and_end_at_their_cycles() {
        let text = svg(&chart(), Palette::of(Theme::Light), 720, 360);
        for shown in ["TBC", "PDOM", "100", "200", "a kernel"] {
            assert!(text.contains(shown), "{shown}");
        }
    }

    #[test]
    fn the_words_name_the_quickest_and_the_slowest_and_the_table_has_every_reason() {
        let Chart { figure, body, .. } = chart();
        let super::super::Body::Race(race) = body else { panic!("a race") };
        assert_eq!(race.words(figure, None), "Every technique on one kernel: TBC takes 100 cycles, PDOM takes 200 cycles.");
        let rows: Vec<String> = race.csv(figure).lines().map(str::to_string).collect();
        assert!(rows.iter().skip(1).any(|row| row == "TBC,100,20,80" || row == "TBC,100,80,20"), "{rows:?}");
        assert_eq!(race.labels().len(), 2);
    }
}
