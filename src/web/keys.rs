//! The keyboard shortcuts in one table, which the page acts on and the help sheet shows.

use super::layout::{LayoutAction, Sheet};
use super::timeline::Move;
use warpscope_lab::{Lab, SPEEDS, Tab};
use warpscope_pictures::view::{Script, Selection};
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

use KeyCommand::{Act, Details, Layout, Panels, Share, Theme};
use LayoutAction::{Present, Timeline};

/// What a shortcut does.
#[derive(Clone, Copy)]
pub enum KeyCommand {
    Act(fn(&mut Lab)),
    Layout(LayoutAction),
    /// Shows a tab of details.
    Details(Tab),
    /// Switches between light and dark.
    Theme,
    /// Copies a link to what is shown.
    Share,
    /// Shows the next panel of the stage alone, or all of them.
    Panels,
}

pub struct Shortcut {
    /// The keys as the browser names them; `shown` is what the help sheet shows.
    pub keys: &'static [&'static str],
    pub shift: bool,
    pub shown: &'static str,
    pub about: &'static str,
    pub command: KeyCommand,
}

const fn key(keys: &'static [&'static str], shown: &'static str, about: &'static str, command: KeyCommand) -> Shortcut {
    Shortcut { keys, shift: false, shown, about, command }
}

const fn toggle(sheet: Sheet) -> KeyCommand {
    Layout(LayoutAction::Toggle(sheet))
}

pub static SHORTCUTS: &[Shortcut] = &[
    key(&[" "], "Space", "Play or pause", Act(Lab::play)),
    Shortcut { keys: &["ArrowRight"], shift: true, shown: "Shift →", about: "Next event", command: Act(Lab::next_event) },
    Shortcut {
        keys: &["ArrowLeft"], shift: true, shown: "Shift ←", about: "Previous event", command: Act(Lab::previous_event)
    },
    key(&["ArrowRight", "."], "→  .", "One cycle forward", Act(Lab::step)),
    key(&["ArrowLeft", ","], "←  ,", "One cycle back", Act(Lab::back)),
    key(&["Home"], "Home", "To the start", Act(Lab::start)),
    key(&["End"], "End", "To the end", Act(Lab::end)),
    key(&["+", "="], "+", "Play faster", Act(faster)),
    key(&["-"], "−", "Play slower", Act(slower)),
    key(&["ArrowDown"], "↓", "Select the next warp", Act(next_warp)),
    key(&["ArrowUp"], "↑", "Select the previous warp", Act(previous_warp)),
    Shortcut {
        keys: &["ArrowDown"],
        shift: true,
        shown: "Shift ↓",
        about: "Select the warp's next lane",
        command: Act(next_lane),
    },
    Shortcut {
        keys: &["ArrowUp"],
        shift: true,
        shown: "Shift ↑",
        about: "Select the previous lane; from lane 0: the whole warp",
        command: Act(previous_lane),
    },
    key(&["b", "B"], "B", "Set or remove a stop at the selected warp's line", Act(toggle_line)),
    key(&["w", "W"], "W", "Timeline: zoom in", Layout(Timeline(Move::Nearer))),
    key(&["s", "S"], "S", "Timeline: zoom out", Layout(Timeline(Move::Further))),
    key(&["a", "A"], "A", "Timeline: to the left", Layout(Timeline(Move::Left))),
    key(&["d", "D"], "D", "Timeline: to the right", Layout(Timeline(Move::Right))),
    key(&["f", "F"], "F", "Timeline: the whole run", Layout(Timeline(Move::Fit))),
    key(&["["], "[", "Numbers: begin at this cycle", Act(Lab::begin_range)),
    key(&["]"], "]", "Numbers: end at this cycle", Act(Lab::end_range)),
    key(&["1"], "1 … 6", "Inspector, numbers, plots, buffers, about, lesson", Details(Tab::Inspector)),
    key(&["2"], "", "", Details(Tab::Numbers)),
    key(&["3"], "", "", Details(Tab::Plots)),
    key(&["4"], "", "", Details(Tab::Buffers)),
    key(&["5"], "", "", Details(Tab::About)),
    key(&["6"], "", "", Details(Tab::Lesson)),
    key(&["v", "V"], "V", "Stage: the next panel alone, or all", Panels),
    key(&["k", "K"], "K", "Kernels", toggle(Sheet::Gallery)),
    key(&["e", "E"], "E", "Edit the kernel", toggle(Sheet::Editor)),
    key(&["m", "M"], "M", "The machine's keys", toggle(Sheet::Settings)),
    key(&["c", "C"], "C", "Compare techniques", toggle(Sheet::Compare)),
    key(&["g", "G"], "G", "Lessons", toggle(Sheet::Lessons)),
    key(&["n"], "N", "Next stop of the lesson", Act(Lab::next_stop)),
    key(&["N"], "Shift N", "Previous stop of the lesson", Act(Lab::previous_stop)),
    key(&["p", "P"], "P", "Present: the stage alone, in large type", Layout(Present)),
    key(&["l", "L"], "L", "Copy a link to this picture", Share),
    key(&["t", "T"], "T", "Light or dark", Theme),
    key(&["?"], "?", "Every key", toggle(Sheet::Help)),
];

/// Returns what a key press does; `None` while the user types, or with Ctrl, Alt or Meta held.
pub fn command(event: &KeyboardEvent) -> Option<KeyCommand> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() || is_typing(event) {
        return None;
    }
    let name = event.key();
    let arrow = name.starts_with("Arrow");
    let found = SHORTCUTS.iter().find(|s| s.keys.contains(&name.as_str()) && (!arrow || s.shift == event.shift_key()));
    let command = found.map(|shortcut| shortcut.command)?;
    // Space presses a focused button or checkbox; arrows, Home and End move a focused slider other than the scrubber.
    let tag = target(event).map(|element| element.tag_name()).unwrap_or_default();
    let input = event.target_dyn_into::<HtmlInputElement>();
    let kind = input.as_ref().map(HtmlInputElement::type_).unwrap_or_default();
    let slider = kind == "range" && input.is_some_and(|input| input.id() != "scrubber");
    let taken = match name.as_str() {
        " " => tag == "BUTTON" || kind == "checkbox",
        "Home" | "End" => slider,
        _ => slider && arrow,
    };
    (!taken).then_some(command)
}

fn target(event: &KeyboardEvent) -> Option<HtmlElement> {
    event.target_dyn_into::<HtmlElement>()
}

fn is_typing(event: &KeyboardEvent) -> bool {
    let Some(element) = target(event) else { return false };
    match element.tag_name().as_str() {
        "TEXTAREA" => true,
        // A menu has no use for these two keys, so they step the run after a kernel was chosen.
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

/// Selects another lane of the warp. `to` maps the selected lane (`None`: the whole warp) and the last lane to the next one.
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
