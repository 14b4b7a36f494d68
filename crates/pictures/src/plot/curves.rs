//! Values over stretches of cycles, as curves or as layers. A stretch is drawn at its full width, so that a single cycle shows as
//! a step.

use super::axis::{Ticks, decimal, grouped};
use super::chart::{Content, PlottedRun};
use super::figures::{Figure, Label, OverTime, Paint, RunFacts};
use super::file::cell;
use super::layout::{BELOW, Bounds, Mark, PlotSheet, Point};
use crate::scene::Tone;
use plotters::coord::CoordTranslate;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::types::RangedCoordf64;
use std::fmt::Write;
use warpscope_machine::metrics::MetricSource;
use warpscope_machine::record::StretchCounts;

/// Several numbers over the same stretches of cycles.
#[derive(Clone, Debug)]
pub struct Curves {
    /// The first cycle of each stretch, then the end of the last one; empty if nothing has run.
    pub edges: Vec<u64>,
    pub(crate) curves: Vec<Curve>,
    /// Where the y axis ends; `None` fits it to the data.
    pub top: Option<f64>,
    /// Whether the curves are layers, the first at the bottom, rather than lines over a common zero.
    pub stacked: bool,
}

/// One number over time.
#[derive(Clone, Debug)]
pub struct Curve {
    pub(crate) label: Label,
    /// A value for each stretch; NaN where there is no value.
    pub values: Vec<f64>,
}

impl Curves {
    /// Builds the curve of one number over at most `most` stretches; a share is shown in per cent.
    pub fn of_number(
        name: &'static str,
        plotted: fn(&MetricSource) -> f64,
        is_share: bool,
        run: &PlottedRun,
        most: usize,
    ) -> Curves {
        let factor = if is_share { 100.0 } else { 1.0 };
        let sms = run.series.sms().max(1) as u64;
        let value = |bucket: &StretchCounts| {
            factor * plotted(&MetricSource { totals: &bucket.totals, cycles: bucket.cycles / sms, config: run.config })
        };
        let top = is_share.then_some(100.0);
        Curves::build(vec![Paint::Pure(Tone::Accent).label(name)], |bucket| vec![value(bucket)], top, false, run, most)
    }

    /// Builds the figure's curves over at most `most` stretches.
    pub fn new(figure: &OverTime, stacked: bool, run: &PlottedRun, most: usize) -> Curves {
        let warp_width = run.config.warp_width;
        let facts = RunFacts { warp_width, sms: run.series.sms().max(1), reasons: run.series.reasons() };
        let (labels, top) = ((figure.labels)(&facts), (figure.top)(&facts));
        Curves::build(labels, |bucket| (figure.values)(bucket, &facts), top, stacked, run, most)
    }

    /// Buckets are grouped by powers of two, so that stretches do not shift as a run grows.
    fn build(
        labels: Vec<Label>,
        values: impl Fn(&StretchCounts) -> Vec<f64>,
        top: Option<f64>,
        stacked: bool,
        run: &PlottedRun,
        most: usize,
    ) -> Curves {
        let series = run.series;
        let mut group = 1;
        while series.len().div_ceil(group) > most.max(1) {
            group *= 2;
        }
        let mut curves: Vec<Curve> = labels.into_iter().map(|label| Curve { label, values: Vec::new() }).collect();
        let mut sums = series.buckets(group);
        let mut edges: Vec<u64> = (0..series.len()).step_by(group).map(|at| at as u64 * series.span()).collect();
        if !series.is_empty() {
            edges.push(series.end());
        }
        let cycles = |bucket: &StretchCounts| bucket.cycles.div_ceil(series.sms().max(1) as u64);
        // A last stretch of a few cycles would be a spike, so it is merged into the one before it.
        if let [.., before, last] = &mut sums[..]
            && cycles(last) * 2 < series.span() * group as u64
        {
            before.add(last);
            sums.pop();
            edges.remove(edges.len() - 2);
        }
        for sum in &sums {
            curves.iter_mut().zip(values(sum)).for_each(|(curve, value)| curve.values.push(value));
        }
        Curves { edges, curves, top, stacked }
    }

    /// Returns the number of cycles that are shown.
    pub fn end(&self) -> u64 {
        self.edges.last().copied().unwrap_or(0)
    }

    /// Returns the number of stretches that are shown.
    pub fn len(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// Returns whether nothing has run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the largest value that is drawn.
    fn largest(&self) -> f64 {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        if self.stacked {
            largest(&mut (0..self.len()).map(|at| self.curves.iter().map(|curve| curve.values[at]).sum()))
        } else {
            largest(&mut self.curves.iter().flat_map(|curve| curve.values.iter().copied()))
        }
    }

    fn draw_lines(&self, sheet: &mut PlotSheet, plane: &Plane, zero: i32) {
        for Curve { label, values } in &self.curves {
            let colour = label.paint.colour(sheet.palette);
            let wash = match label.paint {
                Paint::Pure(tone) | Paint::Mix(tone, ..) => Paint::Mix(tone, Tone::Panel, 0.14).colour(sheet.palette),
            };
            let runs: Vec<Vec<Point>> =
                runs(values).map(|run| stairs(plane, &self.edges, &values[run.clone()], run.start)).collect();
            // The washes of several curves would hide each other.
            if self.curves.len() == 1 {
                sheet.marks.extend(runs.iter().map(|run| Mark::Area { points: closed(run.clone(), zero), colour: wash }));
            }
            let width = sheet.stroke();
            sheet.marks.extend(runs.into_iter().map(|points| Mark::Path { points, width, colour }));
        }
    }

    /// Draws the layers from the top one down. Each reaches to zero and lower ones cover it, so that no background shows between
    /// them.
    fn draw_layers(&self, sheet: &mut PlotSheet, plane: &Plane, zero: i32) {
        let mut tops = vec![vec![0.0; self.len()]];
        for curve in &self.curves {
            let below = &tops[tops.len() - 1];
            tops.push(below.iter().zip(&curve.values).map(|(below, value)| below + value).collect());
        }
        for (layer, curve) in self.curves.iter().enumerate().rev() {
            if curve.values.iter().all(|&value| value == 0.0 || value.is_nan()) {
                continue;
            }
            let colour = curve.label.paint.colour(sheet.palette);
            let tops = &tops[layer + 1];
            let areas = runs(tops).map(|run| closed(stairs(plane, &self.edges, &tops[run.clone()], run.start), zero));
            sheet.marks.extend(areas.map(|points| Mark::Area { points, colour }));
        }
    }
}

impl Content for Curves {
    fn nothing(&self) -> Option<&'static str> {
        self.is_empty().then_some("Nothing has run yet")
    }

