//! The timeline panel: what each warp did in each cycle, or why it was idle. Runs beside the one on stage stand below it on the
//! same axis, so that a shorter run is seen to be shorter.
//!
//! [`viewport`] is the part of the run in sight, [`gestures`] move it, [`words`] say what is in it; `strip` draws it.

mod gestures;
mod viewport;
mod words;

use super::beside::run_name;
use super::canvas::{self, use_size};
use super::handle::Handle;
use super::still::still;
use super::strip::{self, Drawn, Strip};
use super::tips::term;
use gestures::use_gestures;
use viewport::{Viewport, use_followed_cycle, use_followed_warp, use_viewport};
use warpscope_lab::timeline::VisibleCycles;
use warpscope_machine::event::Reason;
use warpscope_pictures::scene::{Palette, Theme};
use yew::prelude::*;

/// A command of the keyboard to the timeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    Nearer,
    Further,
    Left,
    Right,
    Fit,
}

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    /// The runs beside it.
    pub others: Vec<Handle>,
    pub theme: Theme,
    /// The number of commands of the keyboard so far, and the last one.
    pub asked: (u32, Option<Move>),
}

#[component]
pub fn Timeline(props: &Props) -> Html {
    let handle = &props.handle;
    let place = use_node_ref();
    let canvas = use_node_ref();
    let tall = use_node_ref();
    let size = use_size(&place);
    let viewport = use_viewport(handle, &props.others, size);
    {
        let viewport = viewport.clone();
        use_effect_with(props.asked, move |(_, command)| {
            if let Some(command) = *command {
                viewport.command(command);
            }
        });
    }
    let in_sight = use_followed_cycle(&viewport);
    use_followed_warp(&viewport);
    use_strip(handle, Sight { span: in_sight, first: *viewport.first, size }, props.theme, &canvas, &tall);
    let gestures = use_gestures(&viewport, &canvas);

    let words = handle.on_stage(|_, stage| words::describe(stage.session.record(), stage.session.cycle())).unwrap_or_default();
    let tip = gestures.pointer.and_then(|at| {
        handle.on_stage(|_, stage| {
            let record = stage.session.record();
            words::tip(record, *viewport.span, &strip::rows(record, size.1, *viewport.first), size.0, at)
        })
    });
    let range = gestures.choosing.or_else(|| handle.on_stage(|_, stage| stage.range).flatten());
    html! {
        <section class="panel timeline" aria-label="Timeline">
            { header(&viewport, gestures.choosing.is_some()) }
            <div class="place" ref={place}>
                if !props.others.is_empty() {
                    <span class="strip-name">{ handle.read(run_name) }</span>
                }
                <canvas ref={canvas} id="timeline" role="img" aria-label={words} onwheel={gestures.onwheel}
                    onpointerdown={gestures.onpointerdown} onpointermove={gestures.onpointermove} onpointerup={gestures.onpointerup}
                    onpointercancel={gestures.onpointercancel} onpointerleave={gestures.onpointerleave} />
                <canvas ref={tall} hidden=true />
                if let Some(range) = range { { words::range_frame(range, in_sight, viewport.width()) } }
                { tip.flatten().unwrap_or_default() }
            </div>
            { for props.others.iter().map(|other| html! {
                <Below key={other.seat()} handle={other.clone()} theme={props.theme} span={in_sight} />
            }) }
        </section>
    }
}

#[derive(Properties, PartialEq)]
struct BelowProps {
    handle: Handle,
    theme: Theme,
    /// The cycles in sight, those of the run above.
    span: VisibleCycles,
}

/// A run below the one on stage, on its axis.
#[component]
fn Below(props: &BelowProps) -> Html {
    let (place, canvas, tall) = (use_node_ref(), use_node_ref(), use_node_ref());
    let size = use_size(&place);
    use_strip(&props.handle, Sight { span: props.span, first: 0, size }, props.theme, &canvas, &tall);
    let words =
        props.handle.on_stage(|_, stage| words::describe(stage.session.record(), stage.session.cycle())).unwrap_or_default();
    html! {
        <div class="place" ref={place}>
            <span class="strip-name">{ props.handle.read(run_name) }</span>
            <canvas ref={canvas} role="img" aria-label={words} />
            <canvas ref={tall} hidden=true />
        </div>
    }
}

/// What is in sight of a run: the cycles, the first row, and the room.
#[derive(Clone, Copy, PartialEq)]
struct Sight {
    span: VisibleCycles,
    first: usize,
    size: (f64, f64),
}

/// Draws the warps by cycles. `tall` keeps the columns that the next drawing can copy.
#[hook]
fn use_strip(handle: &Handle, sight: Sight, theme: Theme, canvas: &NodeRef, tall: &NodeRef) {
    let (canvas, tall, drawn) = (canvas.clone(), tall.clone(), use_mut_ref(|| None::<Drawn>));
    use_effect_with((handle.clone(), theme, sight), move |(handle, theme, Sight { span, first, size })| {
        let now = handle.on_stage(|lab, stage| {
            let record = stage.session.record();
            let rows = strip::rows(record, size.1, *first);
            let strip = Strip { record, rows, span: *span, palette: Palette::of(*theme), size: *size };
            strip.draw(&canvas, &tall, drawn.borrow().as_ref(), Drawn::of(lab, stage, &strip))
        });
        // Without a run, nothing of the last one stays.
        if now.is_none() {
            let _ = canvas::context(&canvas, size.0, size.1);
        }
        *drawn.borrow_mut() = now.flatten();
    });
}

/// Renders the title, the legend, the numbers of the selected range, and the buttons that zoom.
fn header(viewport: &Viewport, is_choosing: bool) -> Html {
    let handle = &viewport.handle;
    let reforms = handle.on_stage(|_, stage| stage.session.sim().machine.reforms).unwrap_or(false);
    let listed = handle.on_stage(|_, stage| stage.session.record().series().reasons());
    let listed = listed.unwrap_or_else(|| Reason::listed(|_| 0));
    let legend = still(listed.iter().map(|&reason| reason as u64).collect(), move || words::legend(&listed));
    let button = |label: &'static str, title: &'static str, change: fn(VisibleCycles, f64, u64) -> VisibleCycles| {
        let viewport = viewport.clone();
        let onclick = Callback::from(move |_: MouseEvent| viewport.change(|span, end| change(span, viewport.width(), end)));
        html! { <button type="button" class="small" {title} aria-label={title} {onclick}>{ label }</button> }
    };
    html! {
        <header>
            <h2>{ "Timeline" }</h2>
            if reforms {
                { term(html! { { "static warps" } }, words::STATIC_WARPS) }
            }
            { legend }
            <span class="push"></span>
            if !is_choosing { { words::range_numbers(handle) } }
            { button("−", "Zoom out (S)", |span, width, _| span.zoom(2.0, width / 2.0)) }
            { button("+", "Zoom in (W)", |span, width, _| span.zoom(0.5, width / 2.0)) }
            { button("Fit", "Fit the whole run (F)", |_, width, end| VisibleCycles::fit(end, width)) }
        </header>
    }
}
