//! Lessons: short guided runs of a small kernel on the machine for lessons, with stops at chosen cycles.
//!
//! A lesson is a folder `static/lessons/NUMBER-NAME/` with `kernel.ptx`, whose labels name the paper's blocks; `kernel.cu`, the
//! CUDA source that the PTX's `.loc` lines refer to, with the label at the end of its first line; `launch.toml`; and
//! `lesson.toml`: title, the paper's section, preset and keys, the panel to show, and the stops in their order. A stop names the
//! technique and the [`StopPoint`] at which the run halts, explains what is visible, and may ask a question.
//!
//! A user's own lesson is one file: `lesson.toml` with the texts of the kernel and the launch in it ([`Lesson::read_own`]).
//! [`Lesson::problems`] lists what would keep a reader from completing it.
//!
//! # Adding a lesson
//! Make the folder and add its line to the table of [`all`]. The tests check that every stop is reached.

mod stop;

pub use stop::{Ask, Question, Stop, StopPoint};

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use warpscope_kernel::document::{self, Expected, ReadError, Refusal};
use warpscope_kernel::program::{Pc, Program};
use warpscope_machine::config::MachineSpec;
use warpscope_machine::event::{Event, EventKind, Sink};
use warpscope_machine::replay::Replay;
use warpscope_machine::run::{self, SpecError};
use warpscope_machine::sim::Sim;

/// What keys of a lesson take, where the type of the value says too little.
const EXPECTED: &[Expected] =
    &[("techniques", "a list of texts"), ("stop", "a list of tables, each under [[stop]],"), ("choices", "a list of texts")];

/// A lesson, as its file describes it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The heading in the list of lessons.
    pub title: String,
    /// Section of the paper.
    pub section: String,
    /// The machine of all stops, before their techniques and keys.
    pub preset: String,
    /// Keys of the machine that differ from the preset's.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
    /// The techniques that it compares; the lesson begins with the first.
    pub techniques: Vec<String>,
    /// The only panel of the stage to show; `None` shows all that apply.
    pub panel: Option<String>,
    /// Shows the control-flow graph in place of the source.
    #[serde(default)]
    pub flow: bool,
    /// The introduction, shown before the first stop.
    pub about: String,
    /// Where the run halts, one after the other.
    #[serde(rename = "stop")]
    pub stops: Vec<Stop>,
    /// The kernel's PTX: in the lesson's file, or in one beside it.
    #[serde(default)]
    pub kernel: String,
    /// The CUDA source that the PTX came from, likewise; empty where a lesson has none.
    #[serde(default)]
    pub cuda: String,
    /// The launch file's text, likewise.
    #[serde(default)]
    pub launch: String,
    /// The name of the lesson's folder.
    #[serde(skip)]
    pub id: &'static str,
}

/// Returns every lesson, in order.
pub fn all() -> &'static [Lesson] {
    static LESSONS: OnceLock<Vec<Lesson>> = OnceLock::new();
    LESSONS.get_or_init(|| FILES.iter().filter_map(|file| file.read().ok()).collect())
}

struct File {
    id: &'static str,
    lesson: &'static str,
    kernel: &'static str,
    cuda: &'static str,
    launch: &'static str,
}

impl File {
    fn read(&self) -> Result<Lesson, String> {
        let (kernel, cuda, launch) = (self.kernel.into(), self.cuda.into(), self.launch.into());
        Ok(Lesson { id: self.id, kernel, cuda, launch, ..parse(self.lesson)? })
    }
}

fn parse(text: &str) -> Result<Lesson, String> {
    document::read(text, EXPECTED).map_err(|error| match error {
        ReadError::Syntax(error) => error.to_string(),
        ReadError::Refused(Refusal { message, at }) => {
            let line = text[..at].matches('\n').count() + 1;
            format!("line {line}: {message}")
        }
    })
}

macro_rules! lessons {
    ($($id:literal,)*) => {
        static FILES: &[File] = &[$(File {
            id: $id,
            lesson: include_str!(concat!("../../../../static/lessons/", $id, "/lesson.toml")),
            kernel: include_str!(concat!("../../../../static/lessons/", $id, "/kernel.ptx")),
            cuda: include_str!(concat!("../../../../static/lessons/", $id, "/kernel.cu")),
            launch: include_str!(concat!("../../../../static/lessons/", $id, "/launch.toml")),
        },)*];
    };
}

