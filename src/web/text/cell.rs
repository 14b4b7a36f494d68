//! A line of a text, in one of its two columns: its number with marks and heat, or its words.

use super::super::handle::Handle;
use super::super::still::still;
use super::loss::tell_cost;
use std::rc::Rc;
use warpscope_pictures::view::{Listing, ListingLine, Script};
use yew::prelude::*;

/// The kernel's texts: equal if they are the same listing.
#[derive(Clone)]
pub struct Shared(pub Rc<Listing>);

impl PartialEq for Shared {
    fn eq(&self, other: &Shared) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What a line shows in one of its columns.
#[derive(Clone, Copy, PartialEq)]
pub enum LineContent {
    /// Its marks (and whether a branch on it has split a warp), its number and its heat, pinned to the left edge; the chips of
    /// warps are between number and heat.
    Number { heat: Option<u8>, stops: bool, split: bool },
    /// Its text.
    Words,
}

impl LineContent {
    /// Returns the content encoded as a number.
    fn number(&self) -> u64 {
        match *self {
            LineContent::Number { heat, stops, split } => {
                heat.map_or(0, |heat| u64::from(heat) + 1) << 2 | u64::from(stops) << 1 | u64::from(split)
            }
            LineContent::Words => 0,
        }
    }
}

/// Renders consecutive lines, from line `first` on, in one of their columns; again only when one of them has changed.
pub fn lines(handle: &Handle, listing: &Rc<Listing>, script: Script, first: usize, columns: Vec<LineContent>) -> Html {
    let shown = [Rc::as_ptr(listing) as usize as u64, first as u64];
    let shows = shown.into_iter().chain(columns.iter().map(LineContent::number)).collect();
    let (listing, hand) = (Shared(listing.clone()), handle.steady());
    let cell = move |at: usize, column: LineContent| {
        let (listing, hand) = (listing.clone(), hand.clone());
        html! { <Cell key={at} {hand} {listing} {script} {at} {column} /> }
    };
    still(shows, move || (first..).zip(&columns).map(|(at, column)| cell(at, *column)).collect())
}

#[derive(Properties, PartialEq)]
struct CellProps {
    hand: Handle,
    listing: Shared,
    script: Script,
    /// The line's number, from 0.
    at: usize,
    column: LineContent,
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
        LineContent::Number { heat, stops, split } => (
            "side-of-line",
            html! { <>{ marks(props.line(), *split) }{ number(props, *stops) }{ heat_strip(props, *heat, &told) }</> },
        ),
        LineContent::Words => ("line", words(props)),
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
