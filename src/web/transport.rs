//! The transport bar: play, step, search, speed, cycle and scrubber.

use super::breakpoints::BreakpointMenu;
use super::canvas::{self, use_size};
use super::handle::Handle;
use super::icons;
use super::still::still;
use warpscope_lab::{Goal, Lab, Notice, SPEEDS, Wanted, grouped, typed_cycle};
use warpscope_machine::event::{EventKind, Reason};
use warpscope_pictures::scene::{Palette, Theme, Tone};
use warpscope_pictures::view::Selection;
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
}

#[component]
pub fn TransportBar(props: &Props) -> Html {
    let handle = &props.handle;
    let (cycle, reached, ended, goal, speed, wanted, loaded) = handle.read(|lab| {
        let session = lab.stage.as_ref().map(|stage| &stage.session);
        (
            lab.cycle(),
            session.map_or(0, |s| s.reached()),
            session.is_some_and(|s| s.ended()),
            lab.transport.goal,
            lab.transport.speed,
            lab.transport.wanted,
            session.is_some(),
        )
    });
    let going = goal != Goal::Rest;
    let hand = handle.steady();
    // A step changes nothing in the menu, which shows breakpoints and the selected warp.
    let shown = handle.read(|lab| (lab.breakpoints.clone(), lab.selection.and_then(Selection::warp), lab.ptx.clone()));
    let breakpoints = {
        let handle = handle.clone();
        use_memo(shown, move |_| html! { <BreakpointMenu {handle} /> })
    };
    html! {
        <div class="transport" aria-label="Transport" role="toolbar">
            { keys(&hand, going, loaded) }
            { choices(hand, wanted, speed) }
            { (*breakpoints).clone() }
            <CycleBox handle={handle.clone()} {cycle} {reached} {ended} />
            <Scrubber handle={handle.clone()} theme={props.theme} {cycle} {reached} />
        </div>
    }
}

/// Renders the buttons.
fn keys(hand: &Handle, going: bool, loaded: bool) -> Html {
    let hand = hand.clone();
    still(vec![going.into(), loaded.into()], move || buttons(&hand, going, loaded))
}

fn buttons(hand: &Handle, going: bool, loaded: bool) -> Html {
    let button = |id: &'static str, label: Html, title: &'static str, act: fn(&mut Lab)| {
        html! {
            <button type="button" {id} class="icon" {title} aria-label={title} disabled={!loaded} onclick={hand.callback(act)}>{ label }</button>
        }
    };
    html! {
        <span class="keys">
            { button("start", icons::start(), "To the start (Home)", Lab::start) }
            { button("previous", icons::previous(), "Previous event (Shift+←)", Lab::previous_event) }
            { button("back", icons::back(), "One cycle back (← or ,)", Lab::back) }
            <button type="button" id="play" class="primary icon" title={if going { "Pause (Space)" } else { "Play (Space)" }}
                aria-label={if going { "Pause" } else { "Play" }} disabled={!loaded} onclick={hand.callback(Lab::play)}>
                { if going { icons::pause() } else { icons::play() } }
            </button>
            { button("step", icons::step(), "One cycle forward (→ or .)", Lab::step) }
            { button("next", icons::next(), "Next event (Shift+→)", Lab::next_event) }
            { button("end", icons::end(), "To the end (End)", Lab::end) }
        </span>
    }
}

/// Renders the menu of what next and previous search for, and the slider of the speed.
fn choices(hand: Handle, wanted: Wanted, speed: usize) -> Html {
    let place = Wanted::all().position(|each| each == wanted).unwrap_or(0);
    let draw = move || html! { <>{ wanted_menu(&hand, wanted) }{ speed_slider(&hand, speed) }</> };
    still(vec![place as u64, speed as u64], draw)
}

fn wanted_menu(handle: &Handle, wanted: Wanted) -> Html {
    let onchange = {
        let handle = handle.clone();
        Callback::from(move |event: Event| {
            let chosen = event.target_dyn_into::<HtmlSelectElement>().and_then(|menu| Wanted::from_key(&menu.value()));
            if let Some(wanted) = chosen {
                handle.act(|lab| lab.transport.wanted = wanted);
            }
        })
    };
    html! {
        <select id="wanted" aria-label="What next and previous search for" title="What next and previous event search for" {onchange}>
            { for Wanted::all().map(|each| html! {
                <option value={each.key()} selected={each == wanted}>{ each.label() }</option>
            }) }
        </select>
    }
}

fn speed_slider(handle: &Handle, speed: usize) -> Html {
    let oninput = {
        let handle = handle.clone();
        Callback::from(move |event: InputEvent| {
            let value = event.target_dyn_into::<HtmlInputElement>().and_then(|slider| slider.value().parse::<usize>().ok());
            if let Some(speed) = value {
                handle.act(|lab| lab.transport.speed = speed.min(SPEEDS.len() - 1));
            }
        })
    };
    let words = speed_words(SPEEDS[speed.min(SPEEDS.len() - 1)]);
    html! {
        <label class="speed" title="Speed of play (+ and −)">
            <input type="range" id="speed" min="0" max={(SPEEDS.len() - 1).to_string()} value={speed.to_string()}
                aria-label="Speed" aria-valuetext={words.clone()} {oninput} />
            <output>{ words }</output>
        </label>
    }
}

fn speed_words(rate: u32) -> String {
    match rate {
        u32::MAX => "max".to_string(),
        rate if rate >= 1000 => format!("{} k/s", rate / 1000),
        rate => format!("{rate}/s"),
    }
}

