//! Choosing what runs: a catalogue kernel or the user's own, and the machine for it.
//!
//! A choice that cannot run is reported, and either reverted or kept beside the stage that still runs. The user's own texts
//! survive every choice.

use super::{Breakpoints, Choices, Finding, KEPT, Lab, MachineSpec, Notice, Origin, Running, Stage, Texts, read};
use std::rc::Rc;
use warpscope_catalogue::Size;
use warpscope_machine::config::split_techniques;
use warpscope_pictures::view::Selection;
use warpscope_study::lesson;

impl Lab {
    /// Loads a catalogue kernel; `None` loads the user's own texts, or those with which a kernel of one's own begins.
    pub fn choose(&mut self, origin: Option<Origin>) {
        let kept = self.keep_own();
        let own = self.own.clone().filter(|_| origin.is_none());
        let small = |origin: &Origin| origin.size == Size::Small;
        let origin = origin.map(|origin| if small(&origin) { origin.watched_on(&self.setup) } else { origin });
        let taken = self.attempt(Box::new(|lab| match (origin, own) {
            (Some(origin), _) => lab.load_texts(Some(origin), origin.workload.ptx, origin.launch()),
            (None, Some(own)) => lab.load_texts(None, &own.ptx, &own.launch),
            (None, None) => {
                let Texts { ptx, launch } = Texts::template();
                lab.load_texts(None, &ptx, &launch);
                lab.drafted = Some(lab.launch.clone());
            }
        }));
        if taken {
            self.notice = (kept && origin.is_some()).then(|| Notice::good(KEPT));
        }
    }

