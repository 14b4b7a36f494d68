//! The laboratory: everything that the page knows and can do, without the page.
//!
//! A [`Lab`] holds two texts (PTX and launch) and a [`Setup`] (preset, techniques, changed keys). Where the three go
//! together they make a [`Stage`]: a session on a machine, with the kernel's listing. A text with a mistake leaves the last
//! good stage where it is. [`Transport`] moves the stage's session through time in slices; [`Link`] carries all of it in a
//! URL. Nothing here knows a browser, so all of it is tested natively.

mod align;
mod beside;
mod contest;
mod course;
mod first;
mod idle;
mod link;
mod read;
mod setup;
mod sharing;
mod show;
mod stage;
mod stretch;
mod tell;
mod thumbnail;
pub mod timeline;
mod transport;

pub use crate::plot::grouped;
pub use align::{Align, standing};
pub use beside::{Beside, Following, MOST_BESIDE, Wish};
pub use contest::{Contest, Task};
pub use course::Course;
pub use first::Hints;
pub use idle::Idle;
pub use link::{Link, LinkError, Texts};
pub use read::{MOST_TEXT_BYTES, Reading, Ready, too_large};
pub use setup::Setup;
pub use show::{ShownBuffer, ShownValue};
pub use stage::{LIMIT, Stage, Verdict};
pub use stretch::{LineCost, Stretch};
pub use thumbnail::Thumbnail;
pub use transport::{Goal, Jump, SPEEDS, Transport, Wanted, typed_cycle};

use crate::config::split_techniques;
use crate::launch::Launch;
use crate::session::{Breakpoints, Hit, StopReason, Target};
use crate::view::Selection;
use crate::workload::{self, Size, Workload};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A place in a text: line and column from 1, in characters, and how many characters it covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spot {
    pub line: usize,
    pub column: usize,
    pub width: usize,
}

/// One thing wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub place: Option<Spot>,
    pub message: String,
    pub help: Option<String>,
}

/// A kernel of the catalogue, with one of its launches.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub workload: &'static Workload,
    pub size: Size,
}

impl PartialEq for Origin {
    fn eq(&self, other: &Origin) -> bool {
        std::ptr::eq(self.workload, other.workload) && self.size == other.size
    }
}

impl Origin {
    /// A kernel of the catalogue; one that cannot be as tiny as it should be is small.
    pub fn find(name: &str, size: Size) -> Option<Origin> {
        let workload = workload::find(name)?;
        Some(Origin { workload, size: if workload.launch(size).is_some() { size } else { Size::Small } })
    }

    pub fn launch(self) -> &'static str {
        self.workload.launch(self.size).unwrap_or(self.workload.small)
    }

    /// The same kernel with the launch to watch on a machine: small, or tiny where a small block does not fit.
    fn watched_on(self, setup: &Setup) -> Origin {
        let fits = |size: Size| {
            let launch = self.workload.launch(size).and_then(|text| Launch::parse(text).ok());
            launch.zip(setup.config().ok()).is_some_and(|(launch, config)| launch.block_threads() <= config.max_threads.into())
        };
        let size = [Size::Small, Size::Tiny].into_iter().find(|&size| fits(size));
        Origin { size: size.unwrap_or(Size::Small), ..self }
    }
}

/// Something that a person should be told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    pub text: String,
    pub bad: bool,
    /// Who it is about.
    pub show: Option<Selection>,
}

impl Notice {
    pub fn good(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), bad: false, show: None }
    }

    pub fn bad(text: impl Into<String>) -> Notice {
        Notice { text: text.into(), bad: true, show: None }
    }

    fn limit() -> Notice {
        let cycles = grouped(LIMIT);
        Notice::bad(format!("Still running after {cycles} cycles; the page stops here. The command line has no such limit."))
    }
}

/// The choices that the stage was built from; the texts are the stage's own.
#[derive(Clone, Default)]
struct Running {
    setup: Setup,
    origin: Option<Origin>,
}

/// What a person can choose, as it was before a choice that may be refused.
struct Choices {
    origin: Option<Origin>,
    ptx: Rc<str>,
    launch: Rc<str>,
    reading: Rc<Reading>,
    setup: Setup,
    misfit: Option<String>,
    breakpoints: Breakpoints,
    course: Option<Course>,
}

