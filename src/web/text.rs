//! A text of the kernel, line by line.
//!
//! Every line shows which warps are at it, whether it can split a warp or is a reconvergence point, and how many lane-slots
//! were lost on it so far. Only the visible lines are elements.

use super::canvas::use_size;
use super::chips::{Chips, use_chips};
use super::handle::Handle;
use super::still::still;
use crate::lab::grouped;
use crate::mechanism::{self, VisibleLines};
use crate::metrics::Cost;
use crate::program::Pc;
use crate::scene::Theme;
use crate::view::{Listing, ListingLine, Script, Selection};
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

/// The height of a line in pixels.
const LINE_PX: f64 = mechanism::LINE as f64;
/// Space above the first line and below the last, in pixels.
const EDGE_PX: f64 = 8.0;
/// Lines that are rendered beyond the visible ones.
const SPARE: usize = 5;

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
    let place = use_node_ref();
    let (width, height) = use_size(&place);
    let top = use_state_eq(|| 0.0f64);
    let onscroll = {
        let (place, top) = (place.clone(), top.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = place.cast::<HtmlElement>() {
                top.set(f64::from(element.scroll_top()));
            }
        })
    };
    let script = props.script;
    // The line of the selected warp, from 0.
    let current = props.handle.on_stage(|lab, stage| {
        let (sm, warp) = lab.selection.and_then(Selection::warp)?;
        let pc = stage.picture().warp(sm, warp).filter(|w| !w.places.is_empty() || !w.kept.is_empty())?.pc;
        stage.listing.line_in(script, pc).map(|line| line as usize - 1)
    });
    let current = current.flatten();
    let listing = props.handle.on_stage(|_, stage| Shared(stage.listing.clone()));
    let count = listing.as_ref().map_or(0, |Shared(listing)| listing.lines(script).len());
    let tall = count as f64 * LINE_PX + 2.0 * EDGE_PX;
    {
        let (place, top) = (place.clone(), top.clone());
        use_effect_with((current, props.follow, height as u32), move |(current, follow, height)| {
            if let (Some(line), true, Some(element)) = (current, follow, place.cast::<HtmlElement>())
                && let Some(wanted) = in_view(*line, *top, f64::from(*height))
            {
                let wanted = wanted.min(tall - f64::from(*height)).max(0.0);
                element.set_scroll_top(wanted as i32);
                top.set(wanted.floor());
            }
        });
    }
    let longest =
        use_memo((listing, script), |(listing, script)| listing.as_ref().map_or(0, |listing| longest(&listing.0, *script)));
    let top = *top;
    let lines = props.handle.on_stage(|lab, stage| {
        let listing = stage.listing.clone();
        let lines = listing.lines(script);
        let first = ((top / LINE_PX) as usize).saturating_sub(SPARE).min(lines.len());
        let last = (first + (height.max(200.0) / LINE_PX) as usize + 2 * SPARE).min(lines.len());
        let costs = &stage.session.replay().tally().costs;
        let most = lines.iter().map(|line| cost(&line.pcs, costs).lost).max().unwrap_or(0);
        let picture = stage.picture();
        let selected = lab.selection.and_then(Selection::warp);
        let cell = {
            let (listing, hand) = (Shared(listing.clone()), props.handle.steady());
            move |at: usize, column: PageColumn| {
                let (listing, hand) = (listing.clone(), hand.clone());
                html! { <Cell key={at} {hand} {listing} {script} {at} {column} /> }
            }
        };
        // A column is rendered again only when one of its lines has changed.
        let column = |lines: Vec<PageColumn>| {
            let shown = [Rc::as_ptr(&listing) as usize as u64, first as u64];
            let shows = shown.into_iter().chain(lines.iter().map(PageColumn::number)).collect();
            let cell = cell.clone();
            still(shows, move || (first..).zip(&lines).map(|(at, column)| cell(at, *column)).collect())
        };
        let number = |line: &ListingLine| {
            let cost = cost(&line.pcs, costs);
            let stops = !line.pcs.is_empty() && line.pcs.iter().all(|pc| lab.breakpoints.pcs.contains(pc));
            PageColumn::Number { heat: heat(cost.lost, most), stops, split: cost.splits > 0 }
        };
        let numbers = column(lines[first..last].iter().map(number).collect());
        let words = column(vec![PageColumn::Words; last - first]);
        let here = VisibleLines { picture: &picture, lines: &lines[first..last], first, selected, current, room: width as f32 };
        let here = mechanism::at_lines(&here);
        // The selected warp's line is marked by a background, so that no line changes when the warp goes on.
        let mark = current.filter(|at| (first..last).contains(at)).map_or(-LINE_PX, |at| (at - first) as f64 * LINE_PX);
        let mark = format!("background-position-y:{mark}px");
        let shares = |line: &ListingLine| line.pcs.iter().any(|pc| props.pointed.contains(pc));
        let linked = (first..last).filter(|&at| shares(&lines[at]));
        let issued = selected.and_then(|warp| stage.just_issued(warp)).and_then(|pc| listing.line_in(script, pc));
        let issued = issued.map(|line| line as usize - 1).filter(|at| (first..last).contains(at));
        (
            first..last,
            html! {
                <>
                    { for linked.map(|at| html! { <i class="linked" style={format!("--line:{at}")}></i> }) }
                    { for issued.map(|at| html! { <i class="just-issued" title="Just issued" style={format!("--line:{at}")}></i> }) }
                    <div class="edge" style={mark.clone()}>{ numbers }</div>
                    <div class="column" style={mark} data-current={current.map(|at| (at + 1).to_string())}>{ words }</div>
                </>
            },
            here,
        )
    });
    let chips_px = lines.as_ref().map_or(0.0, |(_, _, here)| here.width);
    let (lines, here) = lines.map(|(drawn, columns, here)| ((drawn, columns), here)).unzip();
    let (chips, here) = use_chips(here, props.theme);
    let Some((drawn, columns)) = lines else { return Html::default() };
    // As wide as the longest line, because what is pinned to an edge is pinned to an edge of this element.
    let (above, drawn) = (drawn.start as f64 * LINE_PX + EDGE_PX, drawn.len() as f64 * LINE_PX);
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
            <div class={classes!("lines", props.tinted.then_some("tinted"))} {style} {onmousemove} {onmouseleave} {onclick}>{ columns }{ here }</div>
        </div>
    }
}

