//! The bars of the race: each is as long as its run, and its colours are what its warps did.

use super::super::frame::motion_allowed;
use super::super::tips::term;
use warpscope_machine::event::Reason;
use warpscope_study::compare::{Entry, Outcome};
use yew::prelude::*;

/// Duration of the slowest run in a race, in seconds.
const RACE_SECONDS: f64 = 4.0;

/// Renders the bar of a run. `longest` is the number of cycles of the slowest run, `race` the number of races so far.
pub fn bar(run: &Outcome, longest: u64, race: u32) -> Html {
    let seconds = RACE_SECONDS * run.cycles as f64 / longest as f64;
    let wide = 100.0 * run.cycles as f64 / longest as f64;
    let style = match race > 0 && motion_allowed() {
        true => format!("width:{wide:.2}%;animation:race {seconds:.2}s linear"),
        false => format!("width:{wide:.2}%"),
    };
    html! { <i key={race} class="race-bar" {style}>{ for shares(run).into_iter().map(segment) }</i> }
}

/// Returns what the warps of a run did, as shares of their cycles.
fn shares(run: &Outcome) -> Vec<(Reason, f64)> {
    let all: u64 = Reason::ALL.into_iter().map(|reason| run.warp_cycles(reason)).sum();
    let parts = Reason::listed(|reason| run.warp_cycles(reason)).into_iter().filter(|reason| run.warp_cycles(*reason) > 0);
    parts.map(|reason| (reason, run.warp_cycles(reason) as f64 / all.max(1) as f64)).collect()
}

fn segment((reason, share): (Reason, f64)) -> Html {
    let class = format!("reason-{}", reason.letter().to_ascii_lowercase());
    let title = format!("{}: {:.1} %", reason.label(), 100.0 * share);
    html! { <b {class} {title} style={format!("flex-grow:{share:.4}")}></b> }
}

/// Renders the legend of the bars' colours.
pub fn legend(rows: &[(&Entry, &Outcome)]) -> Html {
    let total = |reason: Reason| rows.iter().map(|(_, run)| run.warp_cycles(reason)).sum();
    let used = Reason::listed(total).into_iter().filter(|reason| total(*reason) > 0);
    html! {
        <p class="compare-legend">
            <span class="note">{ "A bar is as long as its run. Its colours: what its warps did." }</span>
            { for used.map(|reason| html! {
                <span><b class={format!("letter reason-{}", reason.letter().to_ascii_lowercase())}>{ reason.letter() }</b>{ term(html! { { reason.label() } }, reason.about()) }</span>
            }) }
        </p>
    }
}