const KEPT: &str = "What you edited is kept: Your own kernel, at the end of the menu, brings it back.";

pub struct Lab {
    /// The catalogue's kernel that the texts started from; none for a person's own.
    pub origin: Option<Origin>,
    pub ptx: Rc<str>,
    pub launch: Rc<str>,
    /// Texts of one's own, while another kernel is looked at.
    own: Option<Rc<Texts>>,
    /// What is known of the two texts.
    pub reading: Rc<Reading>,
    pub setup: Setup,
    /// What is on stage: the machine, and whose kernel it runs.
    running: Running,
    /// Why the setup makes no machine for this kernel, if it does not.
    pub misfit: Option<String>,
    /// How many choices were refused: a menu that shows one has to be set back.
    pub refused: u32,
    /// Why the technique on stage cannot act on the launch, and what could be taken instead.
    pub idle: Option<Idle>,
    /// The last kernel and machine that went together.
    pub stage: Option<Stage>,
    pub selection: Option<Selection>,
    pub breakpoints: Breakpoints,
    pub transport: Transport,
    /// Whether the way of a short jump is to be played; where nobody watches, it is not.
    pub plays_jumps: fn() -> bool,
    pub notice: Option<Notice>,
    /// The lesson that is being walked through.
    pub course: Option<Course>,
    /// The text of the lesson, where it is one's own.
    own_lesson: Option<Rc<str>>,
    /// Runs that are wanted beside the one on stage.
    pub beside: Beside,
    /// Techniques that are being tried on the kernel, or have been.
    pub contest: Option<Contest>,
    /// How many contests there have been.
    pub contests: u32,
    /// What a first visit is shown to try.
    pub hints: Option<Hints>,
}

impl Default for Lab {
    fn default() -> Lab {
        Lab::new()
    }
}

impl Lab {
    /// Empty: no kernel, the default machine.
    pub fn new() -> Lab {
        Lab {
            origin: None,
            ptx: "".into(),
            launch: "".into(),
            own: None,
            reading: Rc::new(read::read("", "", None)),
            setup: Setup::default(),
            running: Running::default(),
            misfit: None,
            refused: 0,
            idle: None,
            stage: None,
            selection: None,
            breakpoints: Breakpoints::default(),
            transport: Transport::default(),
            plays_jumps: || false,
            notice: None,
            course: None,
            own_lesson: None,
            beside: Beside::default(),
            contest: None,
            contests: 0,
            hints: None,
        }
    }

    /// Takes a kernel of the catalogue, or none: one's own, if there is one, and else an empty desk.
    pub fn choose(&mut self, origin: Option<Origin>) {
        self.hints = None;
        let kept = self.keep_own();
        let own = self.own.clone().filter(|_| origin.is_none());
        let small = |origin: &Origin| origin.size == Size::Small;
        let origin = origin.map(|origin| if small(&origin) { origin.watched_on(&self.setup) } else { origin });
        let taken = self.attempt(Box::new(|lab| match (origin, own) {
            (Some(origin), _) => lab.lay_out(Some(origin), origin.workload.ptx, origin.launch()),
            (None, Some(own)) => lab.lay_out(None, &own.ptx, &own.launch),
            (None, None) => lab.lay_out(None, "", ""),
        }));
        if taken {
            self.notice = (kept && origin.is_some()).then(|| Notice::good(KEPT));
        }
    }

    /// Makes a choice. One that the machine cannot run goes back, with a notice; whether it was taken.
    fn attempt(&mut self, change: Box<dyn FnOnce(&mut Lab) + '_>) -> bool {
        let before = Choices {
            origin: self.origin,
            ptx: self.ptx.clone(),
            launch: self.launch.clone(),
            reading: self.reading.clone(),
            setup: self.setup.clone(),
            misfit: self.misfit.take(),
            breakpoints: self.breakpoints.clone(),
            course: self.course.clone(),
        };
        change(self);
        // Without a stage there is nothing to go back to.
        let Some(misfit) = self.misfit.take_if(|_| self.stage.is_some()) else { return true };
        let elsewhere = self.elsewhere_words();
        let words = self.setup.words();
        let Choices { origin, ptx, launch, reading, setup, misfit: was_misfit, breakpoints, course } = before;
        (self.origin, self.ptx, self.launch, self.reading) = (origin, ptx, launch, reading);
        (self.setup, self.misfit, self.breakpoints, self.course) = (setup, was_misfit, breakpoints, course);
        self.refused += 1;
        let runs = self.running.setup.words();
        self.notice =
            Some(Notice::bad(format!("Not applied: {words} cannot run this: {misfit}.{elsewhere} Still running: {runs}.")));
        false
    }

