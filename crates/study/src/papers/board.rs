//! The results of a paper's runs on its machine, and the numbers that its claims are made of: a number of each workload, or its
//! ratio between two settings.
//!
//! A workload without a number is left out: one that has no such run, or whose ratio would be infinite. The means of such lists
//! are in [`judge`](super::judge); each paper says which of them it takes.

use super::Results;
use super::judge::{Speedups, average};
use crate::run::RunSpec;
use warpscope_machine::metrics::Report;

/// Changed keys and their values.
pub type Keys<'k> = &'k [(&'k str, &'k str)];

/// A technique, and the keys that are changed on top of it.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'k> {
    technique: &'k str,
    keys: Keys<'k>,
}

impl<'k> From<&'k str> for Setting<'k> {
    fn from(technique: &'k str) -> Setting<'k> {
        Setting { technique, keys: &[] }
    }
}

impl<'k> From<(&'k str, Keys<'k>)> for Setting<'k> {
    fn from((technique, keys): (&'k str, Keys<'k>)) -> Setting<'k> {
        Setting { technique, keys }
    }
}

/// A paper's results; `Sets` are its workloads as it sorts them.
pub struct Board<'a, Sets = ()> {
    pub results: &'a Results,
    preset: &'static str,
    pub sets: Sets,
}

impl<'a> Board<'a> {
    pub fn new(results: &'a Results, preset: &'static str) -> Board<'a> {
        Board { results, preset, sets: () }
    }

    /// Sorts the workloads by their results.
    pub fn sorted<Sets>(self, sort: impl FnOnce(&Board<'a>) -> Sets) -> Board<'a, Sets> {
        Board { sets: sort(&self), results: self.results, preset: self.preset }
    }
}

impl<'a, Sets> Board<'a, Sets> {
    /// Returns the results on another machine.
    pub fn on(&self, preset: &'static str) -> Board<'a> {
        Board::new(self.results, preset)
    }

    pub fn report<'k>(&self, workload: &str, setting: impl Into<Setting<'k>>) -> Option<&'a Report> {
        let Setting { technique, keys } = setting.into();
        self.results.of(&RunSpec::of(workload, self.preset, technique).with(keys))
    }

    /// Returns a number of each workload.
    pub fn numbers<'k>(
        &self,
        set: &[&'static str],
        setting: impl Into<Setting<'k>>,
        number: impl Fn(&Report) -> Option<f64>,
    ) -> Speedups {
        let setting = setting.into();
        set.iter().filter_map(|name| Some((*name, number(self.report(name, setting)?)?))).collect()
    }

    /// Returns the arithmetic mean of a quantity, if every workload of the set has been run: means of different workloads cannot
    /// be compared.
    pub fn average<'k>(
        &self,
        set: &[&'static str],
        setting: impl Into<Setting<'k>>,
        quantity: impl Fn(&Report) -> f64,
    ) -> Option<f64> {
        let numbers = self.numbers(set, setting, |report| Some(quantity(report)));
        average(&numbers).filter(|_| numbers.len() == set.len())
    }

    /// Returns a quantity in one setting over that in another, of each workload.
    pub fn ratios<'k>(
        &self,
        set: &[&'static str],
        of: impl Into<Setting<'k>>,
        over: impl Into<Setting<'k>>,
        quantity: impl Fn(&Report) -> f64,
    ) -> Speedups {
        let (of, over) = (of.into(), over.into());
        let value = |name: &str, setting| self.report(name, setting).map(&quantity);
        let ratio = |name: &&'static str| Some((*name, value(name, of)? / value(name, over)?));
        set.iter().filter_map(ratio).filter(|(_, ratio)| ratio.is_finite()).collect()
    }

    /// Returns that ratio of one workload.
    pub fn ratio<'k>(
        &self,
        workload: &'static str,
        of: impl Into<Setting<'k>>,
        over: impl Into<Setting<'k>>,
        quantity: impl Fn(&Report) -> f64,
    ) -> Option<f64> {
        self.ratios(&[workload], of, over, quantity).pop().map(|(_, ratio)| ratio)
    }

    /// Returns how many times as fast each workload is in one setting as in another.
    pub fn speedups<'k>(&self, set: &[&'static str], of: impl Into<Setting<'k>>, over: impl Into<Setting<'k>>) -> Speedups {
        self.ratios(set, over, of, |report| report.cycles as f64)
    }

    /// Returns the speedups of one technique over another, both with the same keys changed.
    pub fn speedups_with(&self, set: &[&'static str], keys: Keys, of: &str, over: &str) -> Speedups {
        self.speedups(set, (of, keys), (over, keys))
    }

    /// Returns the speedup of one workload.
    pub fn speedup<'k>(&self, workload: &'static str, of: impl Into<Setting<'k>>, over: impl Into<Setting<'k>>) -> Option<f64> {
        self.speedups(&[workload], of, over).pop().map(|(_, speedup)| speedup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::RunError;
    use warpscope_machine::config::Config;
    use warpscope_machine::metrics::Metrics;

    const SET: [&str; 3] = ["bfs", "lu", "scan"];

    /// `bfs` takes 300 cycles under PDOM, 200 under TBC, 100 with `sms` changed; `lu` fails under TBC; `scan` issues nothing.
    fn results() -> Results {
        let report = |cycles, warp_instructions| Report {
            warp_instructions,
            ..Report::new(&Metrics::default(), &Config::default(), cycles)
        };
        let run = |name, technique| RunSpec::of(name, "tbc", technique);
        Results::from_iter([
            (run("bfs", "PDOM"), Ok(report(300, 30))),
            (run("bfs", "TBC"), Ok(report(200, 15))),
            (run("bfs", "TBC").with(&[("sms", "2")]), Ok(report(100, 15))),
            (run("lu", "PDOM"), Ok(report(80, 10))),
            (run("lu", "TBC"), Err(RunError::Endless)),
            (run("scan", "PDOM"), Ok(report(10, 0))),
            (run("scan", "TBC"), Ok(report(20, 0))),
        ])
    }

    #[test]
    fn ratios_leave_out_what_has_none() {
        let results = results();
        let board = Board::new(&results, "tbc");
        assert_eq!(board.speedups(&SET, "TBC", "PDOM"), [("bfs", 1.5), ("scan", 0.5)]);
        let keys: Keys = &[("sms", "2")];
        assert_eq!(board.speedup("bfs", ("TBC", keys), "PDOM"), Some(3.0));
        assert_eq!(board.speedups_with(&SET, keys, "TBC", "PDOM"), []);
        let instructions = |report: &Report| report.warp_instructions as f64;
        assert_eq!(board.ratios(&SET, "TBC", "PDOM", instructions), [("bfs", 0.5)], "`scan` has nothing to divide by");
        assert_eq!(board.on("toy").speedups(&SET, "TBC", "PDOM"), []);
    }

    #[test]
    fn a_mean_of_a_set_needs_every_run() {
        let results = results();
        let board = Board::new(&results, "tbc");
        let cycles = |report: &Report| report.cycles as f64;
        assert_eq!(board.average(&SET, "PDOM", cycles), Some(130.0));
        assert_eq!(board.average(&SET, "TBC", cycles), None);
        assert_eq!(average(&board.numbers(&SET, "TBC", |report| Some(cycles(report)))), Some(110.0));
        assert_eq!(board.average(&[], "PDOM", cycles), None);
    }
}
