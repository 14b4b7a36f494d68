//! Converts a [`Lab`] to a [`Link`] and back: for sharing and the address bar.

use super::{Lab, Link, MachineSpec, Notice, Origin, Tab, Texts};
use warpscope_catalogue::Size;
use warpscope_pictures::view::Selection;

/// The kernel that a link opens which names an unknown one, on a page without a kernel.
const INSTEAD: &str = "collatz";

/// Returns the tab with which a page opens, or a lesson.
fn opening_tab(is_lesson: bool) -> Tab {
    if is_lesson { Tab::Lesson } else { Tab::default() }
}

impl Lab {
    /// Returns a link to what runs now, without what was typed or chosen since and cannot run.
    pub fn link(&self) -> Link {
        let draft = self.address();
        let Some(stage) = self.stage.as_ref().filter(|_| self.misfit.is_some() || self.reading.ready.is_err()) else {
            return draft;
        };
        // A lesson brings its own texts.
        if draft.lesson.is_some() {
            return draft;
        }
        let origin = self.running.origin;
        let same = |origin: Origin| *origin.workload.ptx == *stage.listing.ptx && *origin.launch() == *stage.launch;
        let texts = Texts { ptx: stage.listing.ptx.to_string(), launch: stage.launch.to_string() };
        Link {
            kernel: origin.map(|origin| origin.workload.name.to_string()),
            size: origin.map_or(Size::Small, |origin| origin.size),
            texts: (!origin.is_some_and(same)).then_some(texts),
            ..draft
        }
    }

    /// Returns the link for the address bar: the texts as typed, the machine that runs, the current cycle.
    pub fn address(&self) -> Link {
        let course = self.course.as_ref();
        // A lesson brings its own texts.
        let own = self.is_edited() && course.is_none();
        let texts = own.then(|| Texts { ptx: self.ptx.to_string(), launch: self.launch.to_string() });
        Link {
            lesson: course.map(|course| (course.lesson.id.to_string(), course.stop.map_or(0, |at| at + 1))),
            own_lesson: course.and(self.own_lesson.as_ref()).map(|text| text.to_string()),
            kernel: self.origin.map(|origin| origin.workload.name.to_string()),
            size: self.origin.map_or(Size::Small, |origin| origin.size),
            texts,
            // A setup that cannot run is not the one that is shown.
            setup: Some(if self.misfit.is_some() && self.stage.is_some() { &self.running.setup } else { &self.setup }.clone()),
            // A lesson's link without a cycle would open at its stop.
            cycle: Some(self.cycle()).filter(|&cycle| cycle > 0 || course.is_some()),
            selection: self.selection,
            breakpoints: self.breakpoints.clone(),
            beside: self.beside.clone(),
            range: self.stage.as_ref().and_then(|stage| stage.range),
            tab: Some(self.tab()).filter(|&tab| tab != opening_tab(course.is_some())),
            panel: self.panel.as_ref().map(|panel| panel.to_string()),
            embed: false,
        }
    }

    /// Opens a link: reports the parts that cannot be applied, and applies the others.
    pub fn open(&mut self, link: Link) {
        let size = link.size;
        let origin = link.kernel.as_deref().and_then(|name| Origin::find(name, size));
        let unknown = link.kernel.as_deref().filter(|_| origin.is_none()).map(str::to_string);
        let mut wanted = link.setup.clone().unwrap_or_default();
        let amiss = wanted.mend();
        self.keep_own();
        // If the machine cannot run the kernel, its changed keys are dropped.
        let mut dropped = None;
        let taken = self.attempt(Box::new(|lab| {
            lab.load_link(wanted, origin, &link);
            dropped = lab.drop_keys();
        }));
        if !taken {
            return;
        }
        let amiss = amiss.or(dropped);
        let setup = link.setup.map(|_| self.setup.clone());
        if let Some((id, stop)) = &link.lesson {
            let opened = match &link.own_lesson {
                Some(text) => self.open_own_lesson("The link's lesson", text),
                None => self.open_lesson(id),
            };
            if opened {
                if let Some(at) = stop.checked_sub(1) {
                    self.go_to_stop(at);
                }
                // The link's author may have changed the technique after the stop.
                if let Some(setup) = setup.filter(|setup| *setup != self.setup) {
                    self.setup = setup;
                    self.build(None);
                }
            } else if link.own_lesson.is_none() {
                self.notice = Some(Notice::bad(format!("The link names lesson `{id}`, which does not exist.")));
            }
        }
        if let Some(cycle) = link.cycle.filter(|&cycle| cycle != self.cycle()) {
            let told = self.notice.take();
            self.seek(cycle);
            self.notice = self.notice.take().or(told);
        }
        let there = |selection: &Selection| self.stage.as_ref().is_none_or(|stage| selection.is_on(stage.session.sim()));
        match link.selection {
            Some(selection) if !there(&selection) => {
                let text = format!("The link selects `{}`, which this machine does not have.", selection.key());
                self.notice = Some(Notice::bad(text));
            }
            Some(selection) => self.selection = Some(selection),
            None => {}
        }
        self.breakpoints = link.breakpoints;
        self.beside = link.beside;
        self.show_tab(link.tab.unwrap_or(opening_tab(self.course.is_some())));
        if let Some(panel) = link.panel {
            self.panel = Some(panel.into());
        }
        if let Some(range) = link.range {
            let told = self.notice.take();
            self.select_known(range, link.cycle.unwrap_or(self.cycle()));
            self.notice = self.notice.take().or(told);
        }
        let instructions = self.stage.as_ref().map_or(0, |stage| stage.session.sim().machine.program.instructions.len());
        let stops = self.breakpoints.pcs.len();
        self.breakpoints.pcs.retain(|&pc| (pc as usize) < instructions);
        if self.breakpoints.pcs.len() < stops {
            self.notice =
                Some(Notice::bad("The link stops at an instruction that this kernel does not have; that stop is left out."));
        }
        if let Some(amiss) = amiss {
            self.notice = Some(Notice::bad(format!("The link's machine is not available: {amiss}.")));
        }
        if let Some(name) = unknown {
            self.notice = Some(Notice::bad(format!("The link names a kernel `{name}` that is not in the catalogue.")));
        }
    }

    /// Loads a link's setup and texts.
    fn load_link(&mut self, setup: MachineSpec, origin: Option<Origin>, link: &Link) {
        self.setup = setup;
        match (origin, &link.texts) {
            (_, Some(texts)) => {
                self.load_texts(origin, &texts.ptx, &texts.launch);
                self.complain("The link's kernel");
            }
            (Some(origin), None) => {
                // A link without a size means the launch to watch on its machine.
                let origin = if origin.size == Size::Small { origin.watched_on(&self.setup) } else { origin };
                self.load_texts(Some(origin), origin.workload.ptx, origin.launch());
            }
            // For an unknown kernel the current stage stays; without one, another kernel is loaded.
            (None, None) if link.kernel.is_some() && self.stage.is_some() => self.build(None),
            (None, None) if link.kernel.is_some() => self.choose(Origin::find(INSTEAD, link.size)),
            (None, None) => self.load_texts(None, "", ""),
        }
    }

    /// Drops the changed keys if the kernel can run without them. Returns what was wrong with them.
    fn drop_keys(&mut self) -> Option<String> {
        let misfit = self.misfit.clone().filter(|_| !self.setup.keys.is_empty())?;
        let keys = std::mem::take(&mut self.setup.keys);
        self.build(None);
        if self.misfit.is_some() {
            self.setup.keys = keys;
            self.build(None);
            return None;
        }
        Some(format!("{misfit}; its changed keys are left out"))
    }
}