    /// Where else the chosen technique can be had, as a sentence.
    fn elsewhere_words(&self) -> String {
        self.setup.elsewhere().map_or_else(String::new, |preset| format!(" The machine `{preset}` can have it."))
    }

    /// Takes other texts.
    fn lay_out(&mut self, origin: Option<Origin>, ptx: &str, launch: &str) {
        self.course = None;
        self.origin = origin;
        self.ptx = ptx.into();
        self.launch = launch.into();
        self.breakpoints = Breakpoints::default();
        if origin.is_none() {
            self.stage = None;
            self.selection = None;
        }
        self.read(None);
    }

    /// Texts of one's own that are not looked at now.
    pub fn own(&self) -> Option<&Rc<Texts>> {
        self.own.as_ref()
    }

    /// Takes texts of one's own from an earlier visit, to be looked at later.
    pub fn put_by(&mut self, own: Texts) {
        self.own.get_or_insert(Rc::new(own));
    }

    /// Another launch of the catalogue's, and its kernel if that was edited.
    pub fn resize(&mut self, size: Size) {
        let kept = self.keep_own();
        let Some(origin) = self.origin.map(|origin| Origin { size, ..origin }) else { return };
        self.attempt(Box::new(move |lab| {
            lab.origin = Some(origin);
            lab.launch = origin.launch().into();
            lab.ptx = origin.workload.ptx.into();
            lab.read(Some(if kept { KEPT } else { "Another launch: the run starts again." }));
        }));
    }

    /// Texts of one's own are not lost when another kernel is chosen; whether there were any.
    fn keep_own(&mut self) -> bool {
        let own = self.course.is_none() && self.is_edited() && !self.ptx.is_empty();
        if own {
            self.own = Some(Rc::new(Texts { ptx: self.ptx.to_string(), launch: self.launch.to_string() }));
        }
        own
    }

    pub fn edit_ptx(&mut self, text: String) {
        let in_lesson = self.course.take().is_some();
        self.ptx = text.into();
        self.reread("The kernel changed: the run starts again.");
        self.end_lesson(in_lesson);
    }

    pub fn edit_launch(&mut self, text: String) {
        let in_lesson = self.course.take().is_some();
        self.launch = text.into();
        self.reread("The launch changed: the run starts again.");
        self.end_lesson(in_lesson);
    }

    /// A lesson is about its own texts.
    fn end_lesson(&mut self, in_lesson: bool) {
        if in_lesson {
            self.notice = Some(Notice::good("An edit ends the lesson: its texts are yours now. Lessons opens it again."));
        }
    }

    /// After an edit. Back at the texts that run, the run goes on.
    fn reread(&mut self, said: &str) {
        let config = self.setup.config().ok();
        let same = self.stage.as_ref().is_some_and(|stage| {
            (&stage.listing.ptx, &stage.launch) == (&self.ptx, &self.launch)
                && config.as_ref() == Some(&stage.session.sim().machine.config)
        });
        if same && self.misfit.is_none() {
            self.reading = Rc::new(read::read(&self.ptx, &self.launch, self.origin));
        } else {
            self.read(Some(said));
        }
    }

    /// Takes a text from a file, a kernel, a launch or a lesson, and says what is wrong with it where nobody sees the editor.
    pub fn take_file(&mut self, name: &str, text: String) {
        if name.to_ascii_lowercase().ends_with(".toml") && text.contains("[[stop]]") {
            self.open_own_lesson(name, &text);
            return;
        }
        if name.to_ascii_lowercase().ends_with(".toml") {
            self.edit_launch(text);
        } else {
            self.edit_ptx(text);
        }
        self.complain(name);
    }

