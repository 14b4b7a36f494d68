//! The RTRU of every warp-phase that has ended, over time (BAWS section 3.2), and its average over the run.

use super::axis::{Ticks, decimal, grouped};
use super::chart::{Content, PlottedRun};
use super::figures::{Figure, Label, Paint};
use super::layout::{BELOW, Bounds, Mark, PlotSheet, Point, along};
use super::warp_phases::{NO_BARRIER, left_out};
use crate::scene::Tone;
use std::fmt::Write;
use warpscope_machine::metrics::phases::Phase;

/// The width of a dot, in the page's pixels.
const DOT: f64 = 4.0;
/// The least end of the axis, in per cent, so that phases that are almost equal look so.
const LEAST_TOP: f64 = 10.0;

#[derive(Clone, Debug)]
pub struct Rtru {
    barriers: bool,
    /// In the order in which the phases ended.
    dots: Vec<Dot>,
    /// The average over all phases, kept or left out, in per cent.
    mean: Option<f64>,
    left_out: u64,
    end: u64,
    labels: [Label; 2],
}

/// A phase that has ended.
#[derive(Clone, Debug)]
struct Dot {
    release: u64,
    sm: u16,
    block: u64,
    number: u32,
    warps: usize,
    percent: f64,
}

impl Dot {
    fn of(phase: &Phase) -> Dot {
        let Phase { release, sm, block, number, .. } = *phase;
        Dot { release, sm, block, number, warps: phase.times().count(), percent: phase.rtru_millionths() as f64 / 1e4 }
    }
}

impl Rtru {
    pub fn new(run: &PlottedRun) -> Rtru {
        let PlottedRun { phases, barriers, .. } = *run;
        let mean = phases.rtru().map(|mean| 100.0 * mean);
        let mean_name = mean.map_or_else(String::new, |mean| format!("average {mean:.1} %"));
        Rtru {
            barriers,
            dots: if barriers { phases.kept().iter().map(Dot::of).collect() } else { Vec::new() },
            mean,
            left_out: phases.left_out(),
            end: run.series.end().max(phases.kept().last().map_or(0, |phase| phase.release)),
            labels: [Paint::Pure(Tone::Accent).label("warp-phase"), Paint::Pure(Tone::Heat).label(&mean_name)],
        }
    }
}

impl Content for Rtru {
    fn nothing(&self) -> Option<&'static str> {
        match (self.barriers, self.dots.is_empty()) {
            (false, _) => Some(NO_BARRIER),
            (true, true) => Some("No warp-phase has ended yet"),
            (true, false) => None,
        }
    }

    fn remark(&self) -> Option<String> {
        left_out(self.left_out, self.dots.len())
    }

    fn labels(&self) -> Vec<&Label> {
        self.labels.iter().collect()
    }

    fn height(&self, usual: f64, letters: f64) -> f64 {
        usual + letters * BELOW
    }

    fn draw(&self, sheet: &mut PlotSheet, bounds: Bounds, cycle: Option<u64>) {
        let [dot, line] = [0, 1].map(|at: usize| self.labels[at].paint.colour(sheet.palette));
        let largest = self.dots.iter().map(|dot| dot.percent).fold(LEAST_TOP, f64::max);
        let ticks = Ticks::around(largest, sheet.tick_rows(bounds));
        let data @ [left, top, right, bottom] = sheet.values(bounds, &ticks);
        let height = |percent: f64| bottom - (bottom - top) * percent / ticks.top;
        let mut places: Vec<Point> = self
            .dots
            .iter()
            .map(|dot| {
                let x = along([left, right], &(0..self.end), dot.release as f64);
                (sheet.sharp(x - DOT / 2.0), sheet.sharp(height(dot.percent) - DOT / 2.0))
            })
            .collect();
        // Phases that fall on one place share a dot.
        places.sort_unstable();
        places.dedup();
        let size = sheet.sharp(DOT);
        sheet.marks.extend(places.into_iter().map(|from| Mark::Bar { from, to: (from.0 + size, from.1 + size), colour: dot }));
        if let Some(mean) = self.mean {
            let y = sheet.sharp(height(mean));
            let points = vec![(sheet.sharp(left), y), (sheet.sharp(right), y)];
            sheet.marks.push(Mark::Path { points, width: sheet.stroke(), colour: line });
        }
        sheet.cycles(data, 0..self.end, cycle);
    }

    fn words(&self, figure: &Figure, _: Option<u64>) -> String {
        let percents = || self.dots.iter().map(|dot| dot.percent);
        let (least, most) = (percents().fold(f64::INFINITY, f64::min), percents().fold(0.0, f64::max));
        let mean = decimal(self.mean.unwrap_or(0.0));
        let count = grouped(self.dots.len() as u64 + self.left_out);
        format!(
            "{}: {mean} % on average over {count} warp-phases; between {} % and {} %.",
            figure.title,
            decimal(least),
            decimal(most)
        )
    }

    fn csv(&self, _: &Figure) -> String {
        let mut text = String::from("cycle,sm,block,phase,warps,RTRU [%]\n");
        for Dot { release, sm, block, number, warps, percent } in &self.dots {
            let _ = writeln!(text, "{release},{sm},{block},{number},{warps},{percent}");
        }
        text
    }
}
