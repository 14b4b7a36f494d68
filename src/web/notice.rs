//! The status line above the transport: hints or the caption of the run, and the current notice.

use super::download::caption;
use super::handle::Handle;
use super::prose::inline;
use warpscope_lab::{Goal, Hints, Lab};
use warpscope_pictures::view::Selection;
use yew::prelude::*;

/// Renders the line. It has a place of its own, so that a message neither moves the page nor hides data.
pub fn status_line(handle: &Handle, hint: bool, embed: bool, onask: &Callback<()>) -> Html {
    html! {
        <div class="status-line">
            if let Some(hints) = handle.read(|lab| lab.hints) {
                { first_steps(handle, hints, onask) }
            } else if hint {
                <p class="hint" role="status">
                    <span class="by-keys">{ "Press " }<kbd>{ "→" }</kbd>{ " to step one cycle, " }<kbd>{ "Space" }</kbd>{ " to play, " }<kbd>{ "?" }</kbd>{ " for every key." }</span>
                    <span class="by-touch">{ "Tap a lane, warp or line to inspect it." }</span>
                </p>
            } else if let Some((name, said)) = handle.on_stage(|lab, stage| (caption(lab, stage), stage.say(lab.selection))) {
                <p class="caption"><span class="run-name">{ name }</span><span id="say">{ said }</span></p>
            }
            if embed {
                <a id="open" href={handle.read(|lab| format!("#{}", lab.address().write()))} target="_blank" rel="noopener">{ "Open in Warpscope" }</a>
            }
            { notice_line(handle) }
        </div>
    }
}

/// Renders the hints of a first visit. Asking about a lane opens the inspector.
fn first_steps(handle: &Handle, hints: Hints, onask: &Callback<()>) -> Html {
    let button = |done: bool, id: &'static str, words: Html, act: Callback<MouseEvent>| {
        let class = if done { "small done" } else { "small" };
        html! { <button type="button" {id} {class} onclick={act}>if done { { "✓ " } }{ words }</button> }
    };
    let ask = {
        let (handle, onask) = (handle.clone(), onask.clone());
        Callback::from(move |_: MouseEvent| {
            handle.act(Lab::try_asking);
            onask.emit(());
        })
    };
    html! {
        <p class="hint first" role="status">
            <button type="button" class="small" id="start-here" onclick={handle.callback(Lab::begin_basics)}>{ "New to warps? Start here" }</button>
            <span>{ "Or try:" }</span>
            { button(hints.stepped, "try-step", html! { <><span class="by-keys">{ "press " }<kbd>{ "→" }</kbd>{ " to " }</span>{ "step one cycle" }</> }, handle.callback(Lab::step)) }
            { button(hints.asked, "try-asking", html! { { "why is this lane idle?" } }, ask) }
            { button(hints.compared, "try-compaction", html! { { "the same under TBC" } }, handle.callback(Lab::try_compaction)) }
            <button type="button" class="plain" aria-label="No hints" onclick={handle.callback(|lab| lab.hints = None)}>{ "×" }</button>
        </p>
    }
}

fn notice_line(handle: &Handle) -> Html {
    let (notice, goal) = handle.read(|lab| (lab.notice.clone(), lab.transport.goal));
    let (misfit, running) = handle.read(|lab| {
        (lab.misfit_words(), lab.running_instead().map(|setup| format!(" Running: {}, not what is chosen above.", setup.words())))
    });
    let take_back = running.as_ref().map(|_| {
        html! { <button type="button" class="plain" onclick={handle.callback(Lab::take_back)}>{ "Undo the choice" }</button> }
    });
    // A later notice replaces the misfit until it is closed or another action removes it.
    if let (Some(misfit), None) = (misfit, &notice) {
        return html! { <div class="notice bad" role="alert" id="notice"><span>{ inline(&misfit) }</span>{ take_back }</div> };
    }
    let has_counterexample = notice.as_ref().is_some_and(|notice| notice.has_counterexample);
    let (text, bad, show) = match (notice, goal) {
        (Some(notice), _) => (notice.text, notice.bad, notice.show),
        (None, Goal::Search(_)) => ("Searching for the next one… Space stops.".to_string(), false, None),
        (None, Goal::NextBreakpoint) => ("Running to the next breakpoint… Space stops.".to_string(), false, None),
        (None, Goal::PreviousBreakpoint) => ("Searching backwards for a breakpoint… Space stops.".to_string(), false, None),
        (None, Goal::Cycle(cycle) | Goal::Range { range: (_, cycle), .. }) => {
            (format!("Going to cycle {cycle}… Space stops."), false, None)
        }
        (None, Goal::End) => ("Running to the end… Space stops.".to_string(), false, None),
        (None, _) => return html! { <div id="notice" role="status" class="notice" hidden=true></div> },
    };
    let close = handle.callback(|lab| lab.notice = None);
    let shown = handle.read(|lab| lab.selection);
    let go = show.filter(|show| Some(*show) != shown).map(|show| handle.callback(move |lab| lab.selection = Some(show)));
    let what = if matches!(show, Some(Selection::Block { .. })) { "Show the block" } else { "Show the warp" };
    html! {
        <div class={classes!("notice", bad.then_some("bad"))} role={if bad { "alert" } else { "status" }} id="notice">
            <span>{ inline(&(text + running.as_deref().unwrap_or_default())) }</span>
            { take_back }
            if has_counterexample {
                <button type="button" class="small" id="try-counterexample" onclick={handle.callback(Lab::try_counterexample)}>{ "Where TBC loses: collatz" }</button>
            }
            if let Some(onclick) = go {
                <button type="button" class="plain" {onclick}>{ what }</button>
            }
            <button type="button" class="plain push" aria-label="Close the message" onclick={close}>{ "×" }</button>
        </div>
    }
}