    /// Says what keeps the two texts from running, if anything does.
    fn complain(&mut self, whence: &str) {
        let Err(reason) = &self.reading.ready else { return };
        let told = |of: &str, findings: &[Finding]| {
            findings.first().map_or_else(String::new, |finding| {
                let place = finding.place.map_or(String::new(), |spot| format!("line {}: ", spot.line));
                format!(" {of}{place}{}.", finding.message.trim_end_matches('.'))
            })
        };
        // Where both texts have problems, the reason is the launch's.
        let (ptx, launch) = (&*self.reading.ptx, &*self.reading.launch);
        let why = match launch {
            [] => told("", ptx),
            launch => told("", launch) + &told("The PTX has one too, ", ptx),
        };
        let stays = if self.stage.is_some() { " The last good kernel stays loaded." } else { "" };
        self.notice = Some(Notice::bad(format!("{whence}: {reason}{why} Press E to mend it.{stays}")));
    }

    /// Takes another machine; the run starts again with the same kernel. A preset or a technique that cannot be had goes back;
    /// a changed key stays to be corrected, and is marked as not applied.
    pub fn set_up(&mut self, setup: Setup) {
        if setup == self.setup {
            return;
        }
        let said = format!("Now {}: the run starts again with the same kernel.", setup.words());
        let key_changes = setup.keys != self.setup.keys;
        let is_another_machine = setup.preset != self.setup.preset;
        let change = |lab: &mut Lab| {
            lab.setup = setup;
            if !(is_another_machine && lab.take_watched(&said)) {
                lab.build(Some(&said));
            }
        };
        if key_changes {
            change(self);
        } else {
            self.attempt(Box::new(change));
        }
    }

    /// Takes the launch of the kernel that is to be watched on the machine, if that is another one; whether it was.
    fn take_watched(&mut self, said: &str) -> bool {
        let watched = self.origin.filter(|origin| origin.size != Size::Full && !self.is_edited());
        let origin = watched.map(|origin| origin.watched_on(&self.setup)).filter(|origin| Some(*origin) != self.origin);
        if let Some(origin) = origin {
            self.origin = Some(origin);
            self.launch = origin.launch().into();
            self.read(Some(&format!("{said} Its {} launch fits that machine.", origin.size.name())));
        }
        origin.is_some()
    }

    /// Chooses a technique, or leaves it to the preset; others that decide the same as it are given up, and that is said.
    pub fn decide(&mut self, decides: &str, name: Option<&str>) {
        let setup = self.setup.with_technique(decides, name);
        let lost = split_techniques(&self.setup.technique).find(|before| {
            self.setup.technique_for(decides) != Some(before) && !split_techniques(&setup.technique).any(|kept| kept == *before)
        });
        let lost = lost.filter(|lost| !lost.is_empty()).map(|lost| format!(" {lost} decides that too, and was given up."));
        self.set_up(setup.clone());
        if let (Some(lost), Some(notice)) = (lost.filter(|_| self.setup == setup), self.notice.as_mut()) {
            notice.text += &lost;
        }
    }

    /// Whether the texts are other than the catalogue's.
    pub fn is_edited(&self) -> bool {
        self.origin.is_none_or(|origin| *self.ptx != *origin.workload.ptx || *self.launch != *origin.launch())
    }

    /// After any change of a text.
    fn read(&mut self, said: Option<&str>) {
        self.reading = Rc::new(read::read(&self.ptx, &self.launch, self.origin));
        // A kernel of another name is no longer the catalogue's.
        let name = self.reading.ready.as_ref().ok().map(|ready| ready.program.kernel.clone());
        self.origin = self.origin.filter(|origin| name.is_none_or(|name| *name == *origin.workload.name));
        self.build(said);
    }

