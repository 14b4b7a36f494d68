//! A component's access to a [`Lab`].

use std::cell::RefCell;
use std::rc::Rc;
use warpscope_lab::{Lab, Stage};
use yew::prelude::*;

/// A shared lab at one version. Two handles are equal while nothing has changed.
#[derive(Clone)]
pub struct Handle {
    lab: Rc<RefCell<Lab>>,
    version: u64,
    changed: Callback<()>,
    /// 0 for the leader, then the runs beside it.
    seat: usize,
}

impl PartialEq for Handle {
    fn eq(&self, other: &Handle) -> bool {
        Rc::ptr_eq(&self.lab, &other.lab) && self.version == other.version
    }
}

impl Handle {
    /// Returns the version, which grows with every change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns the lab's number among those side by side; 0 is the leader.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// Returns the id of an element that every lab on the page has, made unique by its number.
    pub fn id(&self, name: &str) -> String {
        if self.seat == 0 { name.to_string() } else { format!("{name}-{}", self.seat) }
    }

    /// Returns a handle that is equal at every version, for components that act on the lab but show nothing of it: they are
    /// not rendered again with every version.
    pub fn steady(&self) -> Handle {
        Handle { version: 0, ..self.clone() }
    }

    pub fn read<R>(&self, look: impl FnOnce(&Lab) -> R) -> R {
        look(&self.lab.borrow())
    }

    /// Reads the lab and its stage, if there is one.
    pub fn on_stage<R>(&self, look: impl FnOnce(&Lab, &Stage) -> R) -> Option<R> {
        let lab = self.lab.borrow();
        lab.stage.as_ref().map(|stage| look(&lab, stage))
    }

    /// Changes the lab, and renders the page again.
    pub fn act(&self, change: impl FnOnce(&mut Lab)) {
        change(&mut self.lab.borrow_mut());
        self.changed.emit(());
    }

    /// Changes the lab; renders the page again only if `change` returns true.
    pub fn act_if(&self, change: impl FnOnce(&mut Lab) -> bool) {
        if change(&mut self.lab.borrow_mut()) {
            self.changed.emit(());
        }
    }

    /// Returns a callback that changes the lab.
    pub fn callback<E: 'static>(&self, change: impl Fn(&mut Lab) + 'static) -> Callback<E> {
        let handle = self.clone();
        Callback::from(move |_: E| handle.act(&change))
    }
}

/// The counter of versions.
struct Version(u64);

impl Reducible for Version {
    type Action = ();

    fn reduce(self: Rc<Self>, _: ()) -> Rc<Self> {
        Rc::new(Version(self.0 + 1))
    }
}

/// Returns a handle to a lab that is made once.
#[hook]
pub fn use_lab(seat: usize, make: impl FnOnce() -> Lab) -> Handle {
    let version = use_reducer(|| Version(0));
    let lab = use_memo((), |()| Rc::new(RefCell::new(make())));
    let dispatch = version.dispatcher();
    let changed = use_memo((), |()| Callback::from(move |()| dispatch.dispatch(())));
    Handle { lab: (*lab).clone(), version: version.0, changed: (*changed).clone(), seat }
}
