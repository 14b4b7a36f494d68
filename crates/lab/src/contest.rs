//! The comparison of all techniques on the kernel and machine on stage: its tasks and their results.
//!
//! A [`Contest`] is a list of [`Task`]s, the default first. The page sends tasks to its workers as text and hands back the
//! entries in any order; a worker calls [`Task::perform`]. Nothing here depends on workers.

use super::{LIMIT, Lab, MachineSpec, Origin, Stage};
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use warpscope_catalogue as catalogue;
use warpscope_machine::run::RunSpec;
use warpscope_study::compare::{Candidate, Comparison, Entry, all_techniques};

/// A technique to run, with everything that the run needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    run: RunSpec,
    /// The workload whose files the launch may name.
    workload: Option<String>,
}

impl Task {
    /// Runs the kernel under the technique.
    pub fn perform(self) -> Entry {
        let files = |name: &str| match self.workload.as_deref().and_then(catalogue::find) {
            Some(workload) => workload.read_file(name),
            None => Err("only catalogue kernels can read files".into()),
        };
        match self.run.job(&files) {
            Ok(job) => Candidate::new(&self.run.machine).perform(&job, LIMIT),
            Err(error) => self.fail(&error.to_string()),
        }
    }

    /// Returns the entry of a task that could not be run.
    pub fn fail(&self, why: &str) -> Entry {
        Entry { technique: self.run.machine.technique.clone(), outcome: Err(why.to_string()) }
    }
}

/// All techniques on one kernel, with the entries that have arrived.
pub struct Contest {
    /// The kernel and the machine, in words.
    pub about: String,
    /// The kernel's name, for names of files.
    pub kernel: String,
    pub tasks: Vec<Task>,
    entries: Vec<Option<Entry>>,
    /// No further entries are awaited.
    stopped: bool,
    comparison: OnceCell<Option<Comparison>>,
}

impl Contest {
    fn new(stage: &Stage, setup: &MachineSpec, origin: Option<Origin>) -> Contest {
        let kernel = origin.map(|origin| origin.workload.name);
        let task = |technique: &str| Task {
            run: RunSpec {
                ptx: stage.listing.ptx.clone(),
                launch: stage.launch.clone(),
                machine: MachineSpec { technique: technique.to_string(), ..setup.clone() },
            },
            workload: kernel.map(str::to_string),
        };
        let tasks: Vec<Task> = std::iter::once("").chain(all_techniques()).map(task).collect();
        let size = origin.map_or(String::new(), |origin| format!(" ({})", origin.size.title()));
        let machine = MachineSpec { technique: String::new(), ..setup.clone() };
        let about = format!("{}{size} on {}", kernel.unwrap_or("your own kernel"), machine.words());
        let kernel = kernel.unwrap_or(&stage.kernel).to_string();
        Contest { about, kernel, entries: vec![None; tasks.len()], tasks, stopped: false, comparison: OnceCell::new() }
    }

    /// Stores the entry of a task.
    pub fn take(&mut self, task: usize, entry: Entry) {
        if let Some(place) = self.entries.get_mut(task) {
            *place = Some(entry);
            self.comparison.take();
        }
    }

    /// Stops waiting for further entries.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns the number of tasks that are done, and of all tasks.
    pub fn progress(&self) -> (usize, usize) {
        (self.entries.iter().flatten().count(), self.tasks.len())
    }

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
        now.tasks == contest.tasks
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
    fn tasks_come_back_in_any_order_and_make_a_comparison_once_the_default_has() {
        let mut lab = lab();
        lab.hold_contest();
        let contest = lab.contest.as_mut().expect("a contest");
        assert_eq!(contest.progress(), (0, 1 + all_techniques().count()));
        let at = |name: &str| 1 + all_techniques().position(|known| known == name).expect("it is in the table");
        for task in [at("TBC"), at("PDOM")] {
            let text = serde_json::to_string(&contest.tasks[task]).expect("a task is text");
            let entry = serde_json::from_str::<Task>(&text).expect("the same task").perform();
            contest.take(task, entry);
        }
        assert!(contest.comparison().is_none() && contest.is_running());
        let default = contest.tasks[0].clone().perform();
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
        let mut task = lab.contest.as_ref().expect("a contest").tasks[1].clone();
        task.run.ptx = "nothing".into();
        assert!(task.perform().outcome.is_err_and(|why| !why.is_empty()));
    }
}