    /// Puts kernel and machine together, where they go together; else the last stage stays.
    fn build(&mut self, said: Option<&str>) {
        self.misfit = None;
        let Ok(ready) = &self.reading.ready else {
            // The editor says what is wrong; what was said of an older text is no longer so.
            self.notice = None;
            return;
        };
        let config = match self.setup.config() {
            Ok(config) => config,
            Err(error) => {
                self.misfit = Some(error.to_string());
                self.notice = None;
                return;
            }
        };
        match Stage::new(ready, config, self.origin, self.ptx.clone(), self.launch.clone()) {
            Ok(stage) => {
                if self.stage.as_ref().is_some_and(|before| before.listing.ptx != stage.listing.ptx) {
                    self.breakpoints.pcs.clear();
                }
                self.stage = Some(stage);
                self.running = Running { setup: self.setup.clone(), origin: self.origin };
                self.idle = self.find_idle();
                self.transport.rest();
                self.selection = Some(Selection::Warp { sm: 0, warp: 0 });
                self.notice = said.map(Notice::good);
            }
            Err(message) => {
                self.misfit = Some(message);
                self.notice = None;
            }
        }
    }

    /// Why what is chosen is not what is shown, and what to do.
    pub fn misfit_words(&self) -> Option<String> {
        let misfit = self.misfit.as_ref()?;
        let elsewhere = self.elsewhere_words();
        let then = if self.stage.is_some() { "The last machine stays." } else { "Choose another machine, technique or kernel." };
        Some(format!("This machine cannot run the kernel: {misfit}.{elsewhere} {then}"))
    }

    /// The machine that runs, where another one is chosen.
    pub fn running_instead(&self) -> Option<&Setup> {
        let running = (self.misfit.is_some() && self.stage.is_some()).then_some(&self.running.setup);
        running.filter(|running| **running != self.setup)
    }

    /// The machine on stage, and whose kernel it runs.
    pub fn shown(&self) -> (&Setup, Option<Origin>) {
        (&self.running.setup, self.running.origin)
    }

    /// Chooses the machine that runs.
    pub fn take_back(&mut self) {
        if let Some(running) = self.running_instead() {
            self.setup = running.clone();
            self.misfit = None;
        }
    }

    // Moving through the run. What ends a movement early is told in a notice.

    pub fn cycle(&self) -> u64 {
        self.stage.as_ref().map_or(0, |stage| stage.session.cycle())
    }

    /// The run has come from another cycle to where it is: plays the way, where it is short and is to be played.
    fn play_way(&mut self, from: u64) {
        let jump = Jump { from, to: self.cycle() };
        if let Some(stage) = self.stage.as_mut().filter(|_| jump.is_short() && (self.plays_jumps)()) {
            stage.session.seek(from);
            self.transport.goal = Goal::Jump(jump);
            self.transport.arrival = self.notice.take();
        }
    }

    /// Ends a jump that is being played, at its goal; whether there was one.
    pub fn arrive(&mut self) -> bool {
        let Some(jump) = self.transport.jump() else { return false };
        if let Some(stage) = &mut self.stage {
            stage.session.seek(jump.to);
        }
        self.notice = self.transport.arrival.take();
        self.transport.rest();
        true
    }

    /// One cycle forwards; play stops.
    pub fn step(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        let Some(stage) = &mut self.stage else { return };
        if stage.session.reached() < LIMIT || stage.session.cycle() < stage.session.reached() {
            stage.session.step();
            self.tried(|hints| hints.stepped = true);
        } else if !stage.session.at_end() {
            self.notice = Some(Notice::limit());
            return;
        }
        self.notice = self.stage.as_ref().filter(|stage| stage.session.at_end()).map(Stage::ending);
    }

    /// One cycle backwards; play stops.
    pub fn back(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        if let Some(stage) = &mut self.stage {
            stage.session.back();
        }
    }

    /// To a cycle: at once where it is known, in slices where it is not.
    pub fn seek(&mut self, cycle: u64) {
        self.transport.rest();
        self.notice = None;
        let Some(stage) = &mut self.stage else { return };
        if cycle <= stage.session.reached() || stage.session.ended() {
            stage.session.seek(cycle);
        } else {
            self.transport.goal = Goal::Cycle(cycle.min(LIMIT));
        }
    }

    pub fn start(&mut self) {
        self.seek(0);
    }

    /// Runs to the end, in slices.
    pub fn end(&mut self) {
        self.notice = None;
        let Some(stage) = &mut self.stage else { return };
        if stage.session.ended() {
            self.transport.rest();
            stage.session.seek(u64::MAX);
            self.notice = Some(stage.ending());
        } else {
            self.transport.goal = Goal::End;
        }
    }

