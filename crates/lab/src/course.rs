//! The open lesson: its current stop, and the user's answers.

use super::{Lab, Notice, Stage, Tab, read};
use std::rc::Rc;
use warpscope_pictures::session::Breakpoints;
use warpscope_pictures::view::Selection;
use warpscope_study::lesson::{self, Lesson, Stop};

/// The user's position in a lesson.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// What is read.
    pub lesson: Rc<Lesson>,
    /// The current stop; `None` before the first.
    pub stop: Option<usize>,
    /// The cycle of the current stop.
    pub cycle: u64,
    /// The answer at each stop: the number of a choice, or lanes as bits.
    pub answers: Vec<Option<u64>>,
    /// The panel on the stage before the lesson, which comes back after it.
    panel_before: Option<Rc<str>>,
}

impl Course {
    /// Returns the stop at which the lesson is; `None` before the first.
    pub fn current(&self) -> Option<&Stop> {
        self.stop.and_then(|at| self.lesson.stops.get(at))
    }

    /// Returns the panel that the current stop, or else the lesson, asks for.
    fn panel(&self) -> Option<&str> {
        self.current().and_then(|stop| stop.panel.as_deref()).or(self.lesson.panel.as_deref())
    }

    /// Whether it is at its last stop.
    pub fn is_last(&self) -> bool {
        self.stop.is_some_and(|at| at + 1 >= self.lesson.stops.len())
    }

    /// Returns the answer given at the current stop.
    pub fn answer(&self) -> Option<u64> {
        self.stop.and_then(|at| self.answers.get(at).copied().flatten())
    }
}

/// Refuses a lesson whose texts have problems, or with a machine for which a page has no memory.
fn check(lesson: &Lesson) -> Result<(), String> {
    let reading = read::read(&lesson.kernel, &lesson.launch, None);
    let first = || reading.ptx.iter().chain(&*reading.launch).next().map(|finding| finding.message.clone());
    let ready = reading.ready.as_ref().map_err(|error| first().unwrap_or_else(|| error.clone()))?;
    let machines = lesson.techniques.iter().map(|technique| lesson.machine(technique));
    // An invalid machine is among the lesson's own problems.
    let configs =
        machines.chain(lesson.stops.iter().map(|stop| lesson.machine_at(stop))).filter_map(|machine| machine.config().ok());
    configs.into_iter().try_for_each(|config| Stage::check(ready, &config))
}

impl Lab {
    /// Returns the register whose values the current stop of the lesson shows in the threads' tokens.
    pub fn values(&self) -> Option<&str> {
        self.course.as_ref()?.current()?.values.as_deref()
    }

    /// Opens a lesson by its id, before its first stop. Returns whether there is one.
    pub fn open_lesson(&mut self, id: &str) -> bool {
        let Some(lesson) = lesson::all().iter().find(|lesson| lesson.id == id) else { return false };
        self.begin_lesson(lesson.clone());
        true
    }

    /// Opens the first lesson, for readers to whom warps are new.
    pub fn begin_basics(&mut self) {
        if let Some(first) = lesson::all().first() {
            self.begin_lesson(first.clone());
        }
    }