#[derive(Properties, PartialEq)]
struct CycleProps {
    handle: Handle,
    cycle: u64,
    reached: u64,
    ended: bool,
}

/// The current cycle, in a field that takes another one.
#[component]
fn CycleBox(props: &CycleProps) -> Html {
    let field = use_node_ref();
    let onchange = {
        let handle = props.handle.clone();
        Callback::from(move |event: Event| {
            let Some(field) = event.target_dyn_into::<HtmlInputElement>() else { return };
            // Returns the keyboard to the page after typing.
            let _ = field.blur();
            match typed_cycle(&field.value()) {
                Some(cycle) => handle.act(|lab| lab.seek(cycle)),
                None => handle.act(|lab| {
                    field.set_value(&lab.cycle().to_string());
                    lab.notice = Some(Notice::bad("A cycle is a whole number, such as 412."));
                }),
            }
        })
    };
    let onkeydown = {
        let handle = props.handle.clone();
        Callback::from(move |event: KeyboardEvent| {
            let Some(field) = event.target_dyn_into::<HtmlInputElement>() else { return };
            let cycle = handle.read(Lab::cycle);
            match event.key().as_str() {
                "Escape" => field.set_value(&cycle.to_string()),
                // An unchanged value raises no change event, so Enter is handled here.
                "Enter" if typed_cycle(&field.value()) == Some(cycle) => handle.act(|lab| lab.seek(cycle)),
                _ => return,
            }
            let _ = field.blur();
        })
    };
    let title = if props.ended { "Cycles of the whole run" } else { "Cycles simulated so far; the end is not known yet" };
    let value = being_typed(&field).unwrap_or_else(|| props.cycle.to_string());
    html! {
        <label class="cycle">
            { "cycle" }
            <input type="text" id="cycle" inputmode="numeric" ref={field} {value} {onchange} {onkeydown} />
            <span {title}>{ format!("/ {}{}", grouped(props.reached), if props.ended { "" } else { "…" }) }</span>
        </label>
    }
}

/// Returns the field's text while the user types into it: it stays while the run goes on.
fn being_typed(field: &NodeRef) -> Option<String> {
    let input = field.cast::<HtmlInputElement>()?;
    let active = web_sys::window()?.document()?.active_element()?;
    (active == **input).then(|| input.value())
}

/// Number of parts of the scrubber whose marks can be told apart.
const FINEST: u64 = 1024;
/// Most places of the thumb: about two to a pixel, so that a step too small to see does not move it.
const PLACES: u64 = 2000;

#[derive(Properties, PartialEq)]
struct ScrubberProps {
    handle: Handle,
    theme: Theme,
    cycle: u64,
    reached: u64,
}

/// The run so far as a line with marks, and a slider over it.
#[component]
fn Scrubber(props: &ScrubberProps) -> Html {
    let place = use_node_ref();
    let node = use_node_ref();
    let size = use_size(&place);
    {
        let node = node.clone();
        // Marks are drawn again when the run has grown visibly, not when the user moves in it.
        let reached = props.reached - props.reached % (props.reached / FINEST).max(1);
        use_effect_with((reached, props.theme, size, props.handle.on_stage(|_, stage| stage.kernel.clone())), {
            let handle = props.handle.clone();
            move |(reached, theme, size, _)| draw_marks(&handle, &node, *reached, *theme, *size)
        });
    }
    let reached = props.reached;
    let places = reached.clamp(1, PLACES);
    let oninput = {
        let handle = props.handle.clone();
        Callback::from(move |event: InputEvent| {
            let place = event.target_dyn_into::<HtmlInputElement>().and_then(|slider| slider.value().parse::<u64>().ok());
            if let Some(place) = place {
                handle.act(|lab| lab.seek((place * reached + places / 2) / places));
            }
        })
    };
    let thumb = (props.cycle * places + reached / 2) / reached.max(1);
    html! {
        <div class="scrubber" ref={place}>
            <canvas ref={node} aria-hidden="true" />
            <input type="range" id="scrubber" min="0" max={places.to_string()} value={thumb.to_string()} step="1"
                aria-label="Cycle" aria-valuetext={format!("cycle {} of {reached}", props.cycle)} {oninput} />
        </div>
    }
}

fn draw_marks(handle: &Handle, node: &NodeRef, reached: u64, theme: Theme, (width, height): (f64, f64)) {
    if width < 8.0 {
        return;
    }
    let Some(context) = canvas::context(node, width, height) else { return };
    let palette = Palette::of(theme);
    handle.on_stage(|_, stage| {
        let kinds = [
            (EventKind::Divergence, Tone::Accent, 0.0),
            (EventKind::BarrierRelease, Tone::Reason(Reason::Barrier), 8.0),
            (EventKind::BlockEnd, Tone::Text, 16.0),
        ];
        let per_px = reached.max(1) as f64 / (width - 16.0);
        for (kind, tone, y) in kinds {
            context.set_fill_style_str(&palette.get(tone).css());
            let marks = stage.session.record().marks(kind);
            let mut x = 0.0;
            while x < width - 16.0 {
                let Some(next) = marks.next((x * per_px) as u64) else { break };
                let at = (next as f64 / per_px).floor();
                context.fill_rect(8.0 + at, y + 3.0, 1.0, 5.0);
                x = at.max(x) + 1.0;
            }
        }
    });
}