    /// Play or pause; a jump ends at its goal.
    pub fn play(&mut self) {
        if self.arrive() {
            return;
        }
        let can = self.stage.as_ref().is_some_and(|stage| !stage.session.at_end());
        if self.transport.is_resting() && !can {
            // At the end there is nothing to play, and what was said of it stays.
            self.notice = self.stage.as_ref().map(|stage| stage.ending());
            return;
        }
        self.notice = None;
        if self.transport.is_resting() {
            self.transport.start(Goal::Play);
        } else {
            self.transport.rest();
        }
    }

    /// What next and previous look for: a stall of the selected warp, where stalls are wanted.
    fn target(&self) -> Option<Target> {
        match self.transport.wanted {
            Wanted::Event(kind) => Some(Target::Event(kind)),
            Wanted::Stall => self.selection.and_then(Selection::warp).map(|(sm, warp)| Target::Stall { sm, warp }),
        }
    }

    pub fn next_event(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        let Some(target) = self.target() else {
            self.notice = Some(Notice::bad("Select a warp first: its next stall is looked for."));
            return;
        };
        let Some(stage) = &mut self.stage else { return };
        match stage.session.known_next(target) {
            Some(cycle) => {
                let from = stage.session.cycle();
                stage.session.seek(cycle);
                self.tell_found();
                self.play_way(from);
            }
            None if stage.session.ended() => self.notice = Some(Notice::good(self.transport.wanted.none_follows())),
            None => {
                self.transport.searched_from = stage.session.cycle();
                self.transport.goal = Goal::Search(target);
            }
        }
    }

    pub fn previous_event(&mut self) {
        self.arrive();
        self.transport.rest();
        self.notice = None;
        let Some(target) = self.target() else {
            self.notice = Some(Notice::bad("Select a warp first: its last stall is looked for."));
            return;
        };
        let Some(stage) = &mut self.stage else { return };
        match stage.session.previous(target) {
            Some(cycle) => {
                let from = stage.session.cycle();
                stage.session.seek(cycle);
                self.tell_found();
                self.play_way(from);
            }
            None => self.notice = Some(Notice::good(self.transport.wanted.none_before())),
        }
    }

    /// Says which event was looked for and found.
    fn tell_found(&mut self) {
        let Some(stage) = &self.stage else { return };
        self.notice = match self.transport.wanted {
            Wanted::Event(kind) => Some(stage.tell_event(kind)),
            Wanted::Stall => self.selection.and_then(Selection::warp).and_then(|(sm, warp)| stage.tell_stall(sm, warp)),
        };
    }

    /// Lets time pass: `elapsed` milliseconds since the last call, working for at most `slice` of them by `clock`.
    /// Whether anything changed.
    pub fn tick(&mut self, elapsed: f64, slice: f64, clock: &dyn Fn() -> f64) -> bool {
        let Some(stage) = &mut self.stage else {
            self.transport.rest();
            return false;
        };
        let Some(stop) = self.transport.tick(&mut stage.session, &self.breakpoints, elapsed, slice, clock) else { return false };
        match stop {
            transport::Halt::Going => return true,
            transport::Halt::Arrived if matches!(self.transport.goal, Goal::Search(_)) => {
                self.transport.rest();
                self.tell_found();
                self.play_way(self.transport.searched_from);
                return true;
            }
            transport::Halt::Arrived if self.transport.jump().is_some() => {
                self.arrive();
                return true;
            }
            transport::Halt::Arrived => {}
            transport::Halt::NotFound => {
                stage.session.seek(self.transport.searched_from);
                self.notice = Some(Notice::good(self.transport.wanted.none_follows()));
            }
            transport::Halt::Limit => {
                self.notice = Some(Notice::limit());
            }
            transport::Halt::Stopped(StopReason::Hit(hit)) => {
                self.notice = Some(stage.tell_hit(hit));
                if let Hit::Pc { sm, warp, .. } | Hit::Warp { sm, warp, .. } = hit {
                    self.selection = Some(Selection::Warp { sm, warp });
                }
            }
            transport::Halt::Stopped(_) if self.transport.goal != Goal::Verdict => {
                self.transport.goal = Goal::Verdict;
                return true;
            }
            transport::Halt::Stopped(_) => self.notice = Some(stage.ending()),
        }
        self.transport.rest();
        true
    }
}