/// Returns the number of characters of the longest line.
fn longest(listing: &Listing, script: Script) -> usize {
    (0..listing.lines(script).len()).map(|at| listing.text(script, at).chars().count()).max().unwrap_or(0)
}

/// Returns the scroll position at which a line that is out of view is visible. Does not ask the page, which would have to
/// compute its layout to answer, in the middle of a step.
fn in_view(line: usize, top: f64, height: f64) -> Option<f64> {
    let at = line as f64 * LINE_PX;
    let seen = at >= top + LINE_PX && at <= top + height - 3.0 * LINE_PX;
    // The first visible line is a whole one.
    (!seen && height > 0.0).then(|| ((at - height / 3.0) / LINE_PX).round() * LINE_PX + EDGE_PX)
}

/// Returns the cost of all instructions of a line.
fn cost(pcs: &[Pc], costs: &[Cost]) -> Cost {
    pcs.iter().filter_map(|&pc| costs.get(pc as usize)).sum()
}

/// Returns a line's loss in per cent of the largest; `None` if nothing was lost. Rounds up to steps of 5 %, because most
/// cycles would change the colour by less than can be seen.
fn heat(lost: u64, most: u64) -> Option<u8> {
    (lost > 0 && most > 0).then(|| ((lost * 20).div_ceil(most) * 5) as u8)
}

/// The kernel's texts: equal if they are the same listing.
#[derive(Clone)]
struct Shared(Rc<Listing>);

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What a line shows in one of its columns.
#[derive(Clone, Copy, PartialEq)]
enum PageColumn {
    /// Its marks (and whether a branch on it has split a warp), its number and its heat, pinned to the left edge; the chips of
    /// warps are between number and heat.
    Number { heat: Option<u8>, stops: bool, split: bool },
    /// Its text.
    Words,
}

impl PageColumn {
    /// Returns the content encoded as a number.
    fn number(&self) -> u64 {
        match *self {
            PageColumn::Number { heat, stops, split } => {
                heat.map_or(0, |heat| u64::from(heat) + 1) << 2 | u64::from(stops) << 1 | u64::from(split)
            }
            PageColumn::Words => 0,
        }
    }
}

#[derive(Properties, PartialEq)]
struct CellProps {
    hand: Handle,
    listing: Shared,
    script: Script,
    /// The line's number, from 0.
    at: usize,
    column: PageColumn,
}

impl CellProps {
    fn line(&self) -> &ListingLine {
        &self.listing.0.lines(self.script)[self.at]
    }
}

