//! The numbers of a selected stretch of cycles, and how many of its cycles each line cost.

use super::{Beside, Lab, Notice, Stage, grouped};
use std::rc::Rc;
use warpscope_machine::metrics::{Report, Tally};
use warpscope_pictures::view::Script;

/// What was counted from cycle `from` up to cycle `to` (exclusive).
#[derive(Clone, Debug)]
pub struct Stretch {
    /// The first cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub to: u64,
    /// What was counted, by instruction too.
    pub tally: Tally,
    /// The numbers that follow from it.
    pub report: Report,
}

/// The cost of a line of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// Line number, from 1.
    pub line: usize,
    /// The line, without its indentation.
    pub text: String,
    /// Cycles per SM from the previous issue to each issue of this line; every cycle up to the last issue is one line's.
    pub cycles: u64,
}

impl Lab {
    /// Selects a range of cycles, its ends in any order; `None` and an empty range select nothing.
    pub fn set_range(&mut self, range: Option<(u64, u64)>) {
        let Some(stage) = &mut self.stage else { return };
        let reached = stage.session.reached();
        let range = range.map(|(one, other)| (one.min(other).min(reached), one.max(other).min(reached)));
        stage.range = range.filter(|(from, to)| from < to);
    }

    /// Sets the start of the range to the current cycle.
    pub fn begin_range(&mut self) {
        let now = self.cycle();
        let end = self.stage.as_ref().and_then(|stage| stage.range).map_or(u64::MAX, |(_, to)| to);
        self.bound_range(now, if end > now { end } else { u64::MAX });
    }

    /// Sets the end of the range to the current cycle.
    pub fn end_range(&mut self) {
        let now = self.cycle();
        let begin = self.stage.as_ref().and_then(|stage| stage.range).map_or(0, |(from, _)| from);
        self.bound_range(if begin < now { begin } else { 0 }, now);
    }

    fn bound_range(&mut self, from: u64, to: u64) {
        self.set_range(Some((from, to)));
        let range = self.stage.as_ref().and_then(|stage| stage.range);
        self.notice = Some(match range {
            Some((from, to)) => {
                Notice::good(format!("Numbers now cover cycles {} to {}; Esc ends that.", grouped(from), grouped(to)))
            }
            None => Notice::bad("There are no cycles between here and the other end: go to another cycle first."),
        });
    }
}

impl Stage {
    /// Returns the numbers of a range of cycles; `None` means all cycles up to the current one.
    pub fn stretch(&self, range: Option<(u64, u64)>) -> Rc<Stretch> {
        let reached = self.session.reached();
        let (from, to) = range.map_or((0, self.session.cycle()), |(from, to)| (from.min(reached), to.min(reached)));
        let mut kept = self.stretch.borrow_mut();
        if let Some(known) = kept.as_ref().filter(|known| (known.from, known.to) == (from, to)) {
            return known.clone();
        }
        let replay = self.session.replay();
        let tally = if from == 0 { replay.tally_at(to) } else { replay.tally_at(to).since(&replay.tally_at(from)) };
        let report = Report::new(&tally.metrics, &self.session.sim().machine.config, to - from);
        kept.insert(Rc::new(Stretch { from, to, tally, report })).clone()
    }

    /// Returns this run's range that corresponds to the leader's; `None` if it has not been simulated yet.
    pub fn range_beside(&self, leader: &Stage, beside: &Beside, (from, to): (u64, u64)) -> Option<(u64, u64)> {
        let at = |cycle: u64| beside.align.aim(leader, cycle).cycle_in(self);
        Some((at(from)?, at(to).or_else(|| self.session.ended().then(|| self.session.reached()))?))
    }

    /// Returns the cost of every line with instructions, of the CUDA source if there is one, else of the PTX.
    pub fn line_costs(&self, stretch: &Stretch) -> Vec<LineCost> {
        let has_source = !self.listing.lines(Script::Cuda).is_empty();
        let script = if has_source { Script::Cuda } else { Script::Ptx };
        let sms = self.session.sim().machine.config.sms as u64;
        let cost = |(at, line): (usize, &warpscope_pictures::view::ListingLine)| LineCost {
            line: at + 1,
            text: self.listing.text(script, at).trim().to_string(),
            cycles: stretch.tally.cost_of(&line.pcs).cycles.div_ceil(sms),
        };
        self.listing.lines(script).iter().enumerate().filter(|(_, line)| !line.pcs.is_empty()).map(cost).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::beside::tests::{follow, leader, to};
    use crate::{Lab, RunAlignment};

    #[test]
    fn a_stretch_has_its_own_numbers_and_its_lines_hold_all_of_its_cycles() {
        let mut lead = leader("PDOM");
        to(&mut lead, 3_000);
        let stage = lead.stage.as_ref().expect("a stage");
        let (whole, early, late) = (stage.stretch(None), stage.stretch(Some((0, 1_000))), stage.stretch(Some((1_000, 3_000))));
        assert_eq!((whole.report.cycles, early.report.cycles, late.report.cycles), (3_000, 1_000, 2_000));
        assert_eq!(whole.report.thread_instructions, early.report.thread_instructions + late.report.thread_instructions);
        let cycles: u64 = stage.line_costs(&whole).iter().map(|line| line.cycles).sum();
        assert!((2_900..=3_000).contains(&cycles), "{cycles}: all but those since the last issue");
        assert!(stage.line_costs(&late).iter().any(|line| line.text.contains("while")));
    }

    #[test]
    fn ends_are_set_one_by_one_and_never_hold_nothing() {
        let mut lead = leader("PDOM");
        let range = |lab: &Lab| lab.stage.as_ref().and_then(|stage| stage.range);
        lead.end_range();
        assert_eq!(range(&lead), None, "there is nothing before the first cycle");
        to(&mut lead, 500);
        lead.stage.as_mut().expect("a stage").session.seek(100);
        lead.begin_range();
        assert_eq!(range(&lead), Some((100, 500)));
        lead.stage.as_mut().expect("a stage").session.seek(300);
        lead.end_range();
        assert_eq!(range(&lead), Some((100, 300)));
        lead.stage.as_mut().expect("a stage").session.seek(400);
        lead.begin_range();
        assert_eq!(range(&lead), Some((400, 500)), "an end that lies before it is none");
        lead.set_range(Some((9_999, 20)));
        assert_eq!(range(&lead), Some((20, 500)));
        lead.set_range(Some((7, 7)));
        assert_eq!(range(&lead), None);
    }

    #[test]
    fn a_stretch_beside_has_the_moments_that_correspond() {
        let (mut lead, mut other) = (leader("PDOM"), Lab::new());
        lead.place_beside("TBC");
        lead.beside.align = RunAlignment::Work;
        to(&mut lead, 3_000);
        follow(&mut other, &lead);
        let (led, own) = (lead.stage.as_ref().expect("a stage"), other.stage.as_ref().expect("a stage"));
        let range = own.range_beside(led, &lead.beside, (1_000, 3_000)).expect("it is known");
        let work = |stage: &super::Stage, range| stage.stretch(Some(range)).report.thread_instructions;
        let (one, two) = (work(led, (1_000, 3_000)), work(own, range));
        assert!(one.abs_diff(two) * 20 < one, "{one} and {two}, in {range:?}");
    }
}
