//! A figure of one run: numbers, ready to be drawn, written or read out.

use super::axis::{decimal, grouped};
use super::figures::{Facts, Figure, Kind, Label};
use crate::record::{Bucket, Series};

#[derive(Clone, Debug)]
pub struct Chart {
    pub figure: &'static Figure,
    /// What was run, in a few words; may be empty.
    pub note: String,
    /// Where each stretch begins, and where the last ends; nothing where nothing has run.
    pub edges: Vec<u64>,
    pub curves: Vec<Curve>,
    /// Where the y axis ends, if not with the data.
    pub top: Option<f64>,
    /// The cycle that is looked at.
    pub cycle: Option<u64>,
}

#[derive(Clone, Debug)]
pub struct Curve {
    pub label: Label,
    /// A value for each stretch; not a number where there is nothing to say.
    pub values: Vec<f64>,
}

impl Chart {
    /// At most `most` stretches. Buckets are brought together in powers of two, so that stretches do not shift as a run grows.
    pub fn new(figure: &'static Figure, series: &Series, warp_width: u32, most: usize) -> Chart {
        let facts = Facts { warp_width, sms: series.sms().max(1) };
        let mut group = 1;
        while series.len().div_ceil(group) > most.max(1) {
            group *= 2;
        }
        let labels = (figure.labels)(&facts);
        let mut curves: Vec<Curve> = labels.into_iter().map(|label| Curve { label, values: Vec::new() }).collect();
        let mut sums = series.buckets(group);
        let mut edges: Vec<u64> = (0..series.len()).step_by(group).map(|at| at as u64 * series.span()).collect();
        if !series.is_empty() {
            edges.push(series.end());
        }
        let cycles = |bucket: &Bucket| bucket.cycles.div_ceil(facts.sms as u64);
        // A last stretch of a few cycles would be a spike: it goes with the one before it.
        if let [.., before, last] = &mut sums[..]
            && cycles(last) * 2 < series.span() * group as u64
        {
            before.add(last);
            sums.pop();
            edges.remove(edges.len() - 2);
        }
        for sum in &sums {
            let values = (figure.values)(sum, &facts);
            curves.iter_mut().zip(values).for_each(|(curve, value)| curve.values.push(value));
        }
        Chart { figure, note: String::new(), edges, curves, top: (figure.top)(&facts), cycle: None }
    }

    /// Cycles that are shown.
    pub fn end(&self) -> u64 {
        self.edges.last().copied().unwrap_or(0)
    }

    /// Stretches that are shown.
    pub fn len(&self) -> usize {
        self.edges.len().saturating_sub(1)
    }

    /// Nothing has run.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The largest value that is drawn.
    pub fn largest(&self) -> f64 {
        let largest = |values: &mut dyn Iterator<Item = f64>| values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        match self.figure.kind {
            Kind::Line => largest(&mut self.curves.iter().flat_map(|curve| curve.values.iter().copied())),
            Kind::Stack => largest(&mut (0..self.len()).map(|at| self.curves.iter().map(|curve| curve.values[at]).sum())),
        }
    }

    /// The figure for those who cannot see it: what it says at the cycle that is looked at.
    pub fn words(&self) -> String {
        let Figure { title, unit, .. } = self.figure;
        if self.is_empty() {
            return format!("{title}: nothing has run yet.");
        }
        let end = self.end();
        let cycle = self.cycle.unwrap_or(end).min(end);
        // At cycle n the last thing that happened is cycle n − 1.
        let at = self.edges.partition_point(|&edge| edge < cycle.max(1)).saturating_sub(1).min(self.len() - 1);
        let with_unit = |value: f64| if value.is_finite() { format!("{} {unit}", decimal(value)) } else { "nothing".into() };
        let now = match self.figure.kind {
            Kind::Line => self.curves.first().map_or_else(String::new, |curve| {
                let known = || curve.values.iter().copied().filter(|value| value.is_finite());
                let (least, most) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
                let between = format!("; between {} and {}", with_unit(least), with_unit(most));
                with_unit(curve.values[at]) + if least <= most { &between } else { "" }
            }),
            Kind::Stack => {
                let mut parts: Vec<(f64, &str)> =
                    self.curves.iter().map(|curve| (curve.values[at], &*curve.label.name)).filter(|part| part.0 > 0.0).collect();
                parts.sort_by(|a, b| b.0.total_cmp(&a.0));
                let said: Vec<String> =
                    parts.iter().take(3).map(|(value, name)| format!("{name} {}", with_unit(*value))).collect();
                if said.is_empty() { "nothing".into() } else { said.join(", ") }
            }
        };
        format!("{title} at cycle {} of {}: {now}.", grouped(cycle), grouped(end))
    }
}