    /// Applies a change; reverts it with a notice if it cannot run. Returns whether it was applied.
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
            panel: self.panel.clone(),
        };
        change(self);
        // Without a stage there is nothing to revert to.
        let Some(misfit) = self.misfit.take_if(|_| self.stage.is_some()) else { return true };
        let elsewhere = self.elsewhere_words();
        // Techniques that do not go together are the whole reason; any other concerns the machine as chosen.
        let whole = self.setup.config().is_err_and(|error| error.is_about_techniques());
        let words = if whole { String::new() } else { format!("{} cannot run this: ", self.setup.words()) };
        let Choices { origin, ptx, launch, reading, setup, misfit: was_misfit, breakpoints, course, panel } = before;
        (self.origin, self.ptx, self.launch, self.reading) = (origin, ptx, launch, reading);
        (self.setup, self.misfit, self.breakpoints, self.course) = (setup, was_misfit, breakpoints, course);
        self.panel = panel;
        self.refused += 1;
        let runs = self.running.setup.words();
        self.notice = Some(Notice::bad(format!("Not applied: {words}{misfit}.{elsewhere} Still running: {runs}.")));
        false
    }

    /// Returns a sentence that names a preset which supports the chosen technique, or an empty text.
    fn elsewhere_words(&self) -> String {
        self.setup.elsewhere().map_or_else(String::new, |preset| format!(" The machine `{preset}` supports it."))
    }

    /// Loads other texts, and drops lesson, hints and breakpoints.
    pub(super) fn load_texts(&mut self, origin: Option<Origin>, ptx: &str, launch: &str) {
        self.replace_texts(origin, ptx, launch);
        self.read(None);
    }

    /// Replaces the texts without reading them, and drops lesson, hints and breakpoints.
    pub(super) fn replace_texts(&mut self, origin: Option<Origin>, ptx: &str, launch: &str) {
        self.end_course();
        self.hints = None;
        self.origin = origin;
        self.ptx = ptx.into();
        self.launch = launch.into();
        self.breakpoints = Breakpoints::default();
        if origin.is_none() {
            self.stage = None;
            self.selection = None;
        }
    }

    /// Returns the CUDA source of the PTX as it is: that of the catalogue kernel or of the lesson which has this PTX.
    fn cuda(&self) -> Option<Rc<str>> {
        let catalogue = self.origin.filter(|origin| *origin.workload.ptx == *self.ptx);
        let open = self.course.iter().map(|course| &*course.lesson);
        let of_lesson = || open.chain(lesson::all()).find(|lesson| *lesson.kernel == *self.ptx).map(|lesson| &*lesson.cuda);
        catalogue.map(|origin| origin.workload.cuda).or_else(of_lesson).filter(|cuda| !cuda.is_empty()).map(Rc::from)
    }

    /// Returns the user's own texts that were kept when another kernel was loaded.
    pub fn own(&self) -> Option<&Rc<Texts>> {
        self.own.as_ref()
    }

    /// Keeps the user's own texts of an earlier visit, unless newer ones are kept.
    pub fn keep_own_texts(&mut self, own: Texts) {
        self.own.get_or_insert(Rc::new(own));
    }

    /// Loads the catalogue kernel with its launch of another size; keeps edited texts as the user's own.
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

    /// Keeps edited texts before another kernel replaces them. Returns whether there were any.
    pub(super) fn keep_own(&mut self) -> bool {
        let is_template = || self.origin.is_none() && *self.ptx == *Texts::template().ptx;
        let own = self.course.is_none() && self.is_edited() && !self.ptx.is_empty() && !is_template();
        if own {
            self.own = Some(Rc::new(Texts { ptx: self.ptx.to_string(), launch: self.launch.to_string() }));
        }
        own
    }

    /// Takes a changed PTX text; the launch follows it while it is a draft. The run begins again if both are sound.
    pub fn edit_ptx(&mut self, text: String) {
        let in_lesson = self.end_course();
        self.ptx = text.into();
        let drafted = self.follow_with_launch();
        self.reread(&Lab::with_draft("The kernel changed: the run starts again.", drafted));
        self.end_lesson(in_lesson);
    }

    /// Takes a changed launch file. The run begins again if both texts are sound.
    pub fn edit_launch(&mut self, text: String) {
        let in_lesson = self.end_course();
        self.launch = text.into();
        self.reread("The launch changed: the run starts again.");
        self.end_lesson(in_lesson);
    }

    /// Tells the user that an edit has ended the lesson, which is about its own texts.
    fn end_lesson(&mut self, in_lesson: bool) {
        if in_lesson {
            self.notice = Some(Notice::good("Your edit ended the lesson: the texts are yours now. Lessons opens it again."));
        }
    }

    /// Reads the texts after an edit. The run continues if they are the ones that run.
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

    /// Loads a kernel, a launch or a lesson from a file. Reports problems in a notice, as the editor may be closed.
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

    /// Sets a notice that says why the two texts cannot run, if they cannot.
    pub(super) fn complain(&mut self, whence: &str) {
        let Err(reason) = &self.reading.ready else { return };
        let told = |of: &str, findings: &[Finding]| {
            findings.first().map_or_else(String::new, |finding| {
                let place = finding.place.map_or(String::new(), |spot| format!("line {}: ", spot.line));
                format!(" {of}{place}{}.", finding.message.trim_end_matches('.'))
            })
        };
        // If both texts have problems, `reason` is about the launch.
        let (ptx, launch) = (&*self.reading.ptx, &*self.reading.launch);
        let why = match launch {
            [] => told("", ptx),
            launch => told("", launch) + &told("The PTX has one too, ", ptx),
        };
        let stays = if self.stage.is_some() { " The last good kernel stays loaded." } else { "" };
        self.notice = Some(Notice::bad(format!("{whence}: {reason}{why} Press E to fix it.{stays}")));
    }

    /// Switches to another machine; the run restarts with the same kernel. An unsupported preset or technique is reverted; an
    /// invalid key stays for correction, marked as not applied.
    pub fn set_up(&mut self, setup: MachineSpec) {
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

    /// Switches to the launch to watch on the machine, if that is another one. Returns whether it was.
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

    /// Chooses a technique, or leaves the decision to the preset. A notice names the techniques of other axes that this drops.
    pub fn decide(&mut self, decides: &str, name: Option<&str>) {
        let setup = self.setup.with_technique(decides, name);
        let is_lost = |before: &&str| {
            let is_kept = split_techniques(&setup.technique).any(|kept| kept == *before);
            !before.is_empty() && !is_kept && self.setup.technique_for(decides) != Some(before)
        };
        let lost: Vec<&str> = split_techniques(&self.setup.technique).filter(is_lost).collect();
        let told = match lost[..] {
            [] => String::new(),
            [one] => format!(" {one} decides that too, so it was dropped."),
            _ => format!(" {} decide that too, so they were dropped.", lost.join(" and ")),
        };
        self.set_up(setup.clone());
        if let Some(notice) = self.notice.as_mut().filter(|_| self.setup == setup) {
            notice.text += &told;
        }
    }

    /// Returns whether the texts differ from the catalogue's.
    pub fn is_edited(&self) -> bool {
        self.origin.is_none_or(|origin| *self.ptx != *origin.workload.ptx || *self.launch != *origin.launch())
    }

    /// Parses the texts after a change, and builds the stage.
    pub(super) fn read(&mut self, said: Option<&str>) {
        self.reading = Rc::new(read::read(&self.ptx, &self.launch, self.origin));
        // A kernel of another name is no longer the catalogue kernel.
        let name = self.reading.ready.as_ref().ok().map(|ready| ready.job.program.kernel.clone());
        self.origin = self.origin.filter(|origin| name.is_none_or(|name| *name == *origin.workload.name));
        self.build(said);
    }

    /// Builds the stage from kernel and machine; keeps the last stage if they do not fit together.
    pub(super) fn build(&mut self, said: Option<&str>) {
        self.misfit = None;
        let Ok(ready) = &self.reading.ready else {
            // The editor shows the problems; an older notice is out of date.
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
        match Stage::new(ready, config, self.origin, self.ptx.clone(), self.cuda(), self.launch.clone()) {
            Ok(stage) => {
                if self.stage.as_ref().is_some_and(|before| before.listing.ptx != stage.listing.ptx) {
                    self.breakpoints.pcs.clear();
                }
                self.stage = Some(stage);
                self.running = Running { setup: self.setup.clone(), origin: self.origin };
                self.inapplicable = self.find_inapplicable();
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

    /// Returns why the chosen machine does not run, and what to do.
    pub fn misfit_words(&self) -> Option<String> {
        let misfit = self.misfit.as_ref()?;
        let elsewhere = self.elsewhere_words();
        let then = if self.stage.is_some() { "The last machine stays." } else { "Choose another machine, technique or kernel." };
        Some(format!("This machine cannot run the kernel: {misfit}.{elsewhere} {then}"))
    }

    /// Returns the running setup while another one is chosen that cannot run.
    pub fn running_instead(&self) -> Option<&MachineSpec> {
        let running = (self.misfit.is_some() && self.stage.is_some()).then_some(&self.running.setup);
        running.filter(|running| **running != self.setup)
    }

    /// Returns the setup and the origin of the current stage.
    pub fn shown(&self) -> (&MachineSpec, Option<Origin>) {
        (&self.running.setup, self.running.origin)
    }

    /// Reverts the chosen setup to the running one.
    pub fn take_back(&mut self) {
        if let Some(running) = self.running_instead() {
            self.setup = running.clone();
            self.misfit = None;
        }
    }
}
