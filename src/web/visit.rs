//! A visit of the page: what it opens with, what it remembers, and the address bar.

use super::handle::Handle;
use super::listening::use_window_events;
use super::{motion, share, stage, storage};
use gloo_timers::callback::Timeout;
use warpscope_lab::{Lab, Link, Notice, Visit};
use yew::prelude::*;

/// The storage key of whether the user has ever stepped.
const SEEN: &str = "warpscope.seen";
/// How long the run rests before the address bar names it, in milliseconds.
const ADDRESS_MS: u32 = 500;

/// Returns whether the user has never stepped.
pub fn is_first() -> bool {
    storage::load(SEEN).is_none()
}

pub fn save_stepped() {
    storage::save(SEEN, "true");
}

/// Returns the lab that the page opens with: from a link, else from the last visit, else for a first visit. A link does not
/// overwrite the user's own texts.
pub fn open() -> Lab {
    let last = storage::load_visit();
    let as_left = |last: Option<Visit>| last.map_or_else(Lab::first_visit, Lab::restore);
    let (mut lab, left) = match share::opened() {
        Ok(Some(link)) => {
            let mut lab = Lab::new();
            let left = last.and_then(|last| last.texts).filter(|texts| Some(texts) != link.texts.as_ref());
            lab.open(link);
            (lab, left)
        }
        Ok(None) => (as_left(last), None),
        Err(error) => {
            let mut lab = as_left(last);
            lab.notice = Some(Notice::bad(format!("That link cannot be opened: {error}.")));
            (lab, None)
        }
    };
    if let Some(own) = left.or_else(storage::load_own) {
        lab.keep_own_texts(own);
    }
    if !is_first() {
        lab.hints = None;
    }
    // A lesson or a link brings a panel of its own.
    if lab.panel.is_none() && lab.course.is_none() {
        lab.panel = stage::load_alone();
    }
    lab.plays_jumps = motion::is_wanted;
    lab
}

/// Stores the visit and the user's own texts, so that they survive a reload.
#[hook]
pub fn use_memory(handle: &Handle) {
    let key = handle.read(|lab| (lab.ptx.clone(), lab.launch.clone(), lab.setup.clone(), lab.origin, lab.breakpoints.clone()));
    let handle = handle.clone();
    let own = handle.read(|lab| lab.own().cloned());
    use_effect_with(key, move |_| {
        if let Some(visit) = handle.read(Lab::visit) {
            storage::save_visit(&visit);
        }
    });
    use_effect_with(own, |own| {
        if let Some(own) = own {
            storage::save_own(own);
        }
    });
}

/// Keeps the address bar up to date while the run rests, and opens links that are put into it.
#[hook]
pub fn use_links(handle: &Handle, embed: UseStateSetter<bool>) {
    let resting = handle.read(|lab| lab.transport.is_resting());
    let shown = handle.clone();
    use_effect_with((handle.version(), resting), move |(_, resting)| {
        let later = resting.then(|| Timeout::new(ADDRESS_MS, move || write_address(&shown)));
        move || drop(later)
    });
    let handle = handle.clone();
    use_window_events(true, &["hashchange"], move |_| {
        handle.act(|lab| match share::opened() {
            Ok(Some(link)) => {
                embed.set(link.embed);
                lab.open(link);
            }
            Ok(None) => {}
            Err(error) => lab.notice = Some(Notice::bad(format!("That link cannot be opened: {error}."))),
        });
    });
}

fn write_address(handle: &Handle) {
    let embed = share::opened().ok().flatten().is_some_and(|link| link.embed);
    if handle.read(|lab| lab.stage.is_some() || !lab.ptx.is_empty()) {
        share::write(&Link { embed, ..handle.read(|lab| lab.address()) });
    }
}
