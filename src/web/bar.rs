//! The bar at the top: which kernel, how large a launch, run, light or dark.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::state::{Action, Origin, Size, State};
use super::theme::ThemeButton;
use crate::workload::{self, Class, Workload};

/// The menu's value for a kernel of one's own.
const OWN: &str = "";

#[derive(Properties, PartialEq)]
pub struct Props {
    pub origin: Option<Origin>,
    pub edited: bool,
    /// What keeps the kernel from running.
    pub missing: Option<AttrValue>,
    pub going: bool,
    pub onrun: Callback<()>,
    pub onstop: Callback<()>,
    pub dispatch: UseReducerDispatcher<State>,
}

#[component]
pub fn Bar(props: &Props) -> Html {
    let dispatch = &props.dispatch;
    html! {
        <header class="bar">
            <h1 class="brand"><i class="brand-mark" aria-hidden="true"></i>{ "Warpscope" }</h1>
            <label>{ "Kernel" }{ kernels(props.origin, dispatch) }</label>
            if let Some(origin) = props.origin {
                { sizes(origin, dispatch) }
                if props.edited {
                    { restore(origin, dispatch) }
                }
            }
            <span class="push"></span>
            { run(props) }
            <ThemeButton />
        </header>
    }
}

fn kernels(origin: Option<Origin>, dispatch: &UseReducerDispatcher<State>) -> Html {
    let chosen = origin.map_or(OWN, |origin| origin.workload.name);
    let dispatch = dispatch.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() {
            dispatch.dispatch(Action::Choose(workload::find(&menu.value())));
        }
    });
    let option = |workload: &Workload| {
        html! { <option value={workload.name} selected={workload.name == chosen}>{ workload.title }</option> }
    };
    html! {
        <select id="kernel" {onchange}>
            { for Class::ALL.into_iter().map(|class| html! {
                <optgroup label={class.name()}>
                    { for workload::all().iter().filter(|workload| workload.class == class).map(option) }
                </optgroup>
            }) }
            <optgroup label="your own">
                <option value={OWN} selected={chosen == OWN}>{ "Paste PTX and a launch" }</option>
            </optgroup>
        </select>
    }
}

fn sizes(origin: Origin, dispatch: &UseReducerDispatcher<State>) -> Html {
    let button = |size: Size, name: &'static str, title: &'static str| {
        let dispatch = dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Resize(size)));
        let pressed = if origin.size == size { "true" } else { "false" };
        html! { <button type="button" {title} aria-pressed={pressed} {onclick}>{ name }</button> }
    };
    html! {
        <span class="segments" role="group" aria-label="Launch">
            { button(Size::Small, "Small", "A launch of a few blocks, to watch") }
            { button(Size::Full, "Full", "A launch that keeps a core busy, to measure") }
        </span>
    }
}

fn restore(origin: Origin, dispatch: &UseReducerDispatcher<State>) -> Html {
    let dispatch = dispatch.clone();
    let onclick = Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Choose(Some(origin.workload))));
    html! { <button type="button" class="plain" title="Back to the catalogue's texts" {onclick}>{ "Undo my changes" }</button> }
}

fn run(props: &Props) -> Html {
    if props.going {
        let onclick = props.onstop.reform(|_: MouseEvent| ());
        return html! { <button type="button" id="stop" {onclick}>{ "Stop" }</button> };
    }
    let title = props.missing.clone().unwrap_or_else(|| "Run the kernel (Ctrl+Enter)".into());
    let onclick = props.onrun.reform(|_: MouseEvent| ());
    html! {
        <button type="button" id="run" class="primary" {title} disabled={props.missing.is_some()} {onclick}>{ "Run" }</button>
    }
}
