//! The page's state and everything that can change it.

use std::rc::Rc;

use yew::prelude::*;

use super::desk::{self, Finding, Spot};
use super::editor::Reveal;
use super::storage::Draft;

#[derive(Clone, PartialEq)]
pub struct State {
    pub ptx: Rc<str>,
    pub launch: Rc<str>,
    pub launch_findings: Rc<[Finding]>,
    /// The place in the launch file that was last asked for.
    pub launch_reveal: Option<Reveal>,
}

pub enum Action {
    EditPtx(String),
    EditLaunch(String),
    GoInLaunch(Spot),
}

impl State {
    /// The texts of the last visit, if there are any.
    pub fn new() -> State {
        let draft = Draft::load().unwrap_or_default();
        State {
            launch_findings: desk::read_launch(&draft.launch),
            ptx: draft.ptx.into(),
            launch: draft.launch.into(),
            launch_reveal: None,
        }
    }

    pub fn draft(&self) -> Draft {
        Draft { ptx: self.ptx.to_string(), launch: self.launch.to_string() }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        let mut next = (*self).clone();
        match action {
            Action::EditPtx(text) => next.ptx = text.into(),
            Action::EditLaunch(text) => {
                next.launch_findings = desk::read_launch(&text);
                next.launch = text.into();
            }
            Action::GoInLaunch(spot) => next.launch_reveal = Some(go(next.launch_reveal, spot)),
        }
        Rc::new(next)
    }
}

fn go(last: Option<Reveal>, spot: Spot) -> Reveal {
    Reveal { line: spot.line, column: spot.column, serial: last.map_or(0, |last| last.serial.wrapping_add(1)) }
}