lessons! {
    "0-what-is-a-warp",
    "0-what-divergence-costs",
    "1-compaction",
    "2-starvation-eddy",
    "3-lost-coalescing",
    "4-likely-convergence",
    "5-warp-synchronous",
    "26-compactor-off",
    "27-out-of-order",
    "28-block-priorities",
    "6-gang-split",
    "7-memory-slip",
    "8-many-paths",
    "9-impatient-helps",
    "10-impatient-hurts",
    "11-big-gangs",
    "29-waiting-to-meet",
    "30-ports",
    "31-gang-sizes",
    "12-most-waiting-first",
    "13-first-hit",
    "14-last-warp",
    "15-critical-fetch",
    "16-warp-phases",
    "17-bubbles",
    "18-fold",
    "19-windows",
    "20-break-even",
    "21-blackout",
    "22-no-waiting",
    "23-four-groups",
    "24-shared-memory",
    "25-hoisting",
    "32-without-a-stack",
    "33-a-lock-that-ends",
    "34-one-way-in",
}

/// Limit on the cycles of a lesson's run; no lesson takes as many. An endless kernel must not keep its reader waiting.
const MOST_CYCLES: u64 = 10_000;

/// The name of a user's own lesson in links and lists.
pub const OWN: &str = "own";

/// The headings of a list of lessons, by the first word of their section.
const GROUPS: &[(&str, &str)] = &[
    ("Basics", "Start here"),
    ("TBC", "Thread block compaction, and dynamic warp formation"),
    ("VWS", "Variable warp sizing"),
    ("BAWS", "Barrier-aware warp scheduling"),
    ("Origami", "Warp folding and power gating"),
    ("VTW", "Virtual thread blocks and warps"),
    ("Since", "The GPUs of today: convergence barriers"),
];

impl Lesson {
    /// Returns the number with which its id begins; the two that every paper builds on have 0.
    pub fn number(&self) -> &str {
        self.id.split('-').next().unwrap_or_default()
    }

