//! What the pointer does on a text: it shows what the warp below it does, points at a line, and selects warps.

use super::super::chips::Chips;
use super::super::handle::Handle;
use super::Props;
use std::cell::RefCell;
use std::rc::Rc;
use warpscope_kernel::program::Pc;
use warpscope_lab::Notice;
use warpscope_pictures::mechanism;
use warpscope_pictures::view::{Script, Selection};
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// Shows what the warp under the pointer does, and reports the instructions of the line there.
pub fn tell(props: &Props, place: NodeRef, chips: Rc<RefCell<Chips>>) -> Callback<MouseEvent> {
    let (hand, script, pointed, onpoint) = (props.handle.steady(), props.script, props.pointed.clone(), props.onpoint.clone());
    Callback::from(move |event: MouseEvent| {
        let here = line_of(&event)
            .and_then(|line| hand.on_stage(|_, stage| Some(stage.listing.lines(script).get(line - 1)?.pcs.clone())));
        let here = here.flatten().unwrap_or_default();
        if *here != *pointed {
            onpoint.emit(here.into());
        }
        let chip = chips.borrow().at(&event);
        let words = chip.and_then(|warp| hand.on_stage(|_, stage| stage.brief(warp))).unwrap_or_default();
        if let Some(place) = place.cast::<HtmlElement>().filter(|place| place.title() != words) {
            place.set_title(&words);
        }
    })
}

/// Selects the warp of a clicked chip, or the warps at a clicked line one after the other. One listener serves all lines.
pub fn pick(hand: Handle, script: Script, chips: Rc<RefCell<Chips>>) -> Callback<MouseEvent> {
    Callback::from(move |event: MouseEvent| {
        let chip = chips.borrow().at(&event);
        if let Some(warp) = chip {
            return hand.act(|lab| lab.selection = Some(warp));
        }
        let line = line_of(&event);
        let code = hand.on_stage(|_, stage| {
            let lines = stage.listing.lines(script);
            let (line, at) = line.and_then(|line| Some((line, lines.get(line.checked_sub(1)?)?)))?;
            (!at.pcs.is_empty()).then(|| (line, at.pcs.clone()))
        });
        let Some(Some((line, pcs))) = code else { return };
        hand.act(|lab| {
            let Some(stage) = &lab.stage else { return };
            let picture = stage.picture();
            let here: Vec<(u16, u16)> = mechanism::warps_at(&picture, &pcs).map(|(warp, _)| (warp.sm, warp.warp)).collect();
            let selected = lab.selection.and_then(Selection::warp);
            let after = selected.and_then(|selected| here.iter().position(|warp| *warp == selected));
            match here.get(after.map_or(0, |at| (at + 1) % here.len())) {
                Some(&(sm, warp)) => lab.selection = Some(Selection::Warp { sm, warp }),
                None => lab.notice = Some(Notice::good(nobody(line, &pcs))),
            }
        });
    })
}

/// Returns the number of the line that an event is about, from 1.
fn line_of(event: &MouseEvent) -> Option<usize> {
    let element = event.target_dyn_into::<Element>()?.closest("[data-line]").ok().flatten()?;
    element.get_attribute("data-line")?.parse().ok()
}

fn nobody(line: usize, pcs: &[Pc]) -> String {
    match pcs {
        [one] => format!("No warp is at line {line} (PC {one}) now."),
        _ => format!("No warp is at line {line} ({} instructions) now.", pcs.len()),
    }
}
