//! The page's state and everything that can change it.

use std::rc::Rc;

use yew::prelude::*;

use super::desk::{self, Outcome, Reading, Spot};
use super::editor::Reveal;
use super::storage::{Draft, Texts};
use crate::workload::{self, Workload};

/// What the page opens with on a first visit.
const FIRST: &str = "collatz";

#[derive(Clone, PartialEq)]
pub struct State {
    /// The catalogue's kernel that the texts started from; none for a person's own.
    pub origin: Option<Origin>,
    pub ptx: Rc<str>,
    pub launch: Rc<str>,
    /// What is known of the two texts.
    pub reading: Rc<Reading>,
    pub side: Side,
    /// The place in each text that was last asked for.
    pub ptx_reveal: Option<Reveal>,
    pub launch_reveal: Option<Reveal>,
    pub run: Run,
}

/// A kernel of the catalogue, with one of its launches.
#[derive(Clone, Copy)]
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
    fn find(name: &str, size: Size) -> Option<Origin> {
        workload::find(name).map(|workload| Origin { workload, size })
    }

    pub fn launch(self) -> &'static str {
        match self.size {
            Size::Small => self.workload.small,
            Size::Full => self.workload.full,
        }
    }
}

/// Which of a workload's launches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    Small,
    Full,
}

/// Which of the kernel's texts the source panel shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Ptx,
    Cuda,
}

#[derive(Clone, PartialEq)]
pub enum Run {
    None,
    /// Under way; the number tells runs apart.
    Going(u32),
    Ended(Rc<Outcome>),
}

pub enum Action {
    /// A kernel of the catalogue, or one's own.
    Choose(Option<&'static Workload>),
    Resize(Size),
    Turn(Side),
    EditPtx(String),
    EditLaunch(String),
    GoInPtx(Spot),
    GoInLaunch(Spot),
    Start(u32),
    End(u32, Rc<Outcome>),
}

impl State {
    /// As the last visit left it, or with a first kernel to look at.
    pub fn new() -> State {
        let mut state = State {
            origin: None,
            ptx: "".into(),
            launch: "".into(),
            reading: Rc::new(desk::read("", "")),
            side: Side::Ptx,
            ptx_reveal: None,
            launch_reveal: None,
            run: Run::None,
        };
        match Draft::load() {
            Some(draft) => {
                let size = if draft.full { Size::Full } else { Size::Small };
                state.take(draft.origin.as_deref().and_then(|name| Origin::find(name, size)));
                if let Some(texts) = draft.texts {
                    state.ptx = texts.ptx.into();
                    state.launch = texts.launch.into();
                }
            }
            None => state.take(Origin::find(FIRST, Size::Small)),
        }
        state.read();
        state
    }

    /// Whether the texts are other than the catalogue's.
    pub fn is_edited(&self) -> bool {
        self.origin.is_none_or(|origin| *self.ptx != *origin.workload.ptx || *self.launch != *origin.launch())
    }

    /// What is worth keeping over a reload.
    pub fn draft(&self) -> Draft {
        Draft {
            origin: self.origin.map(|origin| origin.workload.name.into()),
            full: self.origin.is_some_and(|origin| origin.size == Size::Full),
            texts: self.is_edited().then(|| Texts { ptx: self.ptx.to_string(), launch: self.launch.to_string() }),
        }
    }

    fn take(&mut self, origin: Option<Origin>) {
        self.origin = origin;
        self.ptx = origin.map_or("", |origin| origin.workload.ptx).into();
        self.launch = origin.map_or("", |origin| origin.launch()).into();
        self.side = Side::Ptx;
        self.ptx_reveal = None;
        self.launch_reveal = None;
    }

    /// After any change of a text. What was run before no longer belongs to what is shown.
    fn read(&mut self) {
        self.reading = Rc::new(desk::read(&self.ptx, &self.launch));
        self.run = Run::None;
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            Action::Choose(workload) => {
                let size = self.origin.map_or(Size::Small, |origin| origin.size);
                next.take(workload.map(|workload| Origin { workload, size }));
                next.read();
            }
            Action::Resize(size) => {
                if let Some(origin) = &mut next.origin {
                    origin.size = size;
                    next.launch = origin.launch().into();
                    next.read();
                }
            }
            Action::Turn(side) => next.side = side,
            Action::EditPtx(text) => {
                next.ptx = text.into();
                next.read();
            }
            Action::EditLaunch(text) => {
                next.launch = text.into();
                next.read();
            }
            Action::GoInPtx(spot) => {
                next.side = Side::Ptx;
                next.ptx_reveal = Some(Reveal::after(self.ptx_reveal, spot));
            }
            Action::GoInLaunch(spot) => next.launch_reveal = Some(Reveal::after(self.launch_reveal, spot)),
            Action::Start(number) => next.run = Run::Going(number),
            Action::End(number, outcome) if self.run == Run::Going(number) => next.run = Run::Ended(outcome),
            // The end of a run that was given up.
            Action::End(..) => return self,
        }
        Rc::new(next)
    }
}
