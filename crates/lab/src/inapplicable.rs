//! Why a technique cannot act on the launch, and a launch on which it can.

use super::{Lab, MachineSpec, Origin, Ready, Stage, read};
use warpscope_catalogue::{self as catalogue, Class, Size, Workload};
use warpscope_machine::config::{Config, LaunchShape};
use warpscope_machine::sim::footprint;

/// Why a technique cannot act on this launch, and a catalogue launch on which it can.
#[derive(Clone, PartialEq, Debug)]
pub struct Inapplicable {
    /// The reason, as a sentence.
    pub why: String,
    /// The launch to take instead.
    pub offer: Option<Origin>,
}

impl Inapplicable {
    /// Returns the label of the button that loads the offered launch.
    pub fn offer_words(&self, now: Option<Origin>) -> Option<String> {
        let offer = self.offer?;
        let size = offer.size.title();
        let same = now.is_some_and(|now| now.workload.name == offer.workload.name);
        Some(if same { format!("Take the {size} launch") } else { format!("Take {}, {size}", offer.workload.title) })
    }
}

impl Lab {
    /// Returns why the chosen techniques cannot act on the current launch, if they cannot.
    pub(super) fn find_inapplicable(&self) -> Option<Inapplicable> {
        let (ready, config) = (self.reading.ready.as_ref().ok()?, self.setup.config().ok()?);
        let why = cannot_act(&config, &self.setup, ready)?;
        // A lesson has its own launch, so nothing is offered.
        let offer = if self.course.is_some() { None } else { self.offer(&config) };
        Some(Inapplicable { why, offer })
    }

    /// Finds a launch on which the techniques can act: of this kernel, else of a divergent catalogue kernel.
    fn offer(&self, config: &Config) -> Option<Origin> {
        let own = self.origin.map(|origin| origin.workload);
        let divergent = catalogue::all().iter().filter(|workload| workload.class == Class::Divergent);
        own.into_iter().chain(divergent).find_map(|workload| self.offer_of(workload, config))
    }

    /// Finds a launch of a catalogue kernel on which the techniques can act, other than the current one.
    fn offer_of(&self, workload: &'static Workload, config: &Config) -> Option<Origin> {
        let kernel = read::ParsedPtx::new(workload.ptx);
        let sizes = [Size::Small, Size::Full, Size::Tiny].into_iter().filter(|size| workload.launch(*size).is_some());
        sizes.map(|size| Origin { workload, size }).filter(|origin| Some(*origin) != self.origin).find(|origin| {
            let reading = read::read_parsed(&kernel, origin.launch(), Some(*origin));
            let Ok(ready) = &reading.ready else { return false };
            let fits = || Stage::new(ready, config.clone(), Some(*origin), "".into(), None, "".into()).is_ok();
            cannot_act(config, &self.setup, ready).is_none() && fits()
        })
    }

    /// Loads the offered launch.
    pub fn take_offer(&mut self) {
        if let Some(origin) = self.inapplicable.as_ref().and_then(|inapplicable| inapplicable.offer) {
            self.choose(Some(origin));
        }
    }
}

fn cannot_act(config: &Config, setup: &MachineSpec, ready: &Ready) -> Option<String> {
    let launch = LaunchShape {
        blocks: ready.job.launch.blocks(),
        block_threads: ready.job.launch.block_threads(),
        can_diverge: !ready.job.program.reconvergence.meetings.is_empty(),
        resident: footprint::resident(config, &ready.job.program, &ready.job.launch),
    };
    let chosen = setup.technique_for("schedule").is_some();
    let why = config.cannot_act(launch).or_else(|| config.cannot_go_on(launch));
    why.or_else(|| config.cannot_schedule(launch).filter(|_| chosen))
}