    fn labels(&self) -> Vec<&Label> {
        self.curves.iter().map(|curve| &curve.label).collect()
    }

    fn is_stacked(&self) -> bool {
        self.stacked
    }

    fn height(&self, usual: f64, letters: f64) -> f64 {
        usual + letters * BELOW
    }

    fn draw(&self, sheet: &mut PlotSheet, bounds: Bounds, cycle: Option<u64>) {
        let rows = sheet.tick_rows(bounds);
        let ticks = self.top.map_or_else(|| Ticks::around(self.largest(), rows), |top| Ticks::up_to(top, rows));
        let [left, top, right, bottom] = sheet.values(bounds, &ticks);
        let (x, y) = (sheet.sharp(left)..sheet.sharp(right), sheet.sharp(bottom)..sheet.sharp(top));
        let zero = y.start;
        let plane = Plane::new(0.0..self.end() as f64, 0.0..ticks.top, (x, y));
        if self.stacked {
            self.draw_layers(sheet, &plane, zero);
        } else {
            self.draw_lines(sheet, &plane, zero);
        }
        sheet.cycles([left, top, right, bottom], 0..self.end(), cycle);
    }

    fn words(&self, figure: &Figure, cycle: Option<u64>) -> String {
        let Figure { title, unit, .. } = figure;
        let end = self.end();
        let cycle = cycle.unwrap_or(end).min(end);
        // At cycle n the last executed cycle is n − 1.
        let at = self.edges.partition_point(|&edge| edge < cycle.max(1)).saturating_sub(1).min(self.len() - 1);
        let with_unit = |value: f64| if value.is_finite() { format!("{} {unit}", decimal(value)) } else { "nothing".into() };
        let now = if self.stacked {
            largest_three(self.curves.iter().map(|curve| (&curve.label, curve.values[at])), with_unit)
        } else {
            self.curves.first().map_or_else(String::new, |curve| {
                let known = || curve.values.iter().copied().filter(|value| value.is_finite());
                let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
                let between = format!("; between {} and {}", with_unit(least), with_unit(most));
                with_unit(curve.values[at]) + if least <= most { &between } else { "" }
            })
        };
        format!("{title} at cycle {} of {}: {now}.", grouped(cycle), grouped(end))
    }

    /// Returns a row for each stretch: its first cycle and a value for each curve. A cell without a value is empty.
    fn csv(&self, figure: &Figure) -> String {
        let mut text = String::from("cycle");
        for curve in &self.curves {
            let _ = write!(text, ",{}", cell(&format!("{} [{}]", curve.label.name, figure.unit)));
        }
        text.push('\n');
        for (at, start) in self.edges.iter().take(self.len()).enumerate() {
            let _ = write!(text, "{start}");
            for curve in &self.curves {
                text.push(',');
                if curve.values[at].is_finite() {
                    let _ = write!(text, "{}", curve.values[at]);
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Names the three largest parts of a whole, for a sentence.
pub fn largest_three<'a>(parts: impl Iterator<Item = (&'a Label, f64)>, with_unit: impl Fn(f64) -> String) -> String {
    let mut parts: Vec<(&Label, f64)> = parts.filter(|part| part.1 > 0.0).collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let said: Vec<String> = parts.iter().take(3).map(|(label, value)| format!("{} {}", label.name, with_unit(*value))).collect();
    if said.is_empty() { "nothing".into() } else { said.join(", ") }
}

/// Maps cycles and values to backend units.
type Plane = Cartesian2d<RangedCoordf64, RangedCoordf64>;

/// Returns the runs of stretches that have a value, in order.
fn runs(values: &[f64]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + values[from..].iter().position(|value| value.is_finite())?;
        let length = values[start..].iter().position(|value| !value.is_finite()).unwrap_or(values.len() - start);
        from = start + length;
        Some(start..from)
    })
}

/// Returns the corners of a run of values that begins with stretch `from`.
fn stairs(plane: &Plane, edges: &[u64], values: &[f64], from: usize) -> Vec<Point> {
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

/// Closes a path: down to zero at both ends.
fn closed(mut points: Vec<Point>, zero: i32) -> Vec<Point> {
    if let (Some(&first), Some(&last)) = (points.first(), points.last()) {
        points.extend([(last.0, zero), (first.0, zero)]);
    }
    points
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
