//! Every key of the keyboard that does something, in one table: the page acts on it, and help shows it.

use super::timeline::Move;
use crate::lab::{Lab, SPEEDS};
use crate::view::{Script, Selection};
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

/// What a key does.
#[derive(Clone, Copy)]
pub enum Deed {
    Act(fn(&mut Lab)),
    Timeline(Move),
    /// Opens or closes a sheet.
    Gallery,
    Editor,
    Settings,
    Compare,
    Lessons,
    Help,
    Theme,
    Share,
    /// Shows a tab of the right-hand column.
    Tab(usize),
    /// Shows the next panel of the stage alone, or all of them.
    Panels,
    /// Shows the stage without the rest of the page, for a class, or puts the page back.
    Present,
}

pub struct Shortcut {
    /// As the browser names the keys; the first is the one that is shown.
    pub keys: &'static [&'static str],
    pub shift: bool,
    pub shown: &'static str,
    pub about: &'static str,
    pub deed: Deed,
}

const fn key(keys: &'static [&'static str], shown: &'static str, about: &'static str, deed: Deed) -> Shortcut {
    Shortcut { keys, shift: false, shown, about, deed }
}

pub static SHORTCUTS: &[Shortcut] = &[
    key(&[" "], "Space", "Play or pause", Deed::Act(Lab::play)),
    Shortcut { keys: &["ArrowRight"], shift: true, shown: "Shift →", about: "Next event", deed: Deed::Act(Lab::next_event) },
    Shortcut {
        keys: &["ArrowLeft"],
        shift: true,
        shown: "Shift ←",
        about: "Previous event",
        deed: Deed::Act(Lab::previous_event),
    },
    key(&["ArrowRight", "."], "→  .", "One cycle forward", Deed::Act(Lab::step)),
    key(&["ArrowLeft", ","], "←  ,", "One cycle back", Deed::Act(Lab::back)),
    key(&["Home"], "Home", "To the start", Deed::Act(Lab::start)),
    key(&["End"], "End", "To the end", Deed::Act(Lab::end)),
    key(&["+", "="], "+", "Play faster", Deed::Act(faster)),
    key(&["-"], "−", "Play slower", Deed::Act(slower)),
    key(&["ArrowDown"], "↓", "Select the next warp", Deed::Act(next_warp)),
    key(&["ArrowUp"], "↑", "Select the previous warp", Deed::Act(previous_warp)),
    Shortcut {
        keys: &["ArrowDown"],
        shift: true,
        shown: "Shift ↓",
        about: "Select the warp's next lane",
        deed: Deed::Act(next_lane),
    },
    Shortcut {
        keys: &["ArrowUp"],
        shift: true,
        shown: "Shift ↑",
        about: "Select the previous lane, and the warp above its first",
        deed: Deed::Act(previous_lane),
    },
    key(&["b", "B"], "B", "Stop at the selected warp's line, or no longer", Deed::Act(toggle_line)),
    key(&["w", "W"], "W", "Timeline: zoom in", Deed::Timeline(Move::Nearer)),
    key(&["s", "S"], "S", "Timeline: zoom out", Deed::Timeline(Move::Further)),
    key(&["a", "A"], "A", "Timeline: to the left", Deed::Timeline(Move::Left)),
    key(&["d", "D"], "D", "Timeline: to the right", Deed::Timeline(Move::Right)),
    key(&["f", "F"], "F", "Timeline: the whole run", Deed::Timeline(Move::Fit)),
    key(&["["], "[", "Numbers: begin at this cycle", Deed::Act(Lab::begin_range)),
    key(&["]"], "]", "Numbers: end at this cycle", Deed::Act(Lab::end_range)),
    key(&["1"], "1 … 6", "Inspector, numbers, plots, memory, about, lesson", Deed::Tab(0)),
    key(&["2"], "", "", Deed::Tab(1)),
    key(&["3"], "", "", Deed::Tab(2)),
    key(&["4"], "", "", Deed::Tab(3)),
    key(&["5"], "", "", Deed::Tab(4)),
    key(&["6"], "", "", Deed::Tab(5)),
    key(&["v", "V"], "V", "Stage: the next panel alone, or all", Deed::Panels),
    key(&["k", "K"], "K", "Kernels", Deed::Gallery),
    key(&["e", "E"], "E", "Edit the kernel", Deed::Editor),
    key(&["m", "M"], "M", "The machine's keys", Deed::Settings),
    key(&["c", "C"], "C", "Compare techniques", Deed::Compare),
    key(&["g", "G"], "G", "Lessons", Deed::Lessons),
    key(&["n"], "N", "Next stop of the lesson", Deed::Act(Lab::next_stop)),
    key(&["N"], "Shift N", "Previous stop of the lesson", Deed::Act(Lab::previous_stop)),
    key(&["p", "P"], "P", "Present: the stage alone, in large type", Deed::Present),
    key(&["l", "L"], "L", "Copy a link to this picture", Deed::Share),
    key(&["t", "T"], "T", "Light or dark", Deed::Theme),
    key(&["?"], "?", "Every key", Deed::Help),
];

