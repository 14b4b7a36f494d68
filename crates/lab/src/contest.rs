//! The comparison of all techniques on the kernel and machine on stage: its tasks and their results.
//!
//! A [`Contest`] is a list of runs, the default first. The page sends them to its workers as text and hands back the entries in any
//! order; a worker calls [`Entry::of`]. Nothing here depends on workers.

use super::{LIMIT, Lab, MachineSpec, Origin, Stage};
use std::cell::OnceCell;
use warpscope_study::compare::{Comparison, Entry, all_techniques};
use warpscope_study::run::{KernelSpec, RunSpec};

/// All techniques on one kernel, with the entries that have arrived.
pub struct Contest {
    /// The kernel and the machine, in words.
    pub about: String,
    /// The kernel's name, for names of files.
    pub kernel: String,
    /// What is run, the default first.
    pub runs: Vec<RunSpec>,
    entries: Vec<Option<Entry>>,
    /// No further entries are awaited.
    stopped: bool,
    comparison: OnceCell<Option<Comparison>>,
}

impl Contest {
    fn new(stage: &Stage, setup: &MachineSpec, origin: Option<Origin>) -> Contest {
        let kernel = origin.map(|origin| origin.workload.name);
        let texts = KernelSpec::Texts {
            ptx: (*stage.listing.ptx).into(),
            launch: (*stage.launch).into(),
            files: kernel.map(str::to_string),
        };
        let run = |technique: &str| RunSpec {
            kernel: texts.clone(),
            machine: MachineSpec { technique: technique.to_string(), ..setup.clone() },
            most_cycles: LIMIT,
        };
        let runs: Vec<RunSpec> = std::iter::once("").chain(all_techniques()).map(run).collect();
        let size = origin.map_or(String::new(), |origin| format!(" ({})", origin.size.title()));
        let machine = MachineSpec { technique: String::new(), ..setup.clone() };
        let about = format!("{}{size} on {}", kernel.unwrap_or("your own kernel"), machine.words());
        let kernel = kernel.unwrap_or(&stage.kernel).to_string();
        Contest { about, kernel, entries: vec![None; runs.len()], runs, stopped: false, comparison: OnceCell::new() }
    }

    /// Stores the entry of a run, by the run's number.
    pub fn take(&mut self, run: usize, entry: Entry) {
        if let Some(place) = self.entries.get_mut(run) {
            *place = Some(entry);
            self.comparison.take();
        }
    }

    /// Stops waiting for further entries.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns the number of runs that are done, and of all runs.
    pub fn progress(&self) -> (usize, usize) {
        (self.entries.iter().flatten().count(), self.runs.len())
    }

    /// Whether further entries are awaited.
    pub fn is_running(&self) -> bool {
        let (done, all) = self.progress();
        !self.stopped && done < all
    }

    /// Compares the entries that have arrived with the default's; `None` until the default's has.
    pub fn comparison(&self) -> Option<&Comparison> {
        let make = || {
            let default = self.entries.first()?.clone()?;
            Some(Comparison::new(default, self.entries[1..].iter().flatten().cloned().collect()))
        };
        self.comparison.get_or_init(make).as_ref()
    }
}

impl Lab {
    /// Starts a contest of every technique on the kernel and machine on stage.
    pub fn hold_contest(&mut self) {
        let Some(stage) = &self.stage else { return };
        let (setup, origin) = self.shown();
        self.contest = Some(Contest::new(stage, setup, origin));
        self.contests += 1;
    }

    /// Returns whether the contest is about the kernel and machine on stage, under whatever technique.
    pub fn contest_is_current(&self) -> bool {
        let Some((contest, stage)) = self.contest.as_ref().zip(self.stage.as_ref()) else { return false };
        let (setup, origin) = self.shown();
        let now = Contest::new(stage, setup, origin);
        now.runs == contest.runs
    }

    /// Puts a technique on stage, and seeks to a divergence if the run is new.
    pub fn show_technique(&mut self, technique: &str) {
        let technique = technique.to_string();
        let shown = self.shown().0.clone();
        self.set_up(MachineSpec { technique, ..shown });
        if self.stage.as_ref().is_some_and(|stage| stage.session.cycle() == 0) {
            let notice = self.notice.take();
            self.go_to_something_interesting();
            self.notice = notice;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpscope_catalogue::Size;

    fn lab() -> Lab {
        let mut lab = Lab::new();
        lab.choose(Origin::find("collatz", Size::Small));
        lab
    }

    #[test]
    fn entries_come_back_in_any_order_and_make_a_comparison_once_the_default_has() {
        let mut lab = lab();
        lab.hold_contest();
        let contest = lab.contest.as_mut().expect("a contest");
        assert_eq!(contest.progress(), (0, 1 + all_techniques().count()));
        let at = |name: &str| 1 + all_techniques().position(|known| known == name).expect("it is in the table");
        for run in [at("TBC"), at("PDOM")] {
            let text = serde_json::to_string(&contest.runs[run]).expect("a run is text");
            contest.take(run, Entry::of(&serde_json::from_str(&text).expect("the same run")));
        }
        assert!(contest.comparison().is_none() && contest.is_running());
        let default = Entry::of(&contest.runs[0]);
        contest.take(0, default);
        let comparison = contest.comparison().expect("a comparison");
        assert_eq!(comparison.ran.len(), 2);
        assert!(comparison.ran.iter().all(|entry| comparison.leaves_the_same(entry)));
        contest.stop();
        assert!(!contest.is_running());
    }

    #[test]
    fn a_contest_is_of_the_kernel_and_machine_on_stage_whatever_the_technique() {
        let mut lab = lab();
        assert!(!lab.contest_is_current());
        lab.hold_contest();
        assert!(lab.contest_is_current());
        lab.show_technique("TBC");
        assert_eq!(lab.shown().0.technique, "TBC");
        assert!(lab.contest_is_current() && lab.cycle() > 0);
        lab.choose(Origin::find("saxpy", Size::Small));
        assert!(!lab.contest_is_current());
    }

    #[test]
    fn a_contest_of_an_own_kernel_has_its_name() {
        let mut lab = lab();
        lab.edit_ptx(lab.ptx.replace("collatz", "mine"));
        lab.edit_launch(lab.launch.replace("collatz", "mine"));
        lab.hold_contest();
        let contest = lab.contest.as_ref().expect("a contest");
        assert!(contest.about.starts_with("your own kernel"), "{}", contest.about);
        assert_eq!(contest.kernel, "mine");
    }

    #[test]
    fn a_kernel_that_cannot_be_read_fails_with_its_reason() {
        let mut lab = lab();
        lab.hold_contest();
        let machine = lab.contest.as_ref().expect("a contest").runs[1].machine.clone();
        let run = RunSpec::of_texts("nothing", &*lab.launch, machine);
        assert!(Entry::of(&run).outcome.is_err_and(|why| !why.is_empty()));
    }
}