    /// Returns the heading of the lesson in a list.
    pub fn group(&self) -> &'static str {
        let paper = self.section.split([' ', ',']).next().unwrap_or_default();
        GROUPS.iter().find(|(name, _)| *name == paper).map_or("More", |(_, group)| group)
    }

    /// Estimates how many minutes it takes to read the lesson and to look at each stop.
    pub fn minutes(&self) -> usize {
        const WORDS_A_MINUTE: usize = 180;
        const LOOKING_SECONDS: usize = 20;
        let words = |text: &str| text.split_whitespace().count();
        let read: usize = words(&self.about) + self.stops.iter().map(|stop| words(&stop.text)).sum::<usize>();
        (read * 60 / WORDS_A_MINUTE + self.stops.len() * LOOKING_SECONDS).div_ceil(60)
    }

    /// Reads a user's own lesson; `beside` supplies the texts `kernel.ptx`, `kernel.cu` and `launch.toml` that the lesson does not
    /// contain.
    pub fn read_own(text: &str, beside: impl Fn(&str) -> Option<String>) -> Result<Lesson, String> {
        let lesson = parse(text)?;
        let is_there = |text: &String| !text.trim().is_empty();
        let part = |own: &String, key: &str, file: &str| {
            let missing = || format!("the lesson has no {key}: add `{key} = \'\'\'TEXT\'\'\'` above the first table");
            Some(own.clone()).filter(is_there).or_else(|| beside(file)).filter(is_there).ok_or_else(missing)
        };
        let kernel = part(&lesson.kernel, "kernel", "kernel.ptx")?;
        let launch = part(&lesson.launch, "launch", "launch.toml")?;
        let cuda = Some(lesson.cuda.clone()).filter(is_there).or_else(|| beside("kernel.cu")).unwrap_or_default();
        Ok(Lesson { id: OWN, kernel, cuda, launch, ..lesson })
    }

    /// Returns everything that would keep a reader from completing the lesson.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.techniques.is_empty() {
            problems.push("`techniques` is empty".to_string());
        }
        for technique in &self.techniques {
            if let Err(error) = self.sim(technique) {
                problems.push(format!("under {technique}: {error}"));
            }
        }
        if self.stops.is_empty() {
            problems.push("it has no [[stop]]".to_string());
        }
        // An invalid machine is reported already, and has no cycles to search.
        if !problems.is_empty() {
            return problems;
        }
        let mut before: Option<(&Stop, u64)> = None;
        for (number, stop) in (1..).zip(&self.stops) {
            if !self.techniques.contains(&stop.technique) {
                problems.push(format!("stop {number}: `techniques` does not name {}", stop.technique));
                continue;
            }
            if let Some(Ask::Choices { choices, right }) = stop.question.as_ref().map(|question| &question.ask)
                && *right >= choices.len()
            {
                let count = choices.len();
                problems.push(format!("stop {number}: the answer is choice {right} from 0, but there are {count} choices"));
            }
            if let Err(error) = self.sim_at(stop) {
                problems.push(format!("stop {number}: {error}"));
                continue;
            }
            if let Some(name) = stop.values.as_deref().filter(|name| !self.has_register(name)) {
                problems.push(format!("stop {number}: the kernel has no register `%{name}`"));
            }
            let Some(cycle) = self.cycle_of(stop) else {
                problems
                    .push(format!("stop {number}: the run under {} does not reach it in {MOST_CYCLES} cycles", stop.technique));
                continue;
            };
            if before.is_some_and(|(other, earlier)| other.is_on_the_same_machine(stop) && cycle < earlier) {
                problems.push(format!("stop {number}: cycle {cycle} lies before the previous stop"));
            }
            before = Some((stop, cycle));
        }
        problems
    }

    /// Whether the kernel has a register of that name, without its `%`.
    fn has_register(&self, name: &str) -> bool {
        let is_it = |sim: Sim| sim.machine.program.registers.iter().any(|known| known.name.trim_start_matches('%') == name);
        self.techniques.first().and_then(|technique| self.sim(technique).ok()).is_some_and(is_it)
    }

    /// Returns the lesson's machine under a technique.
    pub fn machine(&self, technique: &str) -> MachineSpec {
        MachineSpec { preset: self.preset.clone(), technique: technique.to_string(), keys: self.keys.clone() }
    }

    /// Returns the machine at a stop.
    pub fn machine_at(&self, stop: &Stop) -> MachineSpec {
        let mut machine = self.machine(&stop.technique);
        machine.keys.extend(stop.keys.clone());
        machine
    }

    /// Builds the machine under a technique, before its first cycle.
    pub fn sim(&self, technique: &str) -> Result<Sim, SpecError> {
        self.sim_on(self.machine(technique))
    }

    /// Builds the machine of a stop, before its first cycle.
    pub fn sim_at(&self, stop: &Stop) -> Result<Sim, SpecError> {
        self.sim_on(self.machine_at(stop))
    }

    fn sim_on(&self, machine: MachineSpec) -> Result<Sim, SpecError> {
        let no_file = |file: &str| Err(format!("a lesson cannot read file {file}"));
        Ok(run::prepare(&self.kernel, &self.launch, &machine, &no_file)?.1)
    }

    /// Returns the first instruction behind a label of the kernel.
    pub fn label(&self, program: &Program, label: &str) -> Option<Pc> {
        let is_label = |line: &str| line.trim_start().strip_prefix(label).is_some_and(|rest| rest.trim_start().starts_with(':'));
        let before: usize = self.kernel.split_inclusive('\n').take_while(|line| !is_label(line)).map(str::len).sum();
        let at = (before < self.kernel.len()).then_some(before)?;
        program.instructions.iter().position(|instruction| instruction.span.start as usize > at).map(|pc| pc as Pc)
    }

    /// Returns the cycle at which a stop is reached; `None` if it never is.
    pub fn cycle_of(&self, stop: &Stop) -> Option<u64> {
        let mut run = Replay::new(self.sim_at(stop).ok()?);
        match &stop.at {
            StopPoint::Cycle { cycle } => {
                run.seek((*cycle).min(MOST_CYCLES));
                (run.cycle() == *cycle).then_some(*cycle)
            }
            StopPoint::Event { event, label, nth } => {
                let pc = match label {
                    Some(label) => Some(self.label(&run.sim().machine.program, label)?),
                    None => None,
                };
                let mut countdown = EventCountdown { kind: *event, pc, left: *nth };
                while !run.ended() && countdown.left > 0 && run.cycle() < MOST_CYCLES {
                    run.step(&mut countdown);
                }
                (countdown.left == 0).then_some(run.cycle())
            }
        }
    }
}

/// Counts down the events until the one at which a stop halts.
struct EventCountdown {
    kind: EventKind,
    pc: Option<Pc>,
    left: u32,
}

