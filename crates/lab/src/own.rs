//! The user's own kernel: the text that it begins with, and the launch that is drafted from its parameters until the user writes
//! one.

use super::{Lab, Notice, Texts, read};

const TEMPLATE: &str = include_str!("template.ptx");

const DRAFTED: &str = "The launch is a draft from the kernel's parameters: change it in the editor (E).";

impl Texts {
    /// Returns the kernel with which the user's own begins.
    pub fn template() -> Texts {
        Texts { ptx: TEMPLATE.into(), launch: read::draft(TEMPLATE).unwrap_or_default() }
    }
}

impl Lab {
    /// Loads texts of the user's own.
    pub fn load_own(&mut self, texts: &Texts) {
        self.load_texts(None, &texts.ptx, &texts.launch);
    }

    /// Drafts the launch anew after a change of the PTX, unless the user has written one. Returns whether it did.
    pub(super) fn follow_with_launch(&mut self) -> bool {
        let is_draft = self.launch.trim().is_empty() || self.drafted.as_deref() == Some(&*self.launch);
        is_draft && self.take_draft()
    }

    /// Replaces the launch by a draft from the kernel's parameters.
    pub fn redraft(&mut self) {
        if self.take_draft() {
            self.end_course();
            self.read(Some(DRAFTED));
        } else {
            self.notice = Some(Notice::bad("No launch can be drafted: the PTX has no kernel without problems."));
        }
    }

    /// Puts a draft into the launch's place. Returns whether there is one, and it is another text.
    fn take_draft(&mut self) -> bool {
        let Some(draft) = read::draft(&self.ptx) else { return false };
        let is_new = *draft != *self.launch;
        self.launch = draft.into();
        self.drafted = Some(self.launch.clone());
        is_new
    }

    /// Returns what to say of the run that begins, where the launch was drafted for it.
    pub(super) fn with_draft(said: &str, drafted: bool) -> String {
        if drafted { format!("{said} {DRAFTED}") } else { said.to_string() }
    }
}
