//! A figure of one run: numbers, ready to be drawn, written or read out.

use super::breakdown::Breakdown;
use super::curves::Curves;
use super::figures::{Figure, FigureKind, Label};
use super::layout::{Room, Sheet};
use super::race::{RACE, Race, Racer};
use super::rtru::Rtru;
use super::warp_phases::WarpPhases;
use super::who_ran::WhoRan;
use crate::metrics::Metrics;
use crate::record::{Phases, Series, Stints};

/// All that figures are made from: a run as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct PlottedRun<'a> {
    pub series: &'a Series,
    pub phases: &'a Phases,
    pub stints: &'a Stints,
    /// The numbers up to the cycle that is looked at.
    pub metrics: &'a Metrics,
    pub warp_width: u32,
    /// Warps of a block.
    pub block_warps: u16,
    /// Whether blocks are virtual.
    pub is_virtual: bool,
    /// Whether the kernel has barriers.
    pub barriers: bool,
    /// The cycle that is looked at.
    pub cycle: Option<u64>,
    /// The SM that figures of one SM show, and the block that they show first.
    pub sm: u16,
    pub block: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct Chart {
    pub figure: &'static Figure,
    /// What was run, in a few words; may be empty.
    pub note: String,
    /// The cycle that is looked at.
    pub cycle: Option<u64>,
    pub body: Body,
}

/// The numbers of a figure, by its kind.
#[derive(Clone, Debug)]
pub enum Body {
    Curves(Curves),
    WarpPhases(WarpPhases),
    Rtru(Rtru),
    WhoRan(WhoRan),
    Breakdown(Breakdown),
    Race(Race),
}

/// What every kind of figure has.
pub trait Content {
    /// Why there is nothing to draw, as a sentence without its full stop.
    fn nothing(&self) -> Option<&'static str>;
    /// What stands above the data.
    fn heading(&self, figure: &Figure) -> String {
        format!("{} ({})", figure.y, figure.unit)
    }
    /// What a reader must know of what is not shown.
    fn remark(&self) -> Option<String> {
        None
    }
    /// All that has a colour of its own.
    fn labels(&self) -> Vec<&Label>;
    /// Whether the labels stand in a legend; figures of one colour need none, and some have theirs beside the data.
    fn has_legend(&self) -> bool {
        self.labels().len() > 1
    }
    /// Whether the data lie from the first label at the bottom to the last at the top.
    fn is_stacked(&self) -> bool {
        false
    }
    /// How tall it should be with letters of this size, where curves have `usual` for their data.
    fn height(&self, usual: f64, letters: f64) -> f64;
    /// Draws data and axes.
    fn draw(&self, sheet: &mut Sheet, room: Room, cycle: Option<u64>);
    /// What it says at the cycle that is looked at, in a sentence or two that begin with the figure's title.
    fn words(&self, figure: &Figure, cycle: Option<u64>) -> String;
    /// A heading with names and units, then rows.
    fn csv(&self, figure: &Figure) -> String;
}

impl Chart {
    /// Runs of one kernel beside each other; the note says of which.
    pub fn race(racers: Vec<Racer>, note: String) -> Chart {
        Chart { figure: &RACE, note, cycle: None, body: Body::Race(Race::new(racers)) }
    }

    /// At most `most` stretches, or as much as goes well with them; with [`usize::MAX`] all that is known, for a table.
    pub fn new(figure: &'static Figure, run: &PlottedRun, most: usize) -> Chart {
        let body = match &figure.kind {
            FigureKind::Line(over_time) => Body::Curves(Curves::new(over_time, false, run, most)),
            FigureKind::Stack(over_time) => Body::Curves(Curves::new(over_time, true, run, most)),
            FigureKind::WarpPhases => Body::WarpPhases(WarpPhases::new(run, most)),
            FigureKind::Rtru => Body::Rtru(Rtru::new(run)),
            FigureKind::WhoRan => Body::WhoRan(WhoRan::new(run, most)),
            FigureKind::Breakdown => Body::Breakdown(Breakdown::new(run)),
            // One run is no race: [`Chart::race`] has many.
            FigureKind::Race => Body::Race(Race::default()),
        };
        Chart { figure, note: String::new(), cycle: run.cycle, body }
    }

    pub fn content(&self) -> &dyn Content {
        match &self.body {
            Body::Curves(curves) => curves,
            Body::WarpPhases(phases) => phases,
            Body::Rtru(rtru) => rtru,
            Body::WhoRan(who_ran) => who_ran,
            Body::Breakdown(breakdown) => breakdown,
            Body::Race(race) => race,
        }
    }

    /// The figure for those who cannot see it: what it says at the cycle that is looked at.
    pub fn words(&self) -> String {
        let content = self.content();
        if let Some(nothing) = content.nothing() {
            let (first, rest) = nothing.split_at(1);
            return format!("{}: {}{rest}.", self.figure.title, first.to_lowercase());
        }
        let mut words = content.words(self.figure, self.cycle);
        if let Some(remark) = content.remark() {
            words.push(' ');
            words.push_str(&remark);
        }
        words
    }
}
