//! A text of the kernel, line by line.
//!
//! Every line shows which warps are at it, whether it can split a warp or is a reconvergence point, and how many lane-slots
//! were lost on it so far. Only the visible lines are elements.

mod cell;
mod loss;
mod pointer;
mod scroll;

use self::cell::{LineContent, Shared};
use self::loss::{cost, heat};
use self::pointer::{pick, tell};
use self::scroll::{EDGE_PX, LINE_PX, height_of, in_sight, use_scroll};
use super::canvas::use_size;
use super::chips::use_chips;
use super::handle::Handle;
use std::ops::Range;
use std::rc::Rc;
use warpscope_kernel::program::Pc;
use warpscope_lab::{Lab, Stage};
use warpscope_pictures::mechanism::{self, VisibleLines};
use warpscope_pictures::scene::{Scene, Theme};
use warpscope_pictures::view::{Listing, ListingLine, Script, Selection};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub script: Script,
    /// Keeps the selected warp's line in view.
    pub follow: bool,
    /// Gives each line the colour of the source line that it came from.
    pub tinted: bool,
    /// The instructions of the line under the pointer, in this text or in the one beside it.
    pub pointed: Rc<[Pc]>,
    pub onpoint: Callback<Rc<[Pc]>>,
}

#[component]
pub fn Text(props: &Props) -> Html {
    let script = props.script;
    let place = use_node_ref();
    let size = use_size(&place);
    let current = props.handle.on_stage(|lab, stage| line_of_selected(lab, stage, script)).flatten();
    let listing = props.handle.on_stage(|_, stage| Shared(stage.listing.clone()));
    let count = listing.as_ref().map_or(0, |Shared(listing)| listing.lines(script).len());
    let (top, onscroll) = use_scroll(&place, current.filter(|_| props.follow), size.1, count);
    let longest =
        use_memo((listing, script), |(listing, script)| listing.as_ref().map_or(0, |listing| longest(&listing.0, *script)));
    let shown = in_sight(top, size.1, count);
    let parts = props.handle.on_stage(|lab, stage| {
        let chips = chips(lab, stage, script, &shown, current, size.0);
        (lines(props, lab, stage, &shown, current), chips)
    });
    let (lines, chips) = parts.unzip();
    let chips_px = chips.as_ref().map_or(0.0, |chips| chips.width);
    let (chips, canvas) = use_chips(chips, props.theme);
    let Some(lines) = lines else { return Html::default() };
    // As wide as the longest line, because what is pinned to an edge is pinned to an edge of this element.
    let (above, drawn, tall) = (shown.start as f64 * LINE_PX + EDGE_PX, shown.len() as f64 * LINE_PX, height_of(count));
    let style = format!(
        "height:{tall}px;padding-top:{above}px;--tall:{drawn}px;--chips:{chips_px}px;min-width:calc({longest}ch + var(--gutter) + 24px)"
    );
    let (label, id) = match script {
        Script::Cuda => ("CUDA source", "cuda"),
        Script::Ptx => ("PTX", "ptx-lines"),
        Script::Loop => ("The kernel with its loop over logical blocks", "loop-lines"),
    };
    let onmousemove = tell(props, place.clone(), chips.clone());
    let onmouseleave = props.onpoint.reform(|_: MouseEvent| Rc::from([]));
    let onclick = pick(props.handle.steady(), script, chips);
    html! {
        <div class="text" ref={place} {onscroll} tabindex="0" role="region" aria-label={label} {id}>
            <div class={classes!("lines", props.tinted.then_some("tinted"))} {style} {onmousemove} {onmouseleave} {onclick}>{ lines }{ canvas }</div>
        </div>
    }
}

/// Returns the line of the selected warp, from 0.
fn line_of_selected(lab: &Lab, stage: &Stage, script: Script) -> Option<usize> {
    let (sm, warp) = lab.selection.and_then(Selection::warp)?;
    let pc = stage.picture().warp(sm, warp).filter(|w| !w.places.is_empty() || !w.kept.is_empty())?.pc;
    stage.listing.line_in(script, pc).map(|line| line as usize - 1)
}

/// Returns the number of characters of the longest line.
fn longest(listing: &Listing, script: Script) -> usize {
    (0..listing.lines(script).len()).map(|at| listing.text(script, at).chars().count()).max().unwrap_or(0)
}

/// Draws the warps at the lines that are shown.
fn chips(lab: &Lab, stage: &Stage, script: Script, shown: &Range<usize>, current: Option<usize>, room: f64) -> Scene<Selection> {
    let (picture, listing) = (stage.picture(), &stage.listing);
    let selected = lab.selection.and_then(Selection::warp);
    let (lines, first) = (&listing.lines(script)[shown.clone()], shown.start);
    mechanism::at_lines(&VisibleLines { picture: &picture, lines, first, selected, current, room: room as f32 })
}

/// Renders the lines that are shown: marks across whole lines, their numbers, and their words.
fn lines(props: &Props, lab: &Lab, stage: &Stage, shown: &Range<usize>, current: Option<usize>) -> Html {
    let (script, listing) = (props.script, &stage.listing);
    let all = listing.lines(script);
    let shares = |line: &ListingLine| line.pcs.iter().any(|pc| props.pointed.contains(pc));
    let linked = shown.clone().filter(|&at| shares(&all[at]));
    let selected = lab.selection.and_then(Selection::warp);
    let issued = selected.and_then(|warp| stage.just_issued(warp)).and_then(|pc| listing.line_in(script, pc));
    let issued = issued.map(|line| line as usize - 1).filter(|at| shown.contains(at));
    let column = |columns: Vec<LineContent>| cell::lines(&props.handle, listing, script, shown.start, columns);
    // The selected warp's line is marked by a background, so that no line changes when the warp goes on.
    let mark = current.filter(|at| shown.contains(at)).map_or(-LINE_PX, |at| (at - shown.start) as f64 * LINE_PX);
    let mark = format!("background-position-y:{mark}px");
    html! {
        <>
            { for linked.map(|at| html! { <i class="linked" style={format!("--line:{at}")}></i> }) }
            { for issued.map(|at| html! { <i class="just-issued" title="Just issued" style={format!("--line:{at}")}></i> }) }
            <div class="edge" style={mark.clone()}>{ column(numbers(lab, stage, script, shown)) }</div>
            <div class="column" style={mark} data-current={current.map(|at| (at + 1).to_string())}>{ column(vec![LineContent::Words; shown.len()]) }</div>
        </>
    }
}

/// Returns what the lines that are shown have beside their words.
fn numbers(lab: &Lab, stage: &Stage, script: Script, shown: &Range<usize>) -> Vec<LineContent> {
    let lines = stage.listing.lines(script);
    let costs = &stage.session.replay().tally().costs;
    let most = lines.iter().map(|line| cost(&line.pcs, costs).lost).max().unwrap_or(0);
    let number = |line: &ListingLine| {
        let cost = cost(&line.pcs, costs);
        let stops = !line.pcs.is_empty() && line.pcs.iter().all(|pc| lab.breakpoints.pcs.contains(pc));
        LineContent::Number { heat: heat(cost.lost, most), stops, split: cost.splits > 0 }
    };
    lines[shown.clone()].iter().map(number).collect()
}
