//! The comparison of all techniques: a table that fills while workers run, a bar for each run, the race, and files.
//!
//! A bar's length is its run's number of cycles; its colours are the reasons of its warps. In the race all bars grow at one
//! speed, so that each ends when its run does.

mod bars;
mod files;
mod rows;
mod table;

use self::bars::legend;
use self::files::files;
use self::rows::{RowOrder, sorted};
use self::table::table;
use super::drawer::Drawer;
use super::handle::Handle;
use warpscope_lab::Contest;
use warpscope_machine::config::AXES;
use warpscope_pictures::scene::Theme;
use warpscope_study::compare::{Comparison, Entry};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub onclose: Callback<()>,
    /// Requests a run of a technique beside the one on stage.
    pub onbeside: Callback<String>,
}

#[component]
pub fn CompareSheet(props: &Props) -> Html {
    let handle = &props.handle;
    let order = use_state_eq(|| RowOrder { column: Some(0), falling: false });
    let axis = use_state_eq(|| None::<&'static str>);
    let race = use_state_eq(|| 0_u32);
    // Opening the sheet starts a contest, unless the results are known already.
    {
        let handle = handle.clone();
        use_effect_with((), move |()| {
            if handle.read(|lab| lab.stage.is_some() && !lab.contest_is_current()) {
                handle.act(|lab| lab.hold_contest());
            }
        });
    }
    let body = handle.read(|lab| {
        let Some(contest) = &lab.contest else {
            return html! { <p class="empty"><strong>{ "No kernel is loaded" }</strong>{ "Choose one at the top." }</p> };
        };
        let on_stage = lab.shown().0.technique.clone();
        let rows = contest.comparison().map(|comparison| (comparison, sorted(comparison, *order, *axis)));
        html! {
            <>
                { progress(handle, contest) }
                if let Some((comparison, rows)) = rows {
                    <p class="verdict" id="compare-words">{ comparison.words() }</p>
                    <div class="compare-tools">
                        { axes(&axis) }
                        <button type="button" id="race" title="All bars grow at one speed, so that each ends when its run does"
                            onclick={let race = race.clone(); Callback::from(move |_: MouseEvent| race.set(*race + 1))}>{ "Race" }</button>
                        <span class="push"></span>
                        { files(contest, comparison, &rows, props.theme) }
                    </div>
                    <div class="scroll compare-scroll" tabindex="0" role="region" aria-label="Techniques">
                        { table(props, comparison, &rows, &order, *race, &on_stage) }
                        { legend(&rows) }
                        { refused(comparison) }
                    </div>
                }
            </>
        }
    });
    html! { <Drawer title="Compare techniques" id="compare" wide=true onclose={props.onclose.clone()}>{ body }</Drawer> }
}

/// Renders what is compared, how far that is, and the button that stops or restarts it.
fn progress(handle: &Handle, contest: &Contest) -> Html {
    let (done, all) = contest.progress();
    html! {
        <div class="compare-head">
            <strong>{ &contest.about }</strong>
            if contest.is_running() {
                <progress max={all.to_string()} value={done.to_string()} aria-label="Techniques that have run"></progress>
                <span class="note">{ format!("{done} of {all} runs") }</span>
                <button type="button" id="compare-stop" onclick={handle.callback(|lab| {
                    if let Some(contest) = &mut lab.contest { contest.stop(); }
                })}>{ "Stop" }</button>
            } else {
                <span class="note" id="compare-done">{ format!("{done} of {all} runs") }</span>
                <button type="button" id="compare-again" onclick={handle.callback(|lab| lab.hold_contest())}>{ "Run again" }</button>
            }
        </div>
    }
}

/// Renders the choice between the techniques of one axis and all.
fn axes(axis: &UseStateHandle<Option<&'static str>>) -> Html {
    let button = |value: Option<&'static str>, name: &'static str| {
        let pressed = (**axis == value).to_string();
        let axis = axis.clone();
        html! { <button type="button" aria-pressed={pressed} onclick={move |_: MouseEvent| axis.set(value)}>{ name }</button> }
    };
    html! {
        <span class="segments" role="group" aria-label="Techniques that decide">
            { button(None, "all") }
            { for AXES.iter().map(|axis| button(Some(*axis), axis)) }
        </span>
    }
}

fn refused(comparison: &Comparison) -> Html {
    if comparison.refused.is_empty() {
        return Html::default();
    }
    let why = |entry: &Entry| entry.outcome.as_ref().err().cloned().unwrap_or_default();
    html! {
        <details class="refused">
            <summary>{ format!("{} techniques do not run on this machine", comparison.refused.len()) }</summary>
            <dl class="pairs">{ for comparison.refused.iter().map(|entry| html! { <><dt>{ entry.name() }</dt><dd>{ why(entry) }</dd></> }) }</dl>
        </details>
    }
}