/// What a key press asks for; nothing while somebody types, or with Ctrl, Alt or Meta held.
pub fn deed(event: &KeyboardEvent) -> Option<Deed> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() || is_typing(event) {
        return None;
    }
    let name = event.key();
    let arrow = name.starts_with("Arrow");
    let found = SHORTCUTS.iter().find(|s| s.keys.contains(&name.as_str()) && (!arrow || s.shift == event.shift_key()));
    let deed = found.map(|shortcut| shortcut.deed)?;
    // A focused button or box is pressed by Space and not played; a slider, but for the run's own, has its arrows.
    let tag = target(event).map(|element| element.tag_name()).unwrap_or_default();
    let input = event.target_dyn_into::<HtmlInputElement>();
    let kind = input.as_ref().map(HtmlInputElement::type_).unwrap_or_default();
    let slider = kind == "range" && input.is_some_and(|input| input.id() != "scrubber");
    let taken = match name.as_str() {
        " " => tag == "BUTTON" || kind == "checkbox",
        "Home" | "End" => slider,
        _ => slider && arrow,
    };
    (!taken).then_some(deed)
}

fn target(event: &KeyboardEvent) -> Option<HtmlElement> {
    event.target_dyn_into::<HtmlElement>()
}

fn is_typing(event: &KeyboardEvent) -> bool {
    let Some(element) = target(event) else { return false };
    match element.tag_name().as_str() {
        "TEXTAREA" => true,
        // Whoever has just chosen a kernel steps: a menu has no use for these two.
        "SELECT" => !matches!(event.key().as_str(), "ArrowLeft" | "ArrowRight"),
        "INPUT" => event
            .target_dyn_into::<HtmlInputElement>()
            .is_none_or(|input| !matches!(input.type_().as_str(), "range" | "checkbox")),
        _ => false,
    }
}

fn faster(lab: &mut Lab) {
    lab.transport.speed = (lab.transport.speed + 1).min(SPEEDS.len() - 1);
}

fn slower(lab: &mut Lab) {
    lab.transport.speed = lab.transport.speed.saturating_sub(1);
}

fn next_warp(lab: &mut Lab) {
    move_selection(lab, 1);
}

fn previous_warp(lab: &mut Lab) {
    move_selection(lab, -1);
}

fn move_selection(lab: &mut Lab, by: isize) {
    let Some(stage) = &lab.stage else { return };
    let warps: Vec<(u16, u16)> = stage.picture().warps.iter().map(|w| (w.sm, w.warp)).collect();
    let at = lab.selection.and_then(Selection::warp).and_then(|warp| warps.iter().position(|w| *w == warp));
    let next = match at {
        Some(at) => (at as isize + by).clamp(0, warps.len() as isize - 1) as usize,
        None => 0,
    };
    lab.selection = warps.get(next).map(|&(sm, warp)| Selection::Warp { sm, warp });
}

fn next_lane(lab: &mut Lab) {
    move_in_warp(lab, |lane, last| Some(lane.map_or(0, |lane| lane + 1).min(last)));
}

fn previous_lane(lab: &mut Lab) {
    move_in_warp(lab, |lane, _| lane.and_then(|lane| lane.checked_sub(1)));
}

/// From the selected lane, or none while the warp is selected, to another one. `to` is also told the last lane.
fn move_in_warp(lab: &mut Lab, to: fn(Option<u8>, u8) -> Option<u8>) {
    if lab.selection.and_then(Selection::warp).is_none() {
        move_selection(lab, 0);
    }
    let Some((sm, warp)) = lab.selection.and_then(Selection::warp) else { return };
    let Some(width) = lab.stage.as_ref().and_then(|stage| Some(stage.picture().warp(sm, warp)?.width)) else { return };
    let lane = match lab.selection {
        Some(Selection::Lane { lane, .. }) => Some(lane),
        _ => None,
    };
    lab.selection = Some(match to(lane, (width - 1) as u8) {
        Some(lane) => Selection::Lane { sm, warp, lane },
        None => Selection::Warp { sm, warp },
    });
}

fn toggle_line(lab: &mut Lab) {
    let Some((sm, warp)) = lab.selection.and_then(Selection::warp) else { return };
    let pcs = lab.stage.as_ref().and_then(|stage| {
        let pc = stage.picture().warp(sm, warp)?.pc;
        let lines = stage.listing.lines(if stage.listing.cuda.is_some() { Script::Cuda } else { Script::Ptx });
        lines.iter().find(|line| line.pcs.contains(&pc)).map(|line| line.pcs.clone())
    });
    if let Some(pcs) = pcs {
        lab.breakpoints.toggle_pcs(&pcs);
    }
}
