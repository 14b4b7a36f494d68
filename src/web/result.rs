//! What a run left behind: how it ended, its counts, its output and the first values of every buffer.

use std::rc::Rc;

use yew::prelude::*;

use super::desk::{Ending, Outcome, ShownBuffer, ShownValue, Spot, Verdict, grouped};
use super::state::{Action, Run, State};

/// How many of a buffer's values are shown until more are asked for.
const FIRST_SHOWN: usize = 64;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub run: Run,
    /// What keeps the kernel from running.
    pub missing: Option<AttrValue>,
    pub dispatch: UseReducerDispatcher<State>,
}

#[component]
pub fn ResultPanel(props: &Props) -> Html {
    let body = match (&props.run, &props.missing) {
        (Run::Ended(outcome), _) => ended(outcome, &props.dispatch),
        (Run::Going(_), _) => html! { <p class="empty"><strong>{ "Running" }</strong>{ "Stop ends it." }</p> },
        (Run::None, Some(missing)) => html! { <p class="empty"><strong>{ "Nothing to run yet" }</strong>{ missing }</p> },
        (Run::None, None) => html! {
            <p class="empty"><strong>{ "Ready" }</strong>{ "Run (Ctrl+Enter) executes every thread and shows the memory that is left." }</p>
        },
    };
    html! {
        <section class="panel" aria-label="Result" aria-live="polite">
            <header><h2>{ "Result" }</h2></header>
            { body }
        </section>
    }
}

fn ended(outcome: &Rc<Outcome>, dispatch: &UseReducerDispatcher<State>) -> Html {
    let buffers =
        outcome.buffers.iter().map(|buffer| html! { <BufferView key={buffer.name.as_str()} buffer={buffer.clone()} /> });
    html! {
        <div class="scroll">
            { ending(outcome, dispatch) }
            if outcome.thread_instructions > 0 {
                <dl class="facts">
                    { fact("Thread-instructions", grouped(outcome.thread_instructions)) }
                    { fact("Took", duration(outcome.seconds)) }
                    { fact("Speed", speed(outcome)) }
                </dl>
            }
            if !outcome.output.is_empty() {
                <section><h3>{ "Printed" }</h3><pre class="output" tabindex="0">{ &outcome.output }</pre></section>
            }
            { for buffers }
        </div>
    }
}

fn ending(outcome: &Outcome, dispatch: &UseReducerDispatcher<State>) -> Html {
    let (class, title, text) = match &outcome.ending {
        Ending::Done(Verdict::Right) => ("good", "Done", Some("Every byte is what the reference on the host computes.")),
        Ending::Done(Verdict::None) => ("good", "Done", None),
        Ending::Done(Verdict::Wrong(how)) => ("bad", "Done, but the result is not the reference's", Some(how.as_str())),
        Ending::Trapped { message, .. } => ("bad", "The kernel trapped", Some(message.as_str())),
        Ending::Stopped => ("bad", "Stopped before its end", None),
        Ending::Failed(message) => ("bad", "This could not be run", Some(message.as_str())),
    };
    let go = match &outcome.ending {
        Ending::Trapped { spot: Some(spot), .. } => Some(go_to(*spot, dispatch)),
        _ => None,
    };
    html! {
        <div id="verdict" class={classes!("verdict", class)}>
            <strong>{ title }</strong>
            if let Some(text) = text {
                <p>{ text }</p>
            }
            { for go }
        </div>
    }
}

fn go_to(spot: Spot, dispatch: &UseReducerDispatcher<State>) -> Html {
    let dispatch = dispatch.clone();
    let onclick = Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::GoInPtx(spot)));
    html! { <button type="button" {onclick}>{ format!("Go to line {}", spot.line) }</button> }
}

fn fact(name: &'static str, value: String) -> Html {
    html! { <div><dt>{ name }</dt><dd>{ value }</dd></div> }
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.1} s") }
}

fn speed(outcome: &Outcome) -> String {
    // In a short run the browser is still compiling, and its clock is coarse.
    if outcome.seconds < 0.1 {
        return "–".into();
    }
    format!("{:.1} M/s", outcome.thread_instructions as f64 / outcome.seconds / 1e6)
}

#[derive(Properties, PartialEq)]
struct BufferProps {
    buffer: ShownBuffer,
}

#[component]
fn BufferView(props: &BufferProps) -> Html {
    let buffer = &props.buffer;
    let shown = use_state(|| FIRST_SHOWN);
    let more = {
        let shown = shown.clone();
        Callback::from(move |_: MouseEvent| shown.set(*shown * 4))
    };
    let values = &buffer.values[..buffer.values.len().min(*shown)];
    let per_row = per_row(values);
    let changed = if buffer.changed == 0 { "unchanged".into() } else { format!("{} changed", grouped(buffer.changed as u64)) };
    let note = format!("{} × {}, {changed}", grouped(buffer.len as u64), buffer.ty);
    html! {
        <section class="buffer" aria-label={format!("Buffer {}", buffer.name)}>
            <h3><code>{ &buffer.name }</code><span class="note">{ note }</span></h3>
            <div class="values" style={format!("--per-row:{per_row}")}>
                { for values.chunks(per_row).enumerate().map(|(row, values)| line(row * per_row, values)) }
            </div>
            if buffer.values.len() > values.len() {
                <button type="button" class="plain" onclick={more}>{ "Show more" }</button>
            } else if buffer.len > values.len() {
                <p class="note">{ format!("the first {} of {}", grouped(values.len() as u64), grouped(buffer.len as u64)) }</p>
            }
        </section>
    }
}

/// As many values side by side as their length allows.
fn per_row(values: &[ShownValue]) -> usize {
    match values.iter().map(|value| value.text.chars().count()).max().unwrap_or(0) {
        0..=4 => 8,
        5..=11 => 4,
        _ => 2,
    }
}

fn line(first: usize, values: &[ShownValue]) -> Html {
    let cell = |value: &ShownValue| {
        let title = value.before.as_ref().map(|before| format!("{} (was {before})", value.text));
        html! { <span class={value.before.is_some().then_some("changed")} {title}>{ &value.text }</span> }
    };
    // The last row may be short; its place is kept by the next row's index starting in the first column.
    html! { <><span class="index">{ first }</span>{ for values.iter().map(cell) }</> }
}
