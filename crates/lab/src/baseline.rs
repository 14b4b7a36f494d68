//! The run that a lesson compares with the one on stage: its kernel under the technique with which the lesson begins.

use super::{Lab, Stage};
use std::rc::Rc;
use warpscope_machine::record::Issues;
use warpscope_machine::sim::Sim;
use warpscope_pictures::mechanism::Baseline;

/// Most cycles of such a run; the page waits for it.
const MOST_CYCLES: u64 = 20_000;

impl Lab {
    /// Returns the run that the one on stage is compared with at its end: that of the lesson's first technique. `None` outside
    /// lessons, before the end, and for that technique itself.
    pub fn baseline(&self, stage: &Stage) -> Option<Rc<Baseline>> {
        if !stage.session.at_end() || stage.session.sim().trap().is_some() {
            return None;
        }
        stage.baseline.get_or_init(|| self.run_baseline()).clone()
    }

    fn run_baseline(&self) -> Option<Rc<Baseline>> {
        let first = self.course.as_ref()?.lesson.techniques.first()?;
        let own = &self.shown().0.technique;
        if own == first {
            return None;
        }
        let ready = self.reading.ready.as_ref().ok()?;
        let config = self.course.as_ref()?.lesson.machine(first).config().ok()?;
        let shape = (config.warp_width, config.slices);
        let mut sim = Sim::of(&ready.job, config).ok()?;
        let mut issues = Issues::default();
        sim.run(MOST_CYCLES, &mut issues);
        let names = [first.clone(), own.clone()];
        sim.finished().then(|| Rc::new(Baseline { names, cycles: sim.state.cycle, issues: issues.all, shape }))
    }
}
