//! The bar at the top: which kernel, which technique, which machine; sharing, help, light or dark.

use super::app::Sheet;
use super::handle::Handle;
use super::share;
use crate::config::{PRESETS, TECHNIQUES, Technique};
use crate::lab::{Origin, Setup};
use crate::scene::Theme;
use crate::workload::{self, Class, Size, Workload};
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The menu's value for a kernel of one's own.
const OWN: &str = "";

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub ontheme: Callback<()>,
    pub onsheet: Callback<Sheet>,
}

#[component]
pub fn Bar(props: &Props) -> Html {
    let handle = &props.handle;
    let (origin, edited, setup) = handle.read(|lab| (lab.origin, lab.is_edited(), lab.setup.clone()));
    let sheet = |sheet: Sheet| props.onsheet.reform(move |_: MouseEvent| sheet);
    let share = {
        let handle = handle.clone();
        Callback::from(move |_: MouseEvent| share::copy(&handle))
    };
    {
        let setup = setup.clone();
        use_effect(move || show_chosen(origin, &setup));
    }
    let other = if props.theme == Theme::Dark { "Change to light (T)" } else { "Change to dark (T)" };
    html! {
        <header class="bar">
            <h1 class="brand"><i class="brand-mark" aria-hidden="true"></i><span>{ "Warpscope" }</span></h1>
            <label><span>{ "Kernel" }</span>{ kernels(handle, origin, edited) }</label>
            if let Some(origin) = origin {
                { sizes(handle, origin) }
            }
            <button type="button" id="edit" title="Edit or paste a kernel (E)" onclick={sheet(Sheet::Editor)}>
                { if edited && origin.is_some() { "Edit ●" } else { "Edit" } }
            </button>
            { for deciders().into_iter().map(|decides| techniques(handle, decides)) }
            <label><span>{ "Machine" }</span>{ presets(handle) }</label>
            <button type="button" id="machine" title="Every setting of the machine (M)" onclick={sheet(Sheet::Settings)}>
                { if setup.keys.is_empty() { "Settings".to_string() } else { format!("Settings · {}", setup.keys.len()) } }
            </button>
            <span class="push"></span>
            <button type="button" id="lessons" title="Guided runs (G)" onclick={sheet(Sheet::Lessons)}>{ "Lessons" }</button>
            <button type="button" id="share" title="Copy a link to this picture (L)" onclick={share}>{ "Share" }</button>
            <button type="button" id="keys" title="Every key (?)" aria-label="Every key" onclick={sheet(Sheet::Help)}>{ "?" }</button>
            <button type="button" class="theme" title={other} aria-label={other} onclick={props.ontheme.reform(|_: MouseEvent| ())}>{ "◐" }</button>
        </header>
    }
}

/// Lets the menus show what is chosen. Once somebody has used a menu, it no longer looks at which option is marked.
fn show_chosen(origin: Option<Origin>, setup: &Setup) {
    let set = |id: &str, value: &str| {
        let element = web_sys::window().and_then(|window| window.document()).and_then(|page| page.get_element_by_id(id));
        if let Some(menu) = element.and_then(|element| element.dyn_into::<HtmlSelectElement>().ok()) {
            menu.set_value(value);
        }
    };
    set("kernel", origin.map_or(OWN, |origin| origin.workload.name));
    set("preset", &setup.preset);
    for decides in deciders() {
        set(&menu_of(decides), setup.technique_for(decides).unwrap_or(""));
    }
}

fn menu_of(decides: &str) -> String {
    format!("technique-{decides}")
}

fn kernels(handle: &Handle, origin: Option<Origin>, edited: bool) -> Html {
    let lesson = handle.read(|lab| lab.course.is_some());
    let size = origin.map_or(Size::Small, |origin| origin.size);
    let handle = handle.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() {
            handle.act(|lab| lab.choose(Origin::find(&menu.value(), size)));
        }
    });
    let option = |workload: &Workload| {
        let edited = edited && origin.is_some_and(|origin| origin.workload.name == workload.name);
        let title = if edited { format!("{}, edited", workload.title) } else { workload.title.to_string() };
        html! { <option value={workload.name}>{ title }</option> }
    };
    html! {
        <select id="kernel" title="The kernel" {onchange}>
            { for Class::ALL.into_iter().map(|class| html! {
                <optgroup label={class.name()}>
                    { for workload::all().iter().filter(|workload| workload.class == class).map(option) }
                </optgroup>
            }) }
            <optgroup label="your own">
                <option value={OWN}>{ if lesson { "The lesson's kernel" } else { "Your own kernel" } }</option>
            </optgroup>
        </select>
    }
}

fn sizes(handle: &Handle, origin: Origin) -> Html {
    let button = |size: Size, name: &'static str, title: &'static str| {
        if origin.workload.launch(size).is_none() {
            return Html::default();
        }
        let pressed = (origin.size == size).to_string();
        html! { <button type="button" {title} aria-pressed={pressed} onclick={handle.callback(move |lab| lab.resize(size))}>{ name }</button> }
    };
    html! {
        <span class="segments" role="group" aria-label="Launch">
            { button(Size::Tiny, "Tiny", "A launch of a few small warps, for the machine for lessons") }
            { button(Size::Small, "Small", "A launch of a few blocks, to watch") }
            { button(Size::Full, "Full", "A launch that keeps a core busy, to measure") }
        </span>
    }
}

/// What techniques decide, in the table's order.
fn deciders() -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for technique in TECHNIQUES {
        if !found.contains(&technique.decides) {
            found.push(technique.decides);
        }
    }
    found
}

fn techniques(handle: &Handle, decides: &'static str) -> Html {
    let chosen = handle.read(|lab| lab.setup.technique_for(decides).map(str::to_string));
    let handle = handle.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() {
            let name = menu.value();
            handle.act(|lab| lab.decide(decides, Some(name.as_str()).filter(|name| !name.is_empty())));
        }
    });
    let option = |name: &str, title: String| html! { <option value={name.to_string()} {title}>{ name }</option> };
    let listed = |t: &Technique| option(t.name, format!("{} ({})", t.about, t.paper));
    // A technique whose name has a number in it is in the table with one number only.
    let chosen = chosen.filter(|name| !TECHNIQUES.iter().any(|technique| technique.name == name));
    let label = decides[..1].to_ascii_uppercase() + &decides[1..];
    html! {
        <label><span>{ label }</span>
            <select id={menu_of(decides)} {onchange}>
                <option value="" title="What the machine's preset says">{ "default" }</option>
                { for TECHNIQUES.iter().filter(|t| t.decides == decides).map(listed).chain(chosen.map(|name| option(&name, String::new()))) }
            </select>
        </label>
    }
}

fn presets(handle: &Handle) -> Html {
    let handle = handle.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() {
            handle.act(|lab| lab.set_up(Setup { preset: menu.value(), ..lab.setup.clone() }));
        }
    });
    html! {
        <select id="preset" title="The machine: whose table its figures come from" {onchange}>
            { for PRESETS.iter().map(|preset| html! { <option value={preset.name} title={preset.about}>{ preset.name }</option> }) }
        </select>
    }
}
