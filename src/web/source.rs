//! The kernel's texts side by side: CUDA and PTX, line by line, linked by line information.
//!
//! Every line shows which warps are at it, whether it can split a warp or is where threads meet again, and how many
//! lane-slots were lost on it so far. Only the lines in sight are elements.

use super::handle::Handle;
use crate::lab::grouped;
use crate::metrics::Cost;
use crate::program::Pc;
use crate::view::{Line, Listing, Picture, Selection, WarpPicture};
use std::rc::Rc;
use web_sys::HtmlElement;
use yew::prelude::*;

/// The height of a line in pixels; the style sheet says the same.
const LINE_PX: f64 = 20.0;
/// Lines beyond those in sight.
const SPARE: usize = 8;
/// Warps that a line names.
const NAMED: usize = 3;

/// Which texts are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Both,
    Cuda,
    Ptx,
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
}

#[component]
pub fn SourcePanel(props: &Props) -> Html {
    let shown = use_state_eq(|| Shown::Both);
    let follow = use_state_eq(|| true);
    let handle = &props.handle;
    let Some((has_cuda, kernel)) = handle.on_stage(|_, stage| (stage.listing.cuda.is_some(), stage.kernel.clone())) else {
        return html! {
            <section class="panel source" aria-label="Source">
                <header><h2>{ "Source" }</h2></header>
                <p class="empty"><strong>{ "Nothing to read yet" }</strong>{ "A kernel's CUDA source and its PTX appear here." }</p>
            </section>
        };
    };
    let tab = |what: Shown, name: &'static str, title: &'static str| {
        let shown = shown.clone();
        let selected = if *shown == what { "true" } else { "false" };
        let onclick = Callback::from(move |_: MouseEvent| shown.set(what));
        html! { <button type="button" role="tab" {title} aria-selected={selected} {onclick}>{ name }</button> }
    };
    let onfollow = {
        let follow = follow.clone();
        Callback::from(move |_: MouseEvent| follow.set(!*follow))
    };
    html! {
        <section class="panel source" aria-label="Source">
            <header>
                <h2 title={kernel}>{ "Source" }</h2>
                if has_cuda {
                    <div class="tabs" role="tablist" aria-label="Text">
                        { tab(Shown::Both, "Both", "CUDA and PTX side by side") }
                        { tab(Shown::Cuda, "CUDA", "The source only") }
                        { tab(Shown::Ptx, "PTX", "What the compiler made of it only") }
                    </div>
                }
                <button type="button" class="plain push" aria-pressed={(*follow).to_string()}
                    title="Keep the selected warp's line in sight" onclick={onfollow}>{ if *follow { "● Follow" } else { "○ Follow" } }</button>
            </header>
            <div class="texts">
                if has_cuda && *shown != Shown::Ptx {
                    <Text handle={handle.clone()} cuda={true} follow={*follow} />
                }
                if !has_cuda || *shown != Shown::Cuda {
                    <Text handle={handle.clone()} cuda={false} follow={*follow} />
                }
            </div>
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct TextProps {
    handle: Handle,
    /// The source, or else the PTX.
    cuda: bool,
    follow: bool,
}

/// One of the two texts.
#[component]
fn Text(props: &TextProps) -> Html {
    let place = use_node_ref();
    let seen = use_state_eq(|| (0.0f64, 600.0f64));
    let onscroll = {
        let (place, seen) = (place.clone(), seen.clone());
        Callback::from(move |_: Event| {
            if let Some(element) = place.cast::<HtmlElement>() {
                seen.set((f64::from(element.scroll_top()), f64::from(element.client_height())));
            }
        })
    };
    let cuda = props.cuda;
    // The line of the selected warp, from 0.
    let current = props.handle.on_stage(|lab, stage| {
        let (sm, warp) = lab.selection.and_then(Selection::warp)?;
        let pc = stage.picture().warp(sm, warp).filter(|w| !w.places.is_empty())?.pc;
        let line = if cuda { stage.listing.cuda_line(pc) } else { stage.listing.ptx_line(pc) };
        line.map(|line| line as usize - 1)
    });
    let current = current.flatten();
    {
        let place = place.clone();
        use_effect_with((current, props.follow), move |(current, follow)| {
            if let (Some(line), true, Some(element)) = (current, follow, place.cast::<HtmlElement>()) {
                bring_into_view(&element, *line);
            }
        });
    }
    let (top, height) = *seen;
    let lines = props.handle.on_stage(|lab, stage| {
        let listing = stage.listing.clone();
        let lines = if cuda { listing.cuda_lines() } else { listing.ptx_lines() };
        let first = ((top / LINE_PX) as usize).saturating_sub(SPARE).min(lines.len());
        let last = (first + (height.max(200.0) / LINE_PX) as usize + 2 * SPARE).min(lines.len());
        let costs = &stage.session.replay().tally().costs;
        let all: u64 = costs.iter().map(|cost| cost.lost).sum();
        let most = lines.iter().map(|line| cost(line, costs).lost).max().unwrap_or(0);
        let picture = stage.picture();
        let rows = (first..last).map(|at| Row {
            handle: &props.handle,
            listing: &listing,
            cuda,
            at,
            line: &lines[at],
            cost: cost(&lines[at], costs),
            most,
            all,
            picture: &picture,
            current: current == Some(at),
            stops: !lines[at].pcs.is_empty() && lines[at].pcs.iter().all(|pc| lab.breakpoints.pcs.contains(pc)),
            selected: lab.selection.and_then(Selection::warp),
        });
        let rows: Html = rows.map(|row| row.draw()).collect();
        (lines.len(), rows)
    });
    let Some((count, rows)) = lines else { return Html::default() };
    let style = format!("height:{}px", count as f64 * LINE_PX + 16.0);
    let label = if cuda { "CUDA source" } else { "PTX" };
    html! {
        <div class="text" ref={place} {onscroll} tabindex="0" role="region" aria-label={label} id={if cuda { "cuda" } else { "ptx-lines" }}>
            <div class="lines" {style}>{ rows }</div>
        </div>
    }
}

fn bring_into_view(element: &HtmlElement, line: usize) {
    let (top, height) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
    let at = line as f64 * LINE_PX;
    if at < top + LINE_PX || at > top + height - 3.0 * LINE_PX {
        element.set_scroll_top((at - height / 3.0).max(0.0) as i32);
    }
}

/// What all instructions of a line cost together.
fn cost(line: &Line, costs: &[Cost]) -> Cost {
    line.pcs.iter().filter_map(|&pc| costs.get(pc as usize)).fold(Cost::default(), |sum, cost| Cost {
        issues: sum.issues + cost.issues,
        lost: sum.lost + cost.lost,
        splits: sum.splits + cost.splits,
    })
}

struct Row<'a> {
    handle: &'a Handle,
    listing: &'a Rc<Listing>,
    cuda: bool,
    /// From 0.
    at: usize,
    line: &'a Line,
    cost: Cost,
    /// The largest loss of a line, and that of all lines.
    most: u64,
    all: u64,
    picture: &'a Picture,
    /// The selected warp is here.
    current: bool,
    /// All its instructions are breakpoints.
    stops: bool,
    selected: Option<(u16, u16)>,
}

impl Row<'_> {
    fn draw(&self) -> Html {
        let text = if self.cuda { self.listing.cuda_text(self.at) } else { self.listing.ptx_text(self.at) };
        let here: Vec<&WarpPicture> = self.picture.warps.iter().filter(|w| w.lanes_at(&self.line.pcs) != 0).collect();
        let style = format!("top:{}px", self.at as f64 * LINE_PX + 8.0);
        let code = !self.line.pcs.is_empty();
        html! {
            <div class={classes!("line", self.current.then_some("current"), code.then_some("code"))} key={self.at} {style}
                onclick={code.then(|| self.pick(&here))} data-line={(self.at + 1).to_string()}>
                { self.gutter() }
                <span class="heat" title={self.tell_cost()}>{ self.heat() }</span>
                <code class="words">{ text.replace('\t', "    ") }</code>
                <span class="marks">{ self.marks() }</span>
                <span class="warps">{ self.warps(&here) }</span>
            </div>
        }
    }

    /// The line's number; a click makes or removes a breakpoint.
    fn gutter(&self) -> Html {
        let number = self.at + 1;
        if self.line.pcs.is_empty() {
            return html! { <span class="number">{ number }</span> };
        }
        let (handle, pcs) = (self.handle.clone(), self.line.pcs.clone());
        let onclick = Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            handle.act(|lab| lab.breakpoints.toggle_pcs(&pcs));
        });
        let title = if self.stops { "Remove the breakpoint" } else { "Stop here" };
        html! {
            <button type="button" class={classes!("number", self.stops.then_some("stops"))} tabindex="-1" {title}
                aria-label={format!("Breakpoint at line {number}")} aria-pressed={self.stops.to_string()} {onclick}>{ number }</button>
        }
    }

    fn heat(&self) -> Html {
        if self.cost.lost == 0 || self.most == 0 {
            return Html::default();
        }
        let share = self.cost.lost as f64 / self.most as f64;
        html! { <i style={format!("width:{:.0}%;opacity:{:.2}", 8.0 + 92.0 * share, 0.35 + 0.65 * share)}></i> }
    }

    fn tell_cost(&self) -> String {
        if self.cost.issues == 0 {
            return String::new();
        }
        let share = if self.all == 0 { 0.0 } else { self.cost.lost as f64 * 100.0 / self.all as f64 };
        format!(
            "{} lane-slots lost here ({share:.0} % of all), in {} issues{}",
            grouped(self.cost.lost),
            grouped(self.cost.issues),
            match self.cost.splits {
                0 => String::new(),
                1 => ", which split a warp once".into(),
                n => format!(", which split a warp {} times", grouped(n)),
            }
        )
    }

    fn marks(&self) -> Html {
        html! {
            <>
                if self.line.meets {
                    <i class="meets" title="Reconvergence point: the two sides of a branch meet again here"></i>
                }
                if self.line.branches {
                    <i class={classes!("branch", (self.cost.splits > 0).then_some("split"))}
                        title={if self.cost.splits > 0 { "A branch that has split a warp" } else { "A branch that can split a warp" }}></i>
                }
            </>
        }
    }

    fn warps(&self, here: &[&WarpPicture]) -> Html {
        // The selected one is always among those that are named.
        let mut named: Vec<&WarpPicture> = here.iter().take(NAMED).copied().collect();
        if let Some(selected) = here.iter().skip(NAMED).find(|w| self.selected == Some((w.sm, w.warp))) {
            named.pop();
            named.push(selected);
        }
        let more = here.len() - named.len();
        html! {
            <>
                { for named.iter().map(|warp| {
                    let lanes = warp.lanes_at(&self.line.pcs).count_ones();
                    let class = format!("at hue-{}", warp.warp % 8);
                    let picked = (self.selected == Some((warp.sm, warp.warp))).then_some("picked");
                    let title = format!("Warp {}: {lanes} of {} lanes are here", warp.warp, warp.width);
                    let full = lanes == warp.width;
                    html! {
                        <b class={classes!(class, picked)} {title}>{ warp.warp }
                            if !full { <small>{ format!("·{lanes}") }</small> }
                        </b>
                    }
                }) }
                if more > 0 {
                    <small title={format!("{} warps are here", here.len())}>{ format!("+{more}") }</small>
                }
            </>
        }
    }

    /// A click selects the warps at the line, one after the other.
    fn pick(&self, here: &[&WarpPicture]) -> Callback<MouseEvent> {
        let after = self.selected.and_then(|selected| here.iter().position(|w| (w.sm, w.warp) == selected));
        let next = after.map_or(0, |at| (at + 1) % here.len().max(1));
        let chosen = here.get(next).map(|w| Selection::Warp { sm: w.sm, warp: w.warp });
        let (handle, line, pcs) = (self.handle.clone(), self.at + 1, self.line.pcs.clone());
        Callback::from(move |_: MouseEvent| {
            handle.act(|lab| match chosen {
                Some(selection) => lab.selection = Some(selection),
                None => lab.notice = Some(crate::lab::Notice::good(nobody(line, &pcs))),
            });
        })
    }
}

fn nobody(line: usize, pcs: &[Pc]) -> String {
    match pcs {
        [one] => format!("No warp is at line {line} (PC {one}) now."),
        _ => format!("No warp is at line {line} ({} instructions) now.", pcs.len()),
    }
}