/// A line in a column. A step changes few of them, and only those are rendered again.
#[component]
fn Cell(props: &CellProps) -> Html {
    // The cost of the line changes all the time; its tooltip is made when the pointer enters.
    let told = use_state_eq(String::new);
    let code = !props.line().pcs.is_empty();
    let (class, content) = match &props.column {
        PageColumn::Number { heat, stops, split } => (
            "side-of-line",
            html! { <>{ marks(props.line(), *split) }{ number(props, *stops) }{ heat_strip(props, *heat, &told) }</> },
        ),
        PageColumn::Words => ("line", words(props)),
    };
    let by_pass = [(props.line().hoisted, "hoisted"), (props.line().made, "made")].map(|(is, class)| is.then_some(class));
    let tint = props.line().tint.map(|tint| format!("tint-{tint}"));
    html! { <div class={classes!(class, code.then_some("code"), by_pass.to_vec(), tint)} data-line={(props.at + 1).to_string()}>{ content }</div> }
}

fn words(props: &CellProps) -> Html {
    html! { <code class="words">{ props.listing.0.text(props.script, props.at) }</code> }
}

/// Renders the heat of a line: the darker, the more lane-slots were lost on it.
fn heat_strip(props: &CellProps, heat: Option<u8>, told: &UseStateHandle<String>) -> Html {
    let onmouseenter = {
        let (told, hand, pcs) = (told.clone(), props.hand.clone(), props.line().pcs.clone());
        Callback::from(move |_: MouseEvent| {
            let words = hand.on_stage(|_, stage| tell_cost(&pcs, &stage.session.replay().tally().costs));
            told.set(words.unwrap_or_default());
        })
    };
    html! {
        <span class="heat" title={(**told).clone()} {onmouseenter}>
            if let Some(share) = heat.map(f64::from) {
                <i style={format!("--part:{:.0}%", 20.0 + 0.8 * share)}></i>
            }
        </span>
    }
}

/// Renders the line's number; a click sets or removes a breakpoint.
fn number(props: &CellProps, stops: bool) -> Html {
    let number = props.at + 1;
    if props.line().pcs.is_empty() {
        return html! { <span class="number">{ number }</span> };
    }
    let (hand, pcs) = (props.hand.clone(), props.line().pcs.clone());
    let onclick = Callback::from(move |event: MouseEvent| {
        event.stop_propagation();
        hand.act(|lab| lab.breakpoints.toggle_pcs(&pcs));
    });
    let pcs = match props.line().pcs.as_slice() {
        [one] => format!("PC {one}"),
        several => format!("PCs {}", several.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    };
    let title = format!("{pcs}: {}", if stops { "remove the breakpoint" } else { "stop here" });
    html! {
        <button type="button" class={classes!("number", stops.then_some("breaks"))} tabindex="-1" {title}
            aria-label={format!("Breakpoint at line {number}")} aria-pressed={stops.to_string()} {onclick}>{ number }</button>
    }
}

fn tell_cost(pcs: &[Pc], costs: &[Cost]) -> String {
    let cost = cost(pcs, costs);
    if cost.issues == 0 {
        return String::new();
    }
    let all: u64 = costs.iter().map(|cost| cost.lost).sum();
    let share = if all == 0 { 0.0 } else { cost.lost as f64 * 100.0 / all as f64 };
    format!(
        "{} lane-slots lost here ({share:.0} % of all), in {} issue{}{}",
        grouped(cost.lost),
        grouped(cost.issues),
        if cost.issues == 1 { "" } else { "s" },
        match cost.splits {
            0 => String::new(),
            1 => ", which split a warp once".into(),
            n => format!(", which split a warp {} times", grouped(n)),
        }
    )
}

fn marks(line: &ListingLine, split: bool) -> Html {
    html! {
        <span class="marks">
            if line.meets {
                <i class="meets" title="Reconvergence point: the two sides of a branch meet again here"></i>
            }
            if line.branches {
                <i class={classes!("branch", split.then_some("split"))}
                    title={if split { "A branch that has split a warp" } else { "A branch that can split a warp" }}></i>
            }
        </span>
    }
}

/// Shows what the warp under the pointer does, and reports the instructions of the line there.
fn tell(props: &Props, place: NodeRef, chips: Rc<RefCell<Chips>>) -> Callback<MouseEvent> {
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
fn pick(hand: Handle, script: Script, chips: Rc<RefCell<Chips>>) -> Callback<MouseEvent> {
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
                None => lab.notice = Some(crate::lab::Notice::good(nobody(line, &pcs))),
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
