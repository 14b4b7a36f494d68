//! The laboratory in the hands of a component.

use crate::lab::{Lab, Stage};
use std::cell::RefCell;
use std::rc::Rc;
use yew::prelude::*;

/// A laboratory of the page, at one version of it. Two handles are the same while nothing has changed.
#[derive(Clone)]
pub struct Handle {
    lab: Rc<RefCell<Lab>>,
    version: u64,
    changed: Callback<()>,
    /// 0 for the one that leads, then those beside it.
    seat: usize,
}

impl PartialEq for Handle {
    fn eq(&self, other: &Handle) -> bool {
        Rc::ptr_eq(&self.lab, &other.lab) && self.version == other.version
    }
}

impl Handle {
    /// Which version this is: it grows with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Which of the laboratories side by side it is: 0 leads.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// The name of an element that every laboratory on the page has.
    pub fn id(&self, name: &str) -> String {
        if self.seat == 0 { name.to_string() } else { format!("{name}-{}", self.seat) }
    }

    /// The same laboratory for those who act on it and show nothing of it by themselves: always the same handle, so that
    /// what holds it is not drawn again with every version.
    pub fn steady(&self) -> Handle {
        Handle { version: 0, ..self.clone() }
    }

    pub fn read<R>(&self, look: impl FnOnce(&Lab) -> R) -> R {
        look(&self.lab.borrow())
    }

    /// Looks at the stage, where there is one.
    pub fn on_stage<R>(&self, look: impl FnOnce(&Lab, &Stage) -> R) -> Option<R> {
        let lab = self.lab.borrow();
        lab.stage.as_ref().map(|stage| look(&lab, stage))
    }

    /// Changes the laboratory, and has the page drawn again.
    pub fn act(&self, change: impl FnOnce(&mut Lab)) {
        change(&mut self.lab.borrow_mut());
        self.changed.emit(());
    }

    /// Changes the laboratory; the page is drawn again only if the change says so.
    pub fn act_if(&self, change: impl FnOnce(&mut Lab) -> bool) {
        if change(&mut self.lab.borrow_mut()) {
            self.changed.emit(());
        }
    }

    /// A callback that changes the laboratory.
    pub fn callback<E: 'static>(&self, change: impl Fn(&mut Lab) + 'static) -> Callback<E> {
        let handle = self.clone();
        Callback::from(move |_: E| handle.act(&change))
    }
}

/// Counts versions.
struct Version(u64);

impl Reducible for Version {
    type Action = ();

    fn reduce(self: Rc<Self>, _: ()) -> Rc<Self> {
        Rc::new(Version(self.0 + 1))
    }
}

/// A laboratory of the page, made once.
#[hook]
pub fn use_lab(seat: usize, make: impl FnOnce() -> Lab) -> Handle {
    let version = use_reducer(|| Version(0));
    let lab = use_memo((), |()| Rc::new(RefCell::new(make())));
    let dispatch = version.dispatcher();
    let changed = use_memo((), |()| Callback::from(move |()| dispatch.dispatch(())));
    Handle { lab: (*lab).clone(), version: version.0, changed: (*changed).clone(), seat }
}