    /// Returns the lesson behind the open one in the list; `None` behind the last, and behind a lesson of the user's own.
    pub fn next_lesson(&self) -> Option<&'static Lesson> {
        let open = self.course.as_ref()?.lesson.id;
        lesson::all().iter().skip_while(|lesson| lesson.id != open).nth(1)
    }

    /// Opens the user's own lesson, or says what is wrong with it. Returns whether it was opened.
    pub fn open_own_lesson(&mut self, whence: &str, text: &str) -> bool {
        let read = Lesson::read_own(text, |_| None).and_then(|lesson| {
            check(&lesson)?;
            match lesson.problems().first() {
                None => Ok(lesson),
                Some(problem) => Err(problem.clone()),
            }
        });
        match read {
            Ok(lesson) => {
                self.begin_lesson(lesson);
                self.own_lesson = Some(text.into());
                true
            }
            Err(error) => {
                self.notice = Some(Notice::bad(format!("{whence} is not a valid lesson: {error}")));
                false
            }
        }
    }

    /// Opens a lesson before its first stop.
    pub fn begin_lesson(&mut self, lesson: Lesson) {
        self.own_lesson = None;
        self.keep_own();
        self.end_course();
        self.setup = lesson.machine(lesson.techniques.first().map_or("PDOM", String::as_str));
        self.replace_texts(None, &lesson.kernel, &lesson.launch);
        let answers = vec![None; lesson.stops.len()];
        let course = Course { lesson: Rc::new(lesson), stop: None, cycle: 0, answers, panel_before: self.panel.take() };
        self.panel = course.panel().map(Rc::from);
        self.course = Some(course);
        self.read(None);
        self.notice = None;
        self.tab = Tab::Lesson;
    }

    /// Ends the lesson, if one is open. Returns whether one was.
    pub(super) fn end_course(&mut self) -> bool {
        let ended = self.course.take();
        let was_open = ended.is_some();
        if let Some(course) = ended {
            self.panel = course.panel_before;
        }
        was_open
    }

    /// Goes to a stop of the lesson: takes its technique and keys, and seeks to its cycle.
    pub fn go_to_stop(&mut self, at: usize) {
        let Some(course) = &self.course else { return };
        let lesson = course.lesson.clone();
        let Some((stop, cycle)) = lesson.stops.get(at).and_then(|stop| Some((stop, lesson.cycle_of(stop)?))) else { return };
        self.transport.rest();
        let wanted = lesson.machine_at(stop);
        if self.setup != wanted || self.stage.is_none() {
            self.setup = wanted;
            self.build(None);
        }
        if let Some(stage) = &mut self.stage {
            stage.session.seek(cycle);
            let ahead = cycle.saturating_sub(stage.session.cycle());
            if ahead > 0 {
                stage.session.advance(ahead, &Breakpoints::default());
            }
        }
        self.selection = self.selection.or(Some(Selection::Warp { sm: 0, warp: 0 }));
        self.notice = None;
        if let Some(course) = &mut self.course {
            let before = course.panel().map(str::to_string);
            (course.stop, course.cycle) = (Some(at), cycle);
            // Where a stop asks for the panel that was asked for before, the user's own choice since then stays.
            if course.panel() != before.as_deref() {
                self.panel = course.panel().map(Rc::from);
            }
        }
    }

    /// Goes to the next stop.
    pub fn next_stop(&mut self) {
        if let Some(course) = &self.course {
            self.walk_to_stop(course.stop.map_or(0, |at| at + 1));
        }
    }

    /// Goes to the previous stop.
    pub fn previous_stop(&mut self) {
        if let Some(at) = self.course.as_ref().and_then(|course| course.stop).and_then(|at| at.checked_sub(1)) {
            self.walk_to_stop(at);
        }
    }

    /// Returns the next stop and its cycle, if play on this machine comes to it.
    pub(super) fn stop_ahead(&self) -> Option<(usize, u64)> {
        let course = self.course.as_ref()?;
        let at = course.stop.map_or(0, |at| at + 1);
        let stop = course.lesson.stops.get(at)?;
        let cycle = course.lesson.cycle_of(stop).filter(|_| course.lesson.machine_at(stop) == self.setup)?;
        (cycle > self.cycle()).then_some((at, cycle))
    }

    /// Shows the text of the stop to which play has come; nothing moves.
    pub(super) fn come_to_stop(&mut self) {
        let (cycle, selection) = (self.cycle(), self.selection);
        let Some(course) = &mut self.course else { return };
        let at = course.stop.map_or(0, |at| at + 1);
        if at >= course.lesson.stops.len() {
            return;
        }
        let before = course.panel().map(str::to_string);
        (course.stop, course.cycle) = (Some(at), cycle);
        if course.panel() != before.as_deref() {
            self.panel = course.panel().map(Rc::from);
        }
        self.selection = selection.or(Some(Selection::Warp { sm: 0, warp: 0 }));
        self.notice = None;
    }

    /// Goes to a stop, by an animated jump if it is near and on the same machine.
    fn walk_to_stop(&mut self, at: usize) {
        self.arrive();
        let (from, before) = (self.cycle(), self.setup.clone());
        self.go_to_stop(at);
        if self.setup == before {
            self.play_way(from);
        }
    }

    /// Answers the current stop's question; the first answer counts.
    pub fn answer(&mut self, answer: u64) {
        let Some(course) = &mut self.course else { return };
        if let Some(slot) = course.stop.and_then(|at| course.answers.get_mut(at)) {
            slot.get_or_insert(answer);
        }
    }

    /// Leaves the lesson; the kernel and the machine stay, to try things out.
    pub fn leave_lesson(&mut self) {
        self.end_course();
        self.notice = Some(Notice::good("The lesson is closed; its kernel and machine stay for your own trials."));
    }
}
