//! The bar at the top: kernel, techniques, machine, sharing, help and theme.

use super::canvas::use_size;
use super::handle::Handle;
use super::layout::Sheet;
use super::share;
use super::techniques::TechniqueMenu;
use strum::VariantArray;
use warpscope_catalogue::{self as catalogue, Class, Size, Workload};
use warpscope_lab::{MachineSpec, Origin};
use warpscope_machine::config::PRESETS;
use warpscope_pictures::scene::Theme;
use wasm_bindgen::JsCast;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

/// The kernel menu's value for the user's own kernel.
const OWN: &str = "";
/// The kernel menu's value for the gallery.
const PICTURES: &str = "as-pictures";

#[derive(Properties, PartialEq)]
pub struct Props {
    pub handle: Handle,
    pub theme: Theme,
    pub ontheme: Callback<()>,
    pub onsheet: Callback<Sheet>,
}

/// The tightest level: only the kernel and the More menu are left in the bar.
const TIGHTEST: u8 = 8;

#[component]
pub fn Bar(props: &Props) -> Html {
    let handle = &props.handle;
    let (origin, edited, setup) = handle.read(|lab| (lab.origin, lab.is_edited(), lab.setup.clone()));
    let place = use_node_ref();
    let applied = handle.read(|lab| lab.running_instead().is_none());
    let level = use_level(&place, (origin, edited, applied, setup.clone()));
    {
        let setup = setup.clone();
        use_effect(move || show_chosen(origin, &setup));
    }
    let share = {
        let handle = handle.clone();
        Callback::from(move |_: MouseEvent| share::copy(&handle))
    };
    let sheet = |sheet: Sheet| props.onsheet.reform(move |_: MouseEvent| sheet);
    // The level from which on a control is in the More menu. A button there closes the menu.
    let closes = |from: u8| (level >= from).then_some(MENU);
    let button = |from: u8, id: &'static str, (title, name): (&'static str, String), onclick: Callback<MouseEvent>| {
        html! { <button type="button" {id} {title} popovertarget={closes(from)} {onclick}>{ name }</button> }
    };
    let settings = match setup.keys.len() {
        0 => "Settings".to_string(),
        changed if !applied => format!("Settings · {changed} not applied"),
        changed => format!("Settings · {changed}"),
    };
    // Changed keys, and that they are not applied, stay in sight.
    let machine = if setup.keys.is_empty() { 4 } else { 6 };
    let edit = if edited && origin.is_some() { "Edit ●" } else { "Edit" };
    let theme = if props.theme == Theme::Dark { "Change to light (T)" } else { "Change to dark (T)" };
    let controls = [
        (
            1,
            html! {
                <button type="button" id="kernels" title="All kernels as pictures (K)" aria-label="All kernels as pictures"
                    popovertarget={closes(1)} onclick={sheet(Sheet::Gallery)}>{ "▦" }</button>
            },
        ),
        (5, origin.map_or_else(Html::default, |origin| sizes(handle, origin))),
        (4, button(4, "edit", ("Edit or paste a kernel (E)", edit.into()), sheet(Sheet::Editor))),
        (TIGHTEST, html! { <TechniqueMenu handle={handle.steady()} setup={setup.clone()} /> }),
        (7, html! { <label><span>{ "Machine" }</span>{ presets(handle) }</label> }),
        (machine, button(machine, "machine", ("Every setting of the machine (M)", settings), sheet(Sheet::Settings))),
        (u8::MAX, html! { <span class="push"></span> }),
        (6, button(6, "compare-all", ("Every technique on this kernel (C)", "Compare".into()), sheet(Sheet::Compare))),
        (6, button(6, "lessons", ("Guided runs (G)", "Lessons".into()), sheet(Sheet::Lessons))),
        (6, button(6, "share", ("Copy a link to this picture (L)", "Share".into()), share)),
        (
            3,
            html! {
                <button type="button" id="keys" title="Every key (?)" aria-label="? Every key" popovertarget={closes(3)}
                    onclick={sheet(Sheet::Help)}>{ "?" }</button>
            },
        ),
        (
            3,
            html! {
                <button type="button" class="theme" title={theme} aria-label={theme} popovertarget={closes(3)}
                    onclick={props.ontheme.reform(|_: MouseEvent| ())}>{ "◐" }</button>
            },
        ),
    ];
    let (inside, outside): (Vec<_>, Vec<_>) = controls.into_iter().partition(|(from, _)| level < *from);
    html! {
        <header class={classes!("bar", (level > 0).then_some("tight"), (level > 1).then_some("unlabelled"))} ref={place}>
            <h1 class="brand"><i class="brand-mark" aria-hidden="true"></i><span>{ "Warpscope" }</span></h1>
            <label><span>{ "Kernel" }</span>{ kernels(handle, origin, edited, &props.onsheet) }</label>
            { for inside.into_iter().map(|(_, control)| control) }
            if !outside.is_empty() {
                <button type="button" id="more" popovertarget={MENU}>{ "More" }</button>
                <div id={MENU} popover="auto" aria-label="More">{ for outside.into_iter().map(|(_, control)| control) }</div>
            }
        </header>
    }
}

