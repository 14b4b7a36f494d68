//! Choosing what runs: a kernel of the catalogue or of one's own, and the machine for it.
//!
//! A choice that does not fit is told and taken back, or stands beside what runs instead; texts of one's own are kept through
//! all of it.

use super::{Breakpoints, Choices, Finding, KEPT, Lab, Notice, Origin, Running, Setup, Stage, Texts, read};
use crate::config::split_techniques;
use crate::view::Selection;
use crate::workload::Size;
use std::rc::Rc;

impl Lab {
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
    pub(super) fn attempt(&mut self, change: Box<dyn FnOnce(&mut Lab) + '_>) -> bool {
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
    pub(super) fn lay_out(&mut self, origin: Option<Origin>, ptx: &str, launch: &str) {
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
    pub(super) fn keep_own(&mut self) -> bool {
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
    pub(super) fn complain(&mut self, whence: &str) {
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
    pub(super) fn read(&mut self, said: Option<&str>) {
        self.reading = Rc::new(read::read(&self.ptx, &self.launch, self.origin));
        // A kernel of another name is no longer the catalogue's.
        let name = self.reading.ready.as_ref().ok().map(|ready| ready.program.kernel.clone());
        self.origin = self.origin.filter(|origin| name.is_none_or(|name| *name == *origin.workload.name));
        self.build(said);
    }

    /// Puts kernel and machine together, where they go together; else the last stage stays.
    pub(super) fn build(&mut self, said: Option<&str>) {
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
}
