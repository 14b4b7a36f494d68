//! Device memory at the current cycle: the first values of every buffer, with breakpoints on them, and what the kernel printed.

use super::handle::Handle;
use warpscope_lab::{ResultVerdict, ShownBuffer, ShownValue, grouped};
use warpscope_pictures::session::Element;
use yew::prelude::*;

/// Number of a buffer's values that are shown until the user asks for more.
const FIRST_SHOWN: usize = 64;

pub fn memory(handle: &Handle) -> Html {
    let found = handle.on_stage(|_, stage| (stage.buffers(), stage.output(), stage.verdict(), stage.trap()));
    let Some((buffers, output, verdict, trap)) = found else {
        return html! { <p class="empty"><strong>{ "No run yet" }</strong>{ "Choose a kernel." }</p> };
    };
    let stops = handle.read(|lab| lab.breakpoints.elements.clone());
    let (class, title, text) = match (&trap, &verdict) {
        (Some(trap), _) => ("bad", "The kernel trapped", Some(trap.message.clone())),
        (None, Some(ResultVerdict::Right)) => ("good", "Done", Some("Every byte is what the reference computes.".to_string())),
        (None, Some(ResultVerdict::LockStep(how))) => ("caution", "Done; the kernel depends on lock-step", Some(how.clone())),
        (None, Some(ResultVerdict::Wrong(how))) => ("bad", "Done, but the result is not the reference's", Some(how.clone())),
        (None, Some(ResultVerdict::Unknown)) => ("good", "Done", None),
        (None, None) => {
            ("soft", "Not done yet", Some("Values are those of this cycle; the End key runs the kernel to its end.".to_string()))
        }
    };
    html! {
        <div key="memory" class="scroll" tabindex="0" role="region" aria-label="Buffers">
            <div id="verdict" class={classes!("verdict", class)}>
                <strong>{ title }</strong>
                if let Some(text) = text {
                    <p>{ text }</p>
                }
            </div>
            if !output.is_empty() {
                <section><h3>{ "Printed" }</h3><pre class="output" tabindex="0">{ output }</pre></section>
            }
            if !buffers.is_empty() {
                <p class="note">{ "Click a value to stop where it is written." }</p>
            }
            { for buffers.iter().map(|buffer| {
                let stops = stops.iter().filter(|element| element.buffer == buffer.name).map(|element| element.index).collect::<Vec<_>>();
                html! { <BufferView key={buffer.name.clone()} handle={handle.steady()} buffer={buffer.clone()} {stops} /> }
            }) }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct BufferProps {
    /// Equal at every version: the buffer and its stops are all that is shown.
    handle: Handle,
    buffer: ShownBuffer,
    /// The elements with a breakpoint.
    stops: Vec<u64>,
}

#[component]
fn BufferView(props: &BufferProps) -> Html {
    let whole = use_state_eq(|| false);
    let buffer = &props.buffer;
    let shown = if *whole { buffer.values.len() } else { buffer.values.len().min(FIRST_SHOWN) };
    let per_row = per_row(&buffer.values[..shown]);
    let rows = buffer.values[..shown].chunks(per_row).enumerate();
    let onclick = {
        let whole = whole.clone();
        Callback::from(move |_: MouseEvent| whole.set(true))
    };
    let changed = match buffer.changed {
        0 => "unchanged".to_string(),
        n => format!("{} of {} changed", grouped(n as u64), grouped(buffer.len as u64)),
    };
    let cell = |(index, value): (usize, &ShownValue)| {
        let element = Element { buffer: buffer.name.clone(), index: index as u64, bytes: buffer.ty.bytes() as u8 };
        cell(&props.handle, element, value, props.stops.contains(&(index as u64)))
    };
    html! {
        <section class="buffer">
            <h3>{ &buffer.name }<span class="note">{ format!("{} · {changed}", buffer.ty.name()) }</span></h3>
            <div class="values" style={format!("--per-row:{per_row}")}>
                { for rows.map(|(row, values)| html! {
                    <>
                        <span class="index">{ row * per_row }</span>
                        { for (row * per_row..).zip(values).map(cell) }
                        { for (values.len()..per_row).map(|_| html! { <span></span> }) }
                    </>
                }) }
            </div>
            if shown < buffer.values.len() {
                <button type="button" class="plain" {onclick}>{ format!("Show {} values", grouped(buffer.values.len() as u64)) }</button>
            } else if shown < buffer.len {
                <span class="note">{ format!("and {} more", grouped((buffer.len - shown) as u64)) }</span>
            }
        </section>
    }
}

/// Renders a value: a button that sets or removes a breakpoint on its element.
fn cell(handle: &Handle, element: Element, value: &ShownValue, stops: bool) -> Html {
    let was = value.before.as_ref().map_or_else(String::new, |before| format!(", was {before}"));
    let then = if stops { "play stops where it is written" } else { "click to stop where it is written" };
    let title = format!("{element}{was}: {then}");
    let class = classes!(value.before.is_some().then_some("changed"), stops.then_some("stop"));
    let onclick = handle.callback(move |lab| lab.breakpoints.toggle_element(element.clone()));
    html! { <button type="button" {class} {title} aria-pressed={stops.to_string()} {onclick}>{ &value.text }</button> }
}

/// Returns the number of values that fit side by side.
fn per_row(values: &[ShownValue]) -> usize {
    let widest = values.iter().map(|value| value.text.len()).max().unwrap_or(1);
    if widest <= 5 {
        8
    } else if widest <= 12 {
        4
    } else {
        2
    }
}