/// The id of the More menu, which holds what the bar has no room for.
const MENU: &str = "more-menu";

/// Returns the level at which the search for the right one begins: a bar of this width needs at least that.
fn begin_at(width: f64) -> u8 {
    match width {
        ..480.0 => 6,
        480.0..900.0 => 4,
        900.0..1300.0 => 1,
        _ => 0,
    }
}

/// Returns the bar's level: the first one at which its content fits. The search begins again when the bar's width or its
/// content changes.
#[hook]
fn use_level(place: &NodeRef, shown: (Option<Origin>, bool, bool, MachineSpec)) -> u8 {
    let (width, _) = use_size(place);
    let level = use_state_eq(|| {
        let window = web_sys::window().and_then(|window| window.inner_width().ok()).and_then(|width| width.as_f64());
        begin_at(window.unwrap_or(f64::INFINITY))
    });
    let now = *level;
    let place = place.clone();
    let fitted = use_mut_ref(|| None);
    use_effect(move || {
        let Some(bar) = place.cast::<web_sys::Element>() else { return };
        let key = Some((width as u32, shown));
        if *fitted.borrow() != key {
            fitted.replace(key);
            let first = if width > 0.0 { begin_at(width) } else { now };
            if now != first {
                return level.set(first);
            }
        }
        if bar.scroll_width() > bar.client_width() && now < TIGHTEST {
            level.set(now + 1);
        }
    });
    now
}

/// Sets the menus to what is chosen. Once the user has used a menu, the browser ignores which option is marked.
fn show_chosen(origin: Option<Origin>, setup: &MachineSpec) {
    let set = |id: &str, value: &str| {
        let element = web_sys::window().and_then(|window| window.document()).and_then(|page| page.get_element_by_id(id));
        if let Some(menu) = element.and_then(|element| element.dyn_into::<HtmlSelectElement>().ok()) {
            menu.set_value(value);
        }
    };
    set("kernel", origin.map_or(OWN, |origin| origin.workload.name));
    set("preset", &setup.preset);
}

fn kernels(handle: &Handle, origin: Option<Origin>, edited: bool, onsheet: &Callback<Sheet>) -> Html {
    let lesson = handle.read(|lab| lab.course.is_some());
    let size = origin.map_or(Size::Small, |origin| origin.size);
    let (handle, onsheet) = (handle.clone(), onsheet.clone());
    let onchange = Callback::from(move |event: Event| {
        let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() else { return };
        if menu.value() == PICTURES {
            menu.set_value(origin.map_or(OWN, |origin| origin.workload.name));
            return onsheet.emit(Sheet::Gallery);
        }
        handle.act(|lab| lab.choose(Origin::find(&menu.value(), size)));
    });
    let option = |workload: &Workload| {
        let edited = edited && origin.is_some_and(|origin| origin.workload.name == workload.name);
        let title = if edited { format!("{}, edited", workload.title) } else { workload.title.to_string() };
        html! { <option value={workload.name}>{ title }</option> }
    };
    html! {
        <select id="kernel" title="The kernel" aria-label="Kernel" {onchange}>
            { for Class::VARIANTS.iter().map(|&class| html! {
                <optgroup label={class.name()}>
                    { for catalogue::all().iter().filter(|workload| workload.class == class).map(option) }
                </optgroup>
            }) }
            <optgroup label="all">
                <option value={PICTURES}>{ "▦ As pictures …" }</option>
            </optgroup>
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
            { button(Size::Full, "Full", "A launch that keeps an SM busy, to measure") }
        </span>
    }
}

fn presets(handle: &Handle) -> Html {
    let handle = handle.clone();
    let onchange = Callback::from(move |event: Event| {
        if let Some(menu) = event.target_dyn_into::<HtmlSelectElement>() {
            handle.act(|lab| lab.set_up(MachineSpec { preset: menu.value(), ..lab.setup.clone() }));
        }
    });
    html! {
        <select id="preset" title="The machine, with the parameters of a paper's table" aria-label="Machine" {onchange}>
            { for PRESETS.iter().map(|preset| html! { <option value={preset.name} title={preset.about}>{ preset.name }</option> }) }
        </select>
    }
}
