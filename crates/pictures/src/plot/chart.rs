//! A chart: the numbers of a figure, ready to be drawn, written as a table or described in words.

use super::breakdown::Breakdown;
use super::curves::Curves;
use super::figures::{Figure, FigureKind, Label};
use super::layout::{Bounds, PlotSheet};
use super::race::{RACE, Race, Racer};
use super::rtru::Rtru;
use super::warp_phases::WarpPhases;
use super::who_ran::WhoRan;
use warpscope_machine::config::Config;
use warpscope_machine::metrics::Metrics;
use warpscope_machine::record::{Phases, Series, Stints};

/// The data that figures are made from: a run, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct PlottedRun<'a> {
    /// The run's numbers over time.
    pub series: &'a Series,
    /// The warp-phases that have been kept.
    pub phases: &'a Phases,
    /// What warp slots ran, block after block.
    pub stints: &'a Stints,
    /// The counts up to the displayed cycle.
    pub metrics: &'a Metrics,
    /// The machine, on which it depends which figures there are.
    pub config: &'a Config,
    /// Warps per block.
    pub block_warps: u16,
    /// Whether blocks are virtual.
    pub is_virtual: bool,
    /// Whether the kernel has barriers.
    pub barriers: bool,
    /// The displayed cycle.
    pub cycle: Option<u64>,
    /// The SM that figures of one SM show, and the block that they show first.
    pub sm: u16,
    /// The block that a figure of one block shows first.
    pub block: Option<u64>,
}

/// One figure of one run, ready to be drawn or written as a table.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Which of the figures it is.
    pub figure: &'static Figure,
    /// A short note on what was run; may be empty.
    pub note: String,
    /// The displayed cycle.
    pub cycle: Option<u64>,
    /// Its numbers, by the figure's kind.
    pub body: Body,
}

/// The numbers of a figure, by its kind.
#[derive(Clone, Debug)]
pub enum Body {
    /// Numbers over time.
    Curves(Curves),
    /// When each warp of a block ran in each warp-phase.
    WarpPhases(WarpPhases),
    /// How unequal the warps of each phase were.
    Rtru(Rtru),
    /// Which warps of logical blocks each slot ran.
    WhoRan(WhoRan),
    /// What all warp-cycles went to.
    Breakdown(Breakdown),
    /// Several runs against each other.
    Race(Race),
}

/// What every kind of figure provides.
pub trait Content {
    /// Returns why there is nothing to draw, as a sentence without its full stop.
    fn nothing(&self) -> Option<&'static str>;
    /// Returns the text above the data.
    fn heading(&self, figure: &Figure) -> String {
        format!("{} ({})", figure.y, figure.unit)
    }
    /// Returns a note on what the figure leaves out.
    fn remark(&self) -> Option<String> {
        None
    }
    /// Returns the labels of everything that has a colour of its own.
    fn labels(&self) -> Vec<&Label>;
    /// Returns whether the labels stand in a legend. Figures of one colour need none; some have labels beside the data.
    fn has_legend(&self) -> bool {
        self.labels().len() > 1
    }
    /// Returns whether the data are stacked from the first label at the bottom to the last at the top.
    fn is_stacked(&self) -> bool {
        false
    }
    /// Returns the height that the content should have with letters of this size, if curves have `usual` for their data.
    fn height(&self, usual: f64, letters: f64) -> f64;
    /// Draws the data and the axes.
    fn draw(&self, sheet: &mut PlotSheet, bounds: Bounds, cycle: Option<u64>);
    /// Describes the figure at the displayed cycle, in a sentence or two that begin with the figure's title.
    fn words(&self, figure: &Figure, cycle: Option<u64>) -> String;
    /// Returns CSV: a heading with names and units, then rows.
    fn csv(&self, figure: &Figure) -> String;
}

impl Chart {
    /// Returns a chart that compares runs of one kernel; the note names what was run.
    pub fn race(racers: Vec<Racer>, note: String) -> Chart {
        Chart { figure: &RACE, note, cycle: None, body: Body::Race(Race::new(racers)) }
    }

    /// Returns a chart with at most `most` stretches, or a matching amount of other data; [`usize::MAX`] takes all data, for a
    /// table.
    pub fn new(figure: &'static Figure, run: &PlottedRun, most: usize) -> Chart {
        let body = match &figure.kind {
            FigureKind::Number { plotted, is_share } => {
                Body::Curves(Curves::of_number(figure.title, *plotted, *is_share, run, most))
            }
            FigureKind::Line(over_time) => Body::Curves(Curves::new(over_time, false, run, most)),
            FigureKind::Stack(over_time) => Body::Curves(Curves::new(over_time, true, run, most)),
            FigureKind::WarpPhases => Body::WarpPhases(WarpPhases::new(run, most)),
            FigureKind::Rtru => Body::Rtru(Rtru::new(run)),
            FigureKind::WhoRan => Body::WhoRan(WhoRan::new(run, most)),
            FigureKind::Breakdown => Body::Breakdown(Breakdown::new(run)),
            // A race needs several runs: see [`Chart::race`].
            FigureKind::Race => Body::Race(Race::default()),
        };
        Chart { figure, note: String::new(), cycle: run.cycle, body }
    }

    /// Returns what can be drawn, whatever its kind.
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

    /// Describes the figure at the displayed cycle, for readers who cannot see it.
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
