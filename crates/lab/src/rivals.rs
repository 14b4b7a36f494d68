//! The kernel on the stage under the schedulers that its warp-phases are compared with.

use super::Lab;
use std::rc::Rc;
use warpscope_machine::sim::Sim;
use warpscope_pictures::mechanism::phases::{Rival, SCHEDULERS};

impl Lab {
    /// Returns the runs of the stage's kernel under each scheduler of BAWS figures 3 and 4; none where it does not fit. They are
    /// made when they are first asked for.
    pub fn rivals(&self) -> Rc<[Rival]> {
        let Some(stage) = &self.stage else { return Rc::default() };
        stage.rivals.get_or_init(|| SCHEDULERS.iter().filter_map(|name| self.rival(name)).collect()).clone()
    }

    fn rival(&self, name: &'static str) -> Option<Rival> {
        let ready = self.reading.ready.as_ref().ok()?;
        let setup = self.setup.with_technique("schedule", Some(name));
        let sim = Sim::of(&ready.job, setup.config().ok()?).ok()?;
        Some(Rival::run(name, setup == self.setup, sim))
    }
}