impl Sink for EventCountdown {
    fn event(&mut self, _: u64, event: Event) {
        if let Some(pc) = self.kind.pc_of(&event)
            && self.pc.is_none_or(|wanted| wanted == pc)
        {
            self.left = self.left.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_has_its_number_from_its_id() {
        let mut numbers: Vec<u32> = all().iter().map(|lesson| lesson.number().parse().expect(lesson.id)).collect();
        numbers.sort_unstable();
        let expected: Vec<u32> = [0].into_iter().chain(0..all().len() as u32 - 1).collect();
        assert_eq!(numbers, expected, "the basics share 0, no other number is missing or there twice");
    }

    #[test]
    fn every_lesson_can_be_read() {
        for file in FILES {
            if let Err(error) = file.read() {
                panic!("{}: {error}", file.id);
            }
        }
        assert_eq!(all().len(), FILES.len());
    }

    /// Returns a lesson with a divergence, questions and an addition.
    fn sample() -> &'static File {
        FILES.iter().find(|file| file.id == "1-compaction").expect("it is in the table")
    }

    #[test]
    fn what_a_lesson_may_not_say_is_refused_with_its_line() {
        let good = sample().lesson;
        for (text, words) in [
            (good.replacen("preset", "colour = 1\npreset", 1), ["line 3", "colour"]),
            (good.replacen("event =", "colour = 1, event =", 1), ["line 11", "colour"]),
            (
                good.replacen("\"diverged\"", "\"exploded\"", 1),
                ["line 11", "unknown event `exploded`, expected one of `diverged`"],
            ),
            (good.replacen("event =", "cycle = 3, event =", 1), ["line 11", "a cycle, or an event"]),
            (good.replacen("title", "#", 1), ["line 1", "title"]),
            (good.replacen("answer = 0", "answer = \"0\"", 1), ["answer", "whole number"]),
        ] {
            let error = parse(&text).expect_err("a refusal");
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
    }

    /// Returns a lesson of the table as one file.
    fn in_one_file() -> String {
        let File { lesson, kernel, launch, .. } = *sample();
        format!("kernel = \'\'\'\n{kernel}\'\'\'\nlaunch = \'\'\'\n{launch}\'\'\'\n{lesson}")
    }

    #[test]
    fn a_lesson_of_ones_own_is_one_file_and_its_problems_are_named() {
        let text = in_one_file();
        let own = Lesson::read_own(&text, |_| None).expect("a lesson");
        assert_eq!((own.id, own.stops.len()), (OWN, sample().read().map_or(0, |lesson| lesson.stops.len())));
        assert_eq!(own.problems(), Vec::<String>::new());
        for (wrong, said) in [
            (text.replacen("answer = 0", "answer = 7", 1), "choice 7"),
            (text.replacen("event = \"diverged\"", "event = \"gang_split\"", 1), "does not reach it"),
            (text.replacen("techniques = [", "techniques = [\"Nonsense\", ", 1), "Nonsense"),
            (text.replacen("add.u32", "bad.u32", 1), "bad.u32"),
            (text.replacen("[[stop]]", "[[stop]]\nvalues = \"nothing\"", 1), "no register `%nothing`"),
        ] {
            assert_ne!(wrong, text, "{said}");
            let problems = Lesson::read_own(&wrong, |_| None).expect("it can be read").problems();
            assert!(problems.iter().any(|problem| problem.contains(said)), "{said}: {problems:?}");
        }
        let bare = sample().lesson;
        assert!(Lesson::read_own(bare, |_| None).is_err_and(|error| error.contains("kernel = ")));
        let beside = |name: &str| Some(if name == "kernel.ptx" { sample().kernel } else { sample().launch }.to_string());
        assert!(Lesson::read_own(bare, beside).is_ok());
    }

    #[test]
    fn a_label_is_found_however_its_line_is_written() {
        let mut lesson = sample().read().expect("a lesson");
        let at = |lesson: &Lesson, label: &str| {
            let sim = lesson.sim(&lesson.techniques[0]).expect("it runs");
            lesson.label(&sim.machine.program, label)
        };
        let expected = at(&lesson, "B");
        assert!(expected.is_some() && at(&lesson, "NOWHERE").is_none());
        for line in ["B: // a remark", "B :", "\tB:", "B:\r"] {
            lesson.kernel = sample().kernel.replacen("\nB:\n", &format!("\n{line}\n"), 1);
            assert_eq!(at(&lesson, "B"), expected, "{line:?}");
        }
    }

    #[test]
    fn every_stop_comes_up_and_stops_of_a_technique_go_forwards() {
        for lesson in all() {
            assert_eq!(lesson.problems(), Vec::<String>::new(), "{}", lesson.id);
            let mut before: Option<(&Stop, u64)> = None;
            for stop in &lesson.stops {
                let cycle = lesson.cycle_of(stop).unwrap_or_else(|| panic!("{}: {:?} never comes", lesson.id, stop.at));
                assert!(lesson.techniques.contains(&stop.technique), "{}: {}", lesson.id, stop.technique);
                if let Some((other, earlier)) = before {
                    assert!(!other.is_on_the_same_machine(stop) || cycle >= earlier, "{}: {:?} at {cycle}", lesson.id, stop.at);
                }
                before = Some((stop, cycle));
            }
        }
    }

    #[test]
    fn every_question_has_its_answer() {
        for lesson in all() {
            let questions: Vec<&Question> = lesson.stops.iter().filter_map(|stop| stop.question.as_ref()).collect();
            assert!(!questions.is_empty(), "{} asks nothing", lesson.id);
            for question in questions {
                match &question.ask {
                    Ask::Choices { choices, right } => assert!(*right < choices.len() && choices.len() > 1, "{}", lesson.id),
                    Ask::Lanes { count, right } => {
                        let width = lesson.sim(&lesson.techniques[0]).expect("it runs").machine.config.warp_width;
                        assert!(*count == width && *right > 0, "{}: a mask of {count} lanes", lesson.id);
                    }
                }
            }
        }
    }
}
